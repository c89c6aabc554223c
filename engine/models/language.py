"""Language models: what every backend is.

Backends are ``engine.models.transformers_language`` (a local folder) and ``engine.models.server_language`` (a server on
this machine). ``engine.models.questions`` asks them many questions at once, and ``engine.models.objects`` asks for an
object instead of text.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.prompts import tokens_in

OnText = Callable[[str], None]
OnPiece = Callable[[int, str], None]
"""Hears pieces of answers, by the places of their prompts."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class LanguageModelInfo:
    """A language model as people name it.

    ``version`` distinguishes models in provenance; ``context`` is the number of tokens that prompt and answer may have
    together, None where nobody says. ``address``: of its server; unlike ``id``, it is written into no project.
    """

    id: str
    title: str
    backend: Literal["transformers", "server"]
    version: str
    context: int | None = None
    address: str = ""

    @property
    def origin(self) -> str:
        """Provenance of what it writes."""
        return f"model:{self.id}@{self.version}"


_SERVER_AND_FOLDER = re.compile(r"^(?:https?://\S+ )?(?:(?:[A-Za-z]:)?[\\/].*[\\/])?")


def public_name(model: str) -> str:
    """The name of a model without the folder that it is in, by which some servers call it, and without the server's
    address, which earlier versions kept in projects."""
    return _SERVER_AND_FOLDER.sub("", model)


Finish = Literal["stop", "length", "filtered", "unstated"]
"""Why an answer ended: by itself, at the limit, stopped by a filter of the server, or the server doesn't say."""
Reasoning = Literal["auto", "off", "low", "medium", "high"]
"""How much a model reasons before it answers; "auto" leaves it to the model."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered; token counts are None where the backend does not report them.

    ``text`` is the answer without the ``reasoning`` before it; ``completion_tokens`` count both.
    """

    text: str
    finish: Finish
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a task or a stage asks its model, as a person set it; None: as the task would by itself.

    ``answer_tokens`` is the budget of one answer, ``reasoning_tokens`` what a model may write before it.
    """

    temperature: float | None = None
    answer_tokens: int | None = None
    reasoning: Reasoning = "auto"
    reasoning_tokens: int = 4096

    @property
    def words(self) -> str:
        """What was set, for people; "" for nothing."""
        parts = (
            "" if self.temperature is None else f"temperature {self.temperature:g}",
            f"answers up to {self.answer_tokens:,} tokens" if self.answer_tokens else "",
            "" if self.reasoning == "auto" else f"reasoning {self.reasoning}",
            "" if self.reasoning_tokens == Manner().reasoning_tokens else f"reasoning up to {self.reasoning_tokens:,}",
        )
        return ", ".join(filter(None, parts))

    def __post_init__(self) -> None:
        """Raises BadInput for a number out of its range."""
        heat, tokens = self.temperature or 0.0, 1 if self.answer_tokens is None else self.answer_tokens
        if not (0 <= heat <= 2 and tokens > 0 and self.reasoning_tokens >= 0):
            raise BadInput(
                f"A model can't run with temperature {heat:g}, {tokens} answer tokens and {self.reasoning_tokens} "
                "reasoning tokens.",
                "Nothing was changed, and no model was run.",
                "Temperature must be from 0 to 2, answer tokens at least 1, and reasoning tokens at least 0.",
            )


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked.

    ``messages``: at least one, the last is the person's. ``max_tokens``: the answer's budget, 1 or more; a model that
    reasons gets ``reasoning_tokens`` besides. ``seed``: equal seeds give equal answers on one machine and backend; only
    used where ``temperature`` > 0, which samples tokens instead of taking the likeliest. ``schema``: a JSON schema that
    the answer is held to while it is written.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    seed: int = 0
    temperature: float = 0.0
    schema: dict[str, Any] | None = None
    reasoning: Reasoning = "auto"
    reasoning_tokens: int = 4096

    @property
    def tokens(self) -> int:
        """About how many tokens the messages have (``tokens_in``)."""
        return sum(tokens_in(message.content) for message in self.messages)


class LanguageModel(Protocol):
    """Chat messages in, text out."""

    @property
    def info(self) -> LanguageModelInfo: ...

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report = QuietReport()) -> Completion:
        """The answer to a conversation.

        ``on_text`` hears it piece by piece, on the calling thread; ``report`` is asked often enough that Cancel works
        within a second.

        Raises Cancelled (the person cancelled; what ``on_text`` heard is all there is), ContextTooLong (prompt and
        budget do not fit the model) and EnvironmentProblem (the model is not there or failed).
        """
        ...


class ContextTooLong(EnvironmentProblem):
    """The prompt and the budget for the answer exceed the model's context; ``said`` is what a server says of it."""

    def __init__(self, needed: int | None, context: int | None, said: str = "") -> None:
        self.needed = needed
        self.context = context
        figures = f" ({needed} tokens asked, {context} possible)" if needed and context else ""
        super().__init__(
            f"The text is too long for this language model{figures}{f': {said}' if said else ''}.",
            "This question has no answer. Saved data isn't affected.",
            "Check the model's context in the Models pane, or choose a model with a longer one.",
        )


class AnswerFailed(EnvironmentProblem):
    """One answer failed, whatever was tried; others may succeed."""


Outcomes = Generator[tuple[int, Completion | EnvironmentProblem], None, None]
"""Answers, or why there is none, by the places of their prompts."""


class AnswersTogether(ABC):
    """A model that answers many prompts at once, and one as many."""

    @abstractmethod
    def complete_all(
        self, prompts: Sequence[Prompt], *, report: Report = QuietReport(), on_text: OnPiece | None = None
    ) -> Outcomes:
        """As ``engine.models.questions.complete_all``."""

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report = QuietReport()) -> Completion:
        """As ``LanguageModel.complete``."""
        heard = None if on_text is None else lambda _place, piece: on_text(piece)
        ((_, outcome),) = self.complete_all([prompt], report=report, on_text=heard)
        if isinstance(outcome, EnvironmentProblem):
            raise outcome
        return outcome


class UnknownContext(EnvironmentProblem):
    """Nobody says how much a model can read, and guessing would cut papers silently."""

    def __init__(self, info: LanguageModelInfo) -> None:
        super().__init__(
            f"The number of tokens {info.title} can read is unknown.",
            "The model wasn't run, because a guess could drop parts of a paper or exceed what the model can read.",
            "Enter the context length in the Models pane, or with rejoinder models set.",
        )


def context_of(model: LanguageModel) -> int:
    """Tokens that prompt and answer may have together. Raises UnknownContext where nobody says."""
    if model.info.context is None:
        raise UnknownContext(model.info)
    return model.info.context


class UnusableAnswer(EnvironmentProblem):
    """The model's answer does not have the shape that was asked for, asked again or not; ``raw`` keeps it."""

    def __init__(self, raw: str, reason: str) -> None:
        self.raw = raw
        self.reason = reason
        super().__init__(
            f"The language model's answer can't be used: {reason}.",
            "Nothing was taken from it. The raw answer is kept with the run.",
            "Try again, allow a longer answer, or choose another model.",
        )
