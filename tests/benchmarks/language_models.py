"""How soon a language model stops: during an answer, while its process loads, while a server stalls; and how long many
questions to a scripted server take, relative to its latency alone."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.errors import Cancelled
from engine.jobs import QuietReport
from engine.models.caches import AnswerCache
from engine.models.language import LanguageModel, LanguageModelInfo, Message, Prompt
from engine.models.questions import Question, ask_all
from engine.models.server_address import CONCURRENCY
from engine.models.server_language import Server, ServerLanguageModel
from engine.models.transformers_language import ProcessLanguageModel
from tests.engine.models.faulty_server import Exchange, faulty_server
from tests.engine.models.tiny_language_model import make_tiny_language_model

ASKED = (Message("user", "Say something about the paper."),)
ROUNDS = 5
QUESTIONS, LATENCY = 351, 0.2


class _Stop(QuietReport):
    """Cancels once the event is set, and records when that was first checked."""

    def __init__(self) -> None:
        self.event, self.asked = threading.Event(), 0.0

    def check(self) -> None:
        if self.event.is_set():
            self.asked = self.asked or time.monotonic()
            raise Cancelled


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns seconds from the request to stop until the caller has its thread back, worst of five rounds each."""
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as folder:
        tiny = make_tiny_language_model(Path(folder) / "tiny")
        info = LanguageModelInfo("tiny", "Tiny", "transformers", "0")
        model = ProcessLanguageModel(tiny, info, device="cpu")
        model.complete(Prompt(ASKED, max_tokens=2))
        answering = [_seconds(model, lambda stop: stop.event.set()) for _ in range(ROUNDS)]
        model.close()
        loading = []
        for _ in range(ROUNDS):
            fresh = ProcessLanguageModel(tiny, info, device="cpu")
            loading.append(_seconds(fresh, None))
            fresh.close()
    stalled = [_stalling() for _ in range(ROUNDS)]
    ideal = -(-QUESTIONS // CONCURRENCY) * LATENCY
    return {
        "questions_over_ideal": {"value": _questions() / ideal, "unit": "times", "better": "lower", "target": 1.2},
        "stop_in_an_answer": _figure(max(answering)),
        "stop_while_loading": _figure(max(loading)),
        "stop_while_a_server_stalls": _figure(max(stalled)),
        "stop_in_an_answer_median": _figure(statistics.median(answering)),
    }


def _questions() -> float:
    """Returns the seconds for all questions to a server in a separate process, median of three rounds."""
    command = [sys.executable, "-m", "tests.engine.models.scripted_server", str(LATENCY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        model = ServerLanguageModel(Server(process.stdout.readline().strip()), "scripted", context=32_768)
        taken = []
        for round_ in range(3):
            asked = [
                Question(Prompt((Message("user", f"Round {round_}. Is it even: {n}"),), 24), lambda text: "yes" in text)
                for n in range(QUESTIONS)
            ]
            with tempfile.TemporaryDirectory(prefix="rejoinder-") as folder:
                started = time.monotonic()
                answers = ask_all(model, asked, cache=AnswerCache(Path(folder) / "answers.sqlite"))
                taken.append(time.monotonic() - started)
            assert [answer.value for answer in answers] == [n % 2 == 0 for n in range(QUESTIONS)]
        model.close()
        process.communicate()
    return statistics.median(taken)


def _seconds(model: LanguageModel, at_first_word: Callable[[_Stop], None] | None) -> float:
    stop = _Stop()
    if at_first_word is None:
        stop.event.set()
    heard = (lambda _text: at_first_word(stop)) if at_first_word is not None else None
    try:
        model.complete(Prompt(ASKED, max_tokens=450, temperature=1.0), on_text=heard, report=stop)
    except Cancelled:
        return time.monotonic() - stop.asked
    raise AssertionError("the answer ended by itself")


def _stalling() -> float:
    stop = _Stop()

    def handler(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece("word ")
        stop.event.set()
        exchange.released.wait(20)

    with faulty_server(handler) as (url, _):
        try:
            ServerLanguageModel(Server(url), "m").complete(Prompt(ASKED, max_tokens=5), report=stop)
        except Cancelled:
            return time.monotonic() - stop.asked
    raise AssertionError("the answer ended by itself")


def _figure(value: float) -> dict[str, Any]:
    return {"value": value, "unit": "s", "better": "lower", "target": 1.0}
