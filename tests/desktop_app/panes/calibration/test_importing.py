"""Import of scores: the columns, what a table leaves open, and what is remembered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.calibration.importing import ImportDialog, in_common, remembered
from desktop_app.theme import ROW, theme
from desktop_app.window import MainWindow
from engine.calibration.records import ScoreRow
from engine.exchange.scores import read_score_table
from tests.desktop_app.panes.calibration.steps import opened, settled
from tests.desktop_app.panes.calibration.test_calibration_pane import _asked, _csv


def test_a_table_dropped_onto_the_pane_opens_the_import(
    window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    pane = opened(window, project_path)
    (tmp_path / "paper.pdf").write_bytes(b"%PDF")
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for paths, taken in (([tmp_path / "paper.pdf"], False), ([tmp_path / "paper.pdf", _csv(tmp_path / "S.CSV")], True)):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, left, none)
        enter.ignore()
        QApplication.sendEvent(pane, enter)
        assert enter.isAccepted() == taken
        QApplication.sendEvent(pane, QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, left, none))
        assert taken or not pane.context.bridge.engine.busy(), "only a table is read"
    dialog = _asked(qtbot, pane)
    qtbot.mouseClick(dialog.ok, left)
    settled(qtbot, pane)
    assert pane.state.table is not None and pane.state.table.title == "S"
    item = int(pane.state.board.ranked()[0])  # type: ignore[union-attr]
    assert "chance of really being below the next item" in pane.ranking.describe(item)


def test_several_tables_dropped_are_asked_about_one_after_the_other(
    window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    pane = opened(window, project_path)
    names = ("spring", "summer", "autumn")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(_csv(tmp_path / f"{name}.csv"))) for name in names])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(pane, QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, left, none))
    QApplication.sendEvent(pane, QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, left, none))

    def asked(name: str) -> ImportDialog | None:
        shown = (one for one in pane.findChildren(ImportDialog) if one.isVisible())
        return next((one for one in shown if one.table.name == f"{name}.csv"), None)

    for name in names:
        qtbot.waitUntil(lambda name=name: asked(name) is not None)
        dialog = present(asked(name))
        if name == "summer":
            dialog.reject()  # the next one is asked about all the same
        else:
            qtbot.mouseClick(dialog.ok, left)
    settled(qtbot, pane, lambda p: p.state.table is not None and p.state.table.title == "autumn")
    assert [table.title for table in pane.state.tables] == ["spring", "autumn"]


def test_a_table_that_cannot_be_read_does_not_stop_the_next_and_its_message_goes(
    window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    pane = opened(window, project_path)
    (bad := tmp_path / "bad.json").write_text('[{"a": 1')
    good = _csv(tmp_path / "good.csv")
    pane.import_table(bad)
    qtbot.waitUntil(lambda: len(pane.banner.notices) == 1)
    for paths, told in (((good,), []), ((bad, good), ["bad.json isn't valid JSON"])):
        pane.import_table(*paths)
        qtbot.waitUntil(lambda: any(one.isVisible() for one in pane.findChildren(ImportDialog)))
        next(one for one in pane.findChildren(ImportDialog) if one.isVisible()).reject()
        assert [notice.what[: len("bad.json isn't valid JSON")] for notice in pane.banner.notices] == told


def test_a_table_without_the_columns_says_what_to_do(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "two.csv"
    path.write_text(
        "Paper;Reviewer 1;;Reviewer 2;\n;Score;Confidence;Score;Confidence\nP1;3,5;4;2,5;3\nP2;4,0;3;4,5;2\n"
    )
    dialog = ImportDialog(read_score_table(path), window.state, window)
    qtbot.addWidget(dialog)
    assert dialog.focusWidget() is dialog.columns["referee"], "Enter must not cancel"
    assert "one review per row" in dialog.summary.text() and "semicolons" in dialog.read_as.text()
    assert not dialog.problems.isVisibleTo(dialog), "there are no rows yet to be doubtful"


def test_a_doubtful_decimal_mark_is_asked_for(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "odd.csv"
    path.write_text('paper;reviewer;score;remark\np;A0;"1,234";x\np;Bo;2;\nq;a0 ;3;\nq;Bo;4;\n')
    dialog = ImportDialog(read_score_table(path), window.state, window)
    qtbot.addWidget(dialog)
    assert "1.234 or 1234" in dialog.summary.text() and not dialog.ok.isEnabled()
    assert dialog.focusWidget() is dialog.decimal
    dialog.decimal.setCurrentIndex(dialog.decimal.findData(","))
    assert dialog.ok.isEnabled() and dialog.result_import is not None
    assert [row.score for row in dialog.result_import.rows] == [1.234, 2.0, 3.0, 4.0]
    assert "semicolons" in dialog.read_as.text() and "Not used: remark." in dialog.read_as.text()
    assert "“a0” may be the same as “A0”" in dialog.problems.item(0).text()
    asked = {kind for kind, box in dialog.answers.items() if box.isVisibleTo(dialog)}
    assert asked == {problem.kind for problem in dialog.result_import.problems} & set(dialog.answers)
    assert "spelling" in asked and "far" not in asked
    assert dialog.problems.minimumHeight() >= 4 * theme().px(ROW)
    dialog.answers["spelling"].setCurrentIndex(dialog.answers["spelling"].findData("join"))
    assert {row.referee for row in dialog.result_import.rows} == {"A0", "Bo"}


def test_two_tables_become_one_ranking_if_asked(
    window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    """The table that was there stays; what both have, and who scored twice, is said before."""
    pane = opened(window, project_path)
    (tmp_path / "a.csv").write_text("paper,reviewer,score\nP1,Ada,6\nP1,Bo,7\nP2,Ada,3\nP2,Bo,4\n")
    (tmp_path / "b.csv").write_text("paper,reviewer,score\nP3,Ada,8\nP3,Cy,9\nP2,Bo,5\nP4,Cy,2\n")
    left = Qt.MouseButton.LeftButton
    pane.import_table(tmp_path / "a.csv")
    dialog = _asked(qtbot, pane)
    assert not dialog.together.isVisibleTo(dialog), "there is no other table"
    qtbot.mouseClick(dialog.ok, left)
    settled(qtbot, pane)
    pane.import_table(tmp_path / "b.csv")
    qtbot.waitUntil(lambda: any(one.table.name == "b.csv" for one in pane.findChildren(ImportDialog)))
    dialog = next(one for one in pane.findChildren(ImportDialog) if one.table.name == "b.csv")
    assert dialog.together.isVisibleTo(dialog) and dialog.together.currentText() == "(a table of its own)"
    assert "In both" not in dialog.summary.text()
    dialog.together.setCurrentIndex(1)
    words = dialog.summary.text()
    assert words.startswith(
        "7 reviews of 4 items by 3 referees. In both tables: 2 referees, 1 item. Scores there: 3 to 7. Here: 2 to 9. "
    )
    assert words.endswith("left out:")
    listed = [dialog.problems.item(n).text() for n in range(dialog.problems.count())]
    assert "Row 4: Bo already scored P2 in row 5 of the other table. → take the mean of both" in listed
    dialog.answers["duplicate"].setCurrentIndex(dialog.answers["duplicate"].findData("last"))
    qtbot.mouseClick(dialog.ok, left)
    settled(qtbot, pane, lambda p: p.state.table is not None and p.state.table.title == "a + b")
    assert [table.title for table in pane.state.tables] == ["a", "a + b"]
    together = {(r.item, r.referee): (r.score, r.row) for r in pane.state.verbs.reviews(pane.state.tables[1].id)}
    assert len(together) == 7 and together["P2", "Bo"] == (5.0, 4) and together["P2", "Ada"] == (3.0, 4)
    assert len(pane.state.verbs.reviews(pane.state.tables[0].id)) == 4


def test_tables_with_nothing_in_common_are_said_to_be_incomparable() -> None:
    one, other = ScoreRow("P1", "Ada", 3.0, 1.0), ScoreRow("Q1", "Bo", 5.0, 1.0)
    assert "no referee and no item in common, so they can't be compared" in in_common([one], [other])
    assert "In both tables: 1 referee, 0 items." in in_common([one], [replace(other, referee="Ada")])
    assert in_common([], [one]) == "" and "different scales" not in in_common([one], [other])
    assert "They seem to use different scales" in in_common([one], [replace(other, score=100 * one.score)])


def test_the_mapping_is_remembered(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("wer,was,wieviel\nr1,p1,3\nr2,p1,4\nr1,p2,5\nr2,p2,2\n")
    sheet = read_score_table(path)
    assert remembered(sheet, window.state) is None
    dialog = ImportDialog(sheet, window.state, window)
    assert not dialog.ok.isEnabled()
    for name, column in (("item", "was"), ("referee", "wer"), ("score", "wieviel")):
        dialog.columns[name].setCurrentText(column)
    assert dialog.ok.isEnabled()
    dialog.ok.click()
    found = remembered(sheet, window.state)
    assert found == {"item": "was", "referee": "wer", "score": "wieviel", "confidence": ""}
