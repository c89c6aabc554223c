"""Statements about tables: each kind, true and false."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge

PARSERS = TableGrid(
    (("Model",), ("Accuracy (%)",), ("F1 ↑",), ("Latency (ms)",), ("Params (M)",)),
    (
        ("LSTM", "71.2", "0.68", "12.5", "20"),
        ("GRU", "73.9", "0.70", "11.0", "18"),
        ("Transformer", "81.4", "0.79", "25.3", "65"),
        ("Our model", "84.0", "0.82", "14.8", "24"),
    ),
    "Table 2: Results on the parsing test set.",
    "2",
)
TRUE = (
    "Table 2 reports an accuracy of 81.4 % for Transformer.",
    "GRU achieves an F1 of 0.70.",
    "GRU achieves an F1 of 70 %.",
    "In Table 2, the F1 of LSTM is 0.68.",
    "Our model achieves the highest accuracy.",
    "The lowest latency in Table 2 is that of GRU.",
    "The best F1 is obtained by our model (0.82).",
    "Transformer outperforms GRU in accuracy.",
    "Transformer outperforms GRU by 7.5 points in accuracy.",
    "The difference between LSTM and GRU in accuracy is 2.7 points.",
    "The accuracy ranges from 71.2 to 84.0.",
    "All models have an accuracy above 70.",
    "No model exceeds 85 in accuracy.",
    "Three of the four models have an accuracy above 72.",
    "Accuracy increases from LSTM to GRU.",
    "LSTM and GRU reach 71.2 and 73.9 accuracy, respectively.",
    "According to Table 2, Transformer has more parameters than GRU.",
    "LSTM has a lower F1 than Transformer.",
    "GRU is faster than LSTM.",
    "Our model outperforms all other models in accuracy.",
    "The accuracy of GRU is 73.9, which is higher than that of LSTM (71.2).",
    "LSTM has the worst F1 in Table 2.",
    "The latency with Transformer is the highest of all rows.",
    "Every model has an F1 of at least 0.68.",
    "Two models have a latency below 13 ms.",
    "Going from GRU to Transformer increases accuracy from 73.9 to 81.4.",
    "The accuracy of Transformer is about 81 %.",
    "GRU has an accuracy of 0.739.",
    "The second best accuracy is that of Transformer.",
    "Transformer's accuracy is 7.5 points higher than GRU's.",
    "The highest accuracy in Table 2 is 84.0.",
    "The lowest latency is 11.0 ms, obtained by GRU.",
    "For Transformer, Table 2 gives 65 million parameters.",
    "The row Transformer has 25.3 in the column Latency (ms).",
)
FALSE = (
    "Table 2 reports an accuracy of 81.4 % for GRU.",
    "Table 2 reports an accuracy of 18.4 % for Transformer.",
    "Transformer has a latency of 81.4.",
    "In Table 2, the F1 of LSTM is 0.70.",
    "Transformer achieves the highest accuracy.",
    "The lowest latency in Table 2 is that of LSTM.",
    "The best F1 is obtained by our model (0.85).",
    "GRU outperforms Transformer in accuracy.",
    "Transformer outperforms GRU by 9.5 points in accuracy.",
    "The difference between LSTM and GRU in accuracy is 3.7 points.",
    "The accuracy ranges from 61.2 to 84.0.",
    "All models have an accuracy above 75.",
    "No model exceeds 80 in accuracy.",
    "Two of the four models have an accuracy above 72.",
    "Accuracy decreases from LSTM to GRU.",
    "LSTM and GRU reach 73.9 and 71.2 accuracy, respectively.",
    "According to Table 2, Transformer has fewer parameters than GRU.",
    "LSTM has a higher F1 than Transformer.",
    "Transformer outperforms all other models in F1.",
    "GRU has the worst F1 in Table 2.",
    "None of the models has a latency below 12.",
    "Three models have a latency below 13 ms.",
    "Going from GRU to Transformer increases accuracy from 73.9 to 84.0.",
    "The accuracy of Transformer is about 85 %.",
    "The second best accuracy is that of GRU.",
    "Transformer's accuracy is 7.5 points lower than GRU's.",
    "The highest accuracy in Table 2 is 81.4.",
    "The lowest latency is 12.5 ms, obtained by GRU.",
    "For Transformer, Table 2 gives 24 million parameters.",
    "The row Transformer has 14.8 in the column Latency (ms).",
)
OPEN = (
    "Transformer is popular.",
    "It has an accuracy of 81.4.",
    "Pretraining on dialogues helps Transformer reach 99.1 in robustness.",
    "The improvements in accuracy are larger than those in F1.",
)


@pytest.mark.parametrize("statement", TRUE)
def test_what_the_table_says_is_supported(statement: str) -> None:
    assert judge(statement, PARSERS).verdict == "supported"


@pytest.mark.parametrize("statement", FALSE)
def test_what_the_table_denies_is_contradicted_with_its_cells(statement: str) -> None:
    judgement = judge(statement, PARSERS)
    assert judgement.verdict == "contradicted"
    assert judgement.cells and judgement.why


@pytest.mark.parametrize("statement", OPEN)
def test_what_the_table_leaves_open_is_not_decided(statement: str) -> None:
    assert judge(statement, PARSERS).verdict in ("place found", "not checked")


SECTIONS = TableGrid(
    (("Model", ""), ("Dev", "EM"), ("Dev", "F1"), ("Test", "EM"), ("Test", "F1")),
    (
        ("Small models", "", "", "", ""),
        ("Reader", "61.0", "70.2", "60.1", "69.0"),
        ("+ copy", "63.5", "71.9", "[BOLD] 62.7", "70.8"),
        ("Large models", "", "", "", ""),
        ("Ranker", "70.0", "79.1", "69.9", "78.8"),
        ("+ copy", "72.2", "80.0", "71.3", "79.7"),
    ),
    "Table 5: Question answering.",
    "5",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Reader reaches a test F1 of 69.0.", "supported"),
        ("Reader reaches a test F1 of 70.2.", "contradicted"),
        ("Reader reaches a dev F1 of 70.2.", "supported"),
        ("Ranker has a higher test EM than Reader.", "supported"),
    ],
)
def test_headings_of_two_levels_and_rows_that_add_a_part(statement: str, verdict: str) -> None:
    assert judge(statement, SECTIONS).verdict == verdict


@pytest.mark.parametrize(
    ("said", "cell", "same"),
    [
        ("12.5 ms", "12.5", True),
        ("0.0125 s", "12.5", True),
        ("12.5 s", "12.5", False),
        ("about 13 ms", "12.5", True),
        ("about 20 ms", "12.5", False),
        ("12.52 ms", "12.5", False),
    ],
)
def test_units_and_rounding(said: str, cell: str, same: bool) -> None:
    grid = TableGrid((("Model",), ("Latency (ms)",)), (("LSTM", cell), ("GRU", "11.0")), "Table 1: Speed.", "1")
    expected = "supported" if same else "contradicted"
    assert judge(f"The latency of LSTM is {said}.", grid).verdict == expected


def test_a_share_may_be_said_as_a_percentage_and_not_with_the_wrong_sign_of_one() -> None:
    assert judge("GRU achieves an F1 of 70 %.", PARSERS).verdict == "supported"
    assert judge("GRU achieves an F1 of 0.70 %.", PARSERS).verdict == "contradicted"


GAMES = TableGrid(
    (("Game",), ("Mode",), ("Scratch score", "10M"), ("Scratch score", "50M"), ("Tuned score", "50M")),
    (
        ("Hero", "m1", "3.2", "14.1", "20.5"),
        ("", "m2", "7.7", "9.6", "18.0"),
        ("Runway", "m1", "5.4", "25.3", "12.9"),
        ("", "m2", "6.1", "31.8", "40.2"),
    ),
    "Table 8: Games after so many frames.",
    "8",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The tuned 50M score is higher for Hero m1 than for Runway m1.", "supported"),
        ("The tuned 50M score is lower for Hero m1 than for Runway m1.", "contradicted"),
        ("Hero m1 and Runway m2 have a tuned 50M score of 20.5 and 40.2, respectively.", "supported"),
        ("Hero m1 and Runway m2 have a tuned 50M score of 40.2 and 20.5, respectively.", "contradicted"),
        ("The gap in scratch 50M score between Hero m1 and Runway m2 is 17.7.", "supported"),
        ("The gap in scratch 50M score between Hero m1 and Runway m2 is 27.7.", "contradicted"),
        ("From Hero m2 to Hero m1, the scratch 50M score grows by a factor of 1.5.", "supported"),
        ("From Hero m2 to Hero m1, the scratch 50M score grows by a factor of 2.5.", "contradicted"),
        ("The tuned 50M score for Runway m2 is the highest of all rows.", "supported"),
        ("The tuned 50M score for Hero m1 is the highest of all rows.", "contradicted"),
        ("No other row has as low a scratch 10M score as Hero m1.", "supported"),
        ("No other row has as low a scratch 10M score as Hero m2.", "contradicted"),
        ("For Hero m1 the tuned 50M score is 20.5, whereas for Hero m2 it is 18.0.", "supported"),
        ("For Hero m1 the tuned 50M score is 18.0, whereas for Hero m2 it is 20.5.", "contradicted"),
        ("For Hero m1 the tuned 50M score is 20.5, whereas for Hero m2 it is 9.6.", "contradicted"),
        ("The scratch 10M score is above 3 in all 4 rows.", "supported"),
    ],
)
def test_a_row_may_be_named_by_two_labels(statement: str, verdict: str) -> None:
    assert judge(statement, GAMES).verdict == verdict


WRITINGS = TableGrid(
    (("Guest",), ("∆Gb (kcal/mol)",), ("Eval. without masks",), ("total length(bases)",), ("reads",), ("reads %",)),
    (
        ("(1) phenolb,c", "-5.24", "61.5", "4,549", "1,602", "32.0"),
        ("(2) E. coli acid", "-4.16", "70.2", "3,100", "1,460", "29.0"),
        ("(3) toluene", "-4.93", "66.0", "2,950", "1,076", "21.0"),
    ),
    "Table 9: Binding.",
    "9",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The ΔG of phenol is -5.24 kcal/mol.", "supported"),
        ("The ΔG of phenol is -4.93 kcal/mol.", "contradicted"),
        ("The noisy ΔG of phenol is -4.93 kcal/mol.", "contradicted"),
        ("The ΔG of phenol is -5.24 kJ/mol.", "contradicted"),
        # In another unit a cell rounded to 0.01 kcal/mol is only known to 0.04 kJ/mol.
        ("The ΔG of phenol is -21.92 kJ/mol.", "supported"),
        ("The ΔG of phenol is -21.94 kJ/mol.", "place found"),
        ("The ΔG of phenol is -21.8 kJ/mol.", "contradicted"),
        ("The ΔG of phenol is below -21.8 kJ/mol.", "supported"),
        ("The ΔG of phenol is above -21.8 kJ/mol.", "contradicted"),
        ("The ΔG of phenol is above -21.8 ms.", "place found"),
        ("The difference in ΔG between phenol and toluene is 0.31 kJ/mol.", "place found"),
        ("The ΔG ranges from -21.92 kJ/mol to -17.41 kJ/mol.", "supported"),
        ("The ΔG of E. coli acid amounts to -4.16.", "supported"),
        ("The tot. length for toluene is 2,950 bases.", "supported"),
        ("The tot. length for toluene is 3,100 bases.", "contradicted"),
        ("The eval. without masks of toluene is 66.0.", "supported"),
        ("The Eval. Without masks of toluene is 66.0, see Tab. IX.", "supported"),
        ("The Eval. Without masks of toluene is 61.5, see Tab. IX.", "contradicted"),
        ("For toluene the number of reads is 1,076, whereas for phenol it is 1,602.", "supported"),
        ("The number of reads of toluene is 1,076.", "supported"),
        ("The number of reads of toluene is 1,460.", "contradicted"),
        ("The percentage of reads of toluene is 21.0 %.", "supported"),
    ],
)
def test_other_writings_of_labels_and_units(statement: str, verdict: str) -> None:
    assert judge(f"According to Tab. 9, {statement[0].lower()}{statement[1:]}", WRITINGS).verdict == verdict


STARS = TableGrid(
    (("γ0 (M⊙)",), ("Teff (K)",), ("log g",), ("fusedA",), ("fusedAB",), ("Box",)),
    (
        ("−6", "3060", "4.16", "5.1", "7.2", "-"),
        ("", "", "", "", "", "√"),
        ("−5", "3261", "4.19", "6.3", "8.4", ""),
        ("All", "3396", "4.20", "4.5", "3.6", ""),
    ),
    "Table 5: Stars.",
    "5",
)
PARTS = TableGrid(
    (("Parameter",), ("Adopted",), ("Ref",)),
    (("Y⊙, surf", "0.2485", "7"), ("(Z/X)surf", "0.0231", "6"), ("M⊙(g)", "1.9891", "2")),
    "Table 5: Adopted values.",
    "5",
)
AUGMENTED = TableGrid(
    (("Model",), ("Data",), ("<italic>R</italic>1",), ("Good%",)),
    (
        ("Net", "None", "30.1", "55.6"),
        ("Net (+)", "None", "34.2", "59.9"),
        ("RESULT", "All", "35.3", "47.8"),
        ("M0: plain", "All", "33.0", "44.1"),
        ("d=1", "All", "36.4", "40.2"),
    ),
    "Table 5: Models with more data (+).",
    "5",
)
SHARES = TableGrid(
    (("Model", ""), ("C-F1", "100%"), ("C-F1", "50%"), ("R-F1", "100%"), ("R-F1", "50%")),
    (("Tree", "49.5", "65.3", "26.2", "37.0"), ("Arc", "54.7", "66.8", "28.4", "36.1")),
    "Table 5: Two models.",
    "5",
)
CROSSED = TableGrid(
    (("",), ("Look",), ("Aroma",), ("Taste",)),
    (("Look", "0.92", "0.89", "0.87"), ("Aroma", "0.90", "0.93", "0.88"), ("Taste", "0.85", "0.94", "0.96")),
    "Table 5: AUC of each aspect on each.",
    "5",
)


@pytest.mark.parametrize(
    ("grid", "statement", "verdict"),
    [
        (STARS, "The T eff (K) for γ0 = -5 is 3261.", "supported"),
        (STARS, "The T_eff (K) for γ0 = -5 is 3060.", "contradicted"),
        (STARS, "The fusedA for γ0 = -5 is 6.3 while the fusedAB is 8.4.", "supported"),
        (STARS, "The fusedA for γ0 = -5 is 8.4.", "contradicted"),
        (STARS, "The log g for γ0 (M⊙) = -5 exceeds that of γ0 (M⊙) = -6.", "supported"),
        (STARS, "γ0 = -5 has the highest fusedA.", "supported"),
        (STARS, "γ0 = -6 has the highest fusedA.", "contradicted"),
        (STARS, "The log g is higher for γ0 = -5 than for γ0 = -6.", "supported"),
        (STARS, "The log g is lower for γ0 = -5 than for γ0 = -6.", "contradicted"),
        (STARS, "The highest log g is that of All.", "supported"),
        (STARS, "The lowest log g is that of All.", "contradicted"),
        (PARTS, "In Table 5, the adopted of Y⊙, surf is 0.2485.", "supported"),
        (PARTS, "The ref of Y⊙, surf is higher than that of (Z/X) surf.", "supported"),
        (PARTS, "The ref of Y⊙, surf is lower than that of (Z/X) surf.", "contradicted"),
        (AUGMENTED, "Net shows an R1 of 30.1.", "supported"),
        (AUGMENTED, "Net shows an R1 of 34.2.", "contradicted"),
        (AUGMENTED, "Net (+) shows an R1 of 30.1.", "contradicted"),
        (AUGMENTED, "The R1 of M0: plain is lower than that of Net (+).", "supported"),
        (AUGMENTED, "The R1 of M0: plain is higher than that of Net (+).", "contradicted"),
        (AUGMENTED, "The Good% for d=1 is 40.2.", "supported"),
        (AUGMENTED, "The Good% for d=1 is 47.8.", "contradicted"),
        (AUGMENTED, "The results in Table 5 indicate that exactly two rows have an R1 above 35.", "supported"),
        (AUGMENTED, "In none of the rows is the R1 above 35.", "contradicted"),
        (SHARES, "The C-F1 50% of Tree is 65.3%.", "supported"),
        (SHARES, "The C-F1 50% of Tree is 49.5%.", "contradicted"),
        (SHARES, "The R-F1 50% is lower for Arc than for Tree.", "supported"),
        (CROSSED, "The AUC of Taste on Aroma is 0.94.", "supported"),
        (CROSSED, "The AUC of Aroma on Taste is 0.94.", "contradicted"),
        (CROSSED, "Taste shows an Aroma of 0.94.", "supported"),
        (CROSSED, "The AUC on Look is smaller for Taste than for Aroma.", "supported"),
        (CROSSED, "The AUC on Look is larger for Taste than for Aroma.", "contradicted"),
    ],
)
def test_names_with_signs_and_indices_and_names_of_rows_and_columns(
    grid: TableGrid, statement: str, verdict: str
) -> None:
    assert judge(statement, grid).verdict == verdict


SPEED = TableGrid(
    (("Batch",), ("Throughput (trees/s) Balanced",), ("Throughput (trees/s) Linear",)),
    (("1", "46.7", "7.6"), ("10", "125.2", "22.7"), ("25", "129.7", "45.4")),
    "Table 3: Speed by the shape of trees.",
    "3",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The throughput on the balanced set is higher than that on the linear set.", "supported"),
        ("The throughput on the linear set is higher than that on the balanced set.", "contradicted"),
    ],
)
def test_a_word_of_some_labels_narrows_what_another_leaves_open(statement: str, verdict: str) -> None:
    assert judge(statement, SPEED).verdict == verdict


MIXED = TableGrid(
    (("Step",), ("k-mers",)), (("raw", "13.3m"), ("trimmed", "7.6m"), ("unique", "909.9k")), "Table 4: Counts.", "4"
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("The lowest number of k-mers is that of unique.", "supported"),
        ("The highest number of k-mers is that of unique.", "contradicted"),
        ("Exactly two of the three rows have a number of k-mers above 5 million.", "supported"),
        ("Exactly three of the three rows have a number of k-mers above 5 million.", "contradicted"),
    ],
)
def test_thousands_and_millions_are_compared_as_what_they_are(statement: str, verdict: str) -> None:
    assert judge(statement, MIXED).verdict == verdict


@pytest.mark.parametrize(
    "statement",
    [
        "Our model has the least bias in accuracy.",  # it is not the accuracy that is least
        "Transformer is slightly worse than LSTM in latency.",  # 12.5 and 25.3
        "Our model is much better than Transformer in robustness.",
    ],
)
def test_what_is_compared_in_something_else_or_by_another_degree_stays_open(statement: str) -> None:
    assert judge(statement, PARSERS).verdict in ("place found", "not checked")


SPLITS = TableGrid(
    (("Model",), ("F1", "Dev"), ("F1", "Test"), ("EM", "Dev"), ("EM", "Test")),
    (("Tree", "60.0", "50.0", "40.0", "30.0"), ("Arc", "55.0", "45.0", "35.0", "25.0")),
    "Table 5: Two models.",
    "5",
)
HALVES = replace(SPLITS, columns=(("Model",), ("Dev",), ("Test",)), rows=(("Tree", "60", "50"), ("Arc", "55", "45")))
NEIGHBOURS = TableGrid(
    (("k",), ("F1",), ("Reads",), ("Reads %",)),
    (
        ("2", "0.61", "420", "31.5"),
        ("3", "0.72", "310", "24.0"),
        ("4", "0.83", "930", "60.5"),
        ("5", "0.55", "12", "1"),
    ),
    "Table 3: Strategies by the number of neighbours k.",
    "3",
)
NUMBERED = replace(
    NEIGHBOURS,
    columns=(("System",), *NEIGHBOURS.columns[1:]),
    rows=tuple((f"Model {row[0]}", *row[1:]) for row in NEIGHBOURS.rows),
)
EPOCHS = replace(
    NEIGHBOURS,
    columns=(("Training",), *NEIGHBOURS.columns[1:]),
    rows=tuple((f"Epoch {row[0]}0", *row[1:]) for row in NEIGHBOURS.rows),
)


@pytest.mark.parametrize(
    ("grid", "statement", "verdict"),
    [
        # Each side with a column of its own, and both with the same ones.
        (SPLITS, "The F1 of Tree on Dev is higher than that of Arc on Test.", "supported"),
        (SPLITS, "The F1 of Tree on Test is higher than that of Arc on Dev.", "contradicted"),
        (SPLITS, "Arc on Dev outperforms Tree on Test by 5 F1 points.", "supported"),
        (SPLITS, "Arc on Dev outperforms Tree on Dev by 5 F1 points.", "contradicted"),
        (PARSERS, "GRU has a higher F1 than LSTM, as in accuracy.", "supported"),
        # How many there are names no row.
        (NEIGHBOURS, "3 of the 4 strategies have an F1 above 0.6.", "supported"),
        (NEIGHBOURS, "3 of the 4 strategies have an F1 above 0.7.", "contradicted"),
        (PARSERS, "Two of the five models have an accuracy above 75.", "place found"),
        # A percentage is said before its number.
        (NEIGHBOURS, "For k = 4 the percentage of reads is 60.5.", "supported"),
        (NEIGHBOURS, "For k = 4 the percentage of reads is 930.", "contradicted"),
        # A number after a place may choose other cells; one with decimals or a percent sign doesn't.
        (PARSERS, "LSTM has the highest accuracy in 2021.", "place found"),
        (PARSERS, "LSTM has the highest accuracy at 71.5.", "contradicted"),
        (PARSERS, "LSTM has the highest accuracy, at 72 %.", "contradicted"),
        (NUMBERED, "Two of the 4 models have an F1 above 0.7.", "supported"),
        (NUMBERED, "Two models have an F1 above 0.7.", "supported"),
        (NUMBERED, "Of the 4 models, Model 4 has the highest F1.", "supported"),
        (NUMBERED, "All 4 models have an F1 above 0.7.", "contradicted"),
        (NUMBERED, "Two of the 4 parsing models have an F1 above 0.7.", "supported"),
        (EPOCHS, "The F1 after 40 epochs is 0.83.", "supported"),
        # Two numbers of one row are its own; of which of several columns others are, is open.
        (HALVES, "Tree reaches 60 and 50.", "supported"),
        (SPLITS, "Tree and Arc reach 60.0 and 55.0 accuracy, respectively.", "place found"),
    ],
)
def test_which_cells_a_statement_is_about(grid: TableGrid, statement: str, verdict: str) -> None:
    assert judge(statement, grid).verdict == verdict
