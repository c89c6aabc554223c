"""Silver labels: links found in responses automatically (D'Arcy et al. 2024, section 4.4).

Three kinds. *quoted comment*: a line of the response quotes the review (small edit distance, at least 40 characters),
the following text answers that line, and an edit shares at least a quarter of the bigrams. *reply*: the comment's own
response shares them. *quoted text*: the response quotes new text, and it is word for word in the revised paper, in an
edit that added some of it: nearly certain, so it is a separate kind.
"""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.documents.search import small
from engine.jobs import QuietReport, Report
from engine.revision.aligners.lexical import plain, post_revision
from engine.revision.aligners.replies import quoted_passages
from engine.revision.records import Candidate, Query, SilverKind, SilverLabel
from engine.revision.words import STOP_WORDS

LEAST_CHARACTERS = 40
"""Minimum length of a quoted line of the review (ARIES: shorter ones match by chance)."""
DISTANCE = 0.1
"""Maximum edit distance between a quoted line and the review, as a share of its characters: corrected typos,
prefixes."""
OVERLAP = 0.25
"""Minimum share of bigrams that response and edit have in common."""
LEAST_BIGRAMS = 20
"""Minimum denominator of the share, so that a short text doesn't match by one phrase."""
LEAST_WORDS = 6
"""Minimum words of a quotation that counts as new text."""
KINDS: tuple[SilverKind, ...] = ("quoted text", "quoted comment", "reply")
"""The most certain first."""
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(
    r"(?:[ \t>*_#\-•]+|(?:comment|point|question|q|c)?[ \t]?\(?\d+(?:\.\d+)*[.:)]+"
    r"|(?:comment|point|question)[ \t]?\w*:)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """A line of a response that quotes the review: [start, end) in both texts, and the answer that follows it.
    ``distance`` is the edit distance as a share of the line's characters."""

    start: int
    end: int
    review_start: int
    review_end: int
    distance: float
    answer: str


def quoted_lines(review: str, response: str) -> tuple[QuotedLine, ...]:
    """Returns the lines of a response that quote the review, in order; an answer ends at the next one.

    List marks, quote marks and labels ("Comment 3:") before a line are ignored. Lines of fewer than 40 characters are
    skipped.
    """
    from rapidfuzz import fuzz

    plain_review = small(review)  # with the same positions as the review
    found: list[tuple[int, int, int, int, float]] = []
    for line in re.finditer(".+", response):
        mark = _MARKS.match(line[0])
        first, end = line.start() + (mark.end() if mark else 0), line.end()
        words = response[first:end].strip(" \t\"“”'’")
        if len(words) < LEAST_CHARACTERS or len(words) > len(review) * 1.2:
            continue
        best = fuzz.partial_ratio_alignment(small(words), plain_review, score_cutoff=100.0 * (1.0 - DISTANCE))
        if best is not None:
            found.append((first, end, best.dest_start, best.dest_end, 1.0 - best.score / 100.0))
    return tuple(
        QuotedLine(*line, answer=response[line[1] : found[at + 1][0] if at + 1 < len(found) else len(response)].strip())
        for at, line in enumerate(found)
    )


def silver_labels(
    queries: Sequence[Query],
    candidates: Sequence[Candidate],
    *,
    review: str = "",
    letter: str = "",
    report: Report = QuietReport(),
) -> tuple[SilverLabel, ...]:
    """Returns all labels found in the responses, only the strongest per pair and kind.

    ``review`` and ``letter`` are whole texts, if available: lines that the letter quotes are then matched to comments
    by shared words. Ordered by comment, then as found. Raises Cancelled.
    """
    texts = [candidate.added for candidate in candidates]
    labels: dict[tuple[str, str, SilverKind], SilverLabel] = {}

    def add(label: SilverLabel) -> None:
        key = (label.comment_id, label.edit_id, label.kind)
        if key not in labels or labels[key].strength < label.strength:
            labels[key] = label

    lines = quoted_lines(review, letter) if review and letter else ()
    for at, query in enumerate(queries):
        report.progress(at / len(queries), "Reading responses")
        for line in lines:
            if _is_of(query, review[line.review_start : line.review_end]):
                for label in _shared(query, candidates, texts, line.answer, "quoted comment"):
                    add(label)
        for label in _shared(query, candidates, texts, query.response, "reply"):
            add(label)
        for label in _quoted(query, candidates):
            add(label)
    return tuple(labels.values())


def overlap(first: str, second: str) -> float:
    """Returns the share of the shorter text's bigrams (at least ``LEAST_BIGRAMS``) that both have in common."""
    one, two = _bigrams(first), _bigrams(second)
    shared = sum((one & two).values())
    return shared / max(LEAST_BIGRAMS, min(one.total(), two.total()))


def _shared(
    query: Query, candidates: Sequence[Candidate], texts: Sequence[str], answer: str, kind: SilverKind
) -> list[SilverLabel]:
    return [
        SilverLabel(query.comment_id, candidate.edit_id, kind, min(1.0, share), _common(answer, text))
        for candidate, text in zip(candidates, texts, strict=True)
        if (share := overlap(answer, text)) >= OVERLAP
    ]


def _quoted(query: Query, candidates: Sequence[Candidate]) -> list[SilverLabel]:
    found = []
    for passage in quoted_passages(query.response):
        words = plain(passage)
        if len(words.split()) < LEAST_WORDS:
            continue
        for candidate in candidates:
            # Word for word in the current paragraph, and not all of it was there before.
            if words in plain(post_revision(candidate)) and overlap(passage, candidate.added) >= OVERLAP:
                found.append(SilverLabel(query.comment_id, candidate.edit_id, "quoted text", 1.0, passage))
    return found


def _is_of(query: Query, quoted: str) -> bool:
    """Returns whether a quoted piece of the review is (part of) a comment, or contains it."""
    one, two = plain(quoted).strip(), plain(query.comment).strip()
    return bool(one and two) and (one in two or two in one or overlap(one, two) >= 0.5)


def _common(first: str, second: str) -> str:
    """Returns the longest run of words that both texts contain."""
    from difflib import SequenceMatcher

    one, two = plain(first).split(), plain(second).split()
    match = SequenceMatcher(None, one, two, autojunk=False).find_longest_match()
    return " ".join(one[match.a : match.a + match.size])


@lru_cache(maxsize=4096)
def _bigrams(text: str) -> Counter[tuple[str, str]]:
    words = [word for word in _WORD.findall(text.casefold()) if word not in STOP_WORDS]
    return Counter(itertools.pairwise(words))
