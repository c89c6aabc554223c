"""All calibrators of the registry: invariances, refusals, intervals, and the claims on the synthetic design."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.calibration import bayes, decisions, peers
from engine.calibration.ranking import rank_difference, rank_doubt, ranks
from engine.calibration.records import Pins, Reviews
from engine.calibration.registry import CALIBRATORS, calibrate
from engine.calibration.synthetic import Break, Design, assign, draw
from engine.errors import BadInput, Cancelled
from engine.research.calibration import FITS, table_one

ADJUSTING = ["gam", "bias", "bayes"]


def _reviews(seed: int = 0, **design: int) -> Reviews:
    return draw(Design(**{"items": 30, "referees": 10, **design}), np.random.default_rng(seed)).reviews


@pytest.mark.parametrize("method", CALIBRATORS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1000))
@example(883)
def test_relabelling_changes_nothing(method: str, seed: int) -> None:
    reviews = _reviews(seed)
    rng = np.random.default_rng(seed + 1)
    rows, items, referees = rng.permutation(len(reviews)), rng.permutation(30), rng.permutation(10)
    names = tuple(reviews.items[i] for i in np.argsort(items))
    moved = Reviews(
        items[reviews.item][rows],
        referees[reviews.referee][rows],
        reviews.score[rows],
        reviews.confidence[rows],
        names,
        tuple(reviews.referees[r] for r in np.argsort(referees)),
    )
    before, after = calibrate(reviews, method)[0], calibrate(moved, method)[0]
    assert after.score[items] == pytest.approx(before.score, abs=1e-3)
    assert after.bias[referees] == pytest.approx(before.bias, abs=1e-3, nan_ok=True), (
        "of a referee without reviews none"
    )


@pytest.mark.parametrize("method", ADJUSTING)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000), shift=st.floats(-3, 3))
def test_shifting_all_scores_shifts_all_items(method: str, seed: int, shift: float) -> None:
    reviews = _reviews(seed)
    before = calibrate(reviews, method, prior_precision=8.0)[0]
    after = calibrate(replace(reviews, score=reviews.score + shift), method, prior_precision=8.0)[0]
    assert after.score - shift == pytest.approx(before.score, abs=5e-3)
    assert after.bias == pytest.approx(before.bias, abs=5e-3, nan_ok=True)  # none of who reviewed nothing


@pytest.mark.parametrize("method", ["gam", "bias"])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), shift=st.floats(-3, 3))
def test_shifting_one_referees_scores_moves_only_the_bias(method: str, seed: int, shift: float) -> None:
    """Without a prior the bias takes the shift up; the level of all scores is a convention, so it is compared after."""
    reviews = _reviews(seed, items=12, referees=6)
    moved = replace(reviews, score=reviews.score + np.where(reviews.referee == 2, shift, 0.0))
    before = calibrate(reviews, method, prior_precision=0.0)[0]
    # From where the first fit ended: the likelihood has several maxima.
    start = replace(before, bias=before.bias + np.where(np.arange(6) == 2, shift, 0.0))
    after = calibrate(moved, method, prior_precision=0.0, start=start)[0]
    level = shift / 6
    assert after.score == pytest.approx(before.score + level, abs=2e-3)
    moved_bias = after.bias - before.bias + level
    assert moved_bias == pytest.approx(np.where(np.arange(6) == 2, shift, 0.0), abs=2e-3)


def test_a_strong_shift_is_recognised_as_bias_by_the_improved_model() -> None:
    reviews = _reviews(1)
    moved = replace(reviews, score=reviews.score + np.where(reviews.referee == 4, 2.0, 0.0))
    before, after = calibrate(reviews)[0], calibrate(moved)[0]
    assert after.bias[4] - before.bias[4] > 1.5
    others = np.arange(10) != 4
    assert np.abs(after.bias - before.bias)[others].max() < 0.5


def test_one_prior_precision_estimates_the_other_shrinks() -> None:
    reviews = _reviews(2)
    free, tight = calibrate(reviews)[0], calibrate(reviews, prior_precision=1e4)[0]
    assert np.abs(tight.bias).max() < 0.02 < np.abs(free.bias).max()
    assert free.parameters["prior_precision"] < 100


def test_units_do_not_matter_to_the_improved_model() -> None:
    """Ten times the score with the same confidences: k takes the unit up."""
    reviews = _reviews(3, items=200, referees=60)
    small, large = calibrate(reviews)[0], calibrate(replace(reviews, score=10 * reviews.score))[0]
    assert ranks(large.score) == pytest.approx(ranks(small.score), abs=25)
    assert np.corrcoef(large.score, small.score)[0, 1] > 0.995
    assert large.parameters["confidence_scale"] > 10


@pytest.mark.parametrize(
    ("method", "precision", "words"),
    [("magic", None, "no calibration method"), ("gam", -1.0, "0 or more"), ("bayes", 0.0, "needs a bias prior")],
)
def test_bad_calls_are_refused(method: str, precision: float | None, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        calibrate(_reviews(), method, prior_precision=precision)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(BadInput, match="no review"):
        calibrate(Reviews.of([]))


def test_confidences_must_be_positive() -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        Reviews.of([("p", "r", 1, 0.0)])


@pytest.mark.parametrize("method", ["gam", "bayes"])
def test_a_fit_can_be_stopped(method: str) -> None:
    calls = iter([None, None])

    def check() -> None:
        if next(calls, "stop") == "stop":
            raise Cancelled

    with pytest.raises(Cancelled):
        calibrate(_reviews(), method, check=check)


@pytest.mark.parametrize("method", ["gam", "bias", "bayes"])
def test_pins_hold(method: str) -> None:
    reviews = _reviews(4)
    pins = Pins.none(reviews)
    pins.bias[3], pins.noise[5], pins.score[7] = 0.8, 2.0, 1.5
    found, _ = calibrate(reviews, method, pins=pins)
    assert found.bias[3] == pytest.approx(0.8)
    assert found.score[7] == pytest.approx(1.5, abs=1e-6)
    if method != "bias":
        assert found.noise[5] == pytest.approx(2.0)


def test_a_warm_start_ends_where_a_cold_one_does_in_fewer_sweeps() -> None:
    reviews = _reviews(5, items=300, referees=100)
    first = bayes.calibrate(reviews)
    changed = replace(reviews, score=np.where(np.arange(len(reviews)) == 10, 3.0, reviews.score))
    cold, warm = bayes.calibrate(changed), bayes.calibrate(changed, start=first)
    assert len(warm.trace) < len(cold.trace) / 2
    assert warm.score == pytest.approx(cold.score, abs=0.02)


def test_the_mixed_model_finds_the_variances_of_a_balanced_table() -> None:
    """On a complete two-way table REML is the analysis of variance."""
    rng = np.random.default_rng(6)
    score = rng.normal(size=(12, 1)) + 0.7 * rng.normal(size=(1, 6)) + 0.5 * rng.normal(size=(12, 6))
    reviews = Reviews.of([(f"p{i}", f"r{r}", score[i, r], 1.0) for i in range(12) for r in range(6)])
    by_item, by_referee = score.mean(1), score.mean(0)
    rest = score - by_item[:, None] - by_referee + score.mean()
    error = (rest**2).sum() / (11 * 5)
    expected = (score.mean(), by_item.var(ddof=1) - error / 6, by_referee.var(ddof=1) - error / 12, error)
    assert peers.mixed_variances(reviews) == pytest.approx(expected, rel=2e-2)


@pytest.mark.parametrize(
    ("score", "circles", "apart"),
    [
        (lambda i, r: i + r, "a", 1.0),
        (lambda i, r: i + r, "ab", 1.0),
        (lambda _i, r: r, "a", 0.0),
        (lambda i, _r: i, "a", 1.0),
        (lambda _i, _r: 5, "a", 0.0),
        (lambda i, r: 1e9 * (i + r), "a", 1e9),
    ],
    ids=["exact", "exact in circles", "referees alone", "items alone", "all alike", "exact and large"],
)
def test_the_mixed_model_solves_tables_without_noise_or_says_that_it_cannot(
    score: Callable[[int, int], float], circles: str, apart: float
) -> None:
    """Which of both depends on how a processor rounds."""
    rows = [(f"{c}{i}", f"{c}r{r}", float(score(i, r)), 1.0) for c in circles for i in range(4) for r in range(3)]
    try:
        found = calibrate(Reviews.of(rows), "mixed")[0].score
    except BadInput as error:
        assert "found no variances" in str(error)
    else:
        assert found[:4] - found[0] == pytest.approx(apart * np.arange(4), abs=1e-4 * max(apart, 1.0))


@pytest.mark.parametrize("referees", [["Ann"], ["Ann", "Bob"]])
@pytest.mark.filterwarnings("error")
def test_the_mixed_model_says_that_it_cannot_solve_one_item(referees: list[str]) -> None:
    with pytest.raises(BadInput, match="found no variances"):
        calibrate(Reviews.of(("a", name, 3.0, 1.0) for name in referees), "mixed")


def test_the_mixed_model_refuses_what_would_take_minutes() -> None:
    with pytest.raises(BadInput, match="about 32 minutes for 6,000 items and 2,000 referees"):
        calibrate(_reviews(items=6000, referees=2000), "mixed")


def test_the_mixed_model_can_be_stopped() -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        calibrate(_reviews(), "mixed", check=stop)


def test_normal_scores_use_the_order_only() -> None:
    score = np.array([1.0, 2, 2, 3, 10])
    found = peers.normal_scores(score)
    assert found == pytest.approx(peers.normal_scores(np.array([1.0, 4, 4, 5, 6])))
    assert found.mean() == pytest.approx(0, abs=1e-12) and (np.diff(np.unique(found)) > 0).all()
    from scipy.stats import norm

    drawn = np.sort(norm.rvs(size=500_000, random_state=1))
    assert found[0] == pytest.approx(drawn[:100_000].mean(), abs=0.01)


def test_z_scores_by_hand() -> None:
    reviews = Reviews.of([("p", "r", 2, 1), ("q", "r", 4, 1), ("p", "s", 7, 1), ("q", "s", 9, 1), ("q", "t", 5, 1)])
    found, _ = calibrate(reviews, "zscore")
    scale, mean = reviews.score.std(), reviews.score.mean()
    assert found.score == pytest.approx([mean - scale, mean + scale * 2 / 3])
    assert "1 referee gave only one score" in found.warnings[0]


def test_a_handful_of_scores_that_agree_is_not_certainty() -> None:
    """Six reviews of four items, pairs nearly equal: the ranks of neighbours stay open."""
    rows = [("p1", "Ann", 6, 4), ("p1", "Bob", 6.5, 2), ("p2", "Bob", 5, 3), ("p3", "Bob", 7, 3), ("p3", "Cy", 7, 3)]
    found, _ = calibrate(Reviews.of([*rows, ("p4", "Cy", 3, 5)]))
    assert found.score_sd.min() > 0.3
    doubt = rank_doubt(found, np.random.default_rng(0))
    assert (doubt.high > doubt.low).sum() >= 2


@pytest.mark.parametrize("method", ["mean", "zscore"])
def test_averages_have_no_interval_where_all_agree_or_the_ranked_group_is_tiny(method: str) -> None:
    agreed = [(f"p{i}", r, 1 + i % 5, 1) for i in range(12) for r in "abc"]
    assert np.isnan(calibrate(Reviews.of(agreed), method)[0].score_sd).all()
    noisy = [(item, referee, score + (item + referee == "p3b"), 1) for item, referee, score, _ in agreed]
    assert np.isfinite(calibrate(Reviews.of(noisy), method)[0].score_sd).all()
    scores = np.random.default_rng(0).integers(1, 10, 24)
    pairs = [(f"p{i // 2}", f"r{i // 4}{i % 2}", float(score), 1) for i, score in enumerate(scores)]
    found, _ = calibrate(Reviews.of(pairs), method)
    assert np.isfinite(found.score_sd).sum() == (12 if method == "mean" else 0), "2 repeats in each of 6 groups"


@pytest.mark.parametrize(("items", "referees", "per_item"), [(60, 6, 6), (60, 20, 3), (30, 4, 4)])
def test_small_panels_are_nearly_covered(items: int, referees: int, per_item: int) -> None:
    hits = []
    for seed in range(40):
        drawn = draw(Design(items=items, referees=referees, per_item=per_item), np.random.default_rng(seed))
        found = bayes.calibrate(drawn.reviews)
        hits.append((np.abs(found.score - drawn.score) < 1.6449 * found.score_sd).mean())
    assert 0.83 < np.mean(hits) < 0.95


# --- intervals and ranks ------------------------------------------------------------------------------------------


def test_rank_intervals_do_not_depend_on_where_the_scale_begins() -> None:
    found, _ = calibrate(_reviews())
    far = replace(found, score=found.score + 2e9, joint=found.joint and replace(found.joint, mean=found.score + 2e9))
    one, other = (rank_doubt(fit, np.random.default_rng(0)) for fit in (found, far))
    assert other.high == pytest.approx(one.high, abs=1) and (one.high > one.low).any()


def test_ranks_share_ties_and_leave_unknown_out() -> None:
    assert ranks(np.array([3.0, np.nan, 5.0, 3.0])) == pytest.approx([2.5, np.nan, 1.0, 2.5], nan_ok=True)


def test_scores_that_differ_by_rounding_alone_share_their_rank() -> None:
    rows = [(f"p{i}", f"r{(i + k) % 5}", 3.0, 1.0) for i in range(12) for k in range(3)]
    fit = CALIBRATORS["bayes"].fit(Reviews.of(rows))
    assert ranks(fit.score).tolist() == [6.5] * 12


def test_rank_doubt_of_two_items_is_the_normal_probability() -> None:
    from scipy.stats import norm

    found, _ = calibrate(_reviews(7, items=2, referees=4))
    found = replace(found, rests_on_prior=False)  # no chance would be given otherwise
    doubt = rank_doubt(found, np.random.default_rng(0), 1, count=40_000)
    assert found.joint is not None
    drawn = found.joint.draw(40_000, np.random.default_rng(1))
    spread = (drawn[:, 0] - drawn[:, 1]).std()
    first = norm.cdf((found.score[0] - found.score[1]) / spread)
    assert doubt.above == pytest.approx([first, 1 - first], abs=0.02)
    best = int(np.argmax(found.score))
    assert doubt.swap[best] == pytest.approx(min(first, 1 - first), abs=0.02) and np.isnan(doubt.swap[1 - best])


def test_rank_intervals_hold_the_rank_and_most_true_ranks() -> None:
    drawn = draw(Design(items=300, referees=100), np.random.default_rng(8))
    found, _ = calibrate(drawn.reviews)
    doubt = rank_doubt(found, np.random.default_rng(0), 60)
    true = ranks(drawn.score)
    assert 0.84 < ((doubt.low <= true) & (true <= doubt.high)).mean() < 0.95
    assert doubt.above.sum() == pytest.approx(60)
    shown = ranks(found.score)
    assert ((doubt.low <= shown) & (shown <= doubt.high)).all() and np.nanmax(doubt.swap) <= 0.5


def test_methods_without_a_posterior_claim_no_interval() -> None:
    reviews = Reviews.of([("p", "r", 1, 1), ("q", "s", 2, 1)])
    doubt = rank_doubt(calibrate(reviews, "mean")[0], np.random.default_rng(0), 1)
    assert np.isnan(doubt.low).all() and np.isnan(doubt.above).all()


def test_a_careless_referee_is_flagged_and_a_split_item_leads_the_list() -> None:
    drawn = draw(Design(items=200, referees=40, trust_mean=4.0, trust_spread=0.1), np.random.default_rng(9))
    rng = np.random.default_rng(1)
    score = np.where(drawn.reviews.referee == 11, rng.normal(0, 3, len(drawn.reviews)), drawn.reviews.score)
    reviews = replace(drawn.reviews, score=score)
    found, _ = calibrate(reviews)
    assert np.flatnonzero(decisions.weak_referees(reviews, found)).tolist() == [11]
    equal = draw(Design(items=40, referees=24, trust_spread=0.0), np.random.default_rng(2)).reviews
    fits = {method: calibrate(equal, method)[0] for method in ("bayes", "gam")}
    assert not any(decisions.weak_referees(equal, fit).any() for fit in fits.values())
    assert decisions.weak_referees(equal, replace(fits["gam"], likeliest=False)).any(), "its trusts would say otherwise"
    split = replace(drawn.reviews, score=drawn.reviews.score.copy())
    split.score.setflags(write=True)
    split.score[np.flatnonzero(split.item == 5)] = [-3.0, 0.0, 3.0]
    fitted, _ = calibrate(split, "bias")
    assert int(np.argmax(decisions.disagreement(split, fitted))) == 5
    assert decisions.item_log_likelihood(split, fitted).mean() == pytest.approx(fitted.log_likelihood.mean())
    eleven = fitted.log_likelihood[split.referee == 11].mean()
    assert decisions.referee_log_likelihood(split, fitted)[11] == pytest.approx(eleven)


# --- the synthetic design -----------------------------------------------------------------------------------------


def test_the_generator_is_seeded_and_as_designed() -> None:
    one, same = (draw(Design(), np.random.default_rng(5)) for _ in range(2))
    assert (one.reviews.score == same.reviews.score).all()
    assert (one.reviews.reviews_per_item == 3).all() and one.reviews.reviews_per_referee.mean() == 9
    pairs = set(zip(one.reviews.item.tolist(), one.reviews.referee.tolist(), strict=True))
    assert len(pairs) == 4500
    assert one.score.std() == pytest.approx(3, abs=0.2) and one.bias.std() == pytest.approx(1, abs=0.1)
    assert one.trust.mean() == pytest.approx(0, abs=0.15) and one.trust.std() == pytest.approx(1, abs=0.1)
    reviews = one.reviews
    stated = 1 / reviews.confidence - 0.1  # nu squared
    assert stated.mean() == pytest.approx(0.25, abs=0.02) and stated.min() >= -1e-12
    rest = (reviews.score - one.score[reviews.item] - one.bias[reviews.referee]) ** 2
    assert rest.mean() == pytest.approx((np.exp(-one.trust[reviews.referee]) + 0.25).mean(), rel=0.1)


@pytest.mark.parametrize("breaks", ["careless", "confidence", "steps"])
def test_each_departure_changes_what_it_says(breaks: Break) -> None:
    plain, broken = (draw(Design(breaks=kind), np.random.default_rng(5)) for kind in ("none", breaks))
    changed = (plain.reviews.score != broken.reviews.score).mean()
    off = np.abs(broken.reviews.score - plain.score[plain.reviews.item] - plain.bias[plain.reviews.referee])
    linked = np.corrcoef(off, 1 / broken.reviews.confidence)[0, 1]
    if breaks == "careless":
        assert 0.08 < changed < 0.12
    elif breaks == "confidence":
        assert changed == 0 and abs(linked) < 0.05
    else:
        assert set(broken.reviews.score.tolist()) == set(range(-8, 9, 2))


@pytest.mark.parametrize(("items", "referees", "per_item"), [(7, 3, 3), (40, 5, 4), (5, 9, 2), (3, 1, 1)])
def test_assignments_never_give_an_item_the_same_referee_twice(items: int, referees: int, per_item: int) -> None:
    design = Design(items=items, referees=referees, per_item=per_item)
    table = assign(design, np.random.default_rng(0)).reshape(items, per_item)
    assert all(len(set(row)) == per_item for row in table.tolist())


def test_more_reviews_an_item_than_referees_are_refused() -> None:
    with pytest.raises(ValueError, match="more reviews than"):
        assign(Design(items=3, referees=2, per_item=3), np.random.default_rng(0))


def test_the_published_order_holds_and_the_improved_model_is_better() -> None:
    rows = {row.configuration: row.mean[1] for row in table_one(range(3))}
    assert rows["d"] < rows["c"] < rows["a"] < rows["b"]
    assert rows["e"] < 0.95 * rows["d"]


@pytest.mark.parametrize("per_item", [2, 6])
def test_fewer_or_more_reviews_an_item_do_not_hurt(per_item: int) -> None:
    drawn = draw(Design(per_item=per_item), np.random.default_rng(2))
    best, ours = (rank_difference(FITS[name][1](drawn.reviews).score, drawn.score).mean for name in "de")
    assert ours < 1.01 * best


def test_nine_in_ten_intervals_cover_the_truth() -> None:
    hits = []
    for seed in range(5):
        drawn = draw(Design(), np.random.default_rng(100 + seed))
        found = bayes.calibrate(drawn.reviews)
        hits.append((np.abs(found.score - drawn.score) < 1.6449 * found.score_sd).mean())
    assert 0.88 < np.mean(hits) < 0.92
