r"""Text of others as it is shown: without the signs that disguise what it says.

``evil\u202efdp.exe`` reads "evilexe.pdf" on screen, and a terminal obeys what follows ``\x1b``.
"""

from __future__ import annotations

import re

_DISGUISING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")
_LINES = re.compile(r"[\t\r\n]+")


def visible(text: str) -> str:
    """``text`` with a replacement character for each control character and each override of the writing direction.

    Line ends and tabs stay, and so do the marks that Arabic and Hebrew need. See Unicode Technical Report 36, 2.5.
    """
    return _DISGUISING.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def visible_line(text: str) -> str:
    """``visible`` text on one line, for titles and names of people and files."""
    return visible(_LINES.sub(" ", text))
