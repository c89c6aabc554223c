"""The parts that more than one pane uses: palette, job tray, fields, side bar."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop_app import motion, present
from desktop_app.panes import PANES
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.job_tray import JobsIndicator, JobTray, remaining_words, state_words
from desktop_app.widgets.layouts import ButtonGrid, Flow, column, row, splitter, stacked
from desktop_app.widgets.palette import REMOVING, score
from desktop_app.widgets.record_list import RecordList, split_line
from desktop_app.window import MainWindow
from engine.errors import BadInput
from engine.jobs import Failure, JobSnapshot, JobState
from engine.project import Project
from tests.desktop_app.shell_helpers import do_acts, papers

TITLES = [
    "Open project…",
    "Open the sample project",
    "Close project",
    "Undo",
    "Go to Home",
    "Go to History",
    "Keyboard shortcuts",
]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("open", "Open project…"),
        ("sample", "Open the sample project"),
        ("gth", "Go to Home"),
        ("hist", "Go to History"),
        ("udno", "Undo"),
        ("close proj", "Close project"),
        ("op sam", "Open the sample project"),
        ("KEYB", "Keyboard shortcuts"),
    ],
)
def test_the_palette_finds_what_is_meant(query: str, first: str) -> None:
    ranked = sorted(TITLES, key=lambda title: -score(query, title))
    assert ranked[0] == first
    assert score(query, first) > 0


def test_the_palette_finds_where_labels_are_exported(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    window.open_palette()
    for words in ("export labels", "save annotations"):
        window.palette_view.field.setText(words)
        assert window.palette_view.titles()[0] in {"Export…", "Export labels…"}, words
    window.palette_view.leave()


def test_the_palette_shows_nothing_for_nonsense() -> None:
    assert all(score("zzqx", title) == 0 for title in TITLES)


def test_the_palette_goes_by_keys_and_gives_the_focus_back(window: MainWindow, qtbot: QtBot) -> None:
    window.show_pane("settings")
    before = window.focusWidget()
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    view = window.palette_view
    assert view.isVisible() and view.field.hasFocus()
    qtbot.keyClicks(view.field, "go to")
    assert len(view.titles()) >= 3
    first = view.list.currentIndex().row()
    qtbot.keyClick(view.field, Qt.Key.Key_Down)
    assert view.list.currentIndex().row() == first + 1
    qtbot.keyClick(view.field, Qt.Key.Key_Up)
    qtbot.keyClick(view.field, Qt.Key.Key_Up)
    assert view.list.currentIndex().row() == len(view.titles()) - 1
    qtbot.keyClick(view.field, Qt.Key.Key_Escape)
    assert not view.isVisible()
    assert window.focusWidget() is before


def test_enter_in_the_palette_runs_the_chosen_command(window: MainWindow, qtbot: QtBot) -> None:
    window.open_palette()
    qtbot.keyClicks(window.palette_view.field, "go to history")
    qtbot.keyClick(window.palette_view.field, Qt.Key.Key_Return)
    assert window.pane is not None and window.pane.pane_id == "history"


def test_nothing_is_removed_by_enter_in_an_empty_palette(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    assert window.bridge.project is not None
    do_acts(window.bridge.project, 1)
    for spec in (PANES[0], *(spec for spec in PANES if spec.id in {"history", "linking", "survey", "models"})):
        window.show_pane(spec.id)
        for letter in ("", "r", "re", "d"):
            window.open_palette()
            window.palette_view.field.setText(letter)
            first = window.palette_view.titles()[0]
            assert first.partition(" ")[0] not in REMOVING, f"{spec.id}, “{letter}”: {first}"
            window.palette_view.leave()


def test_the_palette_names_the_pane_of_a_command_and_puts_the_pane_in_front_first(
    window: MainWindow, project_path: Path
) -> None:
    window.open_path(project_path)
    view = window.palette_view
    window.open_palette()  # which lists the commands of all panes
    for pane in ("linking", "calibration"):
        view.open(pane)
        view.field.setText("exp")
        entries = view.list.records
        own = [entry.id.startswith(f"{pane}.") for entry in entries]
        fits = [entry.title.startswith("Exp") and entry.enabled for entry in entries]
        usable = [mine for mine, fit in zip(own, fits, strict=True) if fit]
        assert usable == sorted(usable, reverse=True)
        review = next(entry for entry in entries if entry.id == "review.write_review")
        assert "Review · " in review.detail


def test_undo_in_the_palette_means_the_project_and_not_the_palettes_own_field(
    window: MainWindow, qtbot: QtBot, project_path: Path
) -> None:
    window.open_path(project_path)
    project = present(window.bridge.project)
    do_acts(project, 1)
    window.open_palette()
    qtbot.keyClicks(window.palette_view.field, "undo")
    assert window.palette_view.titles()[0] == "Undo “Add paper 0”"
    qtbot.keyClick(window.palette_view.field, Qt.Key.Key_Return)
    assert papers(project) == 0


def test_what_is_undone_out_of_sight_is_named(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = present(window.bridge.project)
    do_acts(project, 2)

    def said() -> list[str]:
        return [notice.what for notice in window.banner.notices if notice.key == "undone"]

    window.show_pane("settings")
    window.run_command("edit.undo")
    assert said() == ["Undone: “Add paper 1”."]
    window.run_command("edit.redo")
    assert said() == ["Redone: “Add paper 1”."]
    do_acts(project, 1)
    assert said() == []
    window.show_pane("linking")
    window.run_command("edit.undo")
    assert said() == [], "the pane may show it"
    assert window.status.words.text() == "Undone: “Add paper 0”.", "or another part of it"


def test_what_could_not_be_undone_is_not_said_to_be_undone_by_history(
    window: MainWindow, project_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_path(project_path)
    project = present(window.bridge.project)
    do_acts(project, 2)
    window.show_pane("linking")

    def refuse(_project: Project) -> None:
        raise BadInput("It erased something.", "Nothing was undone.")

    with monkeypatch.context() as patched:
        patched.setattr(Project, "undo", refuse)
        window.run_command("edit.undo")
    project.go_to(0)
    assert papers(project) == 0 and "Undone" not in window.status.words.text()


def test_a_message_that_replaces_one_gives_the_keyboard_back(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    with qtbot.waitActive(window):
        pass
    window.banner.show_notice(Notice("n", "Save?", actions=(("Save", lambda: None),)))
    assert window.banner.take_focus()
    with qtbot.waitSignal(window.banner.left):
        window.banner.show_notice(Notice("n", "Saved.", kind="note"))


def test_a_wrapped_row_has_room_for_its_padding(qtbot: QtBot) -> None:
    table = FactTable("Messages", ("Message",), wraps=True)
    qtbot.addWidget(table)
    words = "One message about a file that takes nearly the whole width of the row"
    table.show_rows([[words], ["Short"]])
    table.show()
    room = table.fontMetrics().horizontalAdvance(words) + 10
    table.resize(table.width() + room - table.columnWidth(0), 300)
    qtbot.waitUntil(lambda: table.columnWidth(0) == room and table.rowHeight(0) > table.rowHeight(1))


def test_what_cannot_run_now_is_last_and_does_not_run(window: MainWindow) -> None:
    window.open_palette()
    view = window.palette_view
    flags = [one.enabled for one in view.list.records]
    assert flags == sorted(flags, reverse=True) and False in flags
    view.list.clicked.emit(view.list.model().index(len(view.list.records) - 1, 0))
    assert view.isVisible()
    view.leave()


def job(number: int = 1, state: JobState = JobState.RUNNING, **more: object) -> JobSnapshot:
    return JobSnapshot(number, "test", "", f"Read paper {number}", state, number, **more)  # type: ignore[arg-type]


def test_remaining_time_is_as_coarse_as_it_is_uncertain() -> None:
    assert remaining_words(None) == "time left unknown"
    assert remaining_words(4) == "a few seconds left"
    assert remaining_words(43) == "about 40 s left"
    assert remaining_words(200) == "about 3 min left"
    assert remaining_words(7000) == "about 1.9 h left"


def test_states_are_words() -> None:
    assert state_words(job(fraction=0.4, remaining=43.0, words="page 3")) == "40 % · about 40 s left · page 3"
    assert state_words(job(state=JobState.QUEUED)) == "Starting…"
    assert state_words(job(state=JobState.QUEUED, waits_for="Read a.pdf")) == "Waiting for “Read a.pdf”"
    assert state_words(job(cancelling=True)) == "Stopping…"
    assert state_words(job(state=JobState.FAILED, failure=Failure(None, "KeyError: x"))) == "KeyError: x"


@pytest.fixture
def tray(qtbot: QtBot) -> JobTray:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(900, 600)
    parent.show()
    shown = JobTray(parent)
    shown.toggle()
    return shown


def test_the_tray_shows_progress_and_cancels(tray: JobTray, qtbot: QtBot) -> None:
    tray.show_job(job(1, fraction=0.25, remaining=30.0))
    tray.show_job(job(2, JobState.QUEUED))
    assert len(tray.jobs) == 2
    with qtbot.waitSignal(tray.cancel_wanted) as wanted:
        qtbot.mouseClick(tray._rows[1]._cancel, Qt.MouseButton.LeftButton)
    assert wanted.args == [1]
    tray.show_job(job(1, JobState.CANCELLED))
    assert not tray._rows[1]._cancel.isVisible()
    assert tray.geometry().bottom() <= tray.parentWidget().height()


@pytest.mark.parametrize("ended", [0, 12])
def test_cancel_stays_under_the_pointer(tray: JobTray, ended: int) -> None:
    """While jobs begin, report and end, with room for all or for few of them."""
    for number in range(ended):
        tray.show_job(job(number, JobState.DONE))
    tray.show_job(job(50, fraction=0.2))
    tray.show_job(job(51, JobState.QUEUED))
    cancel = tray._rows[50]._cancel

    def place() -> QPoint:
        for _ in range(3):
            QCoreApplication.sendPostedEvents()
            tray.grab()
        return cancel.mapToGlobal(QPoint())

    place()
    tray.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    before = place()
    assert not cancel.visibleRegion().isEmpty()
    tray.show_job(job(52, fraction=0.1))
    assert place() == before
    tray.show_job(job(51, JobState.DONE))
    tray.show_job(job(52, JobState.CANCELLED))
    assert place() == before


def test_a_long_title_of_a_job_ends_in_an_ellipsis_within_the_tray(tray: JobTray, qtbot: QtBot) -> None:
    tray.show_job(replace(job(1, fraction=0.5), title="Save " + "a long title of a paper " * 9))
    row = tray._rows[1]
    qtbot.waitUntil(lambda: row.width() == tray._scroll.viewport().width())
    assert row._title.geometry().right() < row.width()


@pytest.mark.parametrize("reduced", [False, True])
def test_no_bar_moves_by_itself_under_reduced_motion(
    tray: JobTray, monkeypatch: pytest.MonkeyPatch, *, reduced: bool
) -> None:
    monkeypatch.setattr(motion, "_reduced", reduced)
    tray.show_job(job(1))
    assert (tray._rows[1]._bar.maximum() == 0) is not reduced, "a bar from 0 to 0 moves"


def test_the_tray_forgets_old_jobs(tray: JobTray) -> None:
    for number in range(40):
        tray.show_job(job(number, JobState.DONE))
    assert [j.id for j in tray.jobs] == list(range(20, 40))


def test_the_indicator_counts_what_lives(qtbot: QtBot) -> None:
    indicator = JobsIndicator()
    qtbot.addWidget(indicator)
    indicator.show_job(job(1, fraction=0.5))
    indicator.show_job(job(2, JobState.QUEUED))
    assert indicator.text() == "2 jobs ▅▁ 50 %"
    indicator.show_job(job(1, JobState.DONE))
    indicator.show_job(job(2, JobState.CANCELLED))
    assert indicator.text() == "no jobs"


def test_a_word_longer_than_a_line_goes_on_in_the_next() -> None:
    lines, rest = [], "see https://example.org/a/long/address now"
    while rest:
        line, rest = split_line(rest, 10, len)
        lines.append(line)
    assert all(len(line) <= 10 for line in lines) and lines[0] == "see"
    assert "".join(lines).replace(" ", "") == "seehttps://example.org/a/long/addressnow"
    assert split_line("wide", 0, len) == ("w", "ide")


def test_a_page_that_is_not_shown_takes_no_room(qtbot: QtBot) -> None:
    holder, narrow, wide = QWidget(), QWidget(), QWidget()
    qtbot.addWidget(holder)
    narrow.setMinimumWidth(100)
    wide.setMinimumWidth(0)
    row(QLabel("x" * 200), of=wide)
    stack = stacked(holder, narrow, wide)
    small = stack.minimumSizeHint().width()
    stack.setCurrentIndex(1)
    assert stack.minimumSizeHint().width() > 3 * small
    stack.setCurrentIndex(0)
    assert stack.minimumSizeHint().width() == small


def test_a_folding_splitter_puts_its_parts_below_each_other_where_they_are_too_wide(qtbot: QtBot) -> None:
    page, parts = QWidget(), (QWidget(), QWidget())
    qtbot.addWidget(page)
    for part in parts:
        part.setMinimumSize(300, 40)
    wide = QWidget(parts[1])
    wide.setMinimumWidth(450)
    column(wide, of=parts[1])  # its own minimum counts, as a splitter has it
    found = splitter((parts[0], 200, 0), (parts[1], 300, 1), folding=True, parent=page)
    row(found, of=page)
    assert found.minimumSizeHint().width() == 300
    page.resize(700, 400)
    page.show()
    assert found.orientation() is Qt.Orientation.Horizontal
    page.resize(500, 400)
    assert found.orientation() is Qt.Orientation.Vertical
    assert parts[0].height() == 40, "what doesn't stretch is as low as it can be"
    page.resize(700, 400)
    assert found.orientation() is Qt.Orientation.Horizontal
    parts[0].setMinimumWidth(500)  # as larger text does
    qtbot.waitUntil(lambda: found.orientation() is Qt.Orientation.Vertical)


class Key(QPushButton):
    """A button of a fixed width per letter, without keys."""

    def room(self, *, key: bool) -> int:
        return 10 * len(self.text()) + 20 * key

    def show_key(self, shown: bool) -> None:
        self.setProperty("keyed", shown)


def test_a_grid_of_buttons_parts_only_the_pairs_that_are_too_wide_also_after_another_text(qtbot: QtBot) -> None:
    page, buttons = QWidget(), [Key(text) for text in ("Ada", "Ben", "Both", "Neither")]
    qtbot.addWidget(page)
    grid = ButtonGrid(buttons, page, spacing=0)
    row(grid, of=page)
    page.resize(200, 200)
    page.show()
    qtbot.waitUntil(lambda: buttons[0].y() == buttons[1].y() and buttons[2].y() == buttons[3].y())
    buttons[0].setText("A longer name")
    qtbot.waitUntil(lambda: buttons[0].y() < buttons[1].y() < buttons[2].y() == buttons[3].y())
    assert buttons[0].width() == buttons[1].width() == grid.width()
    assert [button.property("keyed") for button in buttons] == [True, True, True, True]
    buttons[0].setText("Ada")
    qtbot.waitUntil(lambda: buttons[0].y() == buttons[1].y())


def test_a_folding_splitter_that_was_stacked_first_starts_with_its_widths(qtbot: QtBot) -> None:
    page, parts = QWidget(), (QWidget(), QWidget())
    qtbot.addWidget(page)
    for part in parts:
        part.setMinimumSize(300, 40)
    row(splitter((parts[0], 740, 12), (parts[1], 380, 7), folding=True, parent=page), of=page)
    page.resize(500, 400)
    page.show()
    assert parts[1].y() > 0
    page.resize(1121, 400)
    assert [part.width() for part in parts] == [740, 380]


def test_parts_that_flow_wrap_and_leave_the_rest_of_one_line_to_a_gap(qtbot: QtBot) -> None:
    page, parts = QWidget(), [QWidget() for _ in range(3)]
    qtbot.addWidget(page)
    for part, height in zip(parts, (20, 40, 20), strict=True):
        part.setFixedSize(100, height)
    flow = Flow(parts[0], None, *parts[1:], spacing=10)
    column(flow, None, of=page)
    page.resize(500, 200)
    page.show()
    assert [part.pos().toTuple() for part in parts] == [(0, 10), (290, 0), (400, 10)], "at the right, and centred"
    assert flow.minimumSize().width() == 100
    page.resize(250, 200)
    assert [part.pos().toTuple() for part in parts] == [(0, 10), (110, 0), (0, 50)]


def test_rows_of_other_heights_in_a_narrower_list_do_not_overlap(qtbot: QtBot) -> None:
    shown = RecordList("Rows", lambda *_what: None, lambda row: 20 if shown.viewport().width() > 250 else 20 * row, str)
    qtbot.addWidget(shown)
    shown.show_records([3, 1, 2])
    shown.resize(300, 400)
    shown.show()
    for width, tops in ((300, [0, 20, 40]), (200, [0, 60, 80]), (300, [0, 20, 40])):
        shown.resize(width, 400)
        qtbot.waitUntil(lambda t=tops: [shown.visualRect(shown.model().index(n, 0)).top() for n in range(3)] == t)  # type: ignore[misc]


def test_a_list_keeps_its_current_row_in_sight_when_it_gets_lower(qtbot: QtBot) -> None:
    rows = RecordList("Numbers", lambda *_: None, lambda _row: 20, str)
    qtbot.addWidget(rows)
    rows.resize(200, 200)
    rows.show_records(range(40))
    rows.show()
    rows.select(9)
    assert rows.verticalScrollBar().value() == 0

    def place() -> tuple[int, int]:
        box = rows.visualRect(rows.currentIndex())
        return box.top(), box.bottom() - rows.viewport().height()

    rows.resize(200, 120)
    assert place()[0] >= 0 > place()[1]
    rows.verticalScrollBar().setValue(400)  # the person looks elsewhere
    rows.resize(200, 100)
    assert rows.verticalScrollBar().value() == 400
