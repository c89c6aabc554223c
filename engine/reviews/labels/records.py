"""Records of labels of review sentences: by layer, with confidence and origin."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from engine.reviews.records import ActionClass, Comment, SourceText, Span

Layer = Literal["polarity", "aspect", "theme", "review_action", "actionable", "action"]
LAYERS: tuple[Layer, ...] = get_args(Layer)

SUGGESTED_FROM = 0.7
"""Below this confidence nothing is suggested to a person, and of what is suggested with a label at least this share is
right: a label whose measured precision is lower is suggested from a higher confidence on, or not at all."""
NEVER = 2.0
"""The ``suggested_from`` of a label that isn't suggested."""
LEAST_SUGGESTED = 11
"""Suggestions of a label without which nothing is known of it: if fewer are all right, that may be chance."""
LEAST_FOR_HEADS = 40
"""Labelled sentences of a layer that training one's own heads requires."""
LEAST_UNITS = 5
"""Minimum number of papers or reviews for an interval."""

PERSON = "person"


def suggested_from(card: Mapping[str, Any], layer: str, label: str) -> float:
    """The confidence from which heads with this card suggest a label of a layer; ``NEVER`` where they don't, since it
    wasn't measured how many are right, or too few are. Older cards have one for all labels of a layer."""
    of_layer = card.get("suggestions", {}).get(layer, {})
    found = of_layer.get("labels", {label: of_layer}).get(label, {}).get("from")
    return NEVER if found is None else float(found)


@dataclass(frozen=True, slots=True)
class LabelOption:
    """One label of a layer. ``codes``: its names in data sets, by data set."""

    id: str
    title: str
    description: str
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LayerInfo:
    """A layer with its labels in display order. ``several``: a sentence may have more than one label, or none."""

    id: Layer
    title: str
    several: bool
    source: str
    labels: tuple[LabelOption, ...]

    def option(self, label: str) -> LabelOption:
        """Returns a label by its id. Raises KeyError."""
        for option in self.labels:
            if option.id == label:
                return option
        raise KeyError(label)


@dataclass(frozen=True, slots=True)
class LayerLabel:
    """The labels of a sentence in one layer.

    ``labels``: ids of the layer; empty if it was decided that none applies. ``confidence`` in 0..1: the calibrated
    probability that each of them is right, in the same order; 1 for a person's labels. ``origin``: 'person',
    'model:<heads>@<version>', 'rules:<name>@<version>' or 'import:<file name>'. ``suggested_from``: the confidence from
    which each label is suggested, ``SUGGESTED_FROM`` where there is none.
    """

    layer: Layer
    labels: tuple[str, ...]
    confidence: tuple[float, ...] = ()
    origin: str = PERSON
    suggested_from: tuple[float, ...] = ()

    def sure(self) -> dict[str, float]:
        """The labels that are suggested, with the confidence of each."""
        limits = self.suggested_from or (SUGGESTED_FROM,) * len(self.labels)
        rows = zip(self.labels, self.confidence, limits, strict=True)
        return {key: confidence for key, confidence, limit in rows if confidence >= limit}


@dataclass(frozen=True, slots=True)
class SentenceLabels:
    """All labels of one sentence of a text; ``span`` in code points of the text as imported.

    A layer without a label is None (``themes``: empty, and missing in ``origins``).
    """

    source_id: str
    span: Span
    polarity: str | None = None
    aspect: str | None = None
    themes: tuple[str, ...] = ()
    review_action: str | None = None
    actionable: bool | None = None
    action: ActionClass | None = None
    confidence: Mapping[str, float] = field(default_factory=dict)
    """By layer, and by ``theme:<id>`` for each theme; 1 for a person's labels."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """The origin by layer."""
    offered: frozenset[Layer] = frozenset()
    """The layers with suggestions only, which nobody has decided on yet."""

    def of(self, layer: Layer) -> tuple[str, ...]:
        """Returns the label ids of a layer; empty if it is unlabelled or none applies."""
        if layer == "theme":
            return self.themes
        if layer == "actionable":
            return () if self.actionable is None else ("yes" if self.actionable else "no",)
        value: str | None = getattr(self, layer)
        return (value,) if value else ()

    def decided(self, layer: Layer) -> tuple[str, ...]:
        """As ``of``, for decided labels only: suggestions aren't in effect yet."""
        return () if layer in self.offered else self.of(layer)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggestion for one layer of a sentence. Only labels that are ``LayerLabel.sure`` are shown."""

    source_id: str
    span: Span
    label: LayerLabel


@dataclass(frozen=True, slots=True)
class OwnHeads:
    """Heads trained on a project's own labels; ``used``: they label their layers; ``size`` of their weights in
    bytes."""

    id: str
    title: str
    card: Mapping[str, Any]
    used: bool
    size: int = 0


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence of an annotated data set: its span in the text, and its labels."""

    span: Span
    layers: Mapping[Layer, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LabelledReview:
    """A review of an annotated data set. ``paper``: its paper, so that splits can keep papers together."""

    paper: str
    text: SourceText
    sentences: tuple[LabelledSentence, ...]
    warnings: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()
    """Its comments with the authors' answers, if the data set contains them."""
    name: str = ""
    """The review's id in its data set, "" if there is none."""

    def words(self, sentence: LabelledSentence) -> str:
        return self.text.text[sentence.span.start : sentence.span.end]
