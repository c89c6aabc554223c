"""The participant's commands."""

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands

if TYPE_CHECKING:
    from desktop_app.panes.survey.participant import ParticipantPane


def commands() -> list[Command]:
    own: PaneCommands[ParticipantPane] = PaneCommands("participant", lambda pane: pane.state.can_write())

    return [
        own("next", "Continue", "Go to the next page. The first one records your consent; the last one saves the file.",
            lambda pane: pane.next_step(), "Ctrl+Return; Ctrl+Enter", lambda pane: pane.state.can_go_on(),
            title_now=lambda pane: pane.state.next_title()),
        own("back", "Back", "Go to the previous page.", lambda pane: pane.go_to(pane.state.step - 1), "Alt+Left",
            lambda pane: pane.state.can_go_back()),
        own("add", "Add a paper", "Move the cursor to the field for papers.", lambda pane: pane.start_entry(), "A",
            icon="plus"),
        own("add_file", "Add from file…",
            "Add papers from a PDF, BibTeX, CSV or Semantic Scholar file. You can also drop files here.",
            lambda pane: pane.ask_for_files(), "Ctrl+I", lambda pane: pane.state.can_add(), "file-plus"),
        own("edit", "Edit details…", "Edit the title, authors, year, link and abstract of the selected paper.",
            lambda pane: pane.edit_paper(), "F2", lambda pane: pane.has_paper(), "pencil-simple"),
        own("open_link", "Open link", "Open the selected paper in your web browser.", lambda pane: pane.open_link(),
            "O", lambda pane: pane.has_link(), "arrow-square-out"),
        own("remove", "Remove", "Remove the selected paper from the list.", lambda pane: pane.remove(), "Del",
            lambda pane: pane.has_paper(), "trash"),
        own("keep", "Include or leave out", "Include the selected publication in your profile, or leave it out.",
            lambda pane: pane.toggle_kept(), "Space", lambda pane: pane.has_publication(), "check-square"),
        own("keep_all", "Include all", "Include all publications in your profile.", lambda pane: pane.keep_all(),
            when=lambda pane: pane.has_publication()),
        own("save", "Save the answers file…", "Save the file that you send back.",
            lambda pane: pane.ask_where_to_save(), "Ctrl+S", lambda pane: pane.state.can_save(), "floppy-disk"),
        own("show_folder", "Show folder", "Open the folder of the answers file.", lambda pane: pane.show_folder(),
            when=lambda pane: pane.state.saved_to is not None, icon="folder-open"),
        own("take_back", "Withdraw consent", "Withdraw your consent. Your answers stay on this computer.",
            lambda pane: pane.take_consent_back(), when=lambda pane: pane.state.has_agreed()),
        own("forget_time", "Delete the time", "Delete the measured time.", lambda pane: pane.forget_time()),
    ]  # fmt: skip
