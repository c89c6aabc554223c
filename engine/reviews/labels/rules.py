"""Labels by wording alone, for layers that no data of a free licence teaches: review action, whether something is asked
for, the ARIES action class, and replicability as attitude root.

Each rule says how often it is right where its pattern is found, as measured on reviews that it was not written on
(docs/methods-labels.md); below 70 % its answer is shown, never suggested. No rule for the action class reaches that. A
person's own heads replace the rules of their layer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.reviews.cues import ASKING, SentenceRole, asks_nothing, sentence_role
from engine.reviews.labels.records import Layer, LayerLabel

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
        "review_action": LayerLabel("review_action", (act,), (sure,), ORIGIN),
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
