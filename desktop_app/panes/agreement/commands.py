"""The commands of the agreement pane, with their keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given

if TYPE_CHECKING:
    from desktop_app.panes.agreement.pane import AgreementPane

EXPORTS = {
    "table": ("Export measures…", "Writes every measure with its interval, per paper and over all papers, as CSV."),
    "disagreements": ("Export disagreements…", "Writes every disagreement with what was decided, as CSV."),
    "figures": ("Export figures…", "Writes both figures as PDF, SVG and PNG with their data as CSV."),
}


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""

    own: PaneCommands[AgreementPane] = PaneCommands("agreement", lambda pane: pane.has_disagreement())

    def right(at: int) -> Callable[[AgreementPane], str]:
        return lambda pane: f"{pane.names[at] or ('First', 'Second')[at]} is right"

    def decide(pane: AgreementPane) -> bool:
        return pane.can_decide()

    return [
        own("next", "Next disagreement", "Brings the next disagreement to hand.", lambda pane: pane.step(1), "J"),
        own("previous", "Previous disagreement", "Brings the previous one to hand.", lambda pane: pane.step(-1), "K"),
        own(
            "next_edit", "Next disputed edit", "Brings the next disputed edit to hand.",
            lambda pane: pane.step_edit(1), "Down",
        ),
        own(
            "previous_edit", "Previous disputed edit", "Brings the previous disputed edit to hand.",
            lambda pane: pane.step_edit(-1), "Up",
        ),
        own(
            "first", "First annotator is right", "What the first annotator linked and decided holds.",
            lambda pane: pane.decide("first"), "1", decide, title_now=right(0),
        ),
        own(
            "second", "Second annotator is right", "What the second annotator linked and decided holds.",
            lambda pane: pane.decide("second"), "2", decide, title_now=right(1),
        ),
        own("both", "Both are right", "All disputed edits hold.", lambda pane: pane.decide("both"), "3", decide),
        own("neither", "Neither is right", "No disputed edit holds.", lambda pane: pane.decide("neither"), "4", decide),
        own(
            "toggle_edit", "This edit holds, or not", "Decides on the disputed edit at hand alone.",
            lambda pane: pane.toggle_edit(), "E", lambda pane: pane.can_choose_edit(),
        ),
        own(
            "note", "Note", "Writes a note on the disagreement.", lambda pane: pane.write_note(), "N", decide,
            "note-pencil",
        ),
        own(
            "skip", "Skip", "Goes on to the next open disagreement.", lambda pane: pane.skip(), "Space",
            icon="skip-forward",
        ),
        own(
            "reopen", "Take decision back", "The disagreement is open again; what both did stays.",
            lambda pane: pane.reopen(), "U", lambda pane: pane.is_decided(),
        ),
        own(
            "go", "Go to the place", "Shows the comment and the edit at hand in the Linking pane.",
            lambda pane: pane.go(), "G", icon="arrow-square-out",
        ),
        own(
            "merge", "Bring in another annotator's file…",
            "Merges the work of another copy of this project into it; undo takes it out again.",
            lambda pane: pane.ask_for_file(), "I", lambda pane: pane.can_merge(), "git-merge",
        ),
        *(
            own(
                f"export_{name}", title, words, given(lambda pane, name: pane.export(name), name),
                when=lambda pane: pane.has_figures(), icon="export",
            )
            for name, (title, words) in EXPORTS.items()
        ),
    ]  # fmt: skip
