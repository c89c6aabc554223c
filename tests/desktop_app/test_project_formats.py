"""Export… and Import… of the File menu: the dialogs, the jobs, and what is there afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_app.project_formats import BUNDLE, export_filters, import_filters
from desktop_app.widgets.file_dialogs import file_name
from desktop_app.window import MainWindow
from engine.agreement.records import ADJUDICATED
from engine.agreement.store import AgreementStore
from engine.exchange.rebuttals import Rebuttals
from engine.formats import READERS, WRITERS, Wanted
from engine.papers.store import LibraryStore, PaperStore
from engine.project import Project
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore


@pytest.fixture
def opened(window: MainWindow, sample_path: Path) -> Project:
    assert window.open_path(sample_path)
    project = window.bridge.project
    assert project is not None
    window.control.act_as("Sample annotator")
    LabelStore(project).set_label(ReviewStore(project).texts()[0].id, Span(0, 20), "aspect", ["clarity"])
    return project


def dialog(window: MainWindow) -> QFileDialog:
    (found,) = [one for one in window.findChildren(QFileDialog) if one.isVisible()]
    return found


def choose(window: MainWindow, path: Path, filters: str = "") -> None:
    shown = dialog(window)
    if filters:
        shown.selectNameFilter(filters)
    shown.selectFile(str(path))
    shown.accept()


def answer(window: MainWindow, words: str) -> None:
    (question,) = window.findChildren(QMessageBox)
    (button,) = [one for one in question.buttons() if one.text() == words]
    button.click()


def said(window: MainWindow, qtbot: QtBot, *words: str) -> str:
    """Waits for a notice with one of these words."""

    def found() -> list[str]:
        return [one.what + one.means for one in window.banner.notices if any(word in one.what for word in words)]

    qtbot.waitUntil(lambda: bool(found()), timeout=20_000)
    return found()[0]


def test_a_bundle_is_exported_and_imported_into_a_new_project(
    window: MainWindow, opened: Project, tmp_path: Path, qtbot: QtBot
) -> None:
    window.run_command("project.export")
    assert dialog(window).nameFilters() == list(export_filters().values()) and len(export_filters()) == len(WRITERS) + 1
    (proposed,) = dialog(window).selectedFiles()
    assert Path(proposed).name == file_name(opened.title), "the title, not the name of the project's file"
    choose(window, tmp_path / "everything")
    assert "private notes" in said(window, qtbot, "everything.zip")
    titles = [paper.title for paper in PaperStore(opened).papers()]
    window.run_command("project.import")
    choose(window, tmp_path / "everything.zip")
    choose(window, tmp_path / "again.rejoinder")
    said(window, qtbot, "rows were imported")
    project = window.bridge.project
    assert project is not None and project.path == tmp_path / "again.rejoinder"
    assert [paper.title for paper in PaperStore(project).papers()] == titles


@pytest.mark.parametrize("format_", WRITERS)
def test_every_format_is_written_of_the_paper_that_is_shown_and_nothing_is_overwritten(
    window: MainWindow, opened: Project, tmp_path: Path, qtbot: QtBot, format_: str
) -> None:
    if format_.startswith("cas"):
        pytest.importorskip("cassis")
    ending = WRITERS[format_].ending
    (tmp_path / f"out{ending}").write_text("mine")
    window.run_command("project.export")
    choose(window, tmp_path / "out", export_filters()[format_])
    if WRITERS[format_].links:
        answer(window, "Adjudicated")
    if WRITERS[format_].claims:  # the sample's rebuttal has a claim to decide on
        qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)), timeout=20_000)
        answer(window, "Export anyway")
    said(window, qtbot, "Saved", "Exported")
    assert (tmp_path / f"out{ending}").read_text() == "mine"
    assert (tmp_path / f"out-2{ending}").is_file() == bool(ending)


def test_publications_are_imported_and_undone_in_one_step(
    window: MainWindow, opened: Project, tmp_path: Path, qtbot: QtBot
) -> None:
    assert set(import_filters()) == {BUNDLE, *(key for key, one in READERS.items() if one.endings)}
    (tmp_path / "own.bib").write_text("@article{k, title={On nothing much}, author={A. Nobody}, year=2020}")
    before = len(LibraryStore(opened).papers())
    window.run_command("project.import")
    choose(window, tmp_path / "own.bib", import_filters()["publications"])
    said(window, qtbot, "own.bib")
    assert len(LibraryStore(opened).papers()) == before + 1
    window.run_command("edit.undo")
    assert len(LibraryStore(opened).papers()) == before


@pytest.mark.parametrize(("words", "whose"), [("Adjudicated", ADJUDICATED), ("Sample annotator only", "")])
def test_links_of_several_are_exported_as_adjudicated_or_ones_own(
    window: MainWindow, opened: Project, tmp_path: Path, qtbot: QtBot, words: str, whose: str
) -> None:
    window.run_command("project.export")
    choose(window, tmp_path / "out", export_filters()["links"])
    answer(window, words)
    said(window, qtbot, "Saved")
    written = (tmp_path / "out.csv").read_bytes()
    assert written == WRITERS["links"].make(opened, Wanted("out.csv", "", whose)).files[0].content
    other = WRITERS["links"].make(opened, Wanted("out.csv", "", "" if whose else ADJUDICATED)).files[0].content
    assert written != other


def test_nothing_is_asked_and_written_without_an_answer(
    window: MainWindow, opened: Project, tmp_path: Path, qtbot: QtBot
) -> None:
    window.run_command("project.export")
    choose(window, tmp_path / "out", export_filters()["links"])
    answer(window, "Cancel")
    assert not (tmp_path / "out.csv").exists() and window.bridge.engine.busy() == ()
    paper = PaperStore(opened).papers()[0].id
    AgreementStore(opened).set_done(paper, False)  # nobody else's work may be seen now
    window.run_command("project.export")
    choose(window, tmp_path / "out", export_filters()["links"])
    said(window, qtbot, "Saved")


def test_a_rebuttal_with_an_unfounded_claim_is_exported_after_a_question(
    window: MainWindow, opened: Project, tmp_path: Path, qtbot: QtBot
) -> None:
    rebuttals = Rebuttals(opened)
    paper = PaperStore(opened).papers()[0].id
    rebuttals.store.write(paper, rebuttals.read(paper).outline.rows[0].point, "We explain this in Section 99.")
    for words in ("Cancel", "Export anyway"):
        window.run_command("project.export")
        choose(window, tmp_path / "out", export_filters()["rebuttal-markdown"])
        qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)), timeout=20_000)
        assert "Section 99" in window.findChildren(QMessageBox)[0].informativeText()
        answer(window, words)
        assert not (tmp_path / "out.md").exists()
        qtbot.waitUntil(lambda: not window.findChildren(QMessageBox), timeout=20_000)
    said(window, qtbot, "Saved")
    assert "Section 99" in (tmp_path / "out.md").read_text(encoding="utf-8")
