"""The History pane: all steps in the project; the user can go back to any of them."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QSortFilterProxyModel, Qt
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from desktop_app.panes.base import AppContext, Pane
from desktop_app.theme import ROW, theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fact_table import MEASURED, plain_rows
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import column, row, sized
from desktop_app.widgets.record_list import Index
from engine.agreement.store import AgreementStore
from engine.project import HistoryEntry, Project
from engine.shown import counted, local_time, visible_line
from engine.text_search import folded

PAGE = 200
ENTRY = Qt.ItemDataRole.UserRole
_SEARCHED = ENTRY + 1
_COLUMNS = ("What", "When", "Who", "State")
_STATES = {"done": "", "undone": "undone", "abandoned": "undone, then replaced"}


class HistoryModel(QAbstractTableModel):
    """The steps, newest first; older ones are loaded on scrolling."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._project: Project | None = None
        self.entries: list[HistoryEntry] = []
        self._titles: dict[int, str] = {}
        """The titles of steps, without other annotators' work until both are done."""
        self._words: dict[int, tuple[str, ...]] = {}
        self._more = False

    def load(self, project: Project | None, rows: int = PAGE) -> None:
        self.beginResetModel()
        self._project = project
        self._words.clear()
        self.entries = self._read(rows)
        self.endResetModel()

    def _read(self, rows: int, before: int | None = None) -> list[HistoryEntry]:
        """Reads up to ``rows`` steps, and one more to know whether there are older ones."""
        found = self._project.history(rows + 1, before) if self._project is not None else ()
        self._more = len(found) > rows
        if self._project is not None:
            self._titles |= zip((one.id for one in found), AgreementStore(self._project).titles(found), strict=True)
        return list(found[:rows])

    def words(self, entry: HistoryEntry) -> tuple[str, ...]:
        """Returns the columns of a step: title, time, annotator, state. Cached because a filter reads all of them at
        each letter typed."""
        if entry.id not in self._words:
            title = visible_line(self._titles[entry.id])
            who = visible_line(entry.annotator)
            self._words[entry.id] = (title, local_time(entry.created_at), who, _STATES[entry.state])
        return self._words[entry.id]

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and self._more

    def fetchMore(self, parent: Index) -> None:
        if parent.isValid() or not self.entries:
            return
        if older := self._read(PAGE, self.entries[-1].id):
            self.beginInsertRows(QModelIndex(), len(self.entries), len(self.entries) + len(older) - 1)
            self.entries.extend(older)
            self.endInsertRows()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.words(entry)[index.column()]
            case Qt.ItemDataRole.ToolTipRole:
                state = _STATES[entry.state] or "done"
                title, when, who, _ = self.words(entry)
                return f"{title}\n{when}, {who}\n{counted(entry.changes, 'row')}; {state}"
            case Qt.ItemDataRole.ForegroundRole if entry.state != "done":
                return theme().colour("muted")
            case Qt.ItemDataRole.FontRole:
                font = theme().font("body", tabular=True)
                font.setStrikeOut(entry.state == "abandoned" and index.column() == 0)
                font.setItalic(entry.state != "done")
                return font
            case _ if role == ENTRY:
                return entry
            case _ if role == _SEARCHED:
                return folded("\n".join(self.words(entry)))
        return None


class HistoryPane(Pane):
    """Lists step, time and annotator; undone steps are grey. Going to a step loses nothing."""

    pane_id = "history"
    shows_paper = False
    purpose = "Every step in the project, when it was done and by whom. You can go back to any of them."
    first_step = "go.home"
    search_hint = "Filter steps"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.model = HistoryModel(self)
        self.model.rowsInserted.connect(self._show_status)
        self.shown = QSortFilterProxyModel(self)
        self.shown.setSourceModel(self.model)
        self.shown.setFilterRole(_SEARCHED)
        self.main = self.table = named(QTableView(self.body), "Steps, newest first")
        self.table.setModel(self.shown)
        header = plain_rows(self.table)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for at in (1, 2, 3):
            header.setSectionResizeMode(at, QHeaderView.ResizeMode.ResizeToContents)
        header.setResizeContentsPrecision(MEASURED)
        self.table.doubleClicked.connect(self.go)
        self.table.selectionModel().currentChanged.connect(lambda *_rows: context.commands.state_changed.emit())
        text = "Going back undoes later steps. You can redo them until you make a new change."
        foot = row(
            (text_label(text, "small", wrap=True), 1), CommandButton(context.commands, "history.go_to"), spacing=12
        )
        column((self.table, 1), foot, margins=(16, 16, 16, 12), spacing=12, of=self.body)
        sized(self.table, ROW, self.table.verticalHeader().setDefaultSectionSize)

    def project_set(self) -> None:
        self.model.load(None)

    def is_empty(self) -> bool:
        return self.project is not None and not self.project.history(1)

    def refresh(self) -> None:
        kept, place = self.chosen(), self.table.verticalScrollBar().value()
        # The rows shown plus a new one: keeping the number of rows keeps the scroll position.
        self.model.load(self.project, max(PAGE, self.model.rowCount() + 1))
        self._choose(kept.id if kept else None)
        self.table.verticalScrollBar().setValue(place)
        self._show_status()

    def _show_status(self) -> None:
        entries = self.model.entries
        if self.model.canFetchMore(self.table.rootIndex()):
            self.set_status(f"more than {counted(len(entries), 'step')}")
            return
        done = sum(entry.state == "done" for entry in entries)
        undone = f" · {len(entries) - done} undone" if done < len(entries) else ""
        self.set_status(f"{counted(done, 'step')} done{undone}")

    def chosen(self) -> HistoryEntry | None:
        index = self.table.currentIndex()
        entry: HistoryEntry | None = index.data(ENTRY) if index.isValid() else None
        return entry

    def search(self, text: str) -> None:
        self.shown.setFilterFixedString(folded(text))

    def search_next(self, forward: bool = True) -> None:
        row = self.table.currentIndex().row() + (1 if forward else -1)
        if 0 <= row < self.shown.rowCount():
            self.table.selectRow(row)

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
