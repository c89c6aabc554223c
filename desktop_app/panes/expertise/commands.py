"""The commands of the laboratory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command

if TYPE_CHECKING:
    from desktop_app.panes.expertise.pane import ExpertisePane


def expertise_commands(pane: ExpertisePane) -> tuple[Command, ...]:
    """In the order of the key overview."""
    own = partial(Command, scope=pane.pane_id)
    return (
        own("expertise.run", "Run", "Runs the ticked algorithms; results arrive one by one.", pane.run,
            "Ctrl+Return", enabled=pane.can_run, icon="play"),
        own("expertise.stop", "Stop", "Stops; results that are there stay.", pane.stop, enabled=pane.can_stop,
            icon="stop"),
        own("expertise.curve", "Profile lengths", "How the loss of the ticked algorithms falls with the profile.",
            pane.run_curves, "L", enabled=pane.can_run, icon="chart-line"),
        own("expertise.add_data", "Add a data folder…", "Takes the folder of a released expertise data set.",
            pane.ask_for_data, "Ctrl+I", enabled=lambda: pane.project is not None, icon="folder-plus"),
        own("expertise.model", "Model folder…",
            "Gives the algorithm at hand in the list a model of yours; Cancel goes back to what ships.",
            pane.ask_for_model, "M", enabled=lambda: pane.set_up.at_hand.takes_folder, icon="folder"),
        own("expertise.next", "Next algorithm", "Brings the next row to hand.", lambda: pane.board.step(1), "J"),
        own("expertise.previous", "Previous algorithm", "Brings the row before to hand.",
            lambda: pane.board.step(-1), "K"),
        own("expertise.next_person", "Next participant", "Brings the next participant to hand.",
            lambda: pane.step_person(1), "]", enabled=pane.has_outcomes),
        own("expertise.previous_person", "Previous participant", "Brings the participant before to hand.",
            lambda: pane.step_person(-1), "[", enabled=pane.has_outcomes),
        own("expertise.next_view", "Next view", "Turns to the next of leaderboard, participants, profile length.",
            pane.next_view, "V"),
        own("expertise.sort", "Sort by the next column", "Sorts by loss, difference, easy, hard, name in turn.",
            pane.sort_next, "S", enabled=pane.has_outcomes, icon="sort-ascending"),
        own("expertise.export", "Export results…",
            "Writes leaderboard, comparisons and curves (CSV, LaTeX, PDF, SVG, PNG) and all scores into a folder.",
            pane.ask_for_export, "Ctrl+E", enabled=pane.has_outcomes, icon="export"),
        own("expertise.forget", "Forget this run", "Drops the run at hand; it can be made anew.", pane.forget,
            "Delete", enabled=pane.can_forget, icon="trash"),
    )  # fmt: skip
