"""The objects of a PDF as text, read once for everything that looks through them. Runs in the worker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MOST = 60_000
"""Objects of one file that are looked through."""
_TYPE = re.compile(r"/Type\s*/(\w+)")


def read_objects(document: Any) -> dict[int, str]:
    """The objects of an open ``pymupdf.Document`` by number, as PDF writes them (streams: their dictionaries)."""
    return {
        number: str(document.xref_object(number, compressed=True))
        for number in range(1, min(document.xref_length(), MOST + 1))
    }


def of_type(objects: Mapping[int, str], *names: str) -> list[int]:
    """The numbers of the objects of these types, in order."""
    return [n for n, text in objects.items() if "/Type" in text and any(t in names for t in _TYPE.findall(text))]
