"""Prints the figures of docs/methods-calibration.md on decisions, further reviews and disagreeing reviews, on drawn
tables with a known truth: ``python -m tests.benchmarks.calibration_decisions``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.calibration.decisions import Decisions, decide, disagreeing, disagreement
from engine.calibration.ranking import rank_doubt, ranks
from engine.calibration.records import Bools, Calibration, Floats, Ints, Reviews
from engine.calibration.registry import calibrate
from engine.calibration.synthetic import Break, Design, Drawn, draw
from engine.calibration.tasks import DRAWS

DECIDED: tuple[tuple[int, int, int, Break, float, int], ...] = (
    (60, 30, 3, "none", 0.25, 20),
    (60, 30, 3, "steps", 0.25, 20),
    (300, 100, 3, "none", 0.25, 20),
    (300, 100, 3, "careless", 0.25, 20),
    (300, 100, 3, "confidence", 0.25, 20),
    (300, 100, 2, "none", 0.25, 20),
    (40, 12, 2, "steps", 0.3, 20),
    (3000, 1000, 3, "none", 0.25, 3),
)
"""Items, referees, reviews per item, kind, share accepted, tables."""
DISAGREEING: tuple[tuple[int, int, int, Break], ...] = (
    (60, 30, 3, "none"),
    (300, 100, 3, "none"),
    (300, 100, 3, "steps"),
    (300, 100, 3, "confidence"),
    (60, 30, 2, "none"),
    (300, 100, 5, "none"),
    (60, 20, 4, "steps"),
)
"""Items, referees, reviews per item, kind; 30 tables each."""
MOVED = 6.0
"""How far one review of a moved item is moved; a typical error has a standard deviation of 1.1."""


def _decided(drawn: Drawn, cutoff: int) -> tuple[Calibration, Decisions, Bools]:
    """Returns the fit, its decisions, and which of them the true scores would change, (I,)."""
    fit, _ = calibrate(drawn.reviews)
    made = decide(drawn.reviews, fit, rank_doubt(fit, np.random.default_rng(0), cutoff, count=DRAWS), cutoff)
    return fit, made, (ranks(drawn.score) <= cutoff) != (ranks(fit.score) <= cutoff)


def decisions() -> None:
    """Prints how many decisions are safe and right, and the stated and true share of wrong ones."""
    for items, referees, per_item, kind, accepted, tables in DECIDED:
        stated: list[Floats] = []
        wrong: list[Bools] = []
        safe: list[Bools] = []
        for seed in range(tables):
            drawn = draw(Design(items, referees, per_item, breaks=kind), np.random.default_rng(seed))
            _, made, other = _decided(drawn, int(items * accepted))
            stated.append(made.change)
            wrong.append(other)
            safe.append(np.array([standing != "borderline" for standing in made.standing]))
        sure, off = np.concatenate(safe), np.concatenate(wrong)
        print(
            f"{items} items, {per_item} reviews, {kind}: safe {sure.mean():.0%}, right {1 - off[sure].mean():.1%},"
            f" stated {np.mean(stated):.1%}, true {off.mean():.1%}",
            flush=True,
        )


def another_review() -> None:
    """Prints the share of wrong decisions on 100 items after ten more reviews, by how their items are chosen: means of
    100 tables, and the standard error of the difference from no more reviews."""
    shares: dict[str, list[float]] = {}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        drawn, cutoff = draw(Design(100, 40, 3), rng), 25
        fit, made, wrong = _decided(drawn, cutoff)
        chosen = {
            "by expected gain": np.argsort(-made.gain)[:10],
            "by chance": rng.choice(100, 10, replace=False),
            "by disagreement": np.argsort(-disagreement(drawn.reviews, fit))[:10],
        }
        shares.setdefault("none", []).append(float(wrong.mean()))
        for name, items in chosen.items():
            more = replace(drawn, reviews=_with_reviews(drawn, items, rng))
            shares.setdefault(name, []).append(float(_decided(more, cutoff)[2].mean()))
    for name, found in shares.items():
        apart = np.subtract(found, shares["none"])
        error = np.std(apart) / np.sqrt(len(apart))
        print(f"Ten more reviews, {name}: {np.mean(found):.1%} wrong, {np.mean(apart):+.1%} ± {error:.1%}", flush=True)


def _with_reviews(drawn: Drawn, items: Ints, rng: np.random.Generator) -> Reviews:
    """Returns the reviews with one more of each item by a random referee, drawn as in eq. (12)."""
    design, reviews = Design(), drawn.reviews
    referees = rng.integers(0, len(reviews.referees), len(items))
    hidden = np.exp(-0.5 * drawn.trust[referees]) * rng.standard_normal(len(items))
    stated = rng.normal(0.0, design.stated_spread, len(items))
    return replace(
        reviews,
        item=np.append(reviews.item, items),
        referee=np.append(reviews.referee, referees),
        score=np.append(reviews.score, drawn.score[items] + drawn.bias[referees] + hidden + stated),
        confidence=np.append(reviews.confidence, 1.0 / (stated**2 + design.floor)),
    )


def disagreements() -> None:
    """Prints how many tables list an item without any moved, and how many of five moved items are listed."""
    for items, referees, per_item, kind in DISAGREEING:
        alarms, found, other = [], [], []
        for seed in range(30):
            rng = np.random.default_rng(seed)
            reviews = draw(Design(items, referees, per_item, breaks=kind), rng).reviews
            alarms.append(_listed(reviews).any())
            moved = rng.choice(items, 5, replace=False)
            score = reviews.score.copy()
            for item in moved:
                score[np.flatnonzero(reviews.item == item)[0]] += rng.choice([-1, 1]) * MOVED
            listed = _listed(replace(reviews, score=score))
            found.append(listed[moved].mean())
            other.append(listed.sum() - listed[moved].sum())
        print(
            f"{items} items, {per_item} reviews, {kind}: {np.mean(alarms):.0%} of tables list any with nothing planted;"
            f" of five moved items {np.mean(found):.0%} are listed, and {np.mean(other):.2f} others",
            flush=True,
        )


def _listed(reviews: Reviews) -> Bools:
    return disagreeing(reviews, calibrate(reviews)[0])


if __name__ == "__main__":
    decisions()
    another_review()
    disagreements()
