"""Records of revisions: edits between two versions, links, suggestions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

EditKind = Literal["added", "deleted", "minor", "major", "moved"]
KIND_WORDS: Mapping[EditKind, str] = {
    "added": "added", "deleted": "deleted", "minor": "small change", "major": "changed", "moved": "moved",
}  # fmt: skip
"""The kinds of edits as people read them."""
EditOperation = Literal["add", "delete", "edit", "move", "split", "merge", "split+merge"]
EditGroup = Literal["text", "captions", "tables", "mathematics", "code", "references", "authors", "other"]
GROUPS: tuple[EditGroup, ...] = get_args(EditGroup)
"""Groups of edits. Lists show "text" and fold the others by default; "other" is notices and words in drawings."""
GROUP_TITLES: dict[EditGroup, str] = {
    "text": "Text",
    "captions": "Captions",
    "tables": "Tables",
    "mathematics": "Mathematics",
    "code": "Code",
    "references": "References",
    "authors": "Authors",
    "other": "Notices and labels",
}
CommentState = Literal["undecided", "linked", "answered", "visual_only", "not_addressed", "no_edit_found"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A paragraph edit (ARIES, appendix A): which source paragraphs became which target paragraphs.

    ``minor`` has fewer than 10 changed tokens (removed plus added), ``moved`` as a kind means moved and nothing else;
    the flag ``moved`` may also be set for minor and major edits. ``source_ids``/``target_ids`` are in document order.
    In a project ``id`` is the edit's key, which a new comparison keeps, and ``label`` the displayed number.
    """

    id: str
    kind: EditKind
    operation: EditOperation
    moved: bool
    source_ids: tuple[str, ...]
    target_ids: tuple[str, ...]
    source_text: str
    target_text: str
    section: str
    tokens_removed: int
    tokens_added: int
    label: str = ""
    group: EditGroup = "text"
    passage: bool = False
    """Whether it isn't an edit but a passage of the revised version that a person linked; its source is empty."""

    @property
    def sort(self) -> EditKind | Literal["passage"]:
        """Its kind in lists and files."""
        return "passage" if self.passage else self.kind


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A passage of the revised version that a person selected, with its paragraphs, in order."""

    text: str
    paragraph_ids: tuple[str, ...]
    section: str
    position: int
    """The position of the first paragraph in the document, from 0."""


@dataclass(frozen=True, slots=True)
class RevisionDiff:
    """All paragraph edits between two versions, in order of the revised text, and the unchanged pairs."""

    edits: tuple[Edit, ...]
    unchanged: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class WordChange:
    """A run of one operation in a word difference. ``source``/``target`` are [start, end) code-point offsets into the
    edit's source and target text; an insertion has an empty source range, a deletion an empty target range."""

    operation: Literal["equal", "delete", "insert"]
    text: str
    source: tuple[int, int]
    target: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An edit as an aligner sees it: the diff form of its text, and added and deleted text separately."""

    edit_id: str
    diff_text: str
    added: str
    deleted: str
    context: str
    section: str = ""

    @property
    def unchanged(self) -> bool:
        """Whether it is an unchanged paragraph, which some models read between the edits."""
        return not (self.added or self.deleted)


PlaceReach = Literal["exact", "caption", "region"]


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place that a text names ("Page 7", "Line 120"), and the edits there.

    A ``region`` (page, section) has many paragraphs; a ``caption`` is that of a figure or table, which may be
    elsewhere.
    """

    label: str
    reach: PlaceReach
    edit_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Query:
    """A review comment as an aligner sees it; ``response`` is empty if there is none. ``named`` and ``reply_named`` are
    the places that comment and response name, if both PDFs are available."""

    comment_id: str
    comment: str
    context: str = ""
    response: str = ""
    named: tuple[NamedPlace, ...] = ()
    reply_named: tuple[NamedPlace, ...] = ()

    @property
    def in_context(self) -> str:
        """The comment, followed by its context in the review if that is longer."""
        comment, context = self.comment.strip(), self.context.strip()
        return comment if context in ("", comment) else f"{comment}\ncontext: {context}"


@dataclass(frozen=True, slots=True)
class Scored:
    """An edit's score for a comment, from an aligner, with the words and facts that explain it."""

    edit_id: str
    score: float
    linked: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """A compared pair of versions in the project; ``unchanged`` as in ``RevisionDiff``."""

    id: str
    source_document_id: str
    target_document_id: str
    parameters: Mapping[str, str]
    unchanged: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    seconds: float
    updated_at: str


@dataclass(frozen=True, slots=True)
class Link:
    """A person's decision that an edit was made for a comment.

    ``origin``: "person", "model:<strategy>@<version>" for an accepted suggestion, "import:<file name>". ``attached`` is
    False if a new comparison no longer finds the edit: the link is kept and needs attention.
    """

    id: str
    comment_id: str
    edit_id: str
    annotator_id: str
    origin: str
    confidence: float | None = None
    note: str = ""
    attached: bool = True


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link to create, in bulk or from a file."""

    comment_id: str
    edit_id: str
    confidence: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CommentJudgement:
    """A person's decision on a comment, for one revision."""

    comment_id: str
    state: CommentState
    note: str = ""


@dataclass(frozen=True, slots=True)
class LinkChange:
    """The result of a change: links that are new or altered, removed links, and current states."""

    links: tuple[Link, ...] = ()
    removed: tuple[Link, ...] = ()
    states: tuple[CommentJudgement, ...] = ()


SuggestionDecision = Literal["accepted", "rejected"]


Mistake = Literal["too-topical", "diff-ignorance", "over-generation", "bad-parsing", "other"]
MISTAKES: Mapping[Mistake, tuple[str, str, float]] = {
    "too-topical": (
        "Too topical", "The edit shares words or its topic with the comment but doesn't address it.", 0.40
    ),
    "diff-ignorance": (
        "Diff ignored", "The part that matches the comment was already in the paper or was deleted. It isn't new.", 0.28
    ),
    "over-generation": ("Over-generation", "The edit only continues a run of edits that do address the comment.", 0.28),
    "bad-parsing": ("Bad parsing", "The text didn't change. The two PDFs were read differently.", 0.12),
    "other": ("Another mistake", "None of the four categories fits.", 0.10),
}  # fmt: skip
"""What can be wrong with a suggestion (ARIES, section 5.3): title, meaning, and the published share of 50 false
positives of GPT-4 multi-edit. Categories overlap."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An edit that an aligner suggests for a comment; ``rank`` from 1, ``linked`` if its score reaches the threshold.
    ``mistakes`` say what is wrong with a rejected one."""

    run_id: str
    comment_id: str
    edit_id: str
    rank: int
    score: float
    linked: bool
    origin: str
    reasons: tuple[str, ...] = ()
    decision: SuggestionDecision | None = None
    mistakes: tuple[Mistake, ...] = ()


SilverKind = Literal["quoted comment", "reply", "quoted text"]


@dataclass(frozen=True, slots=True)
class SilverLabel:
    """A link found in a response. ``strength`` 0 to 1: the share of common bigrams, 1 for quoted text; ``evidence`` is
    the words that show it."""

    comment_id: str
    edit_id: str
    kind: SilverKind
    strength: float
    evidence: str


@dataclass(frozen=True, slots=True)
class SilverPair:
    """A pair in the review queue, with all ways in which it was found, the most certain first, and the decision on
    it."""

    revision_id: str
    comment_id: str
    edit_id: str
    labels: tuple[SilverLabel, ...]
    decision: SuggestionDecision | None = None


@dataclass(frozen=True, slots=True)
class SavedDiff:
    """The result of saving a comparison: edits that kept their identity, new ones, and those no longer found."""

    revision_id: str
    kept: int
    new: int
    retired: int
    needs_attention: int


@dataclass(frozen=True, slots=True)
class LinkingProgress:
    """The progress of linking a revision: decided and undecided comments, and links whose edit is no longer found."""

    decided: int
    undecided: int
    needs_attention: int
