"""What the Agreement pane shows and decides, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.agreement.everybody import HIDDEN, EverybodyState
from desktop_app.panes.agreement.state import AgreementState
from engine.agreement.records import NO_COMPETENCE, Subject
from engine.agreement.store import AgreementStore
from engine.jobs import QuietReport
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from engine.revision.store import RevisionStore
from tests.desktop_app.panes.linking.studies import make_study


@pytest.fixture
def state(tmp_path: Path) -> Iterator[AgreementState]:
    """Ada and Ben link other edits to the first comment, and judge the second one differently."""
    make_study(tmp_path / "study.rejoinder")
    with Project.open(tmp_path / "study.rejoinder", annotator="Ada") as project:
        revisions, comments = RevisionStore(project), [c.id for c in ReviewStore(project).comments()]
        (revision,) = revisions.revisions()
        edits = [edit.id for edit in revisions.edits(revision.id)]
        for name, edit, said in (("Ada", 1, "answered"), ("Ben", 2, "not_addressed")):
            project.set_annotator(name)
            revisions.link_comment(comments[0], edits[0])
            revisions.link_comment(comments[0], edits[edit])
            revisions.set_comment_state(revision.id, comments[1], said)  # type: ignore[arg-type]
            AgreementStore(project).set_done(PaperStore(project).papers()[0].id, True)
        project.set_annotator("Dea")
        AgreementStore(project).set_done(PaperStore(project).papers()[0].id, True)
        made = AgreementState(project)
        project.subscribe(lambda changes: made.mark_stale(changes.tables))
        compare(made)
        yield made


def compare(state: AgreementState) -> None:
    """What the pane does when something changed."""
    state.read()
    if state.refresh():
        task = state.compare_task()
        state.compared(task.run(QuietReport()))


def test_two_who_are_done_are_compared(state: AgreementState) -> None:
    assert state.names == ("Ada", "Ben") and [row.head for row in state.rows] == [
        "open · 2 edits disputed", "open · states differ",
    ]  # fmt: skip
    assert state.at == 0 and state.dispute is not None
    assert state.dispute.edit_id == state.dispute.found.only_first[0]
    assert "Ada ✓ done" in state.progress() and "hidden" not in state.progress()


def test_deciding_goes_round_and_ends(state: AgreementState) -> None:
    first, second = (row.key for row in state.rows)
    state.decide("second")
    compare(state)
    assert state.rows[0].head == "✓ Ben · 2 edits disputed" and state.rows[0].decided
    assert not state.next_open() and state.comment_id == second
    state.decide("first")
    compare(state)
    assert state.next_open() and state.comment_id == second
    state.choose(first)
    state.reopen()
    compare(state)
    assert not state.rows[0].decided and not state.next_open()


def test_single_edits_make_the_verdict(state: AgreementState) -> None:
    found = state.disagreement
    assert found is not None
    for step, verdict in ((0, "first"), (1, "both"), (-1, "second"), (1, "neither")):
        state.step_edit(step)
        state.toggle_edit()
        compare(state)
        assert state.decided[state.comment_id].verdict == verdict
    state.note("unclear", state.disagreement, state.pair)
    compare(state)
    assert state.decided[state.comment_id].note == "unclear"


def test_work_of_one_who_is_not_done_is_hidden(state: AgreementState) -> None:
    assert state.project is not None
    AgreementStore(state.project).set_done(PaperStore(state.project).papers()[0].id, False)
    state.read()
    assert not state.refresh(), "there is nobody to compare with"
    assert state.found is None and state.rows == () and state.dispute is None and not state.can_decide()
    assert "is hidden until you" in state.progress()


def test_a_pair_is_two_people_and_a_scope_one_paper(state: AgreementState) -> None:
    state.choose_pair(state.pair[1], state.pair[1])
    assert state.names == ("Ben", "Ada")
    compare(state)
    assert state.dispute is not None and state.dispute.names == ("Ben", "Ada")
    state.choose_scope(PaperStore(state.studies.project).papers()[0].id if state.studies else "")
    assert state.figures is not None and state.figures.title == "study" and len(state.rows) == 2


def test_another_group_of_edits_counts_other_pairs_in_figures_and_files(state: AgreementState, tmp_path: Path) -> None:
    def pairs() -> int:
        assert state.figures is not None
        return sum(map(sum, state.figures.confusion))

    everything = pairs()
    state.choose_group("references")
    compare(state)
    assert pairs() == everything - 2, "of two comments, the edit that nobody linked"
    task = state.export_task("table", tmp_path / "agreement.csv")
    task.run(QuietReport())
    rows = (tmp_path / "agreement.csv").read_text().splitlines()
    assert rows[0].endswith(",edits") and all(row.endswith(",References") for row in rows[1:])
    state.choose_group("")
    compare(state)
    assert pairs() == everything and state.group_title == "All groups"
    state.choose_group("")
    assert not state.refresh(), "nothing to compare again"


def everybody(state: AgreementState, of: Subject) -> EverybodyState:
    """What the pane does when a kind of decision is chosen."""
    assert state.project is not None
    made = EverybodyState(state.project)
    made.choose(of)
    assert made.refresh() and not made.refresh()
    task = made.compare_task()
    made.compared(task.run(QuietReport()))
    return made


def test_everybody_is_compared_on_what_is_chosen(state: AgreementState, tmp_path: Path) -> None:
    found = everybody(state, "states")
    rows = {words: (value, units) for words, value, _, units in found.rows()}
    assert rows["States of comments"] == ("", "2") and rows["Observed agreement"] == ("0.50", "2")
    assert rows["Ada, decided"] == ("", "2") and "“linked”, specific agreement" in rows
    assert "1 unit agreed" in found.summary() and NO_COMPETENCE in found.summary()
    assert found.can_export() and not found.can_set_done()
    task = found.export_task(tmp_path)
    written = task.run(QuietReport())
    assert written.folder == str(tmp_path / "decisions-states") and "SHA256SUMS" in written.names
    found.mark_stale({"paper"})
    assert not found.refresh() and found.rows()
    found.mark_stale({"annotation_done"})
    assert found.refresh()
    assert found.rows() == (("Not calculated yet", "", "", ""),), "what may be hidden by now is not shown"


def test_labels_are_hidden_until_both_say_done(state: AgreementState) -> None:
    project = state.project
    assert project is not None
    (text, *_) = ReviewStore(project).texts()
    for name, label in (("Ada", "negative"), ("Ben", "neutral")):
        project.set_annotator(name)
        LabelStore(project).set_label(text.id, Span(0, 5), "polarity", [label])
    for name in ("Ben", "Ada"):
        project.set_annotator(name)
        found = everybody(state, "labels")
        assert found.summary() == HIDDEN.format("Mark as done") and not any(
            "Ada" in row[0] and name == "Ben" for row in found.rows()
        )
        (head,) = (row for row in found.rows() if row[0] == "polarity")
        assert head[2:] == ("", "0"), "not “0 papers” where the interval would be"
        assert found.can_set_done() and found.set_done() == 1 and found.set_done() == 0
    found = everybody(state, "labels")
    assert {"Ada, decided", "Ben, decided"} <= {row[0] for row in found.rows()} and found.summary() != HIDDEN.format(
        "Mark as done"
    )
