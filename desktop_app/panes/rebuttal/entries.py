"""The comments of a rebuttal as the left column lists them: with chips, grouped; and points by their keys. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from desktop_app.panes.rebuttal.choices import Grouping
from desktop_app.widgets.chips import Chip, chips_of
from engine.exchange.rebuttals import Rebuttal, labels_of, leading
from engine.rebuttal.matrix import Cell, answered_cell
from engine.rebuttal.points import UNNAMED, threads
from engine.rebuttal.records import Point
from engine.reviews.labels.records import Layer
from engine.reviews.labels.taxonomy import layer
from engine.reviews.records import Comment

_SHOWN: tuple[Layer, ...] = ("aspect", "theme")


@dataclass(frozen=True, slots=True)
class Entry:
    """A comment in the left column. ``label`` is "" where it needs no response; ``edits`` counts linked ones;
    ``doubtful`` where it may request nothing; ``answered`` as in the matrix."""

    comment: Comment
    label: str
    chips: tuple[Chip, ...]
    aspect: str
    themes: tuple[str, ...]
    edits: int
    answered: Cell
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Comments under one heading."""

    title: str
    entries: tuple[Entry, ...]


def entries(rebuttal: Rebuttal, doubtful: Collection[str] = ()) -> tuple[Entry, ...]:
    """All comments in their order, including those that need no response; ``doubtful`` ones may request nothing."""
    rows = {row.comment.id: row for row in rebuttal.outline.rows}
    found = []
    for comment in threads(rebuttal.comments):
        labels = labels_of(rebuttal, comment)
        chips: dict[tuple[str, str], Chip] = {}
        for one in labels:
            for chip in chips_of(one, _SHOWN):
                chips.setdefault((chip.layer, chip.label), chip)
        row = rows.get(comment.id)
        aspect, themes = leading(labels)
        found.append(
            Entry(
                comment, row.label if row else "", tuple(sorted(chips.values(), key=lambda c: _SHOWN.index(c.layer))),
                aspect, themes, len(rebuttal.edits.get(comment.id, ())), answered_cell(row.point) if row else "empty",
                row is not None and comment.id in doubtful,
            )
        )  # fmt: skip
    return tuple(found)


def grouped(shown: Sequence[Entry], by: Grouping) -> tuple[Group, ...]:
    """The comments by reviewer (in order of appearance), or by aspect or first theme (in the taxonomy's order, those
    without one last)."""
    if by == "reviewer":
        found: dict[str, list[Entry]] = {}
        for entry in shown:
            found.setdefault(entry.comment.reviewer or UNNAMED, []).append(entry)
        return tuple(Group(name, tuple(own)) for name, own in found.items())
    titles = [(option.id, option.title) for option in layer("aspect" if by == "root" else "theme").labels]
    groups = []
    for key, title in (*titles, ("", "Not labelled")):
        own = tuple(e for e in shown if (e.aspect if by == "root" else next(iter(e.themes), "")) == key)
        if own:
            groups.append(Group(title, own))
    return tuple(groups)


def key_of(point: Point) -> str:
    """A point's key in the pane: its comment, or kind and reviewer."""
    return point.comment_id if point.kind == "reply" else f"{point.kind}:{point.reviewer}"
