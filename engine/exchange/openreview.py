"""Reads OpenReview notes in JSON: reviews, official comments, replies, meta-reviews and decisions of a forum.

Supports API version 1 (``content.review`` is text, ``invitation``) and version 2 (``content.review.value``,
``invitations``), as one note, a list, ``{"notes": [...]}`` or JSON Lines, with replies also nested in ``details``. See
https://docs.openreview.net/reference/api-v2/entities/note
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from engine.errors import not_imported
from engine.exchange.jsontext import parse_json, parse_json_lines, text_of, try_json
from engine.exchange.plain_text import read_review
from engine.reviews.layout import read_units
from engine.reviews.marks import MarkedText
from engine.reviews.proposing import blocks_in
from engine.reviews.records import Comment, ReviewBundle, SourceText
from engine.shown import left_out as missing

NoteKind = Literal["review", "meta-review", "reply", "submission"]

_INVITATIONS: tuple[tuple[NoteKind, str], ...] = (
    ("meta-review", r"meta_?-?review|decision|recommendation_by_ac"),
    ("reply", r"comment|rebuttal|response|reply"),
    ("review", r"review|evaluation|report"),
    ("submission", r"submission|paper$|camera_ready|revision"),
)
_PROSE = re.compile(
    r"review|summary|strength|weakness|question|limitation|comment|justification|reason|rebuttal|response|reply|clarity|"
    r"contribution|suggestion|concern|correctness|novelty|metareview|evaluation|remarks|additional|pros|cons|ethics"
)
_ASKING = re.compile(r"weakness|question|concern|suggestion|comment")
"""Fields that contain no ratings, so that even two words are text."""
_NO_TEXT = {
    "title", "authors", "authorids", "keywords", "abstract", "tldr", "tl;dr", "pdf", "venue", "venueid", "_bibtex",
}  # fmt: skip
SAME = 85.0
"""Minimum partial similarity (0 to 100) at which quoted words match a comment."""
_TELLING = 15
"""Minimum number of characters for words to identify a comment."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note in a format common to both API versions; ``content`` has plain values."""

    id: str
    forum: str
    reply_to: str
    kind: NoteKind
    speaker: str
    content: Mapping[str, Any]
    number: int
    date: int
    signature: str = ""


def read_openreview(text: str, name: str) -> ReviewBundle:
    """Returns reviews, meta-reviews and replies, with the comments found in the reviews.

    Texts are in the order reviews, meta-reviews, replies, each sorted by number and date. Ratings and other short
    values become fields, verbatim, with the ids of note, forum and the note replied to. What a reviewer asks for in the
    discussion is a comment of that reply. If the authors' reply quotes a comment, or answers a note with a single
    request, its text becomes the response.

    Raises BadInput if the text isn't JSON or has no note with text.
    """
    warnings: list[str] = []
    notes = read_notes(text, name, warnings)
    by_id = {note.id: note for note in notes}
    texts: list[SourceText] = []
    comments: list[Comment] = []
    left_out = 0
    order: dict[NoteKind, int] = {"review": 0, "meta-review": 1, "reply": 2, "submission": 3}
    for note in sorted(notes, key=lambda n: (order[n.kind], n.number, n.date)):
        if note.kind == "submission":
            continue
        source = _source(note, by_id)
        if source is None:
            left_out += 1
            continue
        texts.append(source)
        discusses = note.kind == "reply" and not _by_authors(note) and bool(_review_of(note, by_id))
        if note.kind == "review" or discusses:
            found = read_review(source.text, note.id, media_type="text/markdown", reviewer=note.speaker)
            comments += [
                replace(c, reviewer=note.speaker or c.reviewer) for c in found.comments if c.actionable or not discusses
            ]
    if not texts:
        raise not_imported(f"{name} contains no reviews.", "Export the forum with its replies and try again.")
    answered = _answered(comments, texts, by_id)
    warnings += missing(left_out, "note without text", "notes without text")
    return ReviewBundle(tuple(texts), answered, tuple(warnings))


def is_openreview(record: object) -> bool:
    """Returns whether a JSON document contains notes."""
    return any(_is_note(note) for note in _flat(record, 0))


def read_notes(text: str, name: str, bad: list[str]) -> tuple[Note, ...]:
    """Returns all notes of a document without duplicates; unreadable lines are skipped and described in ``bad``. Raises
    BadInput if the text isn't JSON."""
    document = try_json(text)
    if document is None:
        document = parse_json_lines(text, name, bad) if "\n" in text.strip() else []
        if not is_openreview(document):
            document = parse_json(text, name)
    seen: dict[str, Note] = {}
    for record in _flat(document, 0):
        if _is_note(record):
            note = _note(record, f"note-{len(seen) + 1}")
            seen.setdefault(note.id, note)
    return tuple(seen.values())


def _is_note(record: Mapping[str, Any]) -> bool:
    known = {"id", "forum", "invitation", "invitations", "signatures", "replyto", "tcdate", "cdate", "details"}
    return isinstance(record.get("content"), dict) and bool(known & set(record))


def _flat(record: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yields notes wherever they are nested: in lists, ``notes``, ``replies``, and the ``details`` of another note."""
    if depth > 20:
        return
    if isinstance(record, list):
        for item in record:
            yield from _flat(item, depth + 1)
    elif isinstance(record, dict):
        if "content" in record:
            yield record
        for key in ("notes", "replies", "directReplies", "reviews"):
            if isinstance(record.get(key), list):
                yield from _flat(record[key], depth + 1)
        for key in ("details", "note", "forum", "submission"):
            if isinstance(record.get(key), dict):
                yield from _flat(record[key], depth + 1)


def _note(record: Mapping[str, Any], fallback: str) -> Note:
    content = {k: v.get("value") if isinstance(v, dict) and "value" in v else v for k, v in record["content"].items()}
    invitations = [text_of(i) for i in _several(record.get("invitations")) or [record.get("invitation")] if i]
    signatures = [text_of(s) for s in _several(record.get("signatures"))]
    return Note(
        id=text_of(record.get("id")) or fallback,
        forum=text_of(record.get("forum")),
        reply_to=text_of(record.get("replyto")),
        kind=_kind(invitations, content, bool(record.get("replyto"))),
        speaker=_speaker(signatures),
        content=content,
        number=_integer(record.get("number")),
        date=_integer(record.get("tcdate") or record.get("cdate")),
        signature=signatures[0] if signatures else "",
    )


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _integer(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _kind(invitations: Sequence[str], content: Mapping[str, Any], is_reply: bool) -> NoteKind:
    for invitation in invitations:
        last = invitation.rsplit("/", 1)[-1].lower()
        for kind, pattern in _INVITATIONS:
            if re.search(pattern, last) and not last.endswith("edit"):
                return kind
    keys = {k.lower() for k in content}
    if keys & {"metareview", "meta_review", "decision"}:
        return "meta-review"
    if keys & {"review", "main_review", "strengths", "weaknesses", "summary_of_the_paper", "summary_of_contributions"}:
        return "review"
    if "abstract" in keys or not is_reply:
        return "submission"
    return "reply"


def _speaker(signatures: Sequence[str]) -> str:
    """Returns "Reviewer 2" for ".../AnonReviewer2" or ".../Reviewer_2", and "Jane Doe" for "~Jane_Doe1"."""
    if not signatures:
        return ""
    last = signatures[0].rsplit("/", 1)[-1]
    if last.startswith("~"):
        return re.sub(r"\d+$", "", last[1:]).replace("_", " ").strip()
    last = last.removeprefix("Anon")
    return re.sub(r"^(Reviewer|Referee|Area Chair)(?=\d+$)", r"\1 ", last.replace("_", " ")).strip()


def _source(note: Note, by_id: Mapping[str, Note]) -> SourceText | None:
    prose: list[tuple[str, str]] = []
    fields: list[tuple[str, str]] = []
    for key, value in note.content.items():
        if value is None or value == "" or key.lower() in _NO_TEXT:
            continue
        words = (
            isinstance(value, str) and bool(_PROSE.search(key.lower())) and not re.match(r"\d+\s*[:(]|\d+\s*$", value)
        )
        long = isinstance(value, str) and (len(value) > 200 or "\n" in value)
        least = 1 if note.kind == "reply" else 2 if _ASKING.search(key.lower()) else 4
        if long or (words and len(str(value).split()) >= least):
            prose.append((key, str(value)))
        else:
            fields.append((key, text_of(value)))
    if not prose:
        return None
    if len(prose) == 1:
        text = text_of(prose[0][1])
    else:
        text = "\n\n".join(
            f"## {key.replace('_', ' ').strip().capitalize()}\n\n{text_of(value)}" for key, value in prose
        )
    reviewer = note.speaker
    if note.kind == "reply":
        answered = by_id.get(_review_of(note, by_id))
        reviewer = answered.speaker if answered is not None else reviewer
        fields.append(("speaker", note.speaker))
    ids = (("note", note.id), ("forum", note.forum), ("replyto", note.reply_to))
    fields += [(name, value) for name, value in ids if value]
    title = text_of(note.content.get("title")) or f"{note.kind.capitalize()} by {note.speaker or 'unknown'}"
    kind: Literal["review", "meta-review", "reply"] = "reply" if note.kind == "submission" else note.kind
    return SourceText(note.id, title, text, "text/markdown", reviewer, kind, tuple(fields))


def _by_authors(note: Note) -> bool:
    return "author" in note.speaker.lower()


def _review_of(note: Note, by_id: Mapping[str, Note]) -> str:
    """Returns the id of the review in whose thread a note is, or which it is; "" if there is none."""
    seen: set[str] = set()
    current: Note | None = note
    while current is not None and current.id not in seen:
        if current.kind == "review":
            return current.id
        seen.add(current.id)
        current = by_id.get(current.reply_to)
    return ""


def _answered(
    comments: Sequence[Comment], texts: Sequence[SourceText], by_id: Mapping[str, Note]
) -> tuple[Comment, ...]:
    """Adds the responses from the authors' replies to the comments that they quote or refer to by number. A reply in
    the thread of a review, at any depth, answers that review only; several responses to a comment are joined."""
    responses: dict[str, list[str]] = {}
    reviews = {text.id: text.text for text in texts}
    of_note: dict[str, list[Comment]] = {}
    in_thread: dict[str, list[Comment]] = {}
    for comment in comments:
        of_note.setdefault(comment.source_id, []).append(comment)
        in_thread.setdefault(_review_of(by_id[comment.source_id], by_id), []).append(comment)
    for reply in (text for text in texts if text.kind == "reply"):
        note = by_id[reply.id]
        if not _by_authors(note):
            continue
        review = _review_of(note, by_id)
        own = in_thread.get(review, []) if review else comments
        said: list[tuple[Sequence[Comment], str]] = [
            (
                _meant(reply.text[block.comment[0].start : block.comment[-1].end], own),
                reply.text[block.response[0].start : block.response[-1].end],
            )
            for block in blocks_in(reply.text)
            if block.response
        ]
        said = said or list(_parts(reply.text, partial(_quoting, comments=own)))
        if review in reviews and not any(asked for asked, _ in said):
            numbers = _numbers(of_note.get(review, ()), reviews[review])
            said = list(_parts(reply.text, partial(_named, numbers=numbers)))
        requests = [c for c in of_note.get(note.reply_to, ()) if c.actionable]
        if len(requests) == 1 and not any(asked for asked, _ in said):
            said = [(requests, reply.text)]
        for comment, answer in ((comment, answer) for asked, answer in said for comment in asked):
            if answer not in responses.setdefault(comment.id, []):
                responses[comment.id].append(answer)
    return tuple(replace(c, response="\n\n".join(responses.get(c.id, [c.response]))) for c in comments)


_NUMBERED = re.compile(
    r"\W*([WQLCP]|weakness|question|limitation|comment|point|concern)[ #.-]*(\d{1,2})\b[*_\s:.)\]-]*", re.IGNORECASE
)
_PART = re.compile(r"^\W*(weakness|question|limitation)[\w ]*\W*$", re.IGNORECASE | re.MULTILINE)


def _parts(
    text: str, begins: Callable[[str], tuple[Sequence[Comment], int]]
) -> Iterator[tuple[Sequence[Comment], str]]:
    """Splits a reply into the comments answered and the responses to them. ``begins`` returns the comments that a
    paragraph quotes or names, and where the authors' own words start in it."""
    asked: list[Comment] = []
    start = end = 0
    for unit in read_units(MarkedText(text)):
        found, begin = begins(text[unit.start : unit.end])
        if found:
            if said := text[start:end].strip():
                yield asked, said
                asked = []
            asked += found
            start = unit.start + begin
        end = unit.end
        start = start if asked else end
    if said := text[start:end].strip():
        yield asked, said


def _numbers(comments: Sequence[Comment], review: str) -> dict[str, Comment]:
    """Maps numbers ("W2", "Q3") to comments: their own numbers, or else their position in a part of the review."""
    numbers: dict[str, Comment] = {}
    counts: Counter[str] = Counter()
    for comment in comments:
        letter = "".join(part[1][0].upper() for part in _PART.finditer(review, 0, comment.spans[0].start))[-1:]
        counts[letter] += 1
        numbers.setdefault(f"{letter}{counts[letter]}", comment)
    return numbers | {number: comment for comment in comments if (number := _number(comment.comment)[0])}


def _quoting(text: str, comments: Sequence[Comment]) -> tuple[Sequence[Comment], int]:
    return _meant(text, comments), len(text)


def _named(text: str, numbers: Mapping[str, Comment]) -> tuple[Sequence[Comment], int]:
    number, begin = _number(text)
    return ([numbers[number]] if number in numbers else [], begin)


def _number(text: str) -> tuple[str, int]:
    """Returns the number at the start of a text ("W2" for "Weakness 2:") or "", and where the words after it start."""
    match = _NUMBERED.match(text)
    return (f"{match[1][0].upper()}{match[2]}", match.end()) if match else ("", 0)


def _meant(text: str, comments: Sequence[Comment]) -> list[Comment]:
    """Returns the comments that a quotation refers to: all that it contains, or else the one that contains it, or else
    the most similar one; none if that is ambiguous."""
    from rapidfuzz import fuzz

    quoted = _words(text)
    said = [(comment, words) for comment in comments if len(words := _words(comment.comment)) >= _TELLING]
    times = Counter(words for _, words in said)
    whole = [comment for comment, words in said if words in quoted and times[words] == 1]
    if whole or len(quoted) < _TELLING:
        return whole
    part = [comment for comment, words in said if quoted in words]
    alike = sorted(((fuzz.partial_ratio(words, quoted), n) for n, (_, words) in enumerate(said)), reverse=True)
    if part or not alike or alike[0][0] < SAME or (len(alike) > 1 and alike[1][0] == alike[0][0]):
        return part if len(part) == 1 else []
    return [said[alike[0][1]][0]]


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
