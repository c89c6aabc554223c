"""Who moved, and which pieces belong together, held against the slow and obvious way of finding it."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.revision.matching import Group, Settings, changed_words, fewest_changes, match, out_of_order

PLACES = st.lists(st.integers(0, 12), min_size=0, max_size=7, unique=True)
WEIGHTS = st.lists(st.floats(0.1, 3.0), min_size=7, max_size=7)


def words(name: str, many: int) -> list[str]:
    return [f"{name}{at}" for at in range(many)]


@given(PLACES, st.permutations(range(7)), WEIGHTS)
def test_what_moved_is_off_a_heaviest_rising_run(places: list[int], order: list[int], weights: list[float]) -> None:
    sources = [at for at in order if at < len(places)]
    groups = [Group((i,), (j,), (i, j)) for i, j in zip(sources, places, strict=True)]
    weights = weights[: len(groups)]
    moved = out_of_order(groups, weights)

    def rises(chosen: tuple[int, ...]) -> bool:
        mains = sorted(groups[at].main for at in chosen)
        return all(before[1] < after[1] for before, after in pairwise(mains))

    everything = range(len(groups))
    heaviest = max(
        sum(weights[at] for at in some)
        for many in range(len(groups) + 1)
        for some in combinations(everything, many)
        if rises(some)
    )
    kept = tuple(at for at in everything if at not in moved)
    assert rises(kept) and sum(weights[at] for at in kept) == pytest.approx(heaviest)


@pytest.mark.parametrize(("pieces", "reordered"), [(2, True), (4, True), (5, False)])
def test_few_pieces_are_put_in_the_order_of_fewest_changes(pieces: int, reordered: bool) -> None:
    parts = [words(name, 6) for name in "abcde"[:pieces]]
    whole = [word for part in reversed(parts) for word in part]
    removed, added, moved = fewest_changes([whole], parts)
    assert moved is reordered and bool(removed or added) is not reordered
    removed, added, moved = fewest_changes(parts, [whole])
    assert moved is reordered and bool(removed or added) is not reordered


@pytest.mark.parametrize("split", [0, 1])
def test_a_few_words_alone_go_with_the_paragraph_beside_them(split: int) -> None:
    """The last words of a paragraph on the next page, or its first ones on the page before."""
    whole = words("a", 20)
    cut = [whole[:2], whole[2:]] if split == 0 else [whole[:18], whole[18:]]
    before, after = words("x", 20), words("y", 20)
    for source, target in (
        ([before, whole, after], [before, *cut, after]),
        ([before, *cut, after], [before, whole, after]),
    ):
        groups = match(source, target)
        assert len(groups) == 3
        assert sorted((groups[1].source, groups[1].target)) == [(1,), (1, 2)] or {
            groups[1].source,
            groups[1].target,
        } == {(1,), (1, 2)}


def test_words_that_go_nowhere_stay_alone() -> None:
    whole = words("a", 20)
    (first, last) = match([whole, words("y", 20)], [whole, words("z", 3), words("y", 20)])
    assert (first.target, last.target) == ((0,), (2,))


def test_paragraphs_that_end_elsewhere_are_one_group_unless_one_of_them_is_as_it_was() -> None:
    first, second = words("a", 30), words("b", 30)
    (joined,) = match([first, second], [first + second[:8], second[8:]])
    assert (joined.source, joined.target) == ((0, 1), (0, 1))
    apart = match(
        [first, second],
        [first, [*second[:4], *words("c", 20), *second[24:]]],
        settings=Settings(threshold=0.1, kept=0.0),
    )
    assert [group.source for group in apart] == [(0,), (1,)]


def test_of_two_equal_texts_the_one_that_stands_where_it_stood_is_the_same() -> None:
    same, others = words("a", 12), [words(name, 20) for name in "uvw"]
    for source, target, at in (
        ([same, *others, same], [*others, same], (4, 3)),
        ([same, *others, same], [same, *others], (0, 0)),
        ([same, *others], [same, *others, same], (0, 0)),
        ([*others, same], [same, *others, same], (3, 4)),
    ):
        groups = match(source, target)
        assert [g.target for g in groups if g.source == (at[0],)] == [(at[1],)]
        assert len(groups) == 4


def test_distance_and_kind_decide_between_texts_alike() -> None:
    same = words("a", 12)
    anchors = [words(name, 20) for name in "uvw"]
    changed = [*same[:9], "p", "q", "r"]
    groups = match([*anchors, same], [changed, *anchors, changed])
    assert next(group.target for group in groups if group.source == (3,)) == (4,), "the one that stands where it stood"
    groups = match([same, *anchors], [changed, *anchors, changed])
    assert next(group.target for group in groups if group.source == (0,)) == (0,)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Noether5", "Noether6", True),
        ("12,13", "14,15", True),
        ("12", "13", False),
        ("Noether5", "Hilbert5", False),
        ("12,13", "12,13,14", False),
    ],
)
def test_raised_numbers_are_no_change_where_the_paper_cites_by_them(old: str, new: str, same: bool) -> None:
    assert (changed_words(["as", old, "did"], ["as", new, "did"], raised=True) == ([], [])) is same
    assert changed_words(["as", old, "did"], ["as", new, "did"]) == ([old], [new])


@pytest.mark.parametrize(("same", "pairs"), [(7, 0), (8, 1)])
def test_paragraphs_that_share_too_little_in_order_are_no_pair(same: int, pairs: int) -> None:
    old, new = words("a", 20), [*words("A", same), *words("b", 20 - same)]
    assert len(match([old], [new])) == pairs
