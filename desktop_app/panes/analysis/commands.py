"""The commands of the analysis pane, with their keys."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands

if TYPE_CHECKING:
    from desktop_app.panes.analysis.pane import AnalysisPane

EXPORTS = {
    "tables": ("Export tables…", "Writes every table of analyses and corpus as CSV."),
    "figures": ("Export figures…", "Writes every figure as PDF, SVG and PNG with its data as CSV."),
}


def analysis_commands(pane: AnalysisPane) -> list[Command]:
    """All commands, in the order of the key overview."""

    own = PaneCommands(pane.pane_id, pane.has_study)

    judge, review = pane.can_judge, pane.can_review
    return [
        own("next", "Next", "Brings the next comment, or the next label, to hand.", lambda: pane.step(1), "J"),
        own("previous", "Previous", "Brings the previous one to hand.", lambda: pane.step(-1), "K"),
        own(
            "next_open", "Next undecided", "Goes to the next comment or label that is not decided.",
            pane.next_open, "Space", icon="skip-forward",
        ),
        own(
            "next_question", "Next question", "Goes to the next question.",
            lambda: pane.step_question(1), "Down", judge,
        ),
        own(
            "previous_question", "Previous question", "Goes back to the question before.",
            lambda: pane.step_question(-1), "Up", judge,
        ),
        *(
            own(
                f"answer_{number}", f"Answer {number}", f"Gives answer {number} to the question at hand, and goes on.",
                partial(pane.answer, number - 1), str(number), judge,
            )
            for number in (1, 2, 3)
        ),
        own("clear", "Take answer back", "The question at hand is open again.", pane.clear, "0", judge),
        own("note", "Note", "Writes a note on the comparison.", pane.write_note, "M", judge, "note-pencil"),
        own(
            "blind", "Blind order", "Names the sides A and B, in an order that does not tell which is which.",
            pane.toggle_blind, "B", icon="eye-slash",
        ),
        own("confirm", "Confirm", "The label is right: both are linked.", pane.confirm, "Y", review, "check"),
        own("refuse", "Refuse", "The label is wrong; a link that came of it goes.", pane.refuse, "N", review, "x"),
        own("reopen", "Reopen", "Takes a refusal back.", pane.reopen, "R", pane.is_refused),
        own(
            "find_labels", "Find labels", "Looks in the authors' responses for links that they give away.",
            pane.find_labels, "F", pane.can_write, "magnifying-glass",
        ),
        own(
            "propose", "Propose edits", "Has edits proposed for every comment with links, in order to compare them.",
            pane.propose, "P", pane.can_propose, "sparkle",
        ),
        own("stop", "Stop proposing", "Stops what writes proposals; what is there stays.", pane.proposing.stop, "",
            pane.is_proposing, "stop"),
        own("go", "Go to the place", "Shows the comment and its edit in the Linking pane.", pane.go, "G",
            pane.has_place, "arrow-square-out"),
        own("show_judging", "Real and generated edits", "Compares the real edits of a comment with a proposed one.",
            lambda: pane.show_view(0), "Alt+1"),
        own("show_labels", "Labels from responses", "Reviews the links that responses give away.",
            lambda: pane.show_view(1), "Alt+2"),
        own("show_figures", "Tables and figures", "Shows what the analyses and the corpus say.",
            lambda: pane.show_view(2), "Alt+3"),
        own(
            "to_linking", "Link edits first", "Opens Linking, where edits are linked to comments.",
            lambda: pane.context.show_pane("linking"), "", lambda: True, "link",
        ),
        *(
            own(f"export_{name}", title, words, partial(pane.export, name), "", pane.has_figures, "export")
            for name, (title, words) in EXPORTS.items()
        ),
    ]  # fmt: skip
