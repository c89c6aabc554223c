"""Reads Markdown reviews into the common schema (ICLR's).

Headings of any level and case name the fields; names used by venues and systems ("Pros", "Main weaknesses", "Overall
score") are mapped to the schema's. A numeric field is the first number under its heading or after its label, so "3
good", "**3 / 4**" and "8: accept" are read as intended.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.exchange.limits import LETTER_CHARACTERS, check_size
from engine.review_drafting.forms import ICLR, Scale, converted
from engine.review_drafting.records import Review, Scores
from engine.reviews.naming import reviewer_name
from engine.reviews.stretches import stretches

TEXT_FIELDS: tuple[tuple[str, str], ...] = (
    ("weaknesses",
     r"weakness|\bcons\b|limitation|concern|suggestion|improvement|reasons? to reject|negative|drawback|critic"),
    ("strengths", r"strength|\bpros\b|reasons? to accept|positive"),
    ("questions", r"question|clarification"),
    ("summary", r"summary|overview|synopsis|main (?:content|idea)|paper content"),
)  # fmt: skip
_SCORES: tuple[tuple[str, str], ...] = (
    ("soundness", r"soundness|technical quality|correctness"),
    ("presentation", r"presentation|clarity"),
    ("contribution", r"contribution|significance|novelty|originality"),
    ("confidence", r"confidence"),
    ("rating", r"rating|recommendation|overall (?:score|assessment|evaluation)|\bscore\b|^overall$"),
)
_DECISION = re.compile(r"decision|verdict|accept or reject", re.IGNORECASE)
_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]{1,20}(?P<hash>[^:\n]{1,200}?)[ \t]{0,20}#{0,20}(?::(?P<after>.*))?$"
    r"|(?:\*\*|__)(?P<bold>[^*_\n]{3,60}?):?(?:\*\*|__):?(?P<beside>.*)$"
    r"|(?P<plain>[A-Z][A-Za-z /&]{2,40}):(?P<rest>.*)$)",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t]{0,3}(?:[-*+•–]|\(?\d{1,2}[.)]|\(?[a-zA-Z][.)])[ \t]+", re.MULTILINE)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_NOTHING = re.compile(r"^\W*+(?:n/?a|none|nothing|no (?:questions|weaknesses|comments))?\W*+$", re.IGNORECASE)


def field_of(name: str) -> str | None:
    """Maps a heading or field name to the schema's field; None if there is no match."""
    plain = re.sub(r"[_*`]", " ", name).strip()
    if _DECISION.search(plain):
        return "decision"
    text = next((field for field, pattern in TEXT_FIELDS if re.search(pattern, plain, re.IGNORECASE)), None)
    if text is not None:
        return text
    return next((field for field, pattern in _SCORES if re.search(pattern, plain, re.IGNORECASE)), None)


def score_of(field: str, value: Any, scale: Scale = ICLR) -> float | None:
    """Converts a numeric field to the schema's scale; None if there is no number or it is outside ``scale``."""
    if isinstance(value, bool) or value is None:
        return None
    match = _NUMBER.search(str(value))
    if match is None:
        return None
    number, (low, high) = float(match[0]), scale[field]
    return converted(number, field, scale, ICLR) if low <= number <= high else None


def decision_of(value: Any) -> str | None:
    """Returns "accept" or "reject"; None if the text says neither."""
    text = str(value or "").casefold()
    if "reject" in text:
        return "reject"
    return "accept" if "accept" in text else None


def status_of(value: Any) -> str:
    """Returns the outcome: "accept", "reject", "withdrawn" or "desk rejected"; "" if the text says none of them."""
    text = str(value or "").casefold()
    if "withdrawn" in text or "withdrew" in text:
        return "withdrawn"
    return "desk rejected" if re.search(r"\bdesk[- _]?reject", text) else decision_of(text) or ""


def review_of(fields: Mapping[str, Any], scale: Scale = ICLR) -> Review:
    """Builds a review from named fields; text fields with the same meaning are joined, lists become items."""
    texts: dict[str, list[str]] = {"summary": [], "strengths": [], "weaknesses": [], "questions": []}
    scores: dict[str, Any] = {}
    for name, value in fields.items():
        field = field_of(name)
        if field in texts:
            texts[field] += items(value)
        elif field == "decision":
            scores["decision"] = scores.get("decision") or decision_of(value)
        elif field is not None and scores.get(field) is None:
            scores[field] = score_of(field, value, scale)
    return Review(
        summary="\n\n".join(texts["summary"]),
        strengths=tuple(texts["strengths"]),
        weaknesses=tuple(texts["weaknesses"]),
        questions=tuple(texts["questions"]),
        scores=Scores(**scores),
    )


def items(value: Any) -> list[str]:
    """Splits a field into points: the entries of a list, list items, or paragraphs. "N/A" and the like give none."""
    if isinstance(value, (list, tuple)):
        return [point for entry in value for point in items(entry)]
    text = str(value or "").strip()
    if _NOTHING.match(text):
        return []
    marks = list(_ITEM.finditer(text))
    if marks:
        starts = [0, *(mark.start() for mark in marks)] if marks[0].start() else [mark.start() for mark in marks]
        parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    else:
        parts = re.split(r"\n[ \t]*\n", text)
    points = [_unwrapped(_ITEM.sub("", part, count=1)) for part in parts]
    return [point for point in points if point and not re.fullmatch(r"[\w ]{1,30}:", point)]


def _unwrapped(text: str) -> str:
    """Joins the lines of each paragraph and list item of a point."""
    return "\n\n".join(" ".join(text[piece.start : piece.end].split()) for piece in stretches(text))


def read_review(text: str, scale: Scale = ICLR) -> Review:
    """Parses a Markdown review. Text before the first known heading is part of the summary. Raises BadInput if the text
    is too long."""
    check_size(len(text), LETTER_CHARACTERS, "The review", "characters")
    # Blanks keep repeated names apart.
    return review_of({name + " " * at: content for at, (name, content) in enumerate(_sections(text))}, scale)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    marks = [
        (match, name)
        for match in _HEADING.finditer(text)
        if field_of(name := (match["hash"] or match["bold"] or match["plain"]).strip(" *_:")) is not None
    ]
    lines = (text[: marks[0][0].start()] if marks else text).splitlines()
    before = "\n".join(line for line in lines if not line.startswith("#") and reviewer_name(line) is None).strip()
    if before:
        yield "summary", before
    for at, (match, name) in enumerate(marks):
        end = marks[at + 1][0].start() if at + 1 < len(marks) else len(text)
        beside = match["after"] or match["beside"] or match["rest"] or ""
        yield name, f"{beside.strip()}\n{text[match.end() : end]}".strip()
