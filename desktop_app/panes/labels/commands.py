"""The commands of the Labels pane, with their keys."""

from typing import TYPE_CHECKING

from desktop_app import if_any
from desktop_app.commands import Command, PaneCommands, given
from desktop_app.widgets.chips import LABELLED

if TYPE_CHECKING:
    from desktop_app.panes.labels.pane import LabelsPane


def commands() -> list[Command]:
    own: PaneCommands[LabelsPane] = PaneCommands("labels", lambda pane: bool(pane.state.texts))
    return [
        *own.steps("sentence", lambda pane, by: pane.list.step(by), "J", "K"),
        own("next_open", "Next suggestion", "Go to the next sentence with a suggestion, including in other reviews.",
            lambda pane: pane.next_open(), "Space", icon="skip-forward"),
        own("accept", "Accept", "Accept the labels suggested for the sentence and go to the next suggestion.",
            lambda pane: pane.decide(pane.state.accept), "Y", lambda pane: pane.has_suggestion(), "check"),
        own("refuse", "Reject", "Reject the labels suggested for the sentence and go to the next suggestion.",
            lambda pane: pane.decide(pane.state.reject), "N", lambda pane: pane.has_suggestion(), "x"),
        own("accept_all", "Accept all in this review", "Accept all suggestions in this review, as one step.",
            lambda pane: pane.accept_all(), "Shift+Y", lambda pane: pane.state.has_suggestions(), "checks"),
        *(
            own(f"label_{name}", f"Label {words}", f"Label the sentence: {words}.",
                given(lambda pane, layer: pane.open_labels(layer), name), key, lambda pane: pane.can_label())
            for name, words, key in LABELLED
        ),
        own("clear", "Clear", "Remove your decisions on the sentence. Suggestions are offered again.",
            lambda pane: pane.clear(), "U",
            lambda pane: pane.can_label() and bool(pane.row and pane.row.decided), "eraser"),
        *own.steps("review", lambda pane, by: pane.show_review(pane.state.neighbour(by)), "]", "[", verb="review"),
        own("suggest_labels", "Suggest labels", "Suggest labels in all reviews, on this computer. You decide.",
            lambda pane: pane.suggest_labels(), "L", lambda pane: pane.can_suggest(), "tag"),
        own("learn_labels", "Learn from my labels", "Train heads on the labels of this project and suggest with them.",
            lambda pane: pane.jobs.learn(pane.project), when=lambda pane: pane.can_suggest(), icon="graduation-cap"),
        own("import", "Import annotated reviews…",
            "Import reviews and labels from a folder with Peer-Review-Analyze or DISAPERE.",
            lambda pane: if_any(pane.context.files.choose_folder(pane, "Import annotated reviews"), pane.import_folder),
            "Ctrl+I", lambda pane: pane.can_import(), "download-simple"),
        own("export", "Export labels…", "Export the labels, in one of several types.",
            lambda pane: pane.context.commands.run("project.export"), "Ctrl+E", icon="export"),
        own("fine_tune", "Fine-tune an encoder", "Open Models to fine-tune an encoder on labelled reviews.",
            lambda pane: pane.fine_tune(), icon="cube"),
        own("to_linking", "Add reviews", "Open Linking, where reviews are added.",
            lambda pane: pane.context.show_pane("linking"), when=lambda _: True, icon="link"),
    ]  # fmt: skip
