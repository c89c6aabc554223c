"""Reproduces tables 1 to 5 and figures 1 and 2 of Stelmakh et al. (2023) on a gold standard of expertise."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from engine.expertise import experiments
from engine.expertise.algorithms.base import SimilarityAlgorithm
from engine.expertise.evaluation import Evaluation, Predictions, difference, evaluate
from engine.expertise.records import GoldStandard, Representation
from engine.expertise.summary import GAPS
from engine.expertise.survey import GRID
from engine.jobs import QuietReport
from engine.measures.estimate import defined

BASELINE: tuple[str, Representation] = ("tpms", "title+abstract")
FULL_TEXT_DRAWS = 5
PRINTED_3: Mapping[str, tuple[float, ...]] = {
    "trivial": (0.50,),
    "tpms": (0.28, 0.23, 0.33),
    "elmo": (0.35, 0.31, 0.42, 0.07, 0.02, 0.14),
    "specter": (0.27, 0.21, 0.34, -0.01, -0.06, 0.04),
    "specter+mfr": (0.24, 0.18, 0.30, -0.04, -0.09, 0.01),
    "acl": (0.30, 0.25, 0.36, 0.02, -0.02, 0.07),
}
"""Table 3 on all 58 participants, titles and abstracts: loss and difference from TPMS, each with 95 % interval."""
PRINTED_4: Mapping[Representation, tuple[float, ...]] = {
    "title": (0.33, 0.29, 0.38, 0.07, 0.02, 0.12),
    "title+abstract": (0.27, 0.22, 0.32),
    "full text": (0.24, 0.19, 0.30, -0.03, -0.09, 0.03),
}
"""Table 4, TPMS by what is read of a paper: loss and difference from title and abstract, each with 95 % interval."""
PRINTED_5: Mapping[tuple[str, Representation], tuple[float, ...]] = {
    ("tpms", "title+abstract"): (0.80, 0.72, 0.87, 0.62, 0.54, 0.69),
    ("tpms", "full text"): (0.84, 0.76, 0.91, 0.64, 0.56, 0.70),
    ("elmo", "title+abstract"): (0.70, 0.62, 0.78, 0.57, 0.51, 0.63),
    ("specter", "title+abstract"): (0.85, 0.76, 0.92, 0.57, 0.50, 0.63),
    ("specter+mfr", "title+abstract"): (0.88, 0.81, 0.94, 0.60, 0.53, 0.66),
    ("acl", "title+abstract"): (0.78, 0.69, 0.86, 0.62, 0.55, 0.68),
}
"""Table 5: shares of easy and hard triples resolved, each with 95 % interval."""


def described(gold: GoldStandard, records: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Returns tables 1 and 2 and figures 1a and 1b; ``records`` are the papers as in the data set.

    A row's ``value`` is None if the data set lacks it: gender, country, position, and the research area, which the
    paper took from a service.
    """
    rated = {rating.paper for rating in gold.ratings}
    papers = [record for key, record in records if key in rated]
    years = [int(record["year"]) for record in papers if record.get("year")]
    own = [len(person.papers) for person in gold.participants]
    people: dict[str, list[float]] = {}
    for rating in gold.ratings:
        people.setdefault(rating.participant, []).append(rating.value)
    values = Counter(rating.value for rating in gold.ratings)
    gaps = Counter(abs(one - other) for given in people.values() for one, other in combinations(given, 2))

    def count(name: str) -> int:
        return sum(bool(record.get(name)) for record in papers)

    table_1 = (
        ("participants", len(people), 58),
        ("male, %", None, 78),
        ("USA, %", None, 74),
        ("PhD student, %", None, 45),
        ("faculty, %", None, 28),
        ("post-PhD, not faculty, %", None, 12),
        ("fewest publications", min(own, default=None), 2),
        ("most publications", max(own, default=None), 492),
        ("mean of publications", statistics.fmean(own) if own else None, 54),
        ("median of publications", statistics.median(own) if own else None, 20),
    )
    table_2 = (
        ("papers", len(rated), 463),
        ("on Semantic Scholar", count("ssId"), 462),
        ("on arXiv", count("arXivId"), 411),
        ("PDF available", count("link"), 457),
        ("in computer science", None, 459),
        ("before 2020, %", 100 * sum(year < 2020 for year in years) / len(years) if years else None, 25),
        ("2020 or later, %", 100 * sum(year >= 2020 for year in years) / len(years) if years else None, 75),
        ("ratings", len(gold.ratings), 477),
        ("ratings of 4 or more, %", 100 * sum(rating.value >= 4 for rating in gold.ratings) / len(gold.ratings), 56),
        ("papers per participant", len(gold.ratings) / len(people), 8.2),
    )
    return {
        **{
            name: [{"name": row, "value": value, "printed": printed} for row, value, printed in table]
            for name, table in (("table_1", table_1), ("table_2", table_2))
        },
        "figure_1a": [{"rating": value, "ratings": values[value]} for value in GRID],
        "figure_1b": [{"distance": gap, "pairs": gaps[gap]} for gap in GAPS],
    }


class Figures:
    """Computes the figures of all tables, algorithm by algorithm."""

    def __init__(self, gold: GoldStandard, predictions: Mapping[str, Predictions], samples: int, seed: int) -> None:
        self.gold = gold
        self.draws = list(experiments.draws(gold, seed=seed).values())
        self.with_texts = any(paper.body for paper in gold.papers.values())
        self.full_text_draws = [
            experiments.draw_profiles(
                gold,
                experiments.PUBLISHED_LENGTH,
                np.random.default_rng([seed, number]),
                lambda paper: experiments.has_abstract(paper) and bool(paper.body),
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
        """Evaluates an algorithm in all its representations; each loss is passed to ``say``."""
        if algorithm is None:
            return
        report = QuietReport()
        papers = experiments.papers_to_read(self.gold, self.draws)
        for representation in algorithm.info.representations:
            if representation == "full text" and not self.with_texts:
                continue
            scorer = algorithm.read(papers, representation, report=report)
            found = evaluate(self.gold, experiments.predict(scorer, self.gold, self.draws, report), **self._how)
            self._main[key, representation] = found
            say(f"{key}, {representation}: {found.loss:.4f}")
            if lengths:
                for length, predictions in experiments.by_length(scorer, self.gold, self.draws, range(1, 21), report):
                    loss = _loss(evaluate(self.gold, predictions, **self._how))
                    self._by_length.append(
                        {"algorithm": key, "representation": representation, "length": length, **loss}
                    )
            if self.with_texts and "full text" in algorithm.info.representations:
                scorer = algorithm.read(
                    experiments.papers_to_read(self.gold, self.full_text_draws), representation, report=report
                )
                self._full[key, representation] = evaluate(
                    self.gold, experiments.predict(scorer, self.gold, self.full_text_draws, report), **self._how
                )

    def document(self, wanted: Sequence[str]) -> dict[str, Any]:
        """Returns all rows, with published algorithms that weren't run; with ``wanted``, only those named there."""
        rows = [self._row(key, representation, found) for (key, representation), found in self._main.items()]
        for name in wanted or experiments.published_algorithms(self._published):
            for representation in experiments.SUFFIXES:
                if (name, representation) not in self._main and experiments.published(
                    self._published, name, representation, "d_20"
                ):
                    rows.append(self._row(name, representation, None))
        papers = set(experiments.rated_papers(self.gold))
        document: dict[str, Any] = {
            "participants": len({rating.participant for rating in self.gold.ratings}),
            "ratings": len(self.gold.ratings),
            "ratings_left_out": sum(rating.paper not in papers for rating in self.gold.ratings),
            "draws": len(self.draws),
            "rows": rows,
            "table_4": [
                {
                    "participants": found.participants,
                    **self._figures(
                        key, representation, found, self._full, baseline=(key, "title+abstract"), draws="d_full_20"
                    ),
                    **_printed(PRINTED_4.get(representation) if key == "tpms" else None),
                }
                for (key, representation), found in self._full.items()
            ],
        }
        if self._by_length:
            document["lengths"] = self._by_length
        return document

    def _row(self, key: str, representation: Representation, found: Evaluation | None) -> dict[str, Any]:
        easy_hard = PRINTED_5.get((key, representation), (None,) * 6)
        return {
            **self._figures(key, representation, found, self._main, baseline=BASELINE),
            **_printed(PRINTED_3.get(key) if representation == "title+abstract" else None),
            "printed_easy": easy_hard[0],
            "printed_hard": easy_hard[3],
        }

    def _figures(
        self,
        key: str,
        representation: Representation,
        found: Evaluation | None,
        others: Mapping[tuple[str, Representation], Evaluation],
        *,
        baseline: tuple[str, Representation],
        draws: str = "",
    ) -> dict[str, Any]:
        """Returns our figures and the published ones, with their differences from the ``baseline`` among the
        ``others``."""
        published = self._published_evaluation(key, representation, draws)
        # Only on the same draws: profiles of papers with full text are different profiles.
        return {
            "algorithm": key,
            "representation": representation,
            **_loss(found),
            "easy": found and defined(found.easy),
            "hard": found and defined(found.hard),
            "published_loss": published and defined(published.loss),
            "published_easy": published and defined(published.easy),
            "published_hard": published and defined(published.hard),
            **self._less("difference", found, others.get(baseline)),
            **self._less("published_difference", published, self._published_evaluation(*baseline, draws or "d_20")),
        }

    def _published_evaluation(self, key: str, representation: Representation, draws: str) -> Evaluation | None:
        sets = experiments.published(self._published, key, representation, draws)
        return evaluate(self.gold, sets, **self._how) if sets else None

    def _less(self, name: str, found: Evaluation | None, baseline: Evaluation | None) -> dict[str, float | None]:
        if found is None or baseline is None or found.parts[0].shape[1] != baseline.parts[0].shape[1]:
            return {}
        less = difference(found, baseline, **self._how)
        return {name: less.value, f"{name}_low": defined(less.low), f"{name}_high": defined(less.high)}


def _printed(figures: Sequence[float] | None) -> dict[str, float | None]:
    """Returns the columns of a printed row, None where the paper has no value."""
    names = ("loss", "loss_low", "loss_high", "difference", "difference_low", "difference_high")
    padded = (*(figures or ()), *(None,) * 6)[:6]
    return {f"printed_{name}": value for name, value in zip(names, padded, strict=True)}


def _loss(found: Evaluation | None) -> dict[str, float | None]:
    return {
        name: None if found is None else defined(getattr(found, name)) for name in ("loss", "loss_low", "loss_high")
    }
