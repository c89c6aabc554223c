"""The commands of the expertise pane, with their keys."""

from typing import TYPE_CHECKING

from desktop_app import if_any
from desktop_app.commands import Command, PaneCommands

if TYPE_CHECKING:
    from desktop_app.panes.expertise.pane import ExpertisePane


def commands() -> list[Command]:
    own: PaneCommands[ExpertisePane] = PaneCommands("expertise", lambda pane: bool(pane.state.outcomes))

    def run(pane: "ExpertisePane") -> bool:
        return pane.state.can_run

    return [
        own("run", "Run", "Run the ticked algorithms. Results appear one by one.", lambda pane: pane.run(),
            "Ctrl+Return", run, "play"),
        own("stop", "Stop", "Stop running. Finished results are kept.", lambda pane: pane.stop(),
            when=lambda pane: pane.state.can_stop, icon="stop"),
        own("curve", "Profile lengths", "Run the ticked algorithms with every profile length and plot their loss.",
            lambda pane: pane.run_curves(), "L", run, "chart-line"),
        own("add_data", "Add a data folder…", "Add the folder of a released expertise data set.",
            lambda pane: if_any(pane.context.files.choose_folder(pane, "Open an expertise data set"), pane.add_data),
            "Ctrl+I", lambda pane: pane.project is not None, "folder-plus"),
        own("model", "Model folder…",
            "Choose your own model for the selected algorithm. Cancel goes back to the bundled one.",
            lambda pane: pane.ask_for_model(pane.set_up.algorithm.id), "M",
            lambda pane: pane.set_up.algorithm.takes_folder, "folder"),
        *own.steps("algorithm", lambda pane, by: pane.board.step(by), "J", "K"),
        *own.steps("participant", lambda pane, by: pane.step_person(by), "]", "[", verb="person"),
        own("next_view", "Next view", "Switch between leaderboard, participants and profile length.",
            lambda pane: pane.next_view(), "V", lambda _: True),
        own("sort", "Sort by the next column", "Sort by loss, difference, easy, hard and name in turn.",
            lambda pane: pane.sort(), "S", icon="sort-ascending"),
        own("export", "Export expertise results…",
            "Export the leaderboard, comparisons and curves (CSV, LaTeX, PDF, SVG, PNG) and all scores to a folder.",
            lambda pane: if_any(pane.context.files.choose_folder(pane, "Export the results"), pane.export_to),
            "Ctrl+E", icon="export"),
        own("forget", "Delete this run", "Delete the selected run; undo restores it.", lambda pane: pane.forget(),
            "Delete", lambda pane: pane.state.can_forget, "trash"),
    ]  # fmt: skip
