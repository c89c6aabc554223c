"""The current sentence: the labels of each layer, who decided or suggested them, and the key that changes them."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.chips import LABELLED, chips_of
from desktop_app.widgets.label_chips import chip_html
from desktop_app.widgets.labels import hairline, scrolled, text_label
from desktop_app.widgets.layouts import Flow, column, command_buttons, row, surface
from desktop_app.widgets.plain import HtmlLabel
from engine.reviews.labels.heads import SHIPPED
from engine.reviews.labels.records import PERSON, Layer, SentenceLabels
from engine.reviews.labels.taxonomy import layer

WIDTH = 392


class Board(QWidget):
    """A button and the labels of each layer; below, how much is labelled in the project."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Labels of the sentence")
        inside = QWidget(self)
        self.title = text_label("", "section", parent=inside)
        self.open = text_label("", "muted", wrap=True, parent=inside)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        titles = {f"label_{name}": _SHORT.get(name, layer(name).title) for name, _words, _key in LABELLED}
        buttons = command_buttons(registry, "labels", titles, inside)
        self.said: dict[Layer, QLabel] = {}
        self.buttons: dict[Layer, CommandButton] = {}
        for at, (name, _words, _key) in enumerate(LABELLED):
            button, value = buttons[f"label_{name}"], HtmlLabel(inside)
            value.setAccessibleName(layer(name).title)
            value.setMinimumHeight(theme().px(40))
            grid.addWidget(button, at, 0, Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(value, at, 1, Qt.AlignmentFlag.AlignVCenter)
            self.said[name], self.buttons[name] = value, button
        decisions = {"accept": "Accept", "refuse": "Reject", "clear": "Clear"}
        training = {"learn_labels": "Learn from my labels", "fine_tune": "Fine-tune…"}
        self.counts = text_label("", "muted", wrap=True, parent=inside)
        column(
            self.title, grid,
            Flow(*command_buttons(registry, "labels", decisions, inside, primary="accept").values(), spacing=6),
            self.open,
            hairline(parent=inside), text_label("In this project", "section", parent=inside), self.counts,
            row(*command_buttons(registry, "labels", training, inside).values(), None), None,
            margins=(16, 12, 16, 12), spacing=10, of=inside,
        )  # fmt: skip
        column(scrolled(inside, "Labels of the sentence", self), of=self)
        self._shown: tuple[SentenceLabels | None, str, str] = (None, "", "")
        theme().changed.connect(self._write)
        self._write()

    def show_sentence(self, labels: SentenceLabels | None, title: str, left: str) -> None:
        """The labels of a sentence, None for none; ``left`` says which layers are open."""
        if (labels, title, left) != self._shown:
            self._shown = (labels, title, left)
            self._write()

    def show_counts(self, words: str) -> None:
        """How much is labelled."""
        self.counts.setText(words)

    def _write(self) -> None:
        labels, title, left = self._shown
        self.title.setText(title)
        self.open.setText(left)
        self.open.setVisible(bool(left))
        self.setFixedWidth(theme().px(WIDTH))
        widest = max(button.sizeHint().width() for button in self.buttons.values())
        for name, label in self.said.items():
            self.buttons[name].setMinimumWidth(widest)
            label.setText("" if labels is None else said_html(labels, name))


_SHORT: dict[Layer, str] = {"action": "Requested", "actionable": "Request"}


def said_html(labels: SentenceLabels, name: Layer) -> str:
    """Chips over who decided or suggested them; a dash without labels."""
    muted = f"color:{theme().tokens.muted}; font-size:{theme().px(11)}px"
    if name not in labels.origins:
        return f"<span style='{muted}'>—</span>"
    chips = " ".join(chip_html(chip) for chip in chips_of(labels, (name,)))
    said = chips or ("none" if name not in labels.offered else "")
    by = "suggested by " if name in labels.offered else ""
    words = by + origin_words(labels.origins[name])
    return f"{said}<br><span style='{muted}'>{html.escape(words)}</span>"


def origin_words(origin: str) -> str:
    """The origin of a label in words."""
    kind, _, rest = origin.removesuffix("+fine-tuned").partition(":")
    name, _, _version = rest.partition("@")
    tuned = " and a fine-tuned encoder" if origin.endswith("+fine-tuned") else ""
    if origin == PERSON:
        return "decided by you"
    if kind == "import":
        return f"from {rest}"
    if kind == "rules":
        return f"wording rules{tuned}"
    if name.startswith("fine-tuned"):
        return "a fine-tuned encoder"
    known = {"own-labels": "heads trained on your labels", SHIPPED: "the bundled heads"}
    return known.get(name, f"the heads {name}") + tuned
