"""Files of the JitsuPeer tasks as they were released, which the program reads and does not write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.exchange.io import csv_text
from engine.exchange.jitsupeer import AnsweredReview, DescribedReview, ScoredCandidate
from engine.rebuttal.records import BY_ID


def write_scoring(candidates: Iterable[ScoredCandidate]) -> str:
    rows = ((f"{c.description} [SEP] {_code(c.action)} [SEP] {c.text}", repr(c.score)) for c in candidates)
    return _table(("descs", "scores"), rows)


def write_descriptions(reviews: Iterable[DescribedReview]) -> str:
    return _table(("reviews", "descs"), ((r.review, r.description) for r in reviews))


def write_answers(answers: Iterable[AnsweredReview]) -> str:
    rows = ((f"{a.review}' [SEP] '{_code(a.action)}", a.rebuttal) for a in answers)
    return _table(("reviews", "canonical_rebuttals"), rows)


def _code(action: str) -> str:
    return BY_ID[action].code if action in BY_ID else action


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return csv_text(rows, head, delimiter="\t", guard=False)
