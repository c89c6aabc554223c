"""What is asked about a comment's real edits and its generated one, question by question; blind where one likes.

The analyst sees a left and a right side. Which is which is fixed for a comment and an annotator, so that a blind
analysis can be left and taken up again; what is stored is always said of the real and the generated edit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.revision.generation.records import Analysis, Judgement, Technicality, Which

Topic = Literal[
    "compliance", "promises", "paraphrases", "technical", "answerable", "comprehensive", "technicality"
]  # fmt: skip
Place = Literal["left", "right", "both"]

_YES_NO = ("Yes", "No")
_ANSWERS: Mapping[Topic, tuple[str, ...]] = {
    "compliance": ("Against", "Spirit", "Fully"),
    "promises": _YES_NO,
    "paraphrases": _YES_NO,
    "technical": _YES_NO,
    "answerable": _YES_NO,
    "comprehensive": ("{left}", "{right}", "Same"),
    "technicality": ("{left}", "{right}", "Same"),
}
WORDS: Mapping[Topic, str] = {
    "compliance": "Complies",
    "promises": "Promises",
    "paraphrases": "Paraphrases",
    "technical": "Technical details",
    "answerable": "Answerable",
    "comprehensive": "More comprehensive",
    "technicality": "More technical",
}
MEANINGS: Mapping[Topic, str] = {
    "compliance": "Does this edit argue that the comment is irrelevant or can't be met, address its spirit, or do what "
    "was asked?",
    "promises": "Does it postpone part of the answer, or refer to text elsewhere that it doesn't include?",
    "paraphrases": "Does it reuse the wording of the comment?",
    "technical": "Does it have specific details or placeholders for them: citations, formulas, numerical results?",
    "answerable": "Could the comment be addressed without placeholders or invention, from the paper and background "
    "knowledge alone?",
    "comprehensive": "Which side addresses the comment more thoroughly, whether correctly or not?",
    "technicality": "Which side is more technical?",
}
_SIDE_TOPICS: tuple[Topic, ...] = ("compliance", "promises", "paraphrases", "technical")


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to decide: about a side, or about both."""

    topic: Topic
    place: Place

    def answers(self, left: str, right: str) -> tuple[str, ...]:
        """What can be said, in the order of the keys from 1; the sides' names are filled in."""
        return tuple(answer.format(left=left, right=right) for answer in _ANSWERS[self.topic])


QUESTIONS: tuple[Question, ...] = (
    *(Question(topic, "left") for topic in _SIDE_TOPICS),
    *(Question(topic, "right") for topic in _SIDE_TOPICS),
    Question("answerable", "both"),
    Question("comprehensive", "both"),
    Question("technicality", "both"),
)


def swapped(comment_id: str, annotator_id: str) -> bool:
    """Whether the generated edit is at the left for this annotator in a blind analysis: a coin by their keys."""
    return bool(hashlib.sha256(f"{comment_id}|{annotator_id}".encode()).digest()[0] & 1)


def given(analysis: Analysis, question: Question, *, swap: bool) -> int | None:
    """Which answer was given, from 0; None while undecided. ``swap``: the generated edit is at the left."""
    if question.place != "both":
        judgement = _side(analysis, question, swap=swap)
        if question.topic == "compliance":
            return None if judgement.compliance is None else judgement.compliance - 1
        return _yes_no(getattr(judgement, question.topic))
    if question.topic == "answerable":
        return _yes_no(analysis.answerable)
    if question.topic == "comprehensive":
        return None if analysis.comprehensive is None else _which(swap=swap).index(analysis.comprehensive)
    return None if analysis.technicality is None else _more(swap=swap).index(analysis.technicality)


def answered(analysis: Analysis, question: Question, answer: int | None, *, swap: bool) -> Analysis:
    """The analysis with an answer (from 0; None takes it back). Raises ValueError where there is no such answer."""
    if answer is not None and not 0 <= answer < len(_ANSWERS[question.topic]):
        raise ValueError(answer)
    if question.place == "both":
        if question.topic == "answerable":
            return replace(analysis, answerable=None if answer is None else answer == 0)
        if question.topic == "comprehensive":
            return replace(analysis, comprehensive=None if answer is None else _which(swap=swap)[answer])
        return replace(analysis, technicality=None if answer is None else _more(swap=swap)[answer])
    side = _side(analysis, question, swap=swap)
    if question.topic == "compliance":
        judged = replace(side, compliance=None if answer is None else answer + 1)
    else:
        judged = replace(side, **{question.topic: None if answer is None else answer == 0})
    if _is_generated(question, swap=swap):
        return replace(analysis, generated=judged)
    return replace(analysis, real=judged)


def first_open(analysis: Analysis, *, swap: bool, after: int = -1) -> int | None:
    """The next question without an answer after one, around the end; None where all are answered."""
    count = len(QUESTIONS)
    order = ((after + step) % count for step in range(1, count + 1))
    return next((at for at in order if given(analysis, QUESTIONS[at], swap=swap) is None), None)


def _is_generated(question: Question, *, swap: bool) -> bool:
    return (question.place == "left") == swap


def _side(analysis: Analysis, question: Question, *, swap: bool) -> Judgement:
    return analysis.generated if _is_generated(question, swap=swap) else analysis.real


def _yes_no(value: bool | None) -> int | None:
    return None if value is None else 0 if value else 1


def _which(*, swap: bool) -> tuple[Which, ...]:
    return ("generated", "real", "same") if swap else ("real", "generated", "same")


def _more(*, swap: bool) -> tuple[Technicality, ...]:
    # Stored is whether the generated edit is more or less technical than the real one.
    return ("more", "less", "same") if swap else ("less", "more", "same")
