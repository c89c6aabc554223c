"""The calibration pane's commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from engine.exchange.calibration import FORMATS

if TYPE_CHECKING:
    from desktop_app.panes.calibration.pane import CalibrationPane


def commands() -> list[Command]:
    """Everything one can do here, with its key."""

    own: PaneCommands[CalibrationPane] = PaneCommands("calibration", lambda pane: pane.can_change())

    return [
        own(
            "import",
            "Import scores…",
            "Brings in a table of scores: CSV, XLSX or OpenReview notes.",
            lambda pane: pane.ask_for_table(),
            "Ctrl+I",
            lambda pane: pane.can_import(),
            "file-plus",
        ),
        own(
            "exclude_review",
            "Exclude this review",
            "Leaves the review at hand out, or takes it back in.",
            lambda pane: pane.exclude_review(),
            "X",
            lambda pane: pane.has_review(),
        ),
        own(
            "exclude_referee",
            "Exclude this referee",
            "Leaves all reviews of the referee at hand out, or takes them back in.",
            lambda pane: pane.exclude_referee(),
            "Shift+X",
            lambda pane: pane.has_referee(),
        ),
        own(
            "set_score",
            "Change this score…",
            "Tries another score for the review at hand.",
            lambda pane: pane.ask_for_score(),
            "S",
            lambda pane: pane.has_review(),
        ),
        own(
            "add_review",
            "Add a hypothetical review…",
            "Tries a further review of the item at hand.",
            lambda pane: pane.ask_for_review(),
            "A",
            lambda pane: pane.has_item(),
        ),
        own(
            "pin_bias",
            "Pin this bias",
            "Holds the bias of the referee at hand where it is, or frees it.",
            lambda pane: pane.pin_bias(),
            "B",
            lambda pane: pane.has_referee(),
        ),
        own(
            "pin_trust",
            "Pin this trust",
            "Holds the trust of the referee at hand where it is, or frees it.",
            lambda pane: pane.pin_trust(),
            "T",
            lambda pane: pane.has_referee(),
        ),
        own(
            "new_scenario",
            "New scenario…",
            "Begins another what-if from the one that is shown.",
            lambda pane: pane.ask_for_scenario(),
            "Ctrl+Shift+N",
            lambda pane: pane.can_change(),
            "plus",
        ),
        own(
            "rename_scenario",
            "Rename scenario…",
            "Gives the scenario another name.",
            lambda pane: pane.ask_for_name(),
            "F2",
        ),
        own(
            "next_scenario",
            "Next scenario",
            "Shows the next scenario of this table.",
            lambda pane: pane.next_scenario(),
            "]",
            lambda pane: pane.has_board(),
        ),
        own(
            "reset",
            "Reset scenario",
            "Takes back all changes of the scenario.",
            lambda pane: pane.reset(),
            when=lambda pane: pane.has_changes(),
            icon="arrow-counter-clockwise",
        ),
        own(
            "remove_scenario",
            "Remove scenario",
            "Removes the scenario that is shown.",
            lambda pane: pane.remove_scenario(),
            when=lambda pane: pane.can_remove_scenario(),
            icon="trash",
        ),
        own(
            "remove_table",
            "Remove table of scores",
            "Takes the table and its scenarios out of the project.",
            lambda pane: pane.remove_table(),
            when=lambda pane: pane.can_change(),
        ),
        own(
            "compare",
            "Compare methods",
            "Calculates every method on these reviews, side by side.",
            lambda pane: pane.compare(),
            "Ctrl+M",
            lambda pane: pane.has_board(),
            "scales",
        ),
        own(
            "zoom_in",
            "Larger cells",
            "Enlarges the matrix.",
            lambda pane: pane.matrix.zoom(1),
            "+; =",
            lambda pane: pane.has_board(),
        ),
        own(
            "zoom_out",
            "Smaller cells",
            "Shrinks the matrix.",
            lambda pane: pane.matrix.zoom(-1),
            "-",
            lambda pane: pane.has_board(),
        ),
        own(
            "zoom_fit",
            "Fit the matrix",
            "Shows all referees at once.",
            lambda pane: pane.matrix.fit(),
            "0",
            lambda pane: pane.has_board(),
        ),
        own(
            "next_view",
            "Next view",
            "Turns to the next view beside the matrix.",
            lambda pane: pane.next_view(),
            "V",
            lambda pane: pane.has_board(),
        ),
        own(
            "export",
            "Export…",
            "Writes tables, figures or a report of this scenario.",
            lambda pane: pane.open_exports(),
            "Ctrl+E",
            lambda pane: pane.has_board(),
            "export",
        ),
        *(
            own(
                f"export_{name}",
                f"Export: {title}",
                "Writes this scenario to files.",
                given(lambda pane, format_: pane.ask_where(format_), name),
                when=lambda pane: pane.has_board(),
                icon="export",
            )
            for name, title in FORMATS
        ),
    ]
