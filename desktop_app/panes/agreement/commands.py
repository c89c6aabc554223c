"""The commands of the agreement pane, with their keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from engine.shown import shortened

if TYPE_CHECKING:
    from desktop_app.panes.agreement.pane import AgreementPane

EXPORTS = {
    "table": ("Export measures…", "Write every measure with its interval, per paper and over all papers, as CSV."),
    "disagreements": ("Export disagreements…", "Write every disagreement with what was decided, as CSV."),
    "figures": ("Export figures…", "Write both figures as PDF, SVG and PNG with their data as CSV."),
}


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""

    own: PaneCommands[AgreementPane] = PaneCommands("agreement", lambda pane: pane.has_disagreement())

    def right(at: int) -> Callable[[AgreementPane], str]:
        return lambda pane: f"{shortened(pane.state.names[at], 24) or ('First', 'Second')[at]} is right"

    def decide(pane: AgreementPane) -> bool:
        return not pane.everybody.of and pane.state.can_decide()

    return [
        *own.steps("disagreement", lambda pane, by: pane.list.step(by), "J", "K"),
        *own.steps("disputed edit", lambda pane, by: pane.do(lambda: pane.state.step_edit(by)), "Down", "Up",
                   verb="edit"),
        own("first", "First annotator is right", "Keep what the first annotator linked and decided.",
            lambda pane: pane.decide("first"), "1", decide, title_now=right(0)),
        own("second", "Second annotator is right", "Keep what the second annotator linked and decided.",
            lambda pane: pane.decide("second"), "2", decide, title_now=right(1)),
        own("both", "Both are right", "Keep all disputed edits.", lambda pane: pane.decide("both"), "3", decide),
        own("neither", "Neither is right", "Keep no disputed edit.", lambda pane: pane.decide("neither"), "4", decide),
        own("toggle_edit", "Keep this edit, or not", "Decide on the current disputed edit alone.",
            lambda pane: pane.do(pane.state.toggle_edit), "E",
            lambda pane: decide(pane) and pane.state.can_choose_edit()),
        own("note", "Note", "Write a note on the disagreement.", lambda pane: pane.detail.note.setFocus(), "N", decide,
            "note-pencil"),
        own("skip", "Skip", "Go to the next open disagreement.", lambda pane: pane.skip(), "Space",
            icon="skip-forward"),
        own("reopen", "Reopen disagreement", "Open the disagreement again; the work of both annotators stays as it is.",
            lambda pane: pane.do(pane.state.reopen), "U", lambda pane: decide(pane) and pane.state.is_decided()),
        own("go", "Show in Linking", "Show the comment and the current edit in the Linking pane.",
            lambda pane: pane.go(), "G", icon="arrow-square-out"),
        own("merge", "Merge another annotator's file…",
            "Merge the work in another copy of this project into this one; you can undo it.",
            lambda pane: pane.ask_for_file(), "I", lambda pane: pane.state.can_merge(), "git-merge",
            words="import bring in"),
        own("done", "Done with what is compared",
            "Say that you are done with all labels, preferences or scores that you gave; others see them once they are "
            "done, too.", lambda pane: pane.set_done(), when=lambda pane: pane.everybody.can_set_done(), icon="check",
            words="finished visible"),
        own("export_data", "Export data set…",
            "Write every decision, what holds, all measures, a data statement and checksums into a folder.",
            lambda pane: pane.export_data(), when=lambda pane: pane.everybody.can_export(), icon="export"),
        *(
            own(f"export_{name}", title, words, given(lambda pane, name: pane.export_as(name, pane.export_to), name),
                when=lambda pane: pane.has_figures(), icon="export")
            for name, (title, words) in EXPORTS.items()
        ),
    ]  # fmt: skip
