"""Aligners rank what was changed for a comment above what merely shares its topic, and say why."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.errors import BadInput, Cancelled
from engine.jobs import QuietReport, Report
from engine.revision.aligners import DEFAULT, STRATEGIES, make_aligner
from engine.revision.aligners.lexical import bm25, post_revision, quoted_in, references, stems
from engine.revision.candidates import candidate
from engine.revision.records import Candidate, Edit, Query


class WordVectors:
    """An embedder whose vectors are sums of one fixed random direction a stem: alike where words are shared."""

    fingerprint = "words"

    def encode(self, texts: Sequence[str], report: Report | None = None) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            for stem, _ in stems(text):
                seed = int.from_bytes(hashlib.sha256(stem.encode()).digest()[:4], "big")
                vectors[row] += np.random.default_rng(seed).standard_normal(512).astype(np.float32)
            norm = np.linalg.norm(vectors[row])
            vectors[row] /= norm if norm > 0 else 1.0
        return vectors


def make(number: int, before: str, after: str, section: str = "") -> Candidate:
    kind = "added" if not before else "deleted" if not after else "major"
    operation = {"added": "add", "deleted": "delete", "major": "edit"}[kind]
    return candidate(Edit(f"e{number}", kind, operation, False, (), (), before, after, section, 0, 0))  # type: ignore[arg-type]


READERS = ("fused", "bm25", "encoder")
"""The strategies that need nothing but texts and an encoder."""

SPLIT = "The corpus was divided into training and test sets."
CANDIDATES = (
    make(0, SPLIT, SPLIT + " The division is by manuscript, so that no writer stands on both sides."),
    make(1, "", "A limitation of the study is its language, since every manuscript is in English."),
    make(
        2,
        "The corpus was divided into training sets; the optimiser ran for days.",
        "The corpus was divided into training sets; the optimiser ran for hours.",
    ),
    make(3, "", "Table 4 lists the search ranges of all hyperparameters together with the final values.", "Appendix B"),
    make(4, "We claim that the method solves peer review for good.", ""),
    make(5, "", "The funding agency had no influence on design or interpretation."),
)
QUERIES = (
    Query(
        "c0",
        "It is unclear how the division was made: by writer or by manuscript?",
        response="The division is by manuscript now.",
    ),
    Query(
        "c1",
        "The authors should discuss that only English is covered.",
        response="We added “a limitation of the study is its language”.",
    ),
    Query("c2", "What ranges did the hyperparameters have? Please add a table.", response="See the new Table 4."),
    Query("c3", "Please tone down the claim that peer review is solved for good."),
)


def align(strategy: str, use_responses: bool = True) -> dict[str, list[str]]:
    aligner = make_aligner(strategy, use_responses=use_responses, embedder=WordVectors())
    rankings = aligner.score(QUERIES, CANDIDATES, report=QuietReport())
    return {key: [scored.edit_id for scored in ranking] for key, ranking in rankings.items()}


@pytest.mark.parametrize("use_responses", [False, True])
@pytest.mark.parametrize("strategy", READERS)
def test_the_edit_that_answers_comes_first_and_all_are_ranked(strategy: str, use_responses: bool) -> None:
    order = align(strategy, use_responses)
    assert {key: ranking[0] for key, ranking in order.items()} == {"c0": "e0", "c1": "e1", "c2": "e3", "c3": "e4"}
    assert all(sorted(ranking) == [f"e{n}" for n in range(6)] for ranking in order.values())


def test_what_stood_there_before_counts_less_than_what_is_new() -> None:
    query = [Query("c", "How was the corpus divided, and by what rule were the training sets made?")]
    new = make(0, "", "The corpus was divided by a rule, and the training sets were made by year.")
    old = make(1, f"{new.added} It ran for days.", f"{new.added} It ran for hours.")
    more = [make(n, "", f"Nothing of this kind matters here, number {n} of several.") for n in range(2, 5)]
    ranking = make_aligner("fused", embedder=WordVectors()).score(query, [old, new, *more], report=QuietReport())["c"]
    assert [scored.edit_id for scored in ranking][:2] == ["e0", "e1"]
    assert ranking[0].score > ranking[1].score + 0.1


def test_reasons_name_the_witnesses() -> None:
    aligner = make_aligner("fused", use_responses=True, embedder=WordVectors())
    rankings = aligner.score(QUERIES, CANDIDATES, report=QuietReport())
    assert "response quotes: “a limitation of the study is its language”" in rankings["c1"][0].reasons
    assert "mentions Table 4" in rankings["c2"][0].reasons
    assert any("division" in reason for reason in rankings["c0"][0].reasons if reason.startswith("shared words"))
    assert all(ranking[0].reasons for ranking in rankings.values())


def test_a_section_that_the_reply_names_is_a_reason() -> None:
    edits = [
        make(0, "", "Some words about a matter.", "Methods > Blind rating"),
        make(1, "", "Other words.", "Results"),
    ]
    query = [Query("c", "Who knew of it?", response="We added a section on blind rating.")]
    (ranking,) = (
        make_aligner("fused", use_responses=True, embedder=WordVectors())
        .score(query, edits, report=QuietReport())
        .values()
    )
    assert ranking[0].edit_id == "e0" and ranking[0].reasons[0] == "response names section “Blind rating”"
    assert not any("names section" in reason for reason in ranking[1].reasons)


def test_responses_are_left_alone_unless_asked_for() -> None:
    silent = [Query(query.comment_id, query.comment) for query in QUERIES]
    for strategy in READERS:
        aligner = make_aligner(strategy, use_responses=False, embedder=WordVectors())
        first, second = (aligner.score(queries, CANDIDATES, report=QuietReport()) for queries in (QUERIES, silent))
        assert first == second
        assert not any("reply" in reason for ranking in first.values() for s in ranking for reason in s.reasons)


def test_scores_of_the_default_are_probabilities_with_one_threshold() -> None:
    rankings = make_aligner(DEFAULT, embedder=WordVectors()).score(QUERIES, CANDIDATES, report=QuietReport())
    for ranking in rankings.values():
        assert [s.score for s in ranking] == sorted((s.score for s in ranking), reverse=True)
        assert all(0.0 <= s.score <= 1.0 for s in ranking)


def test_provenance_names_strategy_version_and_encoder() -> None:
    assert make_aligner("bm25").origin == "model:bm25@1"
    aligner = make_aligner("fused", use_responses=True, embedder=WordVectors())
    assert aligner.origin == "model:fused@7+words"
    assert aligner.parameters["use_responses"] == "True"
    assert {strategy.id for strategy in STRATEGIES.values()} == set(STRATEGIES)


def test_an_unknown_strategy_is_named_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="Choose one of fused, bm25, encoder"):
        make_aligner("magic")


@pytest.mark.parametrize("strategy", READERS)
def test_cancel_is_heard(strategy: str) -> None:
    class Impatient(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            raise Cancelled

        def check(self) -> None:
            raise Cancelled

        def part(self, start: float, end: float) -> Report:
            return self

    with pytest.raises(Cancelled):
        make_aligner(strategy, embedder=WordVectors()).score(QUERIES, CANDIDATES, report=Impatient())


texts = st.text(alphabet="ab c.“”[]+-1é\n", max_size=40)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(texts, texts), max_size=4),
    st.lists(st.tuples(texts, texts), max_size=5),
    st.booleans(),
    st.sampled_from(READERS),
)
def test_anything_is_ranked_completely_and_finitely(
    comments: list[tuple[str, str]], pairs: list[tuple[str, str]], use_responses: bool, strategy: str
) -> None:
    queries = [Query(f"c{n}", comment, response=response) for n, (comment, response) in enumerate(comments)]
    candidates = [make(n, before, after) for n, (before, after) in enumerate(pairs)]
    rankings = make_aligner(strategy, use_responses=use_responses, embedder=WordVectors()).score(
        queries, candidates, report=QuietReport()
    )
    assert list(rankings) == [query.comment_id for query in queries]
    for ranking in rankings.values():
        assert sorted(s.edit_id for s in ranking) == sorted(c.edit_id for c in candidates)
        assert np.isfinite([s.score for s in ranking]).all()


# --- the parts --------------------------------------------------------------------------------------------------------


def test_bm25_by_an_independent_count() -> None:
    documents = ["the cats sat on mats", "dogs chase cats and other dogs", "birds fly", ""]
    scores = bm25(["dog cat", "", "zebra"], documents)
    terms = [["cat", "sat", "mat"], ["dog", "chase", "cat", "dog"], ["bird", "fli"], ["\0"]]
    average = sum(map(len, terms)) / 4

    def expected(words: list[str], of: list[str]) -> float:
        total = 0.0
        for word in words:
            n = sum(word in other for other in terms)
            if n and word in of:
                frequency = of.count(word)
                idf = np.log(1 + (4 - n + 0.5) / (n + 0.5))
                total += idf * frequency / (frequency + 1.5 * (1 - 0.75 + 0.75 * len(of) / average))
        return total

    assert np.allclose(scores[0], [expected(["dog", "cat"], of) for of in terms], atol=1e-5)
    assert not scores[1:].any()


def test_places_are_named_alike_however_written() -> None:
    assert references("See Fig. 2a, Tables 3, sec. 4.1 and Eq. 7; Appendix B") == {
        "Figure 2",
        "Table 3",
        "Section 4.1",
        "Equation 7",
        "Appendix B",
    }
    assert references("the section on figures in the year 2020") == frozenset()


def test_quotations_are_found_word_for_word_whatever_the_marks() -> None:
    text = 'We now say “name origins are estimated” and "other things".'
    assert quoted_in(text, "Here the Name  origins are estimated by a model.") == "name origins are estimated"
    assert quoted_in(text, "Origins are estimated of each name.") == ""
    assert quoted_in("We say nothing.", "anything") == ""


def test_post_revision_text_has_no_marks_and_no_deleted_words() -> None:
    edited = make(0, "The old words stay here for long.", "The new words stay here for long.")
    assert post_revision(edited).split() == ["The", "new", "words", "stay", "here", "for", "long."]
    assert post_revision(make(1, "Gone for good.", "")) == "Gone for good."
