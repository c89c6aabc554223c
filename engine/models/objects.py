"""Requests objects from a language model: pydantic models, decoded under their JSON schemas."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from engine.jobs import QuietReport, Report
from engine.models.answer_text import json_parts, said_once
from engine.models.language import LanguageModel, OnPiece, OnText, Prompt
from engine.models.questions import Answer, Asked, Question, ask_all, usable

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")


def complete_as(
    model: LanguageModel,
    prompt: Prompt,
    shape: type[Shape],
    *,
    on_text: OnText | None = None,
    report: Report = QuietReport(),
) -> Answer[Shape]:
    """Requests an object of the pydantic model ``shape`` under its JSON schema; the prompt's own schema isn't used.

    Raises UnusableAnswer if the answer can't be used after retries and part by part (``ask_objects``), and what
    ``LanguageModel.complete`` raises. ``on_text`` receives "" when an answer starts over.
    """
    heard = None if on_text is None else lambda _place, piece: on_text(piece)
    (asked,) = ask_objects(model, [(prompt, shape)], report=report, on_text=heard, words="asking the model")
    return usable(asked)


def ask_objects(
    model: LanguageModel,
    asked: Sequence[tuple[Prompt, type[Shape]]],
    *,
    report: Report = QuietReport(),
    on_answer: Callable[[int, Asked[Shape]], None] | None = None,
    on_text: OnPiece | None = None,
    words: str = "answers",
) -> tuple[Asked[Shape], ...]:
    """As ``ask_all``, for objects. An object whose answer was cut off is requested part by part: each list, object and
    long string on its own, all other fields together."""

    def hear(place: int, one: Asked[Shape]) -> None:
        if on_answer is not None and not one.cut:
            on_answer(place, one)

    found = list(
        ask_all(
            model, [_for_object(prompt, shape) for prompt, shape in asked], report=report.part(0.0, 0.9),
            on_answer=hear, on_text=on_text, words=words,
        )
    )  # fmt: skip
    cut = [place for place, one in enumerate(found) if one.cut]
    for number, place in enumerate(cut):
        part = report.part(0.9 + 0.1 * number / len(cut), 0.9 + 0.1 * (number + 1) / len(cut))
        found[place] = _in_parts(model, asked[place], found[place], part)
        if on_answer is not None:
            on_answer(place, found[place])
    return tuple(found)


def _in_parts(
    model: LanguageModel, asked: tuple[Prompt, type[Shape]], whole: Asked[Shape], report: Report
) -> Asked[Shape]:
    from pydantic import ValidationError

    (prompt, shape), parts = asked, _parts(asked[1])
    if len(parts) < 2:
        return whole
    questions = [
        _for_object(
            replace(
                prompt,
                messages=(
                    *prompt.messages[:-1],
                    replace(
                        prompt.messages[-1],
                        content=f"{prompt.messages[-1].content}\n\nAnswer these fields only: {', '.join(names)}.",
                    ),
                ),
            ),
            part,
        )
        for names, part in parts
    ]
    answers = ask_all(model, questions, report=report, words="parts of an answer")
    completions = (*whole.completions, *(one for answer in answers for one in answer.completions))
    values: dict[str, Any] = {}
    for answer in answers:
        if answer.value is None:
            return Asked(None, completions, answer.problem, answer.cut, answer.error)
        values |= answer.value.model_dump(by_alias=True)
    try:
        return Asked(shape.model_validate(values), completions)
    except ValidationError as error:
        return Asked(None, completions, _reason(error))


def _parts(shape: "type[BaseModel]") -> "list[tuple[tuple[str, ...], type[BaseModel]]]":
    """Splits the fields of a model into groups, each a model of its own."""
    from pydantic import create_model

    properties: Mapping[str, Mapping[str, Any]] = shape.model_json_schema().get("properties", {})
    large = [(name,) for name, kind in properties.items() if kind.get("type") in ("array", "object") or "$ref" in kind]
    long = [(name,) for name, kind in properties.items() if kind.get("type") == "string" and (name,) not in large
            and kind.get("maxLength", 0) >= 1000]  # fmt: skip
    alone = {name for (name,) in (*large, *long)}
    rest = tuple(name for name in properties if name not in alone)
    groups = [*large, *long, *([rest] if rest else [])]
    fields: dict[str, Any] = {name: (of.rebuild_annotation(), of) for name, of in shape.model_fields.items()}
    return [(names, create_model("Part", **{name: fields[name] for name in names})) for names in groups]


def _for_object(prompt: Prompt, shape: type[Shape]) -> Question[Shape]:
    from pydantic import ValidationError

    schema = closed(shape.model_json_schema())

    def read(text: str) -> Shape:
        values, reason = [], ""
        for part in json_parts(text):
            try:
                values.append(shape.model_validate_json(part))
                json.loads(part, object_pairs_hook=said_once, strict=False)
            except ValidationError as error:
                reason = reason or _reason(error)
        if not values:
            raise ValueError(reason)
        if any(value != values[0] for value in values):
            raise ValueError("it has several answers that differ")
        return values[0]

    again = "Answer again with JSON alone that follows this schema:\n" + json.dumps(schema, ensure_ascii=False)
    return Question(replace(prompt, schema=schema), read, again)


def closed(schema: Any) -> Any:
    """Returns a JSON schema in which objects allow only the listed properties, so the model can't invent any."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(part) for key, part in schema.items()}
    return {"additionalProperties": False, **inner} if isinstance(schema.get("properties"), dict) else inner


def _reason(error: Any) -> str:
    """Returns what is wrong with an answer; the schema in the retry says the rest."""
    where = error.errors()[0]["loc"]
    return "it isn't in the requested form" + (f" ({str(where[0]).replace('_', ' ')})" if where else "")
