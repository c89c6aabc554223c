"""Passages that people link where no edit was found, and edits of the comparison that are none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.agreement.linking import agreement
from engine.agreement.store import AgreementStore
from engine.exchange import aries, links_csv, web_annotation
from engine.exchange.studies import Studies
from engine.operations.share import Choice, share
from engine.project import Project
from engine.project.merge import merge_into
from engine.reviews.store import ReviewStore
from engine.revision.records import NewPassage, RevisionDiff, Scored
from engine.revision.store import RevisionStore
from tests.desktop_app.panes.linking.studies import make_study, versions
from tests.engine.revision.studies import detached


class Desk:
    """One annotator at one file of the small study."""

    def __init__(self, path: Path, annotator: str) -> None:
        self.project = Project.open(path, annotator=annotator)
        self.store, self.studies = RevisionStore(self.project), Studies(self.project)
        self.paper, _, self.target, self.revision = self.studies.compared()[0]
        self.comments = [comment.id for comment in ReviewStore(self.project).comments()]

    def passage(self, paragraph: int, words: slice = slice(None)) -> NewPassage:
        """Words of a paragraph of the revised version."""
        found = versions()[1][paragraph]
        text = " ".join(found.text.split()[words])
        return NewPassage(text, (found.id,), found.section, paragraph)

    def link(self, comment: int, passage: NewPassage) -> str:
        change = self.store.link_passage(self.comments[comment], self.revision.id, passage)
        return change.links[0].edit_id

    def labels(self) -> list[str]:
        return [edit.label for edit in self.store.edits(self.revision.id)]

    def done(self) -> None:
        AgreementStore(self.project).set_done(self.paper.id, True)


@pytest.fixture
def bo(ada: Desk) -> Iterator[Desk]:
    """Bo at a copy of the file."""
    desk = Desk(ada.project.path.with_name("bo.rejoinder"), "Bo")
    yield desk
    desk.project.close()


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Desk]:
    make_study(tmp_path / "ada.rejoinder")
    shutil.copyfile(tmp_path / "ada.rejoinder", tmp_path / "bo.rejoinder")
    desk = Desk(tmp_path / "ada.rejoinder", "Ada")
    yield desk
    desk.project.close()


def test_a_passage_is_linked_once_undone_and_is_no_edit(ada: Desk) -> None:
    first = ada.link(0, ada.passage(4, slice(0, 6)))
    assert ada.link(1, ada.passage(4, slice(0, 6))) == first, "the same words are one passage"
    (passage,) = ada.store.passages(ada.revision.id)
    assert (passage.label, passage.sort, passage.source_text, passage.tokens_added) == ("p1", "passage", "", 0)
    assert passage.id not in {edit.id for edit in ada.store.edits(ada.revision.id)}
    assert ada.store.comment_states(ada.revision.id)[ada.comments[0]].state == "linked"
    newest = ada.project.history(1)[0].title
    assert newest.startswith("Link “The second sentence") and f"to passage p1 “{passage.target_text}”" in newest
    ada.project.undo()
    ada.project.undo()
    assert ada.store.passages(ada.revision.id) == () and ada.store.links(ada.revision.id) == ()
    ada.project.redo()
    assert [one.id for one in ada.store.passages(ada.revision.id)] == [first]
    ada.store.unlink_comment(ada.comments[0], first)
    assert ada.store.passages(ada.revision.id) == ()


def test_a_new_comparison_keeps_passages_and_finds_their_words_again(ada: Desk) -> None:
    kept, lost = ada.link(0, ada.passage(4)), ada.link(1, ada.passage(5))
    ends = ada.revision.source_document_id, ada.revision.target_document_id
    edits = ada.store.edits(ada.revision.id)
    ada.store.save_diff(*ends, RevisionDiff(edits[1:], ()))
    assert {one.id for one in ada.store.passages(ada.revision.id)} == {kept, lost}
    new = [replace(p, id=f"other{n}") for n, p in enumerate(versions()[1]) if n != 5]
    ada.store.place_passages(ada.revision.id, new)
    assert ada.store.edit(kept).target_ids == ("other4",)
    assert [link.edit_id for link in detached(ada.store, ada.revision.id)] == [lost]
    ada.store.place_passages(ada.revision.id, versions()[1])
    assert detached(ada.store, ada.revision.id) == () and ada.store.edit(lost).target_ids == ("t5",)


def test_a_dismissed_edit_is_gone_with_its_links_until_it_is_restored(ada: Desk) -> None:
    edit = ada.store.edits(ada.revision.id)[0]
    ada.store.link_comment(ada.comments[0], edit.id)
    ada.store.dismiss_edit(edit.id)
    assert ada.labels() == ["e002", "e003", "e004"] and ada.store.links(ada.revision.id) == ()
    assert [one.id for one in ada.store.dismissed_edits(ada.revision.id)] == [edit.id]
    offered = ada.store.all_suggestions(ada.revision.id)
    assert edit.id not in {one.edit_id for found in offered.values() for one in found} and len(offered) == 6
    assert ada.project.history(1)[0].title == "Dismiss edit e001"
    ada.project.undo()
    assert ada.labels()[0] == "e001" and len(ada.store.links(ada.revision.id)) == 1
    ada.project.redo()
    ends = ada.revision.source_document_id, ada.revision.target_document_id
    every = ada.store.edits(ada.revision.id, dismissed_by=())
    ada.store.save_diff(*ends, RevisionDiff(tuple(replace(e, id=e.label) for e in every), ada.revision.unchanged))
    assert ada.labels() == ["e002", "e003", "e004"], "the comparison found the same edit again"
    rankings = {ada.comments[0]: [Scored(edit.id, 0.9, True)]}
    ada.store.save_suggestions(ada.revision.id, "fused", "model:x@1", rankings, use_responses=True)
    assert ada.store.suggestions(ada.revision.id, ada.comments[0]) == ()
    ada.store.restore_edit(edit.id)
    assert ada.labels()[0] == "e001" and ada.store.suggestions(ada.revision.id, ada.comments[0])
    ada.store.dismiss_edit(edit.id)
    ada.store.link_comment(ada.comments[1], edit.id)
    assert ada.labels()[0] == "e001", "what is linked is an edit"


def test_files_say_what_a_passage_is(ada: Desk) -> None:
    key = ada.link(0, ada.passage(4, slice(2, 6)))
    ada.store.set_comment_state(ada.revision.id, ada.comments[1], "answered")
    linking = ada.studies.linking(ada.studies.study(ada.paper.id))
    files = {file.name: file.content.decode() for file in aries.write_linking(linking).files}
    (passage,) = (one for one in json.loads(files["paper_edits.jsonl"])["edits"] if one["kind"] == "passage")
    assert (passage["edit_id"], passage["source_idxs"], passage["target_idxs"]) == ("p1", [], [4])
    first, second = map(json.loads, files["edit_labels.jsonl"].splitlines())
    assert first["positive_edits"] == ["p1"] and "p1" not in second["negative_edits"]
    assert len(second["negative_edits"]) == 4 and len(first["negative_edits"]) == 4
    row = links_csv.write_links(linking).files[0].content.decode("utf-8-sig").splitlines()[1]
    assert f"{key},p1,passage," in row
    page = json.loads(web_annotation.write_links(linking).files[0].content)
    (item,) = (one for one in page["items"] if one["motivation"] == "linking")
    assert item["body"] == [{"type": "TextualBody", "purpose": "classifying", "value": "passage"}]
    quote, place, _ = item["target"][1]["selector"]
    assert quote["exact"] == ada.passage(4, slice(2, 6)).text and quote["prefix"] and place["end"] > place["start"]
    found = links_csv.read_links(links_csv.write_links(linking).files[0].content.decode("utf-8-sig"), "links.csv")
    resolved = links_csv.resolve_links(found.links, linking.comments, ada.store.targets(ada.revision.id))
    assert [(link.comment_id, link.edit_id) for link in resolved.links] == [(ada.comments[0], key)]


def test_two_annotators_passages_of_a_paragraph_are_one_and_what_both_dismissed_does_not_count(
    ada: Desk, bo: Desk
) -> None:
    ada.link(0, ada.passage(4, slice(0, 5)))
    bo.link(0, bo.passage(4, slice(3, 8)))
    bo.link(1, bo.passage(5))
    only, both = (edit.id for edit in ada.store.edits(ada.revision.id)[:2])
    for desk, keys in ((ada, (only, both)), (bo, (both,))):
        for key in keys:
            desk.store.dismiss_edit(key)
        desk.store.set_comment_state(desk.revision.id, desk.comments[2], "answered")
        desk.done()
    ada.store.set_comment_state(ada.revision.id, ada.comments[1], "answered")
    report = merge_into(ada.project, bo.project.path)
    assert not report.conflicts
    people = {name: key for key, name in ada.project.annotators()}
    (work,) = ada.studies.paper_works(people["Ada"], people["Bo"])
    assert only in work.edits and both not in work.edits and len(work.edits) == 3 + 2
    found = agreement([work])
    (one,) = found.disagreements
    assert one.comment.first_id == ada.comments[1] and len(one.only_second) == 1
    assert found.overall.confusion[0][0] == 1, "the two passages of one paragraph agree"
    shown = {edit.id: edit.sort for edit in ada.studies.linkable(ada.revision.id)}
    assert shown[one.only_second[0]] == "passage" and both in shown
    labels = [edit.label for edit in ada.store.passages(ada.revision.id, people.values())]
    assert len(set(labels)) == 3, labels
    adjudicated = ada.studies.study(ada.paper.id, "adjudicated")
    assert [edit.sort for edit in adjudicated.passages] == ["passage"] and both not in {e.id for e in adjudicated.edits}


def test_passages_travel_with_a_shared_copy_and_only_those_that_are_linked_in_it(
    ada: Desk, bo: Desk, tmp_path: Path
) -> None:
    ada.link(0, ada.passage(4))
    bo.link(0, bo.passage(5))
    bo.done()
    ada.done()
    merge_into(ada.project, bo.project.path)
    ada.store.dismiss_edit(ada.store.edits(ada.revision.id)[0].id)
    copy = tmp_path / "copy.rejoinder"
    parts = Choice().parts - {"others"}
    share(ada.project, copy, Choice(parts=parts))
    with Project.open(copy, annotator="Ada") as theirs:
        store = RevisionStore(theirs)
        assert [one.label for one in store.passages(ada.revision.id)] == ["p1"]
        assert [edit.label for edit in store.edits(ada.revision.id)] == ["e002", "e003", "e004"]
        rows = theirs.query("SELECT label FROM edit WHERE passage = 1")
        assert len(rows) == 1, "what another annotator selected stays with their work"


def test_a_link_to_a_passage_comes_back_from_another_file(ada: Desk, bo: Desk) -> None:
    key = bo.link(0, bo.passage(4))
    merge_into(ada.project, bo.project.path)
    people = {name: who for who, name in ada.project.annotators()}
    assert [one.id for one in ada.store.passages(ada.revision.id, [people["Bo"]])] == [key]
    assert ada.store.passages(ada.revision.id) == (), "not Ada's"
