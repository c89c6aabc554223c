"""PageRank as the paper computes it, against an independent implementation, and its intervals."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rebuttal.preferences.pagerank import pagerank, pagerank_interval
from engine.rebuttal.preferences.ranking import canonicity, rank
from engine.rebuttal.preferences.records import Comparison


def reference(n: int, comparisons: list[Comparison]) -> np.ndarray:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    for c in comparisons:
        if c.winner is not None:
            preferred, other = (c.left, c.right) if c.winner == 0 else (c.right, c.left)
            graph.add_edge(preferred, other, weight=0.5)
    found = nx.pagerank(graph, tol=1e-12, max_iter=1000)
    return np.array([found[i] for i in range(n)])


def test_one_preference_gives_the_figures_of_the_released_data() -> None:
    ranks = pagerank(2, [Comparison(0, 1, 0)])
    assert ranks == pytest.approx([0.350877, 0.649123], abs=1e-6)
    assert pagerank(1, []) == pytest.approx([1.0])
    assert pagerank(0, []).shape == (0,)


@given(
    st.integers(2, 9).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.lists(
                st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0, 1, None])).filter(
                    lambda t: t[0] != t[1]
                ),
                max_size=30,
            ),
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_it_agrees_with_networkx(case: tuple[int, list[tuple[int, int, int | None]]]) -> None:
    n, triples = case
    comparisons = [Comparison(*t) for t in triples]  # type: ignore[arg-type]
    assert pagerank(n, comparisons) == pytest.approx(reference(n, comparisons), abs=1e-9)


def test_ties_give_no_edge_and_a_preference_given_twice_is_one_edge() -> None:
    once = [Comparison(0, 1, 0), Comparison(1, 2, 0)]
    assert pagerank(3, [*once, Comparison(2, 0, None), Comparison(1, 0, 1)]) == pytest.approx(pagerank(3, once))


def test_canonicity_is_the_share_of_others_that_an_item_is_ahead_of() -> None:
    assert canonicity([0.1, 0.3, 0.2]) == [1.0, 0.0, 0.5]
    assert canonicity([0.5, 0.5]) == [0.5, 0.5] and canonicity([]) == []
    assert canonicity([1.0]) == [1.0], "an item alone is the best, though its PageRank is the highest there is"
    chain = [Comparison(i, i + 1, 0) for i in range(5)]
    for n, judged in ((2, chain[:1]), (6, chain)):
        found = rank([f"s{i}" for i in range(n)], judged)
        assert found.rows[0].canonicity == 1.0 and found.rows[-1].canonicity == 0.0, "whatever the size of the cluster"


def test_the_interval_holds_the_rank_and_the_chances_sum_to_one() -> None:
    rng = np.random.default_rng(3)
    comparisons = [
        Comparison(i, j, 0 if rng.random() < 0.8 else 1) for _ in range(4) for i in range(6) for j in range(i + 1, 6)
    ]
    ranks = pagerank(6, comparisons)
    low, high, doubt = pagerank_interval(6, comparisons, rng)
    assert (low <= ranks + 0.02).all() and (ranks - 0.02 <= high).all()
    assert doubt.best.sum() == pytest.approx(1) and doubt.best.argmax() == ranks.argmin()
    assert doubt.low[ranks.argmin()] == 1 and (doubt.low <= doubt.high).all()
    for few in ([], [Comparison(0, 1, None)]):
        low, high, doubt = pagerank_interval(3, few, rng)
        assert (doubt.low == 1).all() and (doubt.high == 3).all() and doubt.best == pytest.approx([1 / 3] * 3)
    low, high, _ = pagerank_interval(3, [], rng)
    assert (low == 0).all() and (high == 1).all()
