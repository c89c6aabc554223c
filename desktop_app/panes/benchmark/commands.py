"""The commands of the benchmark pane, with their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given

if TYPE_CHECKING:
    from desktop_app.panes.benchmark.pane import BenchmarkPane


def commands() -> list[Command]:
    own: PaneCommands[BenchmarkPane] = PaneCommands("benchmark", lambda pane: bool(pane.state.whole.reviews))

    def add(pane: BenchmarkPane) -> bool:
        return pane.state.can_add

    def rate(pane: BenchmarkPane) -> bool:
        return pane.state.can_rate

    def change(pane: BenchmarkPane) -> bool:
        return pane.state.can_change

    def export(pane: BenchmarkPane) -> bool:
        return pane.state.can_export

    return [
        own("add", "Add reviews…", "Add reviews from files: Markdown, OpenReview, DeepReview or ReviewGrounder JSON.",
            lambda pane: pane.add_files(), "A", add, "file-plus"),
        own("add_human", "Add human reviews…", "Add files of reviews written by people, to compare with.",
            lambda pane: pane.add_files(human=True), "Shift+A", add, "users"),
        own("add_drafts", "Add this project's drafts", "Add the reviews drafted in this project as a source.",
            lambda pane: pane.add_drafts(), when=add, icon="note-pencil"),
        *own.steps("review", lambda pane, by: pane.step(by), "J", "K"),
        own("next_open", "Next missing score", "Go to the next dimension you haven't scored.",
            lambda pane: pane.next_open(), "Space", rate, "skip-forward"),
        *own.steps("dimension", lambda pane, by: pane.step_dimension(by), "Down", "Up", rate, "dimension"),
        *(
            own(f"score_{number}", f"Score {number}",
                f"Score the selected dimension {number}{f' (a pitfall −{number})' if number else ''} and go on.",
                given(lambda pane, number: pane.score_by_key(number), number), str(number), rate)
            for number in (0, 1, 2)
        ),
        own("clear", "Remove score", "Remove the score of the selected dimension.", lambda pane: pane.clear(),
            "Backspace", rate),
        own("note", "Note", "Write a note on the selected score.", lambda pane: pane.rating.note.setFocus(), "M", rate,
            "note-pencil"),
        own("blind", "Blind", "Hide the sources of reviews and the judge's scores.", lambda pane: pane.toggle_blind(),
            "B", icon="eye-slash"),
        own("leave_out", "Exclude or include", "Exclude the review from all figures, or include it again.",
            lambda pane: pane.change(pane.state.toggle_kept), "X", rate),
        own("filter", "Filter human reviews", "Exclude reviews that are too short, unsure, duplicates or empty.",
            lambda pane: pane.filter_reviews(), when=change, icon="funnel"),
        own("document", "Choose the paper's PDF…", "Choose which PDF of this project the selected review is about.",
            lambda pane: pane.choose_document(), "D", rate, "file-pdf"),
        own("rubrics", "Make rubrics", "Make the eight rubrics for every paper without them.",
            lambda pane: pane.make_rubrics(), "R", lambda pane: pane.state.can_work, "list-bullets"),
        own("judge", "Score by rules", "Score all reviews with rules that look for every key point.",
            lambda pane: pane.judge(None), "S", lambda pane: pane.state.can_judge, "check-square"),
        own("judge_model", "Score by language model", "Score all reviews with the model chosen in the Models pane.",
            lambda pane: pane.judge(pane.state.model), "Shift+S",
            lambda pane: pane.state.can_judge and pane.state.model is not None, "sparkle"),
        own("remove", "Remove benchmark", "Remove this benchmark from the project. You can undo this.",
            lambda pane: pane.change(lambda: pane.state.verbs.remove(pane.state.key)), when=change, icon="trash"),
        own("export_tables", "Export tables…", "Export sources, numeric fields, agreement and every score as CSV.",
            lambda pane: pane.export("tables"), "Ctrl+E", export, "table"),
        own("export_figures", "Export figures…", "Export every figure as PDF, SVG and PNG, with its data as CSV.",
            lambda pane: pane.export("figures"), when=export, icon="image"),
        own("show_comparison", "Comparison", "Show the sources side by side.",
            lambda pane: pane.tabs.setCurrentIndex(0), "Alt+1"),
        own("show_reviews", "Reviews and scores", "Show the reviews one by one, to score them.",
            lambda pane: pane.tabs.setCurrentIndex(1), "Alt+2"),
    ]  # fmt: skip
