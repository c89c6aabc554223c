"""Which parts of the fused aligner earn their place: ablations on the revision corpus, leaving one paper out.

``python -m tests.benchmarks.alignment_quality [--ridge]`` prints the table of docs/methods-alignment.md. Each row
leaves a family of evidence (or a step of the decision) out and fits everything anew; the interval is of the difference
in micro-F1 to the whole aligner, by bootstrap over comments (paired).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from unittest import mock

import numpy as np

from engine.models import load_encoder
from engine.research.alignment import metrics
from engine.research.alignment.corpus import read_papers
from engine.research.alignment.evaluation import (
    AnnotatedPaper,
    Gathered,
    Judged,
    fit_heads,
    gather,
    leave_one_out,
    measure,
)
from engine.revision.aligners import head
from tests.conftest import find_data_folder

FAMILIES: Mapping[str, Sequence[str]] = {
    "words of comment": (
        "comment_words", "comment_sentence_words", "comment_rare_words", "comment_bm25_added", "comment_bm25_paragraph",
    ),
    "meaning of comment": (
        "comment_sentences", "comment_paragraph", "comment_widened", "comment_like_edits", "context_added",
    ),
    "comment quotes the paper": ("comment_quotes_source",),
    "deleted words": ("comment_deleted_words", "reply_deleted_words", "reply_removes", "claim_deleted_words"),
    "named figures and tables": ("context_caption", "reply_caption"),
    "section of the edit": (
        "comment_section_words", "context_title", "reply_title", "reply_title_meaning", "reply_section",
        "reply_sentence_title", "claim_title_meaning", "claim_title",
    ),
    "sentences that announce": (
        "claim_meaning", "claim_title_meaning", "claim_words", "claim_title", "claim_deleted_words",
    ),
    "quoted new text": ("quoted", "not_quoted_elsewhere"),
    "words of reply": ("reply_words", "reply_covers"),
    "meaning of reply": ("reply_focus", "reply_section", "reply_title_meaning", "claim_meaning", "claim_title_meaning"),
}  # fmt: skip


def load(data: Path) -> tuple[AnnotatedPaper, ...]:
    """The papers of the corpus."""
    return read_papers(data)


def without(left_out: Sequence[str]) -> Callable[[Sequence[Gathered]], head.Heads]:
    """A fit that does not see some evidence."""

    def fit(gathered: Sequence[Gathered]) -> head.Heads:
        return fit_heads(
            gathered,
            from_comments=[name for name in head.FROM_COMMENTS if name not in left_out],
            from_replies=[name for name in head.FROM_REPLIES if name not in left_out],
        )

    return fit


def difference(whole: Sequence[Judged], part: Sequence[Judged]) -> tuple[float, float]:
    """95 % interval of micro-F1 of ``part`` less that of ``whole``, over comments."""
    pairs = [
        np.hstack([metrics.tally(j.said, j.paper.gold, j.paper.known) for j in both])
        for both in zip(part, whole, strict=True)
    ]
    return metrics.interval(
        pairs,
        lambda rows: metrics.f1(*rows[:, :3].sum(0)) - metrics.f1(*rows[:, 3:].sum(0)),
        over="comments",
        rng=np.random.default_rng(20),
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ridge", action="store_true", help="how much the ridge matters")
    arguments = parser.parse_args()
    data = find_data_folder()
    if data is None:
        raise SystemExit("the measuring data is absent")
    encoder = load_encoder(leave_free=0)
    gathered = [gather(paper, encoder) for paper in load(data)]
    for use_responses in (False, True):
        print("with responses" if use_responses else "without responses")
        whole = leave_one_out(gathered, use_responses=use_responses)
        _row("all", whole, whole)
        for name, left_out in FAMILIES.items():
            names = head.FROM_REPLIES if use_responses else head.FROM_COMMENTS
            if set(left_out) & set(names):
                _row(f"- {name}", leave_one_out(gathered, use_responses=use_responses, fit_on=without(left_out)), whole)
        with mock.patch.object(head, "SMOOTHING", 0.0):
            _row("- neighbours", leave_one_out(gathered, use_responses=use_responses), whole)
        if arguments.ridge:
            for ridge in (10.0, 100.0, 300.0, 1000.0, 3000.0):

                def fit(papers: Sequence[Gathered], ridge: float = ridge) -> head.Heads:
                    return fit_heads(papers, ridge={"comments": ridge, "replies": ridge})

                _row(f"ridge {ridge:g}", leave_one_out(gathered, use_responses=use_responses, fit_on=fit), whole)


def _row(name: str, part: Sequence[Judged], whole: Sequence[Judged]) -> None:
    found = measure(part, samples=200)
    low, high = difference(whole, part)
    print(
        f"  {name:28} F1 {100 * found.f1:5.1f} ({100 * low:+5.1f} to {100 * high:+5.1f})"
        f"  AP {100 * found.average_precision:5.1f}  R@5 {100 * found.recall_at_5:5.1f}"
        f"  by paper {' '.join(f'{100 * value:5.1f}' for value in found.by_paper.values())}",
        flush=True,
    )


if __name__ == "__main__":
    main()
