"""Labels in the rebuttal pane: suggested, taken, refused, chosen by key in every layer, and learnt from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.widgets.chips import LABELLED
from desktop_app.window import MainWindow
from engine.project import Project
from engine.reviews.labels.heads import Heads
from engine.reviews.labels.records import LAYERS
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from tests.desktop_app.shell_helpers import open_pane
from tests.engine.reviews.labels.invented_reviews import invented_reviews, ship

REVIEW = "The model has a gate, which is a pity. Please compare with other baselines. Thank you for the work."


@pytest.fixture
def pane(
    make_window: Callable[[], MainWindow], made: Heads, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> RebuttalPane:
    ship(made, tmp_path / "heads", monkeypatch)
    path = tmp_path / "labels.rejoinder"
    with Project.create(path) as project:
        reviews = ReviewStore(project)
        (text,) = reviews.add_text("Review 1", REVIEW, reviewer="Reviewer 1").texts
        reviews.add_comment(text.id, [Span(0, len(REVIEW))], reviewer="Reviewer 1")
    found = open_pane(make_window(), path, "rebuttal", qtbot)
    assert isinstance(found, RebuttalPane)
    pane_list = found.list
    pane_list.setFocus()
    return found


def press(pane: RebuttalPane, key: Qt.Key) -> None:
    QTest.keyClick(QApplication.focusWidget() or pane, key)


def suggest(pane: RebuttalPane, qtbot: QtBot) -> None:
    press(pane, Qt.Key.Key_L)
    qtbot.waitUntil(pane.sentences.has_suggestion, timeout=30_000)


def test_labels_are_suggested_taken_and_refused_by_keys(pane: RebuttalPane, qtbot: QtBot) -> None:
    assert len(pane.sentences.all()) == 3 and not pane.sentences.has_suggestion()
    suggest(pane, qtbot)
    assert pane.state.reader is not None
    first = pane.sentences.all()[0]
    assert first.polarity == "negative" and "polarity" in first.offered
    assert "Negative" in pane.comment.toPlainText() and "%" in pane.comment.toPlainText()
    press(pane, Qt.Key.Key_Y)
    first = pane.sentences.all()[0]
    assert first.polarity == "negative" and not first.offered
    press(pane, Qt.Key.Key_BracketRight)
    second = pane.sentences.all()[1]
    assert second.actionable is True and "actionable" in second.offered
    assert second.action is None, "what is asked for is read with too little precision to be suggested"
    assert "Compare" not in pane.comment.toPlainText() and "Request" in pane.comment.toPlainText()
    press(pane, Qt.Key.Key_N)
    second = pane.sentences.all()[1]
    assert second.actionable is None and second.action is None
    decided = pane.state.reader.project.query("SELECT decision FROM sentence_label_decision")
    assert {row[0] for row in decided} == {"accepted", "rejected"}


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)")  # the offscreen platform, of any menu
def test_every_layer_is_decided_by_a_key_and_a_menu(pane: RebuttalPane, qtbot: QtBot) -> None:
    assert {layer for layer, _, _ in LABELLED} == set(LAYERS)
    chosen = {
        "aspect": "Clarity", "theme": "Datasets", "polarity": "Neutral", "review_action": "Request",
        "actionable": "Requests something", "action": "Define",
    }  # fmt: skip
    for layer, _, key in LABELLED:
        press(pane, getattr(Qt.Key, f"Key_{key}"))
        qtbot.waitUntil(lambda: any(menu.isVisible() for menu in pane.findChildren(QMenu)))
        menu = next(menu for menu in pane.findChildren(QMenu) if menu.isVisible())
        action = next(entry for entry in menu.actions() if entry.text() == chosen[layer])
        assert not action.isChecked() and action.toolTip()
        action.trigger()
        menu.close()
        qtbot.waitUntil(lambda: not any(menu.isVisible() for menu in pane.findChildren(QMenu)))
    (first, *_) = pane.sentences.all()
    assert (first.aspect, first.themes, first.polarity) == ("clarity", ("datasets",), "neutral")
    assert (first.review_action, first.actionable, first.action) == ("request", True, "define")
    assert {*first.origins.values()} == {"person"}


def test_heads_learn_from_the_labels_of_the_project(pane: RebuttalPane, qtbot: QtBot) -> None:
    pane.context.commands.run("rebuttal.learn_labels")
    qtbot.waitUntil(lambda: bool(pane.banner.notices), timeout=30_000)
    assert "too few labels" in pane.banner.notices[0].what
    assert pane.project is not None
    store = LabelStore(pane.project)
    store.import_reviews(invented_reviews(10, seed=2), "mine.json")
    pane.context.commands.run("rebuttal.learn_labels")
    qtbot.waitUntil(lambda: bool(store.own_heads()), timeout=60_000)
    qtbot.waitUntil(lambda: any("Heads were trained on" in notice.what for notice in pane.banner.notices))
