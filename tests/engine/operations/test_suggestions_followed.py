"""Whether suggestions were on screen is kept with each decision, and the rates with and without them are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.agreement.store import LABELS, LINKING
from engine.operations.decisions import followed
from engine.operations.results import import_results
from engine.project import Project
from engine.reviews.labels.records import LayerLabel, Suggestion
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from engine.revision.records import Scored
from engine.revision.store import RevisionStore
from tests.engine.operations.packaged import at, dealt, lead_project
from tests.engine.operations.test_decisions import Team


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    made = Team(tmp_path / "team.rejoinder")
    yield made
    made.project.close()


def rates(project: Project, of: str) -> dict[tuple[str, str, bool | None], tuple[float, int]]:
    names = dict(project.annotators())
    return {
        (one.part, names[one.annotator], one.shown): (one.share.value, one.share.n)
        for one in followed(project, of)  # type: ignore[arg-type]
    }


def kept(project: Project, table: str, key: str = "") -> list[int | None]:
    rows = project.query(f"SELECT suggested FROM {table} WHERE annotator_id = ? ORDER BY id", (project.annotator_id,))
    return [row[0] for row in rows]


def test_links_tell_whether_suggestions_were_on_screen(team: Team) -> None:
    """Ann saw them and took the best, Ben saw none and took another; of Cem nothing is known."""
    team.revisions.save_suggestions(
        team.revision, "fused", "model:fused@1",
        {team.comment: [Scored(team.edits[0], 0.9, True), Scored(team.edits[1], 0.5, True)]}, use_responses=False,
    )  # fmt: skip
    assert rates(team.project, "links") == {("", "Ann", None): (1.0, 1)}
    team.project.set_annotator("Ann")
    team.revisions.on_screen = lambda comment: comment == team.comment
    team.revisions.set_comment_state(team.revision, team.comment, "linked")
    assert rates(team.project, "links") == {("", "Ann", True): (1.0, 1)}
    team.project.set_annotator("Ben")
    team.revisions.on_screen = lambda _comment: False
    team.revisions.unlink_comment(team.comment, team.edits[0])
    team.revisions.set_comment_state(team.revision, team.comment, "linked")
    team.done("Ann", "Ben", "Cem", task=LINKING)
    assert rates(team.project, "links") == {
        ("", "Ann", True): (1.0, 1), ("", "Ben", False): (0.0, 1), ("", "Cem", None): (1.0, 1),
    }  # fmt: skip
    team.revisions.hide_suggestions(True)
    assert rates(team.project, "links")["", "Ben", False] == (0.0, 1), "with hidden suggestions it is compared, too"


def test_who_saw_suggestions_once_has_seen_them(team: Team) -> None:
    links = team.revisions
    links.on_screen = lambda _comment: True
    links.set_comment_state(team.revision, team.comment, "answered")
    links.on_screen = lambda _comment: False
    links.set_comment_state(team.revision, team.comment, "not_addressed")
    assert kept(team.project, "comment_state") == [1]
    team.project.undo()
    team.project.undo()
    assert kept(team.project, "comment_state") == [None], "the step before was made by a program that didn't say"


def test_a_first_link_keeps_it_with_the_state_it_makes(team: Team) -> None:
    team.project.set_annotator("Dea")
    for shown, expected in ((False, 0), (True, 1)):
        team.revisions.on_screen = lambda _comment, shown=shown: shown  # type: ignore[misc]
        team.revisions.link_comment(team.comment, team.edits[0])
        assert kept(team.project, "comment_state") == [expected]
        team.revisions.unlink_comment(team.comment, team.edits[0])


def test_labels_tell_whether_suggestions_were_on_screen(team: Team) -> None:
    span, labels = Span(0, 21), team.labels
    labels.save_suggestions(
        team.text, [Suggestion(team.text, span, LayerLabel("polarity", ("negative",), (0.9,), "rules:x@1"))]
    )
    for name, label, shown in (("Ann", "negative", True), ("Ben", "negative", False), ("Cem", "neutral", None)):
        team.project.set_annotator(name)
        labels.clear_labels(team.text, span, ["polarity"])
        labels.set_label(team.text, span, "polarity", [label], on_screen=shown)
    team.project.set_annotator("Dea")
    labels.reject(team.text, span)
    team.done("Ann", "Ben", "Cem", "Dea", task=LABELS)
    assert rates(team.project, "labels") == {
        ("polarity", "Ann", True): (1.0, 1), ("polarity", "Ben", False): (1.0, 1), ("polarity", "Cem", None): (0.0, 1),
        ("polarity", "Dea", True): (0.0, 1),
    }  # fmt: skip
    team.project.set_annotator("Dea")
    labels.set_label(team.text, span, "polarity", ["neutral"], on_screen=False)
    assert kept(team.project, "sentence_label") == [1], "what was refused was seen"
    team.project.set_annotator("Ben")
    labels.set_label(team.text, span, "polarity", ["neutral"], on_screen=False)
    assert 1 not in kept(team.project, "sentence_label"), "what the program had offered unseen is not what Ben saw"


def test_work_packages_bring_back_that_nothing_was_suggested(tmp_path: Path) -> None:
    with lead_project(tmp_path / "lead.rejoinder") as project:
        (ann,) = dealt(project, tmp_path / "out", "sentences", ("Ann",), overlap=0.0)
        text = ReviewStore(project).texts()[0]
        span = LabelStore(project).sentence_spans(text.id)[0]
        label = LayerLabel("polarity", ("negative",), (0.9,), "rules:x@1")
        LabelStore(project).save_suggestions(text.id, [Suggestion(text.id, span, label)])
        results = at(
            ann, tmp_path / "ann.rejoinder",
            lambda person: person.labels.set_label(text.id, span, "polarity", ["negative"], on_screen=False),
        )  # fmt: skip
        import_results(project, [results])
        project.set_annotator("Ann")
        assert rates(project, "labels") == {("polarity", "Ann", False): (1.0, 1)}
        assert RevisionStore(project).on_screen is None
