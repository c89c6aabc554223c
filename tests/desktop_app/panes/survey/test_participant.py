"""A participant's pages in the real window: alone, by keyboard, kept at once, and undone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_app import headless, present
from desktop_app.panes.survey.participant import PaperDialog, ParticipantPane
from desktop_app.panes.survey.participant_frame import SurveyClock
from desktop_app.panes.survey.state import CONSENT, PROFILE, RATINGS, RELEASE, address, heading
from desktop_app.project_control import surveys_folder
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.window import MainWindow
from engine.expertise.store import SurveyStore
from engine.papers.records import LibraryPaper
from engine.project import Project
from tests.desktop_app.pane_cases import PaneCases, assert_named
from tests.desktop_app.panes.survey.surveys import begun, fill_participant, open_survey, press, study, write

Key = Qt.Key
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ROOT = Path(__file__).resolve().parents[4]
PATIENCE_MS = 20_000


class TestCases(PaneCases):
    pane_id = "participant"
    huge = 300

    def fill(self, project: Project, count: int) -> None:
        fill_participant(project, [1 + n % 17 / 4 for n in range(min(count, 20))], own=count)


@pytest.fixture
def pane(window: MainWindow, qtbot: QtBot) -> ParticipantPane:
    """A survey with three papers, the last one not rated."""
    found = open_survey(window, begun([4.0, 2.5, None]))
    qtbot.waitActive(window)
    return found


def values(pane: ParticipantPane) -> list[float | None]:
    assert pane.state.survey is not None
    return [row.value for row in pane.state.survey.rows]


def test_nothing_else_of_the_application_is_seen(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    window.show_pane("history")
    pane = open_survey(window, begun([], own=0))
    assert window.in_survey and window.pane is pane and pane.isVisible()
    assert not window.side.isVisible() and not window.header.isVisible() and not window.status.isVisible()
    for command in ("go.linking", "go.home", "view.palette", "project.open", "view.menu"):
        assert not window.commands.run(command), command
    press(pane, Key.Key_1, modifiers=CONTROL)
    press(pane, Key.Key_K, modifiers=CONTROL)
    assert window.pane is pane and not window.palette_view.isVisible()
    assert {command.scope for command in window.commands} == {"participant", "window"}
    assert_named(pane)
    assert pane.head.leave.isVisible() and pane.head.leave.text() == "Leave"
    qtbot.mouseClick(pane.head.leave, Qt.MouseButton.LeftButton)
    assert not window.in_survey and window.side.isVisible() and window.header.isVisible()
    assert window.pane is window.panes["history"]
    assert window.commands.run("go.home")


def test_leaving_brings_back_what_was_open_before(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = begun([1.0])
    window.control._before_survey = project_path
    open_survey(window, project)
    assert window.commands.run("project.leave_survey")
    assert window.bridge.project is not None and window.bridge.project.path == project_path
    assert project.path not in window.state.recent, "answers are no project among others"


def test_without_consent_there_is_only_the_first_page(window: MainWindow, qtbot: QtBot) -> None:
    pane = open_survey(window, begun([], own=0))
    qtbot.waitActive(window)
    assert pane.pages.currentIndex() == CONSENT
    pane.go_to(RATINGS)
    assert pane.pages.currentIndex() == CONSENT
    assert pane.foot.next.text().startswith("Agree")
    press(pane, Key.Key_Return, modifiers=CONTROL)
    assert pane.pages.currentIndex() == PROFILE
    assert pane.state.survey is not None and pane.state.survey.participant.consented_at
    press(pane, Key.Key_Z, modifiers=CONTROL)
    assert pane.pages.currentIndex() == CONSENT and not pane.state.survey.participant.consented_at
    press(pane, Key.Key_Z, modifiers=CONTROL | SHIFT)
    assert pane.state.survey.agreed
    assert window.commands.run("participant.take_back")
    assert pane.pages.currentIndex() == CONSENT and not pane.state.survey.agreed


def test_name_questions_and_mail_are_written_where_they_belong(window: MainWindow, qtbot: QtBot) -> None:
    pane = open_survey(window, begun([], own=0))
    qtbot.waitActive(window)
    press(pane, Key.Key_Return, modifiers=CONTROL)
    assert pane.profile.name.hasFocus()
    write(pane, "Ada Example")
    press(pane, Key.Key_Tab)
    press(pane, Key.Key_Down)  # the first choice of the first question
    press(pane, Key.Key_Tab)
    write(pane, "Denmark")
    press(pane, Key.Key_Tab, Key.Key_Tab)
    assert pane.profile.email.hasFocus()
    write(pane, "ada@example.org")
    press(pane, Key.Key_Tab)
    state = pane.state.survey
    assert state is not None
    assert state.participant.name == "Ada Example" and state.email == "ada@example.org"
    assert dict(state.participant.answers)["country"] == "Denmark" and len(state.participant.answers) == 2
    assert "ada@example.org" not in repr(state.participant)


def test_publications_are_typed_kept_left_out_and_removed_by_key(window: MainWindow, qtbot: QtBot) -> None:
    pane = open_survey(window, begun([], own=3))
    qtbot.waitActive(window)
    pane.go_to(PROFILE)
    assert pane.profile.entry.hasFocus()
    write(pane, "Ferries and tides of the northern sound")
    press(pane, Key.Key_Return)
    assert pane.state.survey is not None and len(pane.state.survey.profile) == 4
    write(pane, "Typed without Return")
    pane.next_step()
    assert len(pane.state.survey.profile) == 5 and not pane.profile.entry.text(), "going on doesn't lose it"
    pane.go_to(PROFILE)
    pane.context.commands.run("edit.undo")
    press(pane, Key.Key_Down)
    assert pane.profile.list.hasFocus()
    pane.profile.list.select_row(0)
    press(pane, Key.Key_Space, Key.Key_Space)
    assert [row.kept for row in pane.state.survey.profile] == [False, False, True, True]
    assert pane.profile.count.text() == "2 included, 2 left out"
    press(pane, Key.Key_Z, modifiers=CONTROL)
    assert [row.kept for row in pane.state.survey.profile] == [False, True, True, True]
    view = pane.profile.list
    tick = QPoint(8, view.visualRect(view.model().index(0, 0)).center().y())
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.RightButton, pos=tick)
    assert not pane.state.survey.profile[0].kept, "another button than the left one ticks nothing"
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=tick)
    assert pane.state.survey.profile[0].kept
    press(pane, Key.Key_Delete)
    assert len(pane.state.survey.profile) == 3
    assert window.commands.run("participant.keep_all")
    assert all(row.kept for row in pane.state.survey.profile)
    pane.profile.entry.setText("Typed before consent is withdrawn")
    pane.take_consent_back()
    assert pane.state.step == CONSENT and "consent" in (present(pane.project).undo_title or "").lower()
    pane.context.commands.run("edit.undo")
    pane.ratings.entry.setText("Typed on another page")
    pane.go_to(PROFILE)
    assert len(pane.state.survey.profile) == 4 and not pane.state.survey.rows
    pane.profile.entry.setText("Typed in another survey")
    pane.set_project(pane.project)
    assert not (pane.profile.entry.text() or pane.ratings.entry.text())


def test_papers_are_entered_rated_and_walked_by_key(pane: ParticipantPane) -> None:
    assert pane.pages.currentIndex() == RATINGS, "a survey that was begun goes on where the work is"
    assert pane.ratings.current == pane.state.survey.rows[2].id  # type: ignore[union-attr]
    write(pane, "3.25")
    assert values(pane) == [4.0, 2.5, 3.25]
    press(pane, Key.Key_Up, Key.Key_Left)
    assert values(pane) == [4.0, 2.25, 3.25]
    press(pane, Key.Key_Down, Key.Key_Down)
    assert pane.ratings.entry.hasFocus(), "after the last paper comes the next one"
    write(pane, "Gentle traffic in slow streets")
    press(pane, Key.Key_Return)
    assert len(values(pane)) == 4 and pane.ratings.current == pane.state.survey.rows[3].id  # type: ignore[union-attr]
    write(pane, "4")
    assert values(pane)[3] == 4.0
    said = [line.words.text() for line in pane.ratings.remarks]
    assert said[0].startswith("Two papers tie at 4; can you tell them apart?")
    assert [mark.value for mark in pane.ratings.ruler._marks] == [4.0, 4.0, 3.25, 2.25]
    press(pane, Key.Key_Left)
    assert not any("tie" in line.words.text() for line in pane.ratings.remarks)
    press(pane, Key.Key_Delete)
    assert len(values(pane)) == 3 and pane.ratings.current == pane.state.survey.rows[2].id  # type: ignore[union-attr]
    press(pane, Key.Key_Z, modifiers=CONTROL)
    assert values(pane)[3] == 3.75


def test_only_the_row_at_hand_shows_its_sentences_and_its_place_stays(pane: ParticipantPane) -> None:
    rows = [pane.ratings._rows[key] for key in pane.ratings._order]
    assert [row.scale._shown for row in rows] == [False, False, True]
    lefts = {row.scale.mapTo(pane, QPoint(0, 0)).x() for row in rows}
    assert len(lefts) == 1, "the strips stand under each other"
    pane.ratings.ruler.chosen.emit(rows[0].row_id)
    assert [row.scale._shown for row in rows] == [True, False, False]
    assert rows[0].scale.hasFocus()


def test_a_link_without_a_title_asks_for_it_in_its_row(pane: ParticipantPane, window: MainWindow) -> None:
    press(pane, Key.Key_A)
    assert pane.ratings.entry.hasFocus()
    write(pane, "https://example.org/paper.html")
    press(pane, Key.Key_Return)
    row = pane.ratings._rows[pane.ratings.current]
    assert row.typed_title.hasFocus() and row.typed_title.isVisible()
    write(pane, "The title that was on the page")
    press(pane, Key.Key_Return)
    assert row.scale.hasFocus() and not row.typed_title.isVisible()
    assert pane.state.survey is not None and pane.state.survey.rows[3].paper.title == "The title that was on the page"
    assert row.link.text() == "example.org/paper.html"
    window.commands.run("participant.edit")
    dialog = pane.findChild(PaperDialog)
    assert dialog is not None
    assert_named(dialog)
    dialog.authors.setText("Ben Example; Ada Example")
    dialog.year.setText("2024")
    dialog.accept()
    assert row.details.text() == "Ben Example, Ada Example · 2024"
    assert "has an author with your name" in row.mark.toolTip()


@pytest.mark.qt_log_ignore("This plugin does not support")  # of a list that pops up, on the offscreen platform
def test_a_paper_that_is_known_is_offered_while_its_title_is_typed(pane: ParticipantPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_A)
    write(pane, "ferries and tid")
    popup = pane.ratings.entry._completer.popup()
    assert popup.isVisible() and popup.model().rowCount() == 3
    qtbot.keyClick(popup, Key.Key_Down)
    qtbot.keyClick(popup, Key.Key_Return)
    assert pane.state.survey is not None and pane.state.survey.rows[-1].paper.title == "Own work 0 on ferries and tides"
    qtbot.waitUntil(lambda: not pane.ratings.entry.text())
    assert any("own publications" in line.words.text() for line in pane.ratings.remarks)


def test_bibtex_of_many_papers_is_one_step(pane: ParticipantPane) -> None:
    entry = "@article{k%d, title={Trams that wait for walkers, part %s}, author={Ben Example}, year={2023}}"
    pane.add_entry(" ".join(entry % (n, "abcdef"[n] * 6) for n in range(3)))
    assert len(values(pane)) == 6
    press(pane, Key.Key_Z, modifiers=CONTROL)
    assert len(values(pane)) == 3


def drop(pane: ParticipantPane, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPoint(200, 200), Qt.DropAction.CopyAction, data, buttons, modifiers)
    QApplication.sendEvent(pane, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(pane, QDropEvent(QPointF(200, 200), Qt.DropAction.CopyAction, data, buttons, modifiers))


def test_a_dropped_pdf_tells_its_title(pane: ParticipantPane, qtbot: QtBot) -> None:
    drop(pane, ROOT / "resources" / "sample" / "submitted.pdf")
    assert pane.ratings.said.text() == "Reading 1 file…"
    qtbot.waitUntil(lambda: len(values(pane)) == 4, timeout=60_000)
    assert pane.state.survey is not None and "counters" in pane.state.survey.rows[3].paper.title.lower()
    assert pane.state.survey.rows[3].paper.abstract
    assert "Reading" not in pane.ratings.said.text()


def test_reading_a_file_that_is_cancelled_in_the_job_tray_ends_with_a_note(pane: ParticipantPane, qtbot: QtBot) -> None:
    bridge = pane.context.bridge
    drop(pane, ROOT / "resources" / "sample" / "submitted.pdf")
    bridge.cancel_job(max(bridge._handles))
    qtbot.waitUntil(lambda: bool(pane.banner.notices))
    (notice,) = pane.banner.notices
    assert notice.kind == "note" and notice.what.endswith("was cancelled.")
    assert "Reading" not in pane.ratings.said.text()


def test_lists_of_papers_are_read_and_what_is_none_is_told(pane: ParticipantPane, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "empty.bib").write_text("")
    (tmp_path / "own.bib").write_text(
        "".join(f"@article{{k{n}, title={{{name} that wait}}, year=2024}}" for n, name in enumerate(("Trams", "Gates")))
    )
    pane.add_files([tmp_path / "empty.bib"])
    qtbot.waitUntil(lambda: len(pane.banner.notices) == 1)
    assert len(values(pane)) == 3 and "Reading" not in pane.ratings.said.text()
    pane.add_files([tmp_path / "own.bib"])
    qtbot.waitUntil(lambda: len(values(pane)) == 5)
    pane.go_to(PROFILE)
    drop(pane, tmp_path / "own.bib")
    qtbot.waitUntil(lambda: pane.state.survey is not None and len(pane.state.survey.profile) == 5)
    press(pane, Key.Key_Z, modifiers=CONTROL)
    assert pane.state.survey is not None and len(pane.state.survey.profile) == 3
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_a_message_covers_no_button_of_the_foot(
    pane: ParticipantPane, window: MainWindow, zoom: float, qtbot: QtBot
) -> None:
    window.resize(1280, 800)
    theme().configure(zoom=zoom)
    area = window.messages
    for kind in ("attention", "problem"):
        pane.banner.show_notice(
            Notice("file", "own.bib, line 4: an entry couldn't be read and was left out.", kind=kind)
        )
        headless.settle(window)
        assert area.isVisible()
        for button in (pane.foot.back, pane.foot.next):
            place = QRect(button.mapTo(window, QPoint(0, 0)), button.size())
            qtbot.waitUntil(lambda place=place: not area.geometry().intersects(place))


def test_a_survey_goes_on_after_the_window_was_closed(pane: ParticipantPane, window: MainWindow) -> None:
    write(pane, "3.25")
    project = window.bridge.project
    assert project is not None
    window.control.leave_survey()
    again = open_survey(window, project)
    assert again is pane and values(pane) == [4.0, 2.5, 3.25] and pane.pages.currentIndex() == RATINGS


def test_a_page_is_ticked_as_saved_only_while_the_answers_are_those(pane: ParticipantPane, tmp_path: Path) -> None:
    write(pane, "3.25")
    pane.go_to(RELEASE)
    pane.save_to(tmp_path / "a.rejoinder-answers")
    pane.refresh_now()
    pane.go_to(RATINGS)
    ticked = pane.head.steps[RELEASE]
    assert ticked.text().endswith("✓")
    pane.ratings.go_to(0)
    press(pane, Key.Key_Left)
    assert not ticked.text().endswith("✓"), "the file has other answers"
    press(pane, Key.Key_Z, modifiers=CONTROL)
    assert ticked.text().endswith("✓")


KILLED = """
import os, sys
from PySide6.QtTest import QTest
from desktop_app.window import MainWindow, application
app = application()
window = MainWindow()
window.show()
assert window.open_path(sys.argv[1])
pane = window.panes["participant"]
pane.go_to(2)
row = pane.ratings._rows[pane.ratings._order[2]]
for letter in "3.75":
    QTest.keyClick(row.scale, letter)
print("rated", flush=True)
os.kill(os.getpid(), 9)
"""


def test_nothing_is_lost_when_the_program_is_killed() -> None:
    project = begun([4.0, 2.5, None])
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", KILLED, str(project.path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "rated\n" and done.returncode == -signal.SIGKILL, done.stderr
    with Project.open(project.path) as after:
        store = SurveyStore(after)
        participant = store.participants(store.studies("participant")[0].id)[0]
        assert [row.value for row in store.rows(participant.id)] == [4.0, 2.5, 3.75]
        assert not after.check()


def test_the_clock_counts_input_in_front_and_no_pause(window: MainWindow, qtbot: QtBot) -> None:
    moment = [100.0]
    pane = open_survey(window, begun([4.0]))
    qtbot.waitActive(window)
    pane.clock.end()
    pane.clock = SurveyClock(pane, lambda: moment[0])
    assert pane.state.store is not None and pane.state.survey is not None
    pane.state.store.time.forget(pane.state.survey.participant.id)
    pane.clock.begin(pane.state.store, pane.state.survey.participant.id)
    handle = window.windowHandle()
    for seconds in (10, 20, 20):
        moment[0] += seconds
        qtbot.keyClick(handle, Key.Key_Shift)
    assert pane.clock.seconds == 50
    moment[0] += 3600  # lunch
    assert pane.clock.seconds == 110, "a minute after the last key the clock stands still"
    qtbot.keyClick(handle, Key.Key_Shift)
    pane.clock.save()
    assert pane.state.store.time.active_seconds(pane.state.survey.participant.id) == 110
    assert window.bridge.project is not None
    assert window.bridge.project.history(1)[0].title == "Add 3 publications", "measuring is no step to undo"
    pane.clock.end()
    moment[0] += 30
    pane.clock.begin(pane.state.store, pane.state.survey.participant.id)
    moment[0] += 5
    assert 110 <= pane.clock.seconds <= 115
    for answer in ("Cancel", "Delete"):
        assert pane.clock.seconds >= 110
        pane.forget_time()
        (question,) = [one for one in pane.findChildren(QMessageBox) if one.isVisible()]
        next(button for button in question.buttons() if button.text() == answer).click()
    assert pane.clock.seconds == 0 and pane.state.store.time.active_seconds(pane.state.survey.participant.id) == 0
    pane.clock.end()


def test_the_answers_lie_in_a_folder_of_their_own(pane: ParticipantPane, window: MainWindow) -> None:
    assert window.bridge.project is not None
    assert window.bridge.project.path.parent == surveys_folder()
    assert study().title.split()[0].lower() in window.bridge.project.path.name


def test_the_network_is_asked_only_where_the_switch_says_so(pane: ParticipantPane, window: MainWindow) -> None:
    switch = pane.ratings.online
    assert not switch.isChecked() and not window.settings.flag("network.arxiv")
    switch.click()
    assert window.settings.flag("network.arxiv") and window.settings.flag("network.crossref")
    window.settings.set("network.arxiv", False)
    window.settings.set("network.crossref", False)
    assert not switch.isChecked(), "the switch tells what holds, wherever it was chosen"


def test_a_narrow_window_puts_the_strips_under_the_titles(
    pane: ParticipantPane, window: MainWindow, qtbot: QtBot
) -> None:
    row = pane.ratings._rows[pane.ratings._order[0]]
    shown, view = pane.ratings._list, pane.ratings.scroller.viewport()
    qtbot.waitUntil(lambda: row.scale.x() > row.width() // 4, timeout=PATIENCE_MS)
    window.resize(960, 560)
    below = lambda: row.scale.x() < 40 and row.scale.y() > 20  # noqa: E731
    qtbot.waitUntil(lambda: below() and shown.width() <= view.width(), timeout=PATIENCE_MS)  # nothing is cut off
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: row.scale.x() > row.width() // 4, timeout=PATIENCE_MS)


def test_several_lines_pasted_are_several_papers(pane: ParticipantPane) -> None:
    pane.ratings.entry.setFocus()
    pane.ratings.entry.insert("https://arxiv.org/abs/2401.00011\n10.1000/example.1\nhttps://example.org/a.pdf")
    press(pane, Key.Key_Return)
    assert pane.state.survey is not None
    assert [address(row.paper) for row in pane.state.survey.rows[3:]] == [
        "https://arxiv.org/abs/2401.00011",
        "https://doi.org/10.1000/example.1",
        "https://example.org/a.pdf",
    ]


@pytest.mark.parametrize(
    ("link", "opened"),
    [
        ("https://example.org/a", "https://example.org/a"),
        ("www.example.org/a", "https://www.example.org/a"),
        ("example.org/a", "https://example.org/a"),
        ("file:///etc/passwd", ""),
        ("javascript:alert(1)", ""),
        ("", ""),
    ],
)
def test_only_web_addresses_are_opened(link: str, opened: str) -> None:
    assert address(LibraryPaper("", "Title", link=link)) == opened


def test_papers_without_a_title_are_told_apart_by_their_ids() -> None:
    assert [heading(LibraryPaper("", "", source_id=one)) for one in ("22a", "4a1", "")] == [
        "Paper 22a",
        "Paper 4a1",
        "Paper",
    ]
