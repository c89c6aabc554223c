"""Labels of a sentence as chips, painted or as HTML, and a menu of the labels of a layer.

Suggestions have a dashed outline and their probability, decisions are filled.
"""

import html
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.chips import Chip
from desktop_app.widgets.command_menu import pop_up
from desktop_app.widgets.labels import literal
from desktop_app.widgets.record_list import CENTRE, draw_box, draw_text
from engine.reviews.labels.records import Layer
from engine.reviews.labels.taxonomy import layer
from engine.shown import estimated


def draw_chips(painter: QPainter, chips: Sequence[Chip], left: int, top: int, width: int) -> None:
    """Draws chips in a row, aspects in bold, and the number of those that don't fit ("+2")."""
    t = theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    at = left
    for number, chip in enumerate(chips):
        font = t.font("small", bold=chip.layer == "aspect")
        painter.setFont(font)
        words = f"{chip.text} {estimated(chip.confidence)}" if chip.suggested else chip.text
        wide = painter.fontMetrics().horizontalAdvance(words) + 14
        box = QRect(at, top, wide, painter.fontMetrics().height() + 4)
        if at + wide > left + width:
            painter.setPen(t.colour("muted"))
            painter.drawText(at, box.top() + 2 + painter.fontMetrics().ascent(), f"+{len(chips) - number}")
            return
        data = t.data("suggested" if chip.suggested else "linked")
        draw_box(painter, box, "" if chip.suggested else data.wash, data.mark, dashed=chip.suggested)
        draw_text(painter, box, CENTRE, words, font, data.ink)
        at += wide + 5


def chip_html(chip: Chip) -> str:
    """Returns a chip as rich text, which has no outlines: suggestions are in angle brackets."""
    tokens = theme().tokens
    small = f"font-size:{theme().px(11)}px; font-family:sans-serif"
    if chip.suggested:
        ink = tokens.data["suggested"].ink
        words = f"{html.escape(chip.text)} {estimated(chip.confidence)}".replace(" ", "&nbsp;")
        return f"<span style='color:{ink}; {small}'>⟨{words}⟩</span>"
    ground, ink = tokens.data["linked"].wash, tokens.data["linked"].ink
    return f"<span style='background-color:{ground}; color:{ink}; {small}'>&nbsp;{html.escape(chip.text)}&nbsp;</span>"


def open_label_menu(
    owner: QWidget, at: QPoint, name: Layer, held: tuple[str, ...], chosen: Callable[[tuple[str, ...]], object]
) -> None:
    """Opens a menu of a layer's labels at a point in a widget; current labels are checked, and choosing one again
    removes it. ``chosen`` gets the resulting labels: at most one if the layer allows only one."""
    info = layer(name)
    menu = QMenu(owner)
    for option in info.labels:
        entry = menu.addAction(literal(option.title))
        entry.setToolTip(option.description)
        entry.setCheckable(True)
        entry.setChecked(option.id in held)
        toggled = tuple(one for one in held if one != option.id) if option.id in held else (*held, option.id)
        wanted = toggled if info.several else (() if option.id in held else (option.id,))
        entry.triggered.connect(lambda _checked=False, labels=wanted: chosen(labels))
    menu.setToolTipsVisible(True)
    pop_up(menu, owner, at)
