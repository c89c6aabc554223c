"""Labels found in responses: quoted lines, shared bigrams, quoted new text; what a person decides stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.jobs import JobEngine, QuietReport
from engine.operations.removing import remove_comments
from engine.project import Project
from engine.research.alignment.comparison import quality
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.records import Edit, Query, RevisionDiff, SilverLabel
from engine.revision.silver import OVERLAP, overlap, quoted_lines, silver_labels
from engine.revision.store import RevisionStore, SilverStore
from engine.revision.tasks import find_silver_labels
from tests.engine.revision.papers import make_edit

NEW = (
    "The division was made by manuscript, so that no writer stands on both sides; every tenth manuscript was set "
    "aside before any model was trained, and the same manuscripts serve all experiments of the study, whose order was "
    "drawn by lot once and written down before the first experiment began, so that anybody can repeat the procedure."
)
EDITS = (
    make_edit("split", "Models were trained.", f"Models were trained. {NEW}"),
    make_edit("else", "", "The weather in the valley is mild in spring and the harvest begins in early autumn."),
    make_edit("old", f"{NEW} It ended.", f"{NEW} It ended well."),
)
REVIEW = (
    "The study is of interest. It remains unclear by which rule the texts were divided into parts. "
    "The figures are good."
)


def test_a_quoted_line_is_found_with_its_answer_despite_typos_and_marks() -> None:
    letter = (
        "Thank you.\n\n"
        "> 1. It remains unclear by which rule the text were divided in parts.\n\n"
        "By manuscript, see below.\n\n"
        "Comment 2: The figures are good.\n\nThank you again."
    )
    (line,) = quoted_lines(REVIEW, letter)  # the second quotation is shorter than 40 characters
    assert letter[line.start : line.end].startswith("It remains unclear") and 0.0 < line.distance <= 0.1
    assert "remains unclear by which rule" in REVIEW[line.review_start : line.review_end]
    assert line.answer.startswith("By manuscript")
    assert quoted_lines(REVIEW, "It remains a fact that nobody in the valley reads such long lines at all.") == ()


def test_letters_that_fold_into_two_shift_no_place() -> None:
    said = "Straßen, Maße und Größen: it is unclear by which rule they were measured at all."
    (line,) = quoted_lines(f"{'ß' * 30} First. {said}", f"> {said}\n\nBy a rule.")
    assert f"{'ß' * 30} First. {said}"[line.review_start : line.review_end] == said


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_are_read(review: str, letter: str) -> None:
    for line in quoted_lines(review, letter):
        assert 0 <= line.start < line.end <= len(letter)
        assert 0 <= line.review_start <= line.review_end <= len(review)


def test_overlap_is_of_the_shorter_text_and_not_of_a_phrase() -> None:
    assert overlap(NEW, f"Before it. {NEW} After it.") == pytest.approx(1.0, abs=0.1)
    assert overlap("machine learning models", f"{NEW} machine learning models") < OVERLAP
    assert overlap("", NEW) == 0.0 and overlap(NEW, "Entirely other matter, told in other words.") == 0.0


def test_each_kind_is_found_where_it_is_due() -> None:
    queries = [
        Query("told", "It remains unclear by which rule the texts were divided into parts.", response=f"Now: “{NEW}”"),
        Query("vague", "Please discuss the weather.", response="We thank the reviewer for this remark on weather."),
    ]
    letter = f"> {queries[0].comment}\n\nThe division was made by manuscript: {NEW}\n"
    labels = silver_labels(queries, EDITS, review=REVIEW, letter=letter)
    assert {(label.comment_id, label.edit_id, label.kind) for label in labels} == {
        ("told", "split", "quoted text"),
        ("told", "split", "reply"),
        ("told", "split", "quoted comment"),
    }
    assert all(0.25 <= label.strength <= 1.0 and label.evidence for label in labels)


def test_text_that_stood_there_before_is_no_new_text() -> None:
    labels = silver_labels([Query("c", "Why?", response=f"“{NEW}”")], EDITS[2:])
    assert labels == ()


def test_precision_and_recall_by_kind() -> None:
    labels = [
        SilverLabel("a", "1", "reply", 0.5, "x"),
        SilverLabel("a", "2", "reply", 0.5, "x"),
        SilverLabel("a", "1", "quoted text", 1.0, "x"),
        SilverLabel("b", "9", "reply", 0.5, "x"),
    ]
    found = {row.kind: row for row in quality(labels, {("a", "1"), ("b", "3")}, {("b", "9")})}
    assert (found["reply"].labels, found["reply"].precision, found["reply"].recall) == (3, 0.5, 0.5)
    assert (found["quoted text"].precision, found["quoted text"].recall) == (1.0, 0.5)
    assert (found["quoted comment"].labels, found["quoted comment"].precision) == (0, 0.0)
    assert (found["all"].labels, found["all"].precision) == (3, 0.5)


def test_cancel_is_heard() -> None:
    class Impatient(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        silver_labels([Query("c", "Why?")], EDITS, report=Impatient())


# --- in a project -----------------------------------------------------------------------------------------------------


class Study:
    def __init__(self, folder: Path) -> None:
        self.project = Project.create(folder / "p.rejoinder", annotator="Ann")
        self.revisions = RevisionStore(self.project)
        self.reviews = ReviewStore(self.project)
        self.silver = SilverStore(self.project, self.revisions)
        comment = Comment("c", "s", "R1", REVIEW, response=f"Now: “{NEW}”", spans=(Span(0, len(REVIEW)),))
        self.reviews.import_bundle(ReviewBundle((SourceText("s", "Review", REVIEW),), (comment,)), "review.txt")
        self.comment = self.reviews.comments()[0].id
        edits = tuple(
            Edit(f"e{n}", "added", "add", False, (), (f"T{n}",), "", text, "Methods", 0, 9)
            for n, text in enumerate((NEW, "The weather in the valley is mild in spring and in early autumn, too."))
        )
        self.revision = self.revisions.save_diff("d1", "d2", RevisionDiff(edits, ())).revision_id
        self.edits = [edit.id for edit in self.revisions.edits(self.revision)]


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    study = Study(tmp_path)
    yield study
    study.project.close()


def label(study: Study, edit: int, kind: str = "reply", strength: float = 0.5) -> SilverLabel:
    return SilverLabel(study.comment, study.edits[edit], kind, strength, "words")  # type: ignore[arg-type]


def test_the_job_fills_the_queue(study: Study) -> None:
    lane = JobEngine(interval=0.0)
    lane.submit(find_silver_labels(study.reviews, study.revisions, study.silver, study.revision)).result(30.0)
    assert lane.shutdown(30.0)
    (pair,) = study.silver.pairs(study.revision)
    assert (pair.edit_id, [found.kind for found in pair.labels]) == (study.edits[0], ["quoted text", "reply"])


def test_confirming_links_with_the_rule_as_origin_in_one_step(study: Study) -> None:
    study.silver.save(study.revision, [label(study, 0), label(study, 0, "quoted text", 1.0)])
    (pair,) = study.silver.pairs(study.revision)
    change = study.silver.confirm(pair)
    assert [link.origin for link in change.links] == ["model:silver-quoted-text@1"]
    assert study.revisions.comment_states(study.revision)[study.comment].state == "linked"
    assert study.silver.pairs(study.revision)[0].decision == "accepted"
    assert study.silver.pairs(study.revision, undecided=True) == ()
    study.project.undo()
    assert study.revisions.links(study.revision) == () and study.silver.pairs(study.revision)[0].decision is None
    study.project.redo()
    assert len(study.revisions.links(study.revision)) == 1


def decisions(study: Study) -> list[tuple[str, str]]:
    return [tuple(row) for row in study.project.query("SELECT decision, kind FROM silver_decision")]


def test_refusing_is_kept_and_takes_back_what_it_had_confirmed(study: Study) -> None:
    study.silver.save(study.revision, [label(study, 0)])
    (pair,) = study.silver.pairs(study.revision)
    study.silver.confirm(pair)
    study.silver.refuse(pair)
    assert study.revisions.links(study.revision) == ()
    assert decisions(study) == [("rejected", "reply")]
    study.silver.reopen(pair)
    assert len(study.silver.pairs(study.revision, undecided=True)) == 1


def test_refusing_leaves_a_link_made_by_hand(study: Study) -> None:
    study.revisions.link_comment(study.comment, study.edits[0])
    study.silver.save(study.revision, [label(study, 0)])
    assert study.silver.pairs(study.revision, undecided=True) == ()
    study.silver.refuse(study.silver.pairs(study.revision)[0])
    assert [link.origin for link in study.revisions.links(study.revision)] == ["person"]


def test_unlinking_opens_the_question_again(study: Study) -> None:
    study.silver.save(study.revision, [label(study, 0)])
    study.silver.confirm(study.silver.pairs(study.revision)[0])
    study.revisions.unlink_comment(study.comment, study.edits[0])
    assert len(study.silver.pairs(study.revision, undecided=True)) == 1


def test_a_new_search_keeps_decisions_and_drops_what_it_no_longer_finds(study: Study) -> None:
    study.silver.save(study.revision, [label(study, 0), label(study, 1, strength=0.9)])
    assert [pair.edit_id for pair in study.silver.pairs(study.revision)] == [study.edits[1], study.edits[0]]
    study.silver.refuse(study.silver.pairs(study.revision)[0])
    study.silver.save(study.revision, [label(study, 1)])
    (pair,) = study.silver.pairs(study.revision)
    assert (pair.edit_id, pair.decision) == (study.edits[1], "rejected")


def test_comments_with_decisions_can_be_deleted(study: Study) -> None:
    study.silver.save(study.revision, [label(study, 0)])
    study.silver.refuse(study.silver.pairs(study.revision)[0])
    remove_comments(study.project, [study.comment])
    assert study.reviews.comments() == () and decisions(study) == []
    study.project.undo()
    assert len(decisions(study)) == 1
