"""Scores from vectors: against the plain formula, with own papers, duplicates, empty papers and profiles."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.expertise.algorithms import paperwise as module
from engine.expertise.algorithms.paperwise import VectorScorer, sentence_pairs, sentences
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.words import paper_text
from engine.expertise.records import PaperText
from engine.jobs import QuietReport

KEYS = tuple(f"p{number}" for number in range(12))


def unit_vectors(seed: int = 0, empty: tuple[int, ...] = ()) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(len(KEYS), 8)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    made[list(empty)] = 0
    return made


some_keys = st.lists(st.sampled_from(KEYS), max_size=7)


@given(
    profiles=st.lists(some_keys, min_size=1, max_size=6),
    submissions=st.lists(st.sampled_from(KEYS), min_size=1, max_size=6),
    rule=st.sampled_from(("max", "mean", "acl", "top-2", "log-sum-exp")),
)
@settings(deadline=None, max_examples=120)
def test_blocks_give_what_the_formula_gives(
    profiles: list[list[str]], submissions: list[str], rule: str
) -> None:  # fmt: skip
    pooling = Pooling(rule)
    vectors = unit_vectors(empty=(3,))
    scorer = VectorScorer(KEYS, vectors, pooling)
    found = scorer.score({str(at): keys for at, keys in enumerate(profiles)}, submissions, report=QuietReport())
    for row, keys in enumerate(profiles):
        for column, submission in enumerate(submissions):
            own = [KEYS.index(key) for key in dict.fromkeys(keys) if key not in (submission, "p3")]
            alike = vectors[own] @ vectors[KEYS.index(submission)]
            if own:
                assert found[row, column] == pytest.approx(pooling.one(alike), abs=1e-5)
            else:
                assert np.isnan(found[row, column])


def test_block_borders_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = VectorScorer(KEYS, unit_vectors(), Pooling("acl"))
    profiles = {str(at): KEYS[at : at + 1 + at % 5] for at in range(10)}
    whole = scorer.score(profiles, KEYS, report=QuietReport())
    monkeypatch.setattr(module, "REVIEWERS_AT_ONCE", 3)
    monkeypatch.setattr(module, "SUBMISSIONS_AT_ONCE", 5)
    assert np.allclose(scorer.score(profiles, KEYS, report=QuietReport()), whole, atol=1e-6, equal_nan=True)


def test_a_paper_that_was_not_read_is_named() -> None:
    scorer = VectorScorer(KEYS, unit_vectors(), Pooling("max"))
    with pytest.raises(KeyError, match="elsewhere"):
        scorer.score({"a": ["elsewhere"]}, ["p1"], report=QuietReport())
    with pytest.raises(KeyError, match="elsewhere"):
        scorer.score({"a": ["p1"]}, ["elsewhere"], report=QuietReport())


def test_it_can_be_cancelled() -> None:
    class Stop(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        VectorScorer(KEYS, unit_vectors(), Pooling("max")).score({"a": ["p0"]}, ["p1"], report=Stop())


def test_evidence_is_ranked_and_sums_to_one_and_passages_stay_at_home() -> None:
    def explain(submission: str, paper: str) -> tuple[tuple[tuple[str, str, float], ...], tuple[str, ...]]:
        return ((submission, paper, 0.5),), ("word",)

    vectors = unit_vectors(empty=(4,))
    scorer = VectorScorer(KEYS, vectors, Pooling("acl"), explain)
    evidence = scorer.explain(KEYS[:6], "p0")
    assert {part.paper for part in evidence} == {"p1", "p2", "p3", "p5"}, "own and empty papers drive nothing"
    assert sum(part.share for part in evidence) == pytest.approx(1.0)
    assert [part.share for part in evidence] == sorted((part.share for part in evidence), reverse=True)
    alike = {key: float(vectors[KEYS.index(key)] @ vectors[0]) for key in ("p1", "p2", "p3", "p5")}
    assert evidence[0].paper == max(alike, key=lambda key: alike[key])
    assert evidence[0].passages == (("p0", evidence[0].paper, 0.5),) and evidence[0].words == ("word",)
    travelled = pickle.loads(pickle.dumps(scorer))
    assert travelled.explain(KEYS[:6], "p0")[0].passages == ()
    assert scorer.explain((), "p0") == ()


def test_text_of_a_paper_by_representation() -> None:
    paper = PaperText("a", " Title ", "An abstract.", "A body.")
    assert paper_text(paper, "title") == "Title"
    assert paper_text(paper, "title+abstract", "[SEP]") == "Title[SEP]An abstract."
    assert paper_text(paper, "full text") == "Title. An abstract.. A body."
    assert paper_text(PaperText("a", "", "Only this"), "title+abstract") == "Only this"
    assert paper_text(PaperText("a", "", ""), "full text") == ""


def test_sentences_and_their_pairs() -> None:
    text = "We look at birds in the wild.  Things follow\nhere too! More lines are at the end."
    assert sentences(text) == ("We look at birds in the wild.", "Things follow here too!", "More lines are at the end.")
    assert sentences(text, 2) == sentences(text)[:2] and sentences("   ") == ()

    def encode(texts: object) -> np.ndarray:
        vectors = np.array([[text.count("a") + 1, text.count("b")] for text in texts], dtype=np.float32)  # type: ignore[attr-defined]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    pairs = sentence_pairs("Aaaa aaaa aaaa aaaa aaaa. Bbbb bbbb bbbb bbbb bbbb.", "Bbbb bbbb bbbb bbbb bbbbb.", encode)
    assert [(left[0], right[0]) for left, right, _ in pairs] == [("B", "B")]
    assert sentence_pairs("", "Text", encode) == ()
