"""Size limits for imported files.

They are far above real files and low enough that the worst file within them is read in ten seconds and a gigabyte of
memory. The *unpacked* size counts.
"""

from engine.errors import not_imported

FILE_BYTES = 100_000_000
"""A file that is read whole: text, JSON, tables. Word documents and workbooks may include pictures."""
LETTER_CHARACTERS = 4_000_000
"""A review or a response letter; the longest known has 0.6 million characters."""
JSON_VALUES = 5_000_000
"""Values in one JSON document, counted by its separators; each takes about a hundred bytes of memory."""
JSON_LINES = 1_000_000
JSON_DEPTH = 100
"""Nesting depth of lists and objects."""
ROWS, COLUMNS, CELLS = 500_000, 5_000, 5_000_000
"""Maximum size of a table in text or Parquet; ``COLUMNS`` applies to worksheets, too."""
LINE_SEPARATORS = 100_000
"""Separators in one line of a table, including those in quoted text."""
SHEET_ROWS = 1_048_576
"""Maximum rows of a worksheet, most of which are empty."""
CELL_CHARACTERS = 2_000_000
"""Characters in one cell; the full text of a paper fits."""
WORKBOOK_CELLS = 300_000
"""Cells in a worksheet, which are read at about 200,000 per second."""
WORKBOOK_XML = 64_000_000
"""Unpacked bytes of XML in a workbook."""
DOCUMENT_XML = 40_000_000
"""Unpacked bytes of XML in a Word document; its tree takes about ten times as much memory."""
ARCHIVE_BYTES = 200_000_000
"""Unpacked bytes of all members of a Word document or workbook, or of a Parquet file."""
ARCHIVE_MEMBERS = 5_000
ARCHIVE_ELEMENTS = 1_000_000
"""XML elements of a Word document or workbook; a cell with a value takes two."""
ARCHIVE_RATIO = 150
"""Maximum ratio of unpacked to packed bytes, for members beyond ``ARCHIVE_SMALL``. Tables of numbers have 5 to 20."""
ARCHIVE_SMALL = 5_000_000
BUNDLE_BYTES, BUNDLE_FILE_BYTES, BUNDLE_MEMBERS = 20_000_000_000, 1_000_000_000, 200_000
"""Limits of an open bundle, whose tables are read line by line: unpacked bytes, bytes of one file (SQLite stores no
larger ones), and number of files."""


def check_size(size: int, limit: int, name: str, unit: str = "bytes") -> None:
    """Raises BadInput if ``size`` exceeds ``limit``; ``name`` is used in the message."""
    if size > limit:
        most = f"{limit // 1_000_000} MB" if unit == "bytes" else f"{limit:,} {unit}"
        raise not_imported(f"{name} is too large: more than {most}.", "Split it into smaller files.")
