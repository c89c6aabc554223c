"""What leaves the rebuttal pane: copied, written, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop_app.headless import settle
from desktop_app.panes.rebuttal.choices import SEND, WRITE
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.documents.store import DocumentStore
from engine.errors import EnvironmentProblem
from tests.desktop_app.panes.rebuttal.steps import press, write
from tests.desktop_app.shell_helpers import assert_cancelling_ends_it

Key, Alt = Qt.Key, Qt.KeyboardModifier.AltModifier


def test_what_changed_since_it_was_copied_is_told(pane: RebuttalPane) -> None:
    press(pane, Key.Key_E)
    write(pane, "We did.")
    pane.response.editor.finish()
    pane.outgoing.copy()
    reviewer = pane.state.rebuttal.outline.sections[0].reviewer
    assert not [one for one in pane.outgoing.sending.findings() if "has changed" in one.words]
    press(pane, Key.Key_E)
    write(pane, " And more.")
    pane.response.editor.finish()
    (heard,) = [one for one in pane.outgoing.sending.findings() if "has changed" in one.words]
    assert reviewer in heard.words and heard.comment_id == pane.state.current
    assert "We did" not in pane.context.state.text(pane.outgoing.sending.memory)


def test_what_should_be_mended_is_told_when_an_answer_leaves(pane: RebuttalPane) -> None:
    pane.outgoing.sending.set_names("Ben Example", pane.state.rebuttal.paper_id)
    press(pane, Key.Key_E)
    write(pane, "Ben Example did.")
    pane.outgoing.copy()
    (notice,) = [one for one in pane.banner.notices if one.what.startswith("Copied")]
    assert "to fix before sending" in notice.means
    (words, look) = notice.actions[0]
    look()
    assert words == "Show issues" and pane.send_view.isVisible()


def test_claims_are_checked_before_a_response_leaves(pane: RebuttalPane, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().clear()
    press(pane, Key.Key_E)
    write(pane, "We added Table 9 to the paper.")
    pane.outgoing.copy()
    qtbot.waitUntil(lambda: pane.outgoing.question is not None)
    question = pane.outgoing.question
    assert question is not None and question.text() == "1 claim to decide on: 1 not found."
    assert "Table 9" in question.informativeText() and "Table 9" not in QGuiApplication.clipboard().text()
    next(button for button in question.buttons() if button.text() == "Export anyway").click()
    qtbot.waitUntil(lambda: "Table 9" in QGuiApplication.clipboard().text())


def test_send_shows_what_is_checked_while_it_is_open(pane: RebuttalPane, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(pane.state.claims.revised))
    press(pane, Key.Key_E)
    write(pane, "We added Table 99. It took 777.7 hours.")
    pane.response.editor.finish()
    pane.show_view(SEND)
    qtbot.waitUntil(lambda: pane.matrix._claims.text() == "Claims: 1 not found · 1 not checked")
    assert any("Table 99" in one.words for one in pane.send_view.list.records)


def test_fields_never_lie_over_each_other_with_large_text(pane: RebuttalPane) -> None:
    window = pane.window()
    assert isinstance(window, MainWindow)
    theme().configure(zoom=1.75)
    window.resize(1280, 774)
    window.run_command("rebuttal.send")
    settle(window)
    view = pane.send_view
    for above, below in pairwise((view.names, view.form, view.words)):
        assert above.mapTo(view, above.rect().bottomLeft()).y() < below.mapTo(view, QPoint()).y()


def test_the_matrix_is_where_it_was_after_a_look_at_send(pane: RebuttalPane) -> None:
    """Send needs more width than Write; at some widths the matrix goes below it, but comes back."""
    window = pane.window()
    assert isinstance(window, MainWindow)
    theme().configure(zoom=1.5)
    for width in (1280, 1240, 1200):
        window.resize(width, 774)
        settle(window)
        before = pane.matrix.geometry()
        pane.show_view(SEND)
        settle(window)
        pane.show_view(WRITE)
        settle(window)
        assert pane.matrix.geometry() == before, width


def test_a_limit_of_a_page_leaves_as_a_page(pane: RebuttalPane) -> None:
    pane.choose_preset("neurips-page")
    assert pane.send_view.chosen == "page"
    pane.choose_preset("openreview-5000")
    assert pane.send_view.chosen == "posts"
    pane.send_view.form.setCurrentIndex(pane.send_view.form.findData("docx"))
    pane.choose_preset("neurips-page")
    assert pane.send_view.chosen == "docx"


def test_cancelling_an_export_ends_the_making_of_the_pdf(
    pane: RebuttalPane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for form in ("pdf", "page"):
        export = partial(pane.outgoing.export_to, form, tmp_path / "response.pdf")
        assert_cancelling_ends_it(pane, export, monkeypatch)


def test_the_export_key_works_while_writing(
    pane: RebuttalPane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(FileDialogs, "choose_folder", lambda _self, _parent, title: asked.append(title))
    press(pane, Key.Key_E)
    write(pane, "We did.")
    pane.response.editor.finish()
    press(pane, Key.Key_E, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert asked == ["Export the rebuttal"]
    pane.templates.field.setFocus()
    press(pane, Key.Key_E, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert len(asked) == 2


def test_an_answer_is_copied_where_the_labels_cannot_be_kept(
    pane: RebuttalPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_labels: object) -> None:
        raise EnvironmentProblem("The disk is full.", "The labels aren't kept.", "Free some space.")

    press(pane, Key.Key_E)
    write(pane, "We did.")
    monkeypatch.setattr(pane.state.store, "keep_labels", full)
    monkeypatch.setattr(type(pane.state), "store", property(lambda _state, store=pane.state.store: store))
    pane.outgoing.copy()
    said = [notice.what for notice in pane.banner.notices]
    assert "The disk is full." in said and any(words.startswith("Copied") for words in said)


def test_quotes_that_take_much_of_the_room_are_told_with_a_way_out(pane: RebuttalPane) -> None:
    assert pane.state.reader is not None

    def notices() -> list[Notice]:
        return [one for one in pane.banner.notices if one.what.startswith("Quotes")]

    pane.choose_preset("openreview-10000")
    assert not notices()
    plan = replace(pane.state.rebuttal.plan, preset="free", own_limits=(("total", "300"),))
    pane.state.reader.store.set_plan(pane.state.rebuttal.paper_id, plan)
    pane.outgoing.limit_changed()
    (notice,) = notices()
    (_, recall) = notice.actions[0]
    recall()
    assert pane.state.rebuttal.plan.quoting == "number" and not notices()


def test_a_version_that_is_undone_while_its_metadata_are_read_is_no_bug(
    pane: RebuttalPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def gone(_store: DocumentStore, key: str) -> None:
        asked.append(key)
        raise KeyError(key)

    qtbot.waitUntil(lambda: not pane.fetcher.busy)
    monkeypatch.setattr(DocumentStore, "document", gone)
    pane.outgoing.read_metadata()
    qtbot.waitUntil(lambda: not pane.fetcher.busy)
    assert asked
