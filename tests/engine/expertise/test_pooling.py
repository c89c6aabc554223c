"""Pooling a profile's similarities: each rule against its formula, block by block as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine.errors import BadInput
from engine.expertise.algorithms.pooling import SHARPNESS, Pooled, Pooling

NAMES = ("max", "mean", "acl", "top-1", "top-3", "log-sum-exp")


def by_formula(name: str, values: list[float]) -> float:
    ranked = sorted(values, reverse=True)
    if name == "max":
        return ranked[0]
    if name == "mean":
        return float(np.mean(values))
    if name == "acl":
        return sum(value / place for place, value in enumerate(ranked[:3], start=1))
    if name.startswith("top-"):
        return float(np.mean(ranked[: int(name[4:])]))
    return float(np.log(np.mean(np.exp(SHARPNESS * np.array(values)))) / SHARPNESS)


profiles = st.lists(st.lists(st.floats(-1, 1, width=32), max_size=6), min_size=1, max_size=5)


@given(profiles=profiles, name=st.sampled_from(NAMES))
@settings(deadline=None, max_examples=150)
def test_the_block_is_the_formula(profiles: list[list[float]], name: str) -> None:
    pooling = Pooling(name)
    ordered = sorted(profiles, key=lambda profile: -len(profile))
    accumulator = Pooled(pooling, len(ordered), 1)
    for slot in range(len(ordered[0])):
        accumulator.add(np.array([[p[slot]] for p in ordered if slot < len(p)], dtype=np.float32))
    for profile, pooled in zip(ordered, accumulator.result()[:, 0], strict=True):
        if profile:
            assert pooled == pytest.approx(by_formula(name, profile), abs=2e-5)
            assert pooling.one(np.array(profile, dtype=np.float32)) == pytest.approx(float(pooled), abs=1e-6)
        else:
            assert np.isnan(pooled)


values = hnp.arrays(np.float32, st.integers(1, 6), elements=st.floats(-1, 1, width=32))


@given(values=values, name=st.sampled_from(NAMES))
@settings(deadline=None, max_examples=150)
def test_shares_sum_to_one_and_follow_the_rank(values: np.ndarray, name: str) -> None:
    shares = Pooling(name).shares(values)
    assert shares.sum() == pytest.approx(1.0) and (shares >= 0).all()
    assert shares[np.argmax(values)] == pytest.approx(shares.max())


def test_names_are_read_back() -> None:
    assert [str(Pooling(name)) for name in NAMES] == list(NAMES)


@pytest.mark.parametrize("wrong", ["", "best", "top-0", "top-x", "log-sum-exp:x", "max:1"])
def test_other_names_are_refused_with_the_choice(wrong: str) -> None:
    with pytest.raises(BadInput, match="top-3"):
        Pooling(wrong)
