"""The commands of the labels pane, with their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.widgets.label_chips import LABELLED

if TYPE_CHECKING:
    from desktop_app.panes.labels.pane import LabelsPane


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""
    own: PaneCommands[LabelsPane] = PaneCommands("labels", lambda pane: pane.has_sentences())
    return [
        own("next", "Next sentence", "Brings the next sentence to hand.", lambda pane: pane.step(1), "J"),
        own("previous", "Previous sentence", "Brings the previous sentence to hand.", lambda pane: pane.step(-1), "K"),
        own(
            "next_open", "Next suggestion",
            "Goes to the next sentence with a suggestion, in the next review if need be.",
            lambda pane: pane.next_open(), "Space", icon="skip-forward",
        ),
        own(
            "accept", "Accept", "Takes what is suggested for the sentence, and goes on to the next suggestion.",
            lambda pane: pane.accept(), "Y", lambda pane: pane.has_suggestion(), "check",
        ),
        own(
            "refuse", "Refuse", "Refuses what is suggested for the sentence, and goes on; it is not offered again.",
            lambda pane: pane.refuse(), "N", lambda pane: pane.has_suggestion(), "x",
        ),
        own(
            "accept_all", "Accept all of this review", "Takes all that is suggested in this review, as one step.",
            lambda pane: pane.accept_all(), "Shift+Y", lambda pane: pane.has_suggestions(), "checks",
        ),
        *(
            own(
                f"label_{name}", f"Label {words}", f"Chooses the {words} of the sentence.",
                given(lambda pane, name: pane.open_labels(name), name), key, lambda pane: pane.can_label(),
            )
            for name, words, key in LABELLED
        ),
        own(
            "clear", "Clear", "Takes your decisions on the sentence back; what was suggested is open again.",
            lambda pane: pane.clear(), "U", lambda pane: pane.can_clear(), "eraser",
        ),
        own("next_review", "Next review", "Shows the next review.", lambda pane: pane.step_review(1), "]"),
        own("previous_review", "Previous review", "Shows the review before.", lambda pane: pane.step_review(-1), "["),
        own(
            "suggest_labels", "Suggest labels", "Reads all layers in all reviews on this machine; you decide.",
            lambda pane: pane.suggest_labels(), "L", lambda pane: pane.can_suggest(), "tag",
        ),
        own(
            "learn_labels", "Learn from my labels", "Trains heads on the labels of this project, to suggest with.",
            lambda pane: pane.learn_labels(), when=lambda pane: pane.can_suggest(), icon="graduation-cap",
        ),
        own(
            "import", "Import annotated reviews…",
            "Takes reviews and labels of a folder with Peer-Review-Analyze or DISAPERE over.",
            lambda pane: pane.ask_for_folder(), "Ctrl+I", lambda pane: pane.can_import(), "download-simple",
        ),
        own(
            "fine_tune", "Fine-tune an encoder", "Opens Models, where a whole encoder is trained on labelled reviews.",
            lambda pane: pane.fine_tune(), icon="cube",
        ),
        own(
            "to_linking", "Add reviews", "Opens Linking, where reviews are added.",
            lambda pane: pane.context.show_pane("linking"), when=lambda _: True, icon="link",
        ),
    ]  # fmt: skip
