"""Boxes of named values, and text fields that write to the project: their own undo while typing, one step per visit.

The text is committed when the field loses focus, on Enter (single line), after a pause in typing, and every two
seconds without one: a crash loses no more than that. All commits of one visit have the same ``coalesce`` key, which
makes them one step. What couldn't be written (on a full disk) is kept and tried again, even while the field shows the
text of something else; the pane says so.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QToolTip,
    QWidget,
)

from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import named
from desktop_app.widgets.span_editor import CodePoints
from engine.project import new_id
from engine.reviews.spans import common_ends
from engine.shown import visible_line

PAUSE_MS = 800
RETRY_MS = 5000
LONGEST_MS = 1000
"""Somebody who types without a pause: what is typed is written at the latest PAUSE_MS after this time."""


@dataclass(frozen=True, slots=True)
class Whose:
    """What a field's text belongs to: the same as another of this ``key``, whatever else of the ``record`` changes."""

    key: Hashable
    record: Any = field(compare=False)


class Visit(QObject):
    """One visit to a field, from the first letter until it loses focus."""

    committed = Signal(str, str, object)

    def __init__(self, edit: QLineEdit | QPlainTextEdit, subject: str, name: str, hint: str) -> None:
        super().__init__(edit)
        named(edit, name, hint=hint)
        self._field, self._subject = edit, subject
        self._saved = ""
        self._key = ""
        self._whose: Hashable = None
        self.kept: dict[Hashable, tuple[str, str]] = {}
        """Texts that aren't written yet, with their coalesce keys, by what they belong to."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.commit)
        self._longest = QElapsedTimer()
        self._writing = False

    def text(self) -> str:
        return self._field.text() if isinstance(self._field, QLineEdit) else self._field.toPlainText()

    def show(self, text: str, whose: Hashable) -> None:
        """Shows the stored text, or a newer one that is kept, unless the field is being edited. What was typed for
        something else is written first."""
        same = whose == self._whose
        if not same:
            self.leave()
        elif self.unsaved and self._field.hasFocus():
            return
        before, self._whose = self.text(), whose
        self._saved, self._key = self.kept.get(whose, (text, ""))  # before the text is set, which isn't typing
        if before == self._saved:
            return
        if isinstance(self._field, QLineEdit):
            self._field.setText(self._saved)
        else:
            self._field.setPlainText(self._saved)
            if same:  # it was undone, say: writing goes on where it changed
                cursor, tail = self._field.textCursor(), common_ends(before, self._saved)[1]
                cursor.setPosition(CodePoints(self._saved).to_units(len(self._saved) - tail))
                self._field.setTextCursor(cursor)

    @property
    def unsaved(self) -> bool:
        return self.text() != self._saved

    def typed(self) -> None:
        if not self._timer.isActive():
            self._longest.start()
        if self.unsaved and not self._longest.hasExpired(LONGEST_MS):
            self._timer.start(PAUSE_MS)

    def commit(self) -> None:
        """Writes what was typed, and again what couldn't be written before."""
        self._timer.stop()
        if self.unsaved:
            self._key = self._key or f"{self._subject}:{new_id()}"
            self._saved = self.text()
            self.kept.pop(self._whose, None)  # its record may be older
            self.kept[self._whose] = self._saved, self._key
        if not self._writing:  # writing shows the pane again
            self._writing = True
            try:
                self._write()
            finally:
                self._writing = False

    def _write(self) -> None:
        pane: Any = self._field.parentWidget()
        while pane is not None and not hasattr(pane, "refused"):
            pane = pane.parentWidget()
        tried, problem = list(self.kept.items()), None
        for whose, (text, key) in tried:
            if pane is not None:
                pane.refused = None
            self.committed.emit(text, key, whose)
            refused = pane.refused if pane is not None else None
            problem = refused or problem
            if refused is None and self.kept.get(whose) == (text, key):
                del self.kept[whose]
        if self.kept:
            self._timer.start(RETRY_MS)
        if pane is not None and tried:
            pane.show_kept(problem)

    def forget(self) -> None:
        """Gives up what isn't written."""
        self.kept.clear()
        self._saved = self.text()

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
    """One line. ``committed(text, coalesce, whose)`` asks to write the text of ``whose``; ``show_text`` shows the
    stored text."""

    committed = Signal(str, str, object)
    left = Signal()
    """Return or Escape was pressed: a pane may take the keyboard back, so that its own keys work again."""

    def __init__(self, subject: str, name: str, parent: QWidget | None = None, hint: str = "") -> None:
        """``subject`` names what is edited, for the coalesce key; ``name`` is for screen readers."""
        super().__init__(parent)
        self._visit = Visit(self, subject, name, hint)
        self._visit.committed.connect(self.committed)
        self.textEdited.connect(self._visit.typed)
        self.returnPressed.connect(self._visit.commit)

    def show_text(self, text: str, whose: Hashable = None) -> None:
        self._visit.show(text, whose)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.left.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._visit.leave()


class CommittingTextEdit(QPlainTextEdit):
    """Several lines; otherwise like ``CommittingLineEdit``."""

    committed = Signal(str, str, object)

    def __init__(self, subject: str, name: str, parent: QWidget | None = None, hint: str = "") -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self._visit = Visit(self, subject, name, hint)
        self._visit.committed.connect(self.committed)
        self.textChanged.connect(self._visit.typed)

    def show_text(self, text: str, whose: Hashable = None) -> None:
        self._visit.show(text, whose)

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


def number_box(
    name: str, low: int, high: int, *, tip: str = "", zero: str = "", parent: QWidget | None = None, **how: Any
) -> QSpinBox:
    """A box for a whole number, which it emits when it is entered; ``zero`` is shown in place of the lowest one,
    ``how`` are further properties."""
    box = QSpinBox(parent, **{"minimum": low, "maximum": high, "keyboardTracking": False, **how})
    box.setSpecialValueText(zero)
    box.lineEdit().setTextMargins(5, 0, 0, 0)
    return named(box, name, tip)


class ChoiceBox(QComboBox):
    """Each entry has its words and a value. The box keeps its value when the entries change, if that is still offered.
    ``letters`` are always visible; with 0 the widest entry is."""

    picked = Signal(object)
    """The person picked this value."""

    def __init__(
        self, name: str, entries: Sequence[tuple[str, Any]] = (), *, letters: int = 6, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        named(self, name, name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if letters:
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(letters)
        KeepsKeys(self)
        self._list_keeps_keys = False
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

    def showPopup(self) -> None:
        if not self._list_keeps_keys:
            self._list_keeps_keys = True
            KeepsKeys(self.view())
        super().showPopup()

    @property
    def value(self) -> Any:
        return self.currentData()

    def show_entries(self, entries: Sequence[tuple[str, Any]], value: object = None) -> None:
        """Offers ``entries`` and shows ``value`` (None: the one shown before, else the first). Emits nothing."""
        wanted = self.value if value is None else value
        with QSignalBlocker(self):
            entries = [(visible_line(words), data) for words, data in entries]
            if [(self.itemText(n), self.itemData(n)) for n in range(self.count())] != entries:
                self.clear()
                for words, data in entries:
                    self.addItem(words, data)
            known = [data for _, data in entries]
            self.setCurrentIndex(known.index(wanted) if wanted in known else min(0, len(known) - 1))

    def show_value(self, value: object) -> None:
        """Shows a value (the first one where it is not offered) without emitting it."""
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, self.findData(value)))
