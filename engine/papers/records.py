"""Papers and their versions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paper:
    """A submission; ``external_id`` is its key in the file it was imported from."""

    id: str
    title: str
    abstract: str = ""
    external_id: str = ""


@dataclass(frozen=True, slots=True)
class PaperVersion:
    """A file of a paper under a label (submitted, revised, camera-ready, ...); any two can be compared."""

    id: str
    paper_id: str
    document_id: str
    label: str
    filename: str = ""
    parser: str = ""
    """The parser whose result is used, see ``document``."""


@dataclass(frozen=True, slots=True)
class LibraryPaper:
    """A published paper in the local library, which profiles, surveys and literature searches refer to.

    ``year`` is 0 if unknown; ``authors`` are in the paper's order; ``text_sha256`` identifies the blob with the full
    text, or is empty; ``source_id`` is the key in the file it was imported from.
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
    """Fields of study as named by a source ("Computer Science")."""
