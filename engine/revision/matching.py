"""Matches paragraphs of a revised text to those of the source.

After ARIES, appendix A (bigram overlap, a term that prefers staying near the previous match, a threshold, merging of
paragraphs that the parser split), with changes from measurements on real revisions: rare bigrams weigh more, one global
assignment replaces greedy steps, and the pieces of a split or merged paragraph are found by the bigrams that the first
partner leaves over. The functions see paragraphs as sequences of counted words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq

from engine.revision.overlap import Overlap, Scores, Words, assign, best
from engine.revision.words import CITATION, NUMBER

_PIECES_PERMUTED = 4
_RUN = 8
"""Most neighbouring groups that may differ only in where their paragraphs end."""
_SIDES = attrgetter("source"), attrgetter("target")
_TIE = 1e-6
_RAISED = re.compile(r"(?<=[^\W\d_]{3})\d{1,3}(?:,\d{1,3})*$|^\d{1,3}(?:,\d{1,3})+$")


@dataclass(frozen=True, slots=True)
class Settings:
    """Thresholds of the matcher, all in [0, 1] except ``reach`` and ``regroup``.

    Each lies inside a plateau: on three open manuscripts F1 stays within 0.01 of its value here for thresholds of 0.11
    to 0.15, pieces of 0.3 to 0.4, and any tried value of the others. Chosen on two manuscripts, each value gave at
    least 0.98 on the third, from paragraphs and from PDFs (``tests/benchmarks/edit_quality.py --choose``).
    """

    threshold: float = 0.13
    """Minimum score of a pair: weighted bigram Dice, plus the bonus, minus the penalties below."""
    containment: float = 0.3
    """Bonus for each unit by which the shorter paragraph's coverage exceeds one half."""
    nearness: float = 0.05
    """Maximum penalty of a pair for being far from where its neighbours went."""
    reach: float = 10.0
    """Distance, in paragraphs, from the expected place at which half of ``nearness`` is lost."""
    other_kind: float = 0.05
    """Penalty of a pair of different kinds (a caption parsed as body in one version)."""
    anchor: float = 0.5
    """Minimum score for a mutually best pair to determine where its neighbours' partners are expected."""
    piece: float = 0.4
    """Minimum coverage of a further piece by the bigrams that the first partner leaves over."""
    better_piece: float = 0.2
    """A paragraph leaves its partner for another pair if that pair's leftover contains so much more of it."""
    kept: float = 0.4
    """Minimum share of words, in order, for a paragraph to count as the same wherever it is."""
    regroup: int = 10
    """Two neighbouring pairs are joined if together fewer words changed than this, and less than half as many."""


@dataclass(frozen=True, slots=True)
class Group:
    """Source and target paragraphs that correspond, as ascending positions in their sequences. ``main`` is the pair
    that the group started from."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    main: tuple[int, int]


def match(
    source: Sequence[Words],
    target: Sequence[Words],
    source_kinds: Sequence[str] = (),
    target_kinds: Sequence[str] = (),
    settings: Settings | None = None,
) -> tuple[Group, ...]:
    """Returns the groups of corresponding paragraphs; each paragraph is in at most one group.

    ``source`` and ``target`` are the paragraphs' counted words in document order; the kinds, if given, are any labels
    to compare. Paragraphs in no group were deleted or added. Groups are in the order of their main targets.
    """
    settings = settings or Settings()
    if not source:
        return ()
    overlap = Overlap(source, target)
    scores = _penalised(overlap.scores(settings.containment), source_kinds, target_kinds, settings)
    pairs = _release(assign(scores, settings.threshold), overlap, settings)
    pairs += _twins(source, target, overlap)
    groups = _add_pieces([Group((i,), (j,), (i, j)) for i, j in pairs], overlap, settings)
    groups = _adjoin(groups, source, target, settings.regroup)
    groups = _regroup(groups, source, target, settings.regroup)
    # A paragraph that shares too little with its partner may be a piece of another group.
    groups = _add_pieces(list(_same(groups, source, target, settings.kept)), overlap, settings)
    groups = _adjoin(groups, source, target, settings.regroup)
    groups = _regroup(groups, source, target, settings.regroup)
    return tuple(sorted(groups, key=lambda group: group.main[1]))


def out_of_order(groups: Sequence[Group], weights: Sequence[float]) -> frozenset[int]:
    """Returns which groups (by position) moved: those not on the heaviest run of groups that ascends on both sides.
    ``weights`` are positive, one per group. O(n log n)."""
    size = max((group.main[1] for group in groups), default=0) + 2
    # A Fenwick tree over the targets: the heaviest run up to each, as (weight, (last group, run before it)).
    nothing: tuple[float, Any] = (0.0, None)
    heaviest, most = [nothing] * size, nothing
    for at in sorted(range(len(groups)), key=lambda at: groups[at].main[0]):
        weight, run = nothing
        index = groups[at].main[1]
        while index:
            weight, run = max((weight, run), heaviest[index], key=itemgetter(0))
            index &= index - 1
        found = weight + weights[at], (at, run)
        index = groups[at].main[1] + 1
        while index < size:
            heaviest[index] = max(heaviest[index], found, key=itemgetter(0))
            index += index & -index
        most = max(most, found, key=itemgetter(0))
    moved, run = set(range(len(groups))), most[1]
    while run:
        at, run = run
        moved.discard(at)
    return frozenset(moved)


def changed_words(source: Words, target: Words, *, raised: bool = False) -> tuple[list[str], list[str]]:
    """Returns the words removed and added between two texts, by their longest common subsequence.

    Runs that differ only in capitals or word boundaries ("data", "set" and "Dataset") don't count as changes; nor do,
    in a paper that cites by ``raised`` numbers, those that differ only in these numbers ("Noether5" and "Noether6").
    """
    removed: list[str] = []
    added: list[str] = []
    old: list[str] = []
    new: list[str] = []
    sides = [[word.lower() for word in side] for side in (source, target)]
    for run in [*LCSseq.opcodes(*sides), None]:
        if run is not None and run.tag != "equal":
            old.extend(source[run.src_start : run.src_end])
            new.extend(target[run.dest_start : run.dest_end])
            continue
        if (
            (old or new)
            and "".join(old).lower() != "".join(new).lower()
            and not (raised and list(map(_cited, old)) == list(map(_cited, new)))
        ):
            removed += old
            added += new
        old, new = [], []
    return removed, added


def _cited(word: str) -> str:
    """Replaces each superscript number after a word by a citation; a number alone isn't changed."""
    return _RAISED.sub(lambda numbers: re.sub(r"\d+,?", CITATION, numbers[0]), word)


def fewest_changes(
    source: Sequence[Words], target: Sequence[Words], *, raised: bool = False
) -> tuple[list[str], list[str], bool]:
    """Returns the words removed and added between the pieces of a group, and whether the pieces changed their order.

    Pieces are put in the order with the fewest changes; groups of many pieces stay in document order.
    """
    few, many = sorted((source, target), key=len)
    fixed = [word for piece in few for word in piece]
    orders = permutations(many) if len(many) <= _PIECES_PERMUTED else iter([tuple(many)])
    found = []
    for at, order in enumerate(orders):
        shuffled = [word for piece in order for word in piece]
        removed, added = changed_words(*((fixed, shuffled) if many is target else (shuffled, fixed)), raised=raised)
        found.append((len(removed) + len(added), at, removed, added))
    _, at, removed, added = min(found, key=itemgetter(0))  # the first of equals
    return removed, added, at > 0


def _penalised(scores: Scores, source_kinds: Sequence[str], target_kinds: Sequence[str], settings: Settings) -> Scores:
    """Returns the scores minus the penalties for different kinds, and for distance from where the nearest anchors
    went."""
    values = scores.values
    if source_kinds:
        differ = np.asarray(source_kinds)[scores.rows] != np.asarray(target_kinds)[scores.columns]
        values = values - settings.other_kind * (differ & (values < 1.0 - settings.other_kind))
    # Of identical texts, the one at the same place is the anchor.
    elsewhere = np.abs(scores.rows / scores.shape[0] - scores.columns / scores.shape[1])
    by_row = best(scores.rows, values - _TIE * elsewhere, scores.shape[0])
    by_column = best(scores.columns, values - _TIE * elsewhere, scores.shape[1])
    every = np.arange(len(values))
    mutual = (by_row[scores.rows] == every) & (by_column[scores.columns] == every)
    anchors = np.flatnonzero(mutual & (values >= settings.anchor))
    if len(anchors):
        anchored, goal = scores.rows[anchors], scores.columns[anchors]
        following = np.searchsorted(anchored, scores.rows)
        distance = np.full(len(values), np.inf)
        for step in (-1, 0):
            neighbour = np.clip(following + step, 0, len(anchored) - 1)
            expected = goal[neighbour] + scores.rows - anchored[neighbour]
            distance = np.minimum(distance, np.abs(scores.columns - expected))
        values = values - settings.nearness * distance / (distance + settings.reach)
    return Scores(scores.rows, scores.columns, values, scores.shape)


def _twins(source: Sequence[Words], target: Sequence[Words], overlap: Overlap) -> list[tuple[int, int]]:
    """Returns equal paragraphs, in order, among those without any bigrams used by the overlap."""
    waiting: dict[tuple[str, ...], list[int]] = {}
    for j, mass in enumerate(overlap.mass(overlap.side(1))):
        if mass == 0.0:
            waiting.setdefault(tuple(target[j]), []).append(j)
    pairs: list[tuple[int, int]] = []
    for queue in waiting.values():
        queue.reverse()
    for i, mass in enumerate(overlap.mass(overlap.side(0))):
        if mass == 0.0 and (queue := waiting.get(tuple(source[i]), [])):
            pairs.append((i, queue.pop()))
    return pairs


def _release(pairs: Sequence[tuple[int, int]], overlap: Overlap, settings: Settings) -> list[tuple[int, int]]:
    """Dissolves pairs of which one side fits better as a further piece of another pair, split off by the parser."""
    if not pairs:
        return []
    wishes: list[tuple[float, int, int]] = []  # how much better (negative), which pair, and the pair to join
    for side in (1, 0):
        near = overlap.side(side)[[pair[side] for pair in pairs]]
        far = overlap.side(1 - side)[[pair[1 - side] for pair in pairs]]
        elsewhere = overlap.shared(near, far - far.multiply(near))
        own, held = (overlap.mass(table)[elsewhere.rows] for table in (near, near.multiply(far)))
        better = (elsewhere.values - held) / own
        tops = _tops(elsewhere.rows, better, len(pairs), settings.better_piece)
        wishes.extend((-float(better[top]), at, int(elsewhere.columns[top])) for at, top in tops)
    dissolved: set[int] = set()
    hosts: set[int] = set()
    for _, at, host in sorted(wishes):
        if at not in hosts and host not in dissolved:
            dissolved.add(at)
            hosts.add(host)
    return [pair for at, pair in enumerate(pairs) if at not in dissolved]


def _add_pieces(groups: Sequence[Group], overlap: Overlap, settings: Settings) -> list[Group]:
    """Adds paragraphs without a partner to a group with leftover words that match.

    A free target is added to a group whose sources contain its bigrams in addition to those of the group's targets, and
    vice versa for a free source. Repeated, since a new piece brings its own leftover words.
    """
    members = [(list(group.source), list(group.target)) for group in groups]
    changed = bool(groups)
    while changed:
        changed = False
        for side in (1, 0):
            taken = {at for group in members for at in group[side]}
            free = [at for at in range(overlap.side(side).shape[0]) if at not in taken]
            if not free:
                continue
            near = overlap.union(side, [group[side] for group in members])
            far = overlap.union(1 - side, [group[1 - side] for group in members])
            for row, group in _pieces(overlap, overlap.side(side)[free], far - far.multiply(near), settings.piece):
                members[group][side].append(free[row])
                changed = True
    return [
        Group(tuple(sorted(sources)), tuple(sorted(targets)), group.main)
        for group, (sources, targets) in zip(groups, members, strict=True)
    ]


def _pieces(overlap: Overlap, free: Any, left_over: Any, least: float) -> list[tuple[int, int]]:
    """Returns which group (row of ``left_over``) each free paragraph (row of ``free``) is a further piece of, if
    any."""
    shared = overlap.shared(free, left_over)
    own, spare = overlap.mass(free)[shared.rows], overlap.mass(left_over)[shared.columns]
    score = np.maximum(shared.values / own, 2.0 * shared.values / (own + spare))
    return [(row, int(shared.columns[top])) for row, top in _tops(shared.rows, score, shared.shape[0], least)]


def _tops(at: Any, values: Any, size: int, least: float) -> list[tuple[int, int]]:
    """Returns the rows whose highest value reaches ``least``, with its position."""
    return [(row, top) for row, top in enumerate(best(at, values, size)) if top >= 0 and values[top] >= least]


def _regroup(groups: Sequence[Group], source: Sequence[Words], target: Sequence[Words], below: int) -> list[Group]:
    """Joins neighbouring groups, with the free paragraphs between them, that differ only in where the paragraphs end:
    "A B | C" and "A | B C"."""
    ordered = sorted(groups, key=lambda group: group.target)
    changes = [_changes(group, source, target) for group in ordered]
    owners = [{at: n for n, group in enumerate(ordered) for at in side(group)} for side in _SIDES]
    result: list[Group] = []
    at = 0
    while at < len(ordered):
        group, end, apart, least = ordered[at], at + 1, changes[at], below
        for last in range(at + 1, min(at + _RUN, len(ordered)) if changes[at] else 0):
            spans = [_span([side(one) for one in ordered[at : last + 1]]) for side in _SIDES]
            among = {owner.get(i) for owner, span in zip(owners, spans, strict=True) for i in span} - {None}
            if not changes[last] or among != set(range(at, last + 1)):
                break
            free = sum(
                len(text[i])
                for owner, span, text in zip(owners, spans, (source, target), strict=True)
                for i in span
                if i not in owner
            )
            apart += changes[last]
            joined = Group(spans[0], spans[1], ordered[at].main)
            together = _changes(joined, source, target)
            if together < least and 2 * together < apart + free:
                group, end, least = joined, last + 1, together
        result.append(group)
        at = end
    return result


def _span(members: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(range(min(map(min, members)), max(map(max, members)) + 1))


def _adjoin(groups: Sequence[Group], source: Sequence[Words], target: Sequence[Words], below: int) -> list[Group]:
    """Adds a free paragraph to the adjacent group if that leaves few changes and most of its words match.

    Handles the last words of a paragraph on the next page, which are too few for bigrams.
    """
    free = (
        set(range(len(source))) - {i for group in groups for i in group.source},
        set(range(len(target))) - {j for group in groups for j in group.target},
    )
    result: list[Group] = []
    for start in groups:
        group = start
        for side in (0, 1):
            texts = (source, target)[side]
            for at in ((group.source, group.target)[side][0] - 1, (group.source, group.target)[side][-1] + 1):
                if at not in free[side] or not (before := _changes(group, source, target)):
                    continue
                sides = [group.source, group.target]
                sides[side] = tuple(sorted((*sides[side], at)))
                joined = Group(sides[0], sides[1], group.main)
                after = _changes(joined, source, target)
                if after < below and before - after > 0.5 * len(texts[at]):
                    group = joined
                    free[side].discard(at)
        result.append(group)
    return result


def _same(groups: Sequence[Group], source: Sequence[Words], target: Sequence[Words], kept: float) -> Iterator[Group]:
    """Yields the groups that share ``kept`` of their words, and others that are next to one of these in both
    versions."""
    sure = {(-1, -1), (len(source), len(target))}
    rest = []
    for group in groups:
        old, new = (
            [word.lower() for word in side[2 * (side[1:2] == [NUMBER]) :]] for side in _words(group, source, target)
        )
        if 2.0 * LCSseq.similarity(old, new) >= kept * (len(old) + len(new)):
            sure.update(product(group.source, group.target))
            yield group
        else:
            rest.append(group)
    for group in rest:
        if sure & {(group.source[0] - 1, group.target[0] - 1), (group.source[-1] + 1, group.target[-1] + 1)}:
            yield group


def _words(group: Group, source: Sequence[Words], target: Sequence[Words]) -> tuple[list[str], list[str]]:
    return [word for i in group.source for word in source[i]], [word for j in group.target for word in target[j]]


def _changes(group: Group, source: Sequence[Words], target: Sequence[Words]) -> int:
    removed, added = changed_words(*_words(group, source, target))
    return len(removed) + len(added)
