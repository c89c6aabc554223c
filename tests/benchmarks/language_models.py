"""How soon a language model stops: in the middle of an answer, while its process is loading, while a server stalls."""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.errors import Cancelled
from engine.jobs import QuietReport
from engine.models.language import LanguageModel, LanguageModelInfo, Message, Prompt
from engine.models.server_language import Server, ServerLanguageModel
from engine.models.transformers_language import ProcessLanguageModel
from tests.engine.models.faulty_server import Exchange, faulty_server
from tests.engine.models.tiny_language_model import make_tiny_language_model

ASKED = (Message("user", "Say something about the paper."),)
ROUNDS = 5


class _Stop(QuietReport):
    """Cancels once the event is set, and remembers when that was first asked for."""

    def __init__(self) -> None:
        self.event, self.asked = threading.Event(), 0.0

    def check(self) -> None:
        if self.event.is_set():
            self.asked = self.asked or time.monotonic()
            raise Cancelled


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Seconds from the wish to stop until the caller has its thread back, worst of five rounds each."""
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
    return {
        "stop_in_an_answer": _figure(max(answering)),
        "stop_while_loading": _figure(max(loading)),
        "stop_while_a_server_stalls": _figure(max(stalled)),
        "stop_in_an_answer_median": _figure(statistics.median(answering)),
    }


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
