"""Erasing and sharing as a person does them: the dialogs, the jobs, and what is on the disk afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.erase_and_share import EraseDialog, ShareDialog
from desktop_app.window import MainWindow
from engine.errors import EnvironmentProblem
from engine.operations.share import PARTS
from engine.papers.store import PaperStore
from engine.project import Project
from engine.project.erasing import MARK
from engine.reviews.store import ReviewStore
from tests.desktop_app.shell_helpers import papers
from tests.engine.reviews.made_review import review


@pytest.fixture
def opened(window: MainWindow, project_path: Path) -> Project:
    assert window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    first = PaperStore(project).add_paper("A paper to review")
    PaperStore(project).add_paper("Another & <b>bold</b> paper")
    ReviewStore(project).import_bundle(review(3), "review.txt", paper_id=first)
    return project


def erase_dialog(window: MainWindow, qtbot: QtBot) -> EraseDialog:
    window.run_command("project.erase")
    (dialog,) = window.findChildren(EraseDialog)
    qtbot.waitUntil(lambda: "deleted" in dialog.affected.text() or "Nothing else" in dialog.affected.text())
    return dialog


def test_a_paper_is_erased_after_a_tick_and_the_banner_says_so(
    window: MainWindow, opened: Project, project_path: Path, qtbot: QtBot
) -> None:
    window.state.set_text(f"rebuttal.left.{opened.id}.x", "{}")
    window.state.set_text(f"added.{opened.id}", "[]")
    dialog = erase_dialog(window, qtbot)
    assert "1 paper, 1 review or letter, 3 comments" in dialog.affected.text()
    assert not dialog.copies.isVisible()
    assert not dialog.buttons.ok.isEnabled()
    qtbot.mouseClick(dialog.buttons.ok, Qt.MouseButton.LeftButton)
    assert papers(opened) == 2, "nothing is erased without the tick"
    dialog.sure.click()
    assert dialog.buttons.ok.isEnabled()
    qtbot.mouseClick(dialog.buttons.ok, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any("erased" in notice.what for notice in window.banner.notices))
    project = window.bridge.project
    assert project is not None and project is not opened and project.path == project_path
    assert [paper.title for paper in PaperStore(project).papers()] == ["Another & <b>bold</b> paper"]
    assert window.state.text(f"rebuttal.left.{project.id}.x", "gone") == "gone"
    assert window.state.text(f"added.{project.id}", "gone") == "gone"
    window.run_command("edit.undo")
    assert any("can't be undone" in notice.what for notice in window.banner.notices)
    assert papers(project) == 1


def test_another_target_takes_the_tick_back(window: MainWindow, opened: Project, qtbot: QtBot) -> None:
    dialog = erase_dialog(window, qtbot)
    dialog.sure.click()
    dialog.target.setCurrentIndex(1)
    assert not dialog.sure.isChecked() and not dialog.buttons.ok.isEnabled()
    qtbot.waitUntil(lambda: "1 paper will be deleted" in dialog.affected.text())
    dialog.kind.setCurrentIndex(dialog.kind.findData("annotator"))
    qtbot.waitUntil(lambda: "kept under “Removed annotator”" in dialog.affected.text())
    assert [dialog.target.itemText(row) for row in range(dialog.target.count())] == [n for _, n in opened.annotators()]
    dialog.reject()
    assert papers(opened) == 2


def test_earlier_copies_are_offered(window: MainWindow, opened: Project, project_path: Path, qtbot: QtBot) -> None:
    kept = project_path.with_name("deep-review.replaced-2026-01-01T00-00-00-000000Z.rejoinder")
    opened.save_copy(kept)
    dialog = erase_dialog(window, qtbot)
    assert dialog.copies.isVisible() and kept.name in dialog.copy_names.text()
    dialog.copies.click()
    dialog.sure.click()
    dialog.accept()
    qtbot.waitUntil(lambda: any(kept.name in notice.means for notice in window.banner.notices))
    assert kept.exists()


def test_an_erase_that_could_not_finish_is_reported_and_can_be_finished(
    window: MainWindow, opened: Project, project_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_project: Project) -> None:
        raise EnvironmentProblem("No room.", "Nothing.", "Make room.")

    with opened.rewriting() as connection:
        connection.execute("INSERT INTO project_info VALUES (?, 'copies')", (MARK,))
    with monkeypatch.context() as patch:
        patch.setattr(Project, "rebuild", fail)
        window.control.reopen()
    (notice,) = window.banner.notices
    assert "isn't finished" in notice.what
    notice.actions[0][1]()
    qtbot.waitUntil(lambda: any("Erasing finished" in notice.what for notice in window.banner.notices))
    project = window.bridge.project
    assert project is not None and not project.info(MARK)


def test_a_read_only_project_offers_no_erasing(window: MainWindow, project_path: Path) -> None:
    assert not window.commands.enabled("project.erase") and not window.commands.enabled("project.share")
    with Project.open(project_path):
        assert window.open_path(project_path)
        assert not window.commands.enabled("project.erase") and window.commands.enabled("project.share")


def test_a_copy_is_shared_with_what_is_ticked(
    window: MainWindow, opened: Project, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "to a colleague"
    monkeypatch.setattr(window.control, "ask_new_file", lambda _title, then, _proposed: then(str(target)))
    window.run_command("project.share")
    (dialog,) = window.findChildren(ShareDialog)
    assert {key for key, box in dialog.parts.items() if box.isChecked()} == {p.id for p in PARTS if p.default}
    dialog.papers.item(0).setCheckState(Qt.CheckState.Unchecked)
    dialog.papers.item(1).setCheckState(Qt.CheckState.Unchecked)
    assert not dialog.buttons.ok.isEnabled()
    dialog.papers.item(1).setCheckState(Qt.CheckState.Checked)
    dialog.anonymous.setChecked(True)
    qtbot.mouseClick(dialog.buttons.ok, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any("Saved" in notice.what for notice in window.banner.notices))
    with Project.open(tmp_path / "to a colleague.rejoinder", read_only=True) as copy:
        assert [paper.title for paper in PaperStore(copy).papers()] == ["Another & <b>bold</b> paper"]
        assert copy.history() == () and copy.annotators() == ((opened.annotator_id, "Annotator 1"),)
    assert window.bridge.project is opened


@pytest.mark.parametrize("steps", [0, 6])
def test_the_dialogs_fit_the_smallest_window(window: MainWindow, opened: Project, qtbot: QtBot, steps: int) -> None:
    window.resize(960, 560)
    for _ in range(steps):
        window.appearance.zoom(1)
    erase = erase_dialog(window, qtbot)
    window.run_command("project.share")
    (share,) = window.findChildren(ShareDialog)
    for dialog in (erase, share):
        assert dialog.width() <= window.width() and dialog.height() <= window.height()
        assert dialog.buttons.ok.isVisible()
        dialog.reject()
