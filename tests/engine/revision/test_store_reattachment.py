"""Edits keep their identity by text: reordering, renumbering, growth, merging; and never by chance."""

from __future__ import annotations

import random
import time

from engine.revision.comparison_store import match_edits
from engine.revision.records import Edit


def edit(target: str, source: str = "", number: int = 0) -> Edit:
    kind = "major" if source and target else "added" if target else "deleted"
    operation = {"major": "edit", "added": "add", "deleted": "delete"}[kind]
    return Edit(f"e{number}", kind, operation, False, (), (), source, target, "", 0, 0)  # type: ignore[arg-type]


WORDS = [f"w{n}" for n in range(400)]


def paragraph(rng: random.Random, length: int = 60) -> str:
    return " ".join(rng.choices(WORDS, k=length))


def test_order_and_numbers_do_not_matter() -> None:
    rng = random.Random(1)
    old = [edit(paragraph(rng), number=n) for n in range(30)]
    order = list(range(30))
    rng.shuffle(order)
    assert match_edits(old, [old[n] for n in order]) == tuple(order)


def test_repeated_texts_are_matched_in_order() -> None:
    same = [edit("Not applicable."), edit("Not applicable."), edit("Other words here.")]
    assert match_edits(same, same) == (0, 1, 2)
    assert match_edits(same, same[1:]) == (0, 2)


def test_growth_and_small_changes_are_followed_and_strangers_are_not() -> None:
    rng = random.Random(2)
    texts = [paragraph(rng) for _ in range(20)]
    old = [edit(text) for text in texts]
    new = [edit(text + " " + paragraph(rng, 15)) for text in texts] + [edit(paragraph(rng)) for _ in range(5)]
    assert match_edits(old, new) == (*range(20), *[None] * 5)


def test_sides_count_a_deletion_is_not_an_addition() -> None:
    text = paragraph(random.Random(3))
    assert match_edits([edit(target="", source=text)], [edit(text)]) == (None,)


def test_of_the_pieces_of_an_edit_the_larger_inherits() -> None:
    rng = random.Random(4)
    first, second = paragraph(rng, 20), paragraph(rng, 60)
    assert match_edits([edit(first + " " + second)], [edit(first), edit(second)]) == (None, 0)


def test_no_old_edit_is_taken_twice() -> None:
    rng = random.Random(5)
    text = paragraph(rng)
    matches = match_edits([edit(text)], [edit(text + " a b"), edit(text + " c"), edit(text)])
    assert matches == (None, None, 0)


def test_nothing_to_match() -> None:
    assert match_edits([], []) == ()
    assert match_edits([], [edit("a b c")]) == (None,)
    assert match_edits([edit("a b c")], []) == ()
    assert match_edits([edit("")], [edit("word")]) == (None,)


def test_a_whole_book_is_matched_in_a_moment() -> None:
    rng = random.Random(6)
    texts = [paragraph(rng, 150) for _ in range(600)]
    begun = time.process_time()
    matches = match_edits([edit(text) for text in texts], [edit(text + " more words") for text in texts])
    assert matches == tuple(range(600))
    assert time.process_time() - begun < 5.0
