"""Removing, merging, moving, renaming and replacing: what goes, what stays, whose work it is, and one undo for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.operations import comments, papers, removing
from engine.operations.targets import Kind, Target, find, in_words, targets
from engine.papers.store import REVISED, SUBMITTED
from engine.project import Project
from engine.project.invariants import violations
from engine.rebuttal.records import Point
from engine.review_drafting.store import ReviewDraftStore
from engine.reviews.records import Span
from engine.reviews.store import named_comment
from engine.revision.records import NewLink
from engine.revision.store import RevisionStore
from engine.shown import listed
from tests.engine.operations.random_acts import Acts, contents, make, steps_done

WORK = (
    "edit_link", "comment_state", "suggestion_decision", "silver_decision", "edit_analysis", "rebuttal_use",
    "rebuttal_point", "adjudication", "sentence_label", "annotation_done",
)  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Acts]:
    """Two papers with reviews, versions and work of Ada and Bo; Ada acts."""
    path = tmp_path / "p.rejoinder"
    make(path)
    with Project.open(path, annotator="Ada") as project:
        yield Acts(project)


def one(desk: Acts, kind: Kind, number: int = 0) -> Target:
    return targets(desk.project, kind)[number]


def count(desk: Acts, table: str, where: str = "1") -> int:
    return int(desk.project.query(f"SELECT count(*) FROM {table} WHERE {where}")[0][0])


def quiet(desk: Acts) -> Acts:
    """The same without work of others: Bo's is taken away."""
    others = [row[0] for row in desk.project.query("SELECT id FROM annotator WHERE name = 'Bo'")]
    with desk.project.action("Without Bo") as act:
        for table in WORK:
            act.delete(table, annotator_id=others[0])
    return desk


@pytest.mark.parametrize("kind", ["paper", "version", "review", "comment", "study"])
def test_what_is_said_beforehand_is_what_goes_and_undo_brings_it_back(desk: Acts, kind: Kind) -> None:
    removing.remove_comments(desk.project, [desk.comment(0)], others=True)  # what is gone already isn't counted
    before, steps = contents(desk.project), steps_done(desk.project)
    target = one(desk, kind)
    said = removing.affected(desk.project, target)
    assert contents(desk.project) == before
    done = removing.remove(desk.project, target, others=True)
    assert done == said and sum(done.counts.values()) > 0
    after = contents(desk.project)
    for table, rows in before.items():
        assert len(rows) - len(after[table]) == len(said.rows.get(table, ())), table
    assert len(steps_done(desk.project)) == len(steps) + 1 and violations(desk.project) == ()
    desk.project.undo()
    assert contents(desk.project) == before


def test_follow_ups_that_stay_are_announced(desk: Acts) -> None:
    target = one(desk, "comment")
    assert not any("follow-up" in said for said in removing.affected(desk.project, target).sentences)
    desk.reviews.add_follow_up(target.id, "And what of the second street?")
    said = removing.affected(desk.project, target).sentences
    assert said[-1] == "1 follow-up stays as a separate comment."
    both = [t for t in targets(desk.project, "comment") if t.id == target.id or "second street" in t.name]
    assert len(both) == 2 and not any("follow-up" in said for said in removing.affected(desk.project, *both).sentences)


def test_others_work_is_named_and_needs_consent(desk: Acts) -> None:
    named = {t: set(removing.affected(desk.project, t).others) for t in targets(desk.project, "comment")}
    comment = next(t for t, others in named.items() if others == {"Bo"})
    said = removing.affected(desk.project, comment)
    assert "by Bo" in " ".join(said.sentences)
    before = contents(desk.project)
    with pytest.raises(BadInput, match=r"Another annotator has worked on this: .* by Bo"):
        removing.remove(desk.project, comment)
    assert contents(desk.project) == before
    removing.remove(desk.project, comment, others=True)
    desk.project.undo()
    desk.project.set_annotator("Bo")
    assert set(removing.affected(desk.project, comment).others) == {"Ada"}


def test_imported_material_is_nobodys_work(desk: Acts) -> None:
    desk = quiet(desk)
    desk.project.set_annotator("Cy")
    said = removing.affected(desk.project, one(desk, "paper"))
    assert "comment" in said.counts
    assert all("comment" not in counts and "paper" not in counts for counts in said.others.values())


def test_a_removed_paper_leaves_the_other_one_and_what_its_pdf_is_used_for(desk: Acts) -> None:
    first, second = targets(desk.project, "paper")
    shared, drafted = (version.document_id for version in desk.papers.versions(first.id))
    desk.papers.add_version(second.id, shared, "version 3")
    ReviewDraftStore(desk.project).begin_draft(drafted, "A review", "neurips")
    theirs = {v.id for v in desk.papers.versions(second.id)}
    removing.remove(desk.project, first, others=True)
    assert [t.name for t in targets(desk.project, "paper") if t.id != drafted] == [second.name]
    assert {v.id for v in desk.papers.versions(second.id)} == theirs
    assert count(desk, "review_draft") == 1 and count(desk, "document", f"id = '{drafted}'") == 1
    assert violations(desk.project) == ()


def test_a_removed_paper_takes_its_pdfs_along(desk: Acts) -> None:
    documents = {version.document_id for version in desk.papers.versions(one(desk, "paper").id)}
    removing.remove(desk.project, one(desk, "paper"), others=True)
    assert documents.isdisjoint(row[0] for row in desk.project.query("SELECT id FROM document"))


def test_a_removed_version_takes_the_work_on_its_comparisons_along_even_where_its_pdf_stays(desk: Acts) -> None:
    first, second = targets(desk.project, "paper")
    version = desk.papers.versions(first.id)[0]
    desk.papers.add_version(second.id, version.document_id, "version 3")
    links = count(desk, "edit_link")
    said = removing.remove(desk.project, Target("version", version.id, "x"), others=True)
    assert said.counts["edit_link"] == links - count(desk, "edit_link") > 0
    assert "document" not in said.rows and any("used elsewhere" in note for note in said.notes)
    assert violations(desk.project) == ()


def test_of_two_versions_with_one_pdf_the_other_keeps_what_was_done_with_it(desk: Acts) -> None:
    paper = one(desk, "paper").id
    version, links = desk.papers.versions(paper)[0], count(desk, "edit_link")
    again = desk.papers.add_version(paper, version.document_id, "the same once more")
    said = removing.remove(desk.project, Target("version", again, "x"), others=True)
    assert said.rows == {"paper_version": {again}} and count(desk, "edit_link") == links > 0
    assert version in desk.papers.versions(paper)


def test_what_was_written_to_a_reviewer_goes_with_their_only_review(desk: Acts) -> None:
    paper = one(desk, "paper").id
    review = desk.reviews.texts(paper)[0]
    desk.rebuttal.write(paper, Point("opening", reviewer=review.reviewer), "Thanks.")
    removing.remove(desk.project, Target("review", review.id, review.title), others=True)
    assert count(desk, "rebuttal_point", f"reviewer = '{review.reviewer}' AND paper_id = '{paper}'") == 0


def test_merging_puts_everybodys_links_notes_and_responses_together(desk: Acts) -> None:
    text = desk.reviews.texts(one(desk, "paper").id)[0]
    first, second = (comment.id for comment in desk.reviews.comments(source_id=text.id)[:2])
    paper = one(desk, "paper").id
    revision = desk.revision(first)
    edits = [edit.id for edit in desk.revisions.edits(revision)]
    with desk.project.action("Clean") as act:
        for table in ("edit_link", "comment_state", "adjudication", "rebuttal_use", "rebuttal_point"):
            for key in (first, second):
                act.delete(table, comment_id=key)
    notes = [NewLink(first, edits[0], note="one"), NewLink(second, edits[0], note="two")]
    desk.revisions.import_links(notes, "notes.csv")
    desk.revisions.link_comment(second, edits[1])
    for key, words in ((first, "First."), (second, "Second.")):
        desk.rebuttal.write(paper, Point("reply", key), words)
    desk.project.set_annotator("Bo")
    desk.revisions.set_comment_state(revision, second, "answered")
    desk.project.set_annotator("Ada")
    before = contents(desk.project)
    marked = [span for key in (first, second) for span in desk.reviews.comment(key).spans]
    kept = comments.merge_comments(desk.project, [second, first])
    assert len(marked) > 1 and kept.spans == (Span(marked[0].start, marked[-1].end),), "one follows the other"
    assert kept.id == first and next(iter(desk.reviews.comments(source_id=text.id))).id == first
    links = {link.edit_id: link.note for link in desk.revisions.links(revision) if link.comment_id == first}
    assert links == {edits[0]: "one\ntwo", edits[1]: ""}
    assert desk.rebuttal.replies()[first].text == "First.\n\nSecond."
    desk.project.set_annotator("Bo")
    assert desk.revisions.comment_states(revision)[first].state == "answered"
    assert violations(desk.project) == ()
    desk.project.undo()
    assert contents(desk.project) == before


def test_merging_asks_before_another_annotators_contradicting_decision_goes(desk: Acts) -> None:
    text = desk.reviews.texts(one(desk, "paper").id)[0]
    first, second = (comment.id for comment in desk.reviews.comments(source_id=text.id)[:2])
    with desk.project.action("Clean") as act:
        for key in (first, second):
            for table in ("comment_state", "adjudication", "suggestion_decision", "silver_decision"):
                act.delete(table, comment_id=key)
    desk.project.set_annotator("Bo")
    desk.revisions.set_comment_state(desk.revision(first), first, "answered")
    desk.revisions.set_comment_state(desk.revision(first), second, "not_addressed")
    desk.project.set_annotator("Ada")
    with pytest.raises(BadInput, match="1 decision on a comment by Bo"):
        comments.merge_comments(desk.project, [first, second])
    comments.merge_comments(desk.project, [first, second], others=True)
    desk.project.set_annotator("Bo")
    assert desk.revisions.comment_states(desk.revision(first))[first].state == "answered"


def test_a_replaced_pdf_with_work_stays_as_a_further_version(desk: Acts) -> None:
    paper = one(desk, "paper").id
    old = desk.papers.versions(paper)[1]
    links, before = count(desk, "edit_link"), contents(desk.project)
    (note,) = papers.replacing(desk.project, old.id).sentences
    assert "links" in note and "kept as another version" in note
    made = papers.replace_version(desk.project, old.id, b"%PDF-1.7 quite new", "new.pdf")
    versions = {version.label: version for version in desk.papers.versions(paper)}
    assert versions[old.label].document_id == made.document_id != old.document_id
    assert versions[f"{old.label}, before"].document_id == old.document_id
    assert count(desk, "edit_link") == links
    desk.papers.compare_as(made.former_version_id, old.label)
    source = next(v for v in desk.papers.versions(paper) if v.label == SUBMITTED)
    found = RevisionStore(desk.project).revision_of(source.document_id, old.document_id)
    assert found is not None and desk.revisions.links(found.id)
    for _ in range(2):
        desk.project.undo()
    assert contents(desk.project) == before
    papers.replace_version(desk.project, old.id, b"%PDF-1.7 quite new", "new.pdf")
    named = {version.label for version in desk.papers.versions(paper)}
    taken = f"{old.label}, before"
    assert taken in named
    with desk.project.action("Take the name") as act:
        act.update("paper_version", old.id, {"document_id": old.document_id})
    papers.replace_version(desk.project, old.id, b"%PDF-1.7 newer still", "newer.pdf")
    assert {version.label for version in desk.papers.versions(paper)} == named | {f"{old.label}, 2 before"}
    fresh = desk.papers.add_paper("Without work")
    version = papers.set_version(desk.project, fresh, REVISED, b"%PDF-1.7 a", "a.pdf")
    again = papers.set_version(desk.project, fresh, REVISED, b"%PDF-1.7 b", "b.pdf")
    assert again.former_version_id == "" and again.document_id != version.document_id
    assert [v.filename for v in desk.papers.versions(fresh)] == ["b.pdf"]
    with pytest.raises(BadInput, match="not a PDF"):
        papers.set_version(desk.project, fresh, REVISED, b"words", "c.pdf")


def test_a_moved_review_takes_its_responses_along_and_leaves_its_links(desk: Acts) -> None:
    first, second = targets(desk.project, "paper")
    text = desk.reviews.texts(first.id)[0]
    review = Target("review", text.id, text.title)
    replies = count(desk, "rebuttal_point", "kind = 'reply'")
    said = papers.moving(desk.project, review, second)
    assert said.counts["edit_link"] > 0 and any("shown as one" in note for note in said.notes)
    with pytest.raises(BadInput, match="by Bo"):
        papers.move_review(desk.project, review, second)
    papers.move_review(desk.project, review, second, others=True)
    assert text.id in {t.id for t in desk.reviews.texts(second.id)}
    assert count(desk, "rebuttal_point", "kind = 'reply'") == replies and violations(desk.project) == ()
    before = contents(desk.project)
    with pytest.raises(BadInput, match="without a paper"):
        papers.move_review(desk.project, review, Target("paper", "a document", "x.pdf"), others=True)
    assert contents(desk.project) == before


def test_a_moved_review_no_longer_shares_responses_with_the_former_paper(desk: Acts) -> None:
    first, second = targets(desk.project, "paper")
    here, there = (desk.reviews.comments(source_id=text.id)[0].id for text in desk.reviews.texts(first.id)[:2])
    one = desk.rebuttal.write(first.id, Point("reply", here), "Common.")
    desk.rebuttal.share(first.id, Point("reply", there), one)
    text = desk.reviews.comment(here).source_id
    papers.move_review(desk.project, Target("review", text, ""), second, others=True)
    desk.rebuttal.write(first.id, desk.rebuttal.replies()[there], "Only here.")
    assert desk.rebuttal.replies()[here].text == "Common." and violations(desk.project) == ()


def test_renaming(desk: Acts) -> None:
    paper = one(desk, "paper")
    for kind in ("paper", "review", "study"):
        papers.rename(desk.project, one(desk, kind), f"  Another  {kind} ")  # type: ignore[arg-type]
        assert one(desk, kind).name.startswith(f"Another {kind}")  # type: ignore[arg-type]
    version = Target("version", desk.papers.versions(paper.id)[0].id, "")
    with pytest.raises(BadInput, match="already has a revised version"):
        papers.rename(desk.project, version, REVISED)
    papers.rename(desk.project, version, "camera-ready")
    assert desk.papers.versions(paper.id)[0].label == "camera-ready"
    with pytest.raises(BadInput, match="The name is empty"):
        papers.rename(desk.project, paper, "  ")


def test_two_reviewers_of_one_name_have_one_opening(desk: Acts) -> None:
    paper = one(desk, "paper").id
    with desk.project.action("Clean") as act:
        act.execute("DELETE FROM rebuttal_use WHERE comment_id IS NULL")
        act.execute("DELETE FROM rebuttal_point WHERE kind <> 'reply'")
    for reviewer in ("Reviewer 1", "Reviewer 2"):
        desk.rebuttal.write(paper, Point("opening", reviewer=reviewer), f"Dear {reviewer}.")
    papers.rename_reviewer(desk.project, paper, "Reviewer 2", "Reviewer 1")
    assert [p.text for p in desk.rebuttal.words(paper)] == ["Dear Reviewer 1.\n\nDear Reviewer 2."]
    assert {name for name, _ in desk.reviews.reviewers(paper)} == {"Reviewer 1"}
    assert violations(desk.project) == ()


def test_names_find_their_targets(desk: Acts) -> None:
    title = desk.reviews.texts()[0].title
    with pytest.raises(BadInput, match="More than one"):
        find(desk.project, "review", title)
    papers.rename(desk.project, one(desk, "review"), "The only one")
    whole = one(desk, "review").name
    assert whole.startswith("The only one: The split is unclear.") and len(whole) == len("The only one: ") + 60
    assert find(desk.project, "review", whole) == find(desk.project, "review", one(desk, "review").id)
    with pytest.raises(BadInput, match="There's no study named “Nothing”") as caught:
        find(desk.project, "study", "Nothing")
    assert one(desk, "study").id in caught.value.do
    assert find(desk.project, "review", "The only one").id == desk.reviews.texts()[0].id


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE comment_span SET end_offset = 4000", "comment spans lie outside their text"),
        ("UPDATE sentence_label SET end_offset = 4000", "sentence labels lie outside their text"),
        ("UPDATE paper_version SET label = 'submitted'", "versions of a paper share a label"),
        ("UPDATE rebuttal_point SET paper_id = (SELECT max(id) FROM paper)", "responses are in the rebuttal of a"),
        ("UPDATE source_text SET paper_id = (SELECT max(id) FROM paper)", "another paper"),
        (
            "UPDATE rebuttal_point SET reviewer = '', paper_id = NULL WHERE kind <> 'reply'",
            "openings or closings for a reviewer are",
        ),
        ("UPDATE annotation_done SET subject_id = 'gone'", "“done” marks"),
        ("UPDATE adjudication SET edit_ids = '[\"gone\"]'", "adjudications name an edit that was deleted"),
        ("DELETE FROM comment WHERE id = (SELECT min(comment_id) FROM edit_link)", "that doesn't exist"),
    ],
)
def test_each_rule_finds_what_breaks_it(desk: Acts, statement: str, sentence: str) -> None:
    connection = desk.project.connection()
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(statement)
    found = violations(desk.project)
    assert any(sentence in one for one in found) and any("don't match the history" in one for one in found)


def test_a_comment_span_ends_within_a_text_with_a_nul(desk: Acts) -> None:
    text = desk.reviews.add_text("Strange", "One\0two.").texts[0]
    desk.reviews.add_comment(text.id, [Span(4, 8)])
    assert violations(desk.project) == ()


def test_a_command_takes_the_only_paper_and_asks_among_several(desk: Acts) -> None:
    first, second = desk.papers.papers()
    assert papers.chosen_paper((first,), "") == first and papers.chosen_paper((), "") is None
    assert (
        papers.chosen_paper((first, second), second.title) == papers.chosen_paper((first, second), second.id) == second
    )
    with pytest.raises(BadInput, match="There are 2 papers"):
        papers.chosen_paper((first, second), "")
    with pytest.raises(BadInput, match="no compared paper named “Other”") as caught:
        papers.chosen_paper((first, second), "Other", "compared paper")
    assert f"{first.title} ({first.id}); {second.title} ({second.id})." in caught.value.do
    with pytest.raises(BadInput, match="no paper named “Other”") as caught:
        papers.chosen_paper((), "Other")
    assert caught.value.do == "Choose one with --paper: none."
    with pytest.raises(BadInput, match=f"2 papers have the title “{first.title}”"):
        papers.chosen_paper((first, replace(second, title=first.title)), first.title)


def test_what_a_paper_has_is_counted(desk: Acts) -> None:
    paper = one(desk, "paper").id
    assert papers.paper_summary(desk.project, paper) == "2 versions, 2 reviews and letters and 6 comments"
    empty = desk.papers.add_paper("Empty")
    assert papers.paper_summary(desk.project, empty) == "0 versions, 0 reviews and letters and 0 comments"


@pytest.mark.parametrize(
    ("rows", "words", "said"),
    [
        ({}, [], ""),
        ({"comment": 1, "edit": 0}, ["1 comment"], "1 comment"),
        ({"edit_link": 2, "paper": 1, "blob": 1}, ["1 paper", "2 links", "1 other entry"],
         "1 paper, 2 links and 1 other entry"),
        ({"blob": 1, "anchor": 1, "work_round": 3}, ["1 marked place", "4 other entries"],
         "1 marked place and 4 other entries"),
    ],
)  # fmt: skip
def test_what_is_affected_in_words(rows: dict[str, int], words: list[str], said: str) -> None:
    assert in_words(rows) == words and listed(words) == said


def test_a_number_that_is_not_as_the_history_left_it_is_found(desk: Acts) -> None:
    key = one(desk, "comment").id
    link = NewLink(key, desk.revisions.edits(desk.revision(key))[3].id, confidence=1 / 3)
    desk.revisions.import_links([link], "links.csv")
    assert violations(desk.project) == ()
    desk.project.connection().execute("UPDATE edit_link SET confidence = confidence + 1e-9")
    assert [said for said in violations(desk.project) if "edit_link don't match the history" in said]


def test_what_is_not_there_is_neither_removed_nor_replaced(desk: Acts) -> None:
    for verb in (papers.replacing, lambda project, key: removing.remove(project, Target("version", key, "x"))):
        with pytest.raises(KeyError, match="nothing"):
            verb(desk.project, "nothing")
    with pytest.raises(ValueError, match="annotator"):
        removing.remove(desk.project, Target("annotator", "a", "Ada"))


def test_steps_that_remove_something_say_what(desk: Acts) -> None:
    """A comment is named by its first words; a review has its title, without its beginning."""

    def title(*targets: Target) -> str:
        return removing.affected(desk.project, *targets).title

    paper, version, study = (one(desk, kind) for kind in ("paper", "version", "study"))
    assert title(paper) == f"Remove paper “{paper.name}”" and title(replace(paper, name="")) == "Remove paper"
    assert title(version) == f"Remove version “{version.name}”" and title(study) == f"Remove survey “{study.name}”"
    review = one(desk, "review")
    assert ": " in review.name and title(review) == f"Remove review “{review.name.partition(': ')[0]}”"
    first, second = (one(desk, "comment", number) for number in (0, 1))
    assert title(first) == f"Delete comment {named_comment(desk.project, first.id)}" and "split" in title(first)
    assert title(first, second) == "Delete 2 comments"
    assert title(*targets(desk.project, "review")[:2]) == "Remove 2 reviews"


def test_long_texts_are_named_by_their_beginning_with_an_ellipsis(desk: Acts) -> None:
    text = desk.reviews.add_text("Letter", "Please say how the streets were counted. " * 4).texts[0].id
    (named,) = (found.name for found in targets(desk.project, "review") if found.id == text)
    assert named.startswith("Letter: Please say how") and named.endswith("…")
