"""Reads a PDF's objects as text, once for all examinations. Runs in the worker."""

import re
import zlib
from collections.abc import Mapping
from typing import Any

MOST = 60_000
"""Greatest number of objects of a file that are read."""
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": "", "\n": ""}
_TYPE = re.compile(r"/Type\s*/(\w+)")


def read_objects(document: Any) -> dict[int, str]:
    """Returns the objects of an open ``pymupdf.Document`` by number, in PDF syntax (of streams, the dictionaries).

    Objects that are listed but missing are null (ISO 32000-1, 7.3.10).
    """
    return {number: _text(document, number) for number in range(1, min(document.xref_length(), MOST + 1))}


def _text(document: Any, number: int) -> str:
    try:
        return str(document.xref_object(number, compressed=True))
    except RuntimeError:
        return "null"


def of_type(objects: Mapping[int, str], *names: str) -> list[int]:
    """Returns the numbers of the objects of these types, in order."""
    return [n for n, text in objects.items() if "/Type" in text and any(t in names for t in _TYPE.findall(text))]


def decoded(value: str) -> str:
    """Decodes a literal or hexadecimal PDF string."""
    if value.startswith("<"):
        digits = "".join(value[1:-1].split())
        data = bytes.fromhex(digits + "0" * (len(digits) % 2))
    else:
        literal = _ESCAPE.sub(_unescaped, value[1:-1])
        data = literal.encode("latin-1", "replace") if max(literal, default="") < "\u0100" else literal.encode()
    if data.startswith(b"\xfe\xff"):
        return data[2:].decode("utf-16-be", "replace")
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", "replace")
    return data.decode("latin-1")


def _unescaped(match: re.Match[str]) -> str:
    what = match[1]
    return chr(int(what, 8) & 255) if what[0] in "01234567" else _ESCAPED.get(what, what)


# --- Parts of a PDF that decompress to more than a reader should accept, found before they are decompressed -----------

LARGEST_PART = 200_000_000
"""Greatest decompressed size of a part of a file in bytes, except pictures, which are limited by their dimensions."""
_RATIO = 1_100
"""Upper bound of bytes per compressed byte (deflate: 1,032)."""
_SHORT = re.compile(r"/Fl\b")
_LENGTH = re.compile(r"/Length\s+(\d+)(?!\s+\d+\s+R)")
_IMAGE = re.compile(r"/Subtype\s*/Image")


def oversized(document: Any, objects: Mapping[int, str]) -> str:
    """Returns why a file is not decompressed: a stream is too large. "" if all are within limits."""
    for number, text in objects.items():
        flates = text.count("/FlateDecode") + len(_SHORT.findall(text))
        if not flates:
            continue
        length = _LENGTH.search(text)
        if flates == 1 and (_IMAGE.search(text) or (length and int(length[1]) * _RATIO < LARGEST_PART)):
            continue
        if _unpacked(document.xref_stream_raw(number) or b"", flates) > LARGEST_PART:
            return f"a part of the file unpacks to more than {LARGEST_PART // 1_000_000} MB"
    return ""


def _unpacked(data: bytes, times: int) -> int:
    """Returns the size of a stream deflated ``times`` times; if it exceeds ``LARGEST_PART``, some larger number."""
    for _ in range(times):
        unpack = zlib.decompressobj()
        parts, size = [], 0
        try:
            while data and size <= LARGEST_PART:
                part = unpack.decompress(data, 1 << 20)
                size += len(part)
                parts.append(part)
                data = unpack.unconsumed_tail
                if unpack.eof or not (part or data):
                    break  # data after the end is ignored
        except zlib.error:
            pass  # damaged or not deflated: MuPDF reads up to the same point
        if size > LARGEST_PART:
            return size
        data = b"".join(parts)
    return len(data)
