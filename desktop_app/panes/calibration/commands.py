"""The calibration pane's commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands
from engine.exchange.calibration import FORMATS

if TYPE_CHECKING:
    from desktop_app.panes.calibration.pane import CalibrationPane


def calibration_commands(pane: CalibrationPane) -> list[Command]:
    """Everything one can do here, with its key."""

    own = PaneCommands(pane.pane_id, pane.can_change)

    return [
        own(
            "import",
            "Import scores…",
            "Brings in a table of scores: CSV, XLSX or OpenReview notes.",
            pane.ask_for_table,
            "Ctrl+I",
            pane.can_import,
            "file-plus",
        ),
        own(
            "exclude_review",
            "Exclude this review",
            "Leaves the review at hand out, or takes it back in.",
            pane.exclude_review,
            "X",
            pane.has_review,
        ),
        own(
            "exclude_referee",
            "Exclude this referee",
            "Leaves all reviews of the referee at hand out, or takes them back in.",
            pane.exclude_referee,
            "Shift+X",
            pane.has_referee,
        ),
        own(
            "set_score",
            "Change this score…",
            "Tries another score for the review at hand.",
            pane.ask_for_score,
            "S",
            pane.has_review,
        ),
        own(
            "add_review",
            "Add a hypothetical review…",
            "Tries a further review of the item at hand.",
            pane.ask_for_review,
            "A",
            pane.has_item,
        ),
        own(
            "pin_bias",
            "Pin this bias",
            "Holds the bias of the referee at hand where it is, or frees it.",
            pane.pin_bias,
            "B",
            pane.has_referee,
        ),
        own(
            "pin_trust",
            "Pin this trust",
            "Holds the trust of the referee at hand where it is, or frees it.",
            pane.pin_trust,
            "T",
            pane.has_referee,
        ),
        own(
            "new_scenario",
            "New scenario…",
            "Begins another what-if from the one that is shown.",
            pane.ask_for_scenario,
            "Ctrl+Shift+N",
            pane.can_change,
            "plus",
        ),
        own("rename_scenario", "Rename scenario…", "Gives the scenario another name.", pane.ask_for_name, "F2"),
        own(
            "next_scenario",
            "Next scenario",
            "Shows the next scenario of this table.",
            pane.next_scenario,
            "]",
            pane.has_board,
        ),
        own(
            "reset",
            "Reset scenario",
            "Takes back all changes of the scenario.",
            pane.reset,
            "",
            pane.has_changes,
            "arrow-counter-clockwise",
        ),
        own(
            "remove_scenario",
            "Remove scenario",
            "Removes the scenario that is shown.",
            pane.remove_scenario,
            "",
            pane.can_remove_scenario,
            "trash",
        ),
        own(
            "remove_table",
            "Remove table of scores",
            "Takes the table and its scenarios out of the project.",
            pane.remove_table,
            "",
            pane.can_change,
        ),
        own(
            "compare",
            "Compare methods",
            "Calculates every method on these reviews, side by side.",
            pane.compare,
            "Ctrl+M",
            pane.has_board,
            "scales",
        ),
        own("zoom_in", "Larger cells", "Enlarges the matrix.", lambda: pane.matrix.zoom(1), "+; =", pane.has_board),
        own("zoom_out", "Smaller cells", "Shrinks the matrix.", lambda: pane.matrix.zoom(-1), "-", pane.has_board),
        own("zoom_fit", "Fit the matrix", "Shows all referees at once.", pane.matrix.fit, "0", pane.has_board),
        own("next_view", "Next view", "Turns to the next view beside the matrix.", pane.next_view, "V", pane.has_board),
        own(
            "export",
            "Export…",
            "Writes tables, figures or a report of this scenario.",
            pane.open_exports,
            "Ctrl+E",
            pane.has_board,
            "export",
        ),
        *(
            own(
                f"export_{name}",
                f"Export: {title}",
                "Writes this scenario to files.",
                lambda format_=name: pane.ask_where(format_),
                "",
                pane.has_board,
                "export",
            )
            for name, title in FORMATS
        ),
    ]
