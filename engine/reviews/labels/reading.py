"""Predicts the labels of a text's sentences with heads and rules, with probabilities."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.reviews.cues import ASKING, SentenceRole, asks_nothing, sentence_role
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import NONE, SHIPPED, Head, Heads, Target, decide
from engine.reviews.labels.records import LAYERS, NEVER, Layer, LayerLabel, Suggestion, suggested_from
from engine.reviews.labels.taxonomy import layer as layer_info
from engine.reviews.language import is_english
from engine.reviews.records import Span
from engine.reviews.sentences import split_sentences

# Labels by wording alone, for layers without freely licensed training data: review action, whether something is
# requested, the ARIES action class, and replicability as attitude root. Each rule states how often it is right when its
# pattern matches, as measured on reviews that it wasn't written on (docs/methods-labels.md); below 70 % its label is
# shown, never suggested. No rule for the action class reaches that. A person's own heads replace the rules of their
# layer.

ORIGIN = "rules:wording@1"

_ROLE_ACTION: Mapping[SentenceRole, tuple[str, float]] = {
    "connective": ("structuring", 0.95),
    "question": ("request", 0.85),
    "summary": ("structuring", 0.78),
    "praise": ("evaluative", 0.71),
    "criticism": ("evaluative", 0.6),
    "request": ("request", 0.45),
    "verdict": ("evaluative", 0.4),
    "other": ("structuring", 0.3),
}
_ASKS: Mapping[str, tuple[float, tuple[float, float, float, float]]] = {
    "imperative": (0.85, (0.85, 0.85, 0.85, 0.85)),
    "question": (0.9, (0.9, 0.9, 0.9, 0.9)),
    "request": (0.65, (0.5, 0.7, 0.8, 0.85)),
    "criticism": (0.6, (0.2, 0.45, 0.75, 0.85)),
    "praise": (0.1, (0.1, 0.3, 0.55, 0.75)),
    "summary": (0.05, (0.05, 0.3, 0.5, 0.5)),
    "verdict": (0.15, (0.15, 0.15, 0.5, 0.5)),
    "connective": (0.05, (0.05, 0.05, 0.05, 0.05)),
    "other": (0.25, (0.1, 0.4, 0.6, 0.75)),
}
"""The probability that a sentence of a role requests something: by wording alone, and if heads predict how likely it is
negative, for up to 30, 50, 70 % and more; rounded to twentieths."""
_TONES = (0.3, 0.5, 0.7)
_UNPROVEN = frozenset({"evaluative", "social"})
"""Acts that aren't suggested: their rules were right for 71 % of 358 sentences [65, 77] and on 9 sentences."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_SOCIAL = _any(
    r"^\W*(?:many |my )?thank(?:s| you)\b(?! to the)",
    r"^\W*(?:dear (?:authors?|area|ac\b)|good luck|best regards|kind regards|sincerely|hello|hi)\b",
    r"\bI (?:sincerely |want to |would like to )?(?:apologi[sz]e|thank the authors)\b",
)
_IMPERATIVE = _any(
    r"^\W*(?:\w+,? )?please\b",
    r"^\W*(?:can|could|would|will) (?:you|the authors?)\b",
    r"\b(?:it would be|I would be|would be) (?:good|nice|great|helpful|useful|interesting|better|happy|curious)\b",
    r"\b(?:authors?|you) (?:\w+ly |also |still |either )*(?:should|needs? to|must|could|may want to|might want to)\b",
    r"\bI (?:would )?(?:suggest|recommend|encourage|urge)\b",
)
# What the sentence asks the authors to do; the first class that matches applies.
_ACTIONS: tuple[tuple[str, float, re.Pattern[str]], ...] = (
    ("compare", 0.65, _any(r"\bcompar(?:e|ed|ing|ison|isons)\b", r"\bbaselines?\b", r"\bversus\b|\bvs\.?\b")),
    (
        "remove",
        0.65,
        _any(
            r"\b(?:remove|delete|drop|tone down|shorten|omit)\b",
            r"\btypos?\b|\bmisspell|\bgrammar|\bproof-?read",
            r"(?:->|→|=>)",
            r"\b(?:should (?:be|read)|replace|change) .{1,40}\b(?:instead|to|with|not)\b",
            r"\boverclaim|\boverstat",
        ),
    ),
    (
        "define",
        0.65,
        _any(
            r"\bdefin(?:e|ed|ition|itions)\b",
            r"\bwhat (?:is|are|does|do) .{1,40}(?:mean|stand for|denote)\b",
            r"\bnotation\b",
        ),
    ),
    (
        "apply",
        0.3,
        _any(
            r"\b(?:other|more|additional|further|larger|different|real|another) (?:\w+ ){0,2}"
            r"(?:datasets?|data sets?|tasks?|domains?|benchmarks?|architectures?|settings?|languages?|environments?)\b",
            r"\b(?:test|evaluat|appl|try|tri|experiment)\w* (?:\w+ ){0,4}"
            r"on (?:other|more|larger|another|different|real)\b",
        ),
    ),
    (
        "report",
        0.55,
        _any(
            r"\b(?:report|provide|give|list|state|specify|include|add|show) (?:\w+ ){0,5}(?:numbers?|results?|values?|"
            r"details?|errors?|deviations?|bars|variances?|times?|costs?|hyper-?parameters?|tables?|figures?|plots?|"
            r"curves?|sizes?|code)\b",
            r"\b(?:standard deviation|error bars?|confidence intervals?|statistical significance|run ?time|"
            r"hyper-?parameters?)\b",
            r"\bhow (?:many|much|long|large|often)\b",
        ),
    ),
    ("use", 0.6, _any(r"\buse (?:of )?(?:a|an|the|other|another|different|more)\b", r"\b(?:instead of|rather than)\b")),
    (
        "explain",
        0.65,
        _any(
            r"\bwhy\b",
            r"\bhow (?:do|does|did|is|are|was|were|can|could|would|to)\b",
            r"\b(?:explain|explanation|justif\w+|clarif\w+|elaborate|intuition|motivat\w+|unclear)\b",
        ),
    ),
    ("discuss", 0.65, _any(r"\bdiscuss\w*\b", r"\b(?:cite|citing|citation|mention|related work|limitations?)\b")),
)
_REPLICABILITY = _any(
    r"\b(?:reproduc|replicat)(?:e|ed|ing|ible|ibility|able|ability|ion)\b",
    r"\b(?:open-?sourc|releas|publish|shar)\w* (?:\w+ ){0,3}(?:code|implementation)\b",
    r"\b(?:code|implementation) (?:\w+ ){0,3}(?:available|released|open-?sourced|public|online)\b",
)


def rule_labels(text: str, heading: str = "", negative: float | None = None) -> dict[Layer, LayerLabel]:
    """Labels a sentence by its wording; ``heading`` is the title that it is under ("Strengths"), ``negative`` the
    probability that it is a negative judgement, 0..1, if heads predict it."""
    role = sentence_role(text)
    silent = bool(heading) and asks_nothing(heading)
    act, sure = _ROLE_ACTION[role]
    kind: str = role
    if _SOCIAL.search(text) and role != "question":
        act, sure = "social", 0.8
        asks = 0.05
    else:
        if role in {"request", "criticism"} and _IMPERATIVE.search(text):
            act, sure = "request", 0.75
            kind = "imperative"
        alone, by_tone = _ASKS[kind]
        asks = alone if negative is None else by_tone[sum(negative >= tone for tone in _TONES)]
        if silent and role in {"criticism", "other"}:
            asks = min(asks, 0.2)
    answer, asked = ("yes", asks) if asks >= 0.5 else ("no", 1 - asks)
    found: dict[Layer, LayerLabel] = {
        "review_action": LayerLabel("review_action", (act,), (sure,), ORIGIN, (NEVER,) * (act in _UNPROVEN)),
        "actionable": LayerLabel("actionable", (answer,), (asked,), ORIGIN),
    }
    if answer == "yes":
        wanted, certain = _action(text)
        found["action"] = LayerLabel("action", (wanted,), (min(certain, asked),), ORIGIN)
    if _REPLICABILITY.search(text) and (role in ASKING or role == "praise"):
        found["aspect"] = LayerLabel("aspect", ("replicability",), (0.65,), ORIGIN)
    return found


def _action(text: str) -> tuple[str, float]:
    for name, sure, pattern in _ACTIONS:
        if pattern.search(text):
            return name, sure
    return "other", 0.4


_TUNED = "+fine-tuned"


class Tuned(Protocol):
    """A fine-tuned encoder, in this process or in a child process."""

    @property
    def targets(self) -> Sequence[Target]:
        """The targets that it predicts."""

    @property
    def learnt(self) -> Mapping[str, Sequence[str]]:
        """By target the labels seen in training; rules may supply the others."""

    def chances(self, reviews: Sequence[ReviewSentences], report: Report) -> Mapping[str, Vectors]:
        """Returns by target the probabilities (sentences, labels)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence with the most likely label of each layer, however likely. ``chances``: by layer, the probabilities of
    all its labels, if a head predicted them."""

    span: Span
    text: str
    labels: Mapping[Layer, LayerLabel]
    chances: Mapping[Layer, Mapping[str, float]]

    def suggested(self) -> tuple[Layer, ...]:
        """Returns the layers with a label likely enough to be suggested; none if the sentence has no words
        ("=====")."""
        return tuple(layer for layer, label in self.labels.items() if self.says_something and label.sure())

    @property
    def says_something(self) -> bool:
        """Whether there is a letter or digit; a line of dashes isn't worth labelling."""
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
    """Labels the sentences of each text. For each layer the first of ``heads`` that knows it is used, and rules if none
    does. Heads that were trained on another encoder's vectors, or build on heads that are missing, are ignored
    (``fits``). If a fine-tuned encoder knows the same labels, its probabilities are averaged with the heads' with equal
    weight; if no head knows its layer, it is used alone. ``spans``: the sentences of each text, by default from
    ``split_sentences``.

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
    for text, own, review in zip(texts, spans, reviews, strict=True):
        heading = ""
        readings: list[Reading] = []
        for span, sentence in zip(own, review.texts, strict=True):
            if sentence_role(sentence) == "connective":
                heading = sentence
            rules = rule_labels(sentence, heading, _negative(answers, at))
            reading = _reading(span, sentence, rules, answers, at)
            readings.append(reading if is_english(sentence, text) else _foreign(reading))
            at += 1
        found.append(readings)
    report.progress(1.0)
    return found


def _foreign(reading: Reading) -> Reading:
    """Returns the reading of a sentence in another language than English, for which neither rules nor bundled heads
    suggest anything; a person's own heads and encoders may have learnt its language."""
    bundled = (ORIGIN, f"model:{SHIPPED}@")
    return replace(
        reading,
        labels={
            layer: replace(label, suggested_from=(NEVER,) * len(label.labels))
            if label.origin.startswith(bundled) and not label.origin.endswith(_TUNED)
            else label
            for layer, label in reading.labels.items()
        },
    )


def fits(heads: Heads, embedder: Embedder, others: Sequence[Heads] = ()) -> bool:
    """Returns whether heads were trained on this encoder's vectors, and the heads that they build on, if any, are among
    ``others``; otherwise their results would be meaningless."""
    known = bool(heads.card.get("encoder_fingerprint", embedder.fingerprint) == embedder.fingerprint)
    return known and (not heads.prior or _prior(heads, others) is not None)


def _prior(heads: Heads, others: Sequence[Heads]) -> Heads | None:
    return next((one for one in others if heads.prior and one is not heads and one.digest == heads.prior), None)


def suggestions(source_id: str, readings: Sequence[Reading]) -> tuple[Suggestion, ...]:
    """Returns suggestions from the readings of a text; the store drops those that aren't likely enough."""
    return tuple(
        Suggestion(source_id, reading.span, label)
        for reading in readings
        for label in reading.labels.values()
        if label.labels and reading.says_something
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """A head's predictions for all sentences; ``voices``: the number of predictors averaged."""

    head: Head
    origin: str
    chances: Vectors
    learnt: frozenset[str]
    card: Mapping[str, Any] = field(default_factory=dict)
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
                found[name] = _Answer(head, one.origin, chances[name], frozenset(learnt), one.card)
    return found


def _average(answers: dict[str, _Answer], encoder: Tuned, chances: Mapping[str, Vectors]) -> None:
    """Averages a fine-tuned encoder's probabilities into the answers; labels must be the same."""
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
    """Returns an encoder's probabilities, with those of labels not seen in its training taken from ``others``; in a
    single-label target the remaining labels are rescaled."""
    unseen = np.array([label not in learnt for label in target.labels])
    filled = np.where(unseen, others, own)
    if not target.several and unseen.any():
        seen = own[:, ~unseen].sum(axis=1, keepdims=True)
        left = 1 - others[:, unseen].sum(axis=1, keepdims=True)
        filled[:, ~unseen] = own[:, ~unseen] * left / np.maximum(seen, 1e-9)
    return np.asarray(filled, dtype=np.float32)


def _plain(target: Target) -> Head:
    """Returns a head that uses probabilities as they are: several labels from one half on, otherwise the most likely
    one."""
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
        # Labels that the heads have never seen may still be known to the rules.
        if rule is not None and rule.labels and rule.labels[0] not in answer.learnt:
            labels[name] = rule
            continue
        held = decide(answer.head, row[None])[0]
        read = sorted(
            (key for key, yes in zip(names, held, strict=True) if yes), key=lambda key: -chances[name].get(key, 0)
        )
        kept = tuple(key for key in read if key != NONE or NONE in {o.id for o in layer_info(name).labels})
        sure = tuple(chances[name].get(key, 0.0) for key in kept)
        limits = tuple(suggested_from(answer.card, name, key) for key in kept) if answer.card else ()
        labels[name] = LayerLabel(name, kept, sure, answer.origin, limits)
    if "actionable" in labels and labels["actionable"].labels == ("no",):
        labels.pop("action", None)
    return Reading(span, text, labels, chances)
