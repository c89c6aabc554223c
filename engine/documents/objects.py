"""The objects of a PDF as text, read once for everything that looks through them. Runs in the worker."""

import re
import zlib
from collections.abc import Mapping
from typing import Any

MOST = 60_000
"""Objects of one file that are looked through."""
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": "", "\n": ""}
_TYPE = re.compile(r"/Type\s*/(\w+)")


def read_objects(document: Any) -> dict[int, str]:
    """The objects of an open ``pymupdf.Document`` by number, as PDF writes them (streams: their dictionaries).

    An object that the file lists and does not have is null (ISO 32000-1, 7.3.10).
    """
    return {number: _text(document, number) for number in range(1, min(document.xref_length(), MOST + 1))}


def _text(document: Any, number: int) -> str:
    try:
        return str(document.xref_object(number, compressed=True))
    except RuntimeError:
        return "null"


def of_type(objects: Mapping[int, str], *names: str) -> list[int]:
    """The numbers of the objects of these types, in order."""
    return [n for n, text in objects.items() if "/Type" in text and any(t in names for t in _TYPE.findall(text))]


def decoded(value: str) -> str:
    """A PDF string, literal or hexadecimal, as text."""
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


# --- Parts of a PDF that unpack to more than a reader should take, found before anything unpacks them -----------------

LARGEST_PART = 200_000_000
"""Bytes that one part of a file (pictures apart, which are limited by their size) may unpack to."""
_RATIO = 1_100
"""No packed byte gives more than this many bytes (deflate, 1,032)."""
_SHORT = re.compile(r"/Fl\b")
_LENGTH = re.compile(r"/Length\s+(\d+)(?!\s+\d+\s+R)")
_IMAGE = re.compile(r"/Subtype\s*/Image")


def oversized(document: Any, objects: Mapping[int, str]) -> str:
    """Why a file is not unpacked: a stream of it is too large. "" where all are within bounds."""
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
    """The size of a stream that is deflated so many times, or more than ``LARGEST_PART`` where it is larger."""
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
                    break  # what follows the end is not unpacked
        except zlib.error:
            pass  # damaged or not deflated: MuPDF reads as far as this
        if size > LARGEST_PART:
            return size
        data = b"".join(parts)
    return len(data)
