"""Profiles: the most recent usable papers, chance among equal years, the data's own draws first."""

from __future__ import annotations

from collections import Counter

import numpy as np

from engine.expertise.experiments import draw_profiles, draws, has_abstract
from engine.expertise.laboratory import without_profile
from engine.expertise.records import GoldStandard, PaperText, Participant

YEARS = {"old": 2001, "mid1": 2010, "mid2": 2010, "mid3": 2010, "new": 2020}
PAPERS = {key: PaperText(key, key, "abstract", year=year) for key, year in YEARS.items()}
PAPERS["no abstract"] = PaperText("no abstract", "title", year=2022)
PAPERS["no year"] = PaperText("no year", "title", "abstract")
GOLD = GoldStandard(
    (Participant("a", papers=("no abstract", "old", "mid1", "new", "mid2", "mid3", "new", "unknown", "no year")),
     Participant("b", papers=("no year",)), Participant("c", papers=("unknown",))),
    (), PAPERS, {},
)  # fmt: skip


def test_the_most_recent_come_first_and_chance_decides_among_equals() -> None:
    seen = Counter(draw_profiles(GOLD, 2, np.random.default_rng(seed))["a"] for seed in range(60))
    assert set(seen) == {("new", "mid1"), ("new", "mid2"), ("new", "mid3")} and min(seen.values()) > 8
    assert draw_profiles(GOLD, 20, np.random.default_rng(0))["a"][-1] == "old"
    assert len(draw_profiles(GOLD, 20, np.random.default_rng(0))["a"]) == 5
    assert draw_profiles(GOLD, 20, np.random.default_rng(0), has_abstract)["b"] == ()


def test_titles_count_for_those_who_have_nothing_else() -> None:
    drawn = draw_profiles(GOLD, 20, np.random.default_rng(0))
    assert (drawn["b"], drawn["c"], without_profile(GOLD)) == (("no year",), (), (1, 1))


def test_equal_seeds_draw_equally_and_draws_differ() -> None:
    assert draws(GOLD, 3, seed=1) == draws(GOLD, 3, seed=1)
    assert list(draws(GOLD, 3)) == [f"d_3_{number}" for number in range(1, 11)]
    assert len({profiles["a"] for profiles in draws(GOLD, 3).values()}) > 1


def test_what_is_usable_can_be_told() -> None:
    found = draw_profiles(GOLD, 20, np.random.default_rng(0), lambda paper: bool(paper.title))
    assert found["a"][0] == "no abstract" and found["b"] == ("no year",)


def test_the_datas_own_draws_are_taken_and_cut() -> None:
    own = GoldStandard(GOLD.participants, (), PAPERS, {"d_20_1": {"a": ("new", "mid1", "old")}, "d_20_2": {"a": ()}})
    assert draws(own) == own.draws
    assert draws(own, 2)["d_20_1"] == {"a": ("new", "mid1")}
    assert list(draws(own, 2, count=1)) == ["d_20_1"]
    assert draws(own, 30)["d_30_1"]["a"][0] == "new"
