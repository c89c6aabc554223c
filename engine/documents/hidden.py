"""Findings of hidden text and of phrases addressed to the reviewer, and the text left for a model. Pure.

``drawn.py`` compares in the worker what is drawn with what is extracted; this module defines findings, searches them
for instruction-like phrases, and removes hidden text from a parsed document.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.documents.records import Box, DoubtfulPage, Paragraph, ParsedDocument, Word
from engine.documents.search import union
from engine.shown import TAGS, ZERO_WIDTH, find_phrases, without_invisible

Way = Literal[
    "invisible", "background colour", "transparent", "tiny", "off the page", "covered", "not drawn", "layer off",
    "zero-width", "tag characters", "annotation", "metadata", "phrase", "other glyphs", "replaced", "overlapping",
    "lookalikes", "attached", "not on a page", "earlier version",
]  # fmt: skip
WHY: dict[Way, str] = {
    "invisible": "the text is set to be drawn with no ink",
    "background colour": "the text has the colour of what lies behind it",
    "transparent": "the text is transparent",
    "tiny": "the text is too small to be read",
    "off the page": "the text is outside the page",
    "covered": "something is drawn over the text",
    "not drawn": "the page shows nothing where this text is",
    "layer off": "the text is in a layer that is switched off",
    "zero-width": "characters without width stand in the text",
    "tag characters": "invisible tag characters spell this text",
    "annotation": "the text is in a note that is not shown",
    "metadata": "the text is in the file's description",
    "phrase": "the words speak to the reviewer",
    "other glyphs": "the page shows other characters than the text that it yields",
    "replaced": "the file gives programs this text instead of the text it shows",
    "overlapping": "the letters are drawn on top of each other",
    "lookalikes": "letters of another script that look alike are mixed into the words",
    "attached": "the text is in a file attached to the PDF",
    "not on a page": "the file contains this text for programs but shows it on no page",
    "earlier version": "the text is in an earlier version of the file, or on a page that is no longer shown",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A text to report: how it is hidden (``way``), why it is reported, and where it is.

    ``page`` is 0 if it is on no page; ``boxes`` are those of its words, ``box`` encloses them all.
    """

    way: Way
    page: int
    text: str
    why: str
    boxes: tuple[Box, ...] = ()

    @property
    def box(self) -> Box | None:
        return union(self.boxes) if self.boxes else None


@dataclass(frozen=True, slots=True)
class Unexamined:
    """What couldn't be examined, and why: a ``page`` (from 1), or 0 for a part of the file outside the pages.

    The text of such a page is withheld from models.
    """

    page: int
    why: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """The hidden text of a PDF, and ``injection``: words, shown or hidden, addressed to a reviewer.

    ``encrypted`` is set for encrypted files; if a password is needed, ``pages`` is 0 and nothing was examined.
    ``unexamined`` lists everything that wasn't examined, about which the findings say nothing.
    """

    pages: int
    encrypted: bool
    hidden: tuple[Finding, ...] = ()
    injection: tuple[Finding, ...] = ()
    seconds: float = 0.0
    unexamined: tuple[Unexamined, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.unexamined

    @property
    def clean(self) -> bool:
        """Whether nothing was found and everything was examined."""
        return not self.hidden and not self.injection and self.complete


def not_examined(pages: int, why: str, *, encrypted: bool = False, seconds: float = 0.0) -> Inspection:
    """Returns the inspection of a file with ``pages`` pages that couldn't be examined at all."""
    missed = tuple(Unexamined(page, why) for page in range(1, pages + 1))
    return Inspection(pages, encrypted, unexamined=(*missed, Unexamined(0, why)), seconds=seconds)


def unexamined_words(inspection: Inspection) -> str:
    """Describes what couldn't be examined in a sentence; "" if everything was."""
    pages = sorted({one.page for one in inspection.unexamined if one.page})
    reasons = dict.fromkeys(one.why for one in inspection.unexamined)
    if not reasons:
        return ""
    shown = ", ".join(map(str, pages[:8])) + (f" and {len(pages) - 8} more" if len(pages) > 8 else "")
    what = f"Page{'' if len(pages) == 1 else 's'} {shown}" if pages else "Part of the file"
    return f"{what} couldn't be examined for hidden text: {'; '.join(list(reasons)[:3])}."


_SURE: frozenset[Way] = frozenset(
    {"invisible", "background colour", "transparent", "tiny", "layer off", "other glyphs", "replaced", "lookalikes"}
)
"""Ways set in the file itself, which the pixels only confirm."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENCODED = re.compile(r"(?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])[\w+/=<>\"-]{40,}")
"""Data encoded as letters (base64), which some programs leave in their figures."""


def tells(text: str, way: Way) -> bool:
    """Returns whether hidden text is a message, unlike stray glyphs, cropped labels of figures and printer's marks."""
    if find_phrases(text):
        return True
    # Distinct words are counted, since labels of a cropped figure repeat, unlike a message.
    words = len({word.casefold() for word in _WORD.findall(_ENCODED.sub(" ", text))})
    return words >= (3 if way in _SURE else 6)


def joined(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())


# --- characters that do not show -------------------------------------------------------------------------------------
_LEAST_ZERO_WIDTH = 8
"""Least number of zero-width characters that hide something: joiners and direction marks have legitimate uses."""


def tag_text(text: str) -> str:
    """Returns what the tag characters of a text spell, "" without any."""
    return "".join(chr(ord(c) - 0xE0000) for run in TAGS.findall(text) for c in run if ord(c) < 0xE007F)


def zero_width(text: str) -> int:
    """Returns the number of zero-width characters if they may hide something, otherwise 0."""
    count = sum(len(run) for run in ZERO_WIDTH.findall(text))
    if "\u202d" in text or "\u202e" in text:  # direction overrides are never needed in laid-out pages
        return count
    return count if count >= _LEAST_ZERO_WIDTH else 0


_LATIN = re.compile("[A-Za-z]")
_TWINS = re.compile("[аеорсухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅαοινκρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]")
"""Cyrillic and Greek letters that look like Latin ones."""


def lookalikes(word: str) -> bool:
    """Returns whether a word of letters mixes Latin ones with inner letters of other scripts that look Latin."""
    letters = word.strip(".,;:!?()[]\"'“”‘’")
    # Formulas mix scripts too, but contain signs and digits.
    return (
        letters.isalpha() and len(letters) > 3 and bool(_LATIN.search(letters)) and bool(_TWINS.search(letters[1:-1]))
    )


# --- text that no page shows -----------------------------------------------------------------------------------------
def without_shown(text: str, shown: Iterable[str]) -> list[str]:
    """Returns the words of a text outside all three-word sequences shown on pages; runs under six words are dropped."""
    words = [w for w in (_bare(w) for w in text.split()) if w]
    if len(words) < 6:
        return []
    there: set[tuple[str, ...]] = set()
    for page in shown:
        known = [w for w in (_bare(w) for w in page.split()) if w]
        there.update(zip(known, known[1:], known[2:], strict=False))
    new = [True] * len(words)
    for n in range(len(words) - 2):
        if tuple(words[n : n + 3]) in there:
            new[n : n + 3] = [False] * 3
    kept: list[str] = []
    run: list[str] = []
    for word, fresh in zip([*words, ""], [*new, False], strict=True):
        if fresh:
            run.append(word)
            continue
        if len(run) >= 6:
            kept += run
        run = []
    return kept


_FUNCTION_WORDS = frozenset(
    _WORD.findall(
        """the of to and or in on at for with by is are was were be been have has had it its this that these those there
        here which who when what where not no all any every each as an from without than we our they their you your if
        because der die das den dem ein eine und ist sind nicht mit für von zu auf alle sie diese dieser dieses le la
        les du des de et est un une que qui dans pour ce cet cette pas ne son sa el los las en se del con por su"""
    )
) | {"a", "y"}
"""Function words of English, German, French and Spanish."""


def is_prose(text: str) -> bool:
    """Returns whether a text reads like a sentence: at least six words, some of them function words."""
    words = [w.casefold() for w in _WORD.findall(text)]
    small = sum(w in _FUNCTION_WORDS for w in words)
    plain = sum(c.isalpha() or c.isspace() for c in text) >= 0.85 * len(text)  # code and program output contain signs
    least = 2 if text.rstrip().endswith((".", "!")) else 3  # titles don't end in a full stop
    return plain and len(words) >= 6 and small >= max(least, 0.12 * len(words))


# --- what a model sees -----------------------------------------------------------------------------------------------
def visible_document(document: ParsedDocument, inspection: Inspection) -> ParsedDocument:
    """Returns the document without hidden words and invisible characters; paragraphs keep their ids.

    Words on unexamined pages are removed too, since they may be hidden. A word is hidden if it is in a finding's box
    and is one of its words, so text above or below hidden text is kept. Emptied paragraphs are removed.
    """
    hidden: dict[int, list[tuple[Box, Counter[str]]]] = {}
    for finding in inspection.hidden:
        words = Counter(_bare(word) for word in finding.text.split())
        for box in finding.boxes:
            hidden.setdefault(box.page, []).append((box, words))
    kept: list[Paragraph] = []
    dark = {one.page for one in inspection.unexamined}
    for paragraph in document.paragraphs:
        seen = _seen(paragraph, hidden, dark)
        if seen is not None:
            kept.append(seen if seen.index == len(kept) else replace(seen, index=len(kept)))
    dark |= {f.page for f in inspection.hidden if f.way in ("other glyphs", "replaced")}
    known = {doubt.page for doubt in document.doubtful}
    doubts = [*document.doubtful, *(DoubtfulPage(page, "left out", 1.0) for page in dark - known - {0})]
    return replace(document, paragraphs=tuple(kept), doubtful=tuple(sorted(doubts, key=lambda one: one.page)))


def visible_text(document: ParsedDocument, inspection: Inspection) -> str:
    """Returns what a model sees of a document: its visible paragraphs in reading order, separated by blank lines."""
    return "\n\n".join(p.text for p in visible_document(document, inspection).paragraphs)


def _seen(
    paragraph: Paragraph, hidden: Mapping[int, Sequence[tuple[Box, Counter[str]]]], dark: Collection[int]
) -> Paragraph | None:
    if paragraph.page in dark and all(w.box.page in dark for w in paragraph.words):
        return None
    gone = [w for w in paragraph.words if w.box.page in dark or _is_hidden(paragraph, w, hidden)]
    if not gone and paragraph.text == without_invisible(paragraph.text):
        return paragraph
    dropped = {n for w in gone for n in range(w.start, w.end)}
    dropped.update(
        m.start() + n for p in (TAGS, ZERO_WIDTH) for m in p.finditer(paragraph.text) for n in range(len(m[0]))
    )
    places: list[int] = []
    for n, character in enumerate(paragraph.text):
        doubled = character == " " and (not places or paragraph.text[places[-1]] == " ")
        if n not in dropped and not doubled:
            places.append(n)
    while places and paragraph.text[places[-1]] == " ":
        places.pop()
    if not places:
        return None
    text = "".join(paragraph.text[n] for n in places)
    now = {old: new for new, old in enumerate(places)}
    words = []
    for word in paragraph.words:
        inside = [now[n] for n in range(word.start, word.end) if n in now]
        if inside and word not in gone:
            words.append(Word(inside[0], inside[-1] + 1, word.box))
    pages = [w.box.page for w in words] or [paragraph.page]
    return replace(
        paragraph, text=text, raw=text, offsets=tuple(range(len(text) + 1)), page=pages[0], words=tuple(words)
    )


def _is_hidden(paragraph: Paragraph, word: Word, hidden: Mapping[int, Sequence[tuple[Box, Counter[str]]]]) -> bool:
    box = word.box
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    text = _bare(paragraph.text[word.start : word.end])
    for area, words in hidden.get(box.page, ()):
        there = area.x0 - 1 <= x <= area.x1 + 1 and area.y0 - 1 <= y <= area.y1 + 1
        # A word may have been joined across a line end or split there.
        if there and (text in words or not text or any(text in w or (len(w) > 2 and w in text) for w in words)):
            return True
    return False


def _bare(word: str) -> str:
    if word.isascii() and word.isalnum():  # nearly every word
        return word.lower()
    return "".join(c for c in without_invisible(word).casefold() if c.isalnum())


# --- from the worker, which sends ``asdict`` of an inspection as JSON -------------------------------------------------
def unpack_inspection(content: bytes) -> Inspection:
    """Decodes an inspection from JSON."""
    fields = json.loads(content)
    found = {key: tuple(map(_finding, fields[key])) for key in ("hidden", "injection")}
    missed = tuple(Unexamined(int(one["page"]), str(one["why"])) for one in fields["unexamined"])
    return Inspection(
        int(fields["pages"]), bool(fields["encrypted"]), **found, seconds=float(fields["seconds"]), unexamined=missed
    )


def _finding(row: Mapping[str, Any]) -> Finding:
    boxes = tuple(Box(int(page), *place) for page, *place in row["boxes"])
    return Finding(row["way"], int(row["page"]), str(row["text"]), str(row["why"]), boxes)
