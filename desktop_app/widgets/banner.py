"""Non-modal messages: what happened, what it means, and what to do about it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QBoxLayout,
    QFrame,
    QLabel,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.keys import LINE
from desktop_app.widgets.labels import ElidedLabel, literal, named, scrolled, text_label
from desktop_app.widgets.layouts import LEFT, Flow, column, row
from desktop_app.writing import Written
from engine.errors import EnvironmentProblem
from engine.shown import counted, shortened

NAMED = 4
"""Maximum number of files that a notice names."""
Kind = Literal["note", "attention", "problem"]
_ICONS: dict[Kind, tuple[str, str]] = {
    "note": ("info", "Note"),
    "attention": ("warning", "Needs attention"),
    "problem": ("warning-octagon", "Problem"),
}


@dataclass(frozen=True, slots=True)
class Notice:
    """A message. ``key`` names its subject: a new notice replaces the one with the same key."""

    key: str
    what: str
    means: str = ""
    do: str = ""
    kind: Kind = "problem"
    actions: tuple[tuple[str, Callable[[], object]], ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, problem: EnvironmentProblem, key: str = "", *actions: tuple[str, Callable[[], object]]) -> "Notice":
        return cls(key or problem.what, problem.what, problem.means, problem.do, "problem", actions)


def show_folder(folder: Path | str) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def written_notice(key: str, made: Written, *loss: str) -> Notice:
    """Returns a notice naming the written files, or their number and folder; what they leave out (also ``loss``); and a
    button that shows the folder."""
    if not made.names:
        return Notice(key, "There was nothing to export, so no file was written.", kind="note")
    what = f"Saved: {', '.join(made.names)}."
    if made.new_folder or len(made.names) > NAMED:
        what = f"Exported {counted(len(made.names), 'file')} to the folder “{Path(made.folder).name}”."
    show = ("Show folder", lambda: show_folder(made.folder))
    return Notice(key, what, " ".join((*made.loss, *loss)), kind="note", actions=(show,))


_LONG_WORD = re.compile(r"(\S{24})\S{10,}(\S{16})")
"""A long word, usually a file name, that might not fit on a line."""
_GAP = 12


class _Row(QFrame):
    """A notice. Its buttons are beside the text, or below it if that takes less height."""

    made = count()

    def __init__(self, notice: Notice, said: str, actions: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.number, self.kind, self.buttons = next(self.made), notice.kind, actions
        self.stays = notice.kind == "problem" or (notice.kind == "attention" and bool(notice.actions))
        """Whether it is a problem, or a question that waits for an answer; a newer note doesn't replace it."""
        self.said, self.level = (said, said.partition("\n")[0]), 0
        self.words, self.brief = text_label(said, wrap=True), ElidedLabel("", self)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # so that the pane's keys still work after a click
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.brief.setText(notice.what)
        self.brief.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # the buttons on one line
        self.brief.setToolTip(literal(said))
        self.brief.hide()
        words = column(self.words, self.brief)
        self.body = row((words, 1), (actions, LEFT | Qt.AlignmentFlag.AlignVCenter), spacing=_GAP)

    def fold(self, width: int, level: int) -> None:
        """Fits the row into a width: with all of its text (0), only what happened (1), or that on one line (2)."""
        self.level = level  # first: showing a part may resize the row
        self.words.setText(self.said[level > 0])
        self.words.setHidden(level > 1)
        self.brief.setVisible(level > 1)
        _, buttons, frame = self.sizes()
        beside = self.words.heightForWidth(max(1, width - frame - buttons - _GAP))
        under = self.words.heightForWidth(width - frame) + _GAP + self.buttons.sizeHint().height()
        below = level < 2 and buttons > 0 and under < beside
        self.body.setDirection(QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight)

    def sizes(self) -> tuple[int, int, int]:
        """Returns the height of a line, and the widths of the buttons and of what is around text and buttons."""
        frame = self.sizeHint().width() - self.body.sizeHint().width()
        return self.words.fontMetrics().height(), self.buttons.sizeHint().width(), frame

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fold(self.width(), self.level)


MARGIN = 12  # margin at the foot of pages, at normal text size


class MessageArea(QWidget):
    """The banners of a window and its panes. They cover the status bar's text and the free space at the foot of the
    page (its margin or line of keys), so that messages don't move anything. If messages need more space, only the
    newest message and problem or question are shown, of notes only what happened, and a button shows all; a note or
    question that would cover the control with the focus is one line, and a note that arrived after a question hides it
    if both would cover it, but hides no problem. A problem alone is never folded. Messages higher than most of the page
    scroll. Jobs, device and network stay visible; if they leave too little width, messages are placed above the status
    bar."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._page, self._status, self._words = parent, parent, parent
        self._foot: tuple[QWidget, QWidget] | None = None
        self._keys = self._all = self._folding = False
        self._newest, self._soon = 0, delayed(self, 0, self._place)
        self._folded: tuple[object, ...] = ()
        self._banners: list[Banner] = []
        listed = QWidget(self)
        self._rows = column(spacing=1, of=listed)
        self.more = IconButton("caret-up", "Show all messages", parent=self)
        self.more.clicked.connect(self._toggle)
        row((scrolled(listed, "Messages", self), 1), self.more, spacing=0, of=self)
        self.setAutoFillBackground(True)
        self.hide()

    def banner(self) -> "Banner":
        banner = Banner(self)
        self._banners.append(banner)
        self._rows.addWidget(banner)
        banner.changed.connect(self._place)
        return banner

    def follow(self, page: QWidget, status: QWidget, words: QWidget) -> None:
        """Attaches to the foot of the page, above the status bar; covers nothing but its text."""
        self.setParent(page.parentWidget())
        self._page, self._status, self._words = page, status, words
        for one in (page, words, self):
            one.installEventFilter(self)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._refold)

    def cover_keys(self, *, keys: bool, foot: tuple[QWidget, QWidget] | None = None) -> None:
        """Sets whether the current page ends with a line of keys, or with a line of its own (``foot``) whose text may
        be covered but not its buttons."""
        self._keys, self._foot = keys, foot
        for one in foot or ():
            one.installEventFilter(self)
        self._place()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.LayoutRequest):
            self._place()
        return False

    def _refold(self) -> None:
        self._soon.start()  # not now: the focus also changes while widgets are being destroyed

    def _toggle(self) -> None:
        self._all = not self._all
        self._place()

    def _place(self) -> None:
        width = self._page.width()
        bar, text = self._foot or (self._status, self._words)
        status = 0 if bar.isHidden() else bar.height() + 1  # including the hairline above it
        words = text.geometry().right() if status else width
        width, above = (words, 0) if 5 * words >= 3 * width else (width, status)
        over, free = status - above, theme().px(LINE if self._keys else MARGIN)
        rows = sorted((one for banner in self._banners for one in banner.rows), key=lambda one: one.number)
        if self._folding:
            return  # called again by showing a row below
        newest = max((one.number for one in rows), default=0)
        if newest > self._newest:  # what was unfolded didn't include it
            self._newest, self._all = newest, False
        clear = self._clear(above)
        state = (width, over + free, clear, self._all, *((one.number, *one.sizes()) for one in rows))
        if state != self._folded:
            self._folded, self._all = state, self._all and bool(rows)
            self._folding = True
            self._fold(rows, width, over + free, clear)
            self._folding = False
        for banner in self._banners:
            banner.setVisible(any(not one.isHidden() for one in banner.rows))
        height = min(self._height(width), self._page.height() * 3 // 4)
        if self._keys and over < height < over + free:
            height = over + free  # don't cover only part of the line of keys
        self.setGeometry(self._page.x(), self.window().height() - above - height, width, height)
        self.setVisible(bool(rows))

    def _clear(self, above: int) -> int:
        """Returns the height that doesn't cover the control with the focus, of a tall one its top, up to a maximum."""
        focus, window, most = self.window().focusWidget(), self.window(), theme().px(200)
        if focus is None or not self._page.isAncestorOf(focus):
            return most
        end = focus.mapTo(window, QPoint(0, min(focus.height(), theme().px(48)))).y()
        return min(most, window.height() - above - end)

    def _height(self, width: int) -> int:
        for banner in self._banners:
            for layout in (*(one.body for one in banner.rows), banner.body):
                layout.activate()  # each caches its height
        self._rows.activate()
        more = QSize() if self.more.isHidden() else self.more.sizeHint()
        rows = self._rows.totalSizeHint().height()
        if self._rows.hasHeightForWidth():  # some text wraps
            rows = self._rows.totalHeightForWidth(width - max(more.width(), 0))
        return max(rows, more.height())

    def _fold(self, rows: list[_Row], width: int, room: int, clear: int) -> None:
        """Shows as much of the messages as fits, or all of them."""
        self.more.hide()
        for banner in self._banners:
            banner.setVisible(bool(banner.rows))
        for one in rows:
            one.show()
            one.fold(width, 0)
        tall = bool(rows) and self._height(width) > room and (len(rows) > 1 or rows[-1].kind != "problem")
        if tall and not self._all:
            *older, newest = rows
            asked = [] if newest.stays else [one for one in older if one.stays][-1:]
            for one in older:
                one.setHidden(one not in asked)
            self.more.show()
            most, note = max(room, clear), newest.kind == "note"
            steps = [] if newest.kind == "problem" else [(newest, 1, room), (newest, 2, room if note else most)]
            for one, level, limit in (*steps, *((one, level, room) for one in asked for level in (1, 2))):
                if self._height(width) > limit:
                    one.fold(width - self.more.sizeHint().width(), level)
            if asked and note and self._height(width) > most:
                newest.fold(width - self.more.sizeHint().width(), 2)
                # until the focus moves or the note is dismissed
                (newest if asked[0].kind == "problem" else asked[0]).hide()
        self.more.setVisible(tall)
        self.more.set_icon("caret-down" if self._all else "caret-up")
        words = "Show less" if self._all else f"Show all of {counted(len(rows), 'message')}"
        named(self.more, words, words)


class Banner(QWidget):
    """Shows the notices of a pane or of the window below each other; hidden if there are none, or while the pane isn't
    current."""

    left = Signal()
    """The notice with the focus was removed, or Escape was pressed."""
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._front = True
        self._rows: dict[str, tuple[Notice, _Row]] = {}
        self.body = column(spacing=1, of=self)
        self.setAccessibleName("Messages")
        self.setVisible(False)
        theme().follow(self._restyle, now=False)

    @property
    def notices(self) -> list[Notice]:
        return [notice for notice, _ in self._rows.values()]

    @property
    def rows(self) -> list[_Row]:
        """The rows, if the banner's pane is current."""
        return [row for _, row in self._rows.values()] if self._front else []

    def show_notice(self, notice: Notice) -> None:
        left = False
        if notice.key in self._rows:
            old, row = self._rows[notice.key]
            if old == notice:
                return
            focus = self.window().focusWidget()
            left = focus is not None and row.isAncestorOf(focus)
            self.body.removeWidget(row)
            row.deleteLater()
        row = self._row(notice)
        self._rows[notice.key] = (notice, row)
        self.body.addWidget(row)
        row.show()  # otherwise it would be shown only later, by the event loop
        self.show_if(self._front)
        if left:
            self.left.emit()

    def show_if(self, front: bool) -> None:
        """Shows the notices if ``front``, i.e. while the pane is current."""
        self._front = front
        self.setVisible(front and bool(self._rows))
        self.changed.emit()

    def take_focus(self) -> bool:
        """Moves the focus to the first button of the latest message. Returns False if there is none."""
        if self._rows:
            _, row = list(self._rows.values())[-1]
            row.findChildren(QAbstractButton)[0].setFocus(Qt.FocusReason.ShortcutFocusReason)
        return bool(self._rows)

    def dismiss(self, key: str) -> None:
        if key not in self._rows:
            return
        _, row = self._rows.pop(key)
        focus = self.window().focusWidget()
        self.body.removeWidget(row)
        row.hide()
        row.deleteLater()
        if focus is not None and row.isAncestorOf(focus):
            self.left.emit()
        self.show_if(self._front)

    def dismiss_note(self) -> None:
        """Dismisses the latest notice of kind "note"."""
        notes = [notice.key for notice in self.notices if notice.kind == "note"]
        self.dismiss(notes[-1] if notes else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def clear(self) -> None:
        for key in list(self._rows):
            self.dismiss(key)

    def _row(self, notice: Notice) -> _Row:
        said = "\n".join(p for p in (notice.what, " ".join(q for q in (notice.means, notice.do) if q)) if p)
        said = _LONG_WORD.sub(r"\1…\2", said)
        actions = QWidget()
        frame = _Row(notice, said, actions, self)
        frame.setAccessibleName(" ".join(part for part in (notice.what, notice.means, notice.do) if part))
        frame.setProperty("kind", notice.kind)
        icon = named(QLabel(frame), _ICONS[notice.kind][1], _ICONS[notice.kind][1])
        icon.setObjectName("notice-icon")
        buttons: list[QPushButton] = []
        for title, act in notice.actions:
            button = named(QPushButton(literal(shortened(title, 40))), title, title)
            button.clicked.connect(lambda _checked=False, call=act: call())
            buttons.append(button)
        row((Flow(*buttons, spacing=12), 1), of=actions)
        if not buttons:
            actions.hide()
        close = IconButton("x", "Dismiss this message")
        close.clicked.connect(lambda _checked=False, key=notice.key: self.dismiss(key))
        parts = ((icon, Qt.AlignmentFlag.AlignVCenter), (frame.body, 1), (close, Qt.AlignmentFlag.AlignVCenter))
        row(*parts, margins=(16, 4, 8, 4), spacing=12, of=frame)
        self._style(frame, notice.kind)
        return frame

    def _restyle(self) -> None:
        for notice, frame in self._rows.values():
            self._style(frame, notice.kind)
        if self.rows:
            self.changed.emit()  # another text size needs other room

    def _style(self, row: QFrame, kind: Kind) -> None:
        icon = row.findChild(QLabel, "notice-icon")
        assert icon is not None
        token = {"note": "accent", "attention": "ink", "problem": "danger"}[kind]
        icon.setPixmap(theme().icon(_ICONS[kind][0], token).pixmap(QSize(20, 20)))
