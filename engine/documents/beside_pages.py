"""Examines what a PDF contains besides its pages: annotations and form fields, metadata, attached files, and all other
text in its objects (alternative texts, scripts, bookmarks). Runs in the worker."""

import html
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pymupdf

from engine.documents.hidden import WHY, Finding, Unexamined, Way, is_prose, joined, tag_text, tells, without_shown
from engine.documents.objects import decoded
from engine.documents.records import Box
from engine.documents.traced import failures
from engine.shown import find_phrases, without_invisible

_MOST_TEXT = 2_000_000
_PROGRAMS = frozenset({"Producer", "Creator", "PTEX.Fullbanner", "URI", "F", "UF", "D", "DA", "NM", "ID", "O", "U"})
"""Keys of strings naming software, files or link targets, or belonging to annotations, which are examined
separately."""
_STANDARD = frozenset({"Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate"})
_STRING = re.compile(r"(?:/([\w.#-]+)\s*)?(?<!<)(\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]{8,}>)", re.DOTALL)
_SCRIPT = re.compile(r"/(JS|XFA|RC|V|Alt|ActualText|E)\s*(\d+) 0 R|/(XFA)\s*\[([^\]]*)\]")
_FAINT = 12
"""Difference in levels (of 255) below which a mark can't be seen."""
_PICTURED = "Alt of a picture"
_DESCRIBES = re.compile(
    r"\b(?:charts?|plot\w*|graphs?|figures?|images?|pictur\w+|photo\w*|diagrams?|maps?|tables?|curves?|lines?|ax[ei]s|bars?"
    r"|dots?|points?|arrows?|box\w*|panels?|scatter\w*|histograms?|legends?|labels?|nodes?|rows?|columns?|logos?|icons?"
    r"|screen\w*|drawings?|sketch\w*|illustrat\w+|schem\w+|flow\w*|shows?|shown|showing|depict\w*|versus|against|left|right"
    r"|top|bottom|red|green|blue|black|white|gr[ae]y|orange|yellow|purple)\b",
    re.IGNORECASE,
)
"""Words used to describe a picture."""
_KNOWN = 0.5
"""Least share of a description's long words that must also occur in the paper."""

Found = tuple[list[Finding], list[Finding], list[Unexamined]]


def beside_the_pages(
    document: Any, objects: Mapping[int, str], data: bytes, shown: Sequence[str], tick: Callable[[], None]
) -> Found:
    """Returns hidden annotations, sentences that no page shows (``shown``: the text of each page), phrases addressed to
    reviewers in all of them, and what couldn't be examined."""
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
            left.append(Unexamined(index + 1, "its notes couldn't be read"))
    more: dict[Way, list[str]] = {}
    tick()
    try:
        strings = list(_texts(document, objects, handled))
        names = (value for way, _, value in strings if way == "metadata" and not _is_statement(value))
        known = _long_words(" ".join((*shown, *names)))
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
                and is_prose(text := _said(way, key, text, known))
                and (fresh := without_shown(text, shown))
                and (way != "metadata" or len(fresh) > 0.5 * len(text.split()))
            ):
                more.setdefault(way, []).append(text if len(fresh) > 0.5 * len(text.split()) else " ".join(fresh))
    except failures():
        left.append(Unexamined(0, "its description and attached files couldn't be read"))
    for way, found in more.items():
        hidden.append(Finding(way, 0, joined(dict.fromkeys(found))[:4_000], WHY[way]))
    return hidden, spoken, left


def _is_statement(text: str) -> bool:
    """Returns whether metadata is a sentence; titles, subjects, keywords and author lists aren't."""
    return len(text.split()) >= 8 and text.endswith((".", "!", "?"))


def _said(way: Way, key: str, text: str, known: Collection[str]) -> str:
    """Returns the part of a text worth showing, "" if none: metadata only if too few of its words are the paper's
    (``known``), alternative texts of pictures only as far as they don't describe a picture."""
    if way == "metadata":
        return text if _is_statement(text) and _is_foreign(text, known) else ""
    if key != _PICTURED:
        return text
    return joined(s for s in re.split(r"(?<=[.!?])\s", text) if not _DESCRIBES.search(s) and _is_foreign(s, known))


def _is_foreign(text: str, known: Collection[str]) -> bool:
    words = _long_words(text)
    return sum(word in known for word in words) < _KNOWN * len(words)


def _long_words(text: str) -> set[str]:
    """Returns the first five letters of each word of four letters or more."""
    return {word[:5] for word in re.findall(r"[^\W\d_]{4,}", unicodedata.normalize("NFKC", text).casefold())}


def _pieced(texts: Sequence[tuple[Way, str, str]], shown: Sequence[str]) -> Iterator[tuple[Way, str, str]]:
    """Yields each key's strings joined, such as bookmarks, if they form prose; without those that a page shows."""
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
    # Form fields don't expose their flags as attributes.
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
    """Returns whether the page looks the same where the annotation is when drawn without annotations and fields."""
    with_it, without = (
        np.frombuffer(
            page.get_pixmap(clip=rect & page.rect, colorspace=pymupdf.csRGB, alpha=False, annots=on).samples, "u1"
        )
        for on in (True, False)
    )
    return bool(np.abs(with_it.astype(int) - without).max(initial=0) < _FAINT)


# --- texts for programs ----------------------------------------------------------------------------------------------
def _texts(document: Any, objects: Mapping[int, str], notes: Collection[int]) -> Iterator[tuple[Way, str, str]]:
    """Yields every text of the file's objects, streams and metadata as (how it is stored, key, text)."""
    seen: set[int] = set()
    described = document.xref_get_key(-1, "Info")[1].split(" ")[0]
    for number, source in objects.items():
        if described == str(number):
            continue
        # Formulas and pictures legitimately have alternative texts for screen readers.
        pictured = "URI" if "/S/Formula" in source else _PICTURED if "/S/Figure" in source else ""
        own = number in notes
        for key, value in _STRING.findall(source):
            if not (own and key in ("Contents", "V", "RC")):
                yield "not on a page", pictured if pictured and key == "Alt" else key, decoded(value)
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
    more = document.xref_get_keys(int(described)) if described.isdigit() else ()
    others = {key: document.xref_get_key(int(described), key) for key in more if key not in _STANDARD}
    for key, value in [
        *(document.metadata or {}).items(),
        *((k, v) for k, (kind, v) in others.items() if kind == "string"),
    ]:
        if key not in ("format", "encryption") and value:
            yield "metadata", "Producer" if key in ("creator", "producer") else key, str(value)


def _plain(data: bytes | None, *, tags: bool = False) -> str:
    """Decodes a stream as text, "" if it is binary; XML tags are removed unless ``tags`` is set."""
    data = (data or b"")[:_MOST_TEXT]
    if b"\0" in data[:4_096] and not data.startswith((b"\xfe\xff", b"\xff\xfe")):
        return ""
    text = data.decode("utf-16" if data.startswith((b"\xfe\xff", b"\xff\xfe")) else "utf-8", "replace")
    return text if tags else html.unescape(re.sub(r"<[^>]*>", " ", text))
