"""The commands of the drawer, with their keys. Single letters work on the page that they belong to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from desktop_app.commands import Command
from desktop_app.panes.review.drawer import PAGES, Drawer, Page

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


def drawer_commands(drawer: Drawer, scope: str, has_draft: Callable[[], bool]) -> list[Command]:
    """All commands of the drawer, in the order of the key overview."""
    runs, stages, letting = drawer.runs, drawer.stages, drawer.letting
    history, kept, literature = drawer.history, drawer.kept, drawer.literature

    def own(  # noqa: PLR0917 - a table of records reads best by position
        name: str,
        title: str,
        words: str,
        handler: Callable[[], object],
        shortcut: str = "",
        enabled: Callable[[], bool] = has_draft,
        icon: str = "",
        title_now: Callable[[], str] | None = None,
    ) -> Command:
        return Command(
            f"review.{name}", title, words, handler, shortcut, scope=scope, enabled=enabled, icon=icon,
            title_now=title_now,
        )  # fmt: skip

    def on(page: Page, further: Callable[[], bool]) -> Callable[[], bool]:
        return lambda: drawer.shows(page) and further()

    def deciding() -> bool:
        return stages.can_decide

    def asking() -> bool:
        return stages.on_prompt and drawer.desk.can_write

    return [
        own("drawer", "Drawer", "Opens or closes the drawer.", drawer.toggle, "Alt+D", icon="rows"),
        *(
            own(f"show_{page}", *_HELP[page], partial(drawer.open_page, page), KEYS[page])
            for page in PAGES
        ),
        own("run_stages", "Run the stages", "Lets the stages that are on read the paper; nothing is filed.",
            runs.start, "Ctrl+R", lambda: runs.can_run, "play"),
        own("cancel_run", "Cancel the run", "Stops the run; what its stages made so far is kept.", runs.cancel,
            "Ctrl+.", lambda: runs.can_cancel, "stop"),
        own("take_point", "Take the point", "Puts the point at hand into the review, and goes on.", stages.take,
            "A", on("stages", deciding), "check"),
        own("refuse_point", "Refuse the point", "Keeps that the point at hand is refused; once more opens it again.",
            stages.refuse, "X", on("stages", deciding), "x"),
        own("show_place", "Show the place", "Shows where the row at hand stands: in the paper, or in the review.",
            drawer.go, "G", lambda: drawer.can_go, "crosshair-simple"),
        own("edit_prompt", "Edit the prompt", "Shows the prompt of the stage at hand.", stages.edit_prompt, "F4",
            lambda: drawer.shows("stages"), "pencil-simple"),
        own("use_prompt", "Put the prompt in force", "Lets the next runs ask with the text that is shown.",
            stages.prompt.use, "Ctrl+Return", on("stages", lambda: asking() and stages.prompt.changed)),
        own("ship_prompt", "Put the prompt back", "Puts the prompt that ships back in force; your texts are kept.",
            stages.prompt.ship, "", on("stages", lambda: asking() and stages.prompt.edited)),
        own("insert_work", "Ask about the work", "Puts a question about the paper at hand into the review.",
            literature.insert, "I", on("literature", lambda: literature.work is not None and drawer.desk.can_write),
            "plus"),
        own("add_papers", "Add papers to the library…", "Takes PDFs, BibTeX, RIS, CSL-JSON or tables into the library "
            "that the stages search.", partial(drawer.ask_for_papers, folder=False), "",
            lambda: drawer.desk.can_write, "files"),
        own("add_paper_folder", "Add a folder of papers…", "Takes all papers and lists of a folder into the library.",
            partial(drawer.ask_for_papers, folder=True), "", lambda: drawer.desk.can_write, "folder-open"),
        own("search_catalogues", "Search the catalogues", "Asks the catalogues that are switched on in Settings for "
            "the words in the line; only these words leave this machine.", drawer.search_catalogues, "",
            drawer.can_search, "globe"),
        own("replay", "Make the run again", "Runs the stages again with all that the run at hand was given.",
            runs.replay, "R", on("runs", lambda: runs.can_replay), "arrow-clockwise"),
        own("forget_run", "Remove the run", "Removes the run at hand; it is a result, and undo does not bring it back.",
            kept.forget, "", on("runs", lambda: kept.can_forget), "trash"),
        own("keep_version", "Keep a version", "Keeps the review as it is, to be compared with and put back.",
            history.keep, "V; Alt+V", lambda: history.can_keep, "clock-counter-clockwise"),
        own("restore_version", "Restore the version", "Puts the version at hand back; undo takes that back.",
            history.restore, "B", on("history", lambda: history.can_restore), "arrow-counter-clockwise"),
        own("settle_drop", "Drop it", "Takes a sentence out that points at something that is not in the paper.",
            partial(letting.settle, "drop"), "D", lambda: letting.can_settle, "x"),
        own("settle_ask", "Ask it instead", "Turns the sentence at hand into a question to the authors.",
            partial(letting.settle, "question"), "Q", lambda: letting.can_settle, "question"),
        own("write_review", "Write the file…", "Writes the review in the chosen form; nothing red leaves.",
            drawer.ask_where_to_write, "Ctrl+E", on("leaving", lambda: letting.can_leave), "export"),
        own("copy_review", "Copy the words", "Copies the words that leave.", letting.copy, "Ctrl+Shift+C",
            on("leaving", lambda: letting.can_leave), "copy"),
    ]  # fmt: skip
