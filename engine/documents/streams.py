"""Parts of a PDF that unpack to more than a reader should take, found before anything unpacks them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import Any

MOST = 200_000_000
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
        if flates == 1 and (_IMAGE.search(text) or (length and int(length[1]) * _RATIO < MOST)):
            continue
        if _unpacked(document.xref_stream_raw(number) or b"", flates) > MOST:
            return f"a part of the file unpacks to more than {MOST // 1_000_000} MB"
    return ""


def _unpacked(data: bytes, times: int) -> int:
    """The size of a stream that is deflated so many times, or more than ``MOST`` where it is larger."""
    for _ in range(times):
        unpack = zlib.decompressobj()
        parts, size = [], 0
        try:
            while data and size <= MOST:
                part = unpack.decompress(data, 1 << 20)
                size += len(part)
                parts.append(part)
                data = unpack.unconsumed_tail
                if not part and not data:
                    break
        except zlib.error:
            pass  # damaged or not deflated: MuPDF reads as far as this
        if size > MOST:
            return size
        data = b"".join(parts)
    return len(data)
