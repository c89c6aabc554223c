"""The commands of the drawer, with their keys. Single letters work on the page that they belong to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.review.drawer import PAGES, Page

if TYPE_CHECKING:
    from desktop_app.panes.review.pane import ReviewPane

KEYS: dict[Page, str] = {
    "stages": "Alt+S", "literature": "Alt+L", "runs": "Alt+R", "history": "Alt+H", "leaving": "Alt+E",
}  # fmt: skip
_HELP: dict[Page, tuple[str, str]] = {
    "stages": ("Stages", "Shows the stages that read the paper, and what each made."),
    "literature": ("Literature", "Shows papers of the library that stand near the paper."),
    "runs": ("Runs", "Shows the runs that were kept, and compares two of them."),
    "history": ("History of the review", "Shows what was kept of the review, what changed, and puts it back."),
    "leaving": ("Leaving", "Shows what stands in the way, and lets the review out."),
}
DRAWER_MENU = tuple(f"review.show_{page}" for page in PAGES)


def drawer_commands() -> list[Command]:
    """All commands of the drawer, in the order of the key overview."""

    own: PaneCommands[ReviewPane] = PaneCommands("review", lambda pane: pane.has_draft())

    def on(page: Page, further: Callable[[ReviewPane], bool]) -> Callable[[ReviewPane], bool]:
        return lambda pane: pane.drawer.shows(page) and further(pane)

    return [
        own("drawer", "Drawer", "Opens or closes the drawer.", lambda pane: pane.drawer.toggle(), "Alt+D", icon="rows"),
        *(
            own(f"show_{page}", *_HELP[page], given(lambda pane, page: pane.drawer.open_page(page), page), KEYS[page])
            for page in PAGES
        ),
        own(
            "run_stages", "Run the stages", "Lets the stages that are on read the paper; nothing is filed.",
            lambda pane: pane.drawer.runs.start(), "Ctrl+R", lambda pane: pane.drawer.runs.can_run, "play",
        ),
        own(
            "cancel_run", "Cancel the run", "Stops the run; what its stages made so far is kept.",
            lambda pane: pane.drawer.runs.cancel(), "Ctrl+.", lambda pane: pane.drawer.runs.can_cancel, "stop",
        ),
        own(
            "take_point", "Take the point", "Puts the point at hand into the review, and goes on.",
            lambda pane: pane.drawer.stages.take(), "A", on("stages", lambda pane: pane.drawer.stages.can_decide),
            "check",
        ),
        own(
            "refuse_point", "Refuse the point", "Keeps that the point at hand is refused; once more opens it again.",
            lambda pane: pane.drawer.stages.refuse(), "X", on("stages", lambda pane: pane.drawer.stages.can_decide),
            "x",
        ),
        own(
            "show_place", "Show the place", "Shows where the row at hand stands: in the paper, or in the review.",
            lambda pane: pane.drawer.go(), "G", lambda pane: pane.drawer.can_go, "crosshair-simple",
        ),
        own(
            "edit_prompt", "Edit the prompt", "Shows the prompt of the stage at hand.",
            lambda pane: pane.drawer.stages.edit_prompt(), "F4", lambda pane: pane.drawer.shows("stages"),
            "pencil-simple",
        ),
        own(
            "use_prompt", "Put the prompt in force", "Lets the next runs ask with the text that is shown.",
            lambda pane: pane.drawer.stages.prompt.use(), "Ctrl+Return",
            on("stages", lambda pane: _asking(pane) and pane.drawer.stages.prompt.changed),
        ),
        own(
            "ship_prompt", "Put the prompt back", "Puts the prompt that ships back in force; your texts are kept.",
            lambda pane: pane.drawer.stages.prompt.ship(), "",
            on("stages", lambda pane: _asking(pane) and pane.drawer.stages.prompt.edited),
        ),
        own(
            "insert_work", "Ask about the work", "Puts a question about the paper at hand into the review.",
            lambda pane: pane.drawer.literature.insert(), "I",
            on("literature", lambda pane: pane.drawer.literature.work is not None and pane.drawer.desk.can_write),
            "plus",
        ),
        own(
            "add_papers", "Add papers to the library…",
            "Takes PDFs, BibTeX, RIS, CSL-JSON or tables into the library that the stages search.",
            lambda pane: pane.drawer.ask_for_papers(folder=False), "", lambda pane: pane.drawer.desk.can_write,
            "files",
        ),
        own(
            "add_paper_folder", "Add a folder of papers…", "Takes all papers and lists of a folder into the library.",
            lambda pane: pane.drawer.ask_for_papers(folder=True), "", lambda pane: pane.drawer.desk.can_write,
            "folder-open",
        ),
        own(
            "search_catalogues", "Search the catalogues",
            "Asks the catalogues that are switched on in Settings for the words in the line; only these words leave "
            "this machine.", lambda pane: pane.drawer.search_catalogues(), "", lambda pane: pane.drawer.can_search(),
            "globe",
        ),
        own(
            "replay", "Make the run again", "Runs the stages again with all that the run at hand was given.",
            lambda pane: pane.drawer.runs.replay(), "R", on("runs", lambda pane: pane.drawer.runs.can_replay),
            "arrow-clockwise",
        ),
        own(
            "forget_run", "Remove the run",
            "Removes the run at hand; it is a result, and undo does not bring it back.",
            lambda pane: pane.drawer.kept.forget(), "", on("runs", lambda pane: pane.drawer.kept.can_forget), "trash",
        ),
        own(
            "keep_version", "Keep a version", "Keeps the review as it is, to be compared with and put back.",
            lambda pane: pane.drawer.history.keep(), "V; Alt+V", lambda pane: pane.drawer.history.can_keep,
            "clock-counter-clockwise",
        ),
        own(
            "restore_version", "Restore the version", "Puts the version at hand back; undo takes that back.",
            lambda pane: pane.drawer.history.restore(), "B",
            on("history", lambda pane: pane.drawer.history.can_restore), "arrow-counter-clockwise",
        ),
        own(
            "settle_drop", "Drop it", "Takes a sentence out that points at something that is not in the paper.",
            lambda pane: pane.drawer.letting.settle("drop"), "D", lambda pane: pane.drawer.letting.can_settle, "x",
        ),
        own(
            "settle_ask", "Ask it instead", "Turns the sentence at hand into a question to the authors.",
            lambda pane: pane.drawer.letting.settle("question"), "Q", lambda pane: pane.drawer.letting.can_settle,
            "question",
        ),
        own(
            "write_review", "Write the file…", "Writes the review in the chosen form; nothing red leaves.",
            lambda pane: pane.drawer.ask_where_to_write(), "Ctrl+E",
            on("leaving", lambda pane: pane.drawer.letting.can_leave), "export",
        ),
        own(
            "copy_review", "Copy the words", "Copies the words that leave.", lambda pane: pane.drawer.letting.copy(),
            "Ctrl+Shift+C", on("leaving", lambda pane: pane.drawer.letting.can_leave), "copy",
        ),
    ]  # fmt: skip


def _asking(pane: ReviewPane) -> bool:
    return pane.drawer.stages.on_prompt and pane.drawer.desk.can_write
