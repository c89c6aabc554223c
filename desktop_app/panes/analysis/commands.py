"""The commands of the analysis pane, with their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given

if TYPE_CHECKING:
    from desktop_app.panes.analysis.pane import AnalysisPane

EXPORTS = {
    "tables": ("Export tables…", "Writes every table of analyses and corpus as CSV."),
    "figures": ("Export figures…", "Writes every figure as PDF, SVG and PNG with its data as CSV."),
}


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""

    own: PaneCommands[AnalysisPane] = PaneCommands("analysis", lambda pane: pane.has_study())

    def judge(pane: AnalysisPane) -> bool:
        return pane.can_judge()

    return [
        own("next", "Next", "Brings the next comment, or the next label, to hand.", lambda pane: pane.step(1), "J"),
        own("previous", "Previous", "Brings the previous one to hand.", lambda pane: pane.step(-1), "K"),
        own(
            "next_open", "Next undecided", "Goes to the next comment or label that is not decided.",
            lambda pane: pane.next_open(), "Space", icon="skip-forward",
        ),
        own(
            "next_question", "Next question", "Goes to the next question.", lambda pane: pane.step_question(1), "Down",
            judge,
        ),
        own(
            "previous_question", "Previous question", "Goes back to the question before.",
            lambda pane: pane.step_question(-1), "Up", judge,
        ),
        *(
            own(
                f"answer_{number}", f"Answer {number}", f"Gives answer {number} to the question at hand, and goes on.",
                given(lambda pane, arg: pane.answer(arg), number - 1), str(number), judge,
            )
            for number in (1, 2, 3)
        ),
        own("clear", "Take answer back", "The question at hand is open again.", lambda pane: pane.clear(), "0", judge),
        own(
            "note", "Note", "Writes a note on the comparison.", lambda pane: pane.write_note(), "M", judge,
            "note-pencil",
        ),
        own(
            "blind", "Blind order", "Names the sides A and B, in an order that does not tell which is which.",
            lambda pane: pane.toggle_blind(), "B", icon="eye-slash",
        ),
        own(
            "confirm", "Confirm", "The label is right: both are linked.", lambda pane: pane.confirm(), "Y",
            lambda pane: pane.can_review(), "check",
        ),
        own(
            "refuse", "Refuse", "The label is wrong; a link that came of it goes.", lambda pane: pane.refuse(), "N",
            lambda pane: pane.can_review(), "x",
        ),
        own(
            "reopen", "Reopen", "Takes a refusal back.", lambda pane: pane.reopen(), "R",
            lambda pane: pane.is_refused(),
        ),
        own(
            "find_labels", "Find labels", "Looks in the authors' responses for links that they give away.",
            lambda pane: pane.find_labels(), "F", lambda pane: pane.can_write(), "magnifying-glass",
        ),
        own(
            "propose", "Propose edits", "Has edits proposed for every comment with links, in order to compare them.",
            lambda pane: pane.propose(), "P", lambda pane: pane.can_propose(), "sparkle",
        ),
        own(
            "stop", "Stop proposing", "Stops what writes proposals; what is there stays.",
            lambda pane: pane.proposing.stop(), when=lambda pane: pane.is_proposing(), icon="stop",
        ),
        own(
            "go", "Go to the place", "Shows the comment and its edit in the Linking pane.", lambda pane: pane.go(),
            "G", lambda pane: pane.has_place(), "arrow-square-out",
        ),
        own(
            "show_judging", "Real and generated edits", "Compares the real edits of a comment with a proposed one.",
            lambda pane: pane.show_view(0), "Alt+1",
        ),
        own(
            "show_labels", "Labels from responses", "Reviews the links that responses give away.",
            lambda pane: pane.show_view(1), "Alt+2",
        ),
        own(
            "show_figures", "Tables and figures", "Shows what the analyses and the corpus say.",
            lambda pane: pane.show_view(2), "Alt+3",
        ),
        own(
            "to_linking", "Link edits first", "Opens Linking, where edits are linked to comments.",
            lambda pane: pane.context.show_pane("linking"), when=lambda _: True, icon="link",
        ),
        *(
            own(
                f"export_{name}", title, words, given(lambda pane, name: pane.export(name), name),
                when=lambda pane: pane.has_figures(), icon="export",
            )
            for name, (title, words) in EXPORTS.items()
        ),
    ]  # fmt: skip
