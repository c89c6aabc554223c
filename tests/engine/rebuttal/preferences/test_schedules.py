"""What comes next: every pair once, repetitions with swapped sides, dealt pairs, and the adaptive schedule in use."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rebuttal.preferences.records import Answer, Judgement, Plan
from engine.rebuttal.preferences.scheduler import GAP, Queue, Step

NAMES = ("Ada", "Ben", "Eva")


def work(queue: Queue, answers: list[Answer], *, limit: int = 500) -> tuple[list[Judgement], Step]:
    """Judges to the end, with the answers over and over."""
    own: list[Judgement] = []
    step = queue.next_step(own)
    while step.pair is not None and len(own) < limit:
        pair = step.pair
        own.append(
            Judgement(
                str(len(own)), pair.left_id, pair.right_id, answers[len(own) % len(answers)], "ada", 1, pair.repeat
            )
        )
        step = queue.next_step(own)
    return own, step


def test_every_pair_comes_once_and_repetitions_have_swapped_sides() -> None:
    queue = Queue("c", [f"k{n}" for n in range(7)], Plan(repeats=0.3), "Ada")
    own, step = work(queue, ["left", "right", "tie"])
    first = [j for j in own if not j.repeat]
    again = [j for j in own if j.repeat]
    assert sorted(j.pair for j in first) == sorted(combinations([f"k{n}" for n in range(7)], 2))
    assert again and step.judged == step.total == len(own) == 21 + len(again)
    for judgement in again:
        earlier = next(j for j in first if j.pair == judgement.pair)
        assert (earlier.left_id, earlier.right_id) == (judgement.right_id, judgement.left_id)
    gaps = [own.index(j) - next(i for i, f in enumerate(own) if f.pair == j.pair) for j in again]
    assert sum(gap >= GAP for gap in gaps) >= len(gaps) / 2, "but for those that are due at the end"
    assert work(Queue("c", [f"k{n}" for n in range(7)], Plan(repeats=0), "Ada"), ["left"])[0][-1].repeat is False


def test_sides_are_drawn_and_about_even() -> None:
    queue = Queue("c", [f"k{n:02}" for n in range(30)], Plan(repeats=0), "Ada")
    left_first = sum(queue.with_sides(pair).left_id == pair[0] for pair in queue.pairs)
    assert 0.42 < left_first / len(queue.pairs) < 0.58
    assert queue.pairs != Queue("c", [f"k{n:02}" for n in range(30)], Plan(repeats=0), "Ben").pairs


@given(st.lists(st.sampled_from(["left", "right", "tie", "unsuitable", "skip"]), max_size=40), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_the_same_state_always_gives_the_same_pair(answers: list[Answer], n: int) -> None:
    for schedule in ("exhaustive", "adaptive"):
        queue = Queue("c", [f"k{k}" for k in range(n)], Plan(schedule, repeats=0.2), "Ada")  # type: ignore[arg-type]
        own, step = work(queue, answers or ["left"], limit=len(answers) or 3)
        for upto in range(len(own)):
            pair = queue.next_step(own[:upto]).pair
            assert pair is not None and (pair.left_id, pair.right_id) == (own[upto].left_id, own[upto].right_id)
        assert queue.next_step(own) == step


def test_skipped_pairs_come_once_more_at_the_end() -> None:
    queue = Queue("c", ["a", "b", "d"], Plan(repeats=0), "Ada")
    own, step = work(queue, ["skip"])
    assert len(own) == 6 and step.judged == 0 and [j.pair for j in own[:3]] == [j.pair for j in own[3:]]
    own, step = work(queue, ["left", "skip", "left", "tie"])
    assert len(own) == 4 and step.judged == 3


def test_pairs_are_dealt_but_for_the_overlap() -> None:
    keys = [f"k{n:02}" for n in range(16)]
    plan = Plan(overlap=0.25, team=NAMES)
    shares = [set(Queue("c", keys, plan, name).pairs) for name in NAMES]
    everybody = set.intersection(*shares)
    assert set.union(*shares) == set(combinations(keys, 2))
    assert 0.12 < len(everybody) / 120 < 0.4
    for one, two in combinations(shares, 2):
        assert one & two == everybody
    assert len(Queue("c", keys, plan, "Somebody else").pairs) == 120
    assert len(Queue("c", keys, Plan(overlap=0.25, team=("Ada",)), "Ada").pairs) == 120


def test_the_adaptive_schedule_ends_early_and_names_the_winner() -> None:
    keys = [f"k{n:02}" for n in range(10)]
    queue = Queue("c", keys, Plan("adaptive", repeats=0.1), "Ada")
    own: list[Judgement] = []
    step = queue.next_step(own)
    while step.pair is not None:
        answer: Answer = "left" if step.pair.left_id < step.pair.right_id else "right"
        own.append(Judgement(str(len(own)), step.pair.left_id, step.pair.right_id, answer, "a", 1, step.pair.repeat))
        step = queue.next_step(own)
    assert step.winner == "k00" and step.confidence is not None and step.confidence >= 0.9
    assert len({j.pair for j in own}) <= 0.5 * 45


def test_what_is_unsuitable_is_not_asked_again_on_the_adaptive_schedule() -> None:
    queue = Queue("c", ["a", "b", "d", "e"], Plan("adaptive", repeats=0), "Ada")
    first = queue.next_step([]).pair
    assert first is not None
    gone = {first.left_id, first.right_id}
    second = queue.next_step([Judgement("1", first.left_id, first.right_id, "unsuitable", "a")]).pair
    assert second is not None and not gone & {second.left_id, second.right_id}


@pytest.mark.parametrize("schedule", ["exhaustive", "adaptive"])
def test_nothing_to_compare(schedule: str) -> None:
    for keys in ([], ["a"]):
        step = Queue("c", keys, Plan(schedule), "Ada").next_step([])  # type: ignore[arg-type]
        assert step.pair is None and step.judged == 0
