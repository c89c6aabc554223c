"""Short work beside the event loop: when it starts, and what becomes of requests that are replaced or dropped."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.widgets.fetcher import Fetcher


def test_work_starts_when_the_event_loop_comes_round(qtbot: QtBot) -> None:
    fetcher, begun, brought = Fetcher(), list[str](), list[str]()
    fetcher.fetch("text", lambda: begun.append("text") or "words", brought.append)
    assert fetcher.busy
    assert not begun
    qtbot.waitUntil(lambda: brought == ["words"])
    qtbot.waitUntil(lambda: not fetcher.busy)


def test_only_the_latest_request_of_a_name_runs(qtbot: QtBot) -> None:
    fetcher, begun, brought = Fetcher(), list[int](), list[int]()
    for number in range(3):
        fetcher.fetch("text", lambda n=number: begun.append(n) or n, brought.append)
    qtbot.waitUntil(lambda: brought == [2])
    assert begun == [2]


def test_what_is_dropped_before_it_began_never_runs(qtbot: QtBot) -> None:
    fetcher, begun, brought = Fetcher(), list[str](), list[str]()
    fetcher.fetch("text", lambda: begun.append("text"))
    fetcher.forget()
    assert not fetcher.busy
    fetcher.fetch("other", lambda: "found", brought.append)
    qtbot.waitUntil(lambda: brought == ["found"])
    assert not begun


def test_what_is_dropped_while_something_else_runs_never_runs(qtbot: QtBot) -> None:
    fetcher, go, begun = Fetcher(), threading.Event(), list[str]()
    fetcher.fetch("first", lambda: (begun.append("first"), go.wait(30)))
    fetcher.fetch("second", lambda: begun.append("second"))
    qtbot.waitUntil(lambda: begun == ["first"])
    fetcher.forget()
    go.set()
    qtbot.waitUntil(lambda: not fetcher.busy)
    assert begun == ["first"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_is_asked_for_at_once_comes_in_order_from_one_thread_though_some_of_it_fails(qtbot: QtBot) -> None:
    fetcher, brought = Fetcher(), list[tuple[str, int]]()
    for name in ("pages", "nothing", "text"):
        fetcher.fetch(name, lambda n=name: (n, {"nothing": []}.get(n, [threading.get_ident()])[0]), brought.append)
    qtbot.waitUntil(lambda: len(brought) == 2)
    assert [name for name, _ in brought] == ["pages", "text"]
    assert len({thread for _, thread in brought}) == 1
