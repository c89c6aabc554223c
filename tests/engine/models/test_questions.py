"""Many questions to a server that misbehaves in every way we could think of: no finished answer is lost, and no answer
that cannot be used decides anything. The servers are scripted; no real model answers here.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from contextlib import closing
from typing import Any

import pytest
from pydantic import BaseModel, Field

from engine.errors import Cancelled, EnvironmentProblem
from engine.files import mode_of
from engine.jobs import QuietReport
from engine.models.answer_text import AnswerStream, json_parts, split_reasoning
from engine.models.caches import AnswerCache
from engine.models.language import (
    Completion,
    ContextTooLong,
    LanguageModelInfo,
    Manner,
    Message,
    Prompt,
    UnusableAnswer,
)
from engine.models.objects import ask_objects, complete_as
from engine.models.questions import Asked, Question, Tally, ask_all, duration, forecast, mannered
from engine.models.server_language import Server, ServerLanguageModel
from engine.models.server_report import look_at
from tests.engine.models.scripted_server import Dialect, Running, Script, Style, even, scripted_server

YES_NO = {"type": "object", "properties": {"answer": {"enum": ["yes", "no"]}}, "required": ["answer"]}
DIALECTS: tuple[Dialect, ...] = ("vLLM", "llama.cpp", "Ollama", "LM Studio", "OpenAI-compatible")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.server_connection._PAUSE", 0.02)
    monkeypatch.setattr("engine.models.server_connection._RESTART_SECONDS", 0.0)


def read(text: str) -> bool:
    answer = json.loads(json_parts(text)[0]).get("answer")
    if answer not in ("yes", "no"):
        raise ValueError("neither yes nor no")
    return bool(answer == "yes")


def questions(count: int = 40, tokens: int = 24) -> list[Question[bool]]:
    about = (Message("system", "You count."),)
    return [
        Question(Prompt((*about, Message("user", f"Is it even: {n}")), tokens, schema=YES_NO), read)
        for n in range(count)
    ]


def model_of(server: Running, **more: Any) -> ServerLanguageModel:
    """The server's model as it is added: with what the server says of it."""
    seen = look_at(Server(server.url))
    (offered,) = seen.models
    return ServerLanguageModel(
        Server(server.url, **more), offered.id, context=offered.context or 32_768, kind=seen.kind,
        version=offered.version, reasons="reasoning" in offered.abilities,
    )  # fmt: skip


def decided(answers: tuple[Asked[bool], ...]) -> list[bool | None]:
    return [asked.value for asked in answers]


EVEN: list[bool | None] = [n % 2 == 0 for n in range(40)]


# --- what servers say of themselves -----------------------------------------------------------------------------------
@pytest.mark.loopback
@pytest.mark.parametrize("dialect", DIALECTS)
def test_context_models_and_abilities_are_read(dialect: Dialect) -> None:
    with scripted_server(Script(even, dialect, context=16_384)) as server:
        seen = look_at(Server(server.url))
        assert seen.kind == dialect
        (model,) = seen.models
        known = {
            "vLLM": 16_384,
            "llama.cpp": 131_072,
            "Ollama": 131_072,
            "LM Studio": 131_072,
            "OpenAI-compatible": None,
        }
        assert model.context == (None if dialect == "OpenAI-compatible" else 16_384)
        assert model.longest == known[dialect]
        abilities = {"llama.cpp": ("reasoning", "vision"), "Ollama": ("reasoning", "tools"), "LM Studio": ("tools",)}
        assert model.abilities == abilities.get(dialect, ())
        assert look_at(Server(server.url.removesuffix("/v1"))).server.url == server.url, "the path may be left out"


@pytest.mark.loopback
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("style", ["", "tags", "tags without a beginning", "reasoning_content", "reasoning"])
def test_every_dialect_answers_with_and_without_reasoning(dialect: Dialect, style: Style) -> None:
    with scripted_server(Script(even, dialect, style=style, reasoning=150)) as server:
        model = model_of(server)
        answers = ask_all(model, questions())
        assert decided(answers) == EVEN
        if style:
            assert all("hmm" in asked.completions[-1].reasoning for asked in answers)
            assert all("hmm" not in asked.completions[-1].text for asked in answers)
        native = "/api/chat" if dialect == "Ollama" else "/v1/chat/completions"
        assert native in server.script.paths
        if dialect == "Ollama":
            assert server.script.seen[0]["options"]["num_ctx"] == 32_768
        model.close()


@pytest.mark.loopback
def test_an_ollama_server_without_its_own_interface_is_asked_by_the_other() -> None:
    with scripted_server(Script(even, "Ollama", no_native=True, no_schema=True)) as server:
        assert decided(ask_all(model_of(server), questions())) == EVEN


# --- answers ----------------------------------------------------------------------------------------------------------
@pytest.mark.loopback
def test_reasoning_that_never_ends_is_switched_off() -> None:
    with scripted_server(Script(even, style="reasoning_content", reasoning=20_000)) as server:
        answers = ask_all(model_of(server), questions(4))
        assert decided(answers) == EVEN[:4]
        assert {len(asked.completions) for asked in answers} == {3}, "the budget, more of it, and without reasoning"


@pytest.mark.loopback
def test_reasoning_that_cannot_be_ended_decides_nothing() -> None:
    script = Script(even, style="tags", reasoning=20_000, can_stop_reasoning=False)
    with scripted_server(script) as server:
        answers = ask_all(model_of(server), questions(6))
        assert decided(answers) == [None] * 6
        tally = Tally()
        tally.add(answers)
        assert tally.again == 12 and tally.unanswered == ["it was cut off"] * 6
        assert "6 of 6 questions got no usable answer and stayed undecided" in tally.remarks()[0]


@pytest.mark.loopback
@pytest.mark.parametrize("dialect", ["vLLM", "llama.cpp", "LM Studio", "OpenAI-compatible"])
def test_what_a_server_answers_to_a_part_of_a_prompt_decides_nothing(dialect: Dialect) -> None:
    """The server says nothing but how many tokens it read; a context that the user set too high leads to this."""
    long = Question(Prompt((Message("user", f"{'word ' * 900}\nIs it even: 4"),), 24, schema=YES_NO), read)
    with scripted_server(Script(even, dialect, reads=600)) as server:
        cut, whole = ask_all(model_of(server), [long, *questions(1)])
        assert (cut.value, whole.value) == (None, True), "the short question is answered"
        assert "read only 600 tokens of more than 904" in cut.problem and isinstance(cut.error, ContextTooLong)
        server.script.reads = 10**9
        assert decided(ask_all(model_of(server), [long])) == [True], "the answer to a part wasn't kept"


@pytest.mark.loopback
def test_babble_around_an_answer_is_no_answer_by_itself() -> None:
    script = Script(even, before="Sure {as asked}! Here: ```json\n", after="\n``` {I hope this helps}", no_schema=True)
    with scripted_server(script) as server:
        assert decided(ask_all(model_of(server), questions())) == EVEN
        script.answer = lambda _text: "I cannot say."
        assert decided(ask_all(model_of(server), questions(3, tokens=30))) == [None] * 3


class Report(BaseModel):
    """An object with parts."""

    facts: list[str] = Field(max_length=9)
    issues: list[str] = Field(max_length=9)
    score: int


@pytest.mark.loopback
def test_objects_that_do_not_fit_are_asked_for_in_parts() -> None:
    whole = {"facts": ["one two three four five six"] * 3, "issues": ["one two three four five six"] * 3, "score": 4}

    def answer(text: str) -> str:
        named = re.search(r"these fields only: (.*)\.$", text)
        return json.dumps({name: whole[name] for name in named[1].split(", ")} if named else whole)

    with scripted_server(Script(answer)) as server:
        answer_ = complete_as(model_of(server), Prompt((Message("user", "Report."),), 20), Report)
        assert answer_.value.model_dump() == whole
        with pytest.raises(UnusableAnswer, match="cut off") as caught:
            complete_as(model_of(server), Prompt((Message("user", "Report."),), 3), Report)
    assert caught.value.cut and "Allow a longer answer" in caught.value.do
    assert "Try again" in UnusableAnswer("", "the list “cut off” is empty").do


# --- servers that misbehave -------------------------------------------------------------------------------------------
@pytest.mark.loopback
@pytest.mark.parametrize("dialect", ["vLLM", "Ollama"])
def test_random_failures_lose_nothing(dialect: Dialect) -> None:
    with scripted_server(Script(even, dialect, failures=0.05, seed=3)) as server:
        answers = ask_all(model_of(server), questions(200))
        assert decided(answers) == [n % 2 == 0 for n in range(200)]


@pytest.mark.loopback
def test_a_rate_limit_is_kept_to() -> None:
    with scripted_server(Script(even, at_once=3, latency=0.01)) as server:
        model = model_of(server)
        assert decided(ask_all(model, questions(60))) == [n % 2 == 0 for n in range(60)]
        assert 1 <= model.concurrency < 16, "fewer at once after the refusals"
        assert server.script.refused < 60


@pytest.mark.loopback
def test_requests_run_beside_each_other_over_connections_that_stay_open() -> None:
    with scripted_server(Script(even, latency=0.8)) as server:
        model = model_of(server)
        before = server.script.connections
        ask_all(model, questions(80))
        ask_all(model, questions(81)[80:])
        assert server.script.most_at_once == 16
        assert server.script.connections - before <= 17


@pytest.mark.loopback
def test_a_restart_in_the_middle_loses_nothing() -> None:
    with scripted_server(Script(even, latency=0.02)) as server:
        model, once = model_of(server), threading.Event()

        def on_answer(_place: int, _asked: Asked[bool]) -> None:
            if not once.is_set():
                once.set()
                server.restart(0.05)

        assert decided(ask_all(model, questions(), on_answer=on_answer)) == EVEN


@pytest.mark.loopback
def test_a_restart_during_the_first_answer_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.server_connection._RESTART_SECONDS", 30.0)
    with scripted_server(Script(lambda _: "more " * 20_000)) as server:

        def on_text(_place: int, _piece: str) -> None:
            if server.script.answer is not even:
                server.script.answer = even
                server.restart(0.5)  # longer than the attempts at a server that was never there

        assert decided(ask_all(model_of(server), questions(1, 10_000), on_text=on_text)) == [True]


@pytest.mark.loopback
def test_a_stalled_request_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.server_connection._LEAST_PATIENCE", 0.3)
    with scripted_server(Script(even, stalls=0.05, seed=5)) as server:
        assert decided(ask_all(model_of(server, silence_seconds=0.5), questions(80))) == [n % 2 == 0 for n in range(80)]


@pytest.mark.loopback
def test_cancel_keeps_what_was_answered_and_the_next_run_goes_on_there() -> None:
    class Impatient(QuietReport):
        answers = 0

        def check(self) -> None:
            if self.answers >= 10:
                raise Cancelled

    with scripted_server(Script(even, latency=0.02)) as server:
        report, heard = Impatient(), dict[int, bool | None]()

        def on_answer(place: int, asked: Asked[bool]) -> None:
            heard[place] = asked.value
            report.answers += 1

        model = model_of(server)
        with pytest.raises(Cancelled):
            ask_all(model, questions(), report=report, on_answer=on_answer)
        assert 10 <= len(heard) < 40 and all(EVEN[place] == value for place, value in heard.items())
        plan = forecast(model, [question.prompt for question in questions()])
        assert plan.requests == 40 and plan.cached == len(heard) and "answered before" in plan.words
        server.script.seen.clear()
        again = ask_all(model, questions())
        # What was under way when the run was cancelled may reach the server late; what was heard is never asked again.
        known = {questions()[place].prompt.messages[-1].content for place in heard}
        asked = {request["messages"][-1]["content"] for request in server.script.seen}
        assert decided(again) == EVEN and len(asked) == 40 - len(heard) and not asked & known
        assert sum(asked.cached for asked in again) == len(heard)
        server.stop()
        try:
            assert decided(ask_all(model, questions())) == EVEN, "all was answered before"
            with pytest.raises(EnvironmentProblem, match="No server is responding at"):
                ask_all(model, questions(41))
        finally:
            server.start()


@pytest.mark.loopback
def test_progress_says_how_many_how_fast_and_how_long() -> None:
    said: list[str] = []
    announced: list[str] = []

    class Telling(QuietReport):
        def progress(self, _fraction: float, words: str = "") -> None:
            said.append(words)

        def say(self, words: str) -> None:
            announced.append(words)

    with scripted_server(Script(even, latency=0.05)) as server:
        model = model_of(server, concurrency=4)
        assert "time not measured yet" in forecast(model, [question.prompt for question in questions()]).words
        ask_all(model, questions(), report=Telling(), words="pairs")
        expected = "40 requests, about "
        assert [words[: len(expected)] for words in (*announced, said[0])] == [expected] * 2, (
            "until something is answered"
        )
        assert any(re.match(r"\d+ of 40 pairs, [\d.]+ a second, about \d+ s left", words) for words in said)
        later = forecast(model, [question.prompt for question in questions(60)])
        assert later.cached == 40 and later.seconds is not None and "about" in later.words


# --- parts ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ('{"a": 1}', "", '{"a": 1}'),
        ('<think>Maybe {"a": 2}.</think>{"a": 1}', 'Maybe {"a": 2}.', '{"a": 1}'),
        ('Well</think>\n{"a": 1}', "Well", '{"a": 1}'),
        ("<reasoning>It goes on and on", "It goes on and on", ""),
        ('{"a": "it wrote <think>x</think>"}', "", '{"a": "it wrote <think>x</think>"}'),
        ("<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>Yes.<|return|>", "Hm.", "Yes."),
        ("<THINK>a</THINK>b<think>c</think>", "a\n\nc", "b"),
        ("[THINK]a[/THINK]b", "a", "b"),
        ("<seed:think>a</seed:think>b", "a", "b"),
        ("◁think▷a◁/think▷b", "a", "b"),
        ("<|channel>thought\na<channel|>b", "a", "b"),
        ("No tags, no thoughts.", "", "No tags, no thoughts."),
    ],
)
def test_reasoning_is_taken_apart_from_the_answer(text: str, reasoning: str, answer: str) -> None:
    assert split_reasoning(text) == (reasoning, answer)


@pytest.mark.parametrize("size", [1, 3, 50])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>no</think>\nYes, it is.", "Yes, it is."),
        ("  Plain <b>words</b>", "Plain <b>words</b>"),
        ("<thin air>", "<thin air>"),
        ("<|channel>thoughtful words", "<|channel>thoughtful words"),
        ("<think>[a] is <b </think>Yes.", "Yes."),
    ],
)
def test_streams_show_the_answer_alone(text: str, shown: str, size: int) -> None:
    heard: list[str] = []
    stream = AnswerStream(heard.append)
    for at in range(0, len(text), size):
        stream.feed(text[at : at + size])
    assert "".join(heard).strip() == shown


def test_of_a_long_reasoning_only_what_could_be_its_end_is_looked_at_again() -> None:
    heard: list[str] = []
    stream = AnswerStream(heard.append)
    stream.feed("<think>")
    for _ in range(100):
        stream.feed("if a < b, then it [may] follow ")
    stream.feed("</thi")
    assert not heard and stream._held == "</thi"
    stream.feed("nk>Yes.")
    assert heard == ["Yes."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Take {this}: {"a": {"b": 1}} {"c": 2}', ['{"c": 2}', '{"a": {"b": 1}}']),
        ('{"a": [1, 2', ['{"a": [1, 2']),
        ("none", ["none"]),
        ("{broken} text }", ["{broken} text }"]),
    ],
)
def test_json_is_found_among_words(text: str, found: list[str]) -> None:
    assert json_parts(text) == found


def test_what_a_person_set_reaches_the_prompt() -> None:
    prompt = Prompt((Message("user", "Why?"),), 100, seed=3, temperature=0.1)
    assert mannered(prompt, Manner()) == prompt
    asked = mannered(prompt, Manner(0.7, 50, "off", 10))
    assert (asked.temperature, asked.max_tokens, asked.reasoning, asked.reasoning_tokens, asked.seed) == (
        0.7,
        50,
        "off",
        10,
        3,
    )


@pytest.mark.parametrize(("seconds", "words"), [(0.1, "1 s"), (59, "59 s"), (400, "7 min"), (9000, "2 h 30 min")])
def test_times_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_cache_is_its_owners_bounded_and_deleted_whole() -> None:
    cache, info = AnswerCache(size_bound=400_000), LanguageModelInfo("m", "M", "server", "1", 8000)
    prompts = [Prompt((Message("user", str(number)),), max_tokens=9) for number in range(60)]
    with cache.keeping(info) as keep:
        for prompt in prompts[:40]:
            keep(prompt, Completion("x" * 20_000, "stop", 1, 1, 0.1))
        files = sorted(cache.path.parent.glob("answers.sqlite*"))
        assert [file.name for file in files] == ["answers.sqlite", "answers.sqlite-shm", "answers.sqlite-wal"]
        assert {mode_of(file) for file in files} == {0o600} and mode_of(cache.path.parent) == 0o700
    assert len(cache.get(info, prompts)) == 30, "a quarter was deleted"
    for prompt in prompts[40:]:
        with cache.keeping(info) as keep:
            keep(prompt, Completion("x" * 20_000, "stop", 1, 1, 0.1))
    assert 10 < len(cache.get(info, prompts)) < 30
    cache.path.with_name("answers.sqlite-journal").touch()
    cache.clear()
    assert not list(cache.path.parent.glob("answers.sqlite*"))


@pytest.mark.parametrize("text", ["{", "[1]", '{"text": "x"}', '{"text": "x", "words": 1}'])
def test_answers_of_another_version_are_asked_for_again(text: str) -> None:
    cache, info = AnswerCache(), LanguageModelInfo("m", "M", "server", "1", 8000)
    prompt = Prompt((Message("user", "a"),), max_tokens=9)
    with cache.keeping(info) as keep:
        keep(prompt, Completion("x", "stop", 1, 1, 0.1))
    with closing(sqlite3.connect(cache.path)) as connection, connection:
        connection.execute("UPDATE answer SET completion = ?", (text,))
    assert cache.get(info, [prompt]) == {}


def test_a_damaged_cache_costs_time_and_no_answer() -> None:
    cache, info = AnswerCache(), LanguageModelInfo("m", "M", "server", "1", 8000)
    asked: list[Prompt] = []

    class Model:
        def __init__(self) -> None:
            self.info = info

        def complete(self, prompt: Prompt, *, on_text: object = None, report: object = None) -> Completion:
            asked.append(prompt)
            return Completion(even(prompt.messages[-1].content), "stop", 1, 1, 0.0)

    def ask() -> list[bool | None]:
        return decided(ask_all(Model(), questions(3)))

    assert ask() == ask() == EVEN[:3] and len(asked) == 3
    cache.path.write_bytes(b"nonsense" * 900)
    assert ask() == EVEN[:3] and len(asked) == 6


def test_one_failed_object_leaves_the_others() -> None:
    class Model:
        info = LanguageModelInfo("m", "M", "server", "1", 8000)

        def complete(self, prompt: Prompt, *, on_text: object = None, report: object = None) -> Completion:
            good = json.dumps({"facts": [], "issues": [], "score": 1})
            return Completion("I won't." if "Two" in prompt.messages[0].content else good, "stop", 1, 1, 0.0)

    heard: list[tuple[int, bool]] = []

    def hear(place: int, asked: Asked[Report]) -> None:
        heard.append((place, asked.value is not None))

    prompts = [(Prompt((Message("user", words),), 50), Report) for words in ("One", "Two", "Three")]
    answers = ask_objects(Model(), prompts, on_answer=hear)
    assert [asked.value is not None for asked in answers] == [True, False, True]
    assert sorted(heard) == [(0, True), (1, False), (2, True)] and "requested form" in answers[1].problem


def test_text_for_a_person_that_is_cut_off_twice_is_shown_and_says_so() -> None:
    tokens: list[int] = []

    class Model:
        info = LanguageModelInfo("m", "M", "server", "1", 8000)

        def complete(self, prompt: Prompt, *, on_text: object = None, report: object = None) -> Completion:
            tokens.append(prompt.max_tokens)
            return Completion("We agree, and", "length", 1, 1, 0.0)

    prompt = Prompt((Message("user", "Reply."),), 50)
    (prose,) = ask_all(Model(), [Question(prompt, str, prose=True)])
    assert prose.value == "We agree, and [cut off here by the model's limit]" and tokens == [50, 100]
    (decision,) = ask_all(Model(), [Question(prompt, str)])
    assert decision.value is None and decision.cut
