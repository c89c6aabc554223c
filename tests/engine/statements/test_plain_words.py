"""Statements as people word them: what once was supported though false, or contradicted though true."""

from __future__ import annotations

import pytest

from engine.statements.grids import TableGrid
from engine.statements.passages import compare
from engine.statements.tables import judge

FERRIES = TableGrid(
    (("Ferry",), ("Crossings",), ("Delay (min)",), ("Full, %",), ("Noise",)),
    (
        ("Heron", "120", "4.2", "61.0", "33"),
        ("Gannet", "95", "6.8", "82.5", "41"),
        ("Curlew", "64", "3.1", "74.0", "38"),
        ("No ramp", "51", "9.4", "55.5", "36"),
    ),
    "Table 2: Ferries of the bay; lifetime of the hull in years.",
    "2",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Crossings are highest for Heron (Table 2).", "supported"),
        ("Crossings are highest for Gannet (Table 2).", "contradicted"),
        ("Without ramp, the delay is 9.4 (Table 2).", "supported"),
        ("With a ramp, the delay is 9.4 (Table 2).", "place found"),
        ("On average, Heron has a delay of 4.2 (Table 2).", "place found"),
        ("Heron has more crossings than Gannet and Curlew together (Table 2).", "place found"),
        ("Only Gannet has a noise above 40 (Table 2).", "supported"),
        ("Only Curlew has a noise above 30 (Table 2).", "contradicted"),
        ("Gannet has more noise than any other ferry (Table 2).", "supported"),
        ("The noise of Heron is 33 months (Table 2).", "place found"),
        ("Gannet is full below 50% (Table 2).", "contradicted"),
    ],
)
def test_a_table_is_read_as_people_speak_of_it(statement: str, verdict: str) -> None:
    assert judge(statement, FERRIES).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Heron has a delay of 9.9.", "contradicted"),
        ("Before the repair, Heron has a delay of 9.9.", "place found"),
        ("In a pilot, Gannet has fewer crossings than Curlew.", "place found"),
        ("Heron has a delay of 9.9 when fog is dense.", "place found"),
        ("In each period, Heron has a delay of 9.9.", "contradicted"),
        ("Heron has more crossings than Gannet.", "supported"),
        ("Curlew has more crossings than Gannet.", "contradicted"),
        ("More crossings vanished on Curlew than on Gannet.", "place found"),
        ("Curlew rolls the fewest crossings.", "place found"),
        ("Curlew has the fewest crossings.", "contradicted"),
        ("Moving from Heron to Curlew buys 1.1 of delay.", "place found"),
    ],
)
def test_conditions_that_a_table_does_not_have_leave_it_open(statement: str, verdict: str) -> None:
    """What says when, where or of whom in words that the table lacks isn't contradicted by cells of everything."""
    assert judge(statement, FERRIES).verdict == verdict


YEARS = TableGrid(
    (("Ferry",), ("2022",), ("2023",), ("Passengers 2023",)),
    (("Heron", "91", "84", "4.2"), ("Gannet", "86", "90", "2.9"), ("Curlew", "95", "94", "7.7")),
    "Table 3: Punctuality and passengers (millions).",
    "3",
)


SORTERS = TableGrid(
    (("Sorter",), ("Accuracy (%)",), ("Letters/s",)),
    (("Plain", "71.4", "900"), ("Tall", "82.1", "310"), ("Wide", "82.0", "640")),
    "Table 5: Accuracy and speed of sorters.",
    "5",
)


@pytest.mark.parametrize(
    "statement",
    [
        "Wide is faster than Tall at about the same accuracy.",
        "The gap between the best and the worst sorter in accuracy is 10.7 points.",
        "Wide has an accuracy of fewer than nine in ten, namely 82.0 %.",
    ],
)
def test_what_is_held_equal_apart_or_said_as_a_share_is_not_contradicted(statement: str) -> None:
    assert judge(statement, SORTERS).verdict in ("supported", "place found", "not checked")


def test_words_apart_name_the_label_that_has_them_together() -> None:
    assert judge("In 2023, the most passengers travelled on Curlew.", YEARS).verdict != "contradicted"
    assert judge("In 2023, Heron had 84.", YEARS).verdict == "supported"


HARBOURS = TableGrid(
    (("Harbour", ""), ("Import", "2015"), ("Import", "2021"), ("Export", "2015"), ("Export", "2021"), ("", "PL")),
    (
        ("Vik", "12.4", "15.8", "9.1", "8.7", "31"),
        ("Sund", "3.9", "3.2", "6.4", "7.7", "12"),
        ("Sund-Nord", "7.7", "7.9", "5.0", "6.1", "44"),
        ("Lund (deep water)", "1.2", "2.9", "2.2", "2.0", "25"),
        ("Lund (tidal)", "0.9", "1.1", "2.6", "2.4", "7"),
    ),
    "Table 4: Cargo of harbours, million tonnes. Parameters of the cranes follow the plans (PL).",
    "4",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("In Table 4, Sund beats Vik in exports in 2021.", "place found"),
        ("In 2015 Lund (deep water) exported 2.2 million tonnes (Table 4).", "supported"),
        ("Vik's imports exceeded its exports by 7.1 million tonnes in 2021 (Table 4).", "supported"),
        ("Vik has the most PLs of all harbours (Table 4).", "contradicted"),
        ("Only the Sund harbours export more than 6 million tonnes in 2021 (Table 4).", "place found"),
        ("Sund imports less than Vik in 2015 only (Table 4).", "place found"),
        ("Sund-Nord has the most PL, followed by Vik (Table 4).", "place found"),
        ("Ignoring those of Vik, exports in 2021 are below 8 (Table 4).", "place found"),
        ("The gain of Vik in imports amounts to 3.4 (Table 4).", "place found"),
        ("No harbour but Vik has imports in 2021 above 10 (Table 4).", "supported"),
        ("Of the two Lund harbours, the deep water one has the most PL (Table 4).", "supported"),
        ("Vik has the largest imports in 2021 but the smallest exports in 2015 (Table 4).", "contradicted"),
        ("At worst, Vik has 31 PL (Table 4).", "place found"),
    ],
)
def test_what_is_left_out_or_restricted_is_not_decided(statement: str, verdict: str) -> None:
    assert judge(statement, HARBOURS).verdict == verdict


ANSWERS = TableGrid(
    (("Question",), ("Often",), ("Rarely",), ("Grade",)),
    (("Ferries are late", "61.5", "22.0", "1.38 (70)"), ("Crews are kind", "48.0", "39.5", "1.12 (61)")),
    "Table 6: Answers of passengers.",
    "6",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Rarely is most frequent for the answers on crews (Table 6).", "supported"),
        ("Rarely is most frequent for the answers on ferries (Table 6).", "contradicted"),
        ("The grade of “Crews are kind” has 61 (Table 6).", "place found"),
        ("Often is 0.615 as a fraction for “Ferries are late” (Table 6).", "supported"),
        ("Often is 0.516 as a fraction for “Ferries are late” (Table 6).", "contradicted"),
    ],
)
def test_rows_behind_other_words_and_numbers_beside_numbers(statement: str, verdict: str) -> None:
    assert judge(statement, ANSWERS).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "passage", "verdict"),
    [
        ("Kelp trades growth for writes.", "Kelp trades writes for growth: an old key grows.", "place found"),
        ("Otters left the river rarely.", "Otters seldom left the river.", "place found"),
        ("Crews dropped their nets from 64 to 41.", "Crews' nets fell from 64 to 41, while ropes increased.",
         "place found"),
        ("Villages measure rain five times.", "Villages measure rain ten times.", "contradicted"),
        ("Nine boats in the bay sank.", "Twelve boats at sea and nine in the bay sank.", "place found"),
        ("The catch rose in the south.", "The catch rose in the north and stayed the same in the south.",
         "place found"),
        ("Boats with sails are older than those without.", "Boats with sails are cheaper and older.", "supported"),
        ("The authors counted 1,864 diaries.", "We counted 1,846 diaries from 23 villages.", "contradicted"),
        ("The tide was 0.9 metres in Lund.", "Table 3 has the tide in Lund.", "place found"),
    ],
)  # fmt: skip
def test_what_a_passage_says_in_another_part_of_its_sentence_is_not_said(
    statement: str, passage: str, verdict: str
) -> None:
    assert compare(statement, passage).verdict == verdict


DOGS = TableGrid(
    (("Dog",), ("Score",), ("Age",)),
    (
        ("Small", "", ""), ("Pug", "70.1", "3.5"), ("Spitz", "75.2", "4.5"),
        ("Large", "", ""), ("Boxer", "80.3", "2.5"), ("Mastiff", "64.0", "6.5"),
    ),
    "Table 1: Dogs.",
    "1",
)  # fmt: skip
BIRDS = TableGrid(
    (("",), ("Bay",), ("Fjord",), ("Lake",)),
    (("Birds", "60520", "30281", "19108"), ("Gulls", "3163", "5075", "4562"), ("Gull share", "5.2%", "16.7%", "23.9%")),
    "Table 2: Birds and gulls.",
    "2",
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Spitz has the highest score.", "place found"),  # it may be meant among the small ones
        ("Boxer has the highest score.", "supported"),
        ("Pug has the highest score.", "contradicted"),
    ],
)
def test_the_best_below_a_subheading_is_not_the_best_of_all(statement: str, verdict: str) -> None:
    assert judge(statement, DOGS).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Gull share in Lake is 23.9%, the highest of all waters.", "place found"),
        ("Gull share is 23.9% in Lake, which is the highest.", "place found"),
        ("Gull share in Bay is 5.2%, the highest of all waters.", "contradicted"),
        ("The gull share of Lake is 23.9%, the highest of all waters.", "supported"),
    ],
)
def test_the_highest_of_a_row_is_not_denied_by_larger_counts_in_its_column(statement: str, verdict: str) -> None:
    assert judge(statement, BIRDS).verdict == verdict


@pytest.mark.parametrize(("head", "verdict"), [("Cargo (billions)", "supported"), ("Cargo", "place found")])
def test_billions_are_those_of_a_column_that_says_so(head: str, verdict: str) -> None:
    grid = TableGrid((("Fleet",), (head,), ("Ships",)), (("North", "70", "12"), ("South", "31", "9")), "Table 3", "3")
    assert judge("The cargo of North is 70 billion.", grid).verdict == verdict
    assert judge("The cargo of North is 31 billion.", grid).verdict == "contradicted"


def test_a_row_named_in_two_words_is_not_the_others_that_share_one() -> None:
    rows = (
        ("Block cut", "0.9831", "3"), ("Blocking = Harbour", "0.9826", "12"), ("Blocking = Quay", "0.9745", "9"),
        ("Global cut", "0.9814", "8"),
    )  # fmt: skip
    grid = TableGrid((("Setting",), ("Recall",), ("Pairs",)), rows, "Table 4: Recall.", "4")
    assert judge("Blocking with Harbour gives a recall of 0.9826.", grid).verdict == "supported"
    assert judge("Blocking with Harbour gives a recall of 0.9745.", grid).verdict != "supported"
    assert judge("Harbour is on a par with Quay (recall of 0.9745 each).", grid).verdict != "supported"


def test_a_count_is_not_another_value_of_a_measure() -> None:
    said = "With 20% of the labels, tuning reaches 82.1."
    assert compare(said, "With 20% of the labels, tuning reaches, for 4,000 cells.").verdict == "place found"
    assert compare(said, "With 20% of the labels, tuning reaches 84.3.").verdict == "contradicted"


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ("Ferries held back are painted.", "painted"),
        ("Ferries are held back.", ""),
        ("Held ferries cross the bay in 20 or 35 minutes.", "35"),
    ],
)
def test_what_a_passage_is_said_to_lack_is_nowhere_in_it(said: str, lacking: str) -> None:
    passage = "We held back three ferries. Each ferry crosses the bay in 20 minutes, several times a day."
    found = compare(said, passage)
    assert found.verdict == "place found"
    assert (f"doesn't contain “{lacking}”" in found.why) if lacking else ("contain" not in found.why), found.why
