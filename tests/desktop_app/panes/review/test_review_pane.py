"""The review pane with real widgets."""

from __future__ import annotations

from pathlib import Path

from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.store import ReviewDraftStore
from tests.desktop_app.pane_cases import PaneCases

PDF = Path(__file__).resolve().parents[4] / "resources" / "sample" / "submitted.pdf"


def begun(project: Project, drafts: int = 1) -> list[str]:
    """The sample's paper in a project, with reviews of it; their keys."""
    document = DocumentStore(project).add_document(PDF.read_bytes(), "paper.pdf")
    store = ReviewDraftStore(project)
    return [store.begin_draft(document, f"Review {n}", "iclr").id for n in range(1, drafts + 1)]


class TestReviewPane(PaneCases):
    pane_id = "review"
    huge = 300

    def fill(self, project: Project, count: int) -> None:
        begun(project, count)
