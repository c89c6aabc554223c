"""The commands of the calibration pane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given

if TYPE_CHECKING:
    from desktop_app.panes.calibration.pane import CalibrationPane


"""Export formats as plain data, for listing the commands without loading anything else."""

FORMATS = (
    ("csv", "Tables (CSV)…"),
    ("xlsx", "Tables (XLSX)…"),
    ("figures", "Figures (PDF, SVG, PNG)…"),
    ("html", "Report (HTML)…"),
    ("pdf", "Report (PDF)…"),
)


def commands() -> list[Command]:
    own: PaneCommands[CalibrationPane] = PaneCommands("calibration", lambda pane: pane.state.can_change)

    def board(pane: CalibrationPane) -> bool:
        return pane.state.board is not None

    def item(pane: CalibrationPane) -> bool:
        return pane.state.can_change and bool(pane.state.item)

    def referee(pane: CalibrationPane) -> bool:
        return pane.state.can_change and bool(pane.state.referee)

    def review(pane: CalibrationPane) -> bool:
        return pane.state.can_change and pane.state.review is not None

    return [
        own("import", "Import scores…", "Imports a table of scores (CSV, XLSX, Parquet) or OpenReview notes.",
            lambda pane: pane.ask_for_table(), "Ctrl+I", lambda pane: pane.state.can_import, "file-plus",
            words="open load add"),
        own("exclude_review", "Exclude or include review", "Excludes the selected review, or includes it again.",
            lambda pane: pane.change(pane.state.exclude_review), "X", review),
        own("exclude_referee", "Exclude or include referee",
            "Excludes all reviews of the selected referee, or includes them again.",
            lambda pane: pane.change(pane.state.exclude_referee), "Shift+X", referee),
        own("set_score", "Change score…", "Changes the score of the selected review in this scenario only.",
            lambda pane: pane.ask_for_score(), "S", review),
        own("add_review", "Add hypothetical review…", "Adds a review of the selected item to this scenario only.",
            lambda pane: pane.ask_for_review(), "A", item),
        own("pin_bias", "Pin or release bias", "Fixes the selected referee's bias, or lets the model choose it.",
            lambda pane: pane.change(lambda: pane.state.pin_parameter("bias")), "B", referee),
        own("pin_trust", "Pin or release trust", "Fixes the selected referee's trust, or lets the model choose it.",
            lambda pane: pane.change(lambda: pane.state.pin_parameter("trust")), "T", referee),
        *(
            own(f"pin_{bank}_to", f"Pin {bank} to…", f"Asks for the value that the {whose} {bank} is fixed at.",
                given(lambda pane, bank: pane.ask_for_pin(bank), bank), key, item if bank == "score" else referee)
            for bank, whose, key in (
                ("score", "selected item's", "Shift+S"), ("bias", "selected referee's", "Shift+B"),
                ("trust", "selected referee's", "Shift+T"),
            )
        ),
        own("new_scenario", "New scenario…", "Creates a scenario from the one shown.",
            lambda pane: pane.ask_for_scenario(), "Ctrl+Shift+N", icon="plus"),
        own("rename_scenario", "Rename scenario…", "Renames the scenario.", lambda pane: pane.ask_for_name(), "F2"),
        own("next_scenario", "Next scenario", "Shows the next scenario of this table.",
            lambda pane: pane.show_other(pane.state.show_next_scenario), "]", board),
        own("reset", "Reset scenario", "Removes all changes from the scenario.",
            lambda pane: pane.change(lambda: pane.state.verbs.reset(pane.state.current.id)),
            when=lambda pane: pane.state.scenario is not None and bool(pane.state.scenario.changes),
            icon="arrow-counter-clockwise"),
        own("remove_scenario", "Delete scenario", "Deletes the scenario shown.",
            lambda pane: pane.change(lambda: pane.state.verbs.remove_scenario(pane.state.current.id)),
            when=lambda pane: pane.state.can_change and not pane.state.is_original, icon="trash"),
        own("remove_table", "Delete table of scores", "Deletes the table and its scenarios from the project.",
            lambda pane: pane.change(lambda: pane.state.verbs.remove_table(pane.state.current.table_id))),
        own("compare", "Compare methods", "Calculates every method on these reviews, side by side.",
            lambda pane: pane.compare(), "Ctrl+M", board, "scales"),
        own("zoom_in", "Larger cells", "Enlarges the matrix.", lambda pane: pane.matrix.zoom(1), "+; =", board),
        own("zoom_out", "Smaller cells", "Shrinks the matrix.", lambda pane: pane.matrix.zoom(-1), "-", board),
        own("zoom_fit", "Fit matrix", "Shows all referees at once.", lambda pane: pane.matrix.fit(), "0", board),
        own("next_view", "Next view", "Shows the next view beside the matrix.",
            lambda pane: pane.tabs.setCurrentIndex((pane.tabs.currentIndex() + 1) % pane.tabs.count()), "V",
            board),
        own("export", "Export…", "Exports tables, figures or a report of this scenario.",
            lambda pane: pane.bar.export.click(), "Ctrl+E", board, "export"),
        *(
            own(f"export_{name}", f"Export: {title}", "Exports this scenario.",
                given(lambda pane, kind: pane.ask_where(kind), name), when=board, icon="export")
            for name, title in FORMATS
        ),
    ]  # fmt: skip
