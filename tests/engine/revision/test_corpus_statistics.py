"""Statistics of a corpus made by hand, small enough to count."""

from __future__ import annotations

from dataclasses import replace

from engine.reviews.records import Comment
from engine.revision.generation.tables import corpus_statistics
from engine.revision.records import CommentJudgement, Edit


def edit(key: str, source: str, target: str, kind: str = "major", added: int = 3, removed: int = 1) -> Edit:
    ids = (("s",) if source else (), ("t",) if target else ())
    return Edit(key, kind, "change", False, *ids, source, target, "", removed, added)  # type: ignore[arg-type]


COMMENTS = (
    Comment("c1", "r", "R1", "Compare with counters", action="compare"),
    Comment("c2", "r", "R1", "Please define the pooled term.", action="define"),
    Comment("c3", "r", "R2", "Please define the other term."),
    Comment("c4", "r", "R2", "Nice work.", actionable=False),
    Comment("c5", "r", "R2", "Enlarge the figure", action="other"),
)
EDITS = (
    edit("e1", "Old words.", "Old words. We compare with two counters now.", added=7, removed=0),
    edit("e2", "A term.", "A pooled term.", "minor", 1, 0),
    edit("e3", "", "New text altogether.", "added", 3, 0),
)


def test_a_corpus_is_counted() -> None:
    found = corpus_statistics(
        COMMENTS, EDITS, {"c1": ["e1"], "c2": ["e2", "gone"]}, [CommentJudgement("c5", "visual_only")]
    )
    rows = {row.action: row for row in found.actions}
    assert (rows["compare"].comments, rows["compare"].addressed, rows["compare"].guessed) == (1, 1, 0)
    assert (rows["define"].comments, rows["define"].addressed, rows["define"].guessed) == (2, 1, 1)
    assert (rows["other"].comments, rows["other"].share) == (1, 1.0), "a visual change meets it, praise is not counted"
    assert {row.kind: (row.edits, row.linked) for row in found.kinds if row.edits} == {
        "major": (1, 1), "minor": (1, 1), "added": (1, 0),
    }  # fmt: skip
    assert found.linked_tokens == ((7, 0), (1, 0)) and found.other_tokens == ((3, 0),)
    mixed = replace(found, linked_tokens=((7, 0), (1, 2), (0, 3), (4, 4)))
    assert mixed.operations() == {"only adds": 0.25, "adds and deletes": 0.5, "only deletes": 0.25}
    assert found.token_summary()["linked"][:2] == (4.0, 4.0)
    # "compare", "with", "counters" of three different words are added; of "please define the pooled term" one of five.
    assert found.overlap == (1.0, 0.2)


def test_nothing_is_counted_without_anything() -> None:
    found = corpus_statistics((), (), {})
    assert found.overlap == () and all(row.comments == 0 for row in found.actions)
    assert all(value != value for value in found.token_summary()["linked"])
