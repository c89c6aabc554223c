"""Quality of labels: micro- and macro-F1, accuracy, calibration, thresholds, and bootstrap intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.reviews.labels.records import LEAST_FOR_HEADS, LEAST_SUGGESTED, LEAST_UNITS, SUGGESTED_FROM, Layer
from engine.reviews.labels.taxonomy import layer
from engine.shown import counted

Truth = NDArray[np.float32]
Held = NDArray[np.bool_]

_GRID = np.round(np.arange(0.10, 0.76, 0.02), 2)


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value with the 95 % interval of a bootstrap over its units."""

    value: float
    low: float
    high: float


def micro_f1(truth: Truth, held: Held) -> float:
    """Returns 2 tp / (predicted + true), over all labels together; 0 if there are none."""
    both = float((truth * held).sum())
    total = float(truth.sum() + held.sum())
    return 2 * both / total if total else 0.0


def f1_by_label(truth: Truth, held: Held) -> NDArray[np.float64]:
    """Returns each label's F1 (labels,); NaN if a label is neither true nor predicted anywhere."""
    both = (truth * held).sum(axis=0).astype(np.float64)
    total = (truth.sum(axis=0) + held.sum(axis=0)).astype(np.float64)
    scores: NDArray[np.float64] = np.divide(2 * both, total, out=np.full(len(both), np.nan), where=total > 0)
    return scores


def macro_f1(truth: Truth, held: Held) -> float:
    """Returns the mean F1 over the labels that occur."""
    present = truth.sum(axis=0) > 0
    scores = f1_by_label(truth[:, present], held[:, present])
    return float(np.nan_to_num(scores).mean()) if present.any() else 0.0


def accuracy(truth: Truth, held: Held) -> float:
    """Returns the share of sentences whose labels are all predicted correctly."""
    return float((truth.astype(bool) == held).all(axis=1).mean()) if len(truth) else 0.0


def calibration_error(truth: Truth, chances: NDArray[np.float32], bins: int = 10) -> float:
    """Returns the expected calibration error over single probabilities: the mean gap between probability and share,
    weighted by the number of probabilities in each of ``bins`` bins of equal width (Naeini et al. 2015)."""
    flat, right = chances.ravel(), truth.ravel()
    if not len(flat):
        return 0.0
    which = np.minimum((flat * bins).astype(int), bins - 1)
    gaps = [
        (which == number).mean() * abs(float(flat[which == number].mean() - right[which == number].mean()))
        for number in range(bins)
        if (which == number).any()
    ]
    return float(sum(gaps))


def bootstrap(
    measure: Callable[[Truth, Held], float],
    truth: Truth,
    held: Held,
    units: Sequence[int] | NDArray[np.intp],
    *,
    rng: np.random.Generator,
    rounds: int = 500,
) -> Figure:
    """Returns a measure with its interval; whole units (reviews, papers) are resampled, so that their sentences stay
    together."""
    numbers = np.asarray(units)
    names = np.unique(numbers)
    rows = [np.flatnonzero(numbers == name) for name in names]
    drawn = []
    for _ in range(rounds):
        chosen = np.concatenate([rows[at] for at in rng.integers(0, len(rows), len(rows))])
        drawn.append(measure(truth[chosen], held[chosen]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Figure(measure(truth, held), float(low), float(high))


def precision(truth: Truth, held: Held) -> float:
    """Returns the share of predictions that are correct; 0 if there are none."""
    return float((truth * held).sum()) / max(1.0, float(held.sum()))


CUTS = (SUGGESTED_FROM, 0.75, 0.8, 0.85, 0.9, 0.95)


def promises(
    truth: Truth, chances: NDArray[np.float32], held: Held, units: NDArray[np.intp], labels: Sequence[str]
) -> dict[str, Any]:
    """The ``promise`` of each label that is ever read, under "labels"."""
    own = {label: (slice(None), [at]) for at, label in enumerate(labels) if held[:, at].any()}
    return {"labels": {label: promise(truth[at], chances[at], held[at], units) for label, at in own.items()}}


def promise(truth: Truth, chances: NDArray[np.float32], held: Held, units: NDArray[np.intp]) -> dict[str, Any]:
    """From which chance a label may be suggested: the lowest of ``CUTS`` at which the lower end of the 95 % interval of
    its precision, by bootstrap over ``units``, is ``SUGGESTED_FROM`` or more, with ``LEAST_SUGGESTED`` suggestions.

    Returns ``from``: that probability or None; ``tried``: (probability, precision, low, high, share of sentences with a
    suggestion) for each one tried.
    """
    tried: list[list[float]] = []
    for cut in CUTS if len(np.unique(units)) >= LEAST_UNITS else ():
        offered = held & (chances >= cut)
        if offered.sum() < LEAST_SUGGESTED:
            break
        found = bootstrap(precision, truth, offered, units, rng=np.random.default_rng(0))
        share = float(offered.any(axis=1).mean())
        tried.append([cut, *(round(value, 4) for value in (found.value, found.low, found.high, share))])
        if found.low >= SUGGESTED_FROM:
            return {"from": cut, "tried": tried}
    return {"from": None, "tried": tried}


def best_thresholds(truth: Truth, chances: NDArray[np.float32], gain: float = 0.0003) -> NDArray[np.float64]:
    """Returns thresholds (labels,) for the best micro-F1: the best common one, then label by label if that gains more
    than ``gain``, so that rare labels aren't fitted to chance."""
    common = max(_GRID, key=lambda cut: micro_f1(truth, chances >= cut))
    cuts = np.full(truth.shape[1], float(common))
    for _ in range(2):
        for label in range(truth.shape[1]):
            held = chances >= cuts
            now = micro_f1(truth, held)
            tried = []
            for cut in _GRID:
                held[:, label] = chances[:, label] >= cut
                tried.append(micro_f1(truth, held))
            if max(tried) > now + gain:
                cuts[label] = float(_GRID[int(np.argmax(tried))])
    return cuts


_POWERS = np.round(np.arange(0.0, 0.81, 0.1), 1)


def best_balance(truth: Truth, chances: NDArray[np.float32]) -> NDArray[np.float64]:
    """Returns divisors (labels,) of the probabilities of a single-label target for a good macro-F1: each label's
    frequency, to one power for all (logit adjustment; Menon et al. 2021). The power, 0 to 0.8, is that of the best
    macro-F1 on these sentences, smoothed over its neighbours: one number can be chosen on few sentences, a weight per
    label can't."""
    common = (truth.sum(axis=0) + 1.0) / (len(truth) + truth.shape[1])
    weights = [common**power for power in _POWERS]
    labels = np.arange(truth.shape[1])
    reached = [macro_f1(truth, labels == np.argmax(chances / tried, axis=1)[:, None]) for tried in weights]
    padded = np.pad(reached, 1, mode="edge")
    return np.asarray(weights[int(np.argmax(np.convolve(padded, np.ones(3) / 3, mode="valid")))])


# Describes the comparison of new heads with those in use (made by ``engine.research.labels.own``).


def better_layers(card: Mapping[str, Any]) -> tuple[Layer, ...]:
    """Returns the layers that new heads predict better than those in use, beyond chance; these are proposed."""
    return tuple(name for name, found in _layers(card).items() if found["low"] > 0)


def titles(layers: tuple[Layer, ...]) -> str:
    return ", ".join(layer(name).title for name in layers)


def comparison_words(card: Mapping[str, Any]) -> tuple[str, str]:
    """Returns sentences with the figures of old and new heads, and with what is proposed."""
    compared = _layers(card)
    left = tuple(name for name in card.get("cross_validation", {}) if name not in compared)
    few = (
        f"{titles(left)} can't be compared: that needs {LEAST_FOR_HEADS} labelled sentences in {LEAST_UNITS} reviews"
        " from which the heads in use didn't learn."
        if left
        else ""
    )
    if not compared:
        return few, "Nothing is proposed."
    rows = [
        f"{layer(name).title} {100 * found['old']:.0f} → {100 * found['new']:.0f}"
        f" (difference {_signed(found['low'])} to {_signed(found['high'])})"
        for name, found in compared.items()
    ]
    most = max(found["groups"] for found in compared.values())
    figures = f"F1 in use → new, on the same folds of {counted(most, card['comparison']['by'])}: {', '.join(rows)}."
    better = better_layers(card)
    proposed = (
        f"The new heads are better for {titles(better)}."
        if better
        else "The new heads aren't clearly better; keep the ones in use."
    )
    return f"{figures} {few}".strip(), proposed


def _signed(value: float) -> str:
    return f"{100 * value:+.0f}".replace("-", "−")


def _layers(card: Mapping[str, Any]) -> Mapping[Layer, Mapping[str, Any]]:
    found: Mapping[Layer, Mapping[str, Any]] = card.get("comparison", {}).get("layers", {})
    return found
