"""What the review pane shows and changes, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.review.choices import FORMS
from desktop_app.panes.review.state import BEFORE_POINTS, TABLES, FieldCheck, ReviewState, check_field
from engine.documents.places import Places
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.papers.store import PaperStore
from engine.project import Project
from engine.review_drafting.forms import SHIPPED, shipped
from engine.review_drafting.grounding import Claim
from engine.review_drafting.pipeline import Run, RunSettings
from engine.review_drafting.records import Point
from engine.review_drafting.store import EvidenceCard
from engine.reviews.wording import check_wording
from tests.engine.documents.pages import document

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[ReviewState]:
    """A project with a document that belongs to no paper."""
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as project:
        made = ReviewState()
        made.open(project)
        made.add_paper(SAMPLE / "submitted.pdf")
        made.read()
        yield made


def begun(state: ReviewState, form: str = "iclr") -> ReviewState:
    state.begin(shipped(form))
    state.read()
    return state


def undone(state: ReviewState) -> None:
    assert state.project is not None
    state.project.undo()
    state.read()


def run_of(state: ReviewState) -> Run:
    assert state.draft is not None
    return state.store.begin_run(Run("0" * 64, "rules", "", RunSettings(), (), state="running"), state.draft.id)


def test_the_listed_forms_are_those_that_come_with_the_program() -> None:
    assert {key: shipped(key).title for key in SHIPPED} == FORMS


def test_a_review_is_begun_renamed_and_deleted(state: ReviewState) -> None:
    assert state.can_begin and not state.can_edit and state.summary({}) == "No review of this paper yet"
    begun(state)
    begun(state, "neurips")
    assert [draft.title for draft in state.own_drafts] == ["Review: ICLR", "Review 2: NeurIPS"]
    assert state.can_edit and state.draft is not None and state.draft.form == "neurips"
    state.rename("  ")
    state.rename("For the chairs ")
    assert state.read().draft is False and state.draft.title == "For the chairs"
    state.choose_draft(state.own_drafts[0].id)
    assert state.read().draft and state.draft.title == "Review: ICLR"
    state.remove_draft()
    state.read()
    assert [draft.title for draft in state.own_drafts] == ["For the chairs"]
    undone(state)
    assert len(state.own_drafts) == 2


def test_reading_says_which_fields_differ(state: ReviewState) -> None:
    begun(state)
    state.set_field("summary", "It counts.")
    state.set_field("strengths", "Clear.")
    assert state.read({"review_field"}).fields == {"summary", "strengths"}
    assert state.read({"review_field"}).fields == set()
    undone(state)
    assert state.fields["summary"] == "It counts." and not state.fields.get("strengths")


def test_a_form_is_changed_in_one_step_and_keeps_the_text(state: ReviewState) -> None:
    begun(state)
    state.set_field("weaknesses", "No variance.")
    state.read()
    state.set_form(shipped("neurips"))
    state.read()
    assert state.form is not None and state.form.id == "neurips"
    assert state.draft is not None and state.draft.title == "Review: NeurIPS"
    assert any("No variance." in state.fields.get(field.key, "") for field in state.form.fields)
    undone(state)
    assert state.form is not None and state.form.id == "iclr" and state.draft.title == "Review: ICLR"
    state.rename("For the area chair: ICLR")
    state.read()
    state.set_form(shipped("icml"))
    state.read()
    assert state.draft.title == "For the area chair: ICLR", "a title of one's own stays"


def test_an_accepted_point_is_one_step_and_saves_one_version_per_run(state: ReviewState) -> None:
    begun(state)
    state.set_field("weaknesses", "- Mine.")
    state.read()
    run = run_of(state)
    first, second = (Point(id=key, text=f"Point {key}.", suggestion="Add it.") for key in "ab")
    assert state.accept(run, "weaknesses", first) == "weaknesses"
    state.read()
    assert state.fields["weaknesses"] == "- Mine.\n- Point a. Add it."
    assert state.accept(run, "summary", second) == "summary"
    state.read()
    assert state.fields["summary"] == "Point b.", "a summary is no list, and a suggestion belongs to weaknesses"
    assert state.draft is not None
    assert state.store.decisions(state.draft.id, run.id) == {"a": "accepted", "b": "accepted"}
    assert [version.reason for version in state.versions()] == [BEFORE_POINTS]
    undone(state)
    assert state.store.decisions(state.draft.id, run.id) == {"a": "accepted"} and not state.fields.get("summary")


def test_cards_are_added_changed_and_moved(state: ReviewState) -> None:
    begun(state)
    one, two = (state.add_card(EvidenceCard("quote", "Section 1", quote, page=1)) for quote in ("one", "two"))
    assert state.read().cards and state.cards == (one, two)
    state.update_card(one, {"note": "Important", "stance": "weakness"})
    state.store.move_card(one.id, None)
    assert state.read().cards and [card.note for card in state.cards] == ["", "Important"]
    assert not state.read().cards
    found = state.card(one.id)
    assert found is not None and found.stance == "weakness" and state.card("none") is None


def test_it_follows_the_paper_of_the_window(state: ReviewState) -> None:
    assert state.project is not None and state.paper is not None
    alone, documents, papers = state.paper.id, DocumentStore(state.project), PaperStore(state.project)
    document = documents.add_document((SAMPLE / "revised.pdf").read_bytes(), "revised.pdf")
    paper = papers.add_paper("Counting streets")
    papers.add_version(paper, document, "submitted")
    state.follow(paper)
    assert state.read().paper and state.paper.title == "Counting streets" and state.paper.paper_id == paper
    state.choose_paper(alone)
    state.follow(paper)
    state.read()
    assert state.paper.id == alone and state.paper.paper_id == "", "a document of no paper stays"
    other = papers.add_paper("Another paper")
    state.follow(other)
    state.read()
    assert state.paper.id == alone, "this paper has no document yet"
    state.follow(paper)
    assert state.read().paper and state.paper.id == document


def test_of_several_versions_the_reviewed_one_is_shown(state: ReviewState) -> None:
    assert state.project is not None and state.paper is not None
    documents, papers = DocumentStore(state.project), PaperStore(state.project)
    revised = documents.add_document((SAMPLE / "revised.pdf").read_bytes(), "revised.pdf")
    paper = papers.add_paper("Counting streets")
    papers.add_version(paper, state.paper.id, "submitted")
    papers.add_version(paper, revised, "revised")
    state.store.begin_draft(revised, "Second round", "iclr")
    fresh = ReviewState()
    fresh.open(state.project)
    fresh.follow(paper)
    fresh.read()
    assert fresh.paper is not None and fresh.paper.title == "Counting streets · revised"
    assert fresh.draft is not None and fresh.draft.title == "Second round"


def test_the_summary_counts_sentences_and_fields(state: ReviewState) -> None:
    begun(state)
    claim = Claim(0, 4, "Bad.", "assertion", "not found", (), "")
    state.set_field("summary", "Bad.")
    state.read()
    assert state.form is not None
    missing = sum(field.required for field in state.form.fields) - 1
    words = f"1 not found · {missing} fields to complete"
    assert state.summary({"summary": FieldCheck("Bad.", (claim,))}) == words


def test_a_file_that_cannot_be_read_is_refused(state: ReviewState, tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_text("Dear editor")
    for name in ("none.pdf", "letter.pdf"):
        with pytest.raises(BadInput):
            state.add_paper(tmp_path / name)
    assert len(state.papers) == 1 and not state.read(TABLES).paper


def test_without_a_project_nothing_is_possible() -> None:
    state = ReviewState()
    assert not (state.can_write or state.can_begin or state.can_edit or state.has_papers())
    assert not state.read().paper and state.summary({}) == ""


def test_a_field_is_checked_for_tone_and_identity() -> None:
    text = "This is a stupid, sloppy paper. See my own paper (Quill et al. 2019)."
    wording, found = check_wording(text, "reviewer"), check_field(text, Places(document("Tides rise twice.")), ())
    assert wording.tone and wording.identity
    assert (found.tone, found.identity) == (wording.tone, wording.identity)
