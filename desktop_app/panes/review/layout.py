"""Layouts shared by parts of the review pane."""

from collections.abc import Sequence

from PySide6.QtWidgets import QBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.widgets.labels import HtmlPage
from desktop_app.widgets.layouts import Flow, Parts, column, command_buttons, row, splitter, tall_enough


def halves(page: QWidget, left: Sequence[Parts], right: Sequence[Parts], sizes: tuple[int, int]) -> None:
    """Lays out a page of the drawer as two columns with a movable border."""
    sides = QWidget(page), QWidget(page)
    column(*left, margins=(0, 0, 8, 0), spacing=8, of=sides[0])
    column(*right, margins=(8, 0, 0, 0), spacing=6, of=sides[1])
    for side in sides:
        tall_enough(side)
    column(splitter((sides[0], sizes[0], 0), (sides[1], sizes[1], 0), parent=page), margins=(12, 8, 12, 8), of=page)


def buttons(registry: CommandRegistry, parent: QWidget, primary: str = "", **texts: str) -> QBoxLayout:
    """Returns buttons for commands, side by side, wrapped onto more lines if necessary."""
    return row((Flow(*command_buttons(registry, "review", texts, parent, primary).values()), 1))


def reader(name: str, parent: QWidget) -> HtmlPage:
    """Returns a read-only text that Tab leaves."""
    page = HtmlPage(name, parent, padding="4px 8px")
    page.setTabChangesFocus(True)
    return page
