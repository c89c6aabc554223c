"""The steps of a project as a table: what, when, who. Older ones are read on scrolling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.project_control import local_time
from desktop_app.theme import theme
from engine.agreement.store import AgreementStore

if TYPE_CHECKING:
    from engine.project import HistoryEntry, Project

PAGE = 200
ENTRY = Qt.ItemDataRole.UserRole
_COLUMNS = ("What", "When", "Who", "State")
_STATES = {"done": "", "undone": "undone", "abandoned": "undone, then replaced"}
Index = QModelIndex | QPersistentModelIndex


class HistoryModel(QAbstractTableModel):
    """Newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._project: Project | None = None
        self._entries: list[HistoryEntry] = []
        self._titles: dict[int, str] = {}
        self._more = False

    @property
    def entries(self) -> list[HistoryEntry]:
        return self._entries

    def load(self, project: Project | None, rows: int = PAGE) -> None:
        self.beginResetModel()
        self._project = project
        self._titles.clear()
        self._entries = list(project.history(rows)) if project is not None else []
        self._more = len(self._entries) == rows
        self.endResetModel()

    def reload(self) -> None:
        """Reads the rows shown and the new ones; the same number of rows keeps the scroll position."""
        self.load(self._project, max(PAGE, len(self._entries) + 1))

    def title(self, entry: HistoryEntry) -> str:
        """A step's title; the work of other annotators stays hidden until both are done."""
        if entry.id not in self._titles:
            assert self._project is not None
            self._titles[entry.id] = AgreementStore(self._project).title(entry)
        return self._titles[entry.id]

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and self._more

    def fetchMore(self, parent: Index) -> None:
        if self._project is None or parent.isValid() or not self._entries:
            return
        older = self._project.history(PAGE, before=self._entries[-1].id)
        self._more = len(older) == PAGE
        if older:
            self.beginInsertRows(QModelIndex(), len(self._entries), len(self._entries) + len(older) - 1)
            self._entries.extend(older)
            self.endInsertRows()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self._entries[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (self.title(entry), local_time(entry.created_at), entry.annotator, _STATES[entry.state])[
                    index.column()
                ]
            case Qt.ItemDataRole.ToolTipRole:
                state = _STATES[entry.state] or "done"
                when = local_time(entry.created_at)
                return f"{self.title(entry)}\n{when}, {entry.annotator}\n{entry.changes} rows; {state}"
            case Qt.ItemDataRole.ForegroundRole if entry.state != "done":
                return theme().colour("muted")
            case Qt.ItemDataRole.FontRole:
                font = theme().font("body", tabular=True)
                font.setStrikeOut(entry.state == "abandoned" and index.column() == 0)
                font.setItalic(entry.state != "done")
                return font
            case _ if role == ENTRY:
                return entry
        return None
