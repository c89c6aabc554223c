"""Tables with too little data: what no method may estimate, and what is said about them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.calibration import decisions
from engine.calibration.comparison import compare
from engine.calibration.ranking import rank_doubt, ranks
from engine.calibration.records import Reviews
from engine.calibration.registry import CALIBRATORS, calibrate
from engine.calibration.synthetic import Design, draw
from engine.errors import BadInput
from tests.benchmarks.calibration import realistic

FAST = [name for name in CALIBRATORS if name != "mixed"]


@pytest.mark.parametrize("method", FAST)
def test_a_flat_table_orders_nothing(method: str) -> None:
    found, _ = calibrate(Reviews.of([(f"p{i}", f"r{r}", 5.0, 1.0) for i in range(4) for r in range(3)]), method)
    assert np.isnan(found.score_sd).all()
    assert np.isnan(found.score).all() or np.ptp(found.score) == pytest.approx(0, abs=1e-6)
    assert any(words.startswith("All scores are the same") for words in found.warnings)


def test_disconnected_circles_are_named_and_not_compared_without_a_prior() -> None:
    rows = [(f"p{i}", f"r{r}", i + r, 1.0) for i in range(4) for r in range(2)]
    rows += [(f"q{i}", f"s{r}", i - r, 1.0) for i in range(3) for r in range(2)]
    found, parts = calibrate(Reviews.of(rows), "bias", prior_precision=0.0)
    assert parts.circles == 2 and parts.circle.tolist() == [0] * 4 + [1] * 3
    assert np.isnan(found.score[4:]).all() and np.isfinite(found.score[:4]).all()
    assert any("2 groups" in said and "only the largest is ranked" in said for said in found.warnings)
    for method in ("gam", "bayes", "normalised", "zscore"):
        tied, _ = calibrate(Reviews.of(rows), method)
        assert np.isfinite(tied.score[:4]).all() and np.isnan(tied.score[4:]).all(), "no review bears on their order"
        assert np.isnan(tied.bias[2:]).all() and np.isfinite(tied.bias[:2]).all()
        doubt = rank_doubt(tied, np.random.default_rng(0), 2)
        assert np.isnan(doubt.low[4:]).all() and np.nan_to_num(doubt.high).max() <= 4
    alike, _ = calibrate(Reviews.of(rows), "mean")
    assert np.isfinite(alike.score).all()
    assert any("Their order assumes that all referees use the scale in the same way" in s for s in alike.warnings)


def test_methods_are_compared_on_the_items_that_both_rank() -> None:
    rows = [(f"p{i}", f"r{r}", float(i + r), 1.0) for i in range(4) for r in range(2)]
    rows += [(f"q{i}", f"s{r}", 50.0 + i - r, 1.0) for i in range(3) for r in range(2)]
    reviews = Reviews.of(rows)
    (plain,) = compare(reviews, calibrate(reviews, "gam")[0], methods=["mean"])
    assert plain.mean_rank_difference == 0.0, (
        "the plain mean puts the other group first, but the four in the same order"
    )


def _one_review_each() -> Reviews:
    """24 items with a single review, four by each referee: what examination found covered by 73 to 80 %."""
    rng = np.random.default_rng(7)
    return Reviews.of([(f"p{i}", f"r{i // 4}", float(rng.integers(1, 11)), 1.0) for i in range(24)])


@pytest.mark.parametrize("method", FAST)
def test_one_review_per_item_gives_no_interval_and_adjusts_nothing(method: str) -> None:
    found, parts = calibrate(_one_review_each(), method)
    assert parts.repeats == 0 and np.isnan(found.score_sd).all()
    doubt = rank_doubt(found, np.random.default_rng(0), 5)
    assert np.isnan([doubt.low, doubt.high, doubt.above, doubt.swap]).all()
    assert "no item has two reviews" in found.warnings[0].casefold()
    if CALIBRATORS[method].uses_bias:
        assert np.isnan([*ranks(found.score), *found.bias, *found.bias_sd, *found.trust]).all()
        assert not decisions.weak_referees(_one_review_each(), found).any()
    else:
        assert np.isfinite(found.score).all() and any(
            "The order assumes that all referees use" in said for said in found.warnings
        )


@pytest.mark.parametrize("method", [method for method in CALIBRATORS if method != "mixed"])  # which refuses the table
def test_referees_who_give_everything_one_score_order_nothing(method: str) -> None:
    rows = [(f"p{i}", "ann", 7.0, 1.0) for i in range(6)] + [(f"p{i}", "ben", 4.0, 1.0) for i in range(2, 8)]
    found, parts = calibrate(Reviews.of(rows), method)
    if not CALIBRATORS[method].uses_bias:
        assert np.isfinite(found.score).all()
        return
    assert parts.repeats == 4 and np.isnan([*found.score, *found.score_sd, *found.bias]).all()
    assert any(said.startswith("Every referee gave all their items the same score") for said in found.warnings)
    apart, _ = calibrate(Reviews.of([*rows[:-1], ("p7", "ben", 5.0, 1.0)]), method)
    assert np.isfinite(apart.score).all()


def test_two_names_with_the_same_scores_and_one_referee_between_groups_are_named() -> None:
    rng = np.random.default_rng(4)
    drawn = rng.integers(1, 10, 8).tolist()
    rows = [(f"p{i}", who, float(score), 1.0) for i, score in enumerate(drawn) for who in ("ann", "ann b.")]
    rows += [(f"p{i}", "cem", float(rng.integers(1, 10)), 1.0) for i in range(8)]
    found, parts = calibrate(Reviews.of(rows))
    assert [one for one in found.warnings if "gave the same scores" in one] == [
        "ann and ann b. gave the same scores to all 8 items that both reviewed. If they are the same person, exclude "
        "one of them: they count as two independent referees."
    ]
    assert not parts.bridges
    rows[1] = ("p0", "ann b.", drawn[0] + 1.0, 1.0)
    assert not calibrate(Reviews.of(rows))[1].same
    apart = [(f"{group}{i}", f"{group}-{r}", float(rng.integers(1, 10)), 1.0)
             for group, size in (("a", 5), ("b", 3)) for i in range(size) for r in range(2)]  # fmt: skip
    joined = [("a0", "dov", 5.0, 1.0), ("b0", "dov", 6.0, 1.0)]
    found, parts = calibrate(Reviews.of([*apart, *joined]))
    assert [(parts.circles, found.warnings[0])] == [
        (1, "Only dov connects 3 items with the others, so how these compare depends on one referee.")
    ]
    assert not calibrate(Reviews.of([*apart, *joined, ("a1", "eli", 4.0, 1.0), ("b2", "eli", 4.0, 1.0)]))[1].bridges


def test_of_many_referees_with_the_same_scores_a_few_are_named() -> None:
    """Twelve referees who agree on everything are 66 pairs."""
    rows = [(f"p{i}", f"r{r}", float(i // 5), 1.0) for i in range(20) for r in range(12)]
    rows += [(f"q{i}", who, float(i // 6), 1.0) for i in range(30) for who in ("yan", "zoe")]
    found, parts = calibrate(Reviews.of(rows))
    assert len(parts.same) == 67 and parts.same[0][2] == 30, "those with most items come first"
    assert sum("gave the same scores to all" in said for said in found.warnings) == 4
    assert any(
        said == "64 other pairs of referees also gave the same scores to all items that both reviewed."
        for said in found.warnings
    )


def test_of_many_referees_who_alone_connect_items_those_with_most_are_named() -> None:
    sizes, rng = {"a": 12, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}, np.random.default_rng(6)
    rows = [
        (f"{group}{i}", f"{group}-{r}", float(rng.integers(1, 10)), 1.0)
        for group, size in sizes.items()
        for i in range(size)
        for r in range(2)
    ]
    for n, group in enumerate("bcdef"):
        rows += [(f"a{n}", f"to {group}", 5.0, 1.0), (f"{group}0", f"to {group}", 6.0, 1.0)]
    found, parts = calibrate(Reviews.of(rows))
    assert [items for _, items in parts.bridges] == [6, 5, 4, 3, 2]
    named = [said for said in found.warnings if said.startswith("Only ")]
    assert [said.partition(" with")[0] for said in named] == [
        f"Only to {group} connects {sizes[group]} items" for group in "fed"
    ]
    assert "2 other referees are also all that connects some items." in found.warnings


def test_what_cannot_be_estimated_has_no_residuals_and_no_interval() -> None:
    rows = [(f"p{i}", f"r{r}", float(i % 3 + r), 1.0) for i in range(12) for r in range(3)]
    rows += [(f"q{i}", f"s{r}", float(i % 2 + r), 1.0) for i in range(6) for r in range(2)]
    found, _ = calibrate(Reviews.of(rows))
    assert np.isfinite(found.residual[:36]).all() and np.isnan(found.residual[36:]).all()
    flat, _ = calibrate(Reviews.of([(f"p{i}", f"r{r}", 5.0, 1.0) for i in range(4) for r in range(3)]))
    assert np.isnan(flat.residual).all() and not flat.interval
    assert not calibrate(Reviews.of(rows), "normalised")[0].interval


def test_lambda_is_a_finite_number_and_is_spoken_of_only_where_it_is_used() -> None:
    reviews = draw(Design(items=24, referees=6), np.random.default_rng(8)).reviews
    for wrong in (-1.0, np.inf, np.nan):
        with pytest.raises(BadInput, match="The prior precision isn't a number of 0 or more"):
            calibrate(reviews, prior_precision=wrong)
    free, _ = calibrate(reviews, "bias", prior_precision=0.0)
    unused, _ = calibrate(reviews, "zscore", prior_precision=0.0)
    assert any(said.startswith("With lambda 0, the overall level") for said in free.warnings)
    assert not any(said.startswith("With lambda 0") for said in unused.warnings)


def test_a_refit_from_a_fit_without_figures_starts_afresh() -> None:
    nothing, _ = calibrate(_one_review_each(), "gam")
    reviews = draw(Design(items=24, referees=6), np.random.default_rng(8)).reviews
    assert calibrate(reviews, "gam", start=nothing)[0].score == pytest.approx(calibrate(reviews, "gam")[0].score)


def test_few_repeated_reviews_leave_intervals_that_rest_on_the_prior() -> None:
    rows = [(f"p{i}", f"r{i % 2}", float(3 + i % 5), 1.0) for i in range(10)]
    more = [(f"p{i}", f"r{(i + 1) % 2}", float(4 + i % 4), 1.0) for i in range(5)]
    few, parts = calibrate(Reviews.of([*rows, *more[:4]]))
    assert (
        parts.repeats == 4
        and few.rests_on_prior
        and any("the intervals depend on the prior" in said for said in few.warnings)
    )
    reviews = Reviews.of([*rows, *more[:4]])
    doubt = rank_doubt(few, np.random.default_rng(0), 3)
    assert np.isnan([*doubt.above, *doubt.swap]).all(), "nor is a chance shown that comes from the prior"
    made = decisions.decide(reviews, few, doubt, 3)
    assert not any(made.standing) and np.isnan([*made.change, *made.gain]).all(), "a prior makes nothing safe"
    enough, _ = calibrate(Reviews.of([*rows, *more]))
    assert not enough.rests_on_prior and not any(
        "the intervals depend on the prior" in said for said in enough.warnings
    )


@pytest.mark.parametrize(("items", "per_item", "regime"), [(12, 2, "noisy"), (12, 3, "clear"), (25, 2, "biased")])
def test_intervals_of_small_tables_with_rounded_scores_and_uneven_scales_cover(
    items: int, per_item: int, regime: str
) -> None:
    inside = []
    for seed in range(2000, 2000 + 900 // items):
        reviews, truth = realistic(items, per_item, np.random.default_rng(seed), regime=regime)
        found, _ = calibrate(reviews)
        inside.append(np.abs(found.score - truth) < 1.6449 * found.score_sd)
    assert 0.87 <= np.concatenate(inside).mean() <= 0.93


def test_thin_tables_are_named() -> None:
    found, parts = calibrate(Reviews.of([("p", "r", 4, 1), ("p", "s", 6, 1), ("q", "s", 5, 1)]), "gam")
    assert (parts.single_review_referees, parts.single_review_items) == (1, 1)
    said = " ".join(found.warnings)
    assert "1 referee wrote only one review" in said and "1 item has only one review" in said


def _spread_scores(quality: np.ndarray, *, flat: int = 0, top: float = 99.0) -> Reviews:
    """Reviews of each item by three of thirty referees; the first ``flat`` of them always give 6."""
    rng = np.random.default_rng(3)
    rows = [(i, (7 * i + 11 * n) % 30, value + rng.normal(0, 0.8)) for i, value in enumerate(quality) for n in range(3)]
    return Reviews.of([(f"p{i}", f"r{r:02}", 6.0 if r < flat else min(round(s), top), 1.0) for i, r, s in rows])


def test_intervals_of_tables_that_the_model_does_not_describe_are_nominal() -> None:
    plain = np.random.default_rng(5).normal(6, 1.5, 90)
    apart = np.where(plain > 6, 8.0, 4.0) + (plain - 6) / 5
    assert not calibrate(_spread_scores(plain))[0].nominal and not calibrate(_spread_scores(plain, flat=2))[0].nominal
    for reviews, why in (
        (_spread_scores(plain, flat=3), "gave all their items the same score (r00, r02, r01); without them"),
        (_spread_scores(plain, top=7.0), "of the scores are 7, the highest given"),
        (_spread_scores(apart), "The items form two groups"),
    ):
        for method in ("bayes", "ordinal"):
            found, _ = calibrate(reviews, method)
            assert found.nominal and found.interval == "nominal 90 %" and why in found.warnings[-1], found.warnings
