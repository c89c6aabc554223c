"""Each sentence of a review has one of five states, and none claims more than was checked."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.places import Places
from engine.documents.records import ParagraphKind
from engine.documents.service import DocumentService
from engine.review_drafting.claims import claim_kind, question_of
from engine.review_drafting.grounding import decided_text, ground
from engine.statements.absences import absence
from tests.engine.documents.pages import document
from tests.engine.review_drafting.papers import placed_paper
from tests.engine.review_drafting.planted import Tally, planted

_PARTS: list[tuple[ParagraphKind, str]] = [
    ("heading", "1 Introduction"),
    ("body", "We present a parser that reads difficult layouts. It was run with three seeds on 1,204 pages."),
    ("heading", "2 Results"),
    ("body", "As Figure 4 shows, accuracy rises to 93.4% on the held-out pages. Error bars are standard deviations."),
    ("caption", "Table 1: Scores of all readers."),
    ("table", "name score ours 0.912 theirs 0.87 count 1538"),
    ("caption", "Figure 1: A picture."),
]


@pytest.fixture(scope="module")
def places() -> Places:
    plain = document(*(text for _, text in _PARTS))
    paragraphs = [dataclasses.replace(p, kind=k) for p, (k, _) in zip(plain.paragraphs, _PARTS, strict=True)]
    return Places(dataclasses.replace(plain, paragraphs=tuple(paragraphs)))


def test_what_is_called_missing_in_the_text_is_searched_for_beyond_the_place(places: Places) -> None:
    (claim,) = ground("Table 1 gives no spread of the scores.", places).claims
    assert claim.verdict == "supported"
    (claim,) = ground("Table 1 gives no spread, and no standard deviation was found in the text.", places).claims
    assert claim.verdict == "contradicted" and "page 1" in claim.why


def test_a_place_in_brackets_belongs_to_the_sentence_before_it(places: Places) -> None:
    said = "They write “We present a parser that reads difficult layouts”. (Section 1 Introduction, p. 1)."
    (claim,) = ground(said, places).claims
    assert (claim.text, claim.verdict) == (said, "supported")
    apart = ground(f"{said}\n\n(Table 1 of the paper is short.)", places).claims
    assert [one.text for one in apart] == [said, "(Table 1 of the paper is short.)"], "a paragraph is no place"
    *_, second = ground("The parser is new. (But see the page.)", places).claims
    assert second.text == "(But see the page.)"


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Table 1 reports 0.912 for the new parser.", "place found"),
        ("Table 1 reports 0.921 for the new parser.", "not found"),
        ("Tab. 1 reports 0.91 for the new parser.", "place found"),
        ("Tbl. 1 reports 0.9 for the new parser.", "place found"),
        ("In Table 1 the authors list 42 without a reason.", "not found"),
        ("Table 1 lists 42 readers.", "place found"),
        ("The authors say ``It was run with three seeds'' in passing.", "place found"),
        ("The authors say ``layouts. It was run with four seeds'' in passing.", "not found"),
        ("The authors write “We present a parser [...] was run with three seeds”.", "supported"),
        ("The authors write “was run with three seeds ... We present a parser”.", "not found"),
        ("App. C is unclear.", "not found"),
        ("Table 1 shows a difference of 4.2 points.", "not checked"),
        ("Table 7 shows nothing of interest.", "not found"),
        ("The results in Figure 1 are weak.", "place found"),
        ("The results in Figure 3 are weak.", "not found"),
        ("The results in Figure 4 are weak.", "not checked"),  # the text names it, its caption was not found
        ("The authors write “a parser that reads difficult layouts”.", "supported"),
        ("The authors write “a parser that reads simple layouts”.", "not found"),
        ("Please change “reads difficult layouts” to “copes with hard layouts”.", "place found"),
        ("The abstract claims an accuracy of 95.1%.", "not found"),
        ("The accuracy of 93.4% is not convincing.", "place found"),
        ("The experiments are not convincing.", "not checked"),
        ("Section 2 is hard to follow.", "place found"),
        ("Section 6 is hard to follow.", "not found"),
        ("Line 12 is unclear.", "not checked"),  # the pages bear no numbers
        ("Supplementary Table S2 is unclear.", "not checked"),
        ("Please add a new Table 5 with run times.", "not checked"),
        ("Have you tried other seeds?", "not checked"),
        ("I am not an expert in this field.", "not checked"),
    ],
)
def test_each_sentence_has_the_state_of_what_it_names(places: Places, sentence: str, verdict: str) -> None:
    (claim,) = ground(sentence, places).claims
    assert (claim.verdict, claim.why) == (verdict, claim.why)
    assert claim.why


def test_what_was_found_leads_to_a_place_on_the_page(places: Places) -> None:
    (claim,) = ground("Table 1 reports 0.87 for the old one.", places).claims
    table, number = claim.parts[:2]
    assert table.place is not None and number.place is not None
    assert number.place.boxes and number.page == 1
    paragraph = places.document.paragraphs[5]
    assert paragraph.text[number.place.start : number.place.end] == "0.87"
    assert claim.text[number.start : number.end] == "0.87"


def test_a_heading_is_no_sentence_unless_it_names_something(places: Places) -> None:
    text = (
        "## Summary\nThe authors write “a parser that reads difficult layouts”.\n\n---\n# Table 7\n#1 The work is fine."
    )
    found = [(claim.text, claim.verdict) for claim in ground(text, places).claims]
    assert found == [
        ("The authors write “a parser that reads difficult layouts”.", "supported"),
        ("# Table 7", "not found"),
        ("The work is fine.", "not checked"),
    ]


def test_what_is_said_to_be_missing_is_searched_for(places: Places) -> None:
    (claim,) = ground("The paper does not report standard deviations.", places).claims
    assert claim.missing == "standard deviations"
    assert claim.passages[0].text == "Error bars are standard deviations."
    assert claim.passages[0].share == 1.0
    assert claim.verdict == "contradicted" and "standard deviations" in claim.why


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("The authors do not compare with BERT.", "BERT"),
        ("There is no ablation of the encoder.", "ablation of the encoder"),
        ("The paper lacks error bars, which is a problem.", "error bars"),
        ("A discussion of limitations is missing.", "A discussion of limitations"),
        ("Run times are never reported.", "Run times"),
        ("The results are strong.", None),
        ("Why does the paper not report run times?", None),
    ],
)
def test_absence_claims_are_recognised(sentence: str, missing: str | None) -> None:
    assert absence(sentence) == missing


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The paper does not report run times.", "Where does the paper report run times?"),
        ("However, there is no ablation.", "Could the authors say where the paper has ablation?"),
        ("I think the gain in Table 9 is noise.", "Could the authors clarify whether the gain in Table 9 is noise?"),
        ("Table 9 shows noise.", "Could the authors clarify whether Table 9 shows noise?"),
        ("Is this noise?", "Is this noise?"),
    ],
)
def test_a_claim_becomes_a_question_in_its_own_words(sentence: str, question: str) -> None:
    assert question_of(sentence) == question


@given(st.text(max_size=80))
def test_questions_and_kinds_are_made_of_any_text(text: str) -> None:
    assert claim_kind(text) in ("assertion", "question", "suggestion", "praise", "meta")
    made = question_of(text)
    assert made.endswith("?") or not any(c.isalnum() for c in made) or made == " ".join(text.split())
    absence(text)


def test_what_was_decided_leaves_dropped_or_asked(places: Places) -> None:
    text = "The setting is clear. Table 9 shows that it fails. Figure 1 is small. Figure 8 is smaller."
    review = ground(text, places)
    first, second = review.unfounded
    made = decided_text(review, {first.start: "question", second.start: "drop"})
    assert made == (
        "The setting is clear. Could the authors clarify whether Table 9 shows that it fails? Figure 1 is small."
    )
    again = ground(made, places)
    assert not again.unfounded
    asked = again.claims[1]
    assert asked.verdict == "not checked", "a question claims nothing: no count has it as not found"
    assert [part.verdict for part in asked.parts] == ["not found"] and "Table 9" in asked.why


def test_a_review_without_decisions_leaves_as_it_is(places: Places) -> None:
    text = "# Summary\n\nTable 1 is clear.\n\n- Why so few seeds?\n"
    assert decided_text(ground(text, places), {}) == text


@given(st.text(alphabet='ab .?!\n“”"Table 19,%-', max_size=60))
def test_any_text_can_be_checked(text: str) -> None:
    review = ground(text, Places(document("A table of a paper. ab ab ab.")))
    assert all(text[c.start : c.end] == c.text for c in review.claims)


def _holds(tally: Tally, kinds: int) -> None:
    """95 % of what is false is caught, and nothing true raises an alarm."""
    shares = tally.shares()
    assert len(shares) >= kinds
    for (kind, true), share in shares.items():
        assert share == 1.0 if true else share >= 0.95, (kind, share)


@pytest.mark.parametrize("columns", [1, 2])
def test_planted_errors_in_reviews_of_made_papers_are_caught(drafting_service: DocumentService, columns: int) -> None:
    """Quotations with gaps, numbers rounded, “Tab. 2”, “Eq. (3)”, “Sec 4.1”, appendices, and what is false of each."""
    places = Places(drafting_service.parse(placed_paper(columns, columns=columns, line_numbers=columns == 1)))
    tally = Tally()
    tally.judge(places, planted(places, random.Random(columns), 25))
    _holds(tally, 20)


@pytest.mark.data
def test_planted_errors_in_reviews_of_real_papers_are_caught(
    drafting_service: DocumentService, data_folder: Path
) -> None:
    tally = Tally()
    for number, paper in enumerate(sorted(data_folder.glob("revisions/*/revised.pdf"))):
        places = Places(drafting_service.parse(paper))
        tally.judge(places, planted(places, random.Random(number), 30))
    _holds(tally, 15)
