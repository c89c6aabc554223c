"""Writes tables for LaTeX papers: ``booktabs`` rules, numbers right-aligned, no other formatting."""

import re
from collections.abc import Sequence
from functools import cache

from engine.exchange.records import ExportFile
from engine.shown import visible, visible_line

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "%": r"\%", "&": r"\&", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def as_latex(text: str) -> str:
    """Escapes ``text`` for LaTeX and drops control characters and direction overrides."""
    return "".join(_ESCAPES.get(letter, letter) for letter in visible(text).replace("\ufffd", ""))


def latex_line(text: str) -> str:
    """Like ``as_latex``, but on one line, as needed for titles and table cells."""
    return as_latex(visible_line(text))


_COMMAND = re.compile(r"\\([A-Za-z@]+)\*?")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{([a-z]*)\*?\}")
_ENVIRONMENTS = frozenset(
    ["aligned", "alignedat", "array", "bmatrix", "Bmatrix", "cases", "gathered", "matrix", "pmatrix", "smallmatrix",
     "split", "vmatrix", "Vmatrix"]
)  # fmt: skip
_WORDS = """
begin end frac dfrac tfrac cfrac sqrt binom dbinom tbinom genfrac overline underline overbrace underbrace overset
underset stackrel substack left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr biggl biggr Biggl Biggr limits
nolimits displaystyle textstyle scriptstyle text textrm textit textbf texttt textsf mathrm mathit mathbf mathsf mathtt
mathcal mathbb mathfrak mathscr boldsymbol operatorname hat widehat tilde widetilde bar vec dot ddot acute grave breve
check mathring quad qquad phantom hphantom vphantom not bmod pmod pod mod arccos arcsin arctan arg cos cosh cot coth csc
deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh boxed xrightarrow
xleftarrow dots ldots cdots vdots ddots dotsc dotsb prime colon mid to gets iff implies ne neq le leq ge geq land lor
lnot hline cr lVert rVert lvert rvert lbrace rbrace lbrack rbrack langle rangle lceil rceil lfloor rfloor nonumber
"""
"""Commands of amsmath for formulas."""


def latex_formula(formula: str) -> str:
    """Returns a formula with its dollar signs unchanged if it contains only mathematics, otherwise escaped as text.

    Other commands may read files, write files or run programs (``\\input``, ``\\write18``, ``\\catcode``, ``^^``
    notation), and a formula with unbalanced braces doesn't compile.
    """
    inner = formula.strip("$")
    bare = inner.replace(r"\\", " ")  # line breaks, after which letters are no command
    environments = _ENVIRONMENT.findall(bare)
    safe = (
        set(_COMMAND.findall(bare)) <= _mathematics()
        and set(environments) <= _ENVIRONMENTS
        and len(environments) == bare.count("\\begin") + bare.count("\\end")
        and "^^" not in bare
        and not re.search(r"(?<!\\)[%#]|\n\s*\n", bare)
        and visible(inner) == inner
        and _balanced(inner)
    )
    return formula if safe else as_latex(formula)


@cache
def _mathematics() -> frozenset[str]:
    """Returns the commands of ``_WORDS`` and the symbol commands in pylatexenc's Unicode table."""
    from pylatexenc.latexencode import get_builtin_uni2latex_dict

    signs = (name for made in get_builtin_uni2latex_dict().values() for name in _COMMAND.findall(made))
    return frozenset((*_WORDS.split(), *signs))


def _balanced(text: str) -> bool:
    depth = 0
    for sign in re.sub(r"\\.", "", text, flags=re.DOTALL):
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


def latex_table(header: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """Returns a ``table`` environment; columns of numbers are right-aligned, None is an empty cell. Requires the
    package booktabs. Numbers aren't rounded."""
    numeric = [
        all(isinstance(row[n], int | float) or row[n] is None for row in rows) and bool(rows)
        for n in range(len(header))
    ]
    lines = [r"\begin{table}", r"  \centering"]
    if caption:
        lines.append(rf"  \caption{{{latex_line(caption)}}}")
    lines += [rf"  \begin{{tabular}}{{{''.join('r' if number else 'l' for number in numeric)}}}", r"    \toprule"]
    lines.append("    " + " & ".join(map(latex_line, header)) + r" \\")
    lines.append(r"    \midrule")
    lines += [
        "    " + " & ".join("" if cell is None else latex_line(str(cell)) for cell in row) + r" \\" for row in rows
    ]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def latex_file(name: str, header: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> ExportFile:
    return ExportFile(name, latex_table(header, rows, caption).encode("utf-8"))
