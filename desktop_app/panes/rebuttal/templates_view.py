"""Ranked templates under the editor: key, words with their slots, and why each is offered."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.choices import TEMPLATE_KEYS
from desktop_app.theme import theme
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.row_list import RowList, paint_row_ground
from desktop_app.widgets.row_model import ROW, RowModel
from engine.rebuttal.fitting import FITS, Ranked
from engine.rebuttal.records import ACTION_TITLES, STARTER, Template
from engine.rebuttal.slots import find_slots

Index = QModelIndex | QPersistentModelIndex
_SHOWN = 60


class TemplateDelegate(QStyledItemDelegate):
    """A keycap at the left, the words on as many lines as they need, and a small line of reasons."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        ranked: Ranked = index.data(ROW)
        view = option.widget
        wide = (view.viewport().width() if isinstance(view, RowList) else 400) - theme().px(28) - 30
        layout = _laid(ranked.template.text, max(120, wide))
        return QSize(100, round(layout.boundingRect().height()) + theme().px(18) + 16)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        ranked: Ranked = index.data(ROW)
        t = theme()
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        inner = QRect(option.rect).adjusted(12, 6, -12, -6)
        painter.setFont(t.font("small", tabular=True))
        if index.row() < TEMPLATE_KEYS:
            cap = QRect(inner.left(), inner.top() + 2, t.px(18), t.px(18))
            painter.setPen(t.colour("control_border"))
            painter.setBrush(t.colour("ground"))
            painter.drawRoundedRect(cap, 4, 4)
            painter.setPen(t.colour("ink"))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, str(index.row() + 1))
        body = inner.adjusted(t.px(28), 0, 0, 0)
        layout = _laid(ranked.template.text, body.width())
        painter.setPen(t.colour("ink"))
        layout.draw(painter, body.topLeft().toPointF())
        painter.setFont(t.font("small"))
        painter.setPen(t.colour("muted"))
        foot = body.adjusted(0, round(layout.boundingRect().height()) + 2, 0, 0)
        words = painter.fontMetrics().elidedText(_foot(ranked), Qt.TextElideMode.ElideRight, foot.width())
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, words)
        painter.restore()


def _foot(ranked: Ranked) -> str:
    template = ranked.template
    where = "" if template.library == STARTER else f"{template.library} · "
    fits = " and ".join(reason for reason in ranked.reasons if reason in FITS)
    why = (f"fits the {fits}" if fits else "", *(reason for reason in ranked.reasons if reason not in FITS))
    return where + " · ".join((ACTION_TITLES[template.action], *filter(None, why)))


def _laid(text: str, width: int) -> QTextLayout:
    t = theme()
    layout = QTextLayout(text, t.font("body"))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WordWrap)
    layout.setTextOption(option)
    marks = []
    for slot in find_slots(text):
        mark = QTextLayout.FormatRange()
        mark.start, mark.length = slot.span.start, slot.span.end - slot.span.start
        mark.format = QTextCharFormat()
        mark.format.setForeground(QColor(t.tokens.accent))
        mark.format.setBackground(QColor(t.tokens.accent_wash))
        marks.append(mark)
    layout.setFormats(marks)
    layout.beginLayout()
    height = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, height))
        height += line.height() * 1.15
    layout.endLayout()
    return layout


class TemplatesView(QWidget):
    """A search field and the ranked templates; ``chosen`` by Enter, a double click or the key."""

    chosen = Signal(Template)
    searched = Signal(str)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model: RowModel[Ranked] = RowModel(
            self,
            lambda ranked: f"{ACTION_TITLES[ranked.template.action]}. {ranked.template.text}",
            tip=lambda ranked: ranked.template.note,
        )
        self.list = RowList("Matching templates", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TemplateDelegate(self.list))
        self.list.activated_row.connect(lambda index: self.choose(index.row()))
        self.list.setWordWrap(True)
        self.field = UndoLineEdit(self)
        self.field.setAccessibleName("Search the templates")
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
        head = QHBoxLayout()
        head.setContentsMargins(12, 6, 12, 6)
        head.addWidget(self._title, 1)
        head.addWidget(self.field, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)

    def search(self) -> None:
        """Moves the keyboard to the search field."""
        self.field.setFocus()
        self.field.selectAll()

    def _name_field(self) -> None:
        """Shows the current key in the field."""
        key = self._registry.native_shortcut("rebuttal.search_templates")
        self.field.setPlaceholderText(f"Search all templates   {key}".rstrip())

    def show_ranked(self, ranked: Sequence[Ranked], of: int) -> None:
        """``of``: how many templates there are."""
        self.model.show_rows(ranked[:_SHOWN])
        self._title.setText(f"Templates  ·  {len(ranked)} of {of}" if of else "Templates")
        self._title.setToolTip("Press Alt and its number to insert a template")
        self.list.set_message("" if ranked else "No matching templates. Search, or choose another action.")

    def template(self, number: int) -> Template | None:
        """The template of a row."""
        return self.model.rows[number].template if 0 <= number < len(self.model.rows) else None

    def choose(self, number: int) -> None:
        """Chooses the template of a row."""
        template = self.template(number)
        if template is not None:
            self.chosen.emit(template)
