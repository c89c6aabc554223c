"""Labels of a sentence as chips, painted or as HTML, and the labels of a layer as a menu.

A suggestion has a dashed outline and its confidence, a decision is filled. Suggestions below the threshold are hidden.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.plain import literal
from engine.reviews.labels.records import LAYERS, SUGGESTED_FROM, Layer, SentenceLabels
from engine.reviews.labels.taxonomy import layer

LABELLED: tuple[tuple[Layer, str, str], ...] = (
    ("aspect", "aspect", "O"), ("theme", "theme", "T"), ("polarity", "polarity", "P"),
    ("review_action", "review action", "A"), ("actionable", "whether it is a request", "X"),
    ("action", "requested change", "C"),
)  # fmt: skip
"""The layers in the order of the menus, their names in commands, and their keys in every pane."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A label as shown; ``suggested`` ones are dashed, with their confidence."""

    layer: Layer
    label: str
    text: str
    suggested: bool
    confidence: float


def chips_of(labels: SentenceLabels, layers: Sequence[Layer] = LAYERS) -> tuple[Chip, ...]:
    """The labels of one sentence, without suggestions below the threshold."""
    found = []
    for name in layers:
        suggested = name in labels.offered
        for label in labels.of(name):
            sure = labels.confidence.get(f"theme:{label}" if name == "theme" else name, 1.0)
            if not suggested or sure >= SUGGESTED_FROM:
                found.append(Chip(name, label, layer(name).option(label).title, suggested, sure))
    return tuple(found)


def draw_chips(painter: QPainter, chips: Sequence[Chip], left: int, top: int, width: int) -> None:
    """Paints chips in a row: suggestions with a dashed outline and confidence, decisions tinted, aspects bold. Those
    that don't fit are counted."""
    t = theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    at = left
    for number, chip in enumerate(chips):
        font = t.font("small", bold=chip.layer == "aspect")
        painter.setFont(font)
        words = f"{chip.text} {round(100 * chip.confidence)}%" if chip.suggested else chip.text
        wide = painter.fontMetrics().horizontalAdvance(words) + 14
        box = QRect(at, top, wide, painter.fontMetrics().height() + 4)
        if at + wide > left + width:
            painter.setPen(t.colour("muted"))
            painter.drawText(at, box.top() + 2 + painter.fontMetrics().ascent(), f"+{len(chips) - number}")
            return
        data = t.data("suggested" if chip.suggested else "linked")
        painter.setPen(QPen(QColor(data.mark), 1, Qt.PenStyle.DashLine if chip.suggested else Qt.PenStyle.SolidLine))
        painter.setBrush(Qt.BrushStyle.NoBrush if chip.suggested else QColor(data.wash))
        painter.drawRoundedRect(box, 5, 5)
        painter.setPen(QColor(data.ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        at += wide + 5


def chip_html(chip: Chip) -> str:
    """A chip for rich text, which has no outlines: suggestions are put in angle brackets."""
    tokens = theme().tokens
    small = f"font-size:{theme().px(11)}px; font-family:sans-serif"
    if chip.suggested:
        ink = tokens.data["suggested"].ink
        return f"<span style='color:{ink}; {small}'>⟨{html.escape(chip.text)} {round(100 * chip.confidence)}%⟩</span>"
    ground, ink = tokens.data["linked"].wash, tokens.data["linked"].ink
    return f"<span style='background-color:{ground}; color:{ink}; {small}'>&nbsp;{html.escape(chip.text)}&nbsp;</span>"


def label_menu(
    parent: QWidget, name: Layer, held: tuple[str, ...], chosen: Callable[[tuple[str, ...]], object]
) -> QMenu:
    """A menu of the labels of a layer. Those in ``held`` are checked; choosing one removes it. ``chosen`` is called
    with the new labels."""
    info = layer(name)
    menu = QMenu(parent)
    for option in info.labels:
        entry = menu.addAction(literal(option.title))
        entry.setToolTip(option.description)
        entry.setCheckable(True)
        entry.setChecked(option.id in held)
        toggled = tuple(one for one in held if one != option.id) if option.id in held else (*held, option.id)
        wanted = toggled if info.several else (() if option.id in held else (option.id,))
        entry.triggered.connect(lambda _checked=False, labels=wanted: chosen(labels))
    menu.setToolTipsVisible(True)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu
