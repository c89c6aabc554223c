"""The rebuttal as an outline: per reviewer an opening, a row for every comment that needs an answer, and a closing."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from string import ascii_letters
from typing import Literal

from engine.rebuttal.records import Point
from engine.reviews.records import Comment, Span
from engine.reviews.sentences import split_sentences
from engine.reviews.wording import NOTE

LABEL = r"(?:R(?:-\w{1,6}|\d+)|[A-Z]{0,2}[EC])(?:\.\d+)+"
"""The label of a comment: “R2.3”, “R-xK3p.1” or, for an editor or chair, “AE.1”."""
_OWN = re.compile(rf"[*_(\[]*({LABEL}|\d+(?:\.\d+)+|\d+(?=[*_]*[.):\]]))(?:[*_.:)\]]+\s+|\s+(?=[A-Z]))")
"""A number at the beginning of a comment."""
_NUMBER = re.compile(r"\d+")
UNNAMED = "Reviewer"
Cell = Literal["empty", "good", "attention", "wrong", "none"]
"""``empty``: something is missing. ``none``: nothing is needed. ``attention``: in progress, or uncertain. ``wrong``:
there is a contradiction."""


@dataclass(frozen=True, slots=True)
class Row:
    """A comment and the reply to it (without text if there is none yet)."""

    comment: Comment
    label: str
    """Its name in the outline and letters: “R2.3”."""
    point: Point

    @property
    def words(self) -> str:
        """The comment's text as quoted after its label, without a leading number that repeats the label."""
        found, whole = _OWN.match(text := self.comment.comment.strip()), self.label.lstrip(ascii_letters + "-")
        same = found is not None and found[1] in (self.label, whole, whole.rpartition(".")[2])
        return text[found.end() :] if found is not None and same else text

    @property
    def answer(self) -> tuple[str, str]:
        """Identifies the response; comments that share one have the same."""
        return self.comment.same_response or self.comment.id, self.point.text


@dataclass(frozen=True, slots=True)
class Section:
    reviewer: str
    opening: Point
    rows: tuple[Row, ...]
    closing: Point

    @property
    def points(self) -> tuple[Point, ...]:
        """The points in reading order."""
        return (self.opening, *(row.point for row in self.rows), self.closing)


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections in the order of the reviewers."""

    sections: tuple[Section, ...] = ()
    silent: tuple[Comment, ...] = ()
    """Comments that request nothing and have no reply."""

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for section in self.sections for row in section.rows)

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def row(self, comment_id: str) -> Row | None:
        return next((row for row in self.rows if row.comment.id == comment_id), None)


def outline(comments: Iterable[Comment], replies: Mapping[str, Point], words: Iterable[Point]) -> Outline:
    """Builds the outline of all comments that ask for something, and of the others that were answered.

    Comments keep their order; a reviewer without a name is called “Reviewer”.
    """
    rows: dict[str, list[Comment]] = {}
    silent: list[Comment] = []
    for comment in threads(comments):
        reply = replies.get(comment.id)
        if comment.actionable or (reply is not None and reply.text.strip()):
            rows.setdefault(comment.reviewer or UNNAMED, []).append(comment)
        else:
            silent.append(comment)
    said = {(word.kind, word.reviewer): word for word in words}
    sections = []
    for short, (reviewer, own) in zip(_short_names(rows), rows.items(), strict=True):
        labels = _labels(short, own)
        sections.append(
            Section(
                reviewer,
                said.get(("opening", reviewer), Point("opening", reviewer=reviewer)),
                tuple(
                    Row(comment, label, replies.get(comment.id, Point("reply", comment.id)))
                    for label, comment in zip(labels, own, strict=True)
                ),
                said.get(("closing", reviewer), Point("closing", reviewer=reviewer)),
            )
        )
    return Outline(tuple(sections), tuple(silent))


def threads(comments: Iterable[Comment]) -> list[Comment]:
    """Returns the comments in their order, but with each follow-up below the comment that it follows, after earlier
    follow-ups."""
    found: list[Comment] = []
    for comment in comments:
        if not comment.follows:
            found.append(comment)
            continue
        at = next((n for n, one in enumerate(found) if one.id == comment.follows), len(found))
        under = {comment.follows}
        while at < len(found) and (found[at].id in under or found[at].follows in under):
            under.add(found[at].id)
            at += 1
        found.insert(at, comment)
    return found


def _labels(short: str, own: Iterable[Comment]) -> list[str]:
    """Returns labels: “R2.3” for the third comment, “R2.3.1” for the first that follows it."""
    found: dict[str, str] = {}
    used: dict[str, int] = {}
    for comment in own:
        above = found.get(comment.follows, short)
        used[above] = used.get(above, 0) + 1
        found[comment.id] = f"{above}.{used[above]}"
    return list(found.values())


def with_labels(made: Outline, sent: Mapping[str, str]) -> Outline:
    """Returns the outline with the labels, by comment, that were used when it was sent; comments added since are
    numbered after those."""

    def relabelled(section: Section) -> Section:
        short = section.rows[0].label.split(".")[0]
        last: dict[str, int] = {}
        for above, _, number in (own.rpartition(".") for own in sent.values()):
            last[above] = max(last.get(above, 0), int(number))
        rows: list[Row] = []
        now = {short: short}
        for row in section.rows:
            label = sent.get(row.comment.id, "")
            if not label:
                above = now[row.label.rpartition(".")[0]]
                last[above] = last.get(above, 0) + 1
                label = f"{above}.{last[above]}"
            now[row.label] = label
            rows.append(replace(row, label=label))
        return replace(section, rows=tuple(rows))

    return replace(made, sections=tuple(relabelled(section) for section in made))


def _short_names(reviewers: Iterable[str]) -> list[str]:
    found: list[str] = []
    own = [short_name(reviewer, 0) for reviewer in reviewers]
    for at, short in enumerate(own, start=1):
        free = (f"R{n}" for n in count(at) if f"R{n}" not in own and f"R{n}" not in found)
        found.append(next(free) if short == "R0" or short in found else short)
    return found


def short_name(reviewer: str, at: int) -> str:
    """Returns “R2” for “Reviewer 2” and “Reviewer #2”, the code for “Reviewer xK3p”, “AE” for “Associate Editor”;
    otherwise R and the reviewer's position."""
    office = re.fullmatch(
        r"\s*((?:[A-Za-z-]+\s+){0,2}(?:editor|chair)(?:[\s-]+in[\s-]+chief)?)\s*", reviewer, re.IGNORECASE
    )
    if office:
        return "".join(word[0] for word in re.split(r"[\s-]+", office[1])).upper()
    rest = re.sub(
        r"^\s*(?:anon(?:ymous)?\s+)?(?:reviewer|referee|review)\b[\s#_:-]*", "", reviewer, flags=re.IGNORECASE
    )
    number = _NUMBER.fullmatch(rest.strip())
    if number:
        return f"R{number[0]}"
    code = rest.strip()
    return f"R-{code}" if code and len(code) <= 6 and code.isalnum() and code != reviewer.strip() else f"R{at}"


def notes_in(text: str) -> tuple[Span, ...]:
    """Returns the notes to co-authors in a text: lines that begin with %%, which aren't sent."""
    return tuple(Span(*match.span()) for match in NOTE.finditer(text))


def said(text: str) -> str:
    """Returns the part of a text that is sent: all but the notes to co-authors and the empty lines that they leave."""
    if "%%" not in text:
        return text
    kept = [line for line in text.split("\n") if not NOTE.fullmatch(line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept))


def without_notes(outline: Outline) -> Outline:
    def plain(point: Point) -> Point:
        return replace(point, text=said(point.text))

    sections = tuple(
        replace(
            section,
            opening=plain(section.opening),
            rows=tuple(replace(row, point=plain(row.point)) for row in section.rows),
            closing=plain(section.closing),
        )
        for section in outline
    )
    return replace(outline, sections=sections)


def sentences_of(text: str) -> tuple[str, ...]:
    """Returns the sentences of a reply, as the marks of generated text identify them, including slots and quotes."""
    return tuple(text[span.start : span.end] for span in spans_of(text))


def spans_of(text: str) -> tuple[Span, ...]:
    """Returns the spans of the sentences of a reply."""
    return tuple(span for span in split_sentences(text) if text[span.start : span.end].strip())
