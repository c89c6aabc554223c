"""The verbs of the reviews: each one undo step, each reading back what it wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.operations.comments import merge_comments
from engine.operations.removing import remove_comments
from engine.project import Changes, Project
from engine.reviews.letter import read_letter
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.spans import sentence, unmarked
from engine.reviews.store import ReviewStore

LETTER = """## Reviewer 1

> The introduction is too long. The split is unclear.

We shortened it and describe the split in Section 3.

> Please add units to Figure 2.

Done.

## Reviewer 2

> Why was the depth not reported?

It now stands in Table 1.
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "reviews.rejoinder", title="Reviews") as made:
        yield made


@pytest.fixture
def store(project: Project) -> ReviewStore:
    made = ReviewStore(project)
    made.import_bundle(read_letter(LETTER), "letter.md")
    return made


def at(text: str, words: str) -> Span:
    start = text.index(words)
    return Span(start, start + len(words))


def test_import_keeps_what_the_bundle_holds(project: Project) -> None:
    bundle = read_letter(LETTER)
    store = ReviewStore(project)
    seen: list[Changes] = []
    project.subscribe(seen.append)
    change = store.import_bundle(bundle, "letter.md")
    assert [c.title for c in seen] == ["Import letter.md"]
    assert {"source_text", "comment", "comment_span"} <= seen[0].tables
    assert store.comments() == change.comments
    assert [(c.comment, c.response, c.spans, c.context_spans, c.external_id) for c in store.comments()] == [
        (c.comment, c.response, c.spans, c.context_spans, c.id) for c in bundle.comments
    ]
    assert store.texts()[0].text == LETTER
    assert store.reviewers() == (("Reviewer 1", 2), ("Reviewer 2", 1))
    project.undo()
    assert store.texts() == () and store.comments() == ()
    project.redo()
    assert len(store.comments()) == 3


def test_import_of_a_span_outside_the_text_changes_nothing(project: Project) -> None:
    text = SourceText("t", "Review", "Short.")
    bad = Comment("c", "t", "", "Short.", spans=(Span(0, 99),))
    store = ReviewStore(project)
    with pytest.raises(BadInput, match="isn't inside its text"):
        store.import_bundle(ReviewBundle((text,), (bad,)), "r.txt")
    assert store.texts() == ()
    with pytest.raises(BadInput, match="doesn't belong to any of its texts"):
        store.import_bundle(ReviewBundle((), (bad,)), "r.txt")


def test_marking_a_comment_of_several_spans(project: Project) -> None:
    store = ReviewStore(project)
    text = "The loss is undefined, and so is the optimiser. The seed is missing."
    source = store.add_text("Review of R2", text, reviewer="R2").texts[0]
    (comment,) = store.add_comment(source.id, [at(text, "The seed is missing."), at(text, "The loss is ")]).comments
    assert comment.comment == "The loss is [...] The seed is missing."
    assert comment.reviewer == "R2"
    (comment,) = store.add_span(comment.id, at(text, "undefined")).comments
    assert comment.comment == "The loss is [...] undefined [...] The seed is missing."
    (comment,) = store.add_span(comment.id, at(text, "is undefined,")).comments
    assert [text[s.start : s.end] for s in comment.spans] == ["The loss is undefined,", "The seed is missing."]
    (comment,) = store.set_spans(comment.id, comment.spans[:1]).comments
    assert comment.comment == "The loss is undefined,"
    with pytest.raises(BadInput, match="No text is marked"):
        store.set_spans(comment.id, ())
    (comment,) = store.set_context(comment.id, [Span(0, len(text))]).comments
    assert comment.context == text
    assert project.undo_title == "Set comment context: “The loss is undefined,”"


def test_new_comment_takes_the_reviewer_before_it(store: ReviewStore) -> None:
    source = store.texts()[0]
    (comment,) = store.add_comment(source.id, [at(LETTER, "the depth")]).comments
    assert comment.reviewer == "Reviewer 2"


def test_split_and_merge(store: ReviewStore, project: Project) -> None:
    first = store.comments()[0]
    change = store.split_comment(first.id, LETTER.index(" The split is unclear"))
    assert [c.comment for c in change.comments] == ["The introduction is too long.", "The split is unclear."]
    assert len({c.response for c in change.comments}) == 1
    assert [c.comment for c in store.comments()][:2] == [c.comment for c in change.comments]
    merged = merge_comments(project, [c.id for c in reversed(change.comments)])
    assert merged.id == first.id
    assert merged.comment == "The introduction is too long. The split is unclear.", "merging undoes a split"
    assert len(store.comments()) == 3
    project.undo()
    project.undo()
    assert store.comment(first.id) == first
    with pytest.raises(BadInput, match="One side would be empty"):
        store.split_comment(first.id, first.spans[0].start)
    with pytest.raises(BadInput, match="two or more comments"):
        merge_comments(project, [first.id])


def test_merge_across_texts_is_refused(store: ReviewStore, project: Project) -> None:
    other = store.add_text("Other", "A second review.").texts[0]
    (comment,) = store.add_comment(other.id, [Span(0, 8)]).comments
    with pytest.raises(BadInput, match="different reviews"):
        merge_comments(project, [store.comments()[0].id, comment.id])


def test_labels_and_responses(store: ReviewStore, project: Project) -> None:
    ids = [c.id for c in store.comments()]
    store.set_actionable(ids[:2], False)
    assert [c.actionable for c in store.comments()] == [False, False, True]
    assert [c.id for c in store.comments(actionable=True)] == ids[2:]
    store.set_action(ids, "explain")
    assert {c.action for c in store.comments()} == {"explain"}
    store.set_action(ids[:1], None)
    assert store.comment(ids[0]).action is None
    (comment,) = store.set_response_spans(ids[1], [at(LETTER, "We shortened it")]).comments
    assert comment.response == "We shortened it"
    for text in ("D", "Do", "Don"):
        store.set_response(ids[1], text)
    project.undo()
    assert store.comment(ids[1]).response == "We shortened it"
    store.set_comment_text(ids[0], "Shorten the introduction.")
    assert store.comment(ids[0]).comment == "Shorten the introduction."
    with pytest.raises(BadInput, match="The comment is empty"):
        store.set_comment_text(ids[0], "  ")


def test_renaming_a_reviewer(store: ReviewStore, project: Project) -> None:
    change = store.rename_reviewer("Reviewer 1", "Dr Mud")
    assert len(change.comments) == 2
    assert store.reviewers() == (("Dr Mud", 2), ("Reviewer 2", 1))
    store.set_reviewer([store.comments()[2].id], "Dr Mud")
    assert store.reviewers() == (("Dr Mud", 3),)
    project.undo()
    project.undo()
    assert store.reviewers() == (("Reviewer 1", 2), ("Reviewer 2", 1))


def _verbs(store: ReviewStore, project: Project) -> dict[str, Callable[[int], object]]:
    def pick(number: int) -> str:
        comments = store.comments()
        return comments[number % len(comments)].id if comments else ""

    def cut(number: int) -> object:
        spans = store.comment(pick(number)).spans
        return store.split_comment(pick(number), (spans[0].start + spans[-1].end) // 2)

    return {
        "delete": lambda n: remove_comments(project, [pick(n)]),
        "split": cut,
        "merge": lambda n: merge_comments(project, [pick(n), pick(n + 1)]),
        "mark": lambda n: store.add_comment(store.texts()[0].id, [Span(n, n + 20)]),
        "no request": lambda n: store.set_actionable([pick(n)], n % 2 == 0),
        "rename": lambda n: store.rename_reviewer("Reviewer 1", f"R{n}"),
        "context": lambda n: store.set_context(pick(n), [Span(0, n)]),
    }


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.sampled_from(sorted(_verbs(None, None))), st.integers(0, 60)), max_size=8))  # type: ignore[arg-type]
def test_undo_returns_to_every_earlier_state(tmp_path: Path, steps: list[tuple[str, int]]) -> None:
    with Project.create(tmp_path / f"{abs(hash(tuple(steps)))}-{len(list(tmp_path.iterdir()))}.rejoinder") as project:
        store = ReviewStore(project)
        store.import_bundle(read_letter(LETTER), "letter.md")
        states = [store.comments()]
        for verb, number in steps:
            try:
                _verbs(store, project)[verb](number)
            except (BadInput, KeyError):
                assert store.comments() == states[-1]
                continue
            if store.comments() != states[-1]:
                states.append(store.comments())
            for comment in store.comments():
                text = store.text(comment.source_id).text
                assert all(0 <= s.start < s.end <= len(text) for s in comment.spans)
        for state in reversed(states[:-1]):
            while store.comments() != state:
                assert project.undo() is not None


def test_comments_are_read_without_markdown() -> None:
    said = "## Abstract\n**Method**: *why* 52 dB in `Table 1`? See x_i and y_i, 2*3*4, *p < .05 and # 3."
    assert unmarked(said) == "Abstract\nMethod: why 52 dB in Table 1? See x_i and y_i, 2*3*4, *p < .05 and # 3."
    assert sentence("**(a) Why?** So.", Span(0, 12)) == "(a) Why?"
    assert sentence("*(a) Why? So.*", Span(0, 9)) == "(a) Why?"
