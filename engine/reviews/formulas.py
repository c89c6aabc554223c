"""Formulas as pictures, drawn by Matplotlib's mathtext: a large part of LaTeX's mathematics, no installation of TeX."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENVIRONMENT = re.compile(
    r"\\begin\{(?:aligned|align\*?|equation\*?|split|gathered)\}(.*?)\\end\{[a-z]+\*?\}", re.DOTALL
)
_NAMES = {
    r"\lt": "<", r"\gt": ">", r"\operatorname": r"\mathrm", r"\textrm": r"\mathrm", r"\mbox": r"\mathrm",
    r"\boldsymbol": r"\mathbf", r"\bm": r"\mathbf", r"\tfrac": r"\frac", r"\dfrac": r"\frac", r"\dots": r"\ldots",
}  # fmt: skip
"""What mathtext calls otherwise, or not at all."""


@dataclass(frozen=True, slots=True)
class FormulaPicture:
    """How dense the ink is, 0 to 255, row by row; ``depth`` pixels lie below the line of the text. Without a picture
    (``width`` 0) ``why`` says what cannot be drawn here.
    """

    width: int
    height: int
    depth: int
    ink: bytes
    why: str = ""


def draw(tex: str, size: float, dpi: float = 96.0) -> FormulaPicture:
    """A formula in letters of ``size`` points. What mathtext does not know is told, not guessed."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    source = _ENVIRONMENT.sub(lambda match: match[1].replace("&", ""), tex).strip()
    for name, other in _NAMES.items():
        source = re.sub(re.escape(name) + r"(?![a-zA-Z])", other.replace("\\", r"\\"), source)
    source = " ".join(source.split())
    try:
        parsed = MathTextParser("agg").parse(f"${source}$", dpi, FontProperties(size=size, math_fontfamily="cm"))
    except (ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()
        return FormulaPicture(
            0, 0, 0, b"", f"This formula cannot be drawn here ({reason[-1] if reason else 'unknown'})."
        )
    height, width = parsed.image.shape
    return FormulaPicture(width, height, round(parsed.depth), parsed.image.tobytes())
