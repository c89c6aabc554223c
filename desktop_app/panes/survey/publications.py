"""The list of own publications; a tick shows which ones are in the profile."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from desktop_app.panes.survey.words import details, heading
from desktop_app.theme import theme
from desktop_app.widgets.record_list import LEFT, RecordList, draw_text
from engine.expertise.records import ProfileRow

TICK_WIDTH, ROW = 40, 44


class PublicationsList(RecordList):
    """Tick, title, and authors with year below; a title that is left out is struck through and pale. A click on the
    tick toggles it."""

    tick_clicked = Signal(str, bool)
    """Row key, and whether it is to be included."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Your publications", _paint, lambda _row: theme().px(ROW),
            lambda row: f"{heading(row.paper)}, {'included' if row.kept else 'left out'}",
            key=lambda row: row.id, parent=parent,
            tip=lambda row: f"{heading(row.paper)}\n{details(row.paper)}".strip(),
        )  # fmt: skip
        self.setUniformItemSizes(True)

    def show_rows(self, rows: Sequence[ProfileRow]) -> None:
        """Shows rows and keeps the current one, or the next if that one is gone."""
        place = self.currentIndex().row()
        self.show_records(rows)
        if rows and self.currentIndex().row() < 0:
            self.select_row(min(max(place, 0), len(rows) - 1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        at = self.indexAt(event.position().toPoint())
        if at.isValid() and event.position().x() < theme().px(TICK_WIDTH):
            row = self.records[at.row()]
            self.tick_clicked.emit(row.id, not row.kept)


def _paint(painter: QPainter, rect: QRect, row: ProfileRow, _selected: bool) -> None:
    t, px = theme().tokens, theme().px
    box = QRect(rect.left() + 14, rect.top() + px(8), px(14), px(14))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(theme().colour("accent" if row.kept else "control_border"))
    painter.setBrush(theme().colour("accent" if row.kept else "surface"))
    painter.drawRoundedRect(box, 4, 4)
    if row.kept:
        theme().icon("check", "on_accent").paint(painter, box.adjusted(1, 1, -1, -1))
    font = theme().font()
    font.setStrikeOut(not row.kept)
    left = rect.left() + px(TICK_WIDTH)
    title = QRect(left, rect.top() + px(5), rect.right() - left - 12, px(18))
    draw_text(painter, title, LEFT, heading(row.paper), font, t.ink if row.kept else t.muted)
    below = details(row.paper) or "Authors and year unknown"
    draw_text(painter, title.translated(0, px(18)), LEFT, below, theme().font("small"), t.muted)
