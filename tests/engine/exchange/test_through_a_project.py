"""Files that go through a project: what was imported comes out as it came in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.exchange.aries import comment_line, read_file, review_comments
from engine.exchange.openreview import read_openreview
from engine.project import Project
from engine.reviews.store import ReviewStore

LINES = [
    '{"doc_id": "d", "comment_id": 7, "comment": "Say “why”.", "comment_context": "Say “why”.", "z": [1, {"a": null}]}',
    '{"doc_id":"d","comment":"Add units.","comment_id":"x","comment_context":"Add units.","note":"\\u00e4"}',
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReviewStore]:
    with Project.create(tmp_path / "through.rejoinder") as project:
        yield ReviewStore(project)


def test_aries_comments_leave_a_project_as_they_came(store: ReviewStore) -> None:
    store.import_bundle(review_comments(read_file("\n".join(LINES).encode(), "f")), "review_comments.jsonl")
    comments = store.comments()
    assert [comment_line(c, "d").raw for c in comments] == LINES
    assert [c.external_id for c in comments] == ["7", "x"]
    changed = store.set_comment_text(comments[0].id, "Say how.").comments[0]
    assert json.loads(comment_line(changed, "d").raw) == {**json.loads(LINES[0]), "comment": "Say how."}


def test_fields_of_openreview_notes_are_kept(store: ReviewStore) -> None:
    note = {
        "id": "r",
        "forum": "f",
        "replyto": "f",
        "signatures": ["P/AnonReviewer1"],
        "invitation": "P/-/Official_Review",
        "content": {"review": "Please say why. 😀", "rating": "8: Top 50%"},
    }
    store.import_bundle(read_openreview(json.dumps([note]), "notes.json"), "notes.json")
    (text,) = store.texts()
    fields = (("rating", "8: Top 50%"), ("note", "r"), ("forum", "f"), ("replyto", "f"))
    assert (text.fields, text.reviewer, text.text) == (fields, "Reviewer 1", "Please say why. 😀")
    (comment,) = store.comments(actionable=True)
    assert text.text[comment.spans[0].start : comment.spans[0].end] == comment.comment


@pytest.mark.data
def test_real_comments_leave_a_project_as_they_came(store: ReviewStore, data_folder: Path) -> None:
    folder = data_folder / "revisions"
    data = (folder / "review_comments.jsonl").read_bytes()
    bundle = review_comments(read_file(data, "f"))
    store.import_bundle(bundle, "review_comments.jsonl")
    came = {(c.source_id, c.id): c for c in bundle.comments}
    names = {t.id: t.title for t in store.texts()}
    comments = store.comments()
    assert len(comments) == len(came)
    assert sorted(comment_line(c, names[c.source_id]).raw for c in comments) == sorted(data.decode().splitlines())
    for comment in comments:
        assert comment.spans and comment.context_spans
        assert comment.spans == came[names[comment.source_id], comment.external_id].spans
