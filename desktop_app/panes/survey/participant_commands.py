"""The commands of somebody who answers a survey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands

if TYPE_CHECKING:
    from desktop_app.panes.survey.participant import ParticipantPane


def commands() -> list[Command]:
    """In the order of the key overview."""

    own: PaneCommands[ParticipantPane] = PaneCommands("participant", lambda pane: pane.can_write())

    return [
        own(
            "next", "Continue", "Goes to the next page; the first one agrees, the last one saves the answers file.",
            lambda pane: pane.next_step(), "Ctrl+Return; Ctrl+Enter", lambda pane: pane.can_go_on(),
            title_now=lambda pane: pane.next_title(),
        ),
        own(
            "back", "Back", "Goes to the page before.", lambda pane: pane.previous_step(), "Alt+Left",
            lambda pane: pane.can_go_back(),
        ),
        own(
            "add", "Add a paper", "Puts the cursor into the field for papers.", lambda pane: pane.start_entry(), "A",
            icon="plus",
        ),
        own(
            "add_file", "Add from a file…",
            "Reads papers from a PDF, BibTeX, CSV or Semantic Scholar file; dropping it does the same.",
            lambda pane: pane.ask_for_files(), "Ctrl+I", lambda pane: pane.can_add(), "file-plus",
        ),
        own(
            "edit", "Correct its details…", "Title, authors, year, link and abstract of the paper at hand.",
            lambda pane: pane.edit_paper(), "F2", lambda pane: pane.has_paper(), "pencil-simple",
        ),
        own(
            "open_link", "Open its link", "Opens the paper at hand in your web browser.",
            lambda pane: pane.open_link(), "O", lambda pane: pane.has_link(), "arrow-square-out",
        ),
        own(
            "remove", "Remove", "Takes the paper at hand off the list; Undo brings it back.",
            lambda pane: pane.remove(), "Del", lambda pane: pane.has_paper(), "trash",
        ),
        own(
            "keep", "Keep or leave out", "Says whether the publication at hand is part of your profile.",
            lambda pane: pane.toggle_kept(), "Space", lambda pane: pane.has_publication(), "check-square",
        ),
        own(
            "keep_all", "Keep all", "Takes all publications into your profile.", lambda pane: pane.keep_all(),
            when=lambda pane: pane.has_publication(),
        ),
        own(
            "save", "Save the answers file…", "Writes the file that you send back.",
            lambda pane: pane.ask_where_to_save(), "Ctrl+S", lambda pane: pane.can_save(), "floppy-disk",
        ),
        own(
            "show_folder", "Show the folder", "Opens the folder that the answers file was written to.",
            lambda pane: pane.show_folder(), when=lambda pane: pane.has_saved(), icon="folder-open",
        ),
        own(
            "take_back", "Take the consent back", "You do not agree any more; your answers stay where they are.",
            lambda pane: pane.take_consent_back(), when=lambda pane: pane.has_agreed(),
        ),
        own(
            "forget_time", "Forget the time", "Takes away the time that was measured.",
            lambda pane: pane.forget_time(),
        ),
    ]  # fmt: skip
