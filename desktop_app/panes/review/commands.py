"""The commands of the review pane, with their keys. Keys that work while one writes have Alt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command
from engine.review_drafting.forms import SHIPPED, shipped

if TYPE_CHECKING:
    from desktop_app.panes.review.pane import ReviewPane


def review_commands(pane: ReviewPane) -> list[Command]:
    """All commands, in the order of the key overview."""

    def own(  # noqa: PLR0917 - a table of records reads best by position
        name: str,
        title: str,
        words: str,
        handler: Callable[[], object],
        shortcut: str = "",
        enabled: Callable[[], bool] = pane.has_draft,
        icon: str = "",
        title_now: Callable[[], str] | None = None,
    ) -> Command:
        return Command(
            f"review.{name}", title, words, handler, shortcut, scope=pane.pane_id, enabled=enabled, icon=icon,
            title_now=title_now,
        )  # fmt: skip

    return [
        own("import", "Add a paper…", "Takes the PDF that you review into the project.", pane.ask_for_paper, "Ctrl+I",
            pane.can_write, "file-plus"),
        *(
            own(f"begin_{key}", f"New review for {shipped(key).title}", "Begins a review of the paper on this form.",
                partial(pane.begin, key), "", pane.can_begin, "note-pencil")
            for key in SHIPPED
        ),
        own("read", "Read the paper", "Puts the caret into the paper.", pane.read_paper, "P; Alt+P", pane.has_paper),
        own("write", "Write the review", "Puts the cursor into the form.", pane.write, "E; Alt+W"),
    ]  # fmt: skip
