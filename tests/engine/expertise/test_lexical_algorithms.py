"""tpms, bm25 and trivial: against slow formulas of their own, and at the edges."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import Cancelled
from engine.expertise.algorithms.base import SimilarityAlgorithm
from engine.expertise.algorithms.lexical import Bm25, Trivial
from engine.expertise.algorithms.tpms import Tpms
from engine.expertise.algorithms.words import count_stems, paper_text, plain_words, without_references
from engine.expertise.records import PaperText
from engine.jobs import QuietReport
from tests.engine.expertise.invented_papers import PROFILES, SUBMISSIONS, invented_papers

QUIET = QuietReport()
EVERYONE = {**PROFILES, "both": ("b0", "s0"), "nobody": ()}
ALGORITHMS = (Tpms(), Bm25(), Trivial())
every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.info.id)


def stems(paper: PaperText) -> Counter[str]:
    return count_stems(f"{paper.title} {paper.abstract}")


def test_tpms_is_the_reference_formula() -> None:
    """The reference's loops, word by word."""
    papers = invented_papers()
    people = {name: sum((stems(papers[key]) for key in keys), Counter()) for name, keys in EVERYONE.items() if keys}
    submitted = {key: stems(papers[key]) for key in SUBMISSIONS}
    documents = [*people.values(), *submitted.values()]
    idf = {
        word: math.log(len(documents) / sum(word in other for other in documents)) for one in documents for word in one
    }

    def weights(words: Counter[str]) -> dict[str, float]:
        most = max(words.values())
        return {word: (0.5 + 0.5 * count / most) * idf[word] for word, count in words.items()}

    found = Tpms().read(papers, "title+abstract", report=QUIET).score(EVERYONE, SUBMISSIONS, report=QUIET)
    for row, name in enumerate(EVERYONE):
        for column, key in enumerate(SUBMISSIONS):
            if name not in people:
                assert np.isnan(found[row, column])
                continue
            left, right = weights(people[name]), weights(submitted[key])
            product = sum(value * right.get(word, 0.0) for word, value in left.items())
            lengths = math.hypot(*left.values()) * math.hypot(*right.values())
            assert found[row, column] == pytest.approx(product / lengths, abs=1e-12)


def test_bm25_is_its_formula() -> None:
    papers = invented_papers()
    counts = {key: stems(paper) for key, paper in papers.items()}
    mean = sum(sum(words.values()) for words in counts.values()) / len(counts)

    def weight(word: str, paper: str) -> float:
        n = sum(word in words for words in counts.values())
        tf = counts[paper][word]
        length = 1.5 * (0.25 + 0.75 * sum(counts[paper].values()) / mean)
        return math.log(1 + (len(counts) - n + 0.5) / (n + 0.5)) * tf / (tf + length)

    found = Bm25().read(papers, "title+abstract", report=QUIET).score(EVERYONE, SUBMISSIONS, report=QUIET)
    for row, keys in enumerate(EVERYONE.values()):
        for column, submission in enumerate(SUBMISSIONS):
            alike = [sum(weight(word, key) for word in counts[submission]) / len(counts[submission]) for key in keys]
            expected = sum(sorted(alike)[-3:]) / min(3, len(alike)) if alike else math.nan
            assert found[row, column] == pytest.approx(expected, abs=1e-6, nan_ok=True)


@every_algorithm
def test_birds_go_to_the_ornithologist(algorithm: SimilarityAlgorithm) -> None:
    found = algorithm.read(invented_papers(), "title+abstract", report=QUIET).score(PROFILES, SUBMISSIONS, report=QUIET)
    if algorithm.info.id == "trivial":
        assert np.all(found == 1.0)
    else:
        assert np.all(found[0, :2] > found[1, :2]) and np.all(found[0, 2:] < found[1, 2:])


@every_algorithm
@pytest.mark.parametrize("representation", ["title", "title+abstract", "full text"])
def test_edges(algorithm: SimilarityAlgorithm, representation: str) -> None:
    """Nothing at all, no abstract, another script, a paper twice, one's own paper among the submissions."""
    papers = invented_papers()
    papers["empty"] = PaperText("empty", "")
    papers["bare"] = PaperText("bare", "Dawn song")
    papers["chinese"] = PaperText("chinese", "鸣禽的迁徙", "我们记录了春天的鸣禽。")
    papers["copy"] = replace(papers["b3"], id="copy")
    profiles = {
        "nobody": (), "only empty": ("empty",), "bird": ("b0", "b1"), "twice": ("b0", "b1", "b0"),
        "own": ("b0", "b1", "b3"), "only own": ("b3",), "chinese": ("chinese", "b0"),
    }  # fmt: skip
    submissions = ("b3", "copy", "empty", "bare", "chinese", "b3")
    scorer = algorithm.read(papers, representation, report=QUIET)  # type: ignore[arg-type]
    found = dict(zip(profiles, scorer.score(profiles, submissions, report=QUIET), strict=True))
    assert np.isnan(found["nobody"]).all()
    assert np.isnan(found["only own"][[0, 5]]).all() and np.isfinite(found["only own"][1])
    assert np.isfinite(found["bird"]).all() and np.isfinite(found["chinese"]).all()
    if algorithm.info.id != "trivial":
        assert np.isnan(found["only empty"]).all()
        assert found["bird"][2] == 0
    assert np.allclose(found["twice"], found["bird"], atol=0.05 if algorithm.info.id == "tpms" else 1e-9)
    # Without the own paper it is the bird's profile (tpms counts the own paper in its idf all the same).
    assert np.allclose(found["own"][[0, 5]], found["bird"][[0, 5]], atol=0.05 if algorithm.info.id == "tpms" else 1e-9)
    assert found["own"][0] == found["own"][5]


@every_algorithm
def test_who_was_not_read_is_named(algorithm: SimilarityAlgorithm) -> None:
    scorer = algorithm.read(invented_papers(), "title", report=QUIET)
    with pytest.raises(KeyError, match="elsewhere"):
        scorer.score({"a": ("elsewhere",)}, ("b3",), report=QUIET)
    with pytest.raises(KeyError, match="elsewhere"):
        scorer.score({"a": ("b0",)}, ("elsewhere",), report=QUIET)


@every_algorithm
def test_evidence_sums_to_one_and_names_words_that_stand_there(algorithm: SimilarityAlgorithm) -> None:
    papers = invented_papers()
    scorer = algorithm.read(papers, "title+abstract", report=QUIET)
    scorer.score(PROFILES, SUBMISSIONS, report=QUIET)
    found = scorer.explain(("b0", "b1", "s0", "b3"), "b3")
    assert {piece.paper for piece in found} == {"b0", "b1", "s0"}
    assert sum(piece.share for piece in found) == pytest.approx(1)
    assert [piece.share for piece in found] == sorted((piece.share for piece in found), reverse=True)
    assert scorer.explain((), "b3") == ()
    if algorithm.info.id != "trivial":
        written = {word for paper in papers.values() for word in plain_words(f"{paper.title} {paper.abstract}")}
        assert found[0].paper == "b0" and {"songbirds", "melodies"} <= set(found[0].words) <= written


def test_reading_can_be_cancelled() -> None:
    class Stop(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            raise Cancelled

    for algorithm in (Tpms(), Bm25()):
        with pytest.raises(Cancelled):
            algorithm.read(invented_papers(), "title", report=Stop())


def test_references_are_cut_where_they_are_references() -> None:
    body = "Intro.\n" + "word " * 50 + "\nReferences\n[1] A. Author."
    assert without_references(body).endswith("word ") and "Author" not in without_references(body)
    contents = "Contents\nReferences\n" + "word " * 50
    assert without_references(contents) == contents
    paper = PaperText("p", "Title", "Abstract", body)
    assert paper_text(paper, "full text", "\n", references=False).startswith("Title\nAbstract\nIntro.")
    assert paper_text(PaperText("p", "Title", "", ""), "full text") == "Title"


def test_words_are_cut_as_the_reference_cuts_them() -> None:
    assert plain_words("Naïve Bayes—ßtructure, x2 ﬁne") == ["naive", "bayes", "sstructure", "x", "ne"]
    assert count_stems("The learners learned; learning a B") == Counter({"learner": 1, "learn": 2})
