"""Which parts of the fused aligner earn their place: ablations on the revision corpus, leaving one paper out.

``python -m tests.benchmarks.alignment_quality [--ridge]`` prints the figures of docs/methods-alignment.md,
and ``--outer`` its table over twelve papers, each left out whole. Each row leaves a family of evidence (or a step of
the decision) out and fits everything again; the interval is of the difference in micro-F1 to the whole aligner, by
bootstrap over comments (paired).
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
    score_matrix,
    with_threshold_of_others,
)
from engine.revision.aligners import head, make_aligner
from tests.benchmarks.annotated_papers import annotated_papers
from tests.conftest import find_data_folder

FAMILIES: Mapping[str, Sequence[str]] = {
    "words of comment": (
        "comment_words", "comment_sentence_words", "comment_bm25_paragraph",
    ),
    "meaning of comment": (
        "comment_sentences", "context_added",
    ),
    "comment quotes the paper": ("comment_quotes_source",),
    "deleted words": ("comment_deleted_words", "claim_deleted_words"),
    "named figures and tables": ("context_caption", "reply_caption"),
    "section of the edit": (
        "comment_section_words", "context_title", "reply_section",
        "reply_sentence_title", "claim_title_meaning", "claim_title",
    ),
    "sentences that announce": (
        "claim_meaning", "claim_title_meaning", "claim_words", "claim_title", "claim_deleted_words",
    ),
    "quoted new text": ("quoted", "not_quoted_elsewhere"),
    "words of reply": ("reply_covers",),
    "meaning of reply": ("reply_section", "claim_meaning", "claim_title_meaning"),
}  # fmt: skip


SHORT_REPLY = 12
"""Greatest number of words of a short response."""
SOME = 0.05
"""Least probability of the pairs in the second calibration figure: most pairs are far below it, and easy."""


def load(data: Path) -> tuple[AnnotatedPaper, ...]:
    """Returns the papers of the corpus."""
    return read_papers(data)


def without(left_out: Sequence[str]) -> Callable[[Sequence[Gathered]], head.Heads]:
    """Returns a fit without some of the evidence."""

    def fit(gathered: Sequence[Gathered]) -> head.Heads:
        return fit_heads(
            gathered,
            from_comments=[name for name in head.FROM_COMMENTS if name not in left_out],
            from_replies=[name for name in head.FROM_REPLIES if name not in left_out],
        )

    return fit


def difference(whole: Sequence[Judged], part: Sequence[Judged], over: metrics.Over = "comments") -> tuple[float, float]:
    """Returns the 95 % interval of micro-F1 of ``part`` minus that of ``whole``, over comments or papers."""
    pairs = [
        np.hstack([metrics.tally(j.said, j.paper.gold, j.paper.known) for j in both])
        for both in zip(part, whole, strict=True)
    ]
    return metrics.interval(
        pairs,
        lambda rows: metrics.f1(*rows[:, :3].sum(0)) - metrics.f1(*rows[:, 3:].sum(0)),
        over=over,
        rng=np.random.default_rng(20),
    )


def calibration_error(chances: metrics.Matrix, true: metrics.Mask, bins: int = 10) -> float:
    """Expected calibration error: mean distance of probability and share of links over bins of equal width."""
    place = np.minimum((chances * bins).astype(int), bins - 1)
    gaps = np.bincount(place, weights=chances - true, minlength=bins)
    return float(np.abs(gaps).sum() / max(1, len(chances)))


def outer(data: Path) -> None:
    """Prints the default, BM25 and the encoder on all annotated papers, each left out whole."""
    encoder = load_encoder(leave_free=0)
    gathered = [gather(paper, encoder) for paper in annotated_papers(data)]
    papers = [own.paper for own in gathered]
    short = np.concatenate([[len(q.response.split()) <= SHORT_REPLY for q in paper.queries] for paper in papers])
    for use_responses in (False, True):
        print("with responses" if use_responses else "without responses")
        fused = leave_one_out(gathered, use_responses=use_responses)
        rows = {"fused": fused}
        for name in ("bm25", "encoder"):
            aligner = make_aligner(name, use_responses=use_responses, embedder=encoder)
            rows[name] = with_threshold_of_others(papers, [score_matrix(aligner, paper)[0] for paper in papers])
        for name, judged in rows.items():
            _row(name, judged, fused, over="papers")
        chances = np.concatenate([head.to_unit(j.scores)[j.paper.known] for j in fused])
        true = np.concatenate([j.paper.gold[j.paper.known] for j in fused])
        some = chances >= SOME
        tallies = np.concatenate([metrics.tally(j.said, j.paper.gold, j.paper.known) for j in fused])
        none = np.concatenate([~j.paper.gold.any(1) for j in fused])
        silent = np.concatenate([~j.said.any(1) for j in fused])
        print(
            f"  calibration error {calibration_error(chances, true):.3f}, of pairs from {SOME:.2f} "
            f"{calibration_error(chances[some], true[some]):.3f}; F1 if the response is short "
            f"{100 * metrics.micro(tallies[short]).f1:.1f}, else {100 * metrics.micro(tallies[~short]).f1:.1f}; "
            f"no edit: precision {(none & silent).sum() / max(1, silent.sum()):.2f}, "
            f"recall {(none & silent).sum() / none.sum():.2f}"
        )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outer", action="store_true", help="twelve papers, each left out whole")
    parser.add_argument("--ridge", action="store_true", help="how much the ridge matters")
    arguments = parser.parse_args()
    data = find_data_folder()
    if data is None:
        raise SystemExit("the measuring data is absent")
    if arguments.outer:
        outer(data)
        return
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
        with mock.patch.object(head, "margins", np.zeros_like):
            _row("- margin", leave_one_out(gathered, use_responses=use_responses), whole)
        if arguments.ridge:
            for ridge in (10.0, 100.0, 300.0, 1000.0, 3000.0):

                def fit(papers: Sequence[Gathered], ridge: float = ridge) -> head.Heads:
                    return fit_heads(papers, ridge={"comments": ridge, "replies": ridge})

                _row(f"ridge {ridge:g}", leave_one_out(gathered, use_responses=use_responses, fit_on=fit), whole)


def _row(name: str, part: Sequence[Judged], whole: Sequence[Judged], over: metrics.Over = "comments") -> None:
    found = measure(part, samples=200)
    low, high = difference(whole, part, over)
    print(
        f"  {name:28} F1 {100 * found.f1:5.1f} ({100 * low:+5.1f} to {100 * high:+5.1f})"
        f"  AP {100 * found.average_precision:5.1f}  R@5 {100 * found.recall_at_5:5.1f}"
        f"  by paper {' '.join(f'{100 * value:5.1f}' for value in found.by_paper.values())}",
        flush=True,
    )


if __name__ == "__main__":
    main()
