"""Ranked templates under the editor: key, words with their slots, and why each is offered."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.choices import TEMPLATE_KEYS
from desktop_app.panes.rebuttal.templates import COMPARING
from desktop_app.theme import theme
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import column, row, surface
from desktop_app.widgets.record_list import RecordList, draw_key, draw_text, laid_text
from engine.rebuttal.filling import OUTLINE
from engine.rebuttal.fitting import Ranked
from engine.rebuttal.records import ACTION_TITLES, STARTER, Template
from engine.rebuttal.slots import find_slots

_SHOWN = 60


def _draw(painter: QPainter, rect: QRect, ranked: Ranked, at: int) -> None:
    t, inner = theme(), rect.adjusted(12, 6, -12, -6)
    if at < TEMPLATE_KEYS:
        draw_key(painter, QRect(inner.left(), inner.top() + 2, t.px(18), t.px(18)), str(at + 1))
    body = inner.adjusted(t.px(28), 0, 0, 0)
    layout = _laid(ranked.template.text, body.width())
    painter.setPen(t.colour("ink"))
    layout.draw(painter, body.topLeft().toPointF())
    foot = body.adjusted(0, round(layout.boundingRect().height()) + 2, 0, 0)
    draw_text(painter, foot, Qt.AlignmentFlag.AlignLeft, _foot(ranked), t.font("small"), t.tokens.muted)


def _foot(ranked: Ranked) -> str:
    template = ranked.template
    where = "" if template.library in (STARTER, OUTLINE) else f"{template.library} · "
    title = "Outline" if template.library == OUTLINE else ACTION_TITLES[template.action]
    return where + " · ".join((title, *ranked.reasons))


def _laid(text: str, width: int) -> QTextLayout:
    t, look = theme(), QTextCharFormat()
    look.setForeground(QColor(t.tokens.accent))
    look.setBackground(QColor(t.tokens.accent_wash))
    marks = [(slot.span.start, slot.span.end - slot.span.start, look) for slot in find_slots(text)]
    return laid_text(text.replace("\n\n", " \u2028"), t.font("body"), width, marks)


class TemplatesView(QWidget):
    """A search field and the ranked templates; ``chosen`` by Enter, a double click or the key."""

    chosen = Signal(Template)
    searched = Signal(str)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        surface(self, "Templates")
        self.list = RecordList(
            "Matching templates", self._draw, self._height,
            lambda ranked: f"{ACTION_TITLES[ranked.template.action]}. {ranked.template.text}",
            tip=lambda ranked: ranked.template.note, parent=self,
        )  # fmt: skip
        self.list.activated_row.connect(lambda index: self.choose(index.row()))
        self.list.setWordWrap(True)
        self.field = named(UndoLineEdit(self), "Search the templates")
        registry.changed.connect(self._name_field)
        self._name_field()
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.searched)
        self.field.returnPressed.connect(lambda: self.choose(0))
        for child in self.field.children():
            if isinstance(child, QWidget):
                child.setProperty("accessibleName", "Clear the search")
                child.setToolTip("Clear the search")
        self._title = text_label("Templates", "section", parent=self)
        head = row((self._title, 1), (self.field, 1), margins=(12, 6, 12, 6))
        column(head, (self.list, 1), of=self)

    def search(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def _name_field(self) -> None:
        key = self._registry.native_shortcut("rebuttal.search_templates")
        self.field.setPlaceholderText(f"Search all templates   {key}".rstrip())

    def show_ranked(self, ranked: Sequence[Ranked], heading: str, tip: str) -> None:
        self.list.show_records(ranked[:_SHOWN])
        comparing = heading == COMPARING
        self.list.set_message("" if comparing else "No matching templates. Search, or choose another action.")
        self._title.setText(heading)
        self._title.setToolTip(tip)

    def _draw(self, painter: QPainter, rect: QRect, ranked: Ranked, _selected: bool) -> None:
        _draw(painter, rect, ranked, self.list.row_of(ranked))

    def _height(self, ranked: Ranked) -> int:
        wide = self.list.viewport().width() - theme().px(28) - 30
        return round(_laid(ranked.template.text, max(120, wide)).boundingRect().height()) + theme().px(18) + 16

    def template(self, number: int) -> Template | None:
        return self.list.records[number].template if 0 <= number < len(self.list.records) else None

    def choose(self, number: int) -> None:
        template = self.template(number)
        if template is not None:
            self.chosen.emit(template)
