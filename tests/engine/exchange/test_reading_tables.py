"""Tables of any layout are read as they are meant, what was assumed is said, and a doubtful number is asked about."""

from __future__ import annotations

import codecs
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.io import DELIMITERS, csv_text, frame_file, parse_table, read_table, table_in
from engine.exchange.scores import further_scores, plan_scores, read_score_table, read_scores, said_of
from engine.exchange.tables import Field, number, plan_columns, spellings

ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": b"",
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
}
CELLS = st.text(st.sampled_from("aä漢 ,;|\t'\"=#-+12.\n"), max_size=8).filter(lambda cell: cell.strip() != "")


@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=2, max_size=8),
    st.sampled_from(sorted(DELIMITERS)),
    st.sampled_from(sorted(ENCODINGS)),
    st.booleans(),
)
def test_what_is_written_reads_back(rows: list[list[str]], delimiter: str, encoding: str, stated: bool) -> None:
    text = csv_text(rows, ("item", "referee", "a score"), delimiter=delimiter)
    text = f"sep={delimiter}\n{text}" if stated else text
    data = ENCODINGS[encoding] + text.encode(encoding)
    table = table_in(data, "t.csv") if stated else parse_table(text, "t.csv", delimiter=delimiter)
    assert table.columns == ("item", "referee", "a score") and [list(row) for row in table.rows] == rows


@given(
    st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), min_size=2, max_size=9),
    st.sampled_from(sorted(DELIMITERS)),
    st.sampled_from(".,"),
    st.sampled_from(sorted(ENCODINGS)),
)
def test_numbers_read_back_whatever_the_marks(
    values: list[tuple[int, int]], delimiter: str, decimal: str, encoding: str
) -> None:
    rows = [(f"p{at}", f"{whole}{decimal}{part:02}") for at, (whole, part) in enumerate(values)]
    data = ENCODINGS[encoding] + csv_text(rows, ("item", "score"), delimiter=delimiter).encode(encoding)
    table = table_in(data, "t.csv")
    assert table.decimal_mark(["score"]) == (decimal, "") and DELIMITERS[delimiter] in table.assumed
    read = [table.number(cell, decimal) for cell in table.column("score")]
    assert read == [float(f"{whole}.{part:02}") for whole, part in values]


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "parquet"])
def test_frames_read_back(ending: str) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {"item": pd.array(["=a", "b", None], "string"), "score": pd.array([1.25, None, -3.0], "Float64")}
    )
    file = frame_file(f"t.{ending}", frame)
    table = table_in(file.content, file.name)
    assert [cell or None for cell in table.column("item")] == ["=a", "b", None]
    mark = table.decided(["score"])
    assert [table.number(cell, mark) if cell else None for cell in table.column("score")] == [1.25, None, -3.0]


@pytest.mark.parametrize(
    "text",
    [
        "item;score\na;1,5\nb;2\n",
        "sep=;\nitem;score\na;1,5\nb;2\n",
        '"item";"score"\n"a";"1,5"\n"b";"2"\n',
        "# made by, hand; today\nitem;score\n# a comment\na;1,5\nb;2\n",
        "Scores of the symposium\n\nitem;score\na;1,5\nb;2\n",
        "#exported;by Ann\nitem;score\na;1,5\nb;2\n",
        "\ufeffitem\tscore\r\na\t1,5\r\nb\t2\r\n",
    ],
)
def test_what_is_no_part_of_the_table_is_skipped_and_said(text: str) -> None:
    table = parse_table(text, "t.csv")
    assert table.columns == ("item", "score") and table.rows == (("a", "1,5"), ("b", "2"))
    assert ("skipped" in table.assumed) == ("#" in text or "symposium" in text)
    lines = text.lstrip("\ufeff").splitlines()
    assert [lines[at - 1][:1].strip('"') for at in table.numbers if '"' not in text] == (
        ["a", "b"] if '"' not in text else []
    )


def test_numbers_of_rows_begin_with_a_number_sign_and_stay() -> None:
    table = parse_table("#,Title,Score\n#12,On bridges,5\n#13,On birds,\n", "t.csv")
    assert table.columns == ("#", "Title", "Score") and len(table.rows) == 2


def test_cells_beyond_the_header_are_named() -> None:
    table = parse_table("a,b\n1,2\n1,2,3\n", "t.csv")
    assert table.rows == (("1", "2"), ("1", "2")) and "row 3" in table.warnings[0]


def test_windows_text_is_read_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("Prüfer;Note\nJürgen – A;1\n".encode("cp1252"))
    table = read_table(tmp_path / "t.csv")
    assert table.rows == (("Jürgen – A", "1"),)
    assert "CP1252" in table.assumed and "isn't UTF-8" in table.warnings[0]


@pytest.mark.parametrize(
    ("cell", "marks"),
    [
        ("1,234", {"": None, ".": 1234.0, ",": 1.234}),
        ("1.234", {"": 1.234, ".": 1.234, ",": 1234.0}),
        ("0,125", {"": 0.125, ".": None, ",": 0.125}),
        ("3,5", {"": 3.5, ".": None, ",": 3.5}),
        ("3.5", {"": 3.5, ".": 3.5, ",": None}),
        ("1,234.5", {"": 1234.5, ".": 1234.5, ",": None}),
        ("1.234,5", {"": 1234.5, ".": None, ",": 1234.5}),
        ("1,234,567", {"": 1234567.0, ".": 1234567.0, ",": None}),
        ("1 234,5", {"": 1234.5, ".": None, ",": 1234.5}),
        ("12\u00a0345", {"": 12345.0, ".": 12345.0, ",": 12345.0}),
        ("-1,5: weak", {"": -1.5, ".": None, ",": -1.5}),
        ("12", {"": 12.0, ".": 12.0, ",": 12.0}),
    ],
)
def test_a_number_never_changes_silently(cell: str, marks: dict[str, float | None]) -> None:
    assert {mark: number(cell, mark) for mark in marks} == marks


@pytest.mark.parametrize(
    ("cells", "mark", "asked"),
    [
        (["1,234", "2"], "", True),
        (["1,234", "2,5"], ",", False),
        (["1,234", "2.5"], ".", False),
        (["1,234", "2.5", "2,5"], "", True),
        (["1.5", "2,5"], "", False),
        (["1", "2"], ".", False),
        (["1,234,567", "1,234"], ".", False),
    ],
)
def test_the_decimal_mark_is_shown_by_the_column_or_asked_about(cells: list[str], mark: str, asked: bool) -> None:
    table = parse_table(csv_text([[cell] for cell in cells], ("score",), delimiter=";"), "t.csv", delimiter=";")
    found, question = table.decimal_mark(["score"])
    assert found == mark and bool(question) == asked
    if asked:
        assert "1.234 or 1234" in question
        with pytest.raises(BadInput, match=r"1\.234 or 1234"):
            table.decided(["score"])
        read = [table.number(cell, table.decided(["score"], ",")) for cell in table.column("score")]
        assert len(cells) == 3 or read == [1.234, 2.0]


def test_typed_cells_of_a_workbook_do_not_decide_about_text() -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in (["item", "score"], ["a", 1.234], ["b", "1,234"], ["c", 2.5]):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    table = table_in(out.getvalue(), "t.xlsx")
    assert table.decimal_mark(["score"])[1]
    assert [table.number(cell, ",") for cell in table.column("score")] == [1.234, 1.234, 2.5]
    assert [table.number(cell, ".") for cell in table.column("score")] == [1.234, 1234.0, 2.5]


# --- columns ----------------------------------------------------------------------------------------------------------

CHAIR = """Submission No. & Title,Assigned Reviewer,Overall Recommendation (1-10),Reviewer confidence,Comments to chairs
12 On bridges,A0,7,3,fine
12 On bridges,B1,5,2,
13 On birds,a0 ,6,4,
13 On birds,B1,4,3,late
"""


def test_the_columns_of_a_chair_are_guessed_completely(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(CHAIR)
    plan = plan_scores(read_score_table(path))
    assert plan.columns == {
        "item": "Submission No. & Title",
        "referee": "Assigned Reviewer",
        "score": "Overall Recommendation (1-10)",
        "confidence": "Reviewer confidence",
    }
    assert not plan.missing and not plan.question and plan.unused == ("Comments to chairs",)
    assert "Not used: Comments to chairs." in said_of(plan)
    read = read_scores(plan)
    assert [(p.row, p.kind, p.decision) for p in read.problems] == [(4, "spelling", "apart")]
    assert "“a0” may be the same as “A0”" in read.problems[0].sentence and {r.referee for r in read.rows} == {
        "A0",
        "B1",
        "a0",
    }
    assert {row.referee for row in read_scores(plan, {"spelling": "join"}).rows} == {"A0", "B1"}


def test_a_column_named_by_hand_leaves_the_others_guessed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("wer,Paper,Soundness,Rating,Confidence\nAnn,p,1,2,3\nBob,p,2,3,4\nAnn,q,2,3,4\n")
    plan = plan_scores(read_score_table(path), {"score": "Soundness"})
    assert plan.columns == {"item": "Paper", "referee": "wer", "score": "Soundness", "confidence": "Confidence"}
    assert plan.reasons == {"item": "name", "referee": "content", "score": "given", "confidence": "name"}
    assert further_scores(plan) == ("Rating",)
    assert plan_scores(plan.table, {"confidence": ""}).columns["confidence"] == ""


def test_the_last_word_of_a_name_says_what_it_is() -> None:
    plan = plan_scores(parse_table("Paper id,Reviewer,Score confidence,Final score\np,A,3,7\nq,B,4,5\n", "t.csv"))
    assert plan.columns["score"] == "Final score" and plan.columns["confidence"] == "Score confidence"


def test_names_without_numbers_in_them_are_no_scores() -> None:
    table = parse_table("Overall,Rating\nnice,3\nbad,4\n", "t.csv")
    assert plan_columns(table, [Field("score", ("overall", "rating"), "number")]).columns == {"score": "Rating"}


def test_only_the_beginning_of_an_endless_column_name_counts() -> None:
    """Searching all of "[[[[…" for pairs of brackets would take minutes."""
    name = "[" * 100_000 + " rating"
    table = parse_table(f"{name},Grade\n3,5\n4,6\n", "t.csv")
    assert plan_columns(table, [Field("score", ("rating", "grade"), "number")]).columns == {"score": "Grade"}


def test_doubtful_scores_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('paper,reviewer,score\np,Ann,"1,234"\np,Bob,3\n')
    plan = plan_scores(read_score_table(path))
    assert plan.question.startswith("Is “1,234” in t.csv the number 1.234 or 1234")
    with pytest.raises(BadInput, match=r"1\.234 or 1234"):
        read_scores(plan)
    assert [read_scores(plan, decimal=mark).rows[0].score for mark in ".,"] == [1234.0, 1.234]


def test_further_scores_are_asked_about_too() -> None:
    text = "paper;reviewer;score;citations\np;Ada Lovelace;3;1,234\nq;Ada Lovelase;4;2\n"
    plan = plan_scores(parse_table(text, "t.csv"))
    assert further_scores(plan) == ("citations",) and "1,234" in plan.question
    problems = read_scores(plan, decimal=".").problems
    assert [
        "“Ada Lovelase” may be the same as “Ada Lovelace”" in p.sentence for p in problems if p.kind == "spelling"
    ] == [True]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("A0", "a0", True),
        ("Ada  Lovelace", "ada lovelace", True),
        ("Ada Lovelace", "Lovelace, Ada", True),
        ("Müller", "Mu\u0308ller", True),
        ("Ａｄａ", "Ada", True),
        ("Ada Lovelace", "Ada Lovelase", True),
        ("Reviewer 1", "Reviewer 2", False),
        ("Referee A", "Referee B", False),
        ("Ann Lee", "Anna Li", False),
        ("Ann", "Anne", False),
        ("Tom Hall", "Tim Hill", False),
        ("Mia Žižek", "Pia Žižek", False),
        ("José Østergaard", "Jörg Østergaard", False),
        ("Sven Núñez", "Søren Núñez", False),
        ("Jon Nowak", "John Nowak", True),
        ("J. Nowak", "Jörg Nowak", True),
        ("p1", "1p", False),
    ],
)
def test_likely_spellings_of_one_person(first: str, second: str, same: bool) -> None:
    assert spellings([first, second], near=True) == ({second: first} if same else {})


def test_initials_that_fit_several_people_are_nobody_s() -> None:
    """Joining them would give one person's reviews to another."""
    names = ["Jörg Nowak", "José Nowak", "J. Nowak", "Y. Wang", "Yu Wang", "Y. L. Wang", "Yan Wang"]
    assert spellings(names, near=True) == {}
    assert spellings([*names[1:3], "J. M. Nowak"], near=True) == dict.fromkeys(("J. Nowak", "J. M. Nowak"), names[1])


@settings(suppress_health_check=[HealthCheck.too_slow])
@example(["a", "a", "A"])
@example([",A"])
@given(st.lists(st.text(max_size=8), max_size=20))
def test_spellings_lead_to_names_that_are_there(names: list[str]) -> None:
    found = spellings(names, near=True)
    assert (
        set(found) <= set(names)
        and set(found.values()) <= set(names)
        and not set(found) & {names[0] if names else None}
    )
