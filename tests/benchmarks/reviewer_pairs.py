"""Which of two reviewers knows a paper better: ``python -m tests.benchmarks.reviewer_pairs FILE.json [--algorithm A]``
(``--model FOLDER`` for an algorithm that needs a model's folder).

The file is the paper-centric part of LR-bench: a list of {anchor, positive, negative}. All its papers and reviewers are
one venue; the profile of a reviewer is made of the papers given in all pairs of that reviewer. The loss is that of
Stelmakh et al. (2023, section 5.1), over pairs of reviewers instead of pairs of papers: the share of the differences of
familiarity that the scores order wrongly, a tie counting half. Prints {"loss", "pairs", "algorithm"}, and on the error
stream the interval of 95 %, by bootstrap over papers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.expertise.algorithms.base import SimilarityAlgorithm
from engine.expertise.algorithms.registry import ALGORITHMS, DEFAULT, make_algorithm
from engine.expertise.evaluation import pairs
from engine.expertise.records import PaperText
from engine.jobs import QuietReport

SAMPLES = 2000


def venue(entries: Sequence[Mapping[str, Any]]) -> tuple[dict[str, PaperText], dict[str, list[str]], list[str]]:
    """Returns the texts of all papers by key, the keys of each reviewer's papers, and the submissions' keys."""
    texts, profiles, submissions = {}, dict[str, list[str]](), dict[str, None]()
    for entry in entries:
        anchor = entry["anchor"]
        texts[anchor["paper_id"]] = PaperText(anchor["paper_id"], anchor["paper_title"], anchor["abstract"])
        submissions[anchor["paper_id"]] = None
        for side in (entry["positive"], entry["negative"]):
            own = profiles.setdefault(side["author_id"], [])
            for paper in side["papers"]:
                key = f"{side['author_id']}: {paper['title']}"
                texts[key] = PaperText(key, paper["title"], paper.get("abstract") or "")
                if key not in own:
                    own.append(key)
    return texts, profiles, list(submissions)


def losses(
    entries: Sequence[Mapping[str, Any]], algorithm: SimilarityAlgorithm
) -> dict[str, list[tuple[float, float]]]:
    """Returns by paper the lost and the possible difference of each of its pairs."""
    texts, profiles, submissions = venue(entries)
    scorer = algorithm.read(texts, "title+abstract", report=QuietReport())
    scores = scorer.score(profiles, submissions, report=QuietReport())
    rows = {key: number for number, key in enumerate(profiles)}
    columns = {key: number for number, key in enumerate(submissions)}
    found: dict[str, list[tuple[float, float]]] = {}
    for entry in entries:
        sides, paper = (entry["positive"], entry["negative"]), entry["anchor"]["paper_id"]
        own = {side["author_id"]: float(scores[rows[side["author_id"]], columns[paper]]) for side in sides}
        for pair in pairs({side["author_id"]: float(side["score"]) for side in sides}, own):
            found.setdefault(paper, []).append((pair.cost, pair.difference))
    return found


def summary(found: Mapping[str, Sequence[tuple[float, float]]], seed: int = 0) -> dict[str, float | int]:
    """Returns the loss with its interval over papers, and the number of pairs."""
    sums = np.array([np.sum(of_paper, axis=0) for of_paper in found.values()])
    draws = np.random.default_rng(seed).integers(len(sums), size=(SAMPLES, len(sums)))
    lost, possible = sums[draws].sum(axis=1).T
    low, high = np.percentile(lost / possible, (2.5, 97.5))
    return {
        "loss": float(sums[:, 0].sum() / sums[:, 1].sum()), "pairs": sum(map(len, found.values())),
        "low": float(low), "high": float(high),
    }  # fmt: skip


def main() -> None:
    """Prints the figures of one algorithm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--algorithm", default=DEFAULT, choices=ALGORITHMS)
    parser.add_argument("--model", type=Path)
    given = parser.parse_args()
    entries = json.loads(given.file.read_text(encoding="utf-8"))
    found = summary(losses(entries, make_algorithm(given.algorithm, folder=given.model)))
    print(json.dumps({"loss": found["loss"], "pairs": found["pairs"], "algorithm": given.algorithm}))
    print(f"95 %: {found['low']:.3f} to {found['high']:.3f}", file=sys.stderr)


if __name__ == "__main__":
    main()
