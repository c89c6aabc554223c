"""What the parts of the rebuttal pane share: the rebuttal as read, the point at hand, and acting on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.rebuttal.entries import Entry, key_of, points_in_order
from desktop_app.widgets.fetcher import Fetcher
from engine.exchange.rebuttals import Rebuttal, Rebuttals
from engine.rebuttal.matrix import Matrix, MatrixRow
from engine.rebuttal.points import Row, Section
from engine.rebuttal.records import Point

if TYPE_CHECKING:
    from desktop_app.panes.rebuttal.editor import ReplyEditor

WORK, EXPORT = "work", "export"


class Desk(Pane):
    """The state of the pane, and what every part of it may ask."""

    editor: ReplyEditor

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.reader: Rebuttals | None = None
        self.desk = Rebuttal()
        self.matrix = Matrix()
        self.entries: tuple[Entry, ...] = ()
        self.at_hand = ""
        self.fetcher = Fetcher(self)
        self.fetcher.fetched.connect(self._fetched)
        self.fetcher.failed.connect(lambda name, problem: self.show_problem(problem, name))

    def _fetched(self, name: str, found: object) -> None:
        """What an errand brought; each part takes its own."""

    # --- the point at hand ----------------------------------------------------------------------------------------

    @property
    def found(self) -> tuple[Section, Point] | None:
        """The point at hand with its section."""
        for section, point in points_in_order(self.desk.outline.sections):
            if key_of(point) == self.at_hand:
                return section, point
        entry = self.entry
        if entry is None:
            return None
        # A remark that asks for nothing has no row until it is answered.
        reviewer = entry.comment.reviewer
        section = next((s for s in self.desk.outline if s.reviewer == reviewer), None)
        return (section or bare(reviewer), Point("reply", entry.comment.id))

    @property
    def point(self) -> Point:
        """The point at hand. Only where there is one."""
        found = self.found
        assert found is not None
        return found[1]

    @property
    def row(self) -> Row | None:
        """The row of the comment at hand; None for openings and closings, and remarks without an answer."""
        return self.desk.outline.row(self.at_hand)

    @property
    def line(self) -> MatrixRow | None:
        """The matrix row of the comment at hand."""
        return self.matrix.of(self.at_hand)

    @property
    def entry(self) -> Entry | None:
        """The comment at hand as the left column has it."""
        return next((entry for entry in self.entries if entry.comment.id == self.at_hand), None)

    # --- what can be done -----------------------------------------------------------------------------------------

    def has_comments(self) -> bool:
        return bool(self.desk.comments) and self.body.isVisibleTo(self)

    def can_write(self) -> bool:
        return self.has_comments() and self.project is not None and not self.project.read_only

    def has_point(self) -> bool:
        return self.can_write() and self.found is not None

    def has_entry(self) -> bool:
        return self.can_write() and self.entry is not None

    def has_reply(self) -> bool:
        return self.has_point() and self.row is not None

    def all_points(self) -> Sequence[tuple[Section, Point]]:
        """All points in the order of the matrix."""
        return points_in_order(self.desk.outline.sections)


def bare(reviewer: str) -> Section:
    """A section of nothing but its ends."""
    return Section(reviewer, Point("opening", reviewer=reviewer), (), Point("closing", reviewer=reviewer))
