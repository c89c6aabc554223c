"""What the analysis pane shows and changes, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.analysis.state import FIGURES, LABELS, AnalysisState, label_key
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.generation.questions import QUESTIONS, given, swapped
from engine.revision.generation.records import Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.records import SilverLabel
from engine.revision.store import RevisionStore, SilverStore
from tests.desktop_app.panes.linking.studies import make_study, versions


@pytest.fixture
def state(tmp_path: Path) -> Iterator[AnalysisState]:
    """Two linked comments with a proposal each, two labels."""
    path = tmp_path / "study.rejoinder"
    make_study(path)
    with Project.open(path, annotator="Ada") as project:
        revisions, comments = RevisionStore(project), ReviewStore(project).comments()
        (revision,) = revisions.revisions()
        edits = revisions.edits(revision.id)
        for at in (0, 1):
            revisions.link_comment(comments[at].id, edits[at].id)
            propose(project, revision.id, comments[at].id, at, "model:frames@1")
        labels = [
            SilverLabel(comments[3].id, edits[1].id, "reply", 0.5, "a good deal more"),
            SilverLabel(comments[5].id, edits[0].id, "reply", 0.3, "removed it"),
        ]
        SilverStore(project, revisions).save(revision.id, labels)
        made = AnalysisState()
        assert made.is_empty and not made.can_write
        made.open(project)
        assert not made.is_empty
        read(made)
        yield made


def propose(project: Project, revision_id: str, comment_id: str, at: int, origin: str) -> None:
    text = versions()[0][at + 2]
    proposal = Proposal(comment_id, origin, "We say so now.", text.id, "change", f"{text.text} [how]", "explain")
    GenerationStore(project).save(revision_id, proposal)


def read(state: AnalysisState) -> None:
    assert state.project is not None
    state.read(PaperStore(state.project).papers()[0].id)


def answer(state: AnalysisState, question: int, value: int | None) -> None:
    state.answer(question, value)
    read(state)


def test_answers_lead_from_question_to_question_and_to_the_next_comment(state: AnalysisState) -> None:
    first = state.key
    assert state.can_judge and state.question == 0
    assert state.status() == "0 of 2 comparisons judged · 0 of 2 links decided"
    answer(state, 2, 0)
    assert state.question == 3 and state.entries()[0][2].endswith("1 of 11 answered")
    for number in range(len(QUESTIONS)):
        answer(state, number, 0)
    assert state.item is not None and state.item.analysis.complete and state.question == len(QUESTIONS) - 1
    assert state.entries()[0][3] == "check" and state.next_open() not in ("", first)
    answer(state, 4, None)
    assert state.question == 4 and state.item is not None and not state.item.analysis.complete
    state.select(state.next_open())
    assert state.key != first and state.next_open() == first


def test_blind_answers_are_stored_for_the_right_side(state: AnalysisState) -> None:
    assert state.project is not None
    state.blind = True
    for key in [item.comment.id for item in state.paper.items]:
        state.select(key)
        assert state.swap == swapped(key, state.project.annotator_id) == state.comparison().swap
        answer(state, 0, 2)
        assert state.item is not None
        side = state.item.analysis.generated if state.swap else state.item.analysis.real
        assert side.compliance == 3 and given(state.item.analysis, QUESTIONS[0], swap=state.swap) == 2


def test_a_comparison_goes_on_with_the_proposal_that_it_began_with(state: AnalysisState) -> None:
    assert state.project is not None and state.paper.study is not None and state.item is not None
    state.set_note("close call", state.item.analysis)
    read(state)
    first, second = (item.comment.id for item in state.paper.items)
    for at, key in enumerate((first, second)):
        propose(state.project, state.paper.study.revision.id, key, at, "model:other@1")
    read(state)
    assert [item.proposal.origin for item in state.paper.items] == ["model:frames@1", "model:other@1"]
    assert state.paper.items[0].analysis.note == "close call"
    assert state.paper.origins == ("model:other@1", "model:frames@1")
    state.origin = "model:frames@1"
    read(state)
    assert {item.proposal.origin for item in state.paper.items} == {"model:frames@1"}


def test_labels_are_decided_and_reopened(state: AnalysisState) -> None:
    assert not state.can_review
    state.view = LABELS
    pair = state.pair
    assert state.can_review and pair is not None and pair.labels[0].strength == 0.5, "the surest first"
    assert state.place == (pair.comment_id, pair.edit_id)
    state.decide(confirm=False)
    read(state)
    assert state.is_refused and [entry[2].split(" · ")[0] for entry in state.label_entries()] == ["rejected", "open"]
    state.label = state.next_open()
    assert state.pair is not None and label_key(state.pair) == state.label and state.pair != pair
    state.decide(confirm=True)
    read(state)
    assert state.next_open() == "" and not state.is_refused and len(state.linked()) == 3
    state.label = label_key(pair)
    state.reopen()
    read(state)
    assert state.pair is not None and state.pair.decision is None


def test_another_annotator_has_no_links_yet(state: AnalysisState) -> None:
    assert state.project is not None
    state.project.set_annotator("Ben")
    read(state)
    assert state.empty == "You haven't linked any edit to a comment yet. Link edits first."


def test_only_the_named_paper_is_shown(state: AnalysisState) -> None:
    """Another paper without compared versions shows nothing, rather than the first paper."""
    assert state.project is not None
    other = PaperStore(state.project).add_paper("Another")
    state.read(other)
    assert state.paper.study is None and not state.paper.items and state.key == state.label == ""
    assert "haven't been compared" in state.empty and not state.can_write and state.status() == ""
    read(state)
    assert state.item is not None and state.pair is not None


def test_what_is_possible(state: AnalysisState) -> None:
    assert state.can_propose
    state.proposing = "Proposing…"
    assert not state.can_propose and state.status().startswith("Proposing… · 0 of 2")
    state.view = FIGURES
    assert not state.can_judge and not state.can_review
