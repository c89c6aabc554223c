"""What flows in and out: files to write, what they cannot hold, and links as outside formats know them."""

from dataclasses import dataclass

from engine.documents.records import DoubtfulPage, Paragraph
from engine.papers.records import LibraryPaper
from engine.reviews.records import Comment, SourceText
from engine.revision.records import CommentJudgement, CommentState, Edit, Link


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file to be written: its name in the folder that the person chooses, and its bytes."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Export:
    """The files of one export, and as sentences what they do not hold."""

    files: tuple[ExportFile, ...]
    loss: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormInfo:
    """A form in which something leaves, as it is offered; ``ending`` "" where it is several files, for a folder."""

    title: str
    help: str
    ending: str


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a paper as exports name it: ``name`` is the file's name or another stable identifier."""

    name: str
    paragraphs: tuple[Paragraph, ...] = ()
    sha256: str = ""
    """Of the file: the same in every format, and in every project that has it."""
    doubtful: tuple[DoubtfulPage, ...] = ()


@dataclass(frozen=True, slots=True)
class Linking:
    """The linking of one revision: what was said, what changed, and which belongs to which.

    ``links`` and ``states`` are those of ``annotator_name``, or of everybody where that is empty.
    """

    paper: str
    source: Version
    target: Version
    texts: tuple[SourceText, ...]
    comments: tuple[Comment, ...]
    edits: tuple[Edit, ...]
    links: tuple[Link, ...]
    states: tuple[CommentJudgement, ...] = ()
    annotators: tuple[tuple[str, str], ...] = ()
    """Keys of annotators with the names they go by."""

    def annotator_name(self, key: str) -> str:
        """The name of an annotator, or the key where there is none."""
        return dict(self.annotators).get(key, key)


@dataclass(frozen=True, slots=True)
class OutsideLink:
    """A link as a file tells it: ids and quotes, whatever it has; ``edit_id`` "" with a state for a comment alone."""

    comment_id: str
    edit_id: str
    comment_quote: str = ""
    edit_quote: str = ""
    confidence: float | None = None
    note: str = ""
    state: CommentState | None = None


@dataclass(frozen=True, slots=True)
class OutsideLinks:
    """All links of a file, with sentences on what could not be read."""

    links: tuple[OutsideLink, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Publications:
    """The papers of a file in its order, with sentences on what could not be read.

    ``author`` is the person whose publications they are, where the file says so; ``author_id`` their id in the source.
    """

    papers: tuple[LibraryPaper, ...]
    warnings: tuple[str, ...] = ()
    author: str = ""
    author_id: str = ""
