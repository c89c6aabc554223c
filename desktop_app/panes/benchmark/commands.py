"""The commands of the benchmark pane, with their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given

if TYPE_CHECKING:
    from desktop_app.panes.benchmark.pane import BenchmarkPane


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""

    own: PaneCommands[BenchmarkPane] = PaneCommands("benchmark", lambda pane: pane.has_reviews())

    def rate(pane: BenchmarkPane) -> bool:
        return pane.can_rate()

    return [
        own(
            "add", "Add reviews…", "Adds reviews from files: Markdown, OpenReview, DeepReview or ReviewGrounder JSON.",
            lambda pane: pane.add_files(), "A", lambda pane: pane.is_writable(), "file-plus",
        ),
        own(
            "add_human", "Add reviews by people…", "Adds files whose reviews people wrote, to compare with.",
            lambda pane: pane.add_human_files(), "Shift+A", lambda pane: pane.is_writable(), "users",
        ),
        own(
            "add_drafts", "Add this project's drafts", "Adds the reviews drafted in this project as a source.",
            lambda pane: pane.add_drafts(), when=lambda pane: pane.is_writable(), icon="note-pencil",
        ),
        own("next", "Next review", "Brings the next review to hand.", lambda pane: pane.step(1), "J"),
        own("previous", "Previous review", "Brings the previous one to hand.", lambda pane: pane.step(-1), "K"),
        own(
            "next_open", "Next unscored", "Goes to the next score that is not given.", lambda pane: pane.next_open(),
            "Space", rate, "skip-forward",
        ),
        own(
            "next_dimension", "Next dimension", "Goes to the next dimension.", lambda pane: pane.step_dimension(1),
            "Down", rate,
        ),
        own(
            "previous_dimension", "Previous dimension", "Goes back to the one before.",
            lambda pane: pane.step_dimension(-1), "Up", rate,
        ),
        *(
            own(
                f"score_{number}", f"Score {number}",
                f"Gives the dimension at hand {number} (for the pitfall {-number if number else 0}), and goes on.",
                given(lambda pane, number: pane.score_by_key(number), number), str(number), rate,
            )
            for number in (0, 1, 2)
        ),
        own(
            "clear", "Take score back", "The dimension at hand is open again.", lambda pane: pane.clear(), "Backspace",
            rate,
        ),
        own(
            "note", "Note", "Writes a note on the score at hand.", lambda pane: pane.write_note(), "M", rate,
            "note-pencil",
        ),
        own(
            "blind", "Blind", "Hides whose review it is, and the judge's scores.", lambda pane: pane.toggle_blind(),
            "B", icon="eye-slash",
        ),
        own(
            "leave_out", "Leave out or take in", "Leaves the review out of all figures, or takes it in again.",
            lambda pane: pane.toggle_kept(), "X", rate,
        ),
        own(
            "filter", "Filter reviews by people", "Leaves out reviews that are too short, unsure, doubled or empty.",
            lambda pane: pane.filter_reviews(), when=lambda pane: pane.can_write(), icon="funnel",
        ),
        own(
            "document", "Choose the paper's PDF…", "Says which PDF of this project the review at hand is about.",
            lambda pane: pane.choose_document(), "D", rate, "file-pdf",
        ),
        own(
            "rubrics", "Make rubrics", "Makes the eight rubrics for each paper that has none.",
            lambda pane: pane.make_rubrics(), "R", lambda pane: pane.can_work(), "list-bullets",
        ),
        own(
            "judge", "Score by checks", "Scores all reviews by rules that look every key point up.",
            lambda pane: pane.judge(None), "S", lambda pane: pane.can_judge(), "check-square",
        ),
        own(
            "judge_model", "Score by language model", "Scores all reviews with the model chosen in the Models pane.",
            lambda pane: pane.judge_with_model(), "Shift+S", lambda pane: pane.can_judge_with_model(), "sparkle",
        ),
        own(
            "remove", "Remove benchmark", "Takes this benchmark out of the project; undo brings it back.",
            lambda pane: pane.remove(), when=lambda pane: pane.can_write(), icon="trash",
        ),
        own(
            "export_tables", "Export tables…", "Writes sources, numeric fields, agreement and every score as CSV.",
            lambda pane: pane.export("tables"), when=lambda pane: pane.has_report(), icon="table",
        ),
        own(
            "export_figures", "Export figures…", "Writes every figure as PDF, SVG and PNG with its data as CSV.",
            lambda pane: pane.export("figures"), when=lambda pane: pane.has_report(), icon="image",
        ),
        own(
            "show_comparison", "Comparison", "Shows the sources side by side.", lambda pane: pane.show_view(0),
            "Alt+1", lambda pane: pane.has_reviews(),
        ),
        own(
            "show_reviews", "Reviews and scores", "Shows the reviews one by one, to score them.",
            lambda pane: pane.show_view(1), "Alt+2", lambda pane: pane.has_reviews(),
        ),
    ]  # fmt: skip
