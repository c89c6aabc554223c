"""Scoring candidates, describing reviews, answering with canonical rebuttals: strategies on invented clusters."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.jobs import QuietReport
from engine.rebuttal.canonical.records import AnsweredReview, ScoredCandidate
from engine.research.rebuttal.experiments import PUBLISHED, description_rows, generation_rows, judgement, scoring_rows
from engine.research.rebuttal.generation import DESCRIBERS, GENERATORS, most_central
from engine.research.rebuttal.scoring import SCORERS, evaluate, fine_tuned, groups, surface
from tests.engine.expertise.word_embedder import WordEmbedder
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.rebuttal.invented_dialogues import answered, candidates, described


def shuffled(found: Sequence[ScoredCandidate], seed: int = 0) -> list[ScoredCandidate]:
    return random.Random(seed).sample(list(found), len(found))


def test_measures_of_scores_by_hand() -> None:
    rows = [
        ScoredCandidate("a", "answer", "one", 0.2),
        ScoredCandidate("a", "answer", "two", 1.0),
        ScoredCandidate("a", "answer", "three", 0.1),
        ScoredCandidate("a", "thanks", "alone", 1.0),
    ]
    assert groups(rows) == {("a", "answer"): [0, 1, 2], ("a", "thanks"): [3]}
    found = {m.name: m.value for m in evaluate(rows, np.array([0.5, 0.1, 0.9, 0.0]))}
    assert found["map"] == pytest.approx((1 / 2 + 2 / 3) / 2), (
        "lower is more canonical; a group without any is left out"
    )
    assert found["mrr"] == pytest.approx(1 / 3), "the canonical one came last"
    best = {m.name: m.value for m in evaluate(rows, np.array([0.2, 1.0, 0.1, 1.0]))}
    assert best["map"] == best["mrr"] == 1 and best["pearson"] == pytest.approx(1)


def test_how_a_sentence_is_written() -> None:
    short, long = surface("We revised it."), surface("As shown in Table 3 (see [2]), we got 0.93 with NET_X?")
    assert len(short) == len(long) and short[0] == 3 and long[3] > short[3] == 0
    assert len(surface("")) == len(short)


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_gives_one_value_a_candidate_and_does_not_look_at_scores(name: str) -> None:
    known, asked = shuffled(candidates(0, 12)), shuffled(candidates(12, 4))
    said = SCORERS[name].run(known, asked, WordEmbedder(), 1, QuietReport())
    assert said.shape == (len(asked),) and np.isfinite(said).all()
    blind = [ScoredCandidate(c.description, c.action, c.text, 0.5) for c in asked]
    again = SCORERS[name].run(known, blind, WordEmbedder(), 1, QuietReport())
    assert said == pytest.approx(again)
    if name not in ("random", "bm25", "bi-encoder"):
        found = {m.name: m.value for m in evaluate(asked, said)}
        assert found["pearson"] > 0.8 and found["mrr"] > 0.8


def test_a_description_is_extracted_or_known() -> None:
    known, asked = described(0, 40), described(40, 8)
    texts = {one.description for one in known}
    for name, describer in DESCRIBERS.items():
        said = describer.run(known, [one.review for one in asked], WordEmbedder(), QuietReport())
        if name == "central":
            assert set(said) <= {one.review for one in known}
        else:
            assert set(said) <= texts
            if name == "majority":
                assert len(set(said)) == 1
                continue
            assert sum(a == b.description for a, b in zip(said, asked, strict=True)) >= 7, name
    single = described(0, 1)
    assert DESCRIBERS["consensus"].run(single, ["Why?"], WordEmbedder(), QuietReport()) == [single[0].description]


def test_the_most_central_row() -> None:
    vectors = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    assert most_central(vectors) == 1


def test_an_answer_fits_its_action() -> None:
    known, asked = answered(0, 40), answered(40, 8)
    questions = [(one.review, one.action) for one in asked]
    said = {
        name: generator.run(known, questions, WordEmbedder(), QuietReport()) for name, generator in GENERATORS.items()
    }
    assert len(set(said["constant"])) == 2, "one sentence an action"
    for text, (_, action) in zip(said["constant"], questions, strict=True):
        assert ("will" in text) == (action == "task_will_be_done")
    assert sum(a == b.rebuttal for a, b in zip(said["retrieval"], asked, strict=True)) >= 7
    assert set(said["consensus"]) <= {one.rebuttal for one in known}
    other = GENERATORS["retrieval"].run(known, [(known[3].review, "reject_request")], WordEmbedder(), QuietReport())
    assert other[0].endswith(known[3].rebuttal.rpartition(" on ")[2]), "an action never seen falls back on any"


def test_rows_of_the_three_tasks_name_split_and_published_figure() -> None:
    report, encoder = QuietReport(), WordEmbedder()
    scores = list(scoring_rows(candidates(0, 12), candidates(12, 4), "a -> b", seed=1, embedder=encoder, report=report))
    assert len(scores) == 4 * len(SCORERS) and {row.split for row in scores} == {"a -> b"}
    pearson = next(row for row in scores if row.measured.name == "pearson")
    assert pearson.strategy == "random" and max(pearson.published.values()) == 0.491 and len(pearson.published) == 10
    assert PUBLISHED["scoring/map"]["BM25"] == 0.211 and PUBLISHED["scoring/mrr"]["BM25"] == 0.209
    assert PUBLISHED["generation/rouge_2"]["T5-full"] == 0.0386
    texts = list(description_rows(described(0, 24), described(24, 8), "s", embedder=encoder, report=report))
    assert [row.measured.name for row in texts[:3]] == ["rouge_1", "rouge_2", "rouge_l"]
    made = list(generation_rows(answered(0, 24), answered(24, 8), "s", embedder=encoder, report=report))
    assert made[0].strategy == "constant" and "different sentences for 8 questions" in made[0].note


def test_the_words_for_people_tell_generic_from_telling() -> None:
    judge = [AnsweredReview("The proof of the lemma is missing.", "task_done", "It is in.")] * 2
    learn = [AnsweredReview("Proof?", "task_done", "Done, thanks.")]
    assert "generic: it would fit any review" in judgement(["Done, thanks."] * 2, learn, judge)
    telling = judgement(["The proof of the lemma is now complete."] * 2, learn, judge)
    assert "uses the review's content" in telling and "known for the action" not in telling
    assert "100 % known for the action asked for" in judgement(["Done, thanks."] * 2, learn, judge)


def test_a_bi_encoder_is_fitted_to_what_is_canonical(tmp_path: Path) -> None:
    known, asked = shuffled(candidates(0, 8)), shuffled(candidates(8, 4))
    strategy = fine_tuned(make_tiny_encoder(tmp_path / "tiny"), epochs=4, rate=3e-3)
    said = strategy.run(known, asked, WordEmbedder(), 1, QuietReport())
    found = {m.name: m.value for m in evaluate(asked, said)}
    assert found["pearson"] > 0.5 and said.shape == (len(asked),)
    assert strategy.title == "tiny, fine-tuned bi-encoder"
