"""A field for papers as link, arXiv ID, DOI, title or BibTeX, with suggestions of known papers."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QWidget

from desktop_app import present
from desktop_app.panes.survey.state import details, heading
from desktop_app.widgets.fields import UndoLineEdit
from engine.papers.entry import recognise
from engine.papers.records import LibraryPaper

SHORTEST_SEARCH = 4


class EntryField(UndoLineEdit):
    """Emits what was entered or picked from the suggestions."""

    entered = Signal(str)
    picked = Signal(object)
    """A LibraryPaper from the suggestions."""
    left_downwards = Signal()

    def __init__(self, name: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setClearButtonEnabled(True)
        self.search: Callable[[str], Sequence[LibraryPaper]] = lambda _text: ()
        self._found: tuple[LibraryPaper, ...] = ()
        self._titles = QStringListModel(self)
        self._completer = QCompleter(self._titles, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        popup = present(self._completer.popup())
        self._popup = popup
        self._popup.setAccessibleName("Known papers")
        self._completer.activated[QModelIndex].connect(self._pick)  # type: ignore[index]
        self.setCompleter(self._completer)
        self.textEdited.connect(self._look)
        self.returnPressed.connect(self.enter)

    def _look(self, text: str) -> None:
        wanted = len(text.strip()) >= SHORTEST_SEARCH and recognise(text).kind == "title"
        self._found = tuple(self.search(text)) if wanted else ()
        lines = [" · ".join(part for part in (heading(paper), details(paper)) if part) for paper in self._found]
        self._titles.setStringList(lines)

    def _pick(self, index: QModelIndex) -> None:
        if index.row() < len(self._found):
            paper = self._found[index.row()]
            # after the completer has written the selected line into the field
            QTimer.singleShot(0, self, self._forget)
            self.picked.emit(paper)

    def enter(self) -> None:
        """Enters the typed text, unless one of the suggestions is selected."""
        text = self.text().strip()
        if text and not (self._popup.isVisible() and self._popup.currentIndex().isValid()):
            self._popup.hide()
            self._forget()
            self.entered.emit(text)

    def _forget(self) -> None:
        self._found = ()
        self._titles.setStringList([])
        self.setText("")  # unlike clear(), leaves no undo step in the field, so that Undo removes the paper

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and not self._popup.isVisible():
            self.left_downwards.emit()
            return
        super().keyPressEvent(event)
