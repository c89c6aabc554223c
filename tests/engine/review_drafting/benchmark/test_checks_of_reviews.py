"""Rubrics made from a paper, and what the checks find in a good review and in a bad one."""

from __future__ import annotations

import pytest

from engine.review_drafting.benchmark.bearing import Bearing
from engine.review_drafting.benchmark.checks import judged
from engine.review_drafting.benchmark.comparison import overall
from engine.review_drafting.benchmark.instantiate import copied, instantiated
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, Judgement, ReviewSet
from engine.review_drafting.benchmark.running import judge_reviews, make_rubrics
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.records import CellReading, Review, RowReading, TableReading
from engine.review_drafting.rubrics import meta_rubrics
from tests.engine.review_drafting.conftest import Read

PAPER = """# Abstract

We propose a nested sampler that estimates the evidence of hierarchical models from few draws. It reduces the error by
41 percent against annealed importance sampling on three benchmarks.

# 1 Introduction

Estimating evidence is expensive. In this paper we introduce a nested sampler whose proposals are learned from earlier
levels of the hierarchy.

# 2 Related Work

Previous work relies on annealed importance sampling, which needs long chains for every model that is compared.

# 3 Method

We train the proposal network on samples of the previous level and reuse its weights at the next level.

# 4 Results

We compare with annealed importance sampling and with bridge sampling. Our sampler improves the root mean squared error
from 0.83 to 0.49 on the eight schools benchmark.

Table 1: Root mean squared error of the estimated evidence on three benchmarks.

We repeated every run with ten random seeds and report standard deviations over these seeds.

# 5 Limitations

We did not study models with discrete parameters.
"""
GOOD = Review(
    summary="The paper proposes a nested sampler that estimates the evidence of hierarchical models from few draws,"
    " with proposals that are learned from earlier levels. It improves the root mean squared error from 0.83 to"
    " 0.49 on the eight schools benchmark.",
    strengths=("The error is reduced by 41 percent against annealed importance sampling on three benchmarks.",),
    weaknesses=(
        "Section 4 compares with bridge sampling on one benchmark only; the authors should report it for all three of"
        " Table 1.",
        "Section 3 does not say how the weights of the proposal network are reused; please describe the schedule.",
    ),
    questions=("How does the method compare to the previous work on annealed chains in Section 2?",),
)
BAD = Review(
    summary="This is a paper about images.",
    weaknesses=(
        "Table 7 is wrong.",
        "The paper says “our model solves vision once and for all”.",
        "The authors do not report random seeds and standard deviations over these seeds.",
    ),
)


@pytest.fixture(scope="module")
def scores() -> tuple[dict[str, Judgement], dict[str, Judgement]]:
    paper = read_text_paper("Nested sampling", PAPER)
    rubrics = instantiated(paper, Review(), meta_rubrics())
    assert [rubric.dimension for rubric in rubrics] == [meta.id for meta in meta_rubrics()]
    found = [{one.dimension: one for one in judged(review, paper, rubrics, meta_rubrics())} for review in (GOOD, BAD)]
    return found[0], found[1]


def test_a_review_that_reads_the_paper_scores_on_content(scores: tuple[dict[str, Judgement], ...]) -> None:
    good, bad = scores
    for dimension in ("core-contribution-accuracy", "results-interpretation", "evidence-based-critique"):
        assert good[dimension].score > 0, good[dimension].rationale
        assert dimension not in bad or bad[dimension].score == 0
    assert good["completeness-coverage"].score > bad["completeness-coverage"].score
    assert sum(one.score for one in good.values()) > sum(one.score for one in bad.values()) + 5


ELSEWHERE = Review(
    weaknesses=(
        "The plankton counts of the autumn cruise were not corrected for the mesh width of the nets.",
        "Which preservative was used for the copepods, and could it have bleached their pigments?",
        "The salinity transect crosses two estuaries whose tides differ by hours.",
    )
)
INVENTED = Review(
    summary="The paper proposes HyperSampler, which reaches 91.4 % on the EvidenceBench data.",
    weaknesses=(
        "The gain of 12.3 points over DeepEvidence on the CensusPanel is due to a nested sampler with 48211 levels.",
        "Figure 9 shows that HyperSampler fails below 0.071, which the proposal network of StratoFlow does not.",
    ),
)
PASTED = Review(
    weaknesses=(
        "Estimating evidence is expensive.",
        "In this paper we introduce a nested sampler whose proposals are learned from earlier levels of the hierarchy.",
        "Previous work relies on annealed importance sampling, which needs long chains for every model.",
    )
)
VAGUE = Review(weaknesses=("The experiments are weak.", "The writing could be better.", "More baselines are needed."))


@pytest.mark.parametrize(
    ("review", "why"),
    [
        (PASTED, "are sentences of the paper"),
        (INVENTED, "names, numbers, places and quotations"),
        (ELSEWHERE, "It shares too few of its distinctive"),
        (VAGUE, "It shares too few of its distinctive"),
    ],
)
def test_what_is_no_review_of_the_paper_scores_nothing(review: Review, why: str) -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    rubrics = instantiated(paper, Review(), meta_rubrics())
    found = judged(review, paper, rubrics, meta_rubrics())
    merits = [one for one in found if one.dimension != "false-or-contradictory-claims"]
    assert merits and all(one.score == 0 and why in one.rationale for one in merits), merits[0].rationale
    assert overall({one.dimension: one.score for one in found}, meta_rubrics()) <= 0  # type: ignore[operator]
    good = {one.dimension: one.score for one in judged(GOOD, paper, rubrics, meta_rubrics())}
    assert overall(good, meta_rubrics()) > 9  # type: ignore[operator]


def test_the_papers_words_in_quotation_marks_are_a_quotation_and_a_letters_marks_are_none() -> None:
    paper = Bearing(read_text_paper("Nested sampling", PAPER))
    said = "Previous work relies on annealed importance sampling, which needs long chains for every model"
    assert paper.read(f"{said}.").pasted
    quoting = paper.read(f"The paper says “{said}”: is this still so with parallel tempering?")
    assert not quoting.pasted and quoting.counts and quoting.held == 1
    wrong = paper.read("The paper says “nobody needs long chains of annealed samples any more”, which is odd.")
    assert wrong.misquotes and wrong.invented
    letter = paper.read('"I wonder how the weights of the proposal network are reused at the next level of it all."')
    assert letter.counts and not letter.absent


def test_what_rules_cannot_judge_is_left_out() -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    rubrics = instantiated(paper, Review(), meta_rubrics())
    judged_on = {one.dimension for one in judged(GOOD, paper, rubrics, meta_rubrics())}
    assert judged_on == {meta.id for meta in meta_rubrics()}
    letter = judged(GOOD.model_copy(update={"summary": "", "strengths": ()}), paper, rubrics, meta_rubrics())
    assert judged_on - {one.dimension for one in letter} == {"core-contribution-accuracy", "results-interpretation"}
    own = GOOD.model_copy(
        update={"summary": "A clever way to reuse proposal networks in nested samplers.", "strengths": ()}
    )
    left = {one.dimension for one in judged(own, paper, rubrics, meta_rubrics())}
    assert "core-contribution-accuracy" not in left, "own words may say it all the same"


def test_a_human_review_is_judged_without_itself_in_the_reference() -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    mine, theirs = (
        "You compare with annealed importance sampling and with bridge sampling alone.",
        "Models with discrete parameters were not studied.",
    )
    humans = tuple(
        BenchmarkReview(id=key, paper_id="p", source="human", role="human", review=Review(weaknesses=(text,)))
        for key, text in (("mine", mine), ("theirs", theirs))
    )
    candidate = BenchmarkReview(id="ours", paper_id="p", source="ours", review=GOOD)
    whole = ReviewSet(papers=(BenchmarkPaper(id="p", title="P", text=PAPER),), reviews=(*humans, candidate))
    made = make_rubrics(whole, "p", lambda _: paper)
    against: dict[str, list[str]] = {}
    judge_reviews(
        whole.model_copy(update={"rubrics": {"p": made}}), lambda _: paper,
        on_scores=lambda review, found, rubrics, raw: against.update(
            {review.id: [point.subject for rubric in rubrics for point in rubric.key_points if point.test == "raises"]}
        ),
    )  # fmt: skip
    compared, discrete = "We compare with annealed", "We did not study models"
    assert [s.startswith(compared) for s in against["mine"]] == [False], against["mine"]
    assert [s.startswith(discrete) for s in against["theirs"]] == [False], against["theirs"]
    assert len(against["ours"]) == 2


def test_the_pitfall_names_each_false_claim(scores: tuple[dict[str, Judgement], ...]) -> None:
    good, bad = scores
    assert good["false-or-contradictory-claims"].score == 0, good["false-or-contradictory-claims"].rationale
    why = bad["false-or-contradictory-claims"].rationale
    assert bad["false-or-contradictory-claims"].score == -2
    assert "Table 7 was not found" in why
    assert "our model solves vision" in why
    assert "We repeated every run with ten random seeds" in why


@pytest.mark.parametrize(
    ("claim", "pitfall", "zero"),
    [
        ("The authors do not report random seeds and standard deviations over these seeds.", -1, {"evidence"}),
        ("The baselines annealed importance sampling and bridge sampling are not compared.", -1,
         {"evidence", "comparative"}),
        ("Table 7 of Section 4 is wrong.", -2, {"evidence"}),
    ],
)  # fmt: skip
def test_a_material_incorrect_claim_costs_the_dimension(claim: str, pitfall: int, zero: set[str]) -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    rubrics = instantiated(paper, Review(), meta_rubrics())
    wrong = GOOD.model_copy(update={"weaknesses": (*GOOD.weaknesses, claim)})
    before, after = (
        {one.dimension: one for one in judged(review, paper, rubrics, meta_rubrics())} for review in (GOOD, wrong)
    )
    assert after["false-or-contradictory-claims"].score == pitfall
    fallen = {name.split("-")[0] for name, one in after.items() if "material incorrect claim" in one.rationale}
    assert fallen == zero
    assert all(one.score == 0 for one in after.values() if "material incorrect claim" in one.rationale)
    assert before["evidence-based-critique"].score == 2


def test_a_wrong_number_in_the_summary_costs_the_results_alone() -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    rows = (RowReading(cells=(CellReading(text="0.49", column=0, number=0.49),)),)
    table = TableReading(number="1", caption="", caption_id="t1", page=0, section="", part="results", rows=rows)
    rubrics = instantiated(paper, Review(), meta_rubrics())
    wrong = GOOD.model_copy(update={"summary": GOOD.summary + " Table 1 gives an error of 0.31."})
    found = {
        one.dimension: one
        for one in judged(wrong, paper.model_copy(update={"tables": (table,)}), rubrics, meta_rubrics())
    }
    assert {key for key, one in found.items() if "material" in one.rationale} == {"results-interpretation"}
    assert found["false-or-contradictory-claims"].score == -2


@pytest.mark.parametrize(("claim", "score"), [
    ("The careful reader has an accuracy of 55.5 in Table 1.", -2),
    ("Without it, Table 1 shows a gap of only 4.4 points, so the authors should test it.", 0),
    ("The encoder is described in Section 2, but its effect is never shown.", 0),
])  # fmt: skip
def test_a_true_criticism_is_no_false_claim(clean: Read, claim: str, score: int) -> None:
    rubrics = instantiated(clean.paper, Review(), meta_rubrics())
    review = Review(summary="It reads letters with a careful reader and reports its accuracy.", weaknesses=(claim,))
    found = {one.dimension: one for one in judged(review, clean.paper, rubrics, meta_rubrics())}
    assert found["false-or-contradictory-claims"].score == score, found["false-or-contradictory-claims"].rationale


def test_rude_words_cost_the_tone() -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    rubrics = [one for one in instantiated(paper, Review(), meta_rubrics()) if one.dimension == "constructive-tone"]
    rude = GOOD.model_copy(update={"weaknesses": ("The authors clearly do not understand sampling.",)})
    assert judged(GOOD, paper, rubrics, meta_rubrics())[0].score == 2
    assert judged(rude, paper, rubrics, meta_rubrics())[0].score == 1


def test_what_the_reviewers_criticised_becomes_a_key_point_in_the_papers_words() -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    reference = Review(weaknesses=("Compared only with annealed and bridge sampling.", "Zebras are out of fashion."))
    rubrics = {one.dimension: one for one in instantiated(paper, reference, meta_rubrics())}
    [point] = rubrics["evidence-based-critique"].key_points[1:]
    assert point.test == "raises" and point.subject.startswith("We compare with annealed importance sampling")
    assert point.evidence == "Section 4 Results"
    assert not any(copied(p.text, reference, paper) for one in rubrics.values() for p in one.key_points)
    found = judged(GOOD, paper, [rubrics["evidence-based-critique"]], meta_rubrics())[0]
    assert found.score == 2, found.rationale


def test_words_of_the_reference_are_found_in_a_key_point() -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    weak = ("Weak novelty.", "Novelty is low.", "They reuse its weights at the next level.")
    reference = Review(summary="It learns the proposals of a nested sampler level by level.", weaknesses=weak)
    assert copied("Says: it learns the proposals, of a nested thing.", reference, paper)
    assert copied("Raises that novelty is low here.", reference, paper), "a whole short point"
    assert not copied("Says how they reuse weights at the next level.", reference, paper)
    same = Review(weaknesses=("We reuse its weights at the next level.",))
    assert not copied("Says that they reuse its weights at the next level.", same, paper), "the paper says it as well"
    assert not copied("Weak novelty.", reference, paper), "two words are nobody's"


def test_a_text_is_read_by_its_headings() -> None:
    paper = read_text_paper("Nested sampling", PAPER)
    assert paper.sections[1] == "1 Introduction"
    assert {"abstract", "introduction", "related", "method", "results", "limitations"} <= {
        s.part for s in paper.sentences
    }
    assert paper.captions[0].number == "1"
    assert paper.abstract.startswith("We propose")
    assert all(PAPER.replace("\n", " ").find(sentence.text) >= 0 for sentence in paper.sentences)
