"""Tables 3, 4 and 5 and figure 2 of Stelmakh et al. (2023) on a gold standard of expertise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.expertise.algorithms.base import SimilarityAlgorithm
from engine.expertise.evaluation import Evaluation, Predictions, difference, evaluate
from engine.expertise.experiments import (
    PUBLISHED_LENGTH,
    SUFFIXES,
    by_length,
    draw_profiles,
    draws,
    has_abstract,
    papers_to_read,
    predict,
    published,
    published_algorithms,
    rated_papers,
)
from engine.expertise.records import GoldStandard, Representation
from engine.jobs import QuietReport

BASELINE: tuple[str, Representation] = ("tpms", "title+abstract")
FULL_TEXT_DRAWS = 5


class Figures:
    """The figures of all tables, computed algorithm by algorithm."""

    def __init__(self, gold: GoldStandard, predictions: Mapping[str, Predictions], samples: int, seed: int) -> None:
        self.gold = gold
        self.draws = list(draws(gold, seed=seed).values())
        self.with_texts = any(paper.body for paper in gold.papers.values())
        self.full_text_draws = [
            draw_profiles(
                gold,
                PUBLISHED_LENGTH,
                np.random.default_rng([seed, number]),
                lambda paper: has_abstract(paper) and bool(paper.body),
            )
            for number in range(FULL_TEXT_DRAWS if self.with_texts else 0)
        ]
        self._published = predictions
        self._how: dict[str, Any] = {"samples": samples, "seed": seed}
        self._main: dict[tuple[str, Representation], Evaluation] = {}
        self._full: dict[tuple[str, Representation], Evaluation] = {}
        self._by_length: list[dict[str, Any]] = []

    def add(
        self, key: str, algorithm: SimilarityAlgorithm | None, *, lengths: bool, say: Callable[[str], None]
    ) -> None:
        """Evaluates an algorithm in all its representations; ``say`` hears each loss."""
        if algorithm is None:
            return
        report = QuietReport()
        papers = papers_to_read(self.gold, self.draws)
        for representation in algorithm.info.representations:
            if representation == "full text" and not self.with_texts:
                continue
            scorer = algorithm.read(papers, representation, report=report)
            found = evaluate(self.gold, predict(scorer, self.gold, self.draws, report), **self._how)
            self._main[key, representation] = found
            say(f"{key}, {representation}: {found.loss:.4f}")
            if lengths:
                for length, predictions in by_length(scorer, self.gold, self.draws, range(1, 21), report):
                    loss = _loss(evaluate(self.gold, predictions, **self._how))
                    self._by_length.append(
                        {"algorithm": key, "representation": representation, "length": length, **loss}
                    )
            if self.with_texts and "full text" in algorithm.info.representations:
                scorer = algorithm.read(papers_to_read(self.gold, self.full_text_draws), representation, report=report)
                self._full[key, representation] = evaluate(
                    self.gold, predict(scorer, self.gold, self.full_text_draws, report), **self._how
                )

    def document(self, wanted: Sequence[str]) -> dict[str, Any]:
        """All rows; published algorithms that were not run too, unless only some are ``wanted``."""
        rows = [self._row(key, representation, found) for (key, representation), found in self._main.items()]
        for name in wanted or published_algorithms(self._published):
            for representation in SUFFIXES:
                if (name, representation) not in self._main and published(
                    self._published, name, representation, "d_20"
                ):
                    rows.append(self._row(name, representation, None))
        papers = set(rated_papers(self.gold))
        document: dict[str, Any] = {
            "participants": len({rating.participant for rating in self.gold.ratings}),
            "ratings": len(self.gold.ratings),
            "ratings_left_out": sum(rating.paper not in papers for rating in self.gold.ratings),
            "draws": len(self.draws),
            "rows": rows,
            "table_4": [
                {
                    "algorithm": key,
                    "representation": representation,
                    "participants": found.participants,
                    **_loss(found),
                    "easy": figure(found.easy),
                    "hard": figure(found.hard),
                    **self._published_figures(key, representation, "d_full_20"),
                }
                for (key, representation), found in self._full.items()
            ],
        }
        if self._by_length:
            document["lengths"] = self._by_length
        return document

    def _row(self, key: str, representation: Representation, found: Evaluation | None) -> dict[str, Any]:
        row: dict[str, Any] = {"algorithm": key, "representation": representation}
        row |= _loss(found)
        row |= {"easy": found and figure(found.easy), "hard": found and figure(found.hard)}
        row |= self._published_figures(key, representation)
        baseline = self._main.get(BASELINE)
        if found is not None and baseline is not None:
            less = difference(found, baseline, **self._how)
            row |= {"difference": less.value, "difference_low": less.low, "difference_high": less.high}
        return row

    def _published_figures(self, key: str, representation: Representation, draws: str = "") -> dict[str, Any]:
        sets = published(self._published, key, representation, draws)
        found = evaluate(self.gold, sets, **self._how) if sets else None
        return {
            "published_loss": found and figure(found.loss),
            "published_easy": found and figure(found.easy),
            "published_hard": found and figure(found.hard),
        }


def _loss(found: Evaluation | None) -> dict[str, float | None]:
    if found is None:
        return {"loss": None, "loss_low": None, "loss_high": None}
    return {"loss": figure(found.loss), "loss_low": figure(found.loss_low), "loss_high": figure(found.loss_high)}


def figure(value: float) -> float | None:
    """JSON has no NaN: a figure that the data do not give is null."""
    return value if value == value else None  # noqa: PLR0124 (only NaN differs from itself)
