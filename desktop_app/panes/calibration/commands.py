"""The commands of the calibration pane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.calibration.choices import VIEWS

if TYPE_CHECKING:
    from desktop_app.panes.calibration.pane import CalibrationPane

FORMATS = (
    ("csv", "tables (CSV)…"),
    ("xlsx", "tables (XLSX)…"),
    ("figures", "figures (PDF, SVG, PNG)…"),
    ("html", "report (HTML)…"),
    ("pdf", "report (PDF)…"),
)
"""The export formats as plain data, so that the commands can be listed without importing anything else."""


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
        own("import", "Import scores…", "Import a table of scores (CSV, XLSX, Parquet) or OpenReview notes.",
            lambda pane: pane.ask_for_table(), "Ctrl+I", lambda pane: pane.state.can_import, "file-plus",
            words="open load add"),
        own("exclude_review", "Exclude or include review", "Exclude the selected review, or include it again.",
            lambda pane: pane.change(pane.state.exclude_review), "X", review),
        own("exclude_referee", "Exclude or include referee",
            "Exclude all reviews of the selected referee, or include them again.",
            lambda pane: pane.change(pane.state.exclude_referee), "Shift+X", referee),
        own("set_score", "Change score…", "Change the score of the selected review in this scenario only.",
            lambda pane: pane.ask_for_score(), "S", review),
        own("add_review", "Add hypothetical review…", "Add a review of the selected item to this scenario only.",
            lambda pane: pane.ask_for_review(), "A", item),
        own("pin_bias", "Pin or release bias", "Fix the selected referee's bias, or let the model choose it.",
            lambda pane: pane.change(lambda: pane.state.pin_parameter("bias")), "B",
            lambda pane: pane.state.can_pin("bias")),
        own("pin_trust", "Pin or release trust", "Fix the selected referee's trust, or let the model choose it.",
            lambda pane: pane.change(lambda: pane.state.pin_parameter("trust")), "T",
            lambda pane: pane.state.can_pin("trust")),
        *(
            own(f"pin_{bank}_to", f"Pin {bank} to…", f"Ask for the value that the {whose} {bank} is fixed at.",
                given(lambda pane, bank: pane.ask_for_pin(bank), bank), key, item if bank == "score" else referee)
            for bank, whose, key in (
                ("score", "selected item's", "Shift+S"), ("bias", "selected referee's", "Shift+B"),
                ("trust", "selected referee's", "Shift+T"),
            )
        ),
        own("new_scenario", "New scenario…", "Create a scenario from the one shown.",
            lambda pane: pane.ask("New scenario", "Name:", pane.state.free_name(), pane.state.new_scenario),
            "Ctrl+Shift+N", icon="plus"),
        own("rename_scenario", "Rename scenario…", "Rename the scenario.",
            lambda pane: pane.ask("Rename scenario", "Name:", pane.state.current.name, pane.state.rename), "F2"),
        own("next_scenario", "Next scenario", "Show the next scenario of this table.",
            lambda pane: pane.show_other(pane.state.show_next_scenario), "]", board),
        own("reset", "Reset scenario", "Remove all changes from the scenario.",
            lambda pane: pane.change(lambda: pane.state.verbs.reset(pane.state.current.id)),
            when=lambda pane: pane.state.scenario is not None and bool(pane.state.scenario.changes),
            icon="arrow-counter-clockwise"),
        own("remove_scenario", "Delete scenario", "Delete the scenario shown.",
            lambda pane: pane.change(lambda: pane.state.verbs.remove_scenario(pane.state.current.id)),
            when=lambda pane: pane.state.can_change and not pane.state.is_original, icon="trash"),
        own("remove_table", "Delete table of scores", "Delete the table and its scenarios from the project.",
            lambda pane: pane.change(lambda: pane.state.verbs.remove_table(pane.state.current.table_id))),
        own("compare", "Compare methods", "Calculate every method on these reviews, side by side.",
            lambda pane: pane.compare(), "Ctrl+M", board, "scales"),
        own("zoom_in", "Larger cells", "Enlarge the matrix.", lambda pane: pane.matrix.zoom(1), "+; =", board),
        own("zoom_out", "Smaller cells", "Shrink the matrix.", lambda pane: pane.matrix.zoom(-1), "-", board),
        own("zoom_fit", "Fit matrix", "Show all referees at once.", lambda pane: pane.matrix.fit(), "0", board),
        own("next_view", "Next view", "Show the next view beside the matrix.",
            lambda pane: pane.tabs.setCurrentIndex((pane.tabs.currentIndex() + 1) % pane.tabs.count()), "V",
            board),
        *(
            own(f"show_{name}", title, words, given(lambda pane, view: pane.show_view(view), name), when=board,
                words=more)
            for name, (title, words, more) in VIEWS.items()
        ),
        own("export", "Export scenario…", "Export tables, figures or a report of this scenario.",
            lambda pane: pane.bar.export.click(), "Ctrl+E", board, "export"),
        *(
            own(f"export_{name}", f"Export {title}", "Export this scenario.",
                given(lambda pane, kind: pane.ask_where(kind), name), when=board, icon="export")
            for name, title in FORMATS
        ),
    ]  # fmt: skip
