"""Boxes of named values, and text fields that write to the project: their own undo while typing, one step per visit.

The text is committed when the field loses focus, on Enter (single line), after a pause in typing, and every few
seconds without one: a crash loses no more than that. All commits of one visit have the same ``coalesce`` key, which
makes them one step. What couldn't be written (on a full disk) is tried again while the field shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QStyle, QStyleOptionComboBox, QToolTip, QWidget

from desktop_app.widgets.keys import KeepsKeys
from engine.project import new_id

PAUSE_MS = 800
RETRY_MS = 5000
LONGEST_MS = 3000
"""Somebody who types without a pause: what is typed is written at the latest PAUSE_MS after this time."""


class Visit(QObject):
    """One visit to a field, from the first letter until it loses focus."""

    committed = Signal(str, str)

    def __init__(self, field: QLineEdit | QPlainTextEdit, subject: str, name: str, hint: str) -> None:
        super().__init__(field)
        field.setAccessibleName(name)
        field.setPlaceholderText(hint)
        self._field, self._subject = field, subject
        self._saved = ""
        self._key = ""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.commit)
        self._failed = False
        self._longest = QElapsedTimer()

    def text(self) -> str:
        return self._field.text() if isinstance(self._field, QLineEdit) else self._field.toPlainText()

    def show(self, text: str) -> None:
        """Shows the stored text, unless the field is being edited."""
        if self.unsaved and self._field.hasFocus():
            return
        self._timer.stop()
        self._failed = False
        self._saved, self._key = text, ""  # before the text is set, which must not count as typing
        if self.text() != text:
            if isinstance(self._field, QLineEdit):
                self._field.setText(text)
            else:
                self._field.setPlainText(text)

    @property
    def unsaved(self) -> bool:
        return self.text() != self._saved

    def typed(self) -> None:
        if not self._timer.isActive():
            self._longest.start()
        if self.unsaved and not self._longest.hasExpired(LONGEST_MS):
            self._timer.start(PAUSE_MS)

    def commit(self) -> None:
        self._timer.stop()
        if self.unsaved or self._failed:
            self._key = self._key or f"{self._subject}:{new_id()}"
            self._saved = self.text()
            before = self._failures()
            self.committed.emit(self._saved, self._key)
            self._failed = self._failures() > before
            if self._failed:
                self._timer.start(RETRY_MS)

    def _failures(self) -> int:
        """How many acts have failed in the pane that the field belongs to."""
        parent = self._field.parentWidget()
        while parent is not None and not hasattr(parent, "failures"):
            parent = parent.parentWidget()
        return getattr(parent, "failures", 0)

    def leave(self) -> None:
        self.commit()
        self._key = ""


def _for_commands(event: QEvent, undo: bool, redo: bool) -> bool:
    """Whether a key is a command's, not the field's: undo (redo) that the field has no use for."""
    if not isinstance(event, QKeyEvent):
        return False
    return (event.matches(QKeySequence.StandardKey.Undo) and not undo) or (
        event.matches(QKeySequence.StandardKey.Redo) and not redo
    )


class UndoLineEdit(QLineEdit):
    """A line that leaves Undo and Redo to the project when it has no typing of its own to undo."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and _for_commands(
            event, self.isUndoAvailable(), self.isRedoAvailable()
        ):
            event.ignore()
            return False
        return super().event(event)


class CommittingLineEdit(UndoLineEdit):
    """One line. ``committed(text, coalesce)`` asks to write the text; ``show_text`` shows the stored text."""

    committed = Signal(str, str)
    left = Signal()
    """Return or Escape was pressed: a pane may take the keyboard back, so that its own keys work again."""

    def __init__(self, subject: str, name: str, parent: QWidget | None = None, hint: str = "") -> None:
        """``subject`` names what is edited, for the coalesce key; ``name`` is for screen readers."""
        super().__init__(parent)
        self._visit = Visit(self, subject, name, hint)
        self._visit.committed.connect(self.committed)
        self.textEdited.connect(self._visit.typed)
        self.returnPressed.connect(self._visit.commit)

    def show_text(self, text: str) -> None:
        self._visit.show(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.left.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._visit.leave()


class CommittingTextEdit(QPlainTextEdit):
    """Several lines; otherwise like ``CommittingLineEdit``."""

    committed = Signal(str, str)

    def __init__(self, subject: str, name: str, parent: QWidget | None = None, hint: str = "") -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self._visit = Visit(self, subject, name, hint)
        self._visit.committed.connect(self.committed)
        self.textChanged.connect(self._visit.typed)

    def show_text(self, text: str) -> None:
        self._visit.show(text)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and _for_commands(
            event, self.document().isUndoAvailable(), self.document().isRedoAvailable()
        ):
            event.ignore()
            return False
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._visit.leave()


class ChoiceBox(QComboBox):
    """Each entry has its words and a value. The box keeps its value when the entries change, if that is still offered.
    ``letters`` are always visible; with 0 the widest entry is."""

    picked = Signal(object)
    """The person picked this value."""

    def __init__(
        self, name: str, entries: Sequence[tuple[str, Any]] = (), *, letters: int = 6, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if letters:
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(letters)
        KeepsKeys(self)
        self.show_entries(entries)
        self.currentIndexChanged.connect(lambda _at: self.picked.emit(self.value))

    @property
    def tip(self) -> str:
        """What the tooltip says: the name, and the current entry where it is cut off."""
        return self.toolTip() if self._elided() == self.currentText() else f"{self.toolTip()}: {self.currentText()}"

    def _elided(self) -> str:
        option = QStyleOptionComboBox()
        super().initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width() - 2
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        option.currentText = self._elided()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip, self)
            return True
        return super().event(event)

    @property
    def value(self) -> Any:
        """The value of the current entry; None without one."""
        return self.currentData()

    def show_entries(self, entries: Sequence[tuple[str, Any]], value: object = None) -> None:
        """Offers ``entries`` and shows ``value`` (None: the one shown before, else the first). Emits nothing."""
        wanted = self.value if value is None else value
        with QSignalBlocker(self):
            if [(self.itemText(n), self.itemData(n)) for n in range(self.count())] != list(entries):
                self.clear()
                for words, data in entries:
                    self.addItem(words, data)
            known = [data for _, data in entries]
            self.setCurrentIndex(known.index(wanted) if wanted in known else min(0, len(known) - 1))

    def show_value(self, value: object) -> None:
        """Shows a value (the first one where it is not offered) without emitting it."""
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, self.findData(value)))
