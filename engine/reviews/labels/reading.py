"""Reading labels in a text: its sentences, what heads and rules say of each, and how sure they are."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.reviews.cues import ASKING, SentenceRole, asks_nothing, sentence_role
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import NONE, Head, Heads, Target, decide
from engine.reviews.labels.records import LAYERS, NEVER, Layer, LayerLabel, Suggestion, suggested_from
from engine.reviews.labels.taxonomy import layer as layer_info
from engine.reviews.records import Span
from engine.reviews.sentences import split_sentences

# Labels by wording alone, for layers that no data of a free licence teaches: review action, whether something is asked
# for, the ARIES action class, and replicability as attitude root.
# Each rule says how often it is right where its pattern is found, as measured on reviews that it was not written on
# (docs/methods-labels.md); below 70 % its answer is shown, never suggested. No rule for the action class reaches that.
# A person's own heads replace the rules of their layer.

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
"""The chance that a sentence of a role asks for something: by wording alone, and where heads know how likely it is
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
    r"\b(?:the authors?|you) (?:should|need to|must|could|may want to|might want to)\b",
    r"\bI (?:would )?(?:suggest|recommend|encourage|urge)\b",
)
# What the sentence asks the authors to do; the first class that is found holds.
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
    """What wording says of a sentence; ``heading`` is the title that it is under ("Strengths"), ``negative`` the
    chance that it is a negative judgement, 0..1, where heads know.
    """
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
        limits = tuple(suggested_from(answer.card, name, key) for key in kept)
        labels[name] = LayerLabel(name, kept, sure, answer.origin, limits)
    if "actionable" in labels and labels["actionable"].labels == ("no",):
        labels.pop("action", None)
    return Reading(span, text, labels, chances)
