"""Projects in the window: opened, damaged, gone, backed up, dropped, and who acts in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QInputDialog, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app import present, project_control
from desktop_app.regular_backups import is_due
from desktop_app.window import MainWindow
from engine.errors import EnvironmentProblem
from engine.project import DamagedProject, Project, backups
from tests.desktop_app.shell_helpers import do_acts, papers


def button(window: MainWindow, text: str) -> QPushButton:
    return next(b for b in window.banner.findChildren(QPushButton) if text in b.text())


def test_undo_and_redo_work_in_any_pane_and_say_what_they_will_do(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 2)
    assert window.commands.text("edit.undo") == "Undo “Add paper 1”"
    for pane in ("history", "home"):
        window.show_pane(pane)
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert papers(project) == 0
    assert not window.undoing.can("undo")
    assert window.commands.text("edit.redo") == "Redo “Add paper 0”"
    window.run_command("edit.redo")
    assert papers(project) == 1
    with project.action(f"Add follow-up: “{'long ' * 40}”"):
        do_acts(project, 1)
    title = window.commands.text("edit.undo")
    assert title.startswith("Undo “Add follow-up: ‘long long") and title.endswith("…”") and len(title) < 70


def test_a_project_is_renamed_and_keeps_its_file(
    window: MainWindow, project_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not window.commands.enabled("project.rename")
    window.open_path(project_path)
    answers = iter([("  ", True), ("Not this", False), ("Two  rounds\nof review", True)])
    monkeypatch.setattr(QInputDialog, "getText", lambda *_a, **_k: next(answers))
    project = window.bridge.project
    assert project is not None
    before = project.title
    for _ in range(2):
        window.run_command("project.rename")
        assert project.title == before
    window.run_command("project.rename")
    assert project.title == "Two rounds of review" and window.windowTitle().startswith("Two rounds of review")
    assert project.path == project_path
    assert "Two rounds of review" in window.control._state.titles.values()


def test_somebody_else_goes_on_under_another_name_by_keys(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    """Only menus of buttons in some panes could do it; the palette found nothing. A name is taken as it was typed, also
    if a known one begins with it; OK without a change doesn't load everything again."""
    assert not window.commands.enabled("project.annotator")
    window.open_path(project_path)
    project = window.bridge.opened
    project.add_annotator("Anna")
    reloads: list[object] = []
    window.bridge.project_changed.connect(reloads.append)

    def fill(name: str) -> None:
        dialog = next((one for one in window.findChildren(QInputDialog) if one.isVisible() and one.focusWidget()), None)
        if dialog is None:
            QTimer.singleShot(20, partial(fill, name))
            return
        qtbot.keyClicks(present(dialog.focusWidget()), name)
        qtbot.keyClick(present(dialog.focusWidget()), Qt.Key.Key_Return)

    for typed, acting in (("Dea", "Dea"), ("Ann", "Ann"), ("", "Ann")):
        QTimer.singleShot(0, partial(fill, typed))
        window.run_command("project.annotator")
        assert dict(project.annotators())[project.annotator_id] == acting
    assert len(reloads) == 2


def test_a_project_that_another_window_holds_says_who(
    make_window: Callable[[], MainWindow], project_path: Path, tmp_path: Path
) -> None:
    holder = Project.open(project_path, annotator="Grace")
    window = make_window()
    assert window.open_path(project_path)
    notice = window.banner.notices[0]
    assert "read-only" in notice.what
    assert "It has been open as" in notice.means
    assert "read-only" in window.header.project_title.text()
    assert not window.undoing.can("undo")
    assert window.control.save_copy(tmp_path / "mine")
    assert window.bridge.project is not None and not window.bridge.project.read_only
    assert window.banner.notices == []
    holder.close()


def test_a_damaged_project_offers_the_last_good_backup_and_keeps_the_damaged_file(
    window: MainWindow, project_path: Path
) -> None:
    with Project.open(project_path) as project:
        do_acts(project, 3)
        project.back_up()
    damaged = project_path.read_bytes()[:200] + bytes(5000)
    project_path.write_bytes(damaged)
    assert not window.open_path(project_path)
    assert window.banner.notices[0].kind == "problem"
    button(window, "Restore backup").click()
    assert window.bridge.project is not None
    assert papers(window.bridge.project) == 3
    kept = next(project_path.parent.glob("*.replaced-*"))
    assert kept.read_bytes() == damaged
    assert kept.name in window.banner.notices[0].what


def test_a_damaged_project_without_a_backup_says_so(window: MainWindow, project_path: Path) -> None:
    project_path.write_bytes(project_path.read_bytes()[:200] + bytes(5000))
    assert not window.open_path(project_path)
    assert "No backup" in window.banner.notices[0].do


def test_a_removed_project_offers_its_backup(window: MainWindow, project_path: Path) -> None:
    with Project.open(project_path) as project:
        do_acts(project, 2)
        project.back_up()
    for file in project_path.parent.glob("deep-review.rejoinder*"):
        file.unlink()
    assert not window.open_path(project_path)
    button(window, "Restore backup").click()
    assert window.bridge.project is not None and papers(window.bridge.project) == 2


@pytest.mark.parametrize("content", [b"", b"%PDF-1.5 not a project", b"\x00" * 40])
def test_a_file_that_is_no_project_is_told_and_left_alone(window: MainWindow, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.rejoinder"
    path.write_bytes(content)
    assert not window.open_path(path)
    assert len(window.banner.notices) == 1
    assert path.read_bytes() == content


def test_nothing_is_overwritten_by_a_new_project(window: MainWindow, project_path: Path) -> None:
    before = project_path.read_bytes()
    assert not window.control.create(project_path)
    assert "already exists" in window.banner.notices[0].what
    assert project_path.read_bytes() == before


def test_a_recent_project_that_is_gone_can_be_forgotten(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    window.control.close()
    for file in project_path.parent.glob("deep-review.rejoinder*"):
        file.unlink()
    assert not window.open_path(project_path)
    button(window, "Remove from recent").click()
    assert window.state.recent == []
    assert window.banner.notices == []


@pytest.mark.filterwarnings("ignore:.*QDragEnterEvent.*:DeprecationWarning")  # 6.12 would rather have a QPointF
def test_a_dropped_project_opens(window: MainWindow, project_path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(project_path))])
    enter = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, drop)
    assert window.bridge.project is not None and window.bridge.project.path == project_path


@pytest.mark.filterwarnings("ignore:.*QDragEnterEvent.*:DeprecationWarning")  # 6.12 would rather have a QPointF
def test_other_dropped_files_are_not_taken(window: MainWindow, tmp_path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "x.txt"))])
    enter = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, enter)
    assert not enter.isAccepted()


def test_the_sample_opens_as_a_copy(
    window: MainWindow, project_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    monkeypatch.setattr(project_control, "SAMPLES", project_path.parent)
    shipped = project_path.read_bytes()
    assert window.control.open_sample()
    project = window.bridge.project
    assert project is not None and project.path.is_relative_to(own_home)
    do_acts(project, 1)
    window.control.close()
    assert project_path.read_bytes() == shipped
    assert window.state.recent == []
    assert window.control.open_sample()
    assert window.bridge.project is not None and papers(window.bridge.project) == 1


def test_backing_up_and_checking_run_as_jobs_and_report(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    window.run_command("project.backup")
    qtbot.waitUntil(lambda: "Backed up" in window.status.words.text())
    window.run_command("project.check")
    qtbot.waitUntil(lambda: "No problems found" in window.status.words.text())


def test_a_project_backs_itself_up_when_something_was_done(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    window.backups.back_up_if_due()
    assert not window.bridge.engine.busy() and backups(project_path) == ()
    do_acts(project, 1)
    window.backups.back_up_if_due()
    qtbot.waitUntil(lambda: len(backups(project_path)) == 1 and not window.bridge.engine.busy())
    assert not is_due(project)
    do_acts(project, 1)
    assert is_due(project)


def test_a_file_that_vanishes_while_open_can_be_saved_as_a_copy(
    window: MainWindow, project_path: Path, tmp_path: Path
) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 2)
    project_path.rename(tmp_path / "elsewhere.rejoinder")
    with pytest.raises(EnvironmentProblem) as caught:
        do_acts(project, 1)
    window.show_problem(caught.value)
    assert button(window, "Save a copy").isEnabled()
    assert window.control.save_copy(tmp_path / "rescued.rejoinder")
    assert window.bridge.project is not None and papers(window.bridge.project) == 2


def test_damage_found_while_open_offers_the_backup(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 1)
    project.back_up()
    do_acts(project, 1)
    window.show_problem(DamagedProject("The file is damaged.", "Part of it can't be read"))
    button(window, "Restore backup").click()
    assert window.bridge.project is not None and papers(window.bridge.project) == 1


def test_a_new_name_acts_from_now_on(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    window.settings.set("annotator.name", "Grace")
    do_acts(project, 1)
    assert project.history()[0].annotator == "Grace"


def test_who_acts_is_asked_once_for_each_project_and_opening_writes_nothing(
    make_window: Callable[[], MainWindow], tmp_path: Path
) -> None:
    paths = [tmp_path / f"{name}.rejoinder" for name in ("one", "two")]
    for path in paths:
        with Project.create(path, path.stem, "Ada") as project:
            do_acts(project, 1)
            project.set_annotator("Bo")
            do_acts(project, 1)
    before = [path.read_bytes() for path in paths]
    window = make_window()
    window.settings.set("annotator.name", "Cy")
    assert window.open_path(paths[0])
    (notice,) = window.banner.notices
    assert "Who are you?" in notice.what and [words for words, _ in notice.actions] == ["Ada", "Bo", "Cy"]
    dict(notice.actions)["Bo"]()
    assert not window.banner.notices and acting(window) == "Bo"
    assert window.open_path(paths[1])
    assert acting(window) == "Cy" and window.banner.notices, "who acts in one project says nothing of another"
    assert window.open_path(paths[0])
    assert acting(window) == "Bo" and not window.banner.notices
    window.control.close()
    assert [path.read_bytes() for path in paths] == before
    window.settings.set("annotator.name", "Ada")
    assert window.open_path(paths[1])
    assert acting(window) == "Ada" and not window.banner.notices


def test_nobody_is_asked_who_they_are_once_they_have_worked(
    make_window: Callable[[], MainWindow], tmp_path: Path
) -> None:
    path = tmp_path / "one.rejoinder"
    with Project.create(path, "One", "Ada") as project:
        do_acts(project, 1)
    window = make_window()
    window.settings.set("annotator.name", "Cy")
    assert window.open_path(path)
    assert [notice.key for notice in window.banner.notices] == ["who"]
    do_acts(window.bridge.opened, 1)
    assert not window.banner.notices and acting(window) == "Cy"


def acting(window: MainWindow) -> str:
    project = window.bridge.project
    assert project is not None
    return dict(project.annotators())[project.annotator_id]
