"""A small PDF writer: numbered objects, streams, a cross-reference table, incremental updates.

MuPDF's own writer repairs and normalises its input; these files must contain exactly the unusual operators and
dictionaries that a test is about, so they are written object by object.
"""

from __future__ import annotations

import re
import zlib


class Writer:
    """Collects the indirect objects of one PDF file. Object numbers start at 1."""

    def __init__(self) -> None:
        self._bodies: list[bytes] = []

    def reserve(self) -> int:
        """Returns a number for an object whose body is put later."""
        self._bodies.append(b"null")
        return len(self._bodies)

    def put(self, number: int, body: str | bytes) -> int:
        self._bodies[number - 1] = body.encode("latin-1") if isinstance(body, str) else body
        return number

    def add(self, body: str | bytes) -> int:
        return self.put(self.reserve(), body)

    def stream(self, data: str | bytes, entries: str = "", *, deflate: bool = True) -> int:
        """Adds a stream object; ``entries`` are those of its dictionary besides length and filter."""
        return self.add(stream_body(data, entries, deflate=deflate))

    def finish(self, root: int, info: int | None = None) -> bytes:
        """Returns the whole file."""
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number, body in enumerate(self._bodies, 1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        trailer = f"<</Size {len(offsets) + 1} /Root {root} 0 R" + (f" /Info {info} 0 R" if info else "") + ">>"
        out += b"trailer\n%b\nstartxref\n%d\n%%%%EOF\n" % (trailer.encode(), start)
        return bytes(out)


def stream_body(data: str | bytes, entries: str = "", *, deflate: bool = True) -> bytes:
    """Returns the body of a stream object."""
    raw = data.encode("latin-1") if isinstance(data, str) else data
    if deflate:
        raw, entries = zlib.compress(raw), entries + " /Filter /FlateDecode"
    return b"<<%b /Length %d>>\nstream\n%b\nendstream" % (entries.encode("latin-1"), len(raw), raw)


def updated(pdf: bytes, objects: dict[int, bytes]) -> bytes:
    """Returns ``pdf``, written by Writer, with an incremental update that replaces or adds these objects."""
    previous = int(re.findall(rb"startxref\n(\d+)", pdf)[-1])
    size, root = (int(found) for found in re.findall(rb"/Size (\d+) /Root (\d+)", pdf)[-1])
    out, table = bytearray(pdf), b""
    for number, body in sorted(objects.items()):
        table += b"%d 1\n%010d 00000 n \n" % (number, len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start, size = len(out), max(size, max(objects) + 1)
    out += b"xref\n%btrailer\n<</Size %d /Root %d 0 R /Prev %d>>\n" % (table, size, root, previous)
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)


def object_body(pdf: bytes, number: int) -> bytes:
    """Returns the body of an object of a file written by Writer."""
    found = re.search(rb"(?:^|\n)%d 0 obj\n(.*?)\nendobj" % number, pdf, re.DOTALL)
    assert found, f"object {number} is missing"
    return found[1]


def literal(data: bytes) -> str:
    """Returns a literal string operand with these bytes."""
    escaped = data.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return f"({escaped.decode('latin-1')})"


def text_string(text: str) -> str:
    """Returns a text string for dictionaries: ASCII as it is, anything else as UTF-16."""
    return literal(text.encode()) if text.isascii() else f"<feff{text.encode('utf-16-be').hex()}>"


def number(value: float) -> str:
    """Returns a number operand, without exponents, which PDF doesn't support."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def numbers(*values: float) -> str:
    return " ".join(number(value) for value in values)
