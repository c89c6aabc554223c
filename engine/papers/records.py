"""Papers and their versions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paper:
    """A submission; ``external_id`` is its key in the file that it came from."""

    id: str
    title: str
    abstract: str = ""
    external_id: str = ""


@dataclass(frozen=True, slots=True)
class PaperVersion:
    """A file of a paper under a label (submitted, revised, camera-ready...); any two can be compared."""

    id: str
    paper_id: str
    document_id: str
    label: str
    filename: str = ""
