"""Language models: the interface that every backend implements.

The backends are ``engine.models.transformers_language`` (a local folder) and ``engine.models.server_language`` (a
server, normally on this machine). ``engine.models.questions`` asks them many questions at once, and
``engine.models.objects`` requests objects instead of text.
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
"""Called with the position of a prompt and a piece of its answer."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class LanguageModelInfo:
    """A language model's names and limits.

    ``version`` distinguishes models in provenance; ``context`` is the number of tokens that prompt and answer may have
    together, None if unknown. ``address`` is that of its server; unlike ``id``, it is never written into a project.
    ``used`` is the device and the precision of a loaded model; "" until it is loaded, and for servers.
    """

    id: str
    title: str
    backend: Literal["transformers", "server"]
    version: str
    context: int | None = None
    address: str = ""
    used: str = ""

    @property
    def origin(self) -> str:
        """The model as chosen, which identifies runs and cached answers."""
        return f"model:{self.id}@{self.version}"

    @property
    def provenance(self) -> str:
        """The provenance of text that it has written: the origin, and where it ran if that is known."""
        return f"{self.origin} ({self.used})" if self.used else self.origin


_SERVER_AND_FOLDER = re.compile(r"^(?:https?://\S+ )?(?:(?:[A-Za-z]:)?[\\/].*[\\/])?")


def public_name(model: str) -> str:
    """Returns a model's name without the folder, which some servers include, and without the server's address, which
    earlier versions stored in projects."""
    return _SERVER_AND_FOLDER.sub("", model)


Finish = Literal["stop", "length", "filtered", "unstated"]
"""Why an answer ended: by itself, at the limit, blocked by the server's filter, or not stated by the server."""
Reasoning = Literal["auto", "off", "low", "medium", "high"]
"""How much a model reasons before it answers; "auto" leaves it to the model."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer; token counts are None if the backend doesn't report them.

    ``text`` is the answer without the ``reasoning`` before it; ``completion_tokens`` counts both.
    """

    text: str
    finish: Finish
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Manner:
    """The user's settings for how a task or a stage runs its model; None means the task's default.

    ``answer_tokens`` is the budget of one answer, ``reasoning_tokens`` that of the reasoning before it.
    """

    temperature: float | None = None
    answer_tokens: int | None = None
    reasoning: Reasoning = "auto"
    reasoning_tokens: int = 4096

    @property
    def words(self) -> str:
        """The settings that differ from the defaults, for display; "" if there are none."""
        parts = (
            "" if self.temperature is None else f"temperature {self.temperature:g}",
            f"answers up to {self.answer_tokens:,} tokens" if self.answer_tokens else "",
            "" if self.reasoning == "auto" else f"reasoning {self.reasoning}",
            "" if self.reasoning_tokens == Manner().reasoning_tokens else f"reasoning up to {self.reasoning_tokens:,}",
        )
        return ", ".join(filter(None, parts))

    def __post_init__(self) -> None:
        """Raises BadInput for a number out of range."""
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
    """A request to a model.

    ``messages``: at least one; the last is the user's. ``max_tokens``: the answer's budget, 1 or more; a model that
    reasons gets ``reasoning_tokens`` on top. ``seed``: equal seeds give equal answers on one machine and backend; only
    used if ``temperature`` > 0, which samples tokens instead of taking the most likely. ``schema``: a JSON schema that
    constrains the answer during decoding.
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
        """The estimated number of tokens in the messages (``tokens_in``)."""
        return sum(tokens_in(message.content) for message in self.messages)


class LanguageModel(Protocol):
    """Chat messages in, text out."""

    @property
    def info(self) -> LanguageModelInfo: ...

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report = QuietReport()) -> Completion:
        """Returns the answer to a conversation.

        ``on_text`` is called with each piece, on the calling thread; ``report`` is checked often enough that Cancel
        works within a second.

        Raises Cancelled (``on_text`` has received all there is), ContextTooLong (prompt and budget don't fit the model)
        and EnvironmentProblem (the model is missing or failed).
        """
        ...


class ContextTooLong(EnvironmentProblem):
    """The prompt and the answer's budget exceed the model's context; ``said`` is the server's message."""

    def __init__(self, needed: int | None, context: int | None, said: str = "") -> None:
        self.needed = needed
        self.context = context
        figures = f" ({needed} tokens asked, {context} possible)" if needed and context else ""
        super().__init__(
            f"The text is too long for this language model{figures}{f': {said}' if said else ''}.",
            "Your request wasn't answered. Saved data isn't affected.",
            "Check the model's context in the Models pane, or choose a model with a longer one.",
        )


class AnswerFailed(EnvironmentProblem):
    """One answer failed after all attempts; others may succeed."""


Outcomes = Generator[tuple[int, Completion | EnvironmentProblem], None, None]
"""Answers, or the errors in their place, by the positions of their prompts."""


class AnswersTogether(ABC):
    """A model that answers many prompts at once; a single prompt is answered the same way."""

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
    """The model's context length is unknown, and guessing would truncate papers silently."""

    def __init__(self, info: LanguageModelInfo) -> None:
        super().__init__(
            f"The number of tokens {info.title} can read is unknown.",
            "The model wasn't run, because a guess could drop parts of a paper or exceed what the model can read.",
            "Enter the context length in the Models pane, or with rejoinder models set.",
        )


def context_of(model: LanguageModel) -> int:
    """Returns how many tokens prompt and answer may have together. Raises UnknownContext if that isn't known."""
    if model.info.context is None:
        raise UnknownContext(model.info)
    return model.info.context


class UnusableAnswer(EnvironmentProblem):
    """The model's answer doesn't have the requested shape, even after any retry; ``raw`` keeps it. ``cut``: it didn't
    fit its budget."""

    def __init__(self, raw: str, reason: str, *, cut: bool = False) -> None:
        self.raw = raw
        self.reason = reason
        self.cut = cut
        super().__init__(
            f"The language model's answer can't be used: {reason}.",
            "Nothing was taken from it. Saved data isn't affected.",
            f"{'Allow a longer answer' if cut else 'Try again'}, or choose another model.",
        )
