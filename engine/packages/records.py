"""Records of work packages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Task = Literal["papers", "reviews", "sentences", "pairs", "survey"]
TASKS: Mapping[Task, str] = {
    "papers": "Link comments of whole papers",
    "reviews": "Link comments of single reviews",
    "sentences": "Label review sentences",
    "pairs": "Compare pairs of candidate rebuttals",
    "survey": "Rate survey papers",
}
Role = Literal["annotator", "adjudicator", "observer"]
ROLES: Mapping[Role, str] = {
    "annotator": "Decides on assigned items without seeing others' decisions",
    "adjudicator": "Adjudicates where annotators differ, without their own items",
    "observer": "Sees everything, with numbers instead of names, but decides nothing",
}

_LINKS = (
    "comment", "edit_link", "dismissed_edit", "comment_state", "suggestion_decision", "silver_decision",
    "annotation_done",
)  # fmt: skip
DECISIONS: Mapping[Task, tuple[str, ...]] = {
    "papers": _LINKS,
    "reviews": _LINKS,
    "sentences": ("sentence_label", "sentence_label_decision", "annotation_done"),
    "pairs": ("preference_judgement", "annotation_done"),
    "survey": ("participant", "rating"),
}
"""The tables of an annotator's work in each task; tables that others refer to come first."""
DONE: Mapping[Task, tuple[str, str]] = {
    "papers": ("linking", "paper"), "reviews": ("linking", "paper"), "sentences": ("labels", "source_text"),
    "pairs": ("preferences", "preference_cluster"),
}  # fmt: skip
"""What people mark as done, and its table; survey answers are visible to everyone."""
ADJUDICATIONS: Mapping[Task, tuple[str, ...]] = {
    "papers": ("adjudication", "unit_adjudication"), "reviews": ("adjudication", "unit_adjudication"),
    "sentences": ("unit_adjudication",), "pairs": ("preference_adjudication",), "survey": ("unit_adjudication",),
}  # fmt: skip
"""The tables that an adjudicator writes."""


def tables_of(task: Task, role: Role) -> tuple[str, ...]:
    """Returns the tables that a person in this role writes; none for an observer."""
    return {"annotator": DECISIONS[task], "adjudicator": ADJUDICATIONS[task], "observer": ()}[role]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a round was assigned: the share of items that ``raters`` people get, the seed, whether authors are hidden,
    and ``names`` to hide in addition to known ones. Packages don't contain these names."""

    overlap: float = 0.0
    raters: int = 2
    seed: int = 0
    hide_authors: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """An item of the training set; ``answer`` holds the correct values in the form that
    ``progress.answers`` returns."""

    item: str
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Round:
    """Items of one kind that were handed out together; ``annotator_id`` is the lead."""

    id: str
    title: str
    task: Task
    guidelines: str
    training: tuple[Known, ...]
    settings: Settings
    annotator_id: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Package:
    """One person's part of a round: ``annotator_id``, and ``items`` in working order. ``held`` contains returned
    entries that have no row in this project; see ``merging``."""

    id: str
    round_id: str
    role: Role
    items: tuple[str, ...]
    annotator_id: str
    held: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Return:
    """A results file that was imported."""

    package_id: str
    content_hash: str
    filename: str
    written_at: str
    decisions: int
    created_at: str


def sentence_item(source_id: str, start: int, end: int) -> str:
    return f"{source_id}:{start}:{end}"


def pair_item(one: str, other: str) -> str:
    """Returns the item of a pair of candidates, independent of their sides."""
    return ":".join(sorted((one, other)))
