"""The server backend: against ``transformers serve``, and against servers that fail in every way we could think of."""

from __future__ import annotations

import gzip
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import BaseModel

from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.models.language import AnswerFailed, Message, Prompt, UnusableAnswer
from engine.models.objects import closed, complete_as
from engine.models.questions import Question, ask_all
from engine.models.server_language import Refused, Server, ServerLanguageModel
from engine.models.server_report import look_at
from tests.engine.models.faulty_server import Exchange, Handler, faulty_server

ASKED = (Message("system", "You help."), Message("user", "Is it sound?"))


class Verdict(BaseModel):
    """What the tests ask for."""

    sound: bool


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.server_connection._PAUSE", 0.02)
    monkeypatch.setattr("engine.models.server_connection._RESTART_SECONDS", 0.0)


def answering(text: str) -> Handler:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        for word in re.findall(r"\S+\s*", text):
            exchange.piece(word)
        exchange.piece("", "stop")
        exchange.event({"choices": [], "usage": {"prompt_tokens": 70, "completion_tokens": 3}})
        exchange.event("[DONE]")

    return handler


@pytest.mark.loopback
def test_an_answer_is_streamed_with_its_counts_and_the_schema_is_asked_for() -> None:
    with faulty_server(answering('{"sound": true}')) as (url, seen):
        heard: list[str] = []
        answer = complete_as(
            ServerLanguageModel(Server(url), "m"), Prompt(ASKED, max_tokens=9, seed=4), Verdict, on_text=heard.append
        )
    assert answer.value.sound and len(answer.completions) == 1
    assert "".join(heard) == '{"sound": true}'
    (completion,) = answer.completions
    assert (completion.prompt_tokens, completion.completion_tokens, completion.finish) == (70, 3, "stop")
    (asked,) = seen
    assert asked["max_tokens"] == 9 and asked["seed"] == 4 and asked["messages"][1]["content"] == "Is it sound?"
    assert asked["response_format"]["json_schema"]["schema"] == closed(Verdict.model_json_schema())


@pytest.mark.loopback
def test_a_server_without_schemas_is_asked_again_without_one() -> None:
    def handler(exchange: Exchange) -> None:
        if "response_format" in exchange.asked:
            exchange.say({"error": {"message": "response_format is not supported"}}, 400)
        else:
            answering('Of course: ```json\n{"sound": false}\n```')(exchange)

    with faulty_server(handler) as (url, seen):
        answer = complete_as(ServerLanguageModel(Server(url), "m"), Prompt(ASKED, max_tokens=9), Verdict)
    assert not answer.value.sound and len(seen) == 2


@pytest.mark.loopback
def test_one_repair_and_then_a_clear_failure_that_keeps_the_raw_text() -> None:
    texts = iter(["I think it is sound.", '{"sound": true}', "no", "still no"])

    def handler(exchange: Exchange) -> None:
        answering(next(texts))(exchange)

    with faulty_server(handler) as (url, seen):
        model = ServerLanguageModel(Server(url), "m")
        assert len(complete_as(model, Prompt(ASKED, max_tokens=9), Verdict).completions) > 1
        assert seen[1]["messages"][2] == {"role": "assistant", "content": "I think it is sound."}
        assert complete_as(model, Prompt(ASKED, max_tokens=9), Verdict).value.sound and len(seen) == 2, "kept"
        with pytest.raises(UnusableAnswer) as caught:
            complete_as(model, Prompt(ASKED, max_tokens=9, seed=1), Verdict)
    assert caught.value.raw == "still no" and len(seen) == 4


@pytest.mark.loopback
def test_nobody_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EnvironmentProblem, match="No server is responding at"):
        ServerLanguageModel(Server(f"http://127.0.0.1:{port}/v1"), "m").complete(Prompt(ASKED, max_tokens=1))


@pytest.mark.loopback
def test_a_server_that_falls_silent() -> None:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece("It")
        exchange.released.wait(20)

    with faulty_server(handler) as (url, _):
        heard: list[str] = []
        model = ServerLanguageModel(Server(url, silence_seconds=0.3), "m")
        with pytest.raises(EnvironmentProblem, match="didn't respond for 0 seconds"):
            model.complete(Prompt(ASKED, max_tokens=5), on_text=heard.append)
    assert heard == ["It"]


@pytest.mark.loopback
@pytest.mark.parametrize("after", [0, 2], ids=["before the first word", "in the middle"])
def test_cancel_is_heard_while_a_server_stalls(after: int) -> None:
    stalled, given_up = threading.Event(), threading.Event()

    def handler(exchange: Exchange) -> None:
        if after:
            exchange.begin()
            for _ in range(after):
                exchange.piece("word ")
        stalled.set()
        exchange.released.wait(20)
        given_up.set()

    class Cancelling(QuietReport):
        def check(self) -> None:
            if stalled.is_set():
                raise Cancelled

    with faulty_server(handler) as (url, _):
        before = set(threading.enumerate())
        model = ServerLanguageModel(Server(url), "m")
        with pytest.raises(Cancelled):
            model.complete(Prompt(ASKED, max_tokens=5), report=Cancelling())
        assert not given_up.is_set(), "nobody waited for the server"
        model.close()
    left = set(threading.enumerate()) - before
    assert not [thread for thread in left if thread.name == "rejoinder-model-server" and thread.is_alive()]


@pytest.mark.loopback
@pytest.mark.parametrize(("chunked", "said"), [(True, "was lost"), (False, "stopped in the middle")])
def test_a_stream_that_is_cut(chunked: bool, said: str) -> None:
    def handler(exchange: Exchange) -> None:
        exchange.protocol_version = "HTTP/1.1"
        exchange.send_response(200)
        if chunked:
            exchange.send_header("Transfer-Encoding", "chunked")
            exchange.end_headers()
            exchange.wfile.write(b"40\r\ndata: ")  # announces more than it sends
        else:
            exchange.end_headers()
            exchange.piece("It is")
        exchange.close_connection = True

    with faulty_server(handler) as (url, _), pytest.raises(EnvironmentProblem, match=said):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))


@pytest.mark.loopback
@pytest.mark.parametrize(
    "event",
    [
        '{"choices": [',
        "[" * 100_000,
        "3",
        "[1]",
        '{"choices": {"a": 1}}',
        '{"choices": "text"}',
        '{"choices": [null]}',
        '{"choices": [{"delta": "text"}]}',
        '{"choices": [{"delta": {"content": 3}}]}',
        '{"choices": [{"delta": {"content": [{"text": "a"}]}}]}',
        '{"choices": [{"delta": {"content": "a"}, "finish_reason": 3}]}',
    ],
)
def test_nonsense_in_the_stream(event: str) -> None:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        exchange.event(event)

    with (
        faulty_server(handler) as (url, _),
        pytest.raises(EnvironmentProblem, match="doesn't answer like a language-model server"),
    ):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))


@pytest.mark.loopback
def test_a_refusal_is_shown_and_decides_nothing() -> None:
    """It comes in pieces, and the last one without a word ends with "stop" like an answer."""

    def handler(exchange: Exchange) -> None:
        exchange.begin()
        for said in ({"refusal": "No, I "}, {"refusal": "can't help."}, {}):
            exchange.event({"choices": [{"delta": said, "finish_reason": None if said else "stop"}]})
        exchange.event("[DONE]")

    with faulty_server(handler) as (url, seen):
        model = ServerLanguageModel(Server(url), "m")
        answer = model.complete(Prompt(ASKED, 20))
        assert (answer.text, answer.finish) == ("No, I can't help.", "filtered")
        (asked,) = ask_all(model, [Question(Prompt(ASKED, 20), str, prose=True)])
    assert (asked.value, asked.problem) == (None, "the model refused, or a filter blocked it") and len(seen) == 2


@pytest.mark.loopback
def test_signs_of_life_are_no_answer() -> None:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        with suppress(OSError):
            while not exchange.released.wait(0.05):
                exchange.wfile.write(b": keep-alive\n\n")

    with faulty_server(handler) as (url, _), pytest.raises(AnswerFailed, match="didn't respond for"):
        ServerLanguageModel(Server(url, silence_seconds=0.3), "m").complete(Prompt(ASKED, max_tokens=5))


@pytest.mark.loopback
def test_more_than_was_asked_for_is_not_read() -> None:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        with suppress(OSError):
            while not exchange.released.is_set():
                exchange.piece("and so on ")

    with faulty_server(handler) as (url, seen):
        answer = ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))
    assert answer.finish == "length" and 5_000 < len(answer.text) < 10_000 and len(seen) == 1


@pytest.mark.loopback
def test_a_fast_server_is_heard_in_few_pieces_and_a_stalling_one_at_once() -> None:
    """The window may need more time to show a piece than the server needs to send it."""
    heard: list[str] = []

    def handler(exchange: Exchange) -> None:
        exchange.begin()
        for _ in range(2000):
            exchange.piece("ab ")
        while "".join(heard) != "ab " * 2000:
            exchange.released.wait(0.02)
        exchange.piece("", "stop")

    with faulty_server(handler) as (url, _):
        answer = ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=2000), on_text=heard.append)
    assert answer.text == "".join(heard) and len(heard) < 1000


@pytest.mark.loopback
@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
def test_lines_may_end_in_carriage_returns(end: bytes) -> None:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        for text in ("It ", "is."):
            event = json.dumps({"choices": [{"delta": {"content": text}}]}).encode()
            exchange.wfile.write(b"data: " + event + end + end)
        exchange.wfile.write(b"data: [DONE]" + end)

    with faulty_server(handler) as (url, _):
        assert ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5)).text == "It is."


@pytest.mark.loopback
@pytest.mark.parametrize(("written", "finish"), [(4, "unstated"), (5, "length")])
def test_an_unstated_end_at_the_limit_is_one_at_the_limit(written: int, finish: str) -> None:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece("The authors should")
        exchange.event({"choices": [], "usage": {"completion_tokens": written}})
        exchange.event("[DONE]")

    with faulty_server(handler) as (url, _):
        assert ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5)).finish == finish


@pytest.mark.loopback
def test_counts_that_are_none_are_left_out() -> None:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece("fine", "stop")
        exchange.event({"choices": [], "usage": {"prompt_tokens": "7", "completion_tokens": 0.5}})

    with faulty_server(handler) as (url, _):
        answer = ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("fine", None, None)


@pytest.mark.loopback
def test_characters_that_other_programs_stumble_over() -> None:
    text = "a\u2028b\x85c\x0cd\re"

    def handler(exchange: Exchange) -> None:
        exchange.begin()
        exchange.wfile.write(b"\xef\xbb\xbf")
        for piece in (text, "\ud83d", "\ude00", " \ud800"):
            event = json.dumps({"choices": [{"delta": {"content": piece}}]}, ensure_ascii=piece.strip() > "\ud7ff")
            exchange.event(event)
        exchange.piece("", "stop")

    with faulty_server(handler) as (url, seen):
        model = ServerLanguageModel(Server(url), "m")
        answer = model.complete(Prompt((Message("user", "half a pair: \ud800"),), max_tokens=5))
    assert answer.text == f"{text}\N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"
    assert seen[0]["messages"][0]["content"] == "half a pair: \ud800"


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("line", "said"), [(b"x" * 10_000, "doesn't stop writing"), (b"x" * 5_000 + b"\n", "doesn't answer like")]
)
def test_an_answer_without_an_end(line: bytes, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.server_connection._LONGEST_LINE", 100_000)
    sent: list[int] = []

    def handler(exchange: Exchange) -> None:
        exchange.begin()
        with suppress(OSError):
            while not exchange.released.is_set():
                sent.append(exchange.wfile.write(line))

    with faulty_server(handler) as (url, seen), pytest.raises(AnswerFailed, match=said):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))
    assert sum(sent) < 60_000_000 * len(seen)


@pytest.mark.loopback
def test_an_error_without_an_end() -> None:
    def handler(exchange: Exchange) -> None:
        exchange.send_response(400)
        exchange.end_headers()
        with suppress(OSError):
            while not exchange.released.is_set():
                exchange.wfile.write(b"no " * 5_000)

    with faulty_server(handler) as (url, _), pytest.raises(Refused, match=r"\(400\): no no"):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))


@pytest.mark.loopback
def test_compressed_answers_are_neither_wanted_nor_unpacked() -> None:
    wanted: list[str | None] = []

    def handler(exchange: Exchange) -> None:
        wanted.append(exchange.headers.get("Accept-Encoding"))
        exchange.send_response(200)
        exchange.send_header("Content-Encoding", "gzip")
        exchange.end_headers()
        exchange.wfile.write(gzip.compress(b"data: [DONE]\n\n"))

    with faulty_server(handler) as (url, _), pytest.raises(EnvironmentProblem, match="compressed data"):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))
    assert set(wanted) == {"identity"}


@pytest.mark.loopback
@pytest.mark.parametrize("status", [200, 401, 500])
def test_the_key_and_control_characters_of_an_error_are_not_shown(status: int) -> None:
    said = {"error": {"message": "Wrong key sekrit-12\x1b[31m\n\u202e."}}

    def handler(exchange: Exchange) -> None:
        exchange.say(said, status)

    with faulty_server(handler) as (url, _), pytest.raises(EnvironmentProblem) as caught:
        ServerLanguageModel(Server(url, "sekrit-12"), "m").complete(Prompt(ASKED, max_tokens=5))
    assert "Wrong key …\ufffd[31m \ufffd." in caught.value.what


@pytest.mark.loopback
def test_a_redirection_is_not_followed() -> None:
    def handler(exchange: Exchange) -> None:
        exchange.send_response(307)
        exchange.send_header("Location", "http://192.0.2.7/v1/")
        exchange.end_headers()

    with faulty_server(handler) as (url, seen), pytest.raises(Refused, match=r"redirects to http://192\.0\.2\.7/v1/\."):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))
    assert len(seen) == 1


@pytest.mark.loopback
def test_models_are_listed_and_a_web_page_is_not_mistaken_for_them() -> None:
    with faulty_server(lambda exchange: exchange.say({"data": [{"id": "a"}, {"id": "b"}]})) as (url, seen):
        assert [one.id for one in look_at(Server(url)).models] == ["a", "b"]
    assert {one["path"] for one in seen} == {"/v1/models", "/props", "/api/v1/models", "/api/v0/models", "/api/tags"}
    with (
        faulty_server(lambda exchange: exchange.say("<html>")) as (url, _),
        pytest.raises(EnvironmentProblem, match="doesn't answer like a language-model server"),
    ):
        look_at(Server(url))


@pytest.mark.loopback
@pytest.mark.parametrize("odd", [None, 3, True, "word", [None], {"a": 1}, 10**30])
def test_abilities_and_sizes_of_a_wrong_type_are_unknown(odd: object) -> None:
    def handler(exchange: Exchange) -> None:
        path = exchange.asked.get("path", "/api/show")
        exchange.say(
            {
                "/v1/models": {"data": [{"id": "a"}]},
                "/api/v0/models": {"data": [{"id": "a", "max_context_length": 9, "capabilities": odd}]} if lm else {},
                "/api/tags": {"models": [{"name": "a", "digest": odd}]},
                "/api/show": {"capabilities": odd, "model_info": odd, "parameters": f"num_ctx {'9' * 5000}"},
            }.get(path, {})
        )

    for lm in (True, False):
        with faulty_server(handler) as (url, _):
            seen = look_at(Server(url))
        assert (seen.kind, seen.models[0].abilities) == ("LM Studio" if lm else "Ollama", ())
        assert seen.models[0].context is None


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("first", "asked_again", "value"),
    [
        ('{"sound": true}, no: {"sound": false}', "several answers that differ", True),
        ('{"sound": false} {"sound": false}', "", False),
        ('{"sound": false, "sound": true}', "several answers that differ", True),
        ('{"sound": false, "sound": false}', "", False),
        ("Certainly!", "requested form", True),
        ("", "it is empty", True),
        (f"{{{'[' * 5000}", "", True),
    ],
)
def test_what_an_answer_says_must_be_certain(first: str, asked_again: str, value: bool) -> None:
    """An answer that is too long to be shown to the model again isn't."""
    said = [first, '{"sound": true}']

    def handler(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece(said[len(seen) - 1], "stop")
        exchange.event("[DONE]")

    class Sound(BaseModel):
        sound: bool

    with faulty_server(handler) as (url, seen):
        model = ServerLanguageModel(Server(url), "m", context=1000)
        assert complete_as(model, Prompt(ASKED, 20), Sound).value.sound is value
    if asked_again:
        assert asked_again in seen[-1]["messages"][-1]["content"]
    else:
        assert [len(one["messages"]) for one in seen] == ([2, 2] if value else [2])


# --- a real server ------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def served(tiny_language_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = tmp_path_factory.mktemp("served")
    command = ["-m", "transformers.cli.transformers", "serve", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--device", "cpu", str(tiny_language_model)]
    environment = os.environ | {"HF_HUB_CACHE": str(own), "REJOINDER_SOCKET_LOG": str(own / "sockets")}
    process = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, text=True
    )
    assert process.stdout is not None
    said: list[str] = []
    try:
        # It says itself when it listens; where it ends before, its last words are the reason.
        for line in process.stdout:
            said.append(line)
            if "running on" in line:
                break
        assert process.poll() is None, "".join(said)[-2000:]
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.loopback
def test_a_real_server_answers_and_streams(served: str, tiny_language_model: Path) -> None:
    listed = {one.id for one in look_at(Server(served)).models}
    assert listed <= {str(tiny_language_model)}  # earlier versions list a cache of downloads, which is empty
    heard: list[str] = []
    model = ServerLanguageModel(Server(served), str(tiny_language_model))
    answer = model.complete(Prompt(ASKED, max_tokens=12), on_text=heard.append)
    assert answer.text and "".join(heard) == answer.text
    assert answer.completion_tokens is None or answer.completion_tokens <= 12
