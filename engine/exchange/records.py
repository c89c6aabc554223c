"""Records for import and export: files to write with what they leave out, and links and publications read."""

from dataclasses import dataclass

from engine.documents.records import DoubtfulPage, Paragraph
from engine.papers.records import LibraryPaper
from engine.reviews.records import Comment, SourceText
from engine.revision.records import CommentJudgement, CommentState, Edit, Link


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to write: its name in the folder that the user chooses, and its content."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Export:
    """The files of one export, and sentences on what they leave out."""

    files: tuple[ExportFile, ...]
    loss: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormInfo:
    """An export format as offered to the user; ``ending`` is "" if it writes several files into a folder."""

    title: str
    help: str
    ending: str


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a paper in exports; ``name`` is the file's name or another stable identifier."""

    name: str
    paragraphs: tuple[Paragraph, ...] = ()
    sha256: str = ""
    """SHA-256 of the PDF, which identifies it across formats and projects."""
    doubtful: tuple[DoubtfulPage, ...] = ()


@dataclass(frozen=True, slots=True)
class Linking:
    """The linking of one revision: reviews and comments, edits, and the links between them. ``links`` and ``states``
    may come from one annotator or several."""

    paper: str
    source: Version
    target: Version
    texts: tuple[SourceText, ...]
    comments: tuple[Comment, ...]
    edits: tuple[Edit, ...]
    links: tuple[Link, ...]
    states: tuple[CommentJudgement, ...] = ()
    annotators: tuple[tuple[str, str], ...] = ()
    """Pairs of annotator key and display name."""

    def annotator_name(self, key: str) -> str:
        """Returns an annotator's display name, or the key if there is none."""
        return dict(self.annotators).get(key, key)


@dataclass(frozen=True, slots=True)
class OutsideLink:
    """A link as read from a file, with ids and quotes if given. ``edit_id`` is "" for a state of the comment alone."""

    comment_id: str
    edit_id: str
    comment_quote: str = ""
    edit_quote: str = ""
    confidence: float | None = None
    note: str = ""
    state: CommentState | None = None


@dataclass(frozen=True, slots=True)
class OutsideLinks:
    """All links of a file, and warnings about what couldn't be read."""

    links: tuple[OutsideLink, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Publications:
    """The papers of a file in its order, and warnings about what couldn't be read. ``author`` is the person whose
    publications they are, if the file says so; ``author_id`` their id in the source."""

    papers: tuple[LibraryPaper, ...]
    warnings: tuple[str, ...] = ()
    author: str = ""
    author_id: str = ""
