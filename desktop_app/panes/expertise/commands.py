"""The commands of the laboratory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands

if TYPE_CHECKING:
    from desktop_app.panes.expertise.pane import ExpertisePane


def commands() -> list[Command]:
    """In the order of the key overview."""
    own: PaneCommands[ExpertisePane] = PaneCommands("expertise")
    return [
        own(
            "run", "Run", "Runs the ticked algorithms; results arrive one by one.", lambda pane: pane.run(),
            "Ctrl+Return", when=lambda pane: pane.can_run(), icon="play",
        ),
        own(
            "stop", "Stop", "Stops; results that are there stay.", lambda pane: pane.stop(),
            when=lambda pane: pane.can_stop(), icon="stop",
        ),
        own(
            "curve", "Profile lengths", "How the loss of the ticked algorithms falls with the profile.",
            lambda pane: pane.run_curves(), "L", when=lambda pane: pane.can_run(), icon="chart-line",
        ),
        own(
            "add_data", "Add a data folder…", "Takes the folder of a released expertise data set.",
            lambda pane: pane.ask_for_data(), "Ctrl+I", when=lambda pane: pane.project is not None, icon="folder-plus",
        ),
        own(
            "model", "Model folder…",
            "Gives the algorithm at hand in the list a model of yours; Cancel goes back to what ships.",
            lambda pane: pane.ask_for_model(), "M", when=lambda pane: pane.set_up.at_hand.takes_folder, icon="folder",
        ),
        own("next", "Next algorithm", "Brings the next row to hand.", lambda pane: pane.board.step(1), "J"),
        own("previous", "Previous algorithm", "Brings the row before to hand.", lambda pane: pane.board.step(-1), "K"),
        own(
            "next_person", "Next participant", "Brings the next participant to hand.",
            lambda pane: pane.step_person(1), "]", when=lambda pane: pane.has_outcomes(),
        ),
        own(
            "previous_person", "Previous participant", "Brings the participant before to hand.",
            lambda pane: pane.step_person(-1), "[", when=lambda pane: pane.has_outcomes(),
        ),
        own(
            "next_view", "Next view", "Turns to the next of leaderboard, participants, profile length.",
            lambda pane: pane.next_view(), "V",
        ),
        own(
            "sort", "Sort by the next column", "Sorts by loss, difference, easy, hard, name in turn.",
            lambda pane: pane.sort_next(), "S", when=lambda pane: pane.has_outcomes(), icon="sort-ascending",
        ),
        own(
            "export", "Export results…",
            "Writes leaderboard, comparisons and curves (CSV, LaTeX, PDF, SVG, PNG) and all scores into a folder.",
            lambda pane: pane.ask_for_export(), "Ctrl+E", when=lambda pane: pane.has_outcomes(), icon="export",
        ),
        own(
            "forget", "Forget this run", "Drops the run at hand; it can be made anew.", lambda pane: pane.forget(),
            "Delete", when=lambda pane: pane.can_forget(), icon="trash",
        ),
    ]  # fmt: skip
