"""Choice and number boxes, and text fields that write to the project, with undo while typing.

Text is committed when the field loses focus, on Enter (single line), after a pause in typing, and about every two
seconds without one, which limits what a crash can lose. All commits of a visit have the same ``coalesce`` key and so
are one undo step. Text that couldn't be written (such as on a full disk) is kept and retried, even while the field
shows something else; the pane reports it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QToolTip,
    QWidget,
)

from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import named
from desktop_app.widgets.span_editor import CodePoints
from engine.project import new_id
from engine.reviews.spans import common_ends
from engine.shown import visible_line

PAUSE_MS = 800
RETRY_MS = 5000
LONGEST_MS = 1000
"""Without a pause in typing, text is written at the latest PAUSE_MS after this time."""


@dataclass(frozen=True, slots=True)
class Whose:
    """What a field's text belongs to. Instances are equal if their ``key`` is, whatever the ``record``."""

    key: Hashable
    record: Any = field(compare=False)


class Visit(QObject):
    """A visit to a field, from the first character typed until it loses focus."""

    committed = Signal(str, str, object)

    def __init__(self, edit: QLineEdit | QPlainTextEdit, subject: str, name: str, hint: str) -> None:
        super().__init__(edit)
        named(edit, name, hint=hint)
        self._field, self._subject = edit, subject
        self._saved = ""
        self._key = ""
        self._whose: Hashable = None
        self.kept: dict[Hashable, tuple[str, str]] = {}
        """Texts not written yet, with their coalesce keys, by what they belong to."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.commit)
        self._longest = QElapsedTimer()
        self._writing = False

    def text(self) -> str:
        return self._field.text() if isinstance(self._field, QLineEdit) else self._field.toPlainText()

    def show(self, text: str, whose: Hashable) -> None:
        """Shows the stored text, or a newer unwritten one, unless the field is being edited. Text typed for something
        else is written first."""
        same = whose == self._whose
        if not same:
            self.leave()
        elif self.unsaved and self._field.hasFocus():
            return
        before, self._whose = self.text(), whose
        self._saved, self._key = self.kept.get(whose, (text, ""))  # set before the text, since this change isn't typing
        if before == self._saved:
            return
        if isinstance(self._field, QLineEdit):
            self._field.setText(self._saved)
        else:
            self._field.setPlainText(self._saved)
            if same and before:  # such as after undo: place the caret at the change
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
        """Writes the typed text, and retries texts that couldn't be written."""
        self._timer.stop()
        if self.unsaved:
            self._key = self._key or f"{self._subject}:{new_id()}"
            self._saved = self.text()
            self.kept.pop(self._whose, None)  # remove an entry with an older record
            self.kept[self._whose] = self._saved, self._key
        if not self._writing:  # writing refreshes the pane, which may call this again
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
        """Discards unwritten texts."""
        self.kept.clear()
        self._saved = self.text()

    def leave(self) -> None:
        self.commit()
        self._key = ""


def _for_commands(event: QEvent, undo: bool, redo: bool) -> bool:
    """Returns whether a key is an undo (redo) that the field can't use, so that it is left to commands."""
    if not isinstance(event, QKeyEvent):
        return False
    return (event.matches(QKeySequence.StandardKey.Undo) and not undo) or (
        event.matches(QKeySequence.StandardKey.Redo) and not redo
    )


class UndoLineEdit(QLineEdit):
    """A line that leaves Undo and Redo to the project if it has no typing to undo."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and _for_commands(
            event, self.isUndoAvailable(), self.isRedoAvailable()
        ):
            event.ignore()
            return False
        return super().event(event)


class CommittingLineEdit(UndoLineEdit):
    """A single-line field. ``committed(text, coalesce, whose)`` asks to write the text of ``whose``; ``show_text``
    shows the stored text."""

    committed = Signal(str, str, object)
    left = Signal()
    """Return or Escape was pressed; the pane may take the focus back so that its keys work."""

    def __init__(self, subject: str, name: str, parent: QWidget | None = None, hint: str = "") -> None:
        """``subject`` names what is edited, for the coalesce key; ``name`` is the accessible name."""
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
    """A multi-line field; otherwise like ``CommittingLineEdit``."""

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
    name: str,
    low: int,
    high: int,
    *,
    tip: str = "",
    zero: str = "",
    pause: bool = False,
    parent: QWidget | None = None,
    **how: Any,
) -> QSpinBox:
    """Returns a box for whole numbers, which emits a number once it is complete or, with ``pause``, after a pause in
    typing; ``zero`` is shown for the lowest value, ``how`` are further properties."""
    box = QSpinBox(parent, **{"minimum": low, "maximum": high, "keyboardTracking": False, **how})
    LowestInWords(box, zero)

    def interpret() -> None:
        if box.hasAcceptableInput():
            box.interpretText()
            if box.text() == box.specialValueText():
                box.selectAll()  # see LowestInWords

    if pause:
        timer = delayed(box, PAUSE_MS, interpret)
        box.lineEdit().textEdited.connect(lambda _text: timer.start())
    return named(box, name, tip)


class LowestInWords(QObject):
    """Shows ``text`` for a box's lowest value. A click selects all of it: Qt refuses digits typed into it."""

    def __init__(self, box: QAbstractSpinBox, text: str) -> None:
        super().__init__(box)
        self._box = box
        box.setSpecialValueText(text)
        box.lineEdit().setTextMargins(5, 0, 0, 0)
        box.lineEdit().installEventFilter(self)

    def eventFilter(self, _edit: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonRelease and self._box.text() == self._box.specialValueText():
            self._box.selectAll()
        return False


class ChoiceBox(QComboBox):
    """A combo box of texts with values. It keeps its value when the entries change, if the value is still offered.
    ``letters`` characters are always visible; with 0, the widest entry."""

    picked = Signal(object)
    """The user picked this value."""

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

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()  # leaves out a part of the stylesheet's padding and arrow
        return hint if self.minimumContentsLength() else hint + QSize(self.fontMetrics().height(), 0)

    @property
    def tip(self) -> str:
        """The tooltip's text: the name and, if it is cut off, the current entry."""
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
        # The list may be wider than the box, so that its entries can be read.
        self.view().setMinimumWidth(min(self.view().sizeHintForColumn(0) + theme().px(24), self.window().width()))
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
        """Shows a value (the first one if it isn't offered) without emitting it."""
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, self.findData(value)))
