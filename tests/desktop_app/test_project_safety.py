"""What the window does when other programs touch the open project, and with files that it doesn't trust."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.window import MainWindow, application
from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Changes, Project, keeper
from engine.project.database import NotWritten
from tests.desktop_app.shell_helpers import do_acts, papers

COMMIT = """
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute("UPDATE paper SET title = 'theirs'")
c.commit()
"""


def button(window: MainWindow, text: str) -> QPushButton:
    return next(b for b in window.banner.findChildren(QPushButton) if text in b.text())


@pytest.fixture
def open_window(window: MainWindow, project_path: Path) -> MainWindow:
    window.open_path(project_path)
    assert window.bridge.project is not None
    do_acts(window.bridge.project, 2)
    return window


def test_what_another_program_commits_is_shown(open_window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    project = open_window.bridge.project
    assert project is not None
    seen: list[Changes] = []
    open_window.bridge.changes.connect(seen.append)
    subprocess.run([sys.executable, "-c", COMMIT, str(project_path)], check=True)
    qtbot.waitUntil(lambda: any(changes.kind == "elsewhere" and changes.touches("paper") for changes in seen))
    assert {paper.title for paper in PaperStore(project).papers()} == {"theirs"}
    do_acts(project, 1)
    assert papers(project) == 3 and not open_window.banner.notices


def test_a_file_overwritten_by_another_program_is_reported_and_never_written_again(
    open_window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.rejoinder"
    with Project.create(other) as theirs:
        do_acts(theirs, 7)
    subprocess.run(["cp", str(other), str(project_path)], check=True)
    qtbot.waitUntil(lambda: bool(open_window.banner.notices))
    notice = open_window.banner.notices[0]
    assert "overwrote" in notice.what and notice.means and notice.do
    assert open_window.bridge.project is not None
    with pytest.raises(EnvironmentProblem, match="overwrote"):
        do_acts(open_window.bridge.project, 1)
    assert button(open_window, "Save a copy").isEnabled()
    button(open_window, "Close and reopen").click()
    assert open_window.bridge.project is not None and papers(open_window.bridge.project) == 7
    assert not open_window.bridge.project.check()


def test_a_copy_of_the_open_file_has_what_the_user_sees(
    open_window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copied() -> int:
        copy = tmp_path / "copy.rejoinder"
        subprocess.run(["cp", str(project_path), str(copy)], check=True)
        with closing(sqlite3.connect(f"file:{copy}?immutable=1", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM paper").fetchone()[0])

    assert open_window.bridge.project is not None
    application().applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    qtbot.waitUntil(lambda: copied() == 2)
    do_acts(open_window.bridge.project, 1)
    assert copied() == 2, "the act is still in the log"
    monkeypatch.setattr(keeper, "IDLE", 0.0)
    qtbot.waitUntil(lambda: copied() == 3)


def test_a_file_with_a_program_of_its_own_is_refused_and_its_data_can_be_salvaged(
    window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with Project.open(project_path) as project:
        do_acts(project, 3)
    with closing(sqlite3.connect(project_path)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON action BEGIN DELETE FROM paper; END")
    before = project_path.read_bytes()
    assert not window.open_path(project_path)
    assert "trigger t" in window.banner.notices[0].what
    assert button(window, "Recover data").isEnabled()
    window.control.salvage(project_path, tmp_path / "clean")
    qtbot.waitUntil(lambda: window.bridge.project is not None)
    assert window.bridge.project is not None
    assert window.bridge.project.path.name == "clean.rejoinder" and papers(window.bridge.project) == 3
    assert "recovered" in window.banner.notices[0].what
    do_acts(window.bridge.project, 1)
    assert papers(window.bridge.project) == 4 and project_path.read_bytes() == before


def test_what_cannot_be_saved_can_be_saved_elsewhere(open_window: MainWindow) -> None:
    open_window.show_problem(NotWritten("The disk is full.", "Your last change wasn't saved", "Free some space."))
    assert button(open_window, "Save a copy").isEnabled()
    assert open_window.bridge.project is not None
    do_acts(open_window.bridge.project, 1)
    assert open_window.banner.notices == [], "the next change was saved"


def test_a_pane_offers_what_helps_when_the_project_cannot_be_written(open_window: MainWindow, tmp_path: Path) -> None:
    open_window.show_pane("survey")
    pane, project = open_window.pane, open_window.bridge.project
    assert project is not None

    def refused() -> None:
        raise NotWritten("The disk is full.", "Your last change wasn't saved.", "Free some space.")

    assert not pane.act(refused)
    assert [label for label, _act in pane.banner.notices[0].actions] == ["Save a copy…"]
    assert pane.act(lambda: do_acts(project, 1)) and not pane.banner.notices
    project.path.rename(tmp_path / "renamed.rejoinder")
    assert not pane.act(lambda: do_acts(project, 1)) and not pane.banner.notices
    [notice] = open_window.banner.notices
    assert [label for label, _act in notice.actions] == ["Save a copy…", "Close and reopen"]
    assert "last change" not in f"{notice.means} {notice.do}", "it is shown when nothing was changed, too"


def test_the_same_file_under_another_name_is_the_open_one(open_window: MainWindow, project_path: Path) -> None:
    link = project_path.with_name("link.rejoinder")
    link.symlink_to(project_path)
    project = open_window.bridge.project
    assert open_window.open_path(link)
    assert open_window.bridge.project is project and not open_window.banner.notices
