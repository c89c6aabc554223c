"""Records of the agreement domain."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from engine.measures.estimate import Estimate, Scale

ADJUDICATED = "adjudicated"
"""Used instead of an annotator's key for adjudicated results."""
Verdict = Literal["first", "second", "both", "neither"]
"""Who is right where the two differ: one of them, both (everything applies), or neither (nothing does)."""

Measure = Literal["kappa", "percent", "ac1", "alpha", "states", "overlap", "jaccard"]
MEASURES: dict[Measure, str] = {
    "kappa": "Cohen's kappa, links",
    "percent": "Agreement, links",
    "ac1": "Gwet's AC1",
    "alpha": "Krippendorff's alpha",
    "states": "Cohen's kappa, states",
    "overlap": "Overlapping comments",
    "jaccard": "Token Jaccard",
}
"""The measures with their names, in display order."""
PUBLISHED: dict[Measure, float] = {"kappa": 0.8, "overlap": 0.88, "jaccard": 0.65}
"""The figures that ARIES (D'Arcy et al. 2024) reports for two annotators: kappa of links (section 4.3, 25 comments),
overlap and token Jaccard of marked comments (section 4.2, 10 reviews)."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A comment as one annotator marked it: the source text, and [start, end) of its spans in code points."""

    comment_id: str
    source_id: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Work:
    """One annotator's work on one paper.

    ``links`` are (comment, edit) pairs, ``states`` (comment, state). A comment with neither was left out, which isn't
    the same as "no edit answers it". ``marked`` are the comments that they marked themselves; imported comments belong
    to nobody and aren't included.
    """

    annotator_id: str
    name: str
    links: frozenset[tuple[str, str]] = frozenset()
    states: tuple[tuple[str, str], ...] = ()
    marked: tuple[Marked, ...] = ()


@dataclass(frozen=True, slots=True)
class PaperWork:
    """The work of two annotators on one paper. ``comments`` are the imported comments that ask for something, in order;
    ``edits`` the ids of the candidate edits; ``texts`` the source texts in which comments were marked, by id."""

    paper_id: str
    title: str
    revision_id: str
    comments: tuple[str, ...]
    edits: tuple[str, ...]
    first: Work
    second: Work
    texts: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PairedComment:
    """One request for both annotators: the same comment, or two overlapping comments that they marked."""

    first_id: str
    second_id: str
    jaccard: float = 1.0


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A comment on which two annotators differ: in its edits, its state, or both."""

    paper_id: str
    revision_id: str
    comment: PairedComment
    agreed: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    first_state: str
    second_state: str

    @property
    def disputed(self) -> tuple[str, ...]:
        """The edits that only one of them linked, starting with the first annotator's."""
        return (*self.only_first, *self.only_second)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The decision on a disagreement: the edits that answer the comment, and its state. With ``verdict`` None it is
    only a note. ``annotator_id`` is the adjudicator."""

    id: str
    revision_id: str
    comment_id: str
    first_annotator_id: str
    second_annotator_id: str
    verdict: Verdict | None
    edit_ids: tuple[str, ...]
    state: str
    note: str
    annotator_id: str


@dataclass(frozen=True, slots=True)
class Figures:
    """All measures of one paper, or of all papers together. ``confusion`` (2, 2) counts pairs: rows are the first
    annotator's (linked, not linked), columns the second's. ``states`` counts comments by both annotators' states."""

    title: str
    paper_id: str
    estimates: dict[Measure, Estimate]
    confusion: tuple[tuple[int, int], tuple[int, int]]
    states: dict[tuple[str, str], int]
    comments: int
    left_out: int

    @property
    def measured(self) -> bool:
        """Whether there is a measure at all: the annotators decided on or marked something of the same."""
        return any(one.known for one in self.estimates.values())


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two annotators: over all papers, per paper, and where they differ."""

    first: str
    second: str
    overall: Figures
    papers: tuple[Figures, ...]
    disagreements: tuple[Disagreement, ...]


# --- decisions of all kinds -------------------------------------------------------------------------------------------

Where = tuple[str, str, str]
"""A unit by lasting keys, independent of names: the subject, the layer or scale, and the place in it."""
Subject = Literal["links", "states", "spans", "labels", "preferences", "ratings", "scores"]


class Kind(NamedTuple):
    """A kind of decision: its title, what a unit is, the scale of its values, and what is resampled."""

    title: str
    unit: str
    scale: Scale = "nominal"
    group: str = "paper"


SUBJECTS: dict[Subject, Kind] = {
    "links": Kind(
        "Links", "a pair of a comment and an edit (comments that an annotator left undecided don't count for them)"
    ),
    "states": Kind("States of comments", "a comment"),
    "spans": Kind("Marked comments", "a word in a review with marked comments"),
    "labels": Kind("Sentence labels", "a sentence in one layer (several labels count as one set)"),
    "preferences": Kind("Preferences", "a pair of rebuttal sentences, as first judged", group="cluster"),
    "ratings": Kind("Expertise ratings", "a paper of the survey", "interval"),
    "scores": Kind("Review scores", "a scored item on one scale", "interval", "item"),
}
Method = Literal["majority", "mace", "dawid-skene", "median", "mean"]
METHODS: dict[Method, str] = {"majority": "Majority", "mace": "MACE", "dawid-skene": "Dawid-Skene"}
"""The methods that propose a class, with its share of the judgements (majority) or its probability."""
NUMBER_METHODS: dict[Method, str] = {"median": "Median", "mean": "Mean"}
"""The methods that propose a number, with its spread: mean absolute deviation from the median, standard error of the
mean."""
NO_COMPETENCE = (
    "MACE and Dawid-Skene make no proposals, because they need three annotators who share 20 units and all "
    "agree with each other beyond chance."
)
SHOWN: dict[bool | None, str] = {
    True: "suggestions shown", False: "suggestions not shown", None: "not recorded whether shown",
}  # fmt: skip
"""Whether suggestions were on screen during a decision, in words. None for decisions made before this was recorded."""
LINKED, NOT_LINKED = "linked", "not linked"
MARKED, NOT_MARKED = "marked", "not marked"
NONE = "none"
"""For a sentence without any label in a layer."""
BETWEEN = " + "
"""Separates the labels of a sentence that has several."""
