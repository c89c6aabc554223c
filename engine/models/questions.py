"""Asks a language model many questions at once: uses cached answers, retries unusable ones, and takes nothing from an
answer that was cut off."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from engine.errors import EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.caches import AnswerCache
from engine.models.language import (
    AnswerFailed,
    Completion,
    ContextTooLong,
    LanguageModel,
    Manner,
    Message,
    OnPiece,
    OnText,
    Outcomes,
    Prompt,
    UnusableAnswer,
)
from engine.shown import counted

Value = TypeVar("Value")
CUT = "it was cut off"
CUT_MARK = "[cut off here by the model's limit]"
_MOST_FAILURES = 8
"""After this many failures without a single answer, the server is considered out of service."""
_REPORT_EVERY = 0.2  # seconds between two progress reports


@dataclass(frozen=True, slots=True)
class Question(Generic[Value]):
    """A prompt and a function that turns the answer's text into a value; ``read`` raises ValueError with the reason.

    ``again`` is added to the retry after an answer that couldn't be read. ``prose``: the answer is text for a person,
    so one that was cut off twice is still used, with a note, instead of none.
    """

    prompt: Prompt
    read: Callable[[str], Value]
    again: str = "Answer again."
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Asked(Generic[Value]):
    """The outcome of a question: a value, or the ``problem`` why there is none, and every completion on the way.

    ``cut``: the answer didn't fit its budget, even with a larger one. ``error`` is set if the model didn't answer at
    all. ``cached``: the answer came from the cache.
    """

    value: Value | None
    completions: tuple[Completion, ...] = ()
    problem: str = ""
    cut: bool = False
    error: EnvironmentProblem | None = None
    cached: bool = False
    prompt: Prompt | None = None
    """The prompt that was answered last."""


@dataclass(slots=True)
class Tally:
    """Counts of a job's questions, for display and provenance."""

    questions: int = 0
    cached: int = 0
    again: int = 0
    unanswered: list[str] = field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, answers: Iterable[Asked[Any]]) -> None:
        """Counts answers, and records the problems of those without a value."""
        for asked in answers:
            self.questions += 1
            self.cached += asked.cached
            self.again += max(0, len(asked.completions) - 1)
            self.prompt_tokens += sum(one.prompt_tokens or 0 for one in asked.completions)
            self.completion_tokens += sum(one.completion_tokens or 0 for one in asked.completions)
            if asked.problem:
                self.unanswered.append(asked.problem)

    def remarks(self) -> tuple[str, ...]:
        """Returns sentences about questions that got no usable answer."""
        if not self.unanswered:
            return ()
        reasons = "; ".join(dict.fromkeys(self.unanswered))
        many = f"{len(self.unanswered)} of {counted(self.questions, 'question', 'questions')}"
        return (f"{many} got no usable answer and stayed undecided: {reasons[:300]}.",)


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected work of a job: ``cached`` of the ``requests`` are already answered; ``seconds`` is None if
    unknown."""

    requests: int
    cached: int
    prompt_tokens: int
    answer_tokens: int
    seconds: float | None

    @classmethod
    def of(cls, parts: "Sequence[Forecast]") -> "Forecast":
        seconds = [part.seconds for part in parts]
        return cls(
            sum(part.requests for part in parts), sum(part.cached for part in parts),
            sum(part.prompt_tokens for part in parts), sum(part.answer_tokens for part in parts),
            None if None in seconds else sum(filter(None, seconds)),
        )  # fmt: skip

    @property
    def words(self) -> str:
        done = f" ({self.cached:,} answered before)" if self.cached else ""
        time_needed = "time not measured yet" if self.seconds is None else f"about {duration(self.seconds)}"
        return (
            f"{counted(self.requests, 'request', 'requests')}{done}, about {self.prompt_tokens:,} tokens to read and up"
            f" to {self.answer_tokens:,} to write, {time_needed}"
        )


def forecast(model: LanguageModel, prompts: Sequence[Prompt], cache: AnswerCache | None = None) -> Forecast:
    """Estimates the work of a list of prompts; tokens by ``tokens_in``, time from the model's earlier jobs."""
    cache = cache or AnswerCache()
    return _ahead(model, prompts, cache.get(model.info, list(prompts)), cache)


def _ahead(
    model: LanguageModel, prompts: Sequence[Prompt], there: Mapping[int, Completion], cache: AnswerCache
) -> Forecast:
    open_ = [prompt for place, prompt in enumerate(prompts) if place not in there]
    read, pace = sum(prompt.tokens for prompt in open_), cache.pace(model.info)
    seconds = 0.0 if not open_ else None if pace is None else pace * read
    return Forecast(len(prompts), len(there), read, sum(prompt.max_tokens for prompt in open_), seconds)


def duration(seconds: float) -> str:
    """Formats a duration: "40 s", "3 min", "2 h 10 min"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def mannered(prompt: Prompt, manner: Manner) -> Prompt:
    """Returns the prompt with the user's settings."""
    return replace(
        prompt,
        temperature=prompt.temperature if manner.temperature is None else manner.temperature,
        max_tokens=manner.answer_tokens or prompt.max_tokens,
        reasoning=manner.reasoning,
        reasoning_tokens=manner.reasoning_tokens,
    )


def complete_all(
    model: LanguageModel, prompts: Sequence[Prompt], *, report: Report = QuietReport(), on_text: OnPiece | None = None
) -> Outcomes:
    """Yields answers with their prompts' positions as they arrive: concurrently if the backend supports it, otherwise
    one by one. Errors of a single prompt (ContextTooLong, AnswerFailed) are yielded in place of its answer; all others
    are raised. ``on_text`` receives pieces by position, and "" when an answer starts over."""
    many = getattr(model, "complete_all", None)
    if many is not None:
        yield from many(prompts, report=report, on_text=on_text)
        return
    for place, prompt in enumerate(prompts):
        heard: OnText | None = None if on_text is None else partial(on_text, place)
        try:
            yield place, model.complete(prompt, on_text=heard, report=report)
        except (ContextTooLong, AnswerFailed) as error:
            yield place, error


def ask_all(
    model: LanguageModel,
    questions: Sequence[Question[Value]],
    *,
    report: Report = QuietReport(),
    on_answer: Callable[[int, Asked[Value]], None] | None = None,
    on_text: OnPiece | None = None,
    cache: AnswerCache | None = None,
    words: str = "answers",
) -> tuple[Asked[Value], ...]:
    """Returns the answers to questions, in their order; ``on_answer`` is called with each as soon as it is final.

    Answers come from the cache if the same question was asked before, and are cached as soon as they can be read. An
    answer that can't be read is requested again once, with the reason; one that was cut off is requested with twice the
    budget, then without reasoning. If that fails, the question has no value. Prompts with the same beginning are sent
    one after another, so that the server's prefix cache is used.

    Raises Cancelled (answers already passed on are kept), and EnvironmentProblem if the model isn't available.
    """
    cache = cache or AnswerCache()
    done: dict[int, Asked[Value]] = {}
    written: dict[int, tuple[Completion, ...]] = {}
    started, asked_tokens, answered = time.monotonic(), 0, 0

    def settle(place: int, asked: Asked[Value]) -> None:
        done[place] = asked
        if on_answer is not None:
            on_answer(place, asked)

    def tell() -> None:
        said = _pace(len(done), len(questions), answered, started, words) if answered else ahead
        report.progress(len(done) / len(questions), said)

    todo: dict[int, Prompt] = {}
    prompts = [question.prompt for question in questions]
    there = cache.get(model.info, prompts)
    ahead = _ahead(model, prompts, there, cache).words
    if len(questions) > len(there) + 1:
        report.say(ahead)
    for place, question in enumerate(questions):
        value, reason = _read(question, there[place]) if place in there else (None, "never asked")
        if not reason:
            settle(place, Asked(value, (there[place],), cached=True, prompt=question.prompt))
        else:
            todo[place] = question.prompt
    rounds, failures, said_at = 0, 0, 0.0
    with cache.keeping(model.info) as keep:
        while todo and rounds < 3:
            rounds += 1
            order = sorted(todo, key=lambda place: [message.content for message in todo[place].messages])
            prompts = [todo[place] for place in order]
            tell()
            again: dict[int, Prompt] = {}
            heard = None if on_text is None else partial(_placed, on_text, order)
            for at, outcome in complete_all(model, prompts, report=report, on_text=heard):
                place, prompt = order[at], prompts[at]
                if isinstance(outcome, EnvironmentProblem):
                    failures += isinstance(outcome, AnswerFailed)
                    if failures >= _MOST_FAILURES and not answered:
                        raise outcome
                    settle(place, Asked(None, written.get(place, ()), outcome.what.rstrip("."), error=outcome))
                    continue
                answered += 1
                asked_tokens += prompt.tokens
                question = questions[place]
                written[place] = (*written.get(place, ()), outcome)
                value, reason = _read(question, outcome)
                if reason == CUT and question.prose and rounds > 1:
                    shown = replace(outcome, text=f"{outcome.text.rstrip()} {CUT_MARK}", finish="stop")
                    value, reason = _read(question, shown)
                if not reason:
                    keep(question.prompt, outcome)
                    settle(place, Asked(value, written[place], prompt=prompt))
                elif (other := _other(model, question, prompt, outcome, reason=reason, rounds=rounds)) is not None:
                    again[place] = other
                else:
                    settle(place, Asked(None, written[place], reason, cut=outcome.finish == "length"))
                if time.monotonic() - said_at > _REPORT_EVERY:
                    said_at = time.monotonic()
                    tell()
            todo = again
    if asked_tokens:
        cache.note_pace(model.info, asked_tokens, time.monotonic() - started)
    report.progress(1.0)
    return tuple(done[place] for place in range(len(questions)))


def _placed(on_text: OnPiece, order: Sequence[int], at: int, piece: str) -> None:
    on_text(order[at], piece)


def _pace(done: int, of: int, answered: int, started: float, words: str) -> str:
    """Returns text such as "12 of 351 answers, 8.2 a second, about 40 s left"."""
    text = f"{done:,} of {of:,} {words}" if of > 1 else words.capitalize()
    seconds = time.monotonic() - started
    if answered < 3 or seconds <= 0 or of < 3:
        return text
    rate = answered / seconds
    shown = f"{rate:.1f} a second" if rate >= 0.95 else f"{rate * 60:.0f} a minute"
    return f"{text}, {shown}, about {duration((of - done) / rate)} left"


def _read(question: Question[Any], completion: Completion) -> tuple[Any, str]:
    """Returns the value of an answer, or the reason why there is none."""
    if completion.finish == "length":
        return None, CUT
    if completion.finish == "filtered":
        return None, "the model refused, or a filter blocked it"
    if not completion.text.strip():
        return None, "it is empty" + (" after the reasoning" if completion.reasoning else "")
    try:
        return question.read(completion.text), ""
    except ValueError as error:
        return None, str(error) or "it can't be read"


def _other(
    model: LanguageModel, question: Question[Any], prompt: Prompt, said: Completion, *, reason: str, rounds: int
) -> Prompt | None:
    """Returns the prompt for a retry after an unusable answer, or None to give up."""
    if said.finish == "length":
        # A chat template may have opened the reasoning, in which case the text doesn't show that it is reasoning.
        thinking = bool(said.reasoning) or not (question.prose or said.text.lstrip().startswith(("{", "[")))
        if rounds == 1:
            return _larger(model, question.prompt, thinking=thinking)
        off = replace(question.prompt, reasoning="off")
        return _larger(model, off, thinking=False) if rounds == 2 and thinking else None
    if rounds > 1 or said.finish == "filtered":
        return None
    wish = Message("user", f"That answer can't be used: {reason}. {question.again}")
    asked = replace(prompt, seed=prompt.seed + 1, messages=(*prompt.messages, Message("assistant", said.text), wish))
    room = (model.info.context or math.inf) - prompt.max_tokens
    # An answer that would leave no room for the next one isn't included in the retry.
    return asked if asked.tokens <= room else replace(prompt, seed=asked.seed)


def _larger(model: LanguageModel, prompt: Prompt, *, thinking: bool) -> Prompt:
    """Returns the prompt with twice the budget, plus room for ``thinking`` unless the model is known to reason, as far
    as the context allows."""
    more = prompt.reasoning_tokens if thinking and not getattr(model, "reasons", False) else 0
    tokens, context = 2 * prompt.max_tokens + more, model.info.context
    if context is not None:
        tokens = max(prompt.max_tokens, min(tokens, context - prompt.tokens))
    return replace(prompt, max_tokens=tokens)


@dataclass(frozen=True, slots=True)
class Answer(Generic[Value]):
    """The value of an answer with the completions that led to it; several if there were retries."""

    value: Value
    completions: tuple[Completion, ...]


def usable_or_raise(answers: Sequence[Asked[Any]]) -> None:
    """Raises the first problem if not a single question got a usable answer."""
    if answers and all(asked.value is None for asked in answers):
        first = answers[0]
        if len(answers) > 1 and first.completions:
            reason = f"none of {len(answers):,} could be read, the first because {first.problem}"
            raise UnusableAnswer(first.completions[-1].text, reason, cut=first.cut)
        usable(first)


def usable(asked: Asked[Value]) -> Answer[Value]:
    """Returns the answer to a question. Raises UnusableAnswer, or the error that kept the model from answering."""
    if asked.value is not None:
        return Answer(asked.value, asked.completions)
    if asked.error is not None and not asked.completions:
        raise asked.error
    said = asked.completions[-1].text if asked.completions else ""
    raise UnusableAnswer(said, asked.problem, cut=asked.cut) from asked.error
