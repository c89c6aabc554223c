"""The review pane in a real window, on a copy of a project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.review.pane import ReviewPane
from desktop_app.window import MainWindow
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.crews import deterministic_crew
from engine.review_drafting.pipeline import RunSettings, begun, run_stages
from engine.review_drafting.store import ReviewDraftStore
from engine.review_drafting.tasks import own_draft, reading_of
from tests.desktop_app.panes.review.steps import FIELDS, LIBRARY, PATIENCE, PDF, begin_reviews
from tests.engine.review_drafting.papers import letter_paper
from tests.engine.review_drafting.test_literature_stage import WordVectors


@pytest.fixture(scope="module")
def read_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose paper was read, with a review begun."""
    path = tmp_path_factory.mktemp("review") / "read.rejoinder"
    with Project.create(path, "A paper to review", "Ada Okafor") as project, DocumentService() as service:
        begin_reviews(project)
        documents = DocumentStore(project)
        documents.save_packed(documents.documents()[0].id, service.read(PDF))
    return path


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a paper that was read, a review of it, and one run over a library of two papers."""
    path = tmp_path_factory.mktemp("drawer") / "reviewed.rejoinder"
    pdf = letter_paper(faulty=True)
    with Project.create(path, "Letters", "Ada Okafor") as project, DocumentService() as service:
        documents = DocumentStore(project)
        document = documents.add_document(pdf, "letters.pdf")
        packed = service.read(pdf)
        documents.save_packed(document, packed)
        parsed = documents.parsed(document)
        assert parsed is not None
        paper = reading_of(parsed, pdf, service)
        store = ReviewDraftStore(project)
        draft = store.begin_draft(document, "Review of letters", "iclr", fields=FIELDS)
        crew, own, settings = deterministic_crew(WordVectors, "words"), own_draft(FIELDS), RunSettings()
        run = store.begin_run(begun(crew, paper, LIBRARY, own, settings), draft.id)
        made = run_stages(crew, paper, library=LIBRARY, own=own, settings=settings)
        for stage in made.stages:
            store.save_stage(run.id, stage)
        store.end_run(run.id, "done", made.seconds)
    return path


@pytest.fixture
def open_pane(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> Callable[[Path], ReviewPane]:
    """Shows the pane on a copy of a project, with the paper read."""

    def opened(project: Path) -> ReviewPane:
        path = tmp_path / "mine.rejoinder"
        path.write_bytes(project.read_bytes())
        window.open_path(path)
        window.show_pane("review")
        with qtbot.waitActive(window):
            window.activateWindow()
        found = window.panes["review"]
        assert isinstance(found, ReviewPane)
        state = found.state
        qtbot.waitUntil(lambda: state.places is not None and state.opened is not None, timeout=PATIENCE)
        return found

    return opened


@pytest.fixture
def pane(open_pane: Callable[[Path], ReviewPane], read_project: Path) -> ReviewPane:
    return open_pane(read_project)


@pytest.fixture
def pane_with_run(open_pane: Callable[[Path], ReviewPane], reviewed: Path, qtbot: QtBot) -> ReviewPane:
    found = open_pane(reviewed)
    qtbot.waitUntil(lambda: bool(found.drawer.runs.runs), timeout=PATIENCE)
    return found
