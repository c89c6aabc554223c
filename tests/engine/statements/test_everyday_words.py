"""Statements about tables in everyday words: changes, multiples, sums, parts of a table, nouns of its rows."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.tables import judge
from engine.statements.words import stem

MILLS = TableGrid(
    (("Mill",), ("Workers",), ("Flour (t)",), ("Duration (h)",), ("Stoppages (%)",)),
    (
        ("Upper mill", "12", "40.0", "9", "4.0"),
        ("Middle mill", "20", "62.5", "11", "7.5"),
        ("Lower mill", "31", "81.0", "14", "12.0"),
        ("Harbour", "55", "120.5", "21", "16.5"),
    ),
    "Output of four mills in a week.",
    "1",
)
HERRING = TableGrid(
    (("Port",), ("2005",), ("2010",), ("2015",)),
    (("Aalen", "310", "280", "150"), ("Brunn", "95", "120", "160"), ("Caster", "70", "64", "66")),
    "Landings of herring (tonnes) by port.",
    "2",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Between 2005 and 2015, landings in Aalen fell by 160 tonnes.", "supported"),
        ("Between 2005 and 2015, landings in Aalen fell by 180 tonnes.", "contradicted"),
        ("Landings in Brunn rose by 65 tonnes between 2005 and 2015.", "supported"),
        ("Landings in Brunn fell by 65 tonnes between 2005 and 2015.", "contradicted"),
        ("Landings in Aalen decline from year to year.", "supported"),
        ("Landings in Aalen increase from year to year.", "contradicted"),
        ("Landings in Caster decline steadily.", "contradicted"),
        ("Landings in Caster have risen in every year since 2010.", "not checked"),
        ("After 2005, landings in Caster were highest in 2015.", "not checked"),
        ("Together, the three ports landed 376 tonnes in 2015.", "supported"),
        ("Together, the three ports landed 476 tonnes in 2015.", "contradicted"),
        ("Leaving Aalen aside, Brunn has the highest landings in 2010.", "supported"),
        ("Leaving Aalen aside, Caster has the highest landings in 2010.", "contradicted"),
    ],
)
def test_changes_between_columns(statement: str, verdict: str) -> None:
    assert judge(statement, HERRING).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Stoppages grow steadily with the workers.", "supported"),
        ("Harbour makes almost twice as much flour as the middle mill.", "supported"),
        ("Harbour makes almost four times as much flour as the middle mill.", "contradicted"),
        ("Flour peaks at Harbour.", "supported"),
        ("Flour peaks at the upper mill.", "contradicted"),
        ("Going from the upper to the middle mill adds 22.5 t of flour.", "supported"),
        ("Among the mills with a duration below 12 h, the middle mill makes the most flour.", "supported"),
        ("Among the mills with a duration below 12 h, the upper mill makes the most flour.", "contradicted"),
        ("Of the five mills, the upper one makes the least flour.", "place found"),
        ("In total there are 118 workers.", "supported"),
        ("In total there are 128 workers.", "contradicted"),
        ("The duration of the four mills is 13.75 h on average.", "supported"),
        ("Lower mill workers have stoppages of 12.0 %.", "supported"),
        ("Workers of the lower mill have stoppages of 7.5 %.", "contradicted"),
        ("Harbour is the longest of all.", "supported"),
        ("Workers at Harbour lost 120.5 t.", "place found"),
        ("The upper mill is the most numerous.", "place found"),
        ("The upper mill has a duration of 8 or 10 h.", "place found"),
    ],
)
def test_multiples_sums_and_parts(statement: str, verdict: str) -> None:
    assert judge(statement, MILLS).verdict == verdict


def test_british_and_american_spelling_have_the_same_stem_and_other_words_keep_theirs() -> None:
    for one, other in (("colour", "color"), ("behaviours", "behavior"), ("normalised", "normalization")):
        assert stem(one) == stem(other)
    for one, other in (("four", "for"), ("hour", "hor"), ("our", "or")):
        assert stem(one) != stem(other)
    assert stem("precise") == stem("precision")
