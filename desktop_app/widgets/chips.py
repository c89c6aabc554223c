"""The labels of a sentence as chips, and the order of layers in panes. No Qt."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.reviews.labels.records import LAYERS, SUGGESTED_FROM, Layer, SentenceLabels
from engine.reviews.labels.taxonomy import layer

LABELLED: tuple[tuple[Layer, str, str], ...] = (
    ("aspect", "aspect", "O"), ("theme", "theme", "T"), ("polarity", "polarity", "P"),
    ("review_action", "review action", "A"), ("actionable", "request or not", "X"),
    ("action", "requested action", "C"),
)  # fmt: skip
"""Each layer with its name in commands and its key, which are the same in all panes."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A label. If ``suggested``, it is drawn with a dashed outline and its probability."""

    layer: Layer
    label: str
    text: str
    suggested: bool
    confidence: float

    @property
    def spoken(self) -> str:
        return f"{self.text}{' suggested' if self.suggested else ''}"


def chips_of(labels: SentenceLabels, layers: Sequence[Layer] = LAYERS) -> tuple[Chip, ...]:
    """Returns the labels of a sentence; suggestions below ``SUGGESTED_FROM`` are left out."""
    found = []
    for name in layers:
        suggested = name in labels.offered
        for label in labels.of(name):
            sure = labels.confidence.get(f"theme:{label}" if name == "theme" else name, 1.0)
            if not suggested or sure >= SUGGESTED_FROM:
                found.append(Chip(name, label, layer(name).option(label).title, suggested, sure))
    return tuple(found)
