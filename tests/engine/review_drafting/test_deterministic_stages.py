"""The deterministic stages on papers that were set for the test: every statement is true to the page."""

from __future__ import annotations

import pytest

from engine.documents.places import Places
from engine.review_drafting.crews import deterministic_crew
from engine.review_drafting.grounding import ground
from engine.review_drafting.pipeline import Run, run_stages
from engine.review_drafting.reading import place
from engine.review_drafting.records import Draft, InsightReport, LiteratureReport, ResultsReport
from engine.review_drafting.stages.cues import strength
from engine.review_drafting.stages.drafter import strength_points
from tests.engine.exchange.review_texts import write_review
from tests.engine.review_drafting.conftest import Read
from tests.engine.review_drafting.papers import TITLE, point, reading, stands_there


@pytest.fixture(scope="module")
def run(faulty: Read) -> Run:
    return run_stages(deterministic_crew(), faulty.paper)


def test_the_reading_knows_parts_tables_and_captions(faulty: Read) -> None:
    paper = faulty.paper
    assert paper.title == TITLE
    assert {s.part for s in paper.sentences} >= {"abstract", "introduction", "method", "results", "conclusion"}
    assert [(c.kind, c.number) for c in paper.captions] == [("table", "2"), ("table", "1")]
    assert not any("References" in s.section for s in paper.sentences)
    for sentence in paper.sentences:
        text = next(p.text for p in faulty.parsed.paragraphs if p.id == sentence.paragraph_id)
        assert text[sentence.start : sentence.end] == sentence.text


def test_every_point_is_anchored_and_true_to_the_page(run: Run, faulty: Read) -> None:
    points = run.draft.points()
    assert {name for name, _ in points} == {"summary", "strengths", "weaknesses", "questions"}
    for _, made in points:
        assert made.anchors and all(anchor.found and anchor.page for anchor in made.anchors), made.text
        assert all(stands_there(faulty.parsed, anchor) for anchor in made.anchors)
    assert run.draft.scores.rating is None and run.draft.scores.decision is None, "no score is invented"


def test_the_summary_is_the_papers_own_words(run: Run) -> None:
    summary = run.draft.review().summary
    for words in (
        "We ask whether small parsers can tell comments from replies.",
        "We propose the careful reader, a novel parser for review letters.",
        "Our method reaches an accuracy of 94.1% on the letters of the test set.",
    ):
        assert words in summary


def test_strengths_are_what_the_paper_says_it_has(run: Run) -> None:
    ids = {p.id for p in run.draft.strengths}
    assert ids == {"drafter-strength-open-materials", "drafter-strength-held-out", "drafter-strength-limits"}
    (held_out,) = (p.text for p in run.draft.strengths if p.id == "drafter-strength-held-out")
    assert held_out.startswith("Test or held-out data are named: “"), "no more is known of the sentence"


def test_the_insight_miner_finds_each_kind_of_statement(run: Run) -> None:
    report = run.output("insight")
    assert isinstance(report, InsightReport)
    assert any("careful reader" in fact.text for fact in report.core_contributions)
    assert [f.text for f in report.assumptions_and_scope if "assume" in f.text] == [
        "We assume that every reply follows its comment."
    ]
    assert any("first parser" in fact.text for fact in report.novelty_claims_in_paper)
    assert any("loss over sentence borders" in fact.text for fact in report.method_summary)
    assert not any("Smith" in f.text for f in report.core_contributions), "others' work is none of the paper's claims"


@pytest.mark.parametrize(
    ("sentence", "finding"),
    [
        ("Reconciliation has attracted significant research interest in recent years.", False),
        ("The two readers differ, and the difference is highly significant.", True),
        ("There was a significant positive correlation between pages and hours.", True),
        ("We computed curves of precision and recall for each simulation (Figures 2 and 3).", False),
        ("What happens to the errors when we increase precision by 20 points?", False),
    ],
)
def test_what_draws_significant_interest_is_no_finding(sentence: str, finding: bool) -> None:
    (read,) = reading(("abstract", sentence)).sentences
    assert (strength(read, "result") > 0) == finding


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("The table gives 95% confidence intervals of all scores.", {"spread"}),
        ("Where confidence intervals are asked for, the program returns them.", set()),
        ("Each feature has a Gaussian distribution with a standard deviation of its own.", set()),
        ("We left out all letters three standard deviations of their length above the mean.", set()),
        ("We judge all readers on a held-out test set of letters.", {"held-out"}),
        ("We use standard error backpropagation, and scale by mean and standard deviation.", set()),
        ("The window is moved by c ± b of its centre.", set()),
        ("The letters have 210 ± 30 words on average.", set()),
        ("We compare with the figures of earlier data deposited at the time.", set()),
        ("Our data were available from 312 readers.", set()),
        ("The data is only available for dates after March.", set()),
        ("Our data are publicly available.", {"open-materials"}),
        ("Unlabelled data are typically available.", set()),
        ("Each report says whether its data are publicly available.", set()),
        ("A sensitivity analysis shows how little the threshold matters.", set()),
        ("The ablation of the second reader costs two points.", {"ablation"}),
        ("Future readers call for an ablation of each part.", set()),
        ("The tax on letters is withheld by the post.", set()),
        ("A classifier should be judged on test data.", set()),
        ("A reader is a function that generalises to unseen test data.", set()),
        ("The second column has the accuracy of 80 letters of the test set.", {"held-out"}),
        ("Our data are deposited at https://letters.example.", {"open-materials"}),
        ("All of our code is available from https://github.com/a/letters.", {"open-materials"}),
        ("We extract the data from letters collected from open-source software available on GitHub.", set()),
        ("We can not use accuracy here, since the classes differ in size.", set()),
        ("The smoothness of our curves is cross-validated.", set()),
        ("We are unable to say how letters in other languages are read.", set()),
        ("A limitation of our reader is that it knows no other language.", {"limits"}),
        ("Search by trees has several limitations in this setting.", set()),
        ("To complete the data, we use publicly available names of towns.", set()),
        ("Comparison is possible for years of which such data is available.", set()),
        ("It does not show accuracy, since the test data were drawn from the same model.", set()),
    ],
)
def test_strengths_are_what_the_paper_did(sentence: str, named: set[str]) -> None:
    found = strength_points(reading(("results", sentence)))
    assert {one.id.removeprefix("drafter-strength-") for one in found} == named


def test_a_heading_as_long_as_a_sentence_names_no_place() -> None:
    assert place("2 Method > 2.1 Data of all letters") == "Section 2.1 Data of all letters"
    assert place("Letters are read from left to right and from top to bottom in each of their columns") == ""


def test_the_result_analyzer_names_what_was_measured(run: Run) -> None:
    report = run.output("results")
    assert isinstance(report, ResultsReport)
    assert "Letters" in [named.name for named in report.datasets]
    assert "accuracy" in [named.name for named in report.metrics]
    assert "logistic regression" in [named.name for named in report.baselines]
    assert any("91.4%" in fact.text for fact in report.key_results)


def test_planted_faults_are_found_and_become_points(run: Run) -> None:
    report = run.output("results")
    assert isinstance(report, ResultsReport)
    found = {check.name for check in report.checks}
    assert "percentage" in found
    weaknesses = " ".join(run.draft.review().weaknesses)
    assert "45 of 60 is 75 %, not 80 %" in weaknesses
    questions = " ".join(run.draft.review().questions)
    assert all(p.suggestion for p in run.draft.weaknesses)
    assert "What happens to the results where this does not hold?" in questions


def test_a_clean_paper_raises_no_check(clean: Read) -> None:
    report = run_stages(deterministic_crew(), clean.paper).output("results")
    assert isinstance(report, ResultsReport)
    assert report.checks == ()


def test_the_reviewers_words_stay_and_their_faults_are_told(faulty: Read) -> None:
    own = Draft(
        summary=(point("own-1", "The paper parses letters of response with a small neural parser."),),
        weaknesses=(
            point("own-2", "Table 1 gives 93.7 for the careful reader, which I doubt."),
            point("own-3", "The experiments are not convincing."),
            point("own-4", "The parser assumes that every reply follows its comment."),
            point("own-5", "Figure 7 can't be read."),
        ),
        questions=(point("own-6", "Why were only 60 letters collected?"),),
    )
    run = run_stages(deterministic_crew(), faulty.paper, own=own)
    texts = [p.text for _, p in run.draft.points()]
    for kept in own.points():
        assert any(kept[1].text.rstrip(".") in text for text in texts), "the wording stays"
    weak = {p.id: p for p in run.draft.weaknesses}
    asked = {p.id: p for p in run.draft.questions}
    assert "own-4" in weak and weak["own-4"].anchors[0].found and weak["own-4"].suggestion
    assert {"own-2", "own-3", "own-5"} <= set(asked), "without a place that holds, a criticism is a question"
    assert asked["own-5"].was == "weaknesses" and "clarify this point" in asked["own-5"].text
    assert "93.7 isn't in Table 1" in asked["own-2"].text
    insight = run.output("insight")
    assert isinstance(insight, InsightReport)
    kinds = {(issue.kind, issue.point_id) for issue in insight.issues}
    assert ("incorrect_or_hallucinated", "own-5") in kinds
    assert ("needs_specificity", "own-3") in kinds
    assert any(kind == "missing_key_points" for kind, _ in kinds)


def test_an_empty_paper_gives_an_empty_draft() -> None:

    run = run_stages(deterministic_crew(), reading())
    assert run.draft.points() == ()
    literature = run.output("literature")
    assert isinstance(literature, LiteratureReport) and literature.keyphrases == ()


def test_a_draft_stands_in_its_own_paper(faulty: Read, clean: Read) -> None:
    """What the stages wrote passes the check that every review has to pass before it leaves."""
    for read in (faulty, clean):
        drafted = run_stages(deterministic_crew(), read.paper).draft.review()
        grounded = ground(write_review(drafted), Places(read.parsed))
        assert [claim.text for claim in grounded.unfounded] == []
        assert sum(claim.verdict == "supported" for claim in grounded.claims) >= 5
        # The words around a quotation state nothing of their own.
        summary = ground(drafted.summary, Places(read.parsed))
        assert {claim.verdict for claim in summary.claims} == {"supported"}
