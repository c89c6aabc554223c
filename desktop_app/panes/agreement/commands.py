"""The commands of the agreement pane, with their keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop_app import if_any
from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.agreement.choices import MOST_VALUES
from engine.shown import shortened

if TYPE_CHECKING:
    from desktop_app.panes.agreement.pane import AgreementPane

EXPORTS = {
    "table": ("Export measures…", "Export every measure with its interval, per paper and across all papers, as CSV."),
    "disagreements": ("Export disagreements…", "Export every disagreement and its resolution as CSV."),
    "figures": ("Export figures…", "Export both figures as PDF, SVG and PNG, with their data as CSV."),
}


_FIRST = ("First", "Second")
_BOTH: tuple[Callable[[AgreementPane], str], ...] = (lambda _pane: "Both are right", lambda _pane: "Neither is right")


def _lists(pane: AgreementPane) -> bool:
    """Returns whether a list of disagreements or of units is shown."""
    return pane.has_disagreement() or pane.has_unit()


def _take(pane: AgreementPane, at: int) -> str:
    """Returns the title of the command that adjudicates to the value with this number."""
    return shortened(pane.everybody.units.words(at), 40) or f"Adjudicate to value {at + 1}"


def _ask_for_file(pane: AgreementPane) -> None:
    title, filters = "Merge another annotator's project", "Rejoinder project (*.rejoinder)"
    if_any(pane.context.files.open_file(pane, title, filters), pane.merge)


def commands() -> list[Command]:
    own: PaneCommands[AgreementPane] = PaneCommands("agreement", lambda pane: pane.has_disagreement())

    def right(at: int) -> Callable[[AgreementPane], str]:
        names = (*(lambda pane: f"{shortened(pane.state.names[at], 24) or _FIRST[at]} is right",) * 2, *_BOTH)
        return lambda pane: _take(pane, at) if pane.everybody.of else names[at](pane)

    def decide(pane: AgreementPane) -> bool:
        return not pane.everybody.of and pane.state.can_decide()

    def choose(at: int) -> Callable[[AgreementPane], bool]:
        return lambda pane: decide(pane) or pane.can_take(at)

    return [
        *own.steps("disagreement", lambda pane, by: pane.current_list.step(by), "J", "K", _lists),
        *own.steps("disputed edit", lambda pane, by: pane.do(lambda: pane.state.step_edit(by)), "Down", "Up",
                   verb="edit"),
        own("first", "First annotator is right", "Keep what the first annotator linked and decided.",
            lambda pane: pane.choose("first"), "1", choose(0), title_now=right(0)),
        own("second", "Second annotator is right", "Keep what the second annotator linked and decided.",
            lambda pane: pane.choose("second"), "2", choose(1), title_now=right(1)),
        own("both", "Both are right", "Keep all disputed edits.", lambda pane: pane.choose("both"), "3", choose(2),
            title_now=right(2)),
        own("neither", "Neither is right", "Keep no disputed edit.", lambda pane: pane.choose("neither"), "4",
            choose(3), title_now=right(3)),
        *(
            own(f"take_{at + 1}", f"Adjudicate to value {at + 1}", "Choose this value for the unit.",
                given(lambda pane, at: pane.take(pane.everybody.units.value(at)), at), str(at + 1),
                given(lambda pane, at: pane.can_take(at), at), title_now=given(_take, at))
            for at in range(4, MOST_VALUES)
        ),
        own("other", "Another value", "Choose or type a value that no annotator gave.",
            lambda pane: pane.all.detail.other.setFocus(), "O", lambda pane: pane.can_adjudicate()),
        own("view_units", "Show measures or units", "Show the units that people decided on, or the measures.",
            lambda pane: pane.all.turn(), "V", lambda pane: bool(pane.everybody.of),
            title_now=lambda pane: "Show measures" if pane.all.on_units else "Show units", words="adjudicate list"),
        own("toggle_edit", "Keep or drop this edit", "Decide only on the current disputed edit.",
            lambda pane: pane.do(pane.state.toggle_edit), "E",
            lambda pane: decide(pane) and pane.state.can_decide() and bool(pane.state.edit_id)),
        own("note", "Note", "Write a note on the disagreement.", lambda pane: pane.detail.note.setFocus(), "N", decide,
            "note-pencil"),
        own("skip", "Skip", "Go to the next open disagreement.", lambda pane: pane.skip(), "Space",
            when=_lists, icon="skip-forward"),
        own("reopen", "Reopen disagreement", "Reopen the disagreement. No annotator's work is changed.",
            lambda pane: pane.reopen(), "U", lambda pane: pane.can_reopen()),
        own("go", "Show in Linking", "Show the comment and the current edit in the Linking pane.",
            lambda pane: pane.go(), "G", icon="arrow-square-out"),
        own("merge", "Merge another annotator's file…",
            "Merge the work in another copy of this project into this one; you can undo it.",
            _ask_for_file, "I", lambda pane: pane.state.can_merge(), "git-merge",
            words="import bring in combine files"),
        own("done", "Mark as done",
            "Mark your labels, preferences or scores as done, even if you gave none. You then see the decisions of "
            "everybody else who is done, and they see yours.", lambda pane: pane.mark_done(),
            when=lambda pane: pane.everybody.can_set_done(), icon="check", words="finished visible"),
        own("export_data", "Export data set…",
            "Export every decision, the final values, all measures, a data statement and checksums to a folder.",
            lambda pane: if_any(pane.context.files.choose_folder(pane, "Export data set"), pane.export_data),
            when=lambda pane: pane.everybody.can_export(), icon="export"),
        *(
            own(f"export_{name}", title, words, given(lambda pane, name: pane.export_as(name, pane.export_to), name),
                when=lambda pane: pane.has_figures(), icon="export")
            for name, (title, words) in EXPORTS.items()
        ),
        own("export", "Export agreement…", "Export measures, disagreements, figures or a data set.",
            lambda pane: pane.exports.click(), "Ctrl+E",
            lambda pane: pane.has_figures() or pane.everybody.can_export(), "export"),
    ]  # fmt: skip
