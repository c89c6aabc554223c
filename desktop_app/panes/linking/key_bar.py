"""The line at the foot of the pane with its keys, as they are mapped now."""

from __future__ import annotations

from typing import Literal

from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.widgets.key_bar import Items
from desktop_app.widgets.key_bar import KeyBar as PlainKeyBar

LINKING: Items = (
    (("next_comment", "previous_comment"), "comment"),
    (("previous_edit", "next_edit"), "edit"),
    (("link",), "link"),
    (("unlink",), "unlink"),
    (("accept", "reject"), "accept, reject"),
    (("state_linked", "state_undecided"), "state"),
    (("next_undecided",), "next undecided"),
    (("previous_page", "next_page"), "page"),
    (("find",), "search"),
    (("reviews",), "reviews"),
    (("propose",), "propose"),
    (("coverage",), "coverage"),
    (("guidelines",), "guidelines"),
)
COVERAGE: Items = (
    (("next_comment", "previous_comment"), "comment"),
    (("state_linked", "state_undecided"), "state"),
    (("next_undecided",), "next undecided"),
    (("export_summary_pdf",), "summary"),
    (("coverage",), "back to linking"),
)
REVIEWS: Items = (
    (("next_comment", "previous_comment"), "comment"),
    (("mark",), "mark sentences"),
    (("mark_words",), "mark words"),
    (("add_span",), "further span"),
    (("set_context",), "context"),
    (("set_response",), "response"),
    (("toggle_request",), "request"),
    (("action_compare", "action_other"), "action"),
    (("split", "merge"), "split, merge"),
    (("delete",), "delete"),
    (("reviews",), "back to linking"),
)


class KeyBar(PlainKeyBar):
    """The keys of what the pane shows."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(registry, "linking", LINKING, parent)

    def show_mode(self, mode: Literal["linking", "reviews", "coverage"]) -> None:
        """Which keys to show."""
        self.show_items({"linking": LINKING, "reviews": REVIEWS, "coverage": COVERAGE}[mode])
