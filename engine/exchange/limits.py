"""How large foreign files may be, in one place.

The limits are far above what people have and low enough that the worst file within them is read in ten seconds and a
gigabyte of memory. What a file *unpacks* to counts, not what it weighs.
"""

from engine.errors import not_imported

FILE_BYTES = 100_000_000
"""A file that is read whole: text, JSON, tables. Word documents and workbooks have their pictures inside."""
LETTER_CHARACTERS = 4_000_000
"""A review or a response letter; the longest known has 0.6 million."""
JSON_VALUES = 5_000_000
"""Values in one JSON document, counted by its separators: each takes about a hundred bytes of memory."""
JSON_LINES = 1_000_000
JSON_DEPTH = 100
"""Lists and objects within each other."""
ROWS, COLUMNS, CELLS = 500_000, 5_000, 5_000_000
"""A table in text; a line that is wider than ``COLUMNS`` is no table."""
LINE_SEPARATORS = 100_000
"""Commas in one line of a table, some of which may stand in quoted text."""
SHEET_ROWS = 1_048_576
"""What a worksheet can have, most of them empty."""
CELL_CHARACTERS = 2_000_000
"""One cell: the full text of a paper fits."""
WORKBOOK_CELLS = 300_000
"""A worksheet; these are read at about a fifth of a million a second."""
WORKBOOK_XML = 64_000_000
"""Bytes of XML in a workbook, unpacked."""
DOCUMENT_XML = 40_000_000
"""Bytes of XML in a Word document, unpacked; its tree takes about ten times as much."""
ARCHIVE_BYTES = 200_000_000
"""Bytes of everything in a Word document or workbook, unpacked."""
ARCHIVE_MEMBERS = 5_000
ARCHIVE_ELEMENTS = 1_000_000
"""XML elements of a Word document or workbook: a cell with a value is two."""
ARCHIVE_RATIO = 150
"""Unpacked to packed bytes, for members beyond ``ARCHIVE_SMALL``. Tables of numbers have 5 to 20."""
ARCHIVE_SMALL = 5_000_000
BUNDLE_BYTES, BUNDLE_FILE_BYTES, BUNDLE_MEMBERS = 20_000_000_000, 1_000_000_000, 200_000
"""An open bundle, unpacked; one file in it (SQLite keeps no larger ones); its files. Tables are read line by line."""


def check_size(size: int, limit: int, name: str, unit: str = "bytes") -> None:
    """Raises BadInput where ``size`` is beyond ``limit``; ``name`` is for people."""
    if size > limit:
        most = f"{limit // 1_000_000} MB" if unit == "bytes" else f"{limit:,} {unit}"
        raise not_imported(f"{name} is too large: more than {most}.", "Split it into smaller files.")
