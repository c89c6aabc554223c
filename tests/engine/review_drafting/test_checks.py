"""Each check on sentences and tables made by hand: what it must find, and what it must leave alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.review_drafting.records import Caption, Check, PaperReading
from engine.review_drafting.stages.results import CHECKS
from engine.review_drafting.stages.table_checks import bold_not_best, table_totals, unmentioned_tables, variance
from engine.review_drafting.stages.text_checks import absent_references, abstract_numbers, percentages, train_and_test
from tests.engine.review_drafting.papers import reading, table

BODY = [("results", f"In round {n} we measured {n}.5 seconds.") for n in range(3, 9)]


def texts(checks: object) -> list[str]:
    found = list(checks)  # type: ignore[call-overload]
    assert all(isinstance(check, Check) and check.anchors and check.suggestion for check in found)
    return [check.text for check in found]


@pytest.mark.parametrize(
    "sentence",
    [
        "Of the papers, 45 of 60 (75%) were read.",
        "We read 45 out of 60 papers (75.0%) twice.",
        "In 33.3% (1/3) of all cases it failed.",
        "Of 1,204 items, 602 of 1,204 (50%) were kept.",
        "Two of the 40 (5%) were lost, and 60 of 45 (12%) makes no share.",
        "Accuracy rose from 80% to 90%, an improvement of 10%.",
        "Accuracy rose from 80 to 90, an increase of 12.5%.",
        "It fell from 50 s to 40 s, a reduction of 20%.",
        "We saw 7 of 9 (78%) and 2 of 3 (67 %).",
    ],
)
def test_right_percentages_are_left_alone(sentence: str) -> None:
    assert texts(percentages(reading(("results", sentence)))) == []


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("Of the papers, 45 of 60 (80%) were read.", "75 %, not 80 %"),
        ("In 30% (1/3) of all cases it failed.", "33.33 %, not 30 %"),
        ("Accuracy rose from 80 to 90, an increase of 15%.", "neither is 15 %"),
        ("It was found in 602 of 1,204 items (52.0%).", "50 %, not 52.0 %"),
    ],
)
def test_wrong_percentages_are_found(sentence: str, part: str) -> None:
    found = list(percentages(reading(("results", sentence))))
    assert len(found) == 1 and found[0].certain and part in found[0].text
    anchor = found[0].anchors[0]
    assert anchor.quote == sentence[anchor.start : anchor.end]


@given(whole=st.integers(20, 5000), data=st.data(), digits=st.integers(0, 2))
def test_a_rounded_share_is_never_called_wrong(whole: int, data: st.DataObject, digits: int) -> None:
    part = data.draw(st.integers(0, whole))
    said = f"{part} of {whole} ({100 * part / whole:.{digits}f}%)"
    assert texts(percentages(reading(("results", f"In all we kept {said} of them.")))) == []


def test_numbers_of_the_abstract_are_looked_for() -> None:
    def checked(abstract: str) -> list[str]:
        rows = [["Method", "Accuracy"], ["ours", "0.914"], ["theirs", "81.25"]]
        return texts(abstract_numbers(reading(("abstract", abstract), *BODY, tables=(table("1", rows),))))

    assert checked("We reach 91.4% accuracy and they reach 81.3%.") == [], "as a share, and rounded"
    assert checked("We read 12 papers in 2019, three of them twice.") == [], "small counts and years tell nothing"
    assert "94.1%" in checked("We reach 94.1% accuracy.")[0]


def test_the_same_claim_with_another_number_is_shown() -> None:
    paper = reading(
        ("abstract", "The careful reader finds 97.2% of all quoted replies in letters."),
        ("results", "The careful reader finds 92.7% of the quoted replies in all letters."),
        *BODY,
    )
    found = list(abstract_numbers(paper))
    assert len(found) == 1 and "92.7%" in found[0].text and len(found[0].anchors) == 2


def with_captions(paper: PaperReading, *captions: tuple[str, str]) -> PaperReading:
    made = tuple(
        Caption(kind=kind, number=number, text=f"{kind} {number}", paragraph_id="c", page=2)  # type: ignore[arg-type]
        for kind, number in captions
    )
    return paper.model_copy(update={"captions": made})


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("Figure 3 shows the errors of all methods.", ["Figure 3"]),
        ("See Figures 1 and 3 for more on this.", ["Figure 3"]),
        ("Details stand in Figures 1-3 of this paper.", ["Figure 3"]),
        ("We plot the errors in Fig. 2a and Fig. 1.", []),
        ("Compare Figure 4 of [12] with our own.", []),
        ("This was shown in Figure 3 in Miller et al. before.", []),
        ("Supplementary Figure 3 shows more of this.", []),
        ("The book has it in Figure 3, page 12 of it.", []),
        ("Figure 31 of the manual says the same.", []),
        ("Table 1 and Table 3 hold the rest of it.", []),
    ],
)
def test_references_to_what_is_not_there(sentence: str, missing: list[str]) -> None:
    paper = with_captions(reading(("results", sentence)), ("figure", "1"), ("figure", "2"))
    found = texts(absent_references(paper))
    assert [name for name in missing if any(name in text for text in found)] == missing
    assert len(found) == len(missing)


def test_without_any_caption_nothing_is_called_absent() -> None:
    assert texts(absent_references(reading(("results", "Figure 3 shows the errors of all methods.")))) == []


def test_tables_that_the_text_never_names() -> None:
    rows = [["A", "B"], ["x", "1"], ["y", "2"]]
    paper = reading(("results", "Table 1 shows it all."), tables=(table("1", rows), table("2", rows)))
    assert ["Table 2" in text for text in texts(unmentioned_tables(paper))] == [True]


METHODS = [["Method", "Accuracy"], ["one", "71.2"], ["two", "74.5"], ["three", "73.0"]]


@pytest.mark.parametrize(
    ("rows", "caption", "expected"),
    [
        (METHODS, "Accuracy of three methods.", True),
        ([["Method", "Accuracy"], ["one", "71.2 ± 0.3"], ["two", "74.5 ± 0.2"]], "Accuracy.", False),
        ([["Method", "Accuracy"], ["one", "71.2 (0.3)"], ["two", "74.5 (0.2)"]], "Accuracy.", False),
        (METHODS, "Mean accuracy with standard deviations below 0.2.", False),
        ([["Part", "Pages"], ["one", "120"], ["two", "30"]], "Sizes of the parts.", False),
        (
            [["Country", "Ratio", "95% Interval"], ["x", "1.2", "(0.9, 1.4)"], ["y", "2.2", "(1.9, 2.4)"]],
            "Error",
            False,
        ),
    ],
)
def test_tables_without_spread(rows: list[list[str]], caption: str, expected: bool) -> None:
    found = texts(variance(reading(("results", "We show it in Table 1."), tables=(table("1", rows, caption),))))
    assert bool(found) == expected


def test_a_word_on_spread_elsewhere_is_shown() -> None:
    paper = reading(("method", "We report means over five runs with other seeds."), tables=(table("1", METHODS),))
    text = texts(variance(paper))[0]
    assert "means over five runs" in text


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["M", "Accuracy"], ["a", "71.2"], ["b", "**74.5**"], ["c", "73.0"]], []),
        ([["M", "Accuracy"], ["a", "71.2"], ["b", "74.5"], ["c", "**73.0**"]], ["74.5"]),
        ([["M", "Error"], ["a", "**71.2**"], ["b", "74.5"], ["c", "73.0"]], []),
        ([["M", "Error"], ["a", "71.2"], ["b", "**74.5**"], ["c", "73.0"]], ["71.2"]),
        ([["M", "Accuracy"], ["a", "71.2"], ["b", "74.5"], ["**ours**", "**73.0**"]], []),
        ([["M", "Left", "Right"], ["a", "**71.2**", "61.0"], ["b", "64.5", "**75.0**"], ["c", "73.0", "**80.5**"]], []),
        ([["M", "Zeal"], ["a", "1.0"], ["b", "**2.0**"], ["c", "3.0"], ["d", "1.5"]], ["3.0"]),
        ([["M", "Accuracy"], ["a", "**71.2**"], ["b", "74.5"]], []),
    ],
)
def test_bold_that_is_not_the_best(rows: list[list[str]], expected: list[str]) -> None:
    caption = "Table 1: Figures of methods."
    found = texts(bold_not_best(reading(tables=(table("1", rows, caption),))))
    assert len(found) == len(expected)
    assert all(number in text for number, text in zip(expected, found, strict=True))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The threshold was chosen on the test set for each method.", True),
        ("All figures were evaluated on the training set of letters.", True),
        ("The threshold was chosen on the development set, never on the test set.", False),
        ("We did not tune anything on the test data.", False),
        ("The model was evaluated on the test set.", False),
    ],
)
def test_words_on_training_and_test_data(sentence: str, expected: bool) -> None:
    assert bool(texts(train_and_test(reading(("method", sentence))))) == expected


def test_learning_without_a_word_on_other_data() -> None:
    learned: list[tuple[str, str]] = [
        ("method", "The model was trained for ten hours on letters."),
        ("method", "We fit a second model to the same letters."),
        ("results", "The accuracy of the model is 91.4 on letters."),
    ]
    assert len(texts(train_and_test(reading(*learned)))) == 1  # type: ignore[arg-type]
    told = [*learned, ("method", "All figures come from held-out letters.")]
    assert texts(train_and_test(reading(*told))) == []  # type: ignore[arg-type]


def test_totals_of_a_table() -> None:
    right = [["Part", "Pages"], ["one", "120"], ["two", "30"], ["Total", "150"]]
    wrong = [["Part", "Pages"], ["one", "120"], ["two", "30"], ["Total", "160"]]
    assert texts(table_totals(reading(tables=(table("1", right),)))) == []
    assert "sum to 150" in texts(table_totals(reading(tables=(table("1", wrong),))))[0]


@given(st.lists(st.tuples(st.sampled_from(["abstract", "method", "results"]), st.text(max_size=200)), max_size=6))
def test_no_text_breaks_a_check(sentences: list[tuple[str, str]]) -> None:
    paper = reading(*sentences, tables=(table("1", METHODS),))  # type: ignore[arg-type]
    for check in CHECKS:
        texts(check(paper))
