"""Tables in and out: CSV, TSV and XLSX. No other module writes them or opens a workbook.

**Formulas.** A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` (their full-width forms, too), and
some programs drop a leading tab or line break first (OWASP, "CSV Injection"). In CSV such text gets an apostrophe in
front, which ``bare`` removes when the file is read back; numbers ("-3.5") stay as they are. In XLSX the cell is typed
as text and marked with ``quotePrefix``, so its words need no change.

**Reading** keeps to ``limits``: archives are checked before they are unpacked, worksheets are streamed.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import IO, Any

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.records import ExportFile

Table = tuple[Sequence[str], Sequence[Sequence[object]]]
"""Header and rows; None is an empty cell."""

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?%?|[+-](?:inf|nan)", re.ASCII)
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What no XML file can hold."""
csv.field_size_limit(limits.CELL_CHARACTERS)


# --- the guard --------------------------------------------------------------------------------------------------------


def guarded(text: str) -> str:
    """``text`` as a CSV cell that no spreadsheet runs. A number, of whatever sign, stays as it is."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def bare(text: str) -> str:
    """What ``guarded`` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


# --- writing ----------------------------------------------------------------------------------------------------------


def csv_text(
    rows: Iterable[Sequence[object]],
    header: Sequence[str] | None = None,
    *,
    delimiter: str = ",",
    line_end: str = "\n",
    guard: bool = True,
) -> str:
    """Rows as CSV; None is an empty cell, numbers are written as Python shows them.

    ``guard=False`` is for files that only programs read and whose cells are identifiers or must come back letter by
    letter in somebody else's reader; every such call says why. ``tests/engine/exchange/test_io.py`` lists them.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end)
    quoting = csv.writer(out, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    for row in rows if header is None else chain((header,), rows):
        # Python quotes the line end that it writes, not the other one, at which a reader would end the row.
        breaks = any(isinstance(cell, str) and "\r" in cell for cell in row)
        cells = [guarded(cell) if guard and isinstance(cell, str) else cell for cell in row]
        (quoting if breaks else writer).writerow(cells)
    return out.getvalue()


def csv_file(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> ExportFile:
    """A table as a UTF-8 CSV file."""
    return ExportFile(name, csv_text(rows, header).encode("utf-8", "replace"), "text/csv")


def xlsx_file(name: str, sheets: Mapping[str, Table]) -> ExportFile:
    """A workbook with a sheet for each table: a bold header that stays in view, text as text, numbers as numbers."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    book = Workbook(write_only=True)
    for title, (header, rows) in sheets.items():
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "A2"

        def cell(value: object, *, bold: bool = False, sheet: Any = sheet) -> Any:
            made = WriteOnlyCell(sheet, _UNWRITABLE.sub("\ufffd", value) if isinstance(value, str) else value)
            if isinstance(value, str):
                made.data_type = "s"
                made.quotePrefix = bool(_FORMULA.match(value))
            if bold:
                made.font = Font(bold=True)
            return made

        sheet.append([cell(str(one), bold=True) for one in header])
        for row in rows:
            sheet.append([cell(value) for value in row])
    out = io.BytesIO()
    book.save(out)
    return ExportFile(name, out.getvalue(), XLSX)


# --- reading text -----------------------------------------------------------------------------------------------------


def read_csv(
    text: str, name: str, *, delimiter: str = ",", strict: bool = False, guard: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table with the lines that they end in, from 1; a byte order mark is skipped.

    ``guard``: apostrophes of ``guarded`` are removed. Raises BadInput, while it is iterated, where the text is no CSV
    or has more rows or cells than ``limits`` allow.
    """
    limits.check_size(text.count("\n"), 10 * limits.ROWS, name, "lines")
    reader = csv.reader(_lines(text, name, delimiter), delimiter=delimiter, strict=strict)
    cells = 0
    try:
        for row in reader:
            cells += len(row)
            limits.check_size(len(row), limits.COLUMNS, f"{name}, line {reader.line_num}", "columns")
            limits.check_size(cells, limits.CELLS, name, "cells")
            limits.check_size(reader.line_num, limits.ROWS, name, "rows")
            yield reader.line_num, [bare(cell) for cell in row] if guard else row
    except csv.Error as error:
        raise BadInput(
            f"{name} cannot be read as CSV: {error} (line {reader.line_num}).",
            "Nothing was imported.",
            "Check its quotation marks.",
        ) from error


def _lines(text: str, name: str, delimiter: str) -> Iterator[str]:
    for number, line in enumerate(io.StringIO(text.removeprefix("\ufeff"), newline=""), start=1):
        limits.check_size(line.count(delimiter), limits.LINE_SEPARATORS, f"{name}, line {number}", "columns")
        yield line


def read_records(
    text: str, name: str, needed: Sequence[str] = (), *, delimiter: str = ",", guard: bool = True
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows below a header as mappings by its names, with their lines; empty lines are skipped, cells that are
    missing at the end are empty, those beyond the header are dropped.

    Raises BadInput, when it is called, where a ``needed`` column is missing, and as ``read_csv`` does.
    """
    rows = read_csv(text, name, delimiter=delimiter, guard=guard)
    header = [cell.strip() for cell in next(rows, (0, []))[1]]
    missing = [column for column in needed if column not in header]
    if missing:
        raise BadInput(
            f"{name} has no column “{missing[0]}”.",
            "Nothing was imported.",
            f"Its first line must name {', '.join(needed)}.",
        )
    blank = [""] * len(header)
    return (
        (line, dict(zip(header, [*row, *blank[len(row) :]], strict=False)))
        for line, row in rows
        if any(map(str.strip, row))
    )


# --- reading archives -------------------------------------------------------------------------------------------------


def check_archive(data: bytes, name: str, kind: str, xml_limit: int) -> None:
    """Raises BadInput where a ZIP archive of XML (``kind``: "Word document", "workbook") cannot be unpacked safely:
    broken, too many members, too large, packed beyond reason, or with a document type declaration, which such files
    must not have (ECMA-376 part 2) and which entity bombs need.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            xml = [one for one in members if one.filename.casefold().endswith((".xml", ".rels", ".vml"))]
            if (
                len(members) > limits.ARCHIVE_MEMBERS
                or sum(one.file_size for one in members) > limits.ARCHIVE_BYTES
                or sum(one.file_size for one in xml) > xml_limit
                or any(
                    one.file_size > limits.ARCHIVE_SMALL
                    and one.file_size > limits.ARCHIVE_RATIO * max(1, one.compress_size)
                    for one in xml
                )
                or len({one.filename for one in members}) != len(members)
            ):
                raise _too_large(name, kind)
            elements = 0
            for one in xml:
                with archive.open(one) as stream:
                    elements += _elements(stream, name, kind)
            if elements > limits.ARCHIVE_ELEMENTS:
                raise _too_large(name, kind)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise unreadable(name, kind) from error  # RuntimeError: encrypted; NotImplementedError: an odd compression


def _too_large(name: str, kind: str) -> BadInput:
    return BadInput(
        f"{name} unpacks to more than a {kind} may hold.",
        "It may be made to exhaust this computer's memory; nothing was imported.",
        "Save it again in its program, without sheets, rows or pages that are not needed.",
    )


def _elements(stream: IO[bytes], name: str, kind: str) -> int:
    """How many XML elements begin in a stream, which must declare no document type."""
    before, count = b"", 0
    while block := stream.read(1 << 20):
        count += block.count(b"<") - block.count(b"</")
        plain = (before + block).replace(b"\0", b"")  # UTF-16 and UTF-32, too
        if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
            raise BadInput(
                f"{name} has a document type declaration, which no {kind} needs.",
                "It may be made to exhaust this computer's memory; nothing was imported.",
                "Save it again in the program that it is from.",
            )
        before = block[-40:]
    return count


def unreadable(name: str, kind: str) -> BadInput:
    """What is said of an archive that is damaged."""
    return BadInput(
        f"{name} cannot be read as a {kind}.", "Nothing was imported.", "Open it in its program and save it again."
    )


def read_workbook(data: bytes, name: str) -> Iterator[tuple[str, list[list[str]]]]:
    """The worksheets of an XLSX file with their rows as text, each read when it is asked for; formulas by the values
    that were saved with them.

    Raises BadInput where it is no workbook, or larger than ``limits`` allow.
    """
    check_archive(data, name, "workbook", limits.WORKBOOK_XML)
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    except Exception as error:
        raise unreadable(name, "workbook") from error
    try:
        for sheet in book.worksheets:
            yield str(sheet.title), _rows_of(sheet, name)
    finally:
        with suppress(OSError):
            book.close()


def _rows_of(sheet: Any, name: str) -> list[list[str]]:
    rows: list[list[str]] = []
    cells = 0
    where = f"The sheet {sheet.title} of {name}"
    sheet.reset_dimensions()  # they may say anything; each row ends at its last cell
    iterator = sheet.iter_rows(values_only=True)
    while True:
        try:
            row = next(iterator, None)
        except Exception as error:
            raise unreadable(name, "workbook") from error
        if row is None:
            return rows
        cells += len(row)
        limits.check_size(len(row), limits.COLUMNS, f"Row {len(rows) + 1} of {where[0].lower()}{where[1:]}", "columns")
        limits.check_size(cells, limits.WORKBOOK_CELLS, where, "cells")
        limits.check_size(len(rows), limits.SHEET_ROWS, where, "rows")
        rows.append([_shown(value) for value in row])


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
