"""The frames that the document service and its worker processes exchange over pipes.

A frame is a JSON object and a block of bytes. No pickle: a PDF that took over the worker must not be able to run code
in the window's process.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

_LENGTHS = struct.Struct("<IQ")


def send(stream: BinaryIO, header: dict[str, Any], payload: bytes = b"") -> None:
    """Write one frame and flush it."""
    text = json.dumps(header).encode("ascii")
    stream.write(_LENGTHS.pack(len(text), len(payload)))
    stream.write(text)
    stream.write(payload)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Read one frame; None when the other side is gone."""
    lengths = _exactly(stream, _LENGTHS.size)
    if lengths is None:
        return None
    header_size, payload_size = _LENGTHS.unpack(lengths)
    header = _exactly(stream, header_size)
    payload = _exactly(stream, payload_size)
    if header is None or payload is None:
        return None
    return json.loads(header), payload


def _exactly(stream: BinaryIO, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = stream.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
