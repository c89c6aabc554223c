"""Percentages, parts and wholes, and the abstract's figures: what is found, and what is left alone."""

from __future__ import annotations

import pytest

from engine.documents.places import Places, find_references
from engine.documents.tables import Table
from engine.review_drafting.benchmark.text_paper import read_text_paper, text_document
from engine.review_drafting.reading import read_paper
from engine.review_drafting.stages.abstract_checks import abstract_numbers
from engine.review_drafting.stages.text_checks import percentages
from tests.engine.review_drafting.papers import reading, rows_of, texts

BODY = [("results", f"In round {n} we measured {n}.5 seconds.") for n in range(3, 9)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Of the papers, 45 of 60 (75%) were read.",
        "We read 45 out of 60 papers (75.0%) twice.",
        "In 33.3% (1/3) of all cases it failed.",
        "Of 1,204 items, 602 of 1,204 (50%) were kept.",
        "The ratio was 0 of 1.32 (95% CI 1.2 to 1.4) and 3 of 9 (95% interval).",
        "We saved 65% (280/800) of the reading.",
        "Two of the 40 (5%) were lost, and 60 of 45 (12%) makes no share.",
        "Accuracy rose from 80% to 90%, an improvement of 10%.",
        "Accuracy rose from 80 to 90, an increase of 12.5%.",
        "It fell from 50 s to 40 s, a reduction of 20%.",
        "We saw 7 of 9 (78%) and 2 of 3 (67 %).",
        "We saw 7 of 9 (77%) and 2 of 3 (66 %), both cut off.",
        "Of the 60 papers, 45 (75%) were read, and 45 (75%) of 60 were kept.",
        "We checked 20 of 80 pages, about 40% of which were wet.",
        "In 3 of 4 classes (5% level) and 2 of 5 tests (10% significance) it failed.",
        "Of 90 pages, 30 were old (mean age 40 years, 12% worn).",
        "Cleaning lowered the error by 20%, from 25.0 to 20.0.",
        "The error dropped by 12%, from 3 to 10 pages per site being enough.",
        "The 90 pages were split into 60 for training and 30 for testing.",
        "We had 80 readers (45 women, 33 men); 50 pages (30 women, 40 clerks) remained.",
        "We split 100 pages into 5 folds of 20 for training and testing.",
        "Of the 48 pages, 31 had stains and 22 were torn.",
        "There were 30 letters with seals and 25 with stamps among the 40 letters.",
        "The 90 pages contain 60 letters, and 40 of them have dates.",
        "Of the 40 letters, 52 pages were read; in 1996 of the 205 pages were lost.",
        "The pages show ink (48%), dust (43%) and rain (52%).",
        "As the single reason, 40% of readers named ink, 30% dust and the remaining 30% rain.",
        "Of the remaining 40% of pages, 80% had ink and 20% had none.",
        "Paper was the preferred medium of 44% of women and 60% of men.",
        "The main cause of waiting is the reading of pages: 61% with sorting, 68% without.",
    ],
)
def test_right_percentages_are_left_alone(sentence: str) -> None:
    assert texts(percentages(reading(("results", sentence)))) == []


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("Of the papers, 45 of 60 (80%) were read.", "75 %, not 80 %"),
        ("In 30% (1/3) of all cases it failed.", "33.33 %, not 30 %"),
        ("Lamps were lit in 45 of 60 (25%) harbours.", "75 %, not 25 %"),
        ("The share of lit lamps was 45/60 = 85%.", "75 %, not 85 %"),
        ("Accuracy rose from 80 to 90, an increase of 15%.", "neither is 15 %"),
        ("It was found in 602 of 1,204 items (52.0%).", "50 %, not 52.0 %"),
        ("Of the 212 farms, 53 (30%) were new.", "25 %, not 30 %"),
        ("We left out 37 farms (22%) of 148.", "25 %, not 22 %"),
        ("Three of the twelve failures (33%) came from one.", "25 %, not 33 %"),
        ("We lost 14 pages out of a total of 350, or 6%, to rain.", "4 %, not 6 %"),
        ("Among 480 readers, 96 were new, that is 24%.", "20 %, not 24 %"),
        ("It holds for 66 pages (n = 66/240; 32.5%).", "27.5 %, not 32.5 %"),
        ("It lowered the error by 40%, from 25.0 to 20.0.", "neither is 40 %"),
        ("We saw a 50% increase, from 12 to 15 per week.", "neither is 50 %"),
        ("The cost rose from 200 to 260 (+45%).", "neither is 45 %"),
        ("The 96 pages were split into 60 for training, 20 for validation and 26 for testing.", "sum to 106, not 96"),
        ("We had 80 readers (45 women, 45 men).", "sum to 90, not 80"),
        ("We lost 4 of 400,000 letters (.00001%) on the way.", "0.001 %, not .00001 %"),
        ("The 80 letters comprise 40 bills, 30 notes and 20 maps.", "sum to 90, not 80"),
        ("We read 240 pages: 131 bills, 87 notes and 34 maps.", "sum to 252, not 240"),
        ("Of the 36 pages, 21 were folded and 18 were not folded.", "sum to 39, not 36"),
        ("Of the 38 pages, 29 were bills and the other 12 were maps.", "sum to 41, not 38"),
        ("Of the 48 pages, 31 had ink and 22 had dust; none had both.", "sum to 53, not 48"),
        ("Among the 28 pages, 17 were bound and 14 unbound.", "sum to 31, not 28"),
        ("The 64 pages include 40 with dates; the other 31 are blank.", "sum to 71, not 64"),
        ("There were 17 girls and 16 boys among the 32 readers.", "sum to 33, not 32"),
        ("Dates were found on 231 of the 205 pages.", "231 is more than the whole, 205"),
        ("Of the 40 readers, 52 answered.", "52 is more than the whole, 40"),
        ("It fell from 80 to 40, a decrease of 100%.", "neither is 100 %"),
    ],
)
def test_wrong_percentages_are_found(sentence: str, part: str) -> None:
    found = list(percentages(reading(("results", sentence))))
    assert len(found) == 1 and found[0].certain and part in found[0].text
    anchor = found[0].anchors[0]
    assert anchor.quote == sentence[anchor.start : anchor.end]


ABSTRACT = "We read the letters of three harbours with a new program."
READ = ("results", "The program read 1,680 pages of letters in all harbours.")


@pytest.mark.parametrize(
    ("said", "body", "named"),
    [
        ("It read 1,860 pages of letters.", READ, "1,860"),
        ("It read 1,680 pages of letters.", READ, ""),
        ("It read more than 1,860 pages of letters.", READ, ""),
        ("It read 1,860 maps of other coasts.", READ, ""),
        ("Readers accepted 47% of the dates.", ("results", "They accepted 41% of the dates."), "47%"),
        ("Readers accepted 47% of the dates.", ("results", "They accepted 41% of the dates, and 47% later."), ""),
        ("Readers accepted 47% of the dates.", ("related", "They accepted 41% of the dates."), ""),
        ("The mean distance is 15.7 h.", ("results", "The mean distance is 17.5 h by ship."), "15.7"),
        ("Readers accepted 5 of the dates.", ("results", "They accepted 4 of the dates."), ""),
    ],
)
def test_a_figure_of_the_abstract_that_the_text_has_differently(said: str, body: tuple[str, str], named: str) -> None:
    paper = read_text_paper("Pages", f"# Abstract\n\n{ABSTRACT} {said}\n\n# {body[0]} work\n\n{body[1]}\n")
    found = texts(abstract_numbers(paper))
    assert [f"{named} isn't found anywhere else" in text and body[1] in text for text in found] == [True] * bool(named)


def test_an_abstract_without_a_heading_is_the_only_paragraph_before_the_first_section() -> None:
    said = " ".join(
        (ABSTRACT, "Nobody did so before.", "It read 1,860 pages of letters.", ABSTRACT, ABSTRACT, ABSTRACT)
    )
    paper = read_paper(text_document("Pages", f"{said}\n\n# Introduction\n\n{READ[1]}\n"))
    assert paper.abstract == said and paper.sentences[0].part == "abstract"
    assert len(list(abstract_numbers(paper))) == 1
    assert paper.places.resolve(find_references("The abstract says so.")[0]) is not None
    for other in (f"{said}\n\n{said}", ABSTRACT):
        assert read_paper(text_document("Pages", f"{other}\n\n# Introduction\n\n{READ[1]}\n")).abstract == ""


def test_a_figure_of_the_abstract_that_the_table_has_differently() -> None:
    caption = "Table 1: Errors of all readers by coast."
    found = Table("1", caption, "c", ("p",), 3, rows_of(["Reader", "North", "West"], ["Tide", "8.9", "8.1"]))
    for said, expected in (("On the North coast, the error is 9.4 days.", ["8.9"]), ("The error is 9.4 days.", [])):
        paper = reading(("abstract", ABSTRACT), ("abstract", said), ("results", "See Table 1."))
        paper._places = Places(paper.places.document, (found,))
        made = list(abstract_numbers(paper))
        assert [f"has {value} (" in check.text for check in made for value in expected] == [True] * len(expected)
        assert [[a.kind for a in check.anchors] for check in made] == [["quote", "table"]] * len(expected)
