"""Text that a PDF holds and does not show, words that address the reviewer, and what is left for a model.

What is drawn is compared with what is extracted in the worker (``drawn.py``); this module says what a finding is, finds
instruction-like phrases, and removes what is hidden from a parsed document. Pure.
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
    """Text that a person should see: how it is hidden (``way``), why it is shown, and where it is.

    ``page`` is 0 for what belongs to no page; ``boxes`` are those of its words, ``box`` holds them all.
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
    """What could not be examined, and why: a ``page`` (from 1), or 0 for a part of the file that is on no page.

    The text of such a page is kept from models.
    """

    page: int
    why: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a PDF hides: ``hidden`` text, and ``injection``: words, shown or hidden, that speak to a reviewer.

    ``encrypted`` says that the file is; where it needs a password, ``pages`` is 0 and nothing was examined.
    ``unexamined`` lists everything that was not examined: that nothing was found there says nothing.
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
        """Nothing was found, and everything was examined."""
        return not self.hidden and not self.injection and self.complete


def not_examined(pages: int, why: str, *, encrypted: bool = False, seconds: float = 0.0) -> Inspection:
    """Of a file of so many pages that couldn't be examined at all."""
    missed = tuple(Unexamined(page, why) for page in range(1, pages + 1))
    return Inspection(pages, encrypted, unexamined=(*missed, Unexamined(0, why)), seconds=seconds)


def unexamined_words(inspection: Inspection) -> str:
    """What could not be examined, in a sentence; "" where all was."""
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
"""Ways that the file itself sets, where the pixels only agree."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENCODED = re.compile(r"(?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])[\w+/=<>\"-]{40,}")
"""Data written in letters (base64), as some programs leave in the figures that they make."""


def tells(text: str, way: Way) -> bool:
    """Whether hidden text is a message: stray glyphs, labels that a figure crops and printer's marks are none."""
    if find_phrases(text):
        return True
    # The labels of a figure that is cropped repeat; a message does not.
    words = len({word.casefold() for word in _WORD.findall(_ENCODED.sub(" ", text))})
    return words >= (3 if way in _SURE else 6)


def joined(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())


# --- characters that do not show -------------------------------------------------------------------------------------
_LEAST_ZERO_WIDTH = 8
"""Joiners and marks of direction have their uses; so many in a row, or on a page, spell something."""


def tag_text(text: str) -> str:
    """What the tag characters of a text spell, "" where there are none."""
    return "".join(chr(ord(c) - 0xE0000) for run in TAGS.findall(text) for c in run if ord(c) < 0xE007F)


def zero_width(text: str) -> int:
    """How many characters without width a text has, where they are so many that they spell something; else 0."""
    count = sum(len(run) for run in ZERO_WIDTH.findall(text))
    if "\u202d" in text or "\u202e" in text:  # what forces a direction has no place in a page that is laid out
        return count
    return count if count >= _LEAST_ZERO_WIDTH else 0


_LATIN = re.compile("[A-Za-z]")
_TWINS = re.compile("[аеорсухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅαοινκρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]")
"""Cyrillic and Greek letters that look like Latin ones."""


def lookalikes(word: str) -> bool:
    """Whether a word mixes Latin letters with letters of another script that look like Latin ones, inside a word."""
    letters = word.strip(".,;:!?()[]\"'“”‘’")
    # Formulas mix scripts, and have signs and digits between the letters.
    return (
        letters.isalpha() and len(letters) > 3 and bool(_LATIN.search(letters)) and bool(_TWINS.search(letters[1:-1]))
    )


# --- text that no page shows -----------------------------------------------------------------------------------------
def without_shown(text: str, shown: Iterable[str]) -> list[str]:
    """The words of a text that are in no sequence of three words that the pages show; short remains are left out."""
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
"""Small words of English, German, French and Spanish."""


def is_prose(text: str) -> bool:
    """Whether a text reads like a sentence: at least six words, of which some are small ones."""
    words = [w.casefold() for w in _WORD.findall(text)]
    small = sum(w in _FUNCTION_WORDS for w in words)
    plain = sum(c.isalpha() or c.isspace() for c in text) >= 0.85 * len(text)  # programs and their output have signs
    least = 2 if text.rstrip().endswith((".", "!")) else 3  # titles do not end in a full stop
    return plain and len(words) >= 6 and small >= max(least, 0.12 * len(words))


# --- what a model sees -----------------------------------------------------------------------------------------------
def visible_document(document: ParsedDocument, inspection: Inspection) -> ParsedDocument:
    """The document without hidden words and without characters that do not show; identities of paragraphs stay.

    Words on pages that could not be examined go as well: nobody knows what is hidden there. A hidden word goes where
    it is in a box of a finding and is one of its words, so that what lies over or under hidden text is kept.
    Paragraphs that had nothing else go.
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
    """What a model sees of a document: its visible paragraphs in reading order, a blank line between them."""
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
        # A word may have been joined over a line end or cut at one.
        if there and (text in words or not text or any(text in w or (len(w) > 2 and w in text) for w in words)):
            return True
    return False


def _bare(word: str) -> str:
    return "".join(c for c in without_invisible(word).casefold() if c.isalnum())


# --- from the worker, which sends ``asdict`` of an inspection as JSON -------------------------------------------------
def unpack_inspection(content: bytes) -> Inspection:
    """An inspection of JSON."""
    fields = json.loads(content)
    found = {key: tuple(map(_finding, fields[key])) for key in ("hidden", "injection")}
    missed = tuple(Unexamined(int(one["page"]), str(one["why"])) for one in fields["unexamined"])
    return Inspection(
        int(fields["pages"]), bool(fields["encrypted"]), **found, seconds=float(fields["seconds"]), unexamined=missed
    )


def _finding(row: Mapping[str, Any]) -> Finding:
    boxes = tuple(Box(int(page), *place) for page, *place in row["boxes"])
    return Finding(row["way"], int(row["page"]), str(row["text"]), str(row["why"]), boxes)
