"""Claims that are worded stronger than they are shown: asked about, and never taken into a draft as a strength."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.service import DocumentService
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.crews import deterministic_crew
from engine.review_drafting.pipeline import run_stages
from engine.review_drafting.records import InsightReport
from engine.review_drafting.stages.wording_checks import bare_claims, scattered_claims
from engine.review_drafting.tasks import reading_of
from tests.engine.review_drafting.content_attacks import worded
from tests.engine.review_drafting.papers import reading

EACH = 3


def test_disguised_claims_are_asked_about(drafting_service: DocumentService) -> None:
    for seed in range(EACH):
        made = worded("disguised claims", seed)
        run = run_stages(deterministic_crew(), reading_of(drafting_service.parse(made.pdf), made.pdf, drafting_service))
        asked = [p for p in run.draft.questions if p.origin == "check:bare-claim"]
        assert asked, seed
        for words in made.planted:
            assert any(words.rstrip(".")[:60] in point.text.replace("‘", "“") for point in asked), (words, asked)
        assert all(anchor.found for point in asked for anchor in point.anchors)
        strengths = " ".join(point.text for point in run.draft.strengths)
        assert not any(words in strengths for words in made.planted)


def test_scattered_key_claims_are_among_the_contributions(drafting_service: DocumentService) -> None:
    for seed in range(EACH):
        made = worded("scattered key claims", seed)
        run = run_stages(deterministic_crew(), reading_of(drafting_service.parse(made.pdf), made.pdf, drafting_service))
        insight = run.output("insight")
        assert isinstance(insight, InsightReport)
        found = " ".join(fact.text for fact in insight.core_contributions)
        assert sum(words in found for words in made.planted) >= 2


def test_plain_wording_is_left_alone(drafting_service: DocumentService) -> None:
    for seed in range(EACH):
        made = worded("", seed)
        paper = reading_of(drafting_service.parse(made.pdf), made.pdf, drafting_service)
        assert list(bare_claims(paper)) == []


@pytest.mark.data
def test_real_papers_are_hardly_asked_about_their_wording(drafting_service: DocumentService, data_folder: Path) -> None:
    for pdf in sorted(data_folder.glob("revisions/*/submitted.pdf")):
        paper = reading_of(drafting_service.parse(pdf), pdf, drafting_service)
        checks = list(bare_claims(paper))
        assert len(checks) <= 1, (pdf.parent.name, [check.text for check in checks])


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("It is well known that our method is superior to all others.", True),
        ("It is well known that our method is superior to all others, as Table 2 shows.", False),
        ("It is well known that our method is superior by 3 points.", False),
        ("It is well known that our method is superior [4].", False),
        ("It is well known that our method is superior. Table 2 shows it in detail.", False),
        ("It is well known that our method is superior. Others read letters instead [4].", True),
        ("Table 2 lists all errors. Some are small. Our method clearly outperforms all existing parsers.", False),
        ("Table 2 lists all errors.\n\nOur method clearly outperforms all existing parsers.", True),
        ("We ask whether, as is known, our method is superior.", False),
        ("Our method outperforms all existing parsers.", False),
        ("It is well known that pages have columns.", False),
        ("The truth is known exactly, and we use it.", False),
    ],
)
def test_only_claims_without_anything_beside_them_are_bare(sentence: str, found: bool) -> None:
    paper = read_text_paper("Pages", f"# Discussion\n\n{sentence}\n")
    assert bool(list(bare_claims(paper))) is found


def test_a_chance_is_no_claim() -> None:
    front = ("abstract", "We read pages and count their words with great care.")
    chance = "For the first time we have the chance to illustrate the ink of editors."
    assert scattered_claims(reading(front, ("method", chance))) == ()


def test_what_the_front_speaks_of_is_not_apart() -> None:
    claim = "Our key contribution is a proof that column order determines footnotes."
    front = ("abstract", "We prove that the order of columns determines the footnotes.")
    other = ("abstract", "We read pages and count their words with great care.")
    assert [s.text for s in scattered_claims(reading(other, ("method", claim)))] == [claim]
    assert scattered_claims(reading(front, ("method", claim))) == ()
    assert scattered_claims(reading(other, ("introduction", claim))) == ()


def test_a_claim_is_spoken_of_by_a_paragraph_and_without_its_announcement() -> None:
    claim = (
        "We take this as the main claim about columns: footnotes are found at any width even when rules are missing."
    )
    front = "Columns end early. Footnotes can be found at any width. This holds even where rules are missing."
    assert scattered_claims(reading(("conclusion", front), ("results", claim))) == ()
    assert scattered_claims(reading(("conclusion", "Pages are long and letters are short."), ("results", claim)))
