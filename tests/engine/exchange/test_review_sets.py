"""Reviews in the common schema: Markdown and back, and the layouts in which sets of reviews come."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.review_markdown import field_of, items, read_review, score_of
from engine.exchange.review_sets import read_review_set, write_review_set
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, KeyPoint, PaperRubric, ReviewSet
from engine.review_drafting.forms import scale_of
from engine.review_drafting.records import Review, Scores
from tests.engine.exchange.review_texts import write_review

_VOCABULARY = ("model", "data", "clear", "seeds", "Table", "3", "is", "(p.", "4)", "not", "why?", "0.83")
_WORDS = st.lists(st.sampled_from(_VOCABULARY), min_size=3, max_size=8)
_POINT = _WORDS.map(lambda words: "The " + " ".join(words) + ".")
_POINTS = st.lists(_POINT, max_size=4).map(tuple)
_REVIEWS = st.builds(
    Review,
    summary=st.one_of(st.just(""), _POINT),
    strengths=_POINTS,
    weaknesses=_POINTS,
    questions=_POINTS,
    scores=st.builds(
        Scores,
        soundness=st.one_of(st.none(), st.integers(1, 4)),
        rating=st.one_of(st.none(), st.floats(1, 10).map(lambda value: round(value, 2))),
        decision=st.sampled_from([None, "accept", "reject"]),
    ),
)
MARKDOWN = """# Review of a paper

### Paper summary
Two sentences. The second one.

**Strengths:**
- Clear writing, and
  a good figure.
- Strong results

## Main Weaknesses
1. No intervals.
2) Few baselines.

## Questions
N/A

## Soundness: 3 good
## Overall rating
**6 / 10**: marginally above

## Decision
Reject
"""


@given(_REVIEWS)
def test_markdown_reads_back_the_same(review: Review) -> None:
    assert read_review(write_review(review, "A title")) == review


def test_markdown_as_people_write_it() -> None:
    review = read_review(MARKDOWN)
    assert review.summary == "Two sentences. The second one."
    assert review.strengths == ("Clear writing, and a good figure.", "Strong results")
    assert review.weaknesses == ("No intervals.", "Few baselines.")
    assert review.questions == ()
    assert review.scores == Scores(soundness=3, rating=6, decision="reject")


def test_a_review_without_headings_is_a_summary() -> None:
    assert read_review("It is a paper. I like it.").summary == "It is a paper. I like it."


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("Reasons to reject", "weaknesses"),
        ("pros", "strengths"),
        ("Questions for the authors", "questions"),
        ("technical_quality", "soundness"),
        ("Recommendation", "rating"),
        ("Flag for ethics", None),
    ],
)
def test_names_of_fields(name: str, field: str | None) -> None:
    assert field_of(name) == field


def test_numbers_out_of_range_are_none() -> None:
    assert score_of("rating", "8: accept, good paper") == 8
    assert score_of("soundness", "5 excellent") is None
    assert score_of("confidence", True) is None
    assert score_of("rating", "not given") is None


def test_items_of_a_field() -> None:
    assert items("First.\n\nSecond.") == ["First.", "Second."]
    assert items("Major:\n- one\n- two") == ["one", "two"]
    assert items(["a point", "- b\n- c"]) == ["a point", "b", "c"]
    assert items("None.") == []


def test_the_published_layouts() -> None:
    review = "## Summary\n\nIt samples.\n\n## Weaknesses\n\n- Slow.\n\n## Rating\n\n5\n"
    refined = [
        {"paper_id": "x", "title": "X", "review_markdown": review, "scores": {"rating": 6.5}, "initial_scores": {}}
    ]
    found = read_review_set(json.dumps(refined), "ours.json")
    assert [(r.source, r.role, r.review.scores.rating) for r in found.reviews] == [("ours", "candidate", 6.5)]
    original = {
        "x": {"id": "x", "model_prediction": {"meta_review": {"content": review, "rating": 4}, "decision": "Accept"}}
    }
    made = read_review_set(json.dumps(original), "them.json").reviews[0].review
    assert made.scores.rating == 4 and made.scores.decision == "accept" and made.weaknesses == ("Slow.",)
    legacy = [{"id": "x", "pred_fast_mode": "thinking... \\boxed_review{\n" + review + "\n}"}]
    assert read_review_set(json.dumps(legacy), "old.json").reviews[0].review.summary == "It samples."
    rubrics = [
        {
            "id": "x", "paper_context": "# Abstract\n\nA sampler.", "decision": "Reject", "golden_review": review,
            "rubrics": [
                {"title": "Critique Clarity", "description": "Important Criteria: says what is slow.", "weight": 1},
                {"title": "Something else", "description": "?", "weight": 1},
            ],
        }
    ]  # fmt: skip
    found = read_review_set(json.dumps(rubrics), "eval_rubrics.json")
    assert found.papers[0].text.endswith("A sampler.") and found.papers[0].decision == "reject"
    assert found.reviews[0].role == "reference"
    assert [rubric.dimension for rubric in found.rubrics["x"]] == ["critique-clarity"]


@pytest.mark.parametrize(
    ("said", "status"),
    [("Withdrawn by Authors", "withdrawn"), ("Desk Reject", "desk rejected"), ("Accept (poster)", "accept"),
     ("Reject", "reject"), (None, "")],
)  # fmt: skip
def test_what_became_of_a_paper(said: str | None, status: str) -> None:
    entry = {"paper_id": "x", "review_markdown": "## Summary\nIt is.", "decision": said}
    assert read_review_set(json.dumps([entry]), "f.json").papers[0].decision == status


def test_scores_are_brought_from_the_files_scale() -> None:
    entry = {"paper_id": "x", "review_markdown": "## Summary\nIt is.\n## Confidence\n3",
             "scores": {"soundness": 5, "rating": 6}}  # fmt: skip
    text = json.dumps([entry])
    assert read_review_set(text, "f.json").reviews[0].review.scores == Scores(rating=6, confidence=3)
    found = read_review_set(text, "f.json", scale=scale_of("reviewbench")).reviews[0].review.scores
    assert found == Scores(soundness=4, rating=6, confidence=3)
    assert read_review_set("## Rating\n6", "f.md", scale=scale_of("neurips")).reviews[0].review.scores.rating == 10


def test_people_beside_a_paper_and_openreview_notes() -> None:
    entry = {
        "id": "x",
        "reviews": [{"reviewer": "R1", "content": {"summary": "S", "weaknesses": "- W"}, "rating": "3: reject"}],
    }
    human = read_review_set(json.dumps([entry]), "deep.json").reviews[0]
    assert (human.source, human.role, human.reviewer, human.review.scores.rating) == ("human", "human", "R1", 3)
    notes = {
        "notes": [
            {"id": "f", "forum": "f", "invitation": "V/-/Submission", "content": {"title": "The paper"}},
            {
                "id": "r", "forum": "f", "replyto": "f", "invitations": ["V/Paper1/-/Official_Review"],
                "signatures": ["V/Paper1/Reviewer_ab"],
                "content": {"summary": {"value": "S"}, "weaknesses": {"value": "Too slow."}, "rating": {"value": 8}},
            },
            {
                "id": "d", "forum": "f", "replyto": "f", "invitations": ["V/Paper1/-/Decision"],
                "content": {"decision": {"value": "Accept (poster)"}},
            },
        ]
    }  # fmt: skip
    found = read_review_set(json.dumps(notes), "notes.json")
    assert found.papers[0].title == "The paper" and found.papers[0].decision == "accept"
    assert found.reviews[0].review == Review(summary="S", weaknesses=("Too slow.",), scores=Scores(rating=8))


def test_the_own_file_reads_back_whole() -> None:
    whole = ReviewSet(
        papers=(BenchmarkPaper(id="p", title="P", text="T", decision="accept", fields=(("track", "main"),)),),
        reviews=(
            BenchmarkReview(
                id="r", paper_id="p", source="s", review=Review(summary="Ä"), kept=False, why_left_out="Why."
            ),
        ),
        rubrics={
            "p": (
                PaperRubric(
                    dimension="critique-clarity", description="D", key_points=(KeyPoint(text="K", test="raises"),)
                ),
            )
        },
    )
    assert read_review_set(write_review_set(whole), "set.jsonl") == whole


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Waves: A Survey", "Waves: A Survey"), ("# Review of “Waves”", "Waves"), ("# Review: ICLR", "one"),
        ("# Review", "one"), ("# Summary", "one"), ("", "one"),
    ],
)  # fmt: skip
def test_a_first_heading_names_the_paper(heading: str, title: str) -> None:
    found = read_review_set(f"{heading}\n\n## Weaknesses\n- Few waves.\n", "one.md")
    assert (found.papers[0].title, found.reviews[0].source) == (title, "one")


def test_files_without_reviews_say_so() -> None:
    for text, name in (("[1, 2]", "n.json"), ('[{"id": "x"}]', "n.json"), ("", "n.md")):
        with pytest.raises(BadInput, match=r"no (readable )?review|no text|empty"):
            read_review_set(text, name)
    with pytest.raises(BadInput, match="Entry 1"):
        read_review_set('{"benchmark_paper": {"id": 3}}', "set.jsonl")


def test_the_line_that_says_whose_review_it_is_is_no_part_of_the_summary() -> None:
    text = "Official Review of Paper 7 by Reviewer 2A\n\nA note.\n\n# Summary\nIt is."
    assert read_review(text).summary == "A note.\n\nIt is."
