"""The text of an Org file as marked text: headings, quotations, lists, emphasis, links, code (orgmode.org/manual)."""

from __future__ import annotations

import re

from engine.exchange.markdown_tokens import blocks_of, marked_of
from engine.reviews.marks import MarkedText

_KEYWORD = re.compile(r"^[ \t]*#\+(?:title|author|date|email|options|startup|latex_\w+|begin_\w+)\b", re.I | re.M)
_DRAWER = re.compile(
    r"^[ \t]*:(?:PROPERTIES|LOGBOOK):[ \t]*\n(?:(?![ \t]*:END:).*\n){0,200}?[ \t]*:END:[ \t]*$", re.I | re.M
)
_ITEM = re.compile(r"(?:[-+*]|\d+[.)])[ \t]")
_NO_LIST = 1_000
"""A margin that no line reaches: text counts as indented in lists only, not under headings."""
_LINK = re.compile(r"\[\[([^\[\]\n]+)\](?:\[([^\[\]\n]+)\])?\]|\[")
_BEFORE, _AFTER = r"(?<![^\s\-({'\"])", r"(?![^\s\-.,;:!?'\")}\[\\])"
_INLINE = (
    (re.compile(rf"{_BEFORE}[=~](?! )([^=~\n]+)(?<! )[=~]{_AFTER}"), r"`\1`"),
    (re.compile(rf"{_BEFORE}\*(?! )([^*\n]+(?:\n[^*\n]+)?)(?<! )\*{_AFTER}"), r"**\1**"),
    (re.compile(rf"{_BEFORE}/(?! )([^/\n]+(?:\n[^/\n]+)?)(?<! )/{_AFTER}"), r"*\1*"),
    (re.compile(rf"{_BEFORE}_(?! )([^_\n]+)(?<! )_{_AFTER}"), r"\1"),
)


def is_org(text: str, name: str) -> bool:
    """Whether a text is an Org file, by its keywords or its name."""
    return name.lower().endswith(".org") or bool(_KEYWORD.search(text[:5000]))


def org_text(text: str) -> MarkedText:
    """The text of a file; keywords, comments and drawers are left out."""
    text = _DRAWER.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    found: list[str] = []
    block = ""
    margin = _NO_LIST
    for line in text.split("\n"):
        bare = line.strip()
        edge = re.match(r"#\+(begin|end)_(\w+)", bare, re.IGNORECASE)
        stars = re.match(r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(.*)", line)
        if edge and (not block or (edge[1].lower() == "end" and edge[2].lower() == block)):
            block = edge[2].lower() if edge[1].lower() == "begin" else ""
            code = edge[2].lower() in ("src", "example", "verbatim")
            found.append("```" if code else "")
        elif block in ("src", "example", "verbatim"):
            found.append(line)
        elif title := re.match(r"#\+title:[ \t]*(.+)", bare, re.IGNORECASE):
            found += [f"# {title[1]}", ""]
        elif re.match(r"#(?:\+\w+(?:\[.*\])?:|[ \t]|$)", bare):
            continue
        elif stars:
            found += ["", f"{'#' * min(6, len(stars[1]))} {_inline(stars[2])}", ""]
            margin = _NO_LIST
        else:
            indent = len(line) - len(line.lstrip())
            if _ITEM.match(bare):
                margin = min(margin, indent)
            elif bare and indent <= margin:
                margin = _NO_LIST
            said = _inline(line[margin:] if margin < _NO_LIST else bare)
            found.append(f"> {said}".rstrip() if block in ("quote", "verse") else said)
    return marked_of(blocks_of("\n".join(found)))


def _inline(line: str) -> str:
    line = _LINK.sub(_linked, line)
    for pattern, instead in _INLINE:
        line = pattern.sub(instead, line)
    return line


def _linked(match: re.Match[str]) -> str:
    """A link; a bracket that begins none is escaped, since Markdown's parser looks for its end again and again."""
    if not match[1]:
        return "\\["
    return f"[{match[2]}]({match[1]})" if match[2] else f"<{match[1]}>"
