"""Reads and writes tables: CSV, TSV, XLSX and Parquet. No other module does so, or guesses a delimiter.

**Formulas.** Spreadsheets execute a cell that starts with ``=``, ``+``, ``-`` or ``@`` (or a full-width form), and some
programs drop a leading tab or line break first (OWASP, "CSV Injection"). In CSV such text gets a leading apostrophe,
which ``bare`` removes on reading; numbers ("-3.5") are unchanged. In XLSX the cell is typed as text and marked with
``quotePrefix``, so its content needs no change.

**Reading** respects ``limits``: archives are checked before they are unpacked, worksheets are streamed. What the file
doesn't specify is guessed and reported in the ``Table`` (``engine.exchange.tables``).
"""

import csv
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from engine.errors import BadInput, not_imported
from engine.exchange import limits
from engine.exchange.encoding import Decoded, decode, read_bytes
from engine.exchange.records import ExportFile
from engine.exchange.tables import Table, table_of
from engine.shown import escaped_markdown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

HeaderAndRows = tuple[Sequence[str], Sequence[Sequence[object]]]
"""A table to write; None is an empty cell."""

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_EXCEL_XML = "urn:schemas-microsoft-com:office:spreadsheet"
_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?%?|[+-](?:inf|nan)", re.ASCII)
_WIDEST = 60
"""Greatest width of a workbook's column, in characters."""
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that aren't allowed in XML."""
csv.field_size_limit(limits.CELL_CHARACTERS)


def guarded(text: str) -> str:
    """Returns ``text`` as a CSV cell that no spreadsheet executes. Numbers of either sign are unchanged."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def bare(text: str) -> str:
    """Reverses ``guarded``."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def csv_text(
    rows: Iterable[Sequence[object]],
    header: Sequence[str] | None = None,
    *,
    delimiter: str = ",",
    line_end: str = "\n",
    guard: bool = True,
) -> str:
    """Returns rows as CSV; None is an empty cell, numbers are formatted with ``str``.

    ``guard=False`` is for files that only programs read and whose cells are identifiers or must be read back verbatim
    by other software; every such call gives the reason. ``tests/engine/exchange/test_io.py`` lists them.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end)
    quoting = csv.writer(out, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    for row in rows if header is None else chain((header,), rows):
        # Python only quotes the line end that it writes, but readers also end the row at "\r".
        breaks = any(isinstance(cell, str) and "\r" in cell for cell in row)
        cells = [guarded(cell) if guard and isinstance(cell, str) else cell for cell in row]
        (quoting if breaks else writer).writerow(cells)
    return out.getvalue()


def csv_file(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> ExportFile:
    return ExportFile(name, csv_text(rows, header).encode("utf-8", "replace"))


def markdown_file(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> ExportFile:
    """Returns a Markdown table (GitHub's) with markup escaped and line ends replaced by spaces."""

    def line(cells: Iterable[object]) -> str:
        return f"| {' | '.join(escaped_markdown('' if cell is None else str(cell)) for cell in cells)} |\n"

    content = line(header) + line("---" for _ in header) + "".join(map(line, rows))
    return ExportFile(name, content.encode("utf-8", "replace"))


def xlsx_file(name: str, sheets: Mapping[str, HeaderAndRows]) -> ExportFile:
    """Returns a workbook with one sheet per table: a frozen bold header, columns as wide as their text up to a limit,
    at which it wraps; text typed as text, numbers as numbers."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book, top = Workbook(write_only=True), Alignment(vertical="top", wrap_text=True)
    for title, (header, rows) in sheets.items():
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "A2"
        table = [[str(one) for one in header], *rows]
        for at, column in enumerate(zip_longest(*table, fillvalue=""), start=1):
            texts = ("" if value is None else str(value) for value in column)
            longest = max(len(line) for text in texts for line in text.splitlines() or ("",))
            sheet.column_dimensions[get_column_letter(at)].width = min(longest + 2, _WIDEST)

        def cell(value: object, *, bold: bool = False, sheet: Any = sheet) -> Any:
            made = WriteOnlyCell(sheet, _UNWRITABLE.sub("\ufffd", value) if isinstance(value, str) else value)
            if isinstance(value, str):
                made.data_type = "s"
                made.quotePrefix = bool(_FORMULA.match(value))
            made.alignment = top
            if bold:
                made.font = Font(bold=True)
            return made

        for number, row in enumerate(table):
            sheet.append([cell(value, bold=not number) for value in row])
    out = io.BytesIO()
    book.save(out)
    return ExportFile(name, out.getvalue())


FRAME_FILES = (".csv", ".tsv", ".xlsx", ".parquet")


def frame_file(name: str, frame: "pd.DataFrame") -> ExportFile:
    """Returns a DataFrame as .parquet, .xlsx or .tsv by the ending of ``name``, otherwise as CSV."""
    ending = name.rpartition(".")[2].lower()
    if ending == "parquet":
        return ExportFile(name, frame.to_parquet(index=False))
    header = [str(column) for column in frame.columns]
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    if ending == "xlsx":
        return xlsx_file(name, {"table": (header, rows)})
    if ending == "tsv":
        content = csv_text(rows, header, delimiter="\t").encode("utf-8", "replace")
        return ExportFile(name, content)
    return csv_file(name, header, rows)


@contextmanager
def pair_writer(
    path: Path, rows: Sequence[str], columns: Sequence[str], *, parquet: bool
) -> "Iterator[Callable[[npt.NDArray[np.integer], npt.NDArray[np.integer], npt.NDArray[np.floating]], None]]":
    """Writes ``paper,reviewer,score`` in blocks: yields a function of indices into ``rows`` and ``columns``, and
    scores. CSV has no header, and seven significant digits."""
    if not parquet:
        with path.open("w", encoding="utf-8", newline="") as file:

            def write(row: Any, column: Any, score: Any) -> None:
                # Matching programs join these by identifier, and an OpenReview id may start with a dash.
                found = zip(row.tolist(), column.tolist(), score.tolist(), strict=True)
                file.write(csv_text(((rows[r], columns[c], f"{s:.7g}") for r, c, s in found), guard=False))

            yield write
        return
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    papers, reviewers = (pyarrow.array(list(names), pyarrow.string()) for names in (rows, columns))
    names = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    schema = pyarrow.schema([("paper", names), ("reviewer", names), ("score", pyarrow.float32())])
    with ParquetWriter(path, schema) as writer:

        def write_block(row: Any, column: Any, score: Any) -> None:
            coded = [pyarrow.DictionaryArray.from_arrays(at, of) for at, of in ((row, papers), (column, reviewers))]
            writer.write_table(pyarrow.Table.from_arrays([*coded, pyarrow.array(score)], schema=schema))

        yield write_block


def read_table(path: Path) -> Table:
    """Reads the table in a file, detecting its format: a workbook (XLSX, or XML of Excel 2003), Parquet, or text with
    one of ``DELIMITERS``. Raises BadInput if it can't be read."""
    return table_in(read_bytes(path), path.name)


def table_in(data: bytes, name: str, fits: Callable[[Table], bool] = lambda _: True) -> Table:
    """Like ``read_table``, for the bytes of a file. Of a workbook's sheets with at least two rows, reads the first one
    that ``fits``, or else the first one, with those that have the same columns (conference tracks)."""
    if data.startswith(b"PK\x03\x04") or name.lower().endswith((".xlsx", ".xlsm")):
        return _first_sheet(read_workbook(data, name), name, fits)
    if data.startswith(b"PAR1"):
        return _read_parquet(data, name)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise not_imported(f"{name} is an Excel 97–2003 workbook.", "Save it as .xlsx first.")
    if _EXCEL_XML.encode() in data[:4096].replace(b"\0", b""):
        return _first_sheet(_read_excel_xml(data, name), name, fits)
    return parse_table(decode(data, name), name)


def parse_table(text: str | Decoded, name: str, *, delimiter: str = "", guard: bool = True) -> Table:
    """Parses the table in a text. Without ``delimiter`` the layout is guessed: ``sep=;`` in the first line, otherwise
    the delimiter that splits most rows alike; titles above the header and comments (``#``) are skipped and reported.
    With it the first line is the header, and quotation marks are parsed leniently, as released data sets require.

    Raises BadInput if it isn't CSV, or exceeds ``limits``.
    """
    decoded = text if isinstance(text, Decoded) else Decoded(text, "")
    words, mark, first = decoded.text.removeprefix("\ufeff"), delimiter, 1
    if not mark and (stated := re.match(r"\"?sep=(.)\"?\r?(?:\n|$)", words, re.IGNORECASE)):
        words, mark, first = words[stated.end() :], stated[1], 2
    mark = mark or _guess_delimiter(words)
    rows = read_csv(words, name, delimiter=mark, strict=not delimiter, guard=guard)
    if mark == "\t" and not delimiter:
        try:
            rows = iter(list(rows))
        except BadInput:  # as written by Google: cells with leading quotation marks aren't quoted
            rows = read_csv(words, name, delimiter=mark, quoting=csv.QUOTE_NONE, guard=guard)
    assumed = f"columns separated by {DELIMITERS.get(mark, f'“{mark}”')}"
    if decoded.encoding:
        assumed = f"{decoded.encoding.upper()} text, {assumed}"
    return table_of(name, list(enumerate((c for _, c in rows), first)), assumed, decoded.warnings, guess=not delimiter)


def _guess_delimiter(text: str) -> str:
    """Returns the delimiter that splits most of the first rows into the same number of cells; a comma if none does."""

    def likeness(mark: str) -> tuple[float, int]:
        widths: Counter[int] = Counter()
        with suppress(csv.Error):
            rows = csv.reader(io.StringIO(text[:50_000], newline=""), delimiter=mark)
            widths.update(len(row) for row in islice(rows, 100) if any(row))
        wide = ((many / widths.total(), width) for width, many in widths.items() if width > 1)
        return max(wide, default=(0.0, 0))

    return max(DELIMITERS, key=likeness)


def read_csv(
    text: str,
    name: str,
    *,
    delimiter: str = ",",
    strict: bool = False,
    guard: bool = True,
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL,
) -> Iterator[tuple[int, list[str]]]:
    """Yields the rows of a table with the line numbers at which they end, from 1; skips a byte order mark.

    ``guard`` removes apostrophes added by ``guarded``. Raises BadInput during iteration if the text isn't CSV or
    exceeds ``limits``.
    """
    reader = csv.reader(_lines(text, name, delimiter), delimiter=delimiter, strict=strict, quoting=quoting)
    cells = 0
    try:
        for row in reader:
            cells += len(row)
            limits.check_size(len(row), limits.COLUMNS, f"{name}, line {reader.line_num}", "columns")
            limits.check_size(cells, limits.CELLS, name, "cells")
            limits.check_size(reader.line_num, limits.ROWS, name, "rows")
            yield reader.line_num, [bare(cell) for cell in row] if guard else row
    except csv.Error as error:
        raise not_imported(
            f"{name} can't be read as CSV: {error} (line {reader.line_num}).", "Check its quotation marks."
        ) from error


def _lines(text: str, name: str, delimiter: str) -> Iterator[str]:
    for number, line in enumerate(io.StringIO(text.removeprefix("\ufeff"), newline=""), start=1):
        limits.check_size(line.count(delimiter), limits.LINE_SEPARATORS, f"{name}, line {number}", "columns")
        yield line


def check_archive(data: bytes, name: str, kind: str, xml_limit: int) -> None:
    """Raises BadInput if a ZIP archive of XML (``kind``: "Word document", "workbook") can't be unpacked safely:
    damaged, with too many members, too large, with too high a compression ratio, or with a document type declaration,
    which such files must not have (ECMA-376 part 2) and which entity bombs need."""
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
        raise unreadable(name, kind) from error  # RuntimeError: encrypted; NotImplementedError: unknown compression


def _too_large(name: str, kind: str) -> BadInput:
    return BadInput(
        f"{name} unpacks to more data than a {kind} can contain.",
        "Nothing was imported, because the file may be designed to exhaust this computer's memory.",
        "Save it again without unneeded sheets, rows or pages.",
    )


def _elements(stream: IO[bytes], name: str, kind: str) -> int:
    """Returns the number of XML elements in a stream. Raises BadInput if it has a document type declaration."""
    before, count = b"", 0
    while block := stream.read(1 << 20):
        count += block.count(b"<") - block.count(b"</")
        plain = (before + block).replace(b"\0", b"")  # also matches UTF-16 and UTF-32
        if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
            raise BadInput(
                f"{name} has a document type declaration, which a {kind} doesn't need.",
                "Nothing was imported, because the file may be designed to exhaust this computer's memory.",
                "Save it again in its original program.",
            )
        before = block[-40:]
    return count


def unreadable(name: str, kind: str) -> BadInput:
    """Returns the error for a damaged file."""
    return not_imported(f"{name} can't be read as a {kind}.", "Open it in its program and save it again.")


def read_workbook(data: bytes, name: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yields the worksheets of an XLSX file with their rows as text, read on demand; formulas as their stored values.
    Raises BadInput if it isn't a workbook, or exceeds ``limits``."""
    check_archive(data, name, "workbook", limits.WORKBOOK_XML)
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    except Exception as error:
        raise unreadable(name, "workbook") from error
    try:
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # may be wrong; each row ends at its last cell
            rows = _rows_of(sheet.iter_rows(values_only=True), str(sheet.title), name)
            _fill_merged(rows, data, sheet._worksheet_path)
            yield str(sheet.title), rows
    finally:
        with suppress(OSError):
            book.close()


_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^<>]*\bref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")


def _fill_merged(rows: list[list[str]], data: bytes, part: str) -> None:
    """Copies a merged cell's content to the cells below it; ``part`` is the sheet's path in the archive."""
    from openpyxl.utils import range_boundaries

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        merged = _MERGED.findall(archive.read(part))
    for ref in merged:
        column, first, _, last = range_boundaries(ref.decode())
        for content in [cell for top in rows[first - 1 : first] for cell in top[column - 1 : column]]:
            for row in rows[first:last]:
                row.extend([""] * (column - len(row)))
                row[column - 1] = content


def _read_excel_xml(data: bytes, name: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yields the worksheets of an "XML Spreadsheet 2003", Microsoft CMT's export format (ending .xls)."""
    from xml.etree import ElementTree

    limits.check_size(len(data), limits.WORKBOOK_XML, name)
    limits.check_size(_elements(io.BytesIO(data), name, "workbook"), limits.ARCHIVE_ELEMENTS, name, "elements")
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 (no document type declaration, so no entities)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise unreadable(name, "workbook") from error
    tag = f"{{{_EXCEL_XML}}}"

    def cells(row: ElementTree.Element) -> list[str]:
        found: list[str] = []
        for cell in row.iter(f"{tag}Cell"):
            place = int(cell.get(f"{tag}Index", len(found) + 1))
            merged = int(cell.get(f"{tag}MergeAcross", 0))
            limits.check_size(place + merged, limits.COLUMNS, name, "columns")
            data = cell.find(f"{tag}Data")
            text = "" if data is None else "".join(data.itertext())
            found += [*[""] * (place - 1 - len(found)), text, *[""] * merged]
        return found

    for sheet in root.iter(f"{tag}Worksheet"):
        title = sheet.get(f"{tag}Name", "")
        yield title, _rows_of(map(cells, sheet.iter(f"{tag}Row")), title, name)


def _rows_of(iterator: Iterator[Sequence[Any]], title: str, name: str) -> list[list[str]]:
    rows: list[list[str]] = []
    cells = 0
    where = f"The sheet {title} of {name}"
    while True:
        try:
            row = next(iterator, None)
        except BadInput:
            raise
        except Exception as error:
            raise unreadable(name, "workbook") from error
        if row is None:
            return rows
        cells += len(row)
        limits.check_size(len(row), limits.COLUMNS, f"Row {len(rows) + 1} of {where[0].lower()}{where[1:]}", "columns")
        limits.check_size(cells, limits.WORKBOOK_CELLS, where, "cells")
        limits.check_size(len(rows), limits.SHEET_ROWS, where, "rows")
        rows.append([_shown(value) for value in row])


def _first_sheet(sheets: Iterator[tuple[str, list[list[str]]]], name: str, fits: Callable[[Table], bool]) -> Table:
    found: list[tuple[str, Table]] = []
    small = []
    for title, lines in sheets:
        if sum(any(line) for line in lines) >= 2:
            found.append((title, table_of(name, list(enumerate(lines, 1)), f"sheet “{title}”", typed=True)))
        else:
            small.append(title)
    if not found:
        raise not_imported(f"No sheet of {name} has a table.", "Choose another file.")
    chosen, table = next(((title, table) for title, table in found if fits(table)), found[0])
    same = {title: other for title, other in found if title != chosen and other.columns == table.columns}
    others = [title for title, _ in found if title != chosen and title not in same] + small
    said = [f"with the rows of {', '.join([*same][:5])}"] if same else []
    said += [f"not read: {', '.join(others[:5])}"] if others else []
    if not said:
        return table
    return replace(
        table,
        rows=tuple(chain(table.rows, *(other.rows for other in same.values()))),
        numbers=tuple(chain(table.numbers, *(other.numbers for other in same.values()))),
        assumed=f"{table.assumed[:-1]} ({'; '.join(said)}).",
        warnings=tuple(dict.fromkeys(chain(table.warnings, *(other.warnings for other in same.values())))),
    )


def _read_parquet(data: bytes, name: str) -> Table:
    import pyarrow
    from pyarrow.parquet import ParquetFile, read_table

    try:
        about = ParquetFile(io.BytesIO(data)).metadata
        limits.check_size(about.num_columns, limits.COLUMNS, name, "columns")
        limits.check_size(about.num_rows, limits.ROWS, name, "rows")
        limits.check_size(about.num_rows * about.num_columns, limits.CELLS, name, "cells")
        groups = range(about.num_row_groups)
        limits.check_size(sum(about.row_group(at).total_byte_size for at in groups), limits.ARCHIVE_BYTES, name)
        texts = [
            column.path
            for column in map(about.schema.column, range(about.num_columns))
            if column.physical_type == "BYTE_ARRAY"
        ]
        # Dictionary encoding is kept, so that a long text repeated in a million rows is stored once.
        table = read_table(io.BytesIO(data), read_dictionary=texts, memory_map=False, use_threads=False)
        columns = []
        for column in table.columns:
            cells: list[str] = []
            for chunk in column.chunks:
                if isinstance(chunk, pyarrow.DictionaryArray):
                    words = [*map(_shown, chunk.dictionary.to_pylist()), ""]
                    cells += [words[-1 if at is None else at] for at in chunk.indices.to_pylist()]
                else:
                    cells += map(_shown, chunk.to_pylist())
            columns.append(cells)
        lines = [table.column_names, *map(list, zip(*columns, strict=True))]
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        raise unreadable(name, "Parquet file") from error
    return table_of(name, list(enumerate(lines)), "Parquet", guess=False, typed=True)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
