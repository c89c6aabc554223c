"""Outlines of responses from what is linked."""

from __future__ import annotations

from engine.rebuttal.slots import outline
from engine.rebuttal.tasks import Brief, prompt_for
from engine.reviews.records import Comment
from engine.revision.records import Edit

PASSAGE = Edit(
    "k", "minor", "edit", False, (), ("t4",), "", "The split is by paper.", "4.2 Data", 0, 0, "p1", passage=True
)


def test_of_a_passage_nobody_says_that_it_is_new() -> None:
    made = outline(Comment("c", "r", "R1", "How was the split made?"), [PASSAGE], {}).text
    assert "See Section 4.2: “The split is by paper.”." in made and "added" not in made and "changed" not in made
    asked = prompt_for(Brief("c", "How was the split made?", edits=(PASSAGE,)), context=4096).messages[1].content
    assert "the paper says “The split is by paper.”" in asked
