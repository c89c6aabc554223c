"""Silver labels: links found in responses without anybody's help (D'Arcy et al. 2024, section 4.4).

Three kinds. *quoted comment*: a line of the response quotes the review (small edit distance, at least 40 characters),
what follows is the answer to that line, and an edit shares at least a quarter of the bigrams. *reply*: the comment's
own response shares them. *quoted text*: the response quotes new text, and it is word for word in the revised paper,
in an edit that added some of it: nearly certain, and a label of its own kind.
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
"""Of a line of the review that a response quotes (ARIES: shorter ones match by chance)."""
DISTANCE = 0.1
"""Of a quoted line and the review, as a share of the line's characters: typos corrected, prefixes added."""
OVERLAP = 0.25
"""Share of bigrams that response and edit have in common."""
LEAST_BIGRAMS = 20
"""The share is of at least so many bigrams, so that a short text does not match by one phrase."""
LEAST_WORDS = 6
"""Of a quotation that counts as new text."""
KINDS: tuple[SilverKind, ...] = ("quoted text", "quoted comment", "reply")
"""The surest first."""
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(
    r"(?:[ \t>*_#\-•]+|(?:comment|point|question|q|c)?[ \t]?\(?\d+(?:\.\d+)*[.:)]+"
    r"|(?:comment|point|question)[ \t]?\w*:)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """A line of a response that quotes the review: [start, end) in both texts, and the answer that follows it.

    ``distance`` is the edit distance as a share of the line's characters.
    """

    start: int
    end: int
    review_start: int
    review_end: int
    distance: float
    answer: str


def quoted_lines(review: str, response: str) -> tuple[QuotedLine, ...]:
    """The lines of a response that quote the review, in order; the answer runs up to the next one.

    List marks, quote marks and labels ("Comment 3:") before a line do not count. Lines of fewer than 40 characters are
    left aside.
    """
    from rapidfuzz import fuzz

    plain_review = small(review)  # places in it are places in the review
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
    """All labels that the responses give, the strongest of a pair and kind only.

    ``review`` and ``letter`` are whole texts, where there are any: then lines that the letter quotes are matched to
    comments by the words they share. Order is that of comments, kinds, and edits. Raises Cancelled.
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
    """Share of bigrams that two texts have in common, of the shorter one's (at least ``LEAST_BIGRAMS``)."""
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
            # Word for word in the paragraph as it is now, and not all of it stood there before.
            if words in plain(post_revision(candidate)) and overlap(passage, candidate.added) >= OVERLAP:
                found.append(SilverLabel(query.comment_id, candidate.edit_id, "quoted text", 1.0, passage))
    return found


def _is_of(query: Query, quoted: str) -> bool:
    """Whether a quoted piece of the review is (part of) a comment, or the comment part of it."""
    one, two = plain(quoted).strip(), plain(query.comment).strip()
    return bool(one and two) and (one in two or two in one or overlap(one, two) >= 0.5)


def _common(first: str, second: str) -> str:
    """The longest run of words that both texts hold."""
    from difflib import SequenceMatcher

    one, two = plain(first).split(), plain(second).split()
    match = SequenceMatcher(None, one, two, autojunk=False).find_longest_match()
    return " ".join(one[match.a : match.a + match.size])


@lru_cache(maxsize=4096)
def _bigrams(text: str) -> Counter[tuple[str, str]]:
    words = [word for word in _WORD.findall(text.casefold()) if word not in STOP_WORDS]
    return Counter(itertools.pairwise(words))
