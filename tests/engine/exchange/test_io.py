"""The one writer of tables: nothing that a spreadsheet runs leaves, numbers stay numbers, and all of it reads back."""

from __future__ import annotations

import io
import random
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.io import (
    bare,
    check_archive,
    csv_text,
    frame_file,
    guarded,
    markdown_file,
    pair_writer,
    parse_table,
    read_csv,
    read_workbook,
    table_in,
    xlsx_file,
)  # fmt: skip

ROOT = Path(__file__).resolve().parents[3]
SIGNS = "=+-@\t\r\n＝＋－＠'\" ,;0123.5e%abc\u00a0\ufeff"
CELLS = st.text(st.sampled_from(SIGNS), max_size=8) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12
)


@given(CELLS)
def test_what_is_guarded_reads_back(text: str) -> None:
    assert bare(guarded(text)) == text


@given(CELLS)
def test_no_guarded_cell_begins_like_a_formula(text: str) -> None:
    written = guarded(text)
    runs = written.lstrip().startswith(tuple("=+-@＝＋－＠")) or written.startswith(("\t", "\r", "\n"))
    assert not runs or re.fullmatch(r"[-+](\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?%?|[-+](inf|nan)", written, re.I | re.A)


@pytest.mark.parametrize("text", ["-3.5", "+1", "-1e-05", "-.5", "-3,5", "-12%", "-inf", "3"])
def test_numbers_stay_numbers(text: str) -> None:
    assert guarded(text) == text


@pytest.mark.parametrize(
    "text", ["=1+1", "+A1", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n1", "＝1", " =1", "-1+1"]
)
def test_formulas_get_an_apostrophe(text: str) -> None:
    assert guarded(text) == f"'{text}"


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=6), st.sampled_from(",\t;"))
def test_tables_read_back(rows: list[list[str]], delimiter: str) -> None:
    for guard in (True, False):
        text = csv_text(rows, ("a", "b"), delimiter=delimiter, guard=guard)
        assert [row for _, row in read_csv(text, "t", delimiter=delimiter, guard=guard)] == [["a", "b"], *rows]


@given(st.lists(st.lists(CELLS | st.integers(-(10**6), 10**6) | st.none(), min_size=2, max_size=2), max_size=4))
def test_workbooks_hold_what_was_written_and_no_formula(rows: list[list[object]]) -> None:
    from openpyxl import load_workbook

    content = xlsx_file("t.xlsx", {"one": (("=a", "b"), rows)}).content
    sheet = load_workbook(io.BytesIO(content))["one"]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert not [
        cell for cell in cells if cell.data_type == "s" and guarded(cell.value) != cell.value and not cell.quotePrefix
    ]
    assert [cell.font.b for cell in sheet[1]] == [True, True] and not any(cell.font.b for cell in cells[2:])
    ((title, found),) = read_workbook(content, "t.xlsx")
    shown = [["" if cell is None else _as_xml(str(cell)) for cell in row] for row in rows]
    assert title == "one" and found[0] == ["=a", "b"]
    assert [[*row, "", ""][:2] for row in found[1:]] == shown[: len(found) - 1] and not any(
        any(row) for row in shown[len(found) - 1 :]
    )


def _as_xml(text: str) -> str:
    """XML has no control characters."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)


def test_a_header_that_is_a_formula_is_guarded_too() -> None:
    assert csv_text([], ("=x",)) == "'=x\n"


def test_records_fill_short_rows_and_name_missing_columns() -> None:
    assert list(parse_table("\ufeffid, name\n1\n\n'=2,b,c\n", "t.csv").records(("id",))) == [
        (2, {"id": "1", "name": ""}),
        (4, {"id": "=2", "name": "b"}),
    ]
    with pytest.raises(BadInput, match="no column “text”"):
        parse_table("id\n1\n", "t.csv").records(("id", "text"))


@pytest.mark.parametrize(
    "text", ["a,b\n" + "," * (limits.COLUMNS + 1), 'a,"' + "x" * (limits.CELL_CHARACTERS + 1), 'a\n"b"c"\n']
)
def test_tables_beyond_the_limits_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        list(read_csv(text, "t.csv", strict=True))


def test_a_cell_holds_a_whole_paper_but_not_every_comma() -> None:
    paper = "x" * limits.CELL_CHARACTERS
    assert [row for _, row in read_csv(f"a,{paper}\n", "t.csv")] == [["a", paper]]
    assert len(list(read_csv('"' + "," * limits.LINE_SEPARATORS + '"\n', "t.csv"))) == 1
    with pytest.raises(BadInput, match="line 1"):
        list(read_csv('"' + "," * (limits.LINE_SEPARATORS + 1) + '"\n', "t.csv"))


FOUR_OF_THREE = pd.DataFrame({name: [f"{name}{row}" for row in range(4)] for name in ("a", "b", "c")})


XML_SPREADSHEET = b"""<?xml version="1.0"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Worksheet ss:Name="Reviews"><Table>
<Row>"""
XML_SPREADSHEET += (
    b"".join(b'<Cell><Data ss:Type="String">%c</Data></Cell>' % letter for letter in b"abcdef")
    + b"""</Row>
<Row><Cell><Data ss:Type="Number">1</Data></Cell>
<Cell ss:Index="4" ss:MergeAcross="2"><Data ss:Type="Number">4</Data></Cell></Row>
</Table></Worksheet></Workbook>"""
)


@pytest.mark.parametrize(
    ("kind", "limit", "holds"),
    [
        ("csv", "COLUMNS", 3), ("csv", "ROWS", 5), ("csv", "CELLS", 15), ("xlsx", "COLUMNS", 3),
        ("xlsx", "WORKBOOK_CELLS", 15), ("xlsx", "SHEET_ROWS", 4), ("parquet", "COLUMNS", 3), ("parquet", "ROWS", 4),
        ("parquet", "CELLS", 12),
    ],
)  # fmt: skip
def test_what_just_fits_is_read_and_one_more_is_refused(
    kind: str, limit: str, holds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = frame_file(f"t.{kind}", FOUR_OF_THREE).content
    monkeypatch.setattr(limits, limit, holds)
    assert len(table_in(content, f"t.{kind}").rows) == 4
    monkeypatch.setattr(limits, limit, holds - 1)
    with pytest.raises(BadInput, match=r"too large: more than"):
        table_in(content, f"t.{kind}")


@pytest.mark.parametrize(
    ("limit", "holds"), [("WORKBOOK_XML", len(XML_SPREADSHEET)), ("COLUMNS", 6), ("ARCHIVE_ELEMENTS", 22)]
)
def test_a_spreadsheet_in_xml_has_the_limits_of_a_workbook(
    limit: str, holds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, limit, holds)
    table = table_in(XML_SPREADSHEET, "t.xls")
    assert table.rows == (("1", "", "", "4", "", ""),)
    monkeypatch.setattr(limits, limit, holds - 1)
    with pytest.raises(BadInput, match="too large"):
        table_in(XML_SPREADSHEET, "t.xls")


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx", "parquet"])
def test_a_frame_is_the_kind_of_file_that_its_name_says_and_reads_back(kind: str) -> None:
    file = frame_file(f"t.{kind}", FOUR_OF_THREE)
    assert [list(row) for row in table_in(file.content, file.name).rows] == FOUR_OF_THREE.to_numpy().tolist()
    assert (b"a\tb\tc" in file.content) == (kind == "tsv") and (b"a,b,c" in file.content) == (kind == "csv")


def test_names_and_texts_in_parquet_are_read_as_they_are() -> None:
    frame = pd.DataFrame({"#id": ["# no comment", "2"], "": ["3", "4"]})
    table = table_in(frame_file("t.parquet", frame).content, "t.parquet")
    assert (table.columns[0], table.rows) == ("#id", (("# no comment", "3"), ("2", "4")))


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "csv"])
def test_numbers_of_typed_cells_have_a_decimal_point_whatever_texts_beside_them_have(kind: str) -> None:
    frame = pd.DataFrame({"a": [1.234, 2.345], "b": ["1,5", "2,5"]})
    table = table_in(frame_file(f"t.{kind}", frame).content, f"t.{kind}")
    assert table.number("1.234", ",") == (1234 if kind == "csv" else 1.234)


def test_a_wide_header_of_a_spreadsheet_in_xml_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = XML_SPREADSHEET.replace(b' ss:Index="4" ss:MergeAcross="2"', b"")
    monkeypatch.setattr(limits, "COLUMNS", 6)
    assert table_in(narrow, "t.xls").rows == (("1", "4", "", "", "", ""),)
    monkeypatch.setattr(limits, "COLUMNS", 5)
    with pytest.raises(BadInput, match="too large"):
        table_in(narrow, "t.xls")


def test_a_parquet_file_that_unpacks_to_too_much_or_is_damaged_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = frame_file("t.parquet", FOUR_OF_THREE).content
    with pytest.raises(BadInput, match="can't be read as a Parquet file"):
        table_in(content[:-20] + b"PAR1", "t.parquet")
    monkeypatch.setattr(limits, "ARCHIVE_BYTES", 10)
    with pytest.raises(BadInput, match="too large"):
        table_in(content, "t.parquet")


def test_the_header_of_a_sheet_stays_in_view() -> None:
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(frame_file("t.xlsx", FOUR_OF_THREE).content))
    assert [sheet.freeze_panes for sheet in book] == ["A2"]


@pytest.mark.parametrize("parquet", [False, True])
def test_scores_of_pairs_are_written_block_by_block(parquet: bool, tmp_path: Path) -> None:
    path = tmp_path / "scores"
    with pair_writer(path, ["p1", "p2"], ["~A1", "-b", "c"], parquet=parquet) as write:
        for paper, reviewers in ((0, [0, 2]), (1, [1])):
            column = np.array(reviewers, np.int32)
            write(np.full_like(column, paper), column, np.array([0.5] * len(column), np.float32) + paper)
    if parquet:
        rows = [tuple(row) for row in pd.read_parquet(path).astype(object).to_numpy()]
    else:
        rows = [(*names, float(score)) for *names, score in (line.split(",") for line in path.read_text().splitlines())]
    assert rows == [("p1", "~A1", 0.5), ("p1", "c", 0.5), ("p2", "-b", 1.5)]


def packed(*members: tuple[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return data.getvalue()


def noise(size: int) -> bytes:
    """Bytes that don't pack, and have no sign of XML."""
    return random.Random(size).randbytes(size).replace(b"<", b"-").replace(b"\0", b"-")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-32-be"])
@pytest.mark.parametrize("cut", [1, 8, 20, 39])
def test_a_document_type_is_found_wherever_a_block_ends(encoding: str, cut: int) -> None:
    declared = "<!DOCTYPE x []>".encode(encoding)
    start = (1 << 20) - cut * len(declared) // 60
    data = packed(("xl/sheet.xml", b"-" * start + declared + b"-" * 100))
    with pytest.raises(BadInput, match="document type"):
        check_archive(data, "t.xlsx", "workbook", limits.WORKBOOK_XML)
    with pytest.raises(BadInput, match="document type"):
        list(read_workbook(data, "t.xlsx"))
    check_archive(packed(("xl/sheet.xml", b"-" * start + b"<x/>")), "t.xlsx", "workbook", limits.WORKBOOK_XML)


def test_archives_that_unpack_to_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(*members: tuple[str, bytes], xml_limit: int = limits.WORKBOOK_XML) -> None:
        check_archive(packed(*members), "t.xlsx", "workbook", xml_limit)

    check(("a.xml", noise(1000)), xml_limit=1000)
    with pytest.raises(BadInput, match="unpacks to more"):
        check(("a.xml", noise(1001)), xml_limit=1000)
    with pytest.raises(BadInput, match="unpacks to more"):
        check(("a.xml", noise(501)), ("b.rels", noise(500)), xml_limit=1000)
    check(("a.xml", noise(501)), ("picture.png", noise(500)), xml_limit=1000)
    with monkeypatch.context() as patch:
        patch.setattr(limits, "ARCHIVE_ELEMENTS", 3)
        check(("a.xml", b"<a><b/>words</a>"), ("b.xml", b"<c/>"))
        with pytest.raises(BadInput, match="unpacks to more"):
            check(("a.xml", b"<a><b/>words</a>"), ("b.xml", b"<c><d/></c>"))
    check(("small.xml", b"-" * limits.ARCHIVE_SMALL))
    check(("packs-badly.xml", noise(limits.ARCHIVE_SMALL + 1)))
    check(("packs-by-half.xml", noise(limits.ARCHIVE_SMALL) + b"-" * limits.ARCHIVE_SMALL))
    with pytest.raises(BadInput, match="unpacks to more"):
        check(("packs-well.xml", b"-" * (limits.ARCHIVE_SMALL + 1)))


def test_a_formula_is_read_as_the_value_that_is_stored_with_it() -> None:
    written, out = xlsx_file("t.xlsx", {"Scores": (("id", "score"), [["p1", 42]])}).content, io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(written)) as archive, zipfile.ZipFile(out, "w") as changed:
        for part in archive.namelist():
            changed.writestr(part, archive.read(part).replace(b"<v>42</v>", b"<f>6*7</f><v>42</v>"))
    assert b"6*7" in zipfile.ZipFile(out).read("xl/worksheets/sheet1.xml")
    ((_, rows),) = read_workbook(out.getvalue(), "t.xlsx")
    assert rows == [["id", "score"], ["p1", "42"]]


def test_merged_cells_are_filled_from_their_first_row_down() -> None:
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in (("id", "name", "track"), (None, "Ann", "A"), ("p2", "Ben", "C"), ("p3", "Cy", None), ("p4", "Dee")):
        book.active.append(row)
    for cells in ("A1:A2", "B1:C1", "C3:C9", "E2:E3"):
        book.active.merge_cells(cells)
    book.save(out)
    ((_, found),) = read_workbook(out.getvalue(), "t.xlsx")
    assert [[cell for cell in row if cell] for row in found] == [
        ["id", "name"], ["id", "Ann", "A"], ["p2", "Ben", "C"], ["p3", "Cy", "C"], ["p4", "Dee", "C"],
        *[["C"]] * 4,
    ]  # fmt: skip
    assert all(len(row) == 3 and row[2] in ("", "A", "C") for row in found[4:])


def test_a_workbook_without_a_table_says_so_and_the_first_sheet_that_has_one_is_read() -> None:
    notes = (("Read me",), [])
    with pytest.raises(BadInput, match=r"No sheet of t\.xlsx has a table"):
        table_in(xlsx_file("t.xlsx", {"Notes": notes}).content, "t.xlsx")
    scores = (("a", "b"), [[1, 2]])
    table = table_in(xlsx_file("t.xlsx", {"Notes": notes, "Scores": scores}).content, "t.xlsx")
    assert "Scores" in table.assumed and "Notes" in table.assumed
    assert [line for line, _ in table.records(("a",))] == [2], "lines are those of the sheet"
    others = table_in(xlsx_file("t.xlsx", {"Scores": scores, "More": scores, "Notes": notes}).content, "t.xlsx")
    assert others.assumed.endswith("sheet “Scores” (with the rows of More; not read: Notes).")
    assert others.rows == (("1", "2"), ("1", "2"))


def test_a_workbooks_columns_are_as_wide_as_their_text_which_wraps_at_a_limit() -> None:
    from openpyxl import load_workbook

    rows = [("short", "x" * 400), ("two\nlines of text", "")]
    sheet = load_workbook(io.BytesIO(xlsx_file("t.xlsx", {"one": (("a", "b"), rows)}).content))["one"]
    assert [sheet.column_dimensions[letter].width for letter in "AB"] == [len("lines of text") + 2, 60]
    assert all(cell.alignment.wrap_text and cell.alignment.vertical == "top" for row in sheet for cell in row)


WRITERS = re.compile(
    r"\bcsv\.(?:writer|DictWriter|reader|DictReader)\b|\b(?:Workbook|load_workbook)\(|\.to_(?:csv|excel)\("
)
UNGUARDED = {
    "engine/exchange/expertise_data.py": 1,  # ids that are names of files, made of letters and digits
    "engine/exchange/jitsupeer.py": 1,  # the released layout, compared letter by letter
    "engine/exchange/io.py": 1,  # paper,reviewer,score
}


def test_only_one_module_writes_and_opens_tables() -> None:
    found, unguarded = {}, {}
    for folder in ("engine", "desktop_app", "scripts"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            name, text = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
            if WRITERS.search(text):
                found[name] = WRITERS.findall(text)
            if calls := re.findall(r"csv_text\([^\n]*guard=False", text):
                unguarded[name] = len(calls)
    assert list(found) == ["engine/exchange/io.py"]
    assert unguarded == UNGUARDED


def test_a_table_as_markdown_has_a_line_of_dashes_and_no_markup_in_its_cells() -> None:
    made = markdown_file("table.md", ["place", "n"], [["Table 2 | *bold*\nsecond line", 3], [None, 0.5]])
    assert made.name == "table.md" and made.content.decode().splitlines() == [
        "| place | n |", "| --- | --- |", r"| Table 2 \| \*bold\* second line | 3 |", "|  | 0.5 |",
    ]  # fmt: skip
