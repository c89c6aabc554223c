"""The questions about a comment's real and generated edits, optionally blind.

The analyst sees a left and a right side. Which is which is fixed for a comment and an annotator, so that a blind
analysis can be interrupted and continued; what is stored always refers to the real and the generated edit.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.revision.generation.records import Analysis

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
    """A question about one side, or about both."""

    topic: Topic
    place: Place

    def answers(self, left: str, right: str) -> tuple[str, ...]:
        """Returns the possible answers, in the order of the keys from 1, with the sides' names filled in."""
        return tuple(answer.format(left=left, right=right) for answer in _ANSWERS[self.topic])


QUESTIONS: tuple[Question, ...] = (
    *(Question(topic, "left") for topic in _SIDE_TOPICS),
    *(Question(topic, "right") for topic in _SIDE_TOPICS),
    Question("answerable", "both"),
    Question("comprehensive", "both"),
    Question("technicality", "both"),
)


def swapped(comment_id: str, annotator_id: str) -> bool:
    """Returns whether the generated edit is on the left for this annotator in a blind analysis, by a hash of their
    keys."""
    return bool(hashlib.sha256(f"{comment_id}|{annotator_id}".encode()).digest()[0] & 1)


def given(analysis: Analysis, question: Question, *, swap: bool) -> int | None:
    """Returns the index of the given answer, from 0; None if undecided. ``swap``: the generated edit is on the left."""
    side = _side(question, swap=swap)
    value = getattr(getattr(analysis, side) if side else analysis, question.topic)
    return None if value is None else _values(question.topic, swap=swap).index(value)


def answered(analysis: Analysis, question: Question, answer: int | None, *, swap: bool) -> Analysis:
    """Returns the analysis with an answer (from 0; None clears it). Raises ValueError if there is no such answer."""
    if answer is not None and not 0 <= answer < len(_ANSWERS[question.topic]):
        raise ValueError(answer)
    side = _side(question, swap=swap)
    said: Any = {question.topic: None if answer is None else _values(question.topic, swap=swap)[answer]}
    if side:
        said = {side: replace(getattr(analysis, side), **said)}
    return replace(analysis, **said)


def first_open(analysis: Analysis, *, swap: bool, after: int = -1) -> int | None:
    """Returns the next unanswered question after the given one, wrapping around; None if all are answered."""
    count = len(QUESTIONS)
    order = ((after + step) % count for step in range(1, count + 1))
    return next((at for at in order if given(analysis, QUESTIONS[at], swap=swap) is None), None)


def _side(question: Question, *, swap: bool) -> Literal["generated", "real", ""]:
    """Returns the side of the analysis that a question is about; "" for both."""
    if question.place == "both":
        return ""
    return "generated" if (question.place == "left") == swap else "real"


def _values(topic: Topic, *, swap: bool) -> tuple[object, ...]:
    """Returns the stored values of the answers, in their order."""
    match topic:
        case "compliance":
            return 1, 2, 3
        case "comprehensive":
            return ("generated", "real", "same") if swap else ("real", "generated", "same")
        case "technicality":  # stored as whether the generated edit is more or less technical than the real one
            return ("more", "less", "same") if swap else ("less", "more", "same")
    return True, False
