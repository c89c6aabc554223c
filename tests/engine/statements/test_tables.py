"""Statements about tables: each kind, true and false."""

from __future__ import annotations

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
    "Table 2 compares four models.",
    "Accuracy increases from LSTM to GRU.",
    "LSTM and GRU reach 71.2 and 73.9 accuracy, respectively.",
    "According to Table 2, Transformer has more parameters than GRU.",
    "LSTM has a lower F1 than Transformer.",
    "GRU is faster than LSTM.",
    "Our model outperforms all other models in accuracy.",
    "The accuracy of GRU is 73.9, which is higher than that of LSTM (71.2).",
    "LSTM has the worst F1 in Table 2.",
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
    "Table 2 compares six models.",
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
