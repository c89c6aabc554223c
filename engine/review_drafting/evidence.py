"""Evidence cards: made from places in the paper, and turned into sentences that refer to these places.

Pure. ``grounding`` can verify what ``sentence_of`` returns, whatever was selected.
"""

import re

from engine.documents.places import Places
from engine.documents.search import boxes_for
from engine.errors import BadInput
from engine.review_drafting.store import EvidenceCard

LONGEST_QUOTE = 32
"""Maximum words of a quotation; longer ones omit their middle, which the search for quotations allows."""
_HEAD, _TAIL = 14, 10
_AROUND = 40
_INNER = str.maketrans({"“": "‘", "”": "’", "„": "‘", "«": "‘", "»": "’", '"': "’"})
_NAMED = {"table", "figure", "algorithm", "statement"}
_STOP = re.compile(r"[\s.,;:]+$")


Point = tuple[int, int]
"""The position of a paragraph in the document, and a code point of its text."""


def card_of(places: Places, first: Point, last: Point) -> EvidenceCard:
    """Returns a card of the text between two points of the paper, extended to whole words.

    Raises BadInput if nothing is selected.
    """
    paragraphs = places.document.paragraphs
    (begins, start), (ends, end) = sorted((first, last))
    if (begins, start) != (ends, end):
        start, end = _whole(paragraphs[begins].text, start, -1), _whole(paragraphs[ends].text, end, 1)
    pieces = [
        (paragraph, start if n == begins else 0, end if n == ends else len(paragraph.text))
        for n, paragraph in enumerate(paragraphs[begins : ends + 1], start=begins)
    ]
    words = " ".join(" ".join(paragraph.text[a:b] for paragraph, a, b in pieces).split())
    if not words:
        raise BadInput("Nothing is selected in the paper.", "No card was made.", "Select the relevant words first.")
    boxes = tuple(box for paragraph, a, b in pieces if a < b for box in boxes_for(paragraph, a, b) or paragraph.boxes)
    there, _, stop = pieces[0]
    return EvidenceCard(
        "quote",
        place_name(places, begins),
        words,
        there.text[max(0, start - _AROUND) : start],
        paragraphs[ends].text[end : end + _AROUND],
        there.id,
        start,
        stop,
        boxes[0].page if boxes else there.page,
        boxes,
    )


def _whole(text: str, at: int, step: int) -> int:
    """Returns the next boundary of a word or number with decimals, if a point is inside one."""
    while 0 < at < len(text) and _within(text, at):
        at += step
    return at


def _within(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        return True
    if after in ".,":
        return before.isdigit() and text[at + 1 : at + 2].isdigit()
    return before in ".," and after.isdigit() and text[max(at - 2, 0) : at - 1].isdigit()


def place_name(places: Places, paragraph: int) -> str:
    """Returns what a paragraph belongs to, as a review names it: "Table 2" for its caption, else "Section 3.1", else
    ""."""
    there = places.document.paragraphs[paragraph]
    captioned = next((p for p in places.captioned if p.paragraph_id == there.id), None)
    if captioned is not None and captioned.kind in _NAMED:
        return captioned.label
    position = {p.id: n for n, p in enumerate(places.document.paragraphs)}
    above = [p for p in places.sections if position[p.paragraph_id] <= paragraph]
    return above[-1].label if above and above[-1].number else ""


def quoted(words: str) -> str:
    """Prepares words of the paper for quotation marks: no quotation marks inside, no full stop, not too long."""
    parts = words.translate(_INNER).split()
    if len(parts) > LONGEST_QUOTE:
        parts = [*parts[:_HEAD], "...", *parts[-_TAIL:]]
    return _STOP.sub("", " ".join(parts))


def sentence_of(card: EvidenceCard) -> str:
    """Returns a card as a sentence that refers to its place: the reviewer's note followed by the quotation, or else
    what the paper states there."""
    where = ", ".join(part for part in (card.ref, f"page {card.page}" if card.page else "") if part)
    note = _STOP.sub("", " ".join(card.note.split()))
    if card.kind != "quote":
        at = f" ({where})" if where else ""
        return f"{note or 'See here'}{at}."
    quote = f"“{quoted(card.quote)}”"
    if not note:
        return f"The paper states {quote} ({where})." if where else f"The paper states {quote}."
    mark = "?" if card.note.rstrip().endswith("?") else "."
    return f"{note.rstrip('?')} ({', '.join(part for part in (quote, where) if part)}){mark}"
