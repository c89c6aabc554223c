"""Review: the paper, the venue's form, and evidence in between, so that every criticism points at a place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop_app.commands import Command
from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.base import preview as preview_pane
from desktop_app.panes.review.commands import review_commands
from desktop_app.panes.review.desk import TABLES, ReviewDesk
from desktop_app.panes.review.form_view import FormView
from desktop_app.panes.review.paper_view import PaperView
from desktop_app.widgets.command_menu import CommandMenuButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline
from engine.review_drafting.forms import SHIPPED, shipped

if TYPE_CHECKING:
    from engine.project import Changes


class ReviewPane(Pane):
    """Paper left, form right; every act is a store verb of the desk."""

    pane_id = "review"
    title = "Review"
    icon = "note-pencil"
    purpose = (
        "Write a review of a PDF that does not leave this machine. What you say of the paper is looked for in it, and "
        "every criticism that leaves points at its place. Start with the paper."
    )
    tables = TABLES
    first_step = "review.import"
    search_hint = "Find in the paper"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.desk = ReviewDesk(context, self)
        self._stale: set[str] = set(TABLES)
        self._build()
        desk = self.desk
        desk.failed.connect(self.show_problem)
        desk.fault.connect(context.bridge.job_failed)
        for signal in (desk.paper_changed, desk.draft_changed):
            signal.connect(self._show)

    def _build(self) -> None:
        registry = self.context.commands
        self.paper_box = self._box("Paper to review", self.desk.choose_paper)
        self.draft_box = self._box("Review at hand", self.desk.choose_draft)
        self.new_button = CommandMenuButton(
            registry, ["review.import", "", *(f"review.begin_{key}" for key in SHIPPED)], "New", self.body
        )
        self.new_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        KeepsKeys(self.new_button)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.paper_box, 1)
        head.addWidget(self.draft_box, 1)
        head.addWidget(self.new_button)
        self.paper_view = PaperView(self.context, self.desk, self.body)
        self.form_view = FormView(self.desk, self.body)
        self.columns = QSplitter(Qt.Orientation.Horizontal, self.body)
        self.columns.setChildrenCollapsible(False)
        self.columns.setHandleWidth(1)
        self.columns.addWidget(self.paper_view)
        self.columns.addWidget(self.form_view)
        self.columns.setStretchFactor(0, 1)
        self.columns.setSizes([560, 520])
        self.split = QSplitter(Qt.Orientation.Vertical, self.body)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(1)
        self.split.addWidget(self.columns)
        self.split.setStretchFactor(0, 1)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.split, 1)
        self.paper_view.left.connect(self.write)

    def _box(self, name: str, chosen: Callable[[str], object]) -> QComboBox:
        box = QComboBox(self.body)
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(12)
        KeepsKeys(box)
        box.activated.connect(lambda _at: chosen(box.currentData()))
        return box

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        return review_commands(self)

    def project_set(self) -> None:
        self._stale = set(TABLES)
        self.desk.set_project(self.project)

    def is_empty(self) -> bool:
        return not self.desk.has_papers()

    def on_changes(self, changes: Changes) -> None:
        touched = changes.tables & TABLES
        if touched:
            self._stale |= touched
            super().on_changes(changes)

    def refresh(self) -> None:
        stale, self._stale = self._stale, set()
        self.desk.read(stale)
        self._show()

    def search(self, text: str) -> None:
        self.paper_view.pages.find_text(text)

    def search_next(self, forward: bool = True) -> None:
        self.paper_view.pages.find_next(1 if forward else -1)

    def take_focus(self) -> None:
        self.write()

    # --- what can be done -----------------------------------------------------------------------------------------

    def can_write(self) -> bool:
        return self.desk.can_write

    def has_paper(self) -> bool:
        return self.desk.paper is not None

    def can_begin(self) -> bool:
        return self.can_write() and self.has_paper()

    def has_draft(self) -> bool:
        return self.desk.draft is not None

    # --- acting ---------------------------------------------------------------------------------------------------

    def ask_for_paper(self) -> None:
        """Asks which PDF is to be reviewed."""
        name, _ = QFileDialog.getOpenFileName(self, "Add a paper", "", "PDF (*.pdf)")
        if name:
            self.desk.add_paper(Path(name))

    def begin(self, key: str) -> None:
        """Begins a review on a form that ships."""
        self.desk.begin(shipped(key))
        self.write()

    def read_paper(self) -> None:
        self.paper_view.pages.start_caret()

    def write(self) -> None:
        """Puts the cursor into the form."""
        box = next(iter(self.form_view.boxes.values()), None)
        (box.control if box is not None else self.paper_view.pages).setFocus()

    # --- showing --------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        desk = self.desk
        _fill(self.paper_box, [(p.title, p.id) for p in desk.papers], desk.paper.id if desk.paper else "")
        _fill(self.draft_box, [(d.title, d.id) for d in desk.own_drafts], desk.draft.id if desk.draft else "")
        self.draft_box.setVisible(desk.draft is not None)
        self.form_view.setVisible(desk.draft is not None)
        self.context.commands.state_changed.emit()


def _fill(box: QComboBox, listed: list[tuple[str, str]], chosen: str) -> None:
    if [(box.itemText(n), box.itemData(n)) for n in range(box.count())] != listed:
        box.clear()
        for words, key in listed:
            box.addItem(words, key)
    box.setCurrentIndex(box.findData(chosen))


if __name__ == "__main__":
    sys.exit(preview_pane(ReviewPane))
