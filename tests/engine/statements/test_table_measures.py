"""What is better by the names of measures, measures of effort, and numbers beside what a statement compares."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid, lay_out
from engine.statements.measures import better_values
from engine.statements.tables import judge

TRANSLATION = TableGrid(
    (("System",), ("BLEU",), ("Params",), ("Decode",), ("TER",)),
    (
        ("Marmot", "24.1", "40M", "31.5", "0.61"),
        ("Weasel", "26.4", "98M", "47.0", "0.57"),
        ("Stoat", "25.2", "120M", "28.2", "0.60"),
    ),
    "Table 4: Translation of 500 letters. Decode: time in milliseconds for a sentence.",
    "4",
)
READERS = TableGrid(
    (("Reader",), ("Size",), ("Short texts",), ("Long texts",)),
    (
        ("Owl", "3M", "61.2/70.4", "50.0/58.8"),
        ("Lynx", "9M", "64.0/73.1", "49.1/57.2"),
        ("Hare", "5M", "66.5/75.0", "52.3/60.9"),
    ),
    "Table 5: Exact match/F1-score of three readers.",
    "5",
)


@pytest.mark.parametrize(
    ("label", "better"),
    [
        ("Sentiment", None),
        ("Previous", None),
        ("Indices", None),
        ("Successive", None),
        ("mIoU", "higher"),
        ("Time (s)", "lower"),
        ("runtime", "lower"),
    ],
)
def test_a_measure_is_a_whole_word(label: str, better: str | None) -> None:
    assert better_values(label) == better


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        # Parameters and time are no part of how well something works.
        ("Weasel outperforms Marmot.", "supported"),
        ("Marmot outperforms Weasel.", "contradicted"),
        ("Weasel is better than Marmot in params.", "contradicted"),
        # What is faster is a matter of the column that the caption says is a time.
        ("Stoat is the fastest system.", "supported"),
        ("Marmot is faster than Stoat.", "contradicted"),
        # A lower performance is a worse one, whatever the number.
        ("The performance of Marmot is lower than that of Weasel.", "supported"),
        ("The performance of Weasel is lower than that of Marmot.", "contradicted"),
        # Little is not significant.
        ("Weasel is significantly better than Stoat in BLEU.", "supported"),
        ("Stoat is significantly better than Marmot in TER.", "place found"),
        ("The BLEU of Weasel is higher than the BLEU of Stoat.", "supported"),
        ("The BLEU of Stoat is higher than the BLEU of Weasel.", "contradicted"),
    ],
)
def test_what_is_compared_is_what_the_words_are_about(statement: str, verdict: str) -> None:
    assert judge(statement, TRANSLATION).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Weasel outperforms Marmot in BLEU (+2.3).", "supported"),
        ("Weasel outperforms Marmot in BLEU (+3.2).", "contradicted"),
        ("On 500 letters, Weasel outperforms Marmot in BLEU.", "supported"),
        ("On 700 letters, Weasel outperforms Marmot in BLEU.", "place found"),
        # Each number belongs to the name before it.
        ("Weasel (26.4) and Stoat (25.2) outperform Marmot in BLEU.", "supported"),
        ("Weasel (25.2) and Stoat (26.4) outperform Marmot in BLEU.", "contradicted"),
        ("Weasel outperforms Marmot by 2.3 points in BLEU.", "supported"),
        ("Weasel and Stoat outperform Marmot by 1.1~2.3 points in BLEU.", "place found"),
        ("Stoat is faster than Marmot and Weasel (10% and 40%).", "supported"),
        ("Stoat is faster than Marmot and Weasel (10% and 60%).", "place found"),
    ],
)
def test_numbers_beside_a_comparison_must_be_accounted_for(statement: str, verdict: str) -> None:
    assert judge(statement, TRANSLATION).verdict == verdict


def test_words_before_a_name_in_brackets_say_what_it_is() -> None:
    assert judge("The ensemble with Gaussian dropout (Weasel) outperforms Stoat.", TRANSLATION).verdict == "supported"
    assert judge("The ensemble with Gaussian dropout and Weasel outperforms Stoat.", TRANSLATION).verdict != "supported"


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Hare outperforms Owl and Lynx in both EM and F1.", "supported"),
        ("Lynx outperforms Hare in F1.", "contradicted"),
        ("Owl has an F1 of 70.4 on short texts.", "supported"),
        ("Owl has an F1 of 61.2 on short texts.", "contradicted"),
        ("Owl has an exact match of 61.2 on short texts.", "supported"),
    ],
)
def test_cells_with_two_numbers_are_two_columns(statement: str, verdict: str) -> None:
    judgement = judge(statement, READERS)
    assert judgement.verdict == verdict
    assert judgement.cells and all(column in (2, 3) for _, column in judgement.cells)


def test_columns_with_other_numbers_stay_as_they_are() -> None:
    rows = (("Owl", "61.2/70.4"), ("Lynx", "64.0/73.1"), ("Hare", "66.5"))
    layout = lay_out(TableGrid((("Reader",), ("Short texts",)), rows, READERS.caption))
    assert [e.value for e in layout.entries] == [66.5]


def test_names_in_the_heading_come_before_those_in_the_caption() -> None:
    rows = (("Owl", "61.2 / 70.4 / 65.5"), ("Lynx", "64.0 / 73.1 / -"), ("Hare", "one / two"))
    layout = lay_out(TableGrid((("Reader",), ("Long texts (P/R/F)",)), rows, "Table 6: Exact match/F1-score."))
    assert [e.labels[-2:] for e in layout.entries] == [
        *[("Long texts", x) for x in "PRF"],
        *[("Long texts", x) for x in "PR"],
    ]
    assert [e.value for e in layout.entries] == [61.2, 70.4, 65.5, 64.0, 73.1]
