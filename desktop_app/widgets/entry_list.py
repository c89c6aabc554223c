"""Lists of entries with two lines and an icon, and result lists below a search field."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from desktop_app.theme import ICON, theme
from desktop_app.widgets.record_list import Paint, RecordList, draw_lines, draw_text

Entry = tuple[str, str, str, str]
"""Key, title, detail, icon name."""
ROW_HEIGHT = 48
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
_RIGHT = Qt.TextElideMode.ElideRight


def paint_lines(
    painter: QPainter, box: QRect, lines: tuple[str, str], elide: Qt.TextElideMode, *, ink: str = "ink", room: int = 0
) -> None:
    """Paints a text above a detail in small type; ``room`` pixels to the right of the text stay free."""
    t = theme()
    for font, tint, words, width, side in (
        (t.font("body"), t.colour(ink).name(), lines[0], box.width() - room, Qt.AlignmentFlag.AlignTop),
        (t.font("small", tabular=True), t.tokens.muted, lines[1], box.width(), Qt.AlignmentFlag.AlignBottom),
    ):
        shown = QFontMetrics(font).elidedText(words, elide, width)
        draw_text(painter, box, Qt.AlignmentFlag.AlignLeft | side, shown, font, tint)


def _paint_entry(painter: QPainter, rect: QRect, icon: str, lines: tuple[str, str], elide: Qt.TextElideMode) -> None:
    box, size = rect.adjusted(12, 6, -12, -6), theme().px(ICON)
    theme().icon(icon, "muted").paint(painter, box.left(), box.top() + (box.height() - size) // 2, size, size)
    box.setLeft(box.left() + size + 12)
    paint_lines(painter, box, lines, elide)


class FoundList(RecordList):
    """Results for a field that keeps the focus: its Up, Down and Page keys change the selection here."""

    def __init__(
        self, name: str, paint: Paint, height: Callable[[Any], int], spoken: Callable[[Any], str], **how: Any
    ) -> None:
        super().__init__(name, paint, height, spoken, **how)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def take_key(self, event: QKeyEvent) -> bool:
        """Handles a key event of the field; returns whether the key belongs to the list."""
        by = _STEPS.get(Qt.Key(event.key()), 0)
        if by:
            self.step(by)
        return bool(by)

    def step(self, by: int) -> None:
        """Selects another record: the next or previous one, wrapping around, or one further away."""
        rows = [row for row, record in enumerate(self.records) if not self._model.heading(record)]
        if not rows:
            return
        now = self.currentIndex().row()
        at = rows.index(now) if now in rows else -1
        at = (at + by) % len(rows) if abs(by) == 1 else min(max(at + by, 0), len(rows) - 1)
        self.select_row(rows[at])
        if at == 0:
            self.scrollToTop()


@dataclass(frozen=True, slots=True)
class TwoLines:
    """A row: icon, text, and detail below; ``spoken`` and ``tip`` if they differ from the text."""

    icon: str
    text: str
    detail: str
    spoken: str = ""
    tip: str = ""


class TwoLineList(RecordList):
    """A list of records shown as ``lines``, identified by their index; a long text or detail is wrapped onto two
    lines."""

    def __init__(self, name: str, lines: Callable[[Any], TwoLines], parent: QWidget | None = None) -> None:
        self._lines = lines
        super().__init__(
            name, self._draw, self._height, lambda record: _spoken(lines(record)), shape=self._height,
            tip=lambda record: lines(record).tip or lines(record).text, parent=parent,
        )  # fmt: skip

    def _more(self, row: TwoLines) -> tuple[int, int]:
        """Returns the heights of a second line of the text and of the detail; 0 if one line is enough."""
        room = self.viewport().width() - 52
        fonts = (row.text, theme().font("body")), (row.detail, theme().font("small", tabular=True))
        more = [m.lineSpacing() * (m.horizontalAdvance(w) > room) for w, m in ((w, QFontMetrics(f)) for w, f in fonts)]
        return more[0], more[1]

    def _height(self, record: Any) -> int:
        return theme().px(ROW_HEIGHT) + sum(self._more(self._lines(record)))

    def _draw(self, painter: QPainter, rect: QRect, record: Any, _selected: bool) -> None:
        row = self._lines(record)
        if not any(more := self._more(row)):
            _paint_entry(painter, rect, row.icon, (row.text, row.detail), _RIGHT)
            return
        _paint_entry(painter, rect, row.icon, ("", ""), _RIGHT)
        t, box = theme(), rect.adjusted(40, 6, -12, -6)
        painter.setPen(t.colour("ink"))
        draw_lines(painter, box, row.text, t.font("body"), 2)
        box.setTop(box.bottom() + 1 - QFontMetrics(t.font("small", tabular=True)).lineSpacing() - more[1])
        painter.setPen(t.colour("muted"))
        draw_lines(painter, box, row.detail, t.font("small", tabular=True), 2)

    @property
    def row(self) -> int:
        """The current row; -1 for none."""
        return self.currentIndex().row()

    def show_rows(self, records: Sequence[Any], current: int | None = None) -> None:
        """Shows records and selects row ``current``, by default the same index as before."""
        self.show_records(records, min(max(self.row if current is None else current, 0), len(records) - 1))


def _spoken(row: TwoLines) -> str:
    return row.spoken or f"{row.text}, {row.detail}"


class EntryList(RecordList):
    """A list of entries, identified by their keys. Long texts are elided in the middle (file names) or, with
    ``ElideRight``, at the end (sentences)."""

    picked = Signal(str)
    """The key of the selected entry, if selected by the user, ``step`` or ``pick``."""

    def __init__(
        self, name: str, parent: QWidget | None = None, elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle
    ) -> None:
        self._tips: dict[str, str] = {}
        super().__init__(
            name, lambda painter, rect, entry, _on: _paint_entry(painter, rect, entry[3], entry[1:3], elide),
            lambda _entry: theme().px(ROW_HEIGHT), lambda entry: f"{entry[1]}. {entry[2]}", key=itemgetter(0),
            tip=lambda entry: self._tips.get(entry[0], f"{entry[1]}\n{entry[2]}"), parent=parent,
        )  # fmt: skip
        self.chosen.connect(lambda entry: self.picked.emit(entry[0]))

    @property
    def key(self) -> str:
        """The key of the selected entry; "" for none."""
        return self.current[0] if self.current is not None else ""

    def show_entries(self, entries: Sequence[Entry], selected: str | None, tips: Sequence[str] = ()) -> None:
        """Shows entries and selects one without emitting ``picked``. None keeps the selected one or, if it no longer
        exists, selects the entry in its place. ``tips`` are the entries' tooltips."""
        keys, wanted = [entry[0] for entry in entries], self.key if selected is None else selected
        place = min(max(self.currentIndex().row(), 0), len(keys) - 1) if selected is None else -1
        self._tips = dict(zip(keys, tips, strict=False))
        self.show_records(entries, keys.index(wanted) if wanted in keys else place)

    def set_detail(self, key: str, detail: str) -> None:
        self.show_records([(*entry[:2], detail, entry[3]) if entry[0] == key else entry for entry in self.records])

    def pick(self, key: str) -> None:
        self.select_row(self.row_of(key))
