"""History: every step in the project, and how to go back to any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.history.model import ENTRY, HistoryModel
from desktop_app.theme import ROW, theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column, row

if TYPE_CHECKING:
    from engine.project import HistoryEntry


class HistoryPane(Pane):
    """What, when, who; undone steps are grey. Going to a step loses nothing."""

    pane_id = "history"
    title = "History"
    icon = "clock-counter-clockwise"
    purpose = "Every step in the project, when it was done and by whom. You can go back to any of them."
    first_step = "go.home"
    search_hint = "Filter steps"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.model = HistoryModel(self)
        self.shown = QSortFilterProxyModel(self)
        self.shown.setSourceModel(self.model)
        self.shown.setFilterKeyColumn(-1)
        self.shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.table = QTableView(self.body)
        self.table.setAccessibleName("Steps, newest first")
        self.table.setModel(self.shown)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for at in (1, 2, 3):
            header.setSectionResizeMode(at, QHeaderView.ResizeMode.Interactive)
        header.setHighlightSections(False)
        self.table.doubleClicked.connect(self.go)
        self.table.selectionModel().currentChanged.connect(lambda *_rows: context.commands.state_changed.emit())
        text = "Going back undoes later steps. You can redo them until you make a new change."
        self._foot = row((text_label(text, "small"), 1), spacing=12)
        column((self.table, 1), self._foot, margins=(16, 16, 16, 12), spacing=12, of=self.body)
        self._button: CommandButton | None = None
        theme().changed.connect(self._resize)
        self._resize()

    def project_set(self) -> None:
        self.model.load(None)

    def is_empty(self) -> bool:
        return self.project is not None and not self.project.history(1)

    def refresh(self) -> None:
        if self._button is None:
            self._button = CommandButton(self.context.commands, "history.go_to", parent=self.body)
            self._foot.addWidget(self._button)
        kept, place = self.chosen(), self.table.verticalScrollBar().value()
        if self.model.rowCount():
            self.model.reload()
        else:
            self.model.load(self.project)
        self._choose(kept.id if kept else None)
        self.table.verticalScrollBar().setValue(place)
        done = sum(entry.state == "done" for entry in self.model.entries)
        undone = len(self.model.entries) - done
        more = "more than " if self.model.canFetchMore(self.table.rootIndex()) else ""
        self.set_status(f"{more}{done} steps done" + (f" · {undone} undone" if undone else ""))

    def chosen(self) -> HistoryEntry | None:
        """The selected step."""
        index = self.table.currentIndex()
        entry: HistoryEntry | None = index.data(ENTRY) if index.isValid() else None
        return entry

    def search(self, text: str) -> None:
        self.shown.setFilterFixedString(text)

    def search_next(self, forward: bool = True) -> None:
        row = self.table.currentIndex().row() + (1 if forward else -1)
        if 0 <= row < self.shown.rowCount():
            self.table.selectRow(row)

    def take_focus(self) -> None:
        self.table.setFocus()

    def _choose(self, entry_id: int | None) -> None:
        for at in range(self.shown.rowCount()):
            index = self.shown.index(at, 0)
            if index.data(ENTRY).id == entry_id or (entry_id is None and at == 0):
                self.table.setCurrentIndex(index)
                return

    def can_go(self) -> bool:
        entry = self.chosen()
        return (
            self.project is not None
            and not self.project.read_only
            and entry is not None
            and entry.state != "abandoned"
            and entry.id != next((e.id for e in self.model.entries if e.state == "done"), None)
        )

    def go(self) -> None:
        entry = self.chosen()
        if entry is not None and self.can_go():
            self._go_to(entry.id)

    def can_go_to_start(self) -> bool:
        return self.project is not None and not self.project.read_only and self.project.undo_title is not None

    def go_to_start(self) -> None:
        self._go_to(0)

    def _go_to(self, entry_id: int) -> None:
        project = self.project
        if project is not None:
            self.act(lambda: project.go_to(entry_id), "go")

    def _resize(self) -> None:
        self.table.verticalHeader().setDefaultSectionSize(theme().px(ROW))
        for at in (1, 2, 3):
            self.table.setColumnWidth(at, theme().px(160))
