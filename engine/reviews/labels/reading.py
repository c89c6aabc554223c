"""Reading labels in a text: its sentences, what heads and rules say of each, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.reviews.cues import sentence_role
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import NONE, Head, Heads, Target, decide
from engine.reviews.labels.records import LAYERS, SUGGESTED_FROM, Layer, LayerLabel, Suggestion, suggested_from
from engine.reviews.labels.rules import rule_labels
from engine.reviews.labels.taxonomy import layer as layer_info
from engine.reviews.records import Span
from engine.reviews.sentences import split_sentences

_TUNED = "+fine-tuned"


class Tuned(Protocol):
    """A fine-tuned encoder, in this process or beside a window."""

    @property
    def targets(self) -> Sequence[Target]:
        """What it answers."""

    @property
    def learnt(self) -> Mapping[str, Sequence[str]]:
        """By target the labels that it has seen; rules may speak for the others."""

    def chances(self, reviews: Sequence[ReviewSentences], report: Report) -> Mapping[str, Vectors]:
        """By target the chances (sentences, labels)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence with the likeliest label of each layer, however sure.

    ``chances``: by layer, those of all its labels, where a head gave them.
    """

    span: Span
    text: str
    labels: Mapping[Layer, LayerLabel]
    chances: Mapping[Layer, Mapping[str, float]]

    def suggested(self) -> tuple[Layer, ...]:
        """The layers with a label that is sure enough to be suggested; none where nothing is said ("=====")."""
        return tuple(layer for layer, label in self.labels.items() if self.says_something and label.sure())

    @property
    def says_something(self) -> bool:
        """Whether there is a letter or digit; a line of dashes has no labels worth a person's look."""
        return any(char.isalnum() for char in self.text)


def read_labels(
    texts: Sequence[str],
    heads: Sequence[Heads],
    embedder: Embedder,
    report: Report,
    *,
    tuned: Sequence[Tuned] = (),
    spans: Sequence[Sequence[Span]] | None = None,
) -> list[list[Reading]]:
    """The readings of each text. For each layer the first of ``heads`` that knows it answers, rules where none does.
    Heads that were trained on another encoder's vectors, or stand on heads that are not here, are left out (``fits``).
    Where a fine-tuned encoder knows the same labels, its chances and the heads' count alike; where no head knows its
    layer, it answers alone. ``spans``: the sentences of each text; ``split_sentences`` says them otherwise.

    Raises Cancelled.
    """
    if spans is None:
        spans = [split_sentences(text) for text in texts]
    reviews = [
        ReviewSentences(tuple(text[s.start : s.end] for s in own)) for text, own in zip(texts, spans, strict=True)
    ]
    sentences = [sentence for review in reviews for sentence in review.texts]
    vectors = embedder.encode(sentences, report.part(0.0, 0.45 if tuned else 0.9))
    answers = _answers(reviews, vectors, [one for one in heads if fits(one, embedder, heads)], heads)
    if sentences:
        for number, encoder in enumerate(tuned):
            part = report.part(0.45 + 0.45 * number / len(tuned), 0.45 + 0.45 * (number + 1) / len(tuned))
            _average(answers, encoder, encoder.chances(reviews, part))
    report.progress(0.95, "Reading labels")
    found: list[list[Reading]] = []
    at = 0
    for own, review in zip(spans, reviews, strict=True):
        heading = ""
        readings: list[Reading] = []
        for span, sentence in zip(own, review.texts, strict=True):
            if sentence_role(sentence) == "connective":
                heading = sentence
            readings.append(
                _reading(span, sentence, rule_labels(sentence, heading, _negative(answers, at)), answers, at)
            )
            at += 1
        found.append(readings)
    report.progress(1.0)
    return found


def fits(heads: Heads, embedder: Embedder, others: Sequence[Heads] = ()) -> bool:
    """Whether heads were trained on this encoder's vectors, and the heads that they stand on, if any, are among
    ``others``: any other vectors and answers mean nothing to them.
    """
    known = bool(heads.card.get("encoder_fingerprint", embedder.fingerprint) == embedder.fingerprint)
    return known and (not heads.prior or _prior(heads, others) is not None)


def _prior(heads: Heads, others: Sequence[Heads]) -> Heads | None:
    return next((one for one in others if heads.prior and one is not heads and one.digest == heads.prior), None)


def suggestions(source_id: str, readings: Sequence[Reading]) -> tuple[Suggestion, ...]:
    """What the readings of a text offer to a person; the store drops what is not sure enough."""
    return tuple(
        Suggestion(source_id, reading.span, label)
        for reading in readings
        for label in reading.labels.values()
        if label.labels and reading.says_something
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a head says of all sentences; ``voices``: of how many it is the mean."""

    head: Head
    origin: str
    chances: Vectors
    learnt: frozenset[str]
    suggested_from: float = SUGGESTED_FROM
    voices: int = 1


def _answers(
    reviews: Sequence[ReviewSentences], vectors: Vectors, heads: Sequence[Heads], others: Sequence[Heads]
) -> dict[str, _Answer]:
    found: dict[str, _Answer] = {}
    for one in heads:
        chances = one.chances(reviews, vectors, _prior(one, others)) if len(vectors) else {}
        for head in one.heads:
            name = head.target.name
            if name not in found and name in chances and name in one.card.get("answers", (name,)):
                learnt = one.card.get("learnt", {}).get(name, head.target.labels)
                found[name] = _Answer(
                    head, one.origin, chances[name], frozenset(learnt), suggested_from(one.card, name)
                )
    return found


def _average(answers: dict[str, _Answer], encoder: Tuned, chances: Mapping[str, Vectors]) -> None:
    """Takes a fine-tuned encoder's chances into the mean; labels must be the same."""
    for target in encoder.targets:
        answer, own = answers.get(target.name), chances[target.name]
        learnt = frozenset(encoder.learnt[target.name])
        if answer is None:
            answers[target.name] = _Answer(_plain(target), "model:fine-tuned", own, learnt)
        elif answer.head.target == target:
            own = _filled_up(target, own, learnt, answer.chances)
            mean = (answer.chances * answer.voices + own) / (answer.voices + 1)
            answers[target.name] = replace(
                answer,
                chances=mean.astype("float32"),
                origin=f"{answer.origin.removesuffix(_TUNED)}{_TUNED}",
                voices=answer.voices + 1,
            )


def _filled_up(target: Target, own: Vectors, learnt: frozenset[str], others: Vectors) -> Vectors:
    """An encoder's chances, those of labels that it has never seen taken from the ``others``; of a single label the
    rest share what is left.
    """
    unseen = np.array([label not in learnt for label in target.labels])
    filled = np.where(unseen, others, own)
    if not target.several and unseen.any():
        seen = own[:, ~unseen].sum(axis=1, keepdims=True)
        left = 1 - others[:, unseen].sum(axis=1, keepdims=True)
        filled[:, ~unseen] = own[:, ~unseen] * left / np.maximum(seen, 1e-9)
    return np.asarray(filled, dtype=np.float32)


def _plain(target: Target) -> Head:
    """A head that reads chances as they are: several labels from a half on, else the likeliest one."""
    nothing = np.zeros((0, len(target.labels)), np.float32)
    return Head(target, nothing, nothing.sum(axis=0), np.full(len(target.labels), 0.5, np.float32))


def _negative(answers: Mapping[str, _Answer], at: int) -> float | None:
    answer = answers.get("polarity")
    if answer is None or "negative" not in answer.learnt:
        return None
    return float(answer.chances[at, answer.head.target.labels.index("negative")])


def _reading(
    span: Span, text: str, rules: Mapping[Layer, LayerLabel], answers: Mapping[str, _Answer], at: int
) -> Reading:
    labels: dict[Layer, LayerLabel] = {}
    chances: dict[Layer, dict[str, float]] = {}
    for name in LAYERS:
        rule, answer = rules.get(name), answers.get(name)
        if answer is None:
            if rule is not None:
                labels[name] = rule
            continue
        row = answer.chances[at]
        names = answer.head.target.labels
        chances[name] = {key: float(chance) for key, chance in zip(names, row, strict=True) if key in answer.learnt}
        # What the heads never saw an example of, the rules may still know.
        if rule is not None and rule.labels and rule.labels[0] not in answer.learnt:
            labels[name] = rule
            continue
        held = decide(answer.head, row[None])[0]
        read = sorted(
            (key for key, yes in zip(names, held, strict=True) if yes), key=lambda key: -chances[name].get(key, 0)
        )
        kept = tuple(key for key in read if key != NONE or NONE in {o.id for o in layer_info(name).labels})
        sure = tuple(chances[name].get(key, 0.0) for key in kept)
        labels[name] = LayerLabel(name, kept, sure, answer.origin, answer.suggested_from)
    if "actionable" in labels and labels["actionable"].labels == ("no",):
        labels.pop("action", None)
    return Reading(span, text, labels, chances)
