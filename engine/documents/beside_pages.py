"""What a PDF says beside its pages: notes and fields of forms, the file's description, attached files, and every other
text that its objects hold for programs (alternatives for accessibility, scripts, bookmarks). Runs in the worker."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from engine.documents.hidden import (
    WHY,
    Finding,
    Unexamined,
    Way,
    is_prose,
    joined,
    tag_text,
    tells,
    without_shown,
)
from engine.documents.records import Box
from engine.documents.traced import failures
from engine.shown import find_phrases, without_invisible

_MOST_TEXT = 2_000_000
_PROGRAMS = frozenset({"Producer", "Creator", "PTEX.Fullbanner", "URI", "F", "UF", "D", "DA", "NM", "ID", "O", "U"})
"""Keys of strings that say what made a file or where a link leads, and of notes, which are examined by themselves."""
_STRING = re.compile(r"(?:/([\w.#-]+)\s*)?(?<!<)(\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]{8,}>)", re.DOTALL)
_SCRIPT = re.compile(r"/(JS|XFA|RC|V|Alt|ActualText|E)\s*(\d+) 0 R|/(XFA)\s*\[([^\]]*)\]")
_NODE = re.compile(r"<(?!pdfa)([\w:]+)[^>]*>([^<]{12,})<")
"""A text of the description in XML, with the name of what holds it; the definitions of PDF/A are left out."""
_FAINT = 12
"""Levels (of 255) below which nobody sees that something is drawn."""
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": "", "\n": ""}

Found = tuple[list[Finding], list[Finding], list[Unexamined]]


def beside_the_pages(
    document: Any, objects: Mapping[int, str], data: bytes, shown: Sequence[str], tick: Callable[[], None]
) -> Found:
    """Notes that are not shown, sentences that no page shows (``shown``: the text of each), and phrases in all of them.

    What was not examined comes third.
    """
    del data
    hidden: list[Finding] = []
    spoken: list[Finding] = []
    left: list[Unexamined] = []
    handled: set[int] = set()
    for index in range(document.page_count):
        tick()
        try:
            page = document.load_page(index)
            for note in [*(page.annots() or ()), *(page.widgets() or ())]:
                handled.add(int(note.xref))
                hidden_note, spoken_note = _note(page, note)
                hidden += hidden_note
                spoken += spoken_note
        except failures():
            left.append(Unexamined(index + 1, "its notes could not be read"))
    more: dict[Way, list[str]] = {}
    tick()
    try:
        strings = list(_texts(document, objects, handled))
        for way, key, value in [*_pieced(strings, shown), *strings]:
            text = joined([without_invisible(value)])
            if text in joined(more.get(way, ())):
                continue
            if spelled := tag_text(value):
                hidden.append(Finding("tag characters", 0, spelled, WHY["tag characters"]))
            if any(text[:2_000] in f.text for f in (*spoken, *hidden)):
                continue
            if said := find_phrases(text):
                spoken.append(Finding("metadata", 0, text[:2_000], f"{said[0][2]}; {WHY[way]}"))
            elif (
                key not in _PROGRAMS
                and is_prose(text)
                and (way != "metadata" or _is_statement(text))
                and (fresh := without_shown(text, shown))
                and (way != "metadata" or len(fresh) > 0.5 * len(text.split()))
            ):
                more.setdefault(way, []).append(text if len(fresh) > 0.5 * len(text.split()) else " ".join(fresh))
    except failures():
        left.append(Unexamined(0, "its description and attached files could not be read"))
    for way, found in more.items():
        hidden.append(Finding(way, 0, joined(dict.fromkeys(found))[:4_000], WHY[way]))
    return hidden, spoken, left


def _is_statement(text: str) -> bool:
    """Whether a description says something: titles, subjects, keywords and lists of authors are no sentences."""
    return len(text.split()) >= 8 and text.endswith((".", "!", "?"))


def _pieced(texts: Sequence[tuple[Way, str, str]], shown: Sequence[str]) -> Iterator[tuple[Way, str, str]]:
    """What the strings of one key say in a row, such as bookmarks, without those that a page shows."""
    pieces: dict[tuple[Way, str], list[str]] = {}
    for way, key, value in texts:
        if key and key not in _PROGRAMS and sum(map(str.isalpha, value)) > 0.6 * len(value):
            pieces.setdefault((way, key), []).append(value)
    there = ""
    for (way, key), values in pieces.items():
        text = joined(values)
        if len(values) > 1 and (is_prose(text) or find_phrases(text)):
            there = there or _letters(" ".join(shown))
            yield way, key, " ".join(v for v in dict.fromkeys(values) if _letters(v) not in there)


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


# --- notes -----------------------------------------------------------------------------------------------------------
def _note(page: Any, note: Any) -> tuple[list[Finding], list[Finding]]:
    info = getattr(note, "info", None) or {}
    content = info.get("content") or str(getattr(note, "field_value", "") or "")
    text = joined([without_invisible(str(content))])
    if not text:
        return [], []
    rect = note.rect
    number = page.number + 1
    boxes = (Box(number, round(rect.x0, 2), round(rect.y0, 2), round(rect.x1, 2), round(rect.y1, 2)),)
    # The fields of a form do not tell their flags themselves.
    kind, value = page.parent.xref_get_key(note.xref, "F")
    flags = int(value) if kind == "int" else 0
    unseen = bool(flags & (2 | 32)) or (rect & page.rect).is_empty or rect.width < 3 or rect.height < 3
    unseen = unseen or (tells(text, "annotation") and _shows_nothing(page, rect))
    hidden = [Finding("annotation", number, text, WHY["annotation"], boxes)] if unseen and tells(text, "tiny") else []
    spoken = (
        [] if hidden else [Finding("annotation", number, text[a:b], why, boxes) for a, b, why in find_phrases(text)]
    )
    return hidden, spoken


def _shows_nothing(page: Any, rect: Any) -> bool:
    """Whether the page looks the same without its notes and fields in the place of one."""
    import numpy as np
    import pymupdf

    with_it, without = (
        np.frombuffer(
            page.get_pixmap(clip=rect & page.rect, colorspace=pymupdf.csRGB, alpha=False, annots=on).samples, "u1"
        )
        for on in (True, False)
    )
    return bool(np.abs(with_it.astype(int) - without).max(initial=0) < _FAINT)


# --- texts for programs ----------------------------------------------------------------------------------------------
def _texts(document: Any, objects: Mapping[int, str], notes: Collection[int]) -> Iterator[tuple[Way, str, str]]:
    """Every text of the file's objects, with how it is held and the key it is under."""
    seen: set[int] = set()
    described = document.xref_get_key(-1, "Info")[1].split(" ")[0]
    for number, source in objects.items():
        if described == str(number):
            continue
        # A picture is described for those who do not see it; that description is shown to nobody else by intention.
        pictured = "/S/Figure" in source or "/S/Formula" in source
        own = number in notes
        for key, value in _STRING.findall(source):
            if not (own and key in ("Contents", "V", "RC")):
                yield "not on a page", "URI" if pictured and key == "Alt" else key, _decoded(value)
        if "/EmbeddedFile" in source:
            yield "attached", "attached", _plain(document.xref_stream(number))
        elif "/Metadata" in source and "/XML" in source:
            for name, value in re.findall(
                r"<([\w:]+)[^>]*>([^<]{12,})<", _plain(document.xref_stream(number), tags=True)
            ):
                yield "metadata", name, html.unescape(value)
        for _, direct, _, listed in _SCRIPT.findall(source):
            for other in map(int, [direct] if direct else re.findall(r"(\d+) 0 R", listed)):
                if 0 < other < document.xref_length() and document.xref_is_stream(other) and other not in seen:
                    seen.add(other)
                    yield "not on a page", "script", _plain(document.xref_stream(other))
    for key, value in (document.metadata or {}).items():
        if key not in ("format", "encryption") and value:
            yield "metadata", "Producer" if key in ("creator", "producer") else key, str(value)


def _plain(data: bytes | None, *, tags: bool = False) -> str:
    """A stream as text, "" for what is none; without ``tags`` those of XML are taken out."""
    data = (data or b"")[:_MOST_TEXT]
    if b"\0" in data[:4_096] and not data.startswith((b"\xfe\xff", b"\xff\xfe")):
        return ""
    text = data.decode("utf-16" if data.startswith((b"\xfe\xff", b"\xff\xfe")) else "utf-8", "replace")
    return text if tags else html.unescape(re.sub(r"<[^>]*>", " ", text))


def _decoded(value: str) -> str:
    """A PDF string, literal or hexadecimal, as text."""
    if value.startswith("<"):
        digits = "".join(value[1:-1].split())
        data = bytes.fromhex(digits + "0" * (len(digits) % 2))
    else:
        literal = _ESCAPE.sub(_unescaped, value[1:-1])
        data = literal.encode("latin-1", "replace") if max(literal, default="") < "\u0100" else literal.encode()
    if data.startswith(b"\xfe\xff"):
        return data[2:].decode("utf-16-be", "replace")
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", "replace")
    return data.decode("latin-1")


def _unescaped(match: re.Match[str]) -> str:
    what = match[1]
    return chr(int(what, 8) & 255) if what[0] in "01234567" else _ESCAPED.get(what, what)
