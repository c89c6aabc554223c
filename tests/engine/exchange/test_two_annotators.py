"""Two annotators in one project: hidden until both are done, then compared, adjudicated and exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.agreement.linking import agreement, disagreements
from engine.agreement.records import ADJUDICATED
from engine.agreement.store import AgreementStore
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.exchange.agreement import AgreementExport, export_files, figures_fields
from engine.exchange.io import parse_table
from engine.exchange.links_csv import write_links
from engine.exchange.studies import Studies
from engine.operations.comments import merge_comments
from engine.operations.removing import remove_comments
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.records import Edit, RevisionDiff
from engine.revision.store import RevisionStore

SENTENCE = "Please explain the split."
TEXT = f"{SENTENCE} " * 4


def edit(n: int) -> Edit:
    return Edit(f"e{n}", "added", "add", False, (), (f"t{n}",), "", f"Quite new text number {n}.", "Method", 0, 5)


class Desk:
    """A project with four comments, four edits, and two annotators."""

    def __init__(self, path: Path) -> None:
        self.project = Project.create(path, "Deep review", "Ann")
        papers, documents = PaperStore(self.project), DocumentStore(self.project)
        self.paper = papers.add_paper("Deep review")
        keys = [documents.add_document(b"%PDF-1.7 " + n.encode(), f"{n}.pdf") for n in ("old", "new")]
        for key, label in zip(keys, (SUBMITTED, REVISED), strict=True):
            papers.add_version(self.paper, key, label)
        comments = tuple(Comment(f"c{n}", "r1", "R1", SENTENCE, spans=(Span(26 * n, 26 * n + 25),)) for n in range(3))
        self.agreement, self.links = AgreementStore(self.project), RevisionStore(self.project)
        self.reviews = ReviewStore(self.project)
        bundle = ReviewBundle((SourceText("r1", "Review 1", TEXT, reviewer="R1"),), comments)
        self.reviews.import_bundle(bundle, "review.txt", paper_id=self.paper)
        self.text = self.reviews.texts()[0].id
        self.comments = [c.id for c in self.reviews.comments()]
        self.revision = self.links.save_diff(*keys, RevisionDiff(tuple(edit(n) for n in range(4)), ())).revision_id
        self.edits = [e.id for e in self.links.edits(self.revision)]
        self.studies = Studies(self.project)
        self.ann = self.project.annotator_id
        self.ben = self.project.add_annotator("Ben")

    def be(self, name: str) -> str:
        return self.project.set_annotator(name)

    def work(self) -> None:
        self.be("Ann")
        self.links.link_comment(self.comments[0], self.edits[0])
        self.links.link_comment(self.comments[0], self.edits[1])
        self.links.set_comment_state(self.revision, self.comments[1], "answered")
        self.be("Ben")
        self.links.link_comment(self.comments[0], self.edits[0])
        self.links.set_comment_state(self.revision, self.comments[1], "not_addressed")
        self.be("Ann")

    def both_done(self, *others: str) -> None:
        for name in ("Ben", "Ann", *others):
            self.be(name)
            self.agreement.set_done(self.paper, True, "Deep review")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "desk.rejoinder")
    yield desk
    desk.project.close()


def test_the_others_work_is_hidden_until_both_are_done(desk: Desk) -> None:
    desk.work()
    studies = desk.studies
    for done in (None, "Ben", "Ann"):
        if done is not None:
            desk.be(done)
            desk.agreement.set_done(desk.paper, True)
            desk.be("Ann")
        seen = studies.study(desk.paper, desk.ben).links
        assert bool(seen) == (done == "Ann"), done
        assert bool(studies.paper_works(desk.ann, desk.ben)) == (done == "Ann")
    assert len(studies.study(desk.paper).links) == 2
    (standing,) = studies.standings()
    assert (standing.worked, standing.done, standing.visible) == ((desk.ann, desk.ben), *(2 * ({desk.ann, desk.ben},)))
    desk.agreement.set_done(desk.paper, False)
    assert studies.study(desk.paper, desk.ben).links == ()
    desk.project.undo()
    assert studies.study(desk.paper, desk.ben).links != ()


def test_comments_that_the_other_marked_are_hidden_too_and_those_of_files_are_not(desk: Desk) -> None:
    desk.reviews.add_comment(desk.text, [Span(78, 103)])
    desk.be("Ben")
    assert len(desk.studies.comments(desk.paper)) == 3
    (mine,) = desk.reviews.add_comment(desk.text, [Span(85, 103)]).comments
    assert [c.id for c in desk.studies.comments(desk.paper)][-1] == mine.id
    desk.both_done()
    assert len(desk.studies.comments(desk.paper)) == 5
    found = agreement(desk.studies.paper_works(desk.ann, desk.ben)).overall
    assert found.estimates["overlap"].value == 1
    assert found.estimates["jaccard"].value == pytest.approx(3 / 4)


def test_a_split_comment_of_a_file_stays_everybodys(desk: Desk) -> None:
    desk.reviews.split_comment(desk.comments[0], 15)
    desk.be("Ben")
    assert len(desk.studies.comments(desk.paper)) == 4


def test_nobody_deletes_what_another_works_on(desk: Desk) -> None:
    desk.work()
    with pytest.raises(BadInput, match="Another annotator"):
        remove_comments(desk.project, [desk.comments[0]])
    assert len(desk.links.links(desk.revision)) == len(desk.studies.study(desk.paper).links) == 2
    remove_comments(desk.project, [desk.comments[2]])


def test_merged_comments_keep_everybodys_links(desk: Desk) -> None:
    desk.work()
    desk.be("Ben")
    desk.links.link_comment(desk.comments[2], desk.edits[3])
    desk.be("Ann")
    merge_comments(desk.project, [desk.comments[0], desk.comments[2]])
    pairs = {(k.comment_id, k.edit_id) for k in desk.links.links(desk.revision, annotator_id=desk.ben)}
    assert pairs == {(desk.comments[0], desk.edits[0]), (desk.comments[0], desk.edits[3])}
    desk.project.undo()
    assert len(desk.links.links(desk.revision, annotator_id=desk.ben)) == 2


@pytest.mark.parametrize(
    ("verdict", "edits", "state"),
    [("first", (0, 1), "linked"), ("second", (0,), "linked"), ("both", (0, 1), "linked"), ("neither", (0,), "linked")],
)
def test_adjudicating_edits(desk: Desk, verdict: str, edits: tuple[int, ...], state: str) -> None:
    desk.work()
    desk.both_done("Dea")
    found = disagreements(desk.studies.paper_works(desk.ann, desk.ben)[0])[0]
    ruling = desk.agreement.adjudicate(found, (desk.ann, desk.ben), verdict)  # type: ignore[arg-type]
    assert (ruling.edit_ids, ruling.state) == (tuple(desk.edits[n] for n in edits), state)
    study = desk.studies.study(desk.paper, ADJUDICATED)
    assert {k.edit_id for k in study.links} == {desk.edits[n] for n in edits}
    assert len(desk.links.links(desk.revision, annotator_id=desk.ann)) == 2, "the originals are as they were"
    desk.project.undo()
    assert desk.agreement.adjudications(desk.revision) == {}


@pytest.mark.parametrize("name", ["Ann", "Ben", "Cleo"])
def test_who_decided_on_a_comment_cannot_adjudicate_it(desk: Desk, name: str) -> None:
    """Cleo linked the comment, too, although two others are compared."""
    desk.work()
    desk.be("Cleo")
    desk.links.link_comment(desk.comments[0], desk.edits[3])
    desk.both_done("Cleo", "Dea")
    people = (desk.ann, desk.ben)
    first, second = disagreements(desk.studies.paper_works(*people)[0])
    ruling = desk.agreement.adjudicate(first, people, "first")
    desk.be(name)
    for act in (
        lambda: desk.agreement.adjudicate(first, people, "second"),
        lambda: desk.agreement.note(first, people, "mine"),
        lambda: desk.agreement.reopen(ruling),
    ):
        with pytest.raises(BadInput, match="decided on this yourself"):
            act()
    assert desk.agreement.adjudications(desk.revision) == {desk.comments[0]: ruling}
    if name == "Cleo":
        assert desk.agreement.adjudicate(second, people, "second").state == "not_addressed", "no party there"


@pytest.mark.parametrize(
    ("verdict", "state"), [("first", "answered"), ("second", "not_addressed"), ("both", "undecided")]
)
def test_adjudicating_states(desk: Desk, verdict: str, state: str) -> None:
    desk.work()
    desk.both_done("Dea")
    found = disagreements(desk.studies.paper_works(desk.ann, desk.ben)[0])[1]
    ruling = desk.agreement.adjudicate(found, (desk.ann, desk.ben), verdict)  # type: ignore[arg-type]
    assert (ruling.edit_ids, ruling.state) == ((), state)


def test_of_several_people_those_count_who_decided_on_a_comment(desk: Desk) -> None:
    """As work packages deal it: five may work on a paper, and two on each comment."""
    first, second, third = desk.comments
    told = {"Ann": {first: 0, second: 1}, "Ben": {first: 0, second: 2}, "Cleo": {third: 3}}
    for name, links in told.items():
        desk.be(name)
        for comment, number in links.items():
            desk.links.link_comment(comment, desk.edits[number])
        desk.agreement.set_done(desk.paper, True)
    found = desk.studies.study(desk.paper, ADJUDICATED)
    assert {(k.comment_id, k.edit_id) for k in found.links} == {(first, desk.edits[0])}
    assert {key: one.state for key, one in found.states.items()} == dict.fromkeys((first, second), "linked")
    desk.be("Dan")
    desk.links.link_comment(third, desk.edits[3])
    desk.agreement.set_done(desk.paper, True)
    found = desk.studies.study(desk.paper, ADJUDICATED)
    assert {(k.comment_id, k.edit_id) for k in found.links} == {(first, desk.edits[0]), (third, desk.edits[3])}


def test_disputed_edits_can_be_chosen_one_by_one_and_notes_stay(desk: Desk) -> None:
    desk.work()
    desk.both_done("Dea")
    people = (desk.ann, desk.ben)
    found = disagreements(desk.studies.paper_works(*people)[0])[0]
    note = desk.agreement.note(found, people, "the reply names it")
    assert note.verdict is None
    ruling = desk.agreement.adjudicate(found, people, "neither", edit_ids=[desk.edits[1]])
    assert ruling.edit_ids == (desk.edits[0], desk.edits[1])
    assert ruling.note == "the reply names it"
    assert desk.agreement.note(found, people, "or not").verdict == "neither"
    with pytest.raises(BadInput, match="You can only choose edits that one"):
        desk.agreement.adjudicate(found, people, "both", edit_ids=[desk.edits[3]])
    desk.agreement.reopen(ruling)
    assert desk.agreement.adjudications(desk.revision) == {}


def test_what_is_exported(desk: Desk) -> None:
    desk.work()
    desk.both_done("Dea")
    people = (desk.ann, desk.ben)
    found = agreement(desk.studies.paper_works(*people))
    desk.agreement.adjudicate(found.disagreements[0], people, "second")
    export = AgreementExport(
        found,
        {c.id: c for c in desk.reviews.comments()},
        {e.id: e for e in desk.links.edits(desk.revision)},
        desk.agreement.adjudications(desk.revision),
    )
    (table,) = export_files(export, "table", "agreement")
    assert "All papers,kappa," in table.content.decode() and ",0.8" in table.content.decode()
    (listed,) = export_files(export, "disagreements", "agreement")
    assert ",e0,e1,,linked,linked,second,e0,linked," in listed.content.decode()
    figures = export_files(export, "figures", "agreement")
    assert [f.name.rpartition(".")[2] for f in figures] == ["pdf", "svg", "png", "csv"] * 2
    assert figures[0].content.startswith(b"%PDF")
    assert export_files(export, "figures", "agreement")[2] == figures[2], "the same data give the same picture"
    fields = figures_fields(found.overall)
    assert fields["pairs"] == {"both": 1, "first_only": 1, "second_only": 0, "neither": 6}
    study = desk.studies.study(desk.paper, ADJUDICATED)
    table = parse_table(write_links(desk.studies.linking(study)).files[0].content.decode("utf-8-sig"), "links.csv")
    assert {row["annotator"] for _, row in table.records() if row["edit_id"]} == {"Adjudicated"}
