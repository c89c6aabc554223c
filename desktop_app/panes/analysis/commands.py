"""The commands of the analysis pane, with their keys."""

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given

if TYPE_CHECKING:
    from desktop_app.panes.analysis.pane import AnalysisPane

EXPORTS = {
    "tables": ("Export tables…", "Export every analysis and corpus table as CSV."),
    "figures": ("Export figures…", "Export every figure as PDF, SVG and PNG, with its data as CSV."),
}
_VIEWS = (
    ("judging", "Real and generated edits", "Compare a comment's real edits with a proposed one."),
    ("labels", "Links from responses", "Review the links that responses suggest."),
    ("figures", "Tables and figures", "Show tables and figures for all papers."),
)


def commands() -> list[Command]:
    own: PaneCommands[AnalysisPane] = PaneCommands("analysis", lambda pane: pane.state.paper.study is not None)

    def judge(pane: "AnalysisPane") -> bool:
        return pane.state.can_judge

    def review(pane: "AnalysisPane") -> bool:
        return pane.state.can_review

    return [
        *own.steps("comment or link", lambda pane, by: pane.step(by), "J", "K"),
        own("next_open", "Next undecided", "Go to the next comment or link that isn't decided.",
            lambda pane: pane.next_open(), "Space", icon="skip-forward"),
        *own.steps("question", lambda pane, by: pane.step_question(by), "Down", "Up", judge, "question"),
        *(
            own(f"answer_{number}", f"Answer {number}", f"Give answer {number} to the selected question and go on.",
                given(lambda pane, answer: pane.answer_by_key(answer), number - 1), str(number), judge)
            for number in (1, 2, 3)
        ),
        own("clear", "Remove answer", "Remove the answer to the selected question.",
            lambda pane: pane.answer(pane.state.question, None), "0", judge),
        own("note", "Note", "Write a note on the comparison.", lambda pane: pane.judging.note.setFocus(), "M", judge,
            "note-pencil"),
        own("blind", "Blind order", "Call the sides A and B, in a hidden order.", lambda pane: pane.toggle_blind(),
            "B", icon="eye-slash"),
        own("confirm", "Confirm", "Link the comment to the edit.",
            lambda pane: pane.decide(confirm=True), "Y", review, "check"),
        own("refuse", "Reject", "Reject the link, and remove it if it was made.",
            lambda pane: pane.decide(confirm=False), "N", review, "x"),
        own("reopen", "Reopen", "Remove the decision on the link.",
            lambda pane: pane.act(pane.state.reopen), "R", lambda pane: pane.state.is_refused),
        own("find_labels", "Find links", "Find links that the authors' responses suggest.",
            lambda pane: pane.find_labels(), "F", lambda pane: pane.state.can_write, "magnifying-glass"),
        own("propose", "Propose edits", "Propose edits for every linked comment, to compare them with the real ones.",
            lambda pane: pane.propose(), "P", lambda pane: pane.state.can_propose, "sparkle"),
        own("stop", "Stop proposing", "Stop proposing edits. Finished proposals are kept.",
            lambda pane: pane.proposing.stop(), when=lambda pane: bool(pane.state.proposing), icon="stop"),
        own("go", "Show in Linking", "Show the comment and its edit in the Linking pane.", lambda pane: pane.go(),
            "G", lambda pane: bool(pane.state.place[0]), "arrow-square-out"),
        *(
            own(f"show_{name}", title, help_, given(lambda pane, at: pane.tabs.setCurrentIndex(at), number),
                f"Alt+{number + 1}")
            for number, (name, title, help_) in enumerate(_VIEWS)
        ),
        own("to_linking", "Link edits first", "Open Linking, where you link edits to comments.",
            lambda pane: pane.context.show_pane("linking"), when=lambda _: True, icon="link"),
        *(
            own(f"export_{name}", title, help_, given(lambda pane, name: pane.export_as(name, pane.export_to), name),
                "Ctrl+E" if name == "tables" else "", lambda pane: pane.project is not None and not pane.is_empty(),
                "export")
            for name, (title, help_) in EXPORTS.items()
        ),
    ]  # fmt: skip
