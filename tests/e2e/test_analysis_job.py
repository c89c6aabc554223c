"""One reader's analysis of a paper: real and generated edits judged blind, labels reviewed, tables written."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.panes.analysis.pane import AnalysisPane
from desktop_app.window import MainWindow
from tests.desktop_app.panes.analysis.test_analysis_pane import furnish
from tests.desktop_app.panes.linking.studies import FlatService, make_study
from tests.e2e.at_the_window import Visitor, answer_dialogs, open_window, watched

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
ANSWERS = (3, 2, 2, 1, 1, 1, 1, 2, 2, 1, 3)
"""One for each question, where nothing tells which side is the real one."""


def judge(reader: Visitor, pane: AnalysisPane) -> None:
    """The first comment by keys, the second one by clicks, with a note; one answer is taken back."""
    reader.press("Blind", pane)
    assert pane.judging.sides() == ("A", "B")
    reader.look()
    pane.take_focus()
    with reader.still(pane.list, *pane.judging.rows):
        for answer in ANSWERS:
            reader.key(Key(int(Key.Key_0) + answer))
    assert pane.status_text.startswith("1 of 2 comparisons judged")
    reader.key(Key.Key_Space)
    assert pane.state.item is not None and not pane.state.item.analysis.complete
    for question, answer in zip(pane.judging.rows, ANSWERS, strict=True):
        reader.click(question.buttons[answer - 1])
    assert pane.status_text.startswith("2 of 2 comparisons judged")
    reader.key(Key.Key_M)
    reader.type("1 close call")
    reader.key(Key.Key_Escape)
    assert pane.state.item.analysis.note == "1 close call" and not pane.judging.note.hasFocus()
    reader.key(Key.Key_Z, modifiers=CONTROL)
    assert pane.state.item.analysis.note == "" and pane.status_text.startswith("2 of 2")
    reader.key(Key.Key_Z, modifiers=CONTROL)
    assert pane.status_text.startswith("1 of 2 comparisons judged")
    for _ in range(2):
        reader.key(Key.Key_Y, modifiers=CONTROL)
    assert pane.state.item.analysis.note == "1 close call"


def review_labels(reader: Visitor, pane: AnalysisPane) -> None:
    """One label is confirmed by its key, which links it; the other one is refused with the mouse."""
    reader.tab(pane.tabs, "Links from responses")
    first = pane.state.pair
    assert first is not None
    reader.key(Key.Key_Y)
    linked = pane.state.studies.revisions.links(first.revision_id)
    assert (first.comment_id, first.edit_id) in {(link.comment_id, link.edit_id) for link in linked}
    assert pane.state.pair != first, "the next one is open"
    with reader.still(pane.labels.list, pane.labels.page):
        reader.press("Reject", pane.labels)
    assert [pair.decision for pair in pane.state.paper.pairs] == ["accepted", "rejected"]
    reader.look()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_from_comparisons_to_tables(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "study.rejoinder", tmp_path / "out"
    make_study(path, furnish)
    answer_dialogs(monkeypatch, out)

    def flat_window() -> MainWindow:
        window = make_window()
        window.bridge._documents = FlatService()  # type: ignore[assignment]
        return window

    with watched():
        reader = open_window(path, flat_window, qtbot)
        reader.palette("go to analysis")
        pane = reader.window.pane
        assert isinstance(pane, AnalysisPane)
        reader.until(lambda: bool(pane.state.paragraphs))
        judge(reader, pane)
        review_labels(reader, pane)
        reader.tab(pane.tabs, "Tables and figures")
        reader.until(lambda: pane.state.found is not None)
        reader.look()
        reader.press("Tables", pane)
        reader.until(lambda: len(list(out.glob("*.csv"))) == 11)
        reader.idle()

        # the dialog asked about "analysis-tables.csv", so the files that are written beside it replace none
        (out / "analysis-tables-kinds.csv").write_text("mine", encoding="utf-8")
        pane.banner.clear()
        reader.press("Tables", pane)
        reader.until(lambda: any(one.what.startswith("Already there: analysis-tables-") for one in pane.banner.notices))
        assert (out / "analysis-tables-kinds.csv").read_text(encoding="utf-8") == "mine"
    with (out / "analysis-tables-comparisons.csv").open(encoding="utf-8", newline="") as file:
        written = {(row["comparison"], row["answer"]): int(row["times"]) for row in csv.DictReader(file)}
    assert written["Technicality (generated)", "same"] == 2
    assert sum(times for (asked, _), times in written.items() if asked == "More comprehensive") == 2
    reader.window.stop_work()
    reader.window.close()

    again = open_window(path, flat_window, qtbot)
    again.palette("go to analysis")
    kept = again.window.pane
    assert isinstance(kept, AnalysisPane)
    assert kept.status_text == "2 of 2 comparisons judged · 2 of 2 links decided"
    again.idle()
