"""Clusters of candidates, and what somebody does with them by keys."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop_app.panes.preferences.pane import PreferencesPane
from engine.rebuttal.preferences.records import NewCluster, NewSentence

Key = Qt.Key


WAYS = ("two", "three", "four", "five", "six", "seven", "eight")


def new_cluster(candidates: int = 5, theme: str = "overall") -> NewCluster:
    return NewCluster(
        "clarity",
        theme,
        "concede_criticism",
        tuple(NewSentence(f"Part {n} of the paper is hard to follow.") for n in range(7)),
        tuple(
            NewSentence(f"We agree, and we will make this part clearer in {WAYS[n]} ways.") for n in range(candidates)
        ),
        "The paper is not easy to follow.",
    )


def press(pane: PreferencesPane, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(pane.window().focusWidget() or pane, key, modifier)


def judgements(pane: PreferencesPane) -> tuple[str, ...]:
    assert pane.state.store is not None and pane.state.opened is not None
    return tuple(j.answer for j in pane.state.store.judgements(pane.state.opened.cluster.id))


def show(pane: PreferencesPane, number: int) -> None:
    press(pane, Key(int(Key.Key_0) + number), modifier=Qt.KeyboardModifier.AltModifier)


def ranked(pane: PreferencesPane, qtbot: QtBot) -> None:
    qtbot.waitUntil(
        lambda: not (pane._stale or pane.context.bridge.engine.busy()) and pane.state.study is not None, timeout=30_000
    )


def numbered(count: int) -> tuple[NewSentence, ...]:
    """Candidates in the order of their merit, which is that of their texts."""
    return tuple(NewSentence(f"We agree and say so, in way number {n}.", decision="in") for n in range(count))
