"""A language model's server that refuses, fails or answers in part."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from engine.errors import EnvironmentProblem
from engine.jobs import QuietReport
from engine.models.language import AnswerFailed, Completion, ContextTooLong, Message, Prompt
from engine.models.server_language import Refused, Server, ServerLanguageModel
from tests.engine.models.faulty_server import Exchange, faulty_server
from tests.engine.models.test_server_language import ASKED, answering, short_pauses  # noqa: F401 - for every test here


@pytest.mark.loopback
@pytest.mark.parametrize("said", ['{"error": {"message": "out of memory"}}', "{broken", "3", "error: {}"])
def test_an_error_in_the_stream_concerns_one_question_which_is_asked_again(said: str) -> None:
    asked: Counter[str] = Counter()

    def handler(exchange: Exchange) -> None:
        question = exchange.asked["messages"][0]["content"]
        asked[question] += 1
        exchange.begin()
        if question == "never" or (question == "first" and asked[question] == 1):
            exchange.wfile.write(said.encode()) if said.startswith("error") else exchange.event(said)
            return
        exchange.piece("Yes.", "stop")
        exchange.event("[DONE]")

    with faulty_server(handler) as (url, _):
        model = ServerLanguageModel(Server(url), "m")
        questions = [Prompt((Message("user", words),), max_tokens=5) for words in ("first", "never", "good")]
        answers = dict(model.complete_all(questions))
    assert [type(answers[place]) for place in range(3)] == [Completion, AnswerFailed, Completion]
    assert asked == {"first": 2, "never": 4, "good": 1}


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("status", "said", "error", "words"),
    [
        (400, "This model's maximum context length is 4096 tokens.", ContextTooLong, "4096 tokens"),
        (400, "request (4390 tokens) exceeds the available context size (4096 tokens)", ContextTooLong, "4390 tokens"),
        (500, "Context size has been exceeded.", ContextTooLong, "Context size"),
        (413, "Payload Too Large", ContextTooLong, "Payload"),
        (409, "The model is being replaced", Refused, "Wait a while"),
        (404, "No models loaded. Please load a model in the developer page.", Refused, "Load the model on the server"),
        (429, "Request rate exceeds the limit of 5 a minute", Refused, "Wait a while"),
        (503, "Loading model", Refused, "until the server has loaded the model"),
        (504, "upstream took too long to respond", AnswerFailed, "upstream"),
        (401, "Unauthorized", Refused, "API key"),
        (404, "model 'm' not found", Refused, "still has this model"),
    ],
)
def test_refusals_say_what_happened_and_what_to_do(
    status: int, said: str, error: type[EnvironmentProblem], words: str
) -> None:
    with (
        faulty_server(lambda exchange: exchange.say({"error": {"message": said}}, status)) as (url, _),
        pytest.raises(error, match=re.escape(words)) as caught,
    ):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))
    assert said.rstrip(".") in str(caught.value)


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("eosFound", "stop"), ("stopStringFound", "stop"), ("tool_calls", "stop"), ("MAX_TOKENS", "length"),
        ("maxPredictedTokensReached", "length"), ("contextLengthReached", "length"), ("max_output_tokens", "length"),
        ("incomplete", "length"), ("RECITATION", "filtered"), ("refusal", "filtered"), ("userStopped", ""),
        ("modelUnloaded", ""), ("failed", ""), ("timeout", ""), ("never heard of", ""), (None, "unstated"),
    ],
)  # fmt: skip
def test_only_an_answer_that_ended_by_itself_is_whole(said: str | None, means: str) -> None:
    def handler(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece("The authors should", said)
        exchange.event("[DONE]")

    with faulty_server(handler) as (url, seen):
        model = ServerLanguageModel(Server(url), "m")
        if means:
            assert model.complete(Prompt(ASKED, max_tokens=5)).finish == means and len(seen) == 1
        else:
            with pytest.raises(AnswerFailed, match="in the middle"):
                model.complete(Prompt(ASKED, max_tokens=5))
            assert len(seen) == 4, "it is asked again"


@pytest.mark.loopback
def test_a_prompt_that_may_exceed_the_context_is_never_sent() -> None:
    short, long = (Prompt((Message("user", "水位计每天读两次。" * n),), max_tokens=5) for n in (3, 40))
    with faulty_server(answering("Fine.")) as (url, seen):
        model, heard = ServerLanguageModel(Server(url), "m", context=300), list[tuple[int, str]]()
        answers = dict(model.complete_all([long, short], on_text=lambda place, piece: heard.append((place, piece))))
        assert isinstance(answers[0], ContextTooLong) and isinstance(answers[1], Completion)
        assert len(seen) == 1 and {place for place, _ in heard} == {1}
        model = ServerLanguageModel(Server(url), "m", context=300, kind="Ollama")
        model.complete(short)
        assert (seen[1]["truncate"], seen[1]["shift"]) == (False, False), "Ollama would drop a part of it silently"


@pytest.mark.loopback
def test_an_internal_error_is_said_with_the_servers_words() -> None:
    with (
        faulty_server(lambda exchange: exchange.say({"error": {"message": "model crashed"}}, 500)) as (url, seen),
        pytest.raises(AnswerFailed, match=r"\(500\): model crashed"),
    ):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))
    assert len(seen) == 3, "one failure inside may be the last"


class _Heard(QuietReport):
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, words: str) -> None:
        self.said.append(words)


@pytest.mark.loopback
@pytest.mark.parametrize("status", [429, 503])
def test_while_a_server_refuses_the_job_says_so(status: int) -> None:
    heard = _Heard()

    def handler(exchange: Exchange) -> None:
        if not heard.said:
            exchange.say({"error": {"message": "later"}}, status)
        else:
            answering("ready")(exchange)

    with faulty_server(handler) as (url, _):
        model = ServerLanguageModel(Server(url), "m")
        assert model.complete(Prompt(ASKED, max_tokens=5), report=heard.part(0.2, 0.9)).text == "ready"
    assert heard.said[0] == "Server isn't ready; retrying"


@pytest.mark.loopback
def test_a_server_that_is_still_loading_is_asked_again() -> None:
    count = 0

    def handler(exchange: Exchange) -> None:
        nonlocal count
        count += 1
        if count < 3:
            exchange.say({"error": {"message": "Loading model"}}, 503)
        else:
            answering("ready")(exchange)

    with faulty_server(handler) as (url, _):
        assert ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5)).text == "ready"
        count = -10
        with pytest.raises(Refused, match="Loading model"):
            ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))


@pytest.mark.loopback
@pytest.mark.parametrize(
    "said",
    [
        "the request exceeds the available context size. try increasing the context size",
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
    ],
)
def test_a_context_that_is_too_long_has_its_own_error(said: str) -> None:
    with (
        faulty_server(lambda exchange: exchange.say({"error": {"message": said}}, 400)) as (url, _),
        pytest.raises(ContextTooLong),
    ):
        ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))


@pytest.mark.loopback
def test_a_web_page_is_named_and_not_quoted() -> None:
    page = "<!DOCTYPE html><html><head><title>502 Bad &amp; Gateway</title></head><body>nginx</body></html>"
    for status in (200, 502):
        with (
            faulty_server(lambda exchange, status=status: exchange.say(page, status)) as (url, _),
            pytest.raises(EnvironmentProblem, match="a web page, titled “502 Bad & Gateway”") as caught,
        ):
            ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5))
        assert "<" not in str(caught.value)
