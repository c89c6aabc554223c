"""Who moved, and which pieces belong together, held against the slow and obvious way of finding it."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.revision.matching import (
    Group,
    Settings,
    _add_pieces,
    _penalised,
    _regroup,
    _release,
    changed_words,
    fewest_changes,
    match,
    out_of_order,
)
from engine.revision.overlap import Overlap, Scores
from engine.revision.words import CITATION, NUMBER

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


def test_a_paragraph_parted_between_two_others_is_not_called_deleted() -> None:
    """Its end alone pairs it with a longer new paragraph, which is too little; most of it is in front of another."""
    parted, kept, new = words("a", 100), words("b", 120), words("c", 110)
    found = match([parted, kept], [[*parted[:56], *kept], [*parted[56:], *new]])
    assert [group.source for group in found] == [(0, 1)] and found[0].target[0] == 0


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
        [first, second], [first, [*second[:4], *words("c", 20), *second[24:]]], settings=Settings(threshold=0.1)
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


def test_of_two_equal_texts_the_one_at_the_same_share_of_the_paper_is_the_same() -> None:
    same, u, v, w = words("a", 12), words("u", 20), words("v", 20), words("w", 20)
    short, long = [u, same], [same, u, v, w, same]
    assert [group.main for group in match(short, long)] == [(0, 1), (1, 4)]
    assert [group.main for group in match(long, short)] == [(1, 0), (4, 1)]


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
        ("12,13", 2 * CITATION, True),
    ],
)
def test_raised_numbers_are_no_change_where_the_paper_cites_by_them(old: str, new: str, same: bool) -> None:
    assert (changed_words(["as", old, "did"], ["as", new, "did"], raised=True) == ([], [])) is same
    assert changed_words(["as", old, "did"], ["as", new, "did"]) == ([old], [new])


@pytest.mark.parametrize(
    ("new", "same"), [("Kepler Mission", True), ("KeplerMission", True), ("Kepler mission 2", False)]
)
def test_capitals_are_no_change(new: str, same: bool) -> None:
    assert (changed_words(["the", "Kepler", "mission"], ["The", *new.split()]) == ([], [])) is same


@pytest.mark.parametrize(("same", "moved"), [(7, False), (8, True)])
def test_a_rewritten_paragraph_is_the_same_one_in_place_and_elsewhere_if_it_kept_its_words(
    same: int, moved: bool
) -> None:
    old, new = words("a", 20), [*words("A", same), *words("b", 20 - same)]
    x, y, z = words("x", 20), words("y", 20), words("z", 20)
    for source, target in (([old, x], [new, y, x]), ([x, old], [x, y, new]), ([x, old, y], [x, new, z, y])):
        assert len(match(source, target)) == len(source), "beside another pair, or the first or last in both"
    assert len(match([x, old, y, z], [x, y, words("u", 9), new, words("v", 9), z])) == 3 + moved


def test_the_numbers_of_captions_do_not_make_them_the_same() -> None:
    old, new = ([*words("a", 3), *words(name, 6)] for name in "bc")
    x, y, z = words("x", 20), words("y", 20), words("z", 20)
    old, new = (["figure", NUMBER, *caption] for caption in (old, new))
    assert len(match([x, old, y, z], [x, y, words("u", 9), new, words("v", 9), z])) == 3


@pytest.mark.parametrize("seed", range(20))
def test_a_pair_loses_by_its_kinds_and_by_its_distance_from_the_nearest_sure_pairs(seed: int) -> None:
    draw = random.Random(seed)
    places = draw.sample(range(9), 9) if seed % 2 else sorted(draw.sample(range(12), 9))
    values = {(i, j): draw.uniform(0.4, 1.0) for i, j in enumerate(places) if draw.random() < 0.8}
    values |= {(draw.randrange(9), draw.randrange(12)): draw.uniform(0.0, 0.6) for _ in range(20)}
    values = {pair: values[pair] for pair in sorted(values)}
    pairs, kinds = list(values), draw.choices(["body", "caption"], k=21)
    rows, columns = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    scores = Scores(rows, columns, np.array(list(values.values())), (9, 12))
    found = _penalised(scores, kinds[:9], kinds[9:], Settings())

    lessened = {
        (i, j): value - 0.05 if kinds[i] != kinds[9 + j] and value < 0.95 else value for (i, j), value in values.items()
    }
    sure = {
        i: j
        for (i, j), value in lessened.items()
        if value >= 0.5 and value == max(other for (k, m), other in lessened.items() if i == k or j == m)
    }
    for (i, j), value, got in zip(pairs, map(lessened.__getitem__, pairs), found.values, strict=True):
        beside = {*[k for k in sure if k < i][-1:], *[k for k in sure if k >= i][:1]}
        off = min((abs(j - i - (sure[k] - k)) for k in beside), default=0)
        assert got == pytest.approx(value - 0.05 * off / (off + 10), abs=1e-12)
    plain = _penalised(scores, (), (), Settings(nearness=0.0))
    assert list(plain.values) == list(scores.values)


def test_a_paragraph_leaves_its_partner_for_a_pair_that_has_more_of_it_to_spare() -> None:
    a, b, c = words("a", 20), words("b", 20), words("c", 6)
    for flip in (1, -1):
        groups = match(*([[*a, *b], [*c, *words("x", 30)]], [a, [*b, *c]])[::flip])
        assert [(group.source, group.target)[::flip] for group in groups] == [((0,), (0, 1))]


def test_a_pair_that_is_left_takes_no_paragraph_and_one_that_gets_a_paragraph_stays() -> None:
    a, b, c, d, e, f, g = map(words, "abcdefg", (130, 120, 20, 20, 6, 260, 400))
    source = [[*a, *b], [*c, *d], e, [*f, *g]]
    target = [[*a, *f], [*b, *c], [*d, *e], g]
    # The second pair's target would go to the first pair most, the third one's to the second, the first's to the last.
    pairs = [(at, at) for at in range(4)]
    assert _release(pairs, Overlap(source, target), Settings()) == [(0, 0), (2, 2), (3, 3)]


@pytest.mark.parametrize(("more", "joined"), [(14, True), (24, False)])
def test_a_long_paragraph_is_a_piece_where_it_holds_most_of_what_is_left_over(more: int, joined: bool) -> None:
    a, b = words("a", 40), words("b", 10)
    for flip in (1, -1):
        groups = match(*([[*a, *b]], [a, [*b, *words("z", more)]])[::flip])
        assert [(group.source, group.target)[::flip] for group in groups] == [((0,), (0, 1) if joined else (0,))]


def test_pieces_bring_words_to_spare_of_their_own() -> None:
    a, b, c, d, e = map(words, "abcde", [20] * 5)
    overlap = Overlap([[*a, *b], [*c, *d], e], [a, [*b, *c], [*d, *e]])
    assert _add_pieces([Group((0,), (0,), (0, 0))], overlap, Settings()) == [Group((0, 1, 2), (0, 1, 2), (0, 0))]


@pytest.mark.parametrize("flip", [1, -1])
def test_equal_lines_of_a_book_keep_their_order(flip: int) -> None:
    line, other = ["see", "the", "note", "below"], words("a", 20)
    few, many = [other, *[line] * 1500], [*[line] * 1510, other]
    groups = match(*(few, many)[::flip])
    assert [group.main[::flip] for group in sorted(groups, key=lambda one: one.main[::flip])] == [
        (0, 1510), *((at + 1, at) for at in range(1500))
    ]  # fmt: skip


def test_a_paragraph_all_of_which_is_left_over_is_a_piece_of_any_group() -> None:
    a, b = words("a", 40), words("b", 4)
    (group,) = match([[*a, *b]], [a, b], settings=Settings(piece=1.0, regroup=0))
    assert group.target == (0, 1)


@pytest.mark.parametrize(
    ("changed", "below", "joined"), [(7, 100, True), (8, 100, False), (7, 15, True), (7, 14, False), (0, 1, True)]
)
def test_pairs_are_joined_where_that_leaves_few_changes_and_less_than_half(
    changed: int, below: int, joined: bool
) -> None:
    """Eight words went from one paragraph to the next, and in the first some more changed."""
    first, second = words("a", 30), words("b", 30)
    rewritten = [f"c{at}" if at % 3 == 0 and at < 3 * changed else word for at, word in enumerate(first)]
    groups = match([first, second], [[*rewritten, *second[:8]], second[8:]], settings=Settings(regroup=below))
    assert len(groups) == (1 if joined else 2)


@pytest.mark.parametrize(
    ("theirs", "below", "joined"), [(4, 3, True), (4, 2, False), (3, 100, False), (3, 5, False), (4, 100, True)]
)
def test_a_paragraph_alone_goes_beside_where_it_leaves_few_changes_and_most_of_it_is_met(
    theirs: int, below: int, joined: bool
) -> None:
    """Six words are missing in a paragraph; ``theirs`` of them are among the four of the one beside it."""
    whole = words("a", 30)
    alone = [*whole[24 : 24 + theirs], *words("z", 4 - theirs)]
    (group,) = match([whole], [whole[:24], alone], settings=Settings(piece=2.0, regroup=below))
    assert group.target == ((0, 1) if joined else (0,))


def test_pairs_are_not_joined_across_a_paragraph_of_another_pair() -> None:
    first, end, last, between = words("first", 20), words("end", 10), words("last", 20), words("between", 2)
    groups = [Group((0,), (0,), (0, 0)), Group((2,), (1,), (2, 1)), Group((1,), (2,), (1, 2))]
    source, target = [[*first, *end], between, last], [first, [*end, *last], between]
    assert _regroup(groups, source, target, 30) == groups
    assert len(_regroup(groups[:2], source, target, 30)) == 1, "across one of no pair"


def test_a_paragraph_between_two_that_lack_it_goes_to_one_of_them() -> None:
    a, b, both = words("a", 20), words("b", 20), ["p", "q"]
    groups = match([[*a, *both], [*both, *b]], [a, both, b], settings=Settings(piece=2.0))
    assert [group.target for group in groups] == [(0, 1), (2,)]
