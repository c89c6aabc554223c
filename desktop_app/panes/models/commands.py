"""The commands of the models pane."""

from typing import TYPE_CHECKING

from desktop_app import if_any
from desktop_app.commands import Command, PaneCommands

if TYPE_CHECKING:
    from desktop_app.panes.models.pane import ModelsPane


def commands() -> list[Command]:
    own: PaneCommands[ModelsPane] = PaneCommands("models")
    return [
        own("add_folder", "Add a folder…", "Add a model from a folder on this computer. Nothing is copied.",
            lambda pane: if_any(pane.context.files.choose_folder(pane, "Add a model folder"), pane.add_folder),
            "Ctrl+I", icon="folder-plus", words="import open load"),
        own("add_server", "Add a server…", "Add a language model from a server on this computer.",
            lambda pane: pane.ask_for_server(), "Ctrl+Shift+I", icon="hard-drives"),
        own("check", "Check the server", "Check which models the server offers and how much text this one can read.",
            lambda pane: pane.check_server(), "", lambda pane: pane.can_check(), "arrow-clockwise", words="context"),
        own("fine_tune", "Fine-tune for labels…", "Train an encoder on labelled review sentences, to suggest labels.",
            lambda pane: pane.ask_for_tuning(), "Ctrl+T", lambda pane: not pane.tuner.busy, "graduation-cap"),
        own("stop_tuning", "Stop fine-tuning", "Stop training. Nothing is kept.",
            lambda pane: pane.tuner.stop(), "", lambda pane: pane.tuner.busy, "stop"),
        own("remove", "Remove from the list", "Remove the selected model from the list. Its folder isn't changed.",
            lambda pane: pane.remove(), "Delete", lambda pane: bool(pane.current and pane.current.key), "trash"),
        own("try", "Try this model", "Compare two texts, or ask a question.",
            lambda pane: pane.details.try_it(), "Ctrl+Return", icon="play"),
    ]  # fmt: skip
