"""How well aligners link comments to edits: on the gold edits and links of the revision corpus.

``python -m tests.benchmarks.alignment_quality [--choose]`` prints a table; ``--choose`` also searches the weights of
the fused aligner. What is counted:

- A pair is right when the gold links hold it. Links on which the two readers did not agree are left out of scoring,
  as positives and as negatives.
- F1, precision and recall over all pairs (micro), at the threshold that is best on the two other manuscripts; macro is
  the mean over comments, where 1 is given for a comment without links that gets none.
- Recall at k: of the edits of a comment, how many stand among its first k; the mean over comments with links. "All in
  5": the share of those comments whose edits all stand among the first 5.
- Intervals: 95 %, bootstrap over comments (2,000 samples, fixed seed); with three manuscripts, none over manuscripts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jobs import QuietReport
from engine.models import load_encoder
from engine.revision.aligners import STRATEGIES
from engine.revision.aligners.fused import FusedAligner, Weights
from engine.revision.candidates import candidate
from engine.revision.records import Candidate, Edit, Query
from tests.conftest import find_data_folder

DOCUMENTS = ("deep-review", "iscb-diversity", "rephetio")
Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Manuscript:
    """Comments, candidates, and the gold links as masks (comments, edits)."""

    id: str
    queries: tuple[Query, ...]
    candidates: tuple[Candidate, ...]
    gold: Mask
    unsure: Mask


def load(data: Path) -> tuple[Manuscript, ...]:
    """The three manuscripts of the corpus."""
    labels = {label["comment_id"]: label for label in _lines(data / "revisions" / "edit_labels.jsonl")}
    return tuple(_manuscript(data / "revisions" / name, labels) for name in DOCUMENTS)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _manuscript(folder: Path, labels: Mapping[str, Mapping[str, Any]]) -> Manuscript:
    old = {item["id"]: item["text"] for item in _lines(folder / "source_paragraphs.jsonl")}
    new = {item["id"]: item["text"] for item in _lines(folder / "target_paragraphs.jsonl")}
    candidates = tuple(
        candidate(
            Edit(
                id=edit["edit_id"],
                kind=edit["kind"],
                operation=edit["op"],
                moved=edit["moved"],
                source_ids=tuple(edit["source_ids"]),
                target_ids=tuple(edit["target_ids"]),
                source_text="\n".join(old[key] for key in edit["source_ids"]),
                target_text="\n".join(new[key] for key in edit["target_ids"]),
                section=edit.get("target_section") or edit.get("source_section") or "",
                tokens_removed=edit["tokens_removed"],
                tokens_added=edit["tokens_added"],
            )
        )
        for edit in _lines(folder / "gold_edits.jsonl")
    )
    queries = tuple(
        Query(item["comment_id"], item["comment"], item["comment_context"], item.get("response") or "")
        for item in _lines(folder / "review_comments.jsonl")
    )

    def mask(field: str) -> Mask:
        return np.array([[c.edit_id in labels[q.comment_id][field] for c in candidates] for q in queries])

    return Manuscript(folder.name, queries, candidates, mask("positive_edits"), mask("unsure_edits"))


def score_matrix(aligner: Any, manuscript: Manuscript) -> Matrix:
    """An aligner's scores as an array (comments, edits) in the manuscript's order."""
    rankings = aligner.score(manuscript.queries, manuscript.candidates, report=QuietReport())
    column = {found.edit_id: at for at, found in enumerate(manuscript.candidates)}
    scores = np.zeros(manuscript.gold.shape)
    for row, query in enumerate(manuscript.queries):
        for scored in rankings[query.comment_id]:
            scores[row, column[scored.edit_id]] = scored.score
    return scores


def counts(scores: Matrix, manuscript: Manuscript, threshold: float) -> NDArray[np.int64]:
    """By comment: true positives, false positives, false negatives."""
    said = (scores >= threshold) & ~manuscript.unsure
    gold = manuscript.gold
    return np.stack([(said & gold).sum(1), (said & ~gold).sum(1), (gold & ~said).sum(1)], axis=1)


def f1(tally: NDArray[np.int64]) -> float:
    right, wrong, missed = tally
    return float(2 * right / max(1, 2 * right + wrong + missed))


def best_threshold(scored: Sequence[tuple[Matrix, Manuscript]]) -> float:
    """The threshold with the highest mean F1 over the manuscripts given."""
    pool = np.concatenate([scores[~manuscript.unsure] for scores, manuscript in scored])
    grid = np.unique(np.quantile(pool, np.linspace(0.5, 0.999, 200)))
    return float(max(grid, key=lambda at: np.mean([f1(counts(s, m, at).sum(0)) for s, m in scored])))


def recall_at(scores: Matrix, manuscript: Manuscript, k: int) -> NDArray[np.float64]:
    """Recall among the first k, by comment that has links."""
    order = np.argsort(-np.where(manuscript.unsure, -np.inf, scores), axis=1, kind="stable")[:, :k]
    found = np.take_along_axis(manuscript.gold, order, axis=1).sum(1)
    linked = manuscript.gold.any(1)
    return found[linked] / manuscript.gold[linked].sum(1)


def evaluate(manuscripts: Sequence[Manuscript], scores: Sequence[Matrix]) -> dict[str, Any]:
    """All measures, each manuscript judged with the threshold of the others."""
    by_comment, recalls, each = [], {k: [] for k in (1, 3, 5)}, {}
    for held, (manuscript, own) in enumerate(zip(manuscripts, scores, strict=True)):
        others = [(s, m) for at, (m, s) in enumerate(zip(manuscripts, scores, strict=True)) if at != held]
        tally = counts(own, manuscript, best_threshold(others))
        each[manuscript.id] = f1(tally.sum(0))
        by_comment.append(tally)
        for k, listed in recalls.items():
            listed.append(recall_at(own, manuscript, k))
    tallies = np.concatenate(by_comment)
    right, wrong, missed = tallies.sum(0)
    hits = {k: np.concatenate(listed) for k, listed in recalls.items()}
    return {
        "f1": f1(tallies.sum(0)),
        "precision": right / max(1, right + wrong),
        "recall": right / max(1, right + missed),
        "macro_f1": float(np.mean([1.0 if not tally.any() else f1(tally) for tally in tallies])),
        "by_manuscript": each,
        "recall_at": {k: float(values.mean()) for k, values in hits.items()},
        "all_in_5": float((hits[5] == 1.0).mean()),
        "f1_interval": interval(tallies, lambda sample: f1(sample.sum(0))),
        "recall_at_5_interval": interval(hits[5], lambda sample: float(sample.mean())),
        "threshold": best_threshold(list(zip(scores, manuscripts, strict=True))),
    }


def interval(items: NDArray[Any], measure: Callable[[NDArray[Any]], float]) -> tuple[float, float]:
    """95 % by bootstrap over the rows of ``items``."""
    rng = np.random.default_rng(20)
    samples = [measure(items[rng.integers(0, len(items), len(items))]) for _ in range(2000)]
    low, high = np.quantile(samples, [0.025, 0.975])
    return float(low), float(high)


def choose(
    manuscripts: Sequence[Manuscript], use_responses: bool, grid: Sequence[Weights]
) -> tuple[dict[str, Any], list[Weights], Weights]:
    """Weights by leave-one-manuscript-out: measures of the choice, the choice for each held-out one, and for all.

    The choice is the one with the highest sum of mean F1 (at the best threshold) and mean recall at 5.
    """
    embedder = load_encoder(leave_free=0)
    tried = [
        [
            FusedAligner(embedder, use_responses=use_responses, weights=weights).evidence(
                m.queries, m.candidates, report=QuietReport()
            )[0]
            for m in manuscripts
        ]
        for weights in grid
    ]

    def merit(at: int, among: Sequence[int]) -> float:
        scored = [(tried[at][i], manuscripts[i]) for i in among]
        threshold = best_threshold(scored)
        return float(np.mean([f1(counts(s, m, threshold).sum(0)) + recall_at(s, m, 5).mean() for s, m in scored]))

    everything = range(len(manuscripts))
    picks = [
        max(range(len(grid)), key=lambda at: merit(at, [i for i in everything if i != held])) for held in everything
    ]
    overall = max(range(len(grid)), key=lambda at: merit(at, list(everything)))
    held_out = _evaluate_picked(manuscripts, tried, picks)
    return held_out, [grid[at] for at in picks], grid[overall]


def _evaluate_picked(
    manuscripts: Sequence[Manuscript], tried: Sequence[Sequence[Matrix]], picks: Sequence[int]
) -> dict[str, Any]:
    tallies, hits = [], []
    for held, pick in enumerate(picks):
        others = [(tried[pick][at], manuscripts[at]) for at in range(len(manuscripts)) if at != held]
        tallies.append(counts(tried[pick][held], manuscripts[held], best_threshold(others)))
        hits.append(recall_at(tried[pick][held], manuscripts[held], 5))
    tally, found = np.concatenate(tallies), np.concatenate(hits)
    return {
        "f1": f1(tally.sum(0)),
        "f1_interval": interval(tally, lambda sample: f1(sample.sum(0))),
        "recall_at_5": float(found.mean()),
        "all_in_5": float((found == 1.0).mean()),
    }


def grid(use_responses: bool) -> list[Weights]:
    """The weights that ``--choose`` tries."""
    options: Mapping[str, Sequence[float]] = {
        "whole": (0.5, 1.0),
        "deleted": (0.0, 0.25, 0.5),
        "runs": (0.5, 1.0) if use_responses else (1.0,),
        "quote": (0.0, 1.0),
        "reference": (0.0, 0.5),
        "competition": (0.0, 0.5, 0.8),
    }
    return [
        replace(Weights(), **dict(zip(options, values, strict=True))) for values in itertools.product(*options.values())
    ]


def rows(data: Path, strategies: Sequence[str] = tuple(STRATEGIES)) -> list[dict[str, Any]]:
    """The measures of every strategy, without and with responses."""
    manuscripts = load(data)
    embedder = load_encoder(leave_free=0)
    found = []
    for strategy in strategies:
        for use_responses in (False, True):
            aligner = STRATEGIES[strategy].make(embedder, use_responses)
            scores = [score_matrix(aligner, manuscript) for manuscript in manuscripts]
            found.append({"strategy": strategy, "responses": use_responses, **evaluate(manuscripts, scores)})
    return found


def _percent(value: float) -> str:
    return f"{100 * value:5.1f}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choose", action="store_true")
    arguments = parser.parse_args()
    data = find_data_folder()
    if data is None:
        raise SystemExit("the measuring data is absent")
    started = time.perf_counter()
    print(" strategy  resp   F1  (95 %)         P     R  macro   R@1   R@3   R@5  all5  threshold  by manuscript")
    for row in rows(data):
        low, high = row["f1_interval"]
        print(
            f"{row['strategy']:>9}  {'yes' if row['responses'] else 'no ':>4} {_percent(row['f1'])}"
            f" ({_percent(low)}-{_percent(high)}) {_percent(row['precision'])} {_percent(row['recall'])}"
            f" {_percent(row['macro_f1'])} {' '.join(_percent(value) for value in row['recall_at'].values())}"
            f" {_percent(row['all_in_5'])}  {row['threshold']:9.3f}"
            f"  {' '.join(f'{name} {_percent(value)}' for name, value in row['by_manuscript'].items())}"
        )
    if arguments.choose:
        manuscripts = load(data)
        for use_responses in (False, True):
            measures, picked, overall = choose(manuscripts, use_responses, grid(use_responses))
            print(f"chosen {'with' if use_responses else 'without'} responses: {measures}")
            for manuscript, weights in zip(manuscripts, picked, strict=True):
                print(f"  without {manuscript.id}: {weights}")
            print(f"  on all: {overall}")
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
