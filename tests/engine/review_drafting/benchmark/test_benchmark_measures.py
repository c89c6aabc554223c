"""The benchmark's measures, each against figures worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.review_drafting.benchmark.comparison import (
    OVERALL,
    agreement,
    compare,
    numeric_rows,
    overall,
    reference_scores,
    strict,
    table,
)
from engine.review_drafting.benchmark.filters import EVERYTHING, PUBLISHED, FilterSettings, drawn, filtered
from engine.review_drafting.benchmark.records import SCORE_FIELDS, BenchmarkPaper, BenchmarkReview, ReviewSet, score
from engine.review_drafting.benchmark.reference import aggregated, mean_scores
from engine.review_drafting.forms import ICLR, converted, scale_of
from engine.review_drafting.records import Review, Scores
from engine.review_drafting.rubrics import meta_rubrics

METAS = {meta.id: meta for meta in meta_rubrics()}
MERIT, PITFALL = METAS["critique-clarity"], METAS["false-or-contradictory-claims"]
PROSE = (
    "The paper is about the training of small models on the data of one hospital and it is not clear to me that this"
    " will hold for the data of others, but the idea of the authors is good and the text is easy to read as it is."
    " In the tables the results for the two baselines are not given with an interval."
)


def _review(key: str, paper: str = "p", role: str = "human", **content: object) -> BenchmarkReview:
    return BenchmarkReview(
        id=key,
        paper_id=paper,
        source="people",
        role=role,
        review=Review.model_validate(content),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("met", "merit", "pitfall"),
    [
        ([], 0, 0),
        ([False, False], 0, 0),
        ([True, False, False], 0, -1),
        ([True, False], 1, -1),
        ([True, True, False], 1, -2),
        ([True, True], 2, -2),
        ([True], 2, -1),
    ],
)
def test_scores_follow_the_printed_rules(met: list[bool], merit: int, pitfall: int) -> None:
    assert score(met, MERIT) == merit
    assert score(met, PITFALL) == pitfall
    assert score(met, MERIT, wrong=True) == 0, "a material incorrect claim"
    assert score(met, PITFALL, wrong=True) == -2, "a single severe instance"


def test_filters_say_why_and_leave_candidates_alone() -> None:
    fit = _review("fit", summary=PROSE, weaknesses=("No interval is given.",))
    reviews = (
        fit,
        _review("short", summary="It is fine.", weaknesses=("None of the baselines is new.",)),
        _review("praise", summary=PROSE + " It is all fine with me."),
        _review("unsure", summary=PROSE[20:], weaknesses=("Why is it so?",), scores={"confidence": 1}),
        _review("again", summary=PROSE + ".", weaknesses=("No interval is given.",)),
        _review(
            "german", summary=" ".join(["Der Aufsatz handelt von kleinen Modellen und Daten"] * 8), questions=("Wie?",)
        ),
        _review("empty", role="candidate"),
    )
    judged = {review.id: review for review in filtered(reviews, FilterSettings())}
    assert [key for key, review in judged.items() if review.kept] == ["fit", "empty"]
    assert "words" in judged["short"].why_left_out
    assert "no weakness" in judged["praise"].why_left_out
    assert "confidence is 1" in judged["unsure"].why_left_out
    assert "repeats" in judged["again"].why_left_out
    assert "English" in judged["german"].why_left_out
    few = filtered((fit,), FilterSettings(least_reviews=2))
    assert not few[0].kept and "fewer than 2" in few[0].why_left_out
    assert filtered(few, FilterSettings())[0].kept, "a review that is fit again comes back"


def _complete(number: int, paper: str) -> BenchmarkReview:
    scores = {"soundness": 3, "presentation": 3, "contribution": 2, "confidence": 4, "rating": number}
    texts = {"strengths": ("S",), "weaknesses": ("W",), "questions": ("Q",)}
    return _review(f"{paper}{number}", paper, summary=f"Short {number}.", scores=scores, **texts)


def test_the_published_filter_leaves_whole_papers_out() -> None:
    fates = {"a": "", "withdrawn": "withdrawn", "desk": "desk rejected", "few": "accept", "empty": "reject"}
    papers = [BenchmarkPaper(id=k, title=k, decision=d, text="" if k == "empty" else "T") for k, d in fates.items()]
    reviews = [_complete(number, key) for key in fates for number in (3, 4, 5)]
    reviews = [r for r in reviews if r.id != "few3"] + [_review(f"c{key}", key, "candidate") for key in fates]
    half = _complete(6, "few")
    reviews.append(half.model_copy(update={"review": half.review.model_copy(update={"questions": ()})}))
    judged = {one.id: one for one in filtered(reviews, PUBLISHED, papers)}
    assert {key for key, one in judged.items() if one.kept} == {"a3", "a4", "a5", "ca"}
    assert judged["cwithdrawn"].why_left_out == "The paper was withdrawn."
    assert "desk rejected" in judged["desk3"].why_left_out and "no text" in judged["empty3"].why_left_out
    assert judged["few6"].why_left_out == "It has no questions." and "fewer than 3" in judged["cfew"].why_left_out
    assert all(one.kept for one in filtered(reviews, EVERYTHING, papers))


def test_papers_are_drawn_the_same_each_time() -> None:
    papers = [BenchmarkPaper(id=str(n), title="") for n in range(50)]
    some = drawn(papers, 5)
    assert len(some) == 5 and some == drawn(papers, 5) != drawn(papers, 5, seed=1)
    assert [int(one.id) for one in some] == sorted(int(one.id) for one in some)
    assert drawn(papers, 99) == tuple(papers)


def test_the_reference_joins_what_several_say_and_rewords_nothing() -> None:
    variance = "The tables report no variance over random seeds."
    reviews = (
        Review(summary="A method for X is proposed.", weaknesses=("The notation is heavy.", variance)),
        Review(
            summary="The paper proposes a method for X.",
            weaknesses=("Tables report no variance over seeds at random.",),
        ),
        Review(weaknesses=("No variance over random seeds is reported in the tables.",), questions=("Why X?",)),
    )
    made = aggregated(reviews)
    assert len(made.weaknesses) == 2
    assert "variance" in made.weaknesses[0], "what three say comes before what one says"
    said = {point for review in reviews for point in (*review.weaknesses, *review.questions, review.summary)}
    assert {*made.weaknesses, *made.questions, made.summary} <= said
    assert aggregated(()) == Review()


def test_meaning_joins_points_that_share_no_word() -> None:
    vectors = {"Too slow.": [1.0, 0.0], "Takes ages to run.": [0.9, 0.436], "Unclear.": [0.0, 1.0]}

    def encode(texts: object) -> np.ndarray:
        return np.array([vectors[text] for text in texts], dtype=np.float32)  # type: ignore[attr-defined]

    reviews = (Review(weaknesses=("Too slow.", "Unclear.")), Review(weaknesses=("Takes ages to run.",)))
    assert len(aggregated(reviews).weaknesses) == 3
    assert len(aggregated(reviews, encode).weaknesses) == 2


def test_scores_are_means_and_the_decision_is_the_majoritys() -> None:
    given = [Scores(rating=3, decision="reject"), Scores(rating=6, soundness=2, decision="accept"), Scores(rating=6)]
    assert mean_scores(given) == Scores(rating=5, soundness=2)
    assert mean_scores([*given, Scores(decision="accept")]).decision == "accept"


def test_numeric_fields_by_hand() -> None:
    pairs = [
        (Scores(rating=8, soundness=3, decision="accept"), Scores(rating=6, soundness=3, decision="accept")),
        (Scores(rating=4, decision="accept"), Scores(rating=5, decision="reject")),
        (Scores(rating=3, soundness=2, decision="reject"), Scores(rating=8, soundness=4, decision="reject")),
    ]
    row = compare("system", pairs)
    assert row.mse["rating"] == pytest.approx((4 + 1 + 25) / 3)
    assert row.mae["soundness"] == pytest.approx(1)
    assert row.n == {"rating": 3, "soundness": 2, "decision": 3}
    # Orders: 1>2 right, 1>3 wrong, 2>3 wrong for the rating.
    assert row.pairwise["rating"] == pytest.approx(1 / 3)
    assert row.accuracy == pytest.approx(2 / 3)
    assert row.f1 == pytest.approx(2 / 3)
    assert compare("system", pairs[:1]).pairwise == {}
    assert compare("none", [(Scores(), Scores())]).accuracy is None


def test_reviews_that_were_left_out_count_in_no_numeric_field() -> None:
    people = _review("h", scores=Scores(rating=6))
    given = [_review(key, role="candidate", scores=Scores(rating=rating)) for key, rating in (("a", 8), ("b", 1))]
    reviews = (people, given[0], given[1].model_copy(update={"kept": False}))
    whole = ReviewSet(papers=(BenchmarkPaper(id="p", title="P"), BenchmarkPaper(id="q", title="Q")), reviews=reviews)
    [row] = numeric_rows(whole)
    assert (row.source, row.n, row.mae["rating"]) == ("people", {"rating": 1}, 2)


def test_scales_of_venues_and_the_published_one() -> None:
    assert scale_of("iclr") == ICLR
    assert scale_of("neurips")["rating"] == (1, 6) and scale_of("neurips")["contribution"] == (1, 4)
    assert scale_of("arr") == {**ICLR, "soundness": (1, 5), "rating": (1, 5)}
    published = scale_of("reviewbench")
    assert published == {**dict.fromkeys(SCORE_FIELDS, (1, 5)), "rating": (1, 10)}
    assert [converted(value, "soundness", published, ICLR) for value in (1, 3, 5)] == [1, 2.5, 4]
    assert converted(6, "rating", scale_of("neurips"), ICLR) == 10
    assert converted(8.4, "rating", ICLR, published) == 8.4, "to the last digit"
    pair = [(Scores(soundness=4, rating=5), Scores(soundness=1, rating=8))]
    row = compare("s", pair, scale=published)
    assert (row.mae["soundness"], row.mse["soundness"], row.mae["rating"]) == (4, 16, 3)


def test_strict_steps_round_half_up() -> None:
    assert [strict(value, "soundness") for value in (2.5, 2.4, 5.9)] == [3, 2, 5]
    assert [strict(value, "rating") for value in (5, 6.9, 0.4)] == [6, 6, 0]


def test_reference_scores_prefer_people_that_were_kept() -> None:
    whole = ReviewSet(
        papers=(BenchmarkPaper(id="p", title="P", decision="reject"), BenchmarkPaper(id="q", title="Q")),
        reviews=(
            _review("a", scores={"rating": 6}),
            _review("b", scores={"rating": 1}).model_copy(update={"kept": False}),
            _review("c", role="reference", scores={"rating": 9}),
            _review("d", "q", role="reference", scores={"rating": 9}),
        ),
    )
    assert reference_scores(whole) == {"p": Scores(rating=6, decision="reject"), "q": Scores(rating=9)}


def _given(values: dict[str, int]) -> dict[str, dict[str, int]]:
    return {key: dict.fromkeys(METAS, value) for key, value in values.items()}


def test_sources_side_by_side() -> None:
    reviews = [
        BenchmarkReview(id=f"{source}{paper}", paper_id=paper, source=source, review=Review())
        for source in ("one", "two")
        for paper in ("p", "q", "r")
    ]
    reviews.append(BenchmarkReview(id="twice", paper_id="p", source="one", review=Review()))
    scores = _given({"onep": 0, "twice": 2, "oneq": 1, "oner": 1, "twop": 0, "twoq": 0, "twor": 0})
    rows = table(reviews, scores, meta_rubrics(), baseline="two")
    assert [row.source for row in rows] == ["one", "two"]
    assert rows[0].papers == 3 and rows[0].reviews == 4
    assert rows[0].overall.value == pytest.approx(8), "the two reviews of a paper are averaged first"
    assert rows[0].overall.span() == "", "three papers give no interval"
    assert rows[0].passed["critique-clarity"] == pytest.approx(0.75)
    assert rows[1].passed["false-or-contradictory-claims"] == 1
    assert rows[0].against is not None and rows[0].against.value == pytest.approx(8)
    assert rows[1].against is None
    del scores["oner"]["critique-clarity"]
    assert table(reviews, scores, meta_rubrics())[0].papers == 2, "a review without every dimension does not count"


def test_what_was_not_judged_neither_costs_nor_gains() -> None:
    given = {meta.id: 1 for meta in meta_rubrics()} | {PITFALL.id: -1}
    assert overall(given, meta_rubrics()) == 6
    fewer = {name: score for name, score in given.items() if name != MERIT.id}
    assert overall(fewer, meta_rubrics()) == 6
    assert overall({PITFALL.id: -1}, meta_rubrics()) is None
    reviews = [_review("a"), _review("b", paper="q")]
    [row] = table(reviews, {"a": given, "b": fewer}, meta_rubrics(), complete=False)
    assert (row.papers, row.overall.value, row.dimensions[MERIT.id].n) == (2, 6, 1)
    [alone] = table(reviews, {"a": fewer}, meta_rubrics(), complete=False)
    assert np.isnan(alone.overall.low) and np.isnan(alone.overall.high), "no interval over one paper"
    assert np.isnan(alone.dimensions[MERIT.id].value) and MERIT.id not in alone.passed


def test_a_judge_against_people() -> None:
    reviews = [
        BenchmarkReview(id=str(n), paper_id="p" if n < 3 else "q", source="s", review=Review()) for n in range(6)
    ]
    people = _given({"0": 0, "1": 1, "2": 2, "3": 2})
    judge = _given({"0": 1, "1": 1, "2": 2, "3": 0})
    rows = {row.dimension: row for row in agreement(reviews, judge, people, meta_rubrics())}
    row = rows["critique-clarity"]
    assert row.n == 4 and row.mae == pytest.approx(3 / 4)
    # Pairs within a paper that people order: 0-1 (tied by the judge: wrong), 0-2 and 1-2 right.
    assert row.pairwise_error == pytest.approx(1 / 3)
    # Differences by the judge and by people, over all pairs: 0/-1, -1/-2, 1/-2, -1/-1, 1/-1, 2/0.
    assert row.pairwise_absolute == pytest.approx((1 + 1 + 3 + 0 + 2 + 2) / 6)
    assert rows[OVERALL].mae == pytest.approx(6)
    assert np.isnan(row.pearson) and np.isnan(row.spearman), "of four reviews a correlation is chance"
    people, judge = (given | _given({"4": 0, "5": one}) for one, given in enumerate((people, judge)))
    row = agreement(reviews, judge, people, meta_rubrics())[0]
    assert row.pearson == pytest.approx(np.corrcoef([1, 1, 2, 0, 0, 1], [0, 1, 2, 2, 0, 0])[0, 1])
    constant = agreement(reviews, _given(dict.fromkeys("012345", 1)), people, meta_rubrics())[0]
    assert np.isnan(constant.spearman) and constant.pairwise_error == 1


def test_the_papers_own_study_of_one_review_a_paper_has_every_measure() -> None:
    rng = np.random.default_rng(5)
    reviews = [BenchmarkReview(id=str(n), paper_id=str(n), source="s", review=Review()) for n in range(120)]
    people = {one.id: {key: int(rng.integers(0, 3)) - 2 * (key == PITFALL.id) for key in METAS} for one in reviews}
    near = {one.id: people[one.id] | {MERIT.id: int(rng.integers(0, 3))} for one in reviews}
    [row] = [row for row in agreement(reviews, near, people, meta_rubrics()) if row.dimension == OVERALL]
    true, said = ([sum(given[one.id].values()) for one in reviews] for given in (people, near))
    assert row.n == 120 and row.pearson == pytest.approx(np.corrcoef(said, true)[0, 1])
    error = np.subtract(said, true)
    assert row.mae == pytest.approx(np.abs(error).mean())
    assert row.pairwise_absolute == pytest.approx(np.abs(error[:, None] - error)[np.triu_indices(120, 1)].mean())
    assert 0 < row.pairwise_error < 0.5 < row.spearman < 1
