"""Papers and their versions."""

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
    parser: str = ""
    """Whose reading of the text counts, see ``document``."""


@dataclass(frozen=True, slots=True)
class LibraryPaper:
    """A published paper in the local library: what a profile, a survey or a literature search points at.

    ``year`` is 0 where nobody knows it; ``authors`` stand in the order of the paper; ``text_sha256`` names the blob
    that holds the full text, and is empty where there is none; ``source_id`` is the key in the file it came from.
    """

    id: str
    title: str
    abstract: str = ""
    year: int = 0
    venue: str = ""
    authors: tuple[str, ...] = ()
    doi: str = ""
    arxiv_id: str = ""
    source_id: str = ""
    link: str = ""
    open_access: bool | None = None
    text_sha256: str = ""
    areas: tuple[str, ...] = ()
    """Fields of study as a source names them ("Computer Science")."""
