"""The Literature Searcher: keyphrases, order of the finds, extractive summaries, citations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.jobs import QuietReport
from engine.papers.retrieval import fuse, hybrid, lexical_scores
from engine.review_drafting.records import LibraryEntry, LiteratureReport, Search, StageInput
from engine.review_drafting.stages.keyphrases import keyphrases
from engine.review_drafting.stages.literature import PUBLISHED, found_literature
from tests.engine.review_drafting.conftest import Read
from tests.engine.review_drafting.papers import reading

NEAR = LibraryEntry(
    id="near",
    title="Parsing Review Letters With Templates",
    abstract="Review letters answer the comments of reviewers. We propose templates for parsing review letters. "
    "We found that templates parse 80% of the letters.",
    year=2021,
    authors=("Eve Smith", "Fay Other", "Gil Third"),
)
CITED = LibraryEntry(id="cited", title="Reading single reviews with rules", abstract="Rules read a review.", year=2019)
FAR = [
    LibraryEntry(id=f"far-{n}", title=f"Sediments of the river number {n}", abstract="We study sand and clay in water.")
    for n in range(15)
]


class WordVectors:
    """A stand-in encoder: a dimension for each of some words."""

    fingerprint = "words"
    _words = ("letter", "review", "pars", "repl", "sediment", "river", "sand")

    def encode(self, texts: Sequence[str], report: object = None) -> np.ndarray:
        found = np.array([[text.casefold().count(word) for word in self._words] for text in texts], dtype=np.float32)
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        return found / np.where(norms > 0, norms, 1)


def search(
    read: Read, library: Sequence[LibraryEntry], *, encoder: bool = False, how: Search | None = None
) -> LiteratureReport:
    vectors = WordVectors if encoder else None
    given = StageInput(paper=read.paper, library=tuple(library), search=how or Search())
    return found_literature(vectors, given, QuietReport())  # type: ignore[arg-type]


@pytest.mark.parametrize("encoder", [False, True])
def test_the_search_has_a_date_limits_and_reranking(clean: Read, *, encoder: bool) -> None:
    phrase = keyphrases(clean.paper)[0]
    ours = {"abstract": f"A {phrase} of letters of review. We parse letters.", "title": "Letters"}
    new, old, dateless = (
        LibraryEntry(id=str(year), title=f"Letters {year}", abstract=ours["abstract"], year=year)
        for year in (2023, 2022, 0)
    )
    library = [new, old, dateless, *FAR]
    assert {"2023", "2022", "0"} <= {work.paper_id for work in search(clean, library, encoder=encoder).found}
    published = search(clean, library, encoder=encoder, how=PUBLISHED)
    assert [work.paper_id for work in published.found] == ["2023"], "from 2023 onward, and no paper without a year"
    assert published.searched == len(library)
    assert len(search(clean, library, encoder=encoder, how=Search(top=2)).found) == 2
    assert len(search(clean, library, encoder=encoder, how=Search(pool=1)).found) == 1


def test_each_phrase_has_a_pool_of_its_own(clean: Read) -> None:
    phrases = keyphrases(clean.paper)[:3]
    one_each = [LibraryEntry(id=phrase, title=f"On {phrase}", abstract="Words.") for phrase in phrases]
    found = search(clean, [*one_each, *FAR], how=Search(pool=1, queries="phrases")).found
    assert {work.paper_id for work in found} == set(phrases)
    assert len(search(clean, [*one_each, *FAR], how=Search(pool=1)).found) == 1


def test_reranking_orders_by_the_sentences_of_the_abstract(clean: Read) -> None:
    whole = LibraryEntry(id="whole", title="Another", abstract=clean.paper.abstract)
    words = " ".join(keyphrases(clean.paper))
    stuffed = LibraryEntry(id="stuffed", title=words, abstract=f"{words} {words}")
    orders = [
        [work.paper_id for work in search(clean, [stuffed, whole, *FAR], how=how).found][:2]
        for how in (Search(queries="phrases", reranked=False), Search(queries="phrases"))
    ]
    assert orders == [["stuffed", "whole"], ["whole", "stuffed"]]


def test_three_to_five_keyphrases_from_the_papers_words(clean: Read) -> None:
    found = keyphrases(clean.paper)
    assert 3 <= len(found) <= 5
    assert "careful reader" in found
    text = f"{clean.paper.title} {clean.paper.abstract} ".casefold() + " ".join(
        s.text.casefold() for s in clean.paper.sentences
    )
    assert all(phrase in text for phrase in found)


def test_no_words_no_keyphrases() -> None:
    assert keyphrases(reading()) == ()


@pytest.mark.parametrize("encoder", [False, True])
def test_the_near_paper_comes_first_and_is_summarised_in_its_own_words(clean: Read, encoder: bool) -> None:
    report = search(clean, [*FAR, CITED, NEAR], encoder=encoder)
    assert report.searched == 17
    assert {work.paper_id for work in report.found[:2]} == {"near", "cited"}
    first = next(work for work in report.found if work.paper_id == "near")
    assert first.main_methods == "We propose templates for parsing review letters."
    assert first.key_findings == "We found that templates parse 80% of the letters."
    assert first.summary == "Review letters answer the comments of reviewers."
    assert not first.cited and "Its title wasn't found in the reference" in first.relation
    assert next(work for work in report.found if work.paper_id == "cited").cited
    scores = [work.score for work in report.found]
    assert scores == sorted(scores, reverse=True) and len(report.found) <= Search().top


def test_the_paper_itself_is_no_related_work(clean: Read) -> None:
    own = LibraryEntry(id="own", title=clean.paper.title.upper() + ".", abstract=clean.paper.abstract)
    assert [work.paper_id for work in search(clean, [own, NEAR]).found] == ["near"]


def test_an_empty_library_finds_nothing(clean: Read) -> None:
    assert search(clean, []).found == ()


def test_ranks_are_fused_and_zero_is_no_find() -> None:
    fused = fuse([np.array([3.0, 1.0, 0.0]), np.array([0.0, 2.0, 0.0])])
    assert fused[1] > fused[0] > fused[2] == 0.0


def test_words_are_matched_by_stem() -> None:
    scores = lexical_scores(["parsing letters"], ["a parser parses a letter", "sand and clay", ""])
    assert scores[0, 0] > 0 == scores[0, 1] == scores[0, 2]
    assert hybrid(["letters"], [], None).shape == (0,)
