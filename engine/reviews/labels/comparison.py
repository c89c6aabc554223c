"""What the comparison of new heads with those in use says (``engine.research.labels.own`` makes it), in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.reviews.labels.records import LEAST_FOR_HEADS, LEAST_UNITS, Layer
from engine.reviews.labels.taxonomy import layer
from engine.shown import counted


def better_layers(card: Mapping[str, Any]) -> tuple[Layer, ...]:
    """The layers that new heads read better than those in use, beyond chance: these are proposed."""
    return tuple(name for name, found in _layers(card).items() if found["low"] > 0)


def titles(layers: tuple[Layer, ...]) -> str:
    return ", ".join(layer(name).title for name in layers)


def comparison_words(card: Mapping[str, Any]) -> tuple[str, str]:
    """The figures of old and new heads, and what is proposed."""
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
