"""Language models: what every backend is, and answers that are held to a schema.

Backends are ``engine.models.transformers_language`` (a local folder) and ``engine.models.server_language`` (a local
OpenAI-compatible server). ``complete_as`` requests an object instead of text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from engine.errors import EnvironmentProblem
from engine.jobs import Report

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class LanguageModelInfo:
    """A language model as people name it.

    ``version`` tells models apart in provenance; ``context`` is the number of tokens that prompt and answer may have
    together, None where nobody says.
    """

    id: str
    title: str
    backend: Literal["transformers", "server"]
    version: str
    context: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered; token counts are None where the backend does not tell.

    ``finish``: "stop" where the model ended by itself, "length" where ``max_tokens`` cut it off.
    """

    text: str
    finish: Literal["stop", "length"]
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked.

    ``messages``: at least one, the last is the person's. ``max_tokens``: the answer's budget, 1 or more. ``seed``:
    equal seeds give equal answers on one machine and backend; only used where ``temperature`` > 0, which samples
    tokens instead of taking the likeliest. ``schema``: a JSON schema that the answer is held to while it is written.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    seed: int = 0
    temperature: float = 0.0
    schema: dict[str, Any] | None = None


class LanguageModel(Protocol):
    """Chat messages in, text out."""

    @property
    def info(self) -> LanguageModelInfo: ...

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report | None = None) -> Completion:
        """The answer to a conversation.

        ``on_text`` hears it piece by piece, on the calling thread; ``report`` is asked often enough that Cancel works
        within a second.

        Raises Cancelled (the person cancelled; what ``on_text`` heard is all there is), ContextTooLong (prompt and
        budget do not fit the model) and EnvironmentProblem (the model is not there or failed).
        """
        ...


class ContextTooLong(EnvironmentProblem):
    """The prompt and the budget for the answer exceed the model's context."""

    def __init__(self, needed: int | None, context: int | None) -> None:
        self.needed = needed
        self.context = context
        figures = f" ({needed} tokens asked, {context} possible)" if needed and context else ""
        super().__init__(
            f"The text is too long for this language model{figures}.",
            "Nothing was written; what is saved is not touched.",
            "Choose a model with a longer context, or give it less text.",
        )


class UnusableAnswer(EnvironmentProblem):
    """The model's answer does not have the shape that was asked for, even after one repair; ``raw`` keeps it."""

    def __init__(self, raw: str, reason: str) -> None:
        self.raw = raw
        self.reason = reason
        super().__init__(
            f"The language model's answer cannot be used: {reason}.",
            "Nothing was taken from it; the raw answer is kept with the run.",
            "Try again, allow a longer answer, or choose another model.",
        )


@dataclass(frozen=True, slots=True)
class Answer(Generic[Shape]):
    """A validated object with the completions that led to it; ``repaired`` where the first one did not do."""

    value: Shape
    completions: tuple[Completion, ...]

    @property
    def repaired(self) -> bool:
        return len(self.completions) > 1


def complete_as(
    model: LanguageModel,
    prompt: Prompt,
    shape: type[Shape],
    *,
    on_text: OnText | None = None,
    report: Report | None = None,
) -> Answer[Shape]:
    """An object of the pydantic model ``shape``, written under its JSON schema (the prompt's own is not used).

    An answer that does not validate goes back once with what is wrong with it. Raises UnusableAnswer after that, and
    what ``LanguageModel.complete`` raises.
    """
    from pydantic import ValidationError

    schema = closed(shape.model_json_schema())
    asked = replace(prompt, schema=schema)
    completions: list[Completion] = []
    reason = ""
    for _ in range(2):
        try:
            completion = model.complete(asked, on_text=on_text, report=report)
        except ContextTooLong as error:
            if not completions:
                raise
            raise UnusableAnswer(completions[0].text, reason) from error
        completions.append(completion)
        try:
            return Answer(shape.model_validate_json(json_part(completion.text)), tuple(completions))
        except ValidationError as error:
            reason = _reason(error, completion)
        asked = replace(
            prompt,
            seed=prompt.seed + 1,
            schema=schema,
            messages=(
                *prompt.messages,
                Message("assistant", completion.text),
                Message(
                    "user",
                    f"That answer cannot be used: {reason}. Answer again with JSON alone that follows this schema:\n"
                    + json.dumps(schema, ensure_ascii=False),
                ),
            ),
        )
    raise UnusableAnswer(completions[-1].text, reason)


def closed(schema: Any) -> Any:
    """A JSON schema in which every object allows only the properties that it names: nothing may be invented."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(part) for key, part in schema.items()}
    return {"additionalProperties": False, **inner} if isinstance(schema.get("properties"), dict) else inner


def json_part(text: str) -> str:
    """The JSON object in an answer, without fence or words around it; text without an object comes back whole."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _reason(error: Any, completion: Completion) -> str:
    if completion.finish == "length":
        return "it was cut off before its end"
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{first['msg'][:1].lower()}{first['msg'][1:]}" + (f" (in {where})" if where else "")
