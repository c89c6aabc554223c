"""The commands of the history pane."""

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands

if TYPE_CHECKING:
    from desktop_app.panes.history.pane import HistoryPane


def commands() -> list[Command]:
    own: PaneCommands[HistoryPane] = PaneCommands("history")
    return [
        own("go_to", "Go to this step", "Undo or redo steps until the selected one is the last one done.",
            lambda pane: pane.go(), "Ctrl+Return", lambda pane: pane.can_go(), "clock-counter-clockwise"),
        own("go_to_start", "Revert everything", "Undo all steps. You can redo them until you make a change.",
            lambda pane: pane.go_to_start(), "", lambda pane: pane.can_go_to_start(), "rewind"),
    ]  # fmt: skip
