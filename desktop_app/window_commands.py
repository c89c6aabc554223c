"""The window's own commands: files, undo, view, panes, help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, given
from desktop_app.panes import PANES
from desktop_app.project_control import shipped_sample

if TYPE_CHECKING:
    from desktop_app.window import MainWindow


def _has_project(window: MainWindow) -> bool:
    return window.bridge.project is not None


def _has_papers(window: MainWindow) -> bool:
    return len(window.papers.papers) > 1


PANE_COMMANDS = tuple(
    Command(
        f"go.{spec.id}", f"Go to {spec.title}", spec.help, given(lambda window, name: window.show_pane(name), spec.id),
        "Ctrl+," if spec.id == "settings" else (f"Ctrl+{number}" if number < 10 else ""), icon=spec.icon, menu="Go",
    )
    for number, spec in enumerate(PANES, start=1)
)  # fmt: skip
"""One command per pane, Ctrl+1 to Ctrl+9 in order."""

WINDOW_COMMANDS = (
    Command(
        "project.new", "New project…", "Makes an empty project file in a folder that you choose.",
        lambda window: window.control.ask_new(), "Ctrl+N", icon="file-plus", menu="File",
    ),
    Command(
        "project.open", "Open project…", "Opens a .rejoinder file; dropping one on the window does the same.",
        lambda window: window.control.ask_open(), "Ctrl+O", icon="folder-open", menu="File",
    ),
    Command(
        "project.sample", "Open the sample project", "Opens your own copy of a small worked example.",
        lambda window: window.control.open_sample(), when=lambda _: shipped_sample() is not None, icon="flask",
        menu="File",
    ),
    Command(
        "project.copy", "Save a copy…", "Writes a copy of the project under another name and goes on in the copy.",
        lambda window: window.control.ask_copy(), "Ctrl+Shift+S", when=_has_project, icon="copy", menu="File",
    ),
    Command(
        "project.share", "Share a copy…",
        "Writes a copy with the content that you choose, without history and private notes.",
        lambda window: window.erase_and_share.ask_share(), when=_has_project, icon="share-network", menu="File",
    ),
    Command(
        "project.erase", "Erase permanently…",
        "Deletes a paper, a review or an annotator's work for good, also from history and backups.",
        lambda window: window.erase_and_share.ask_erase(), when=lambda window: window.erase_and_share.can_erase(),
        icon="eraser", menu="File",
    ),
    Command(
        "project.backup", "Back up now", "Makes a checked backup of the project; regular ones are made by themselves.",
        lambda window: window.control.back_up(), when=_has_project, icon="shield-check", menu="File",
    ),
    Command(
        "project.check", "Check the project file", "Looks for damage in the file without changing it.",
        lambda window: window.control.check(), when=_has_project, icon="first-aid-kit", menu="File",
    ),
    Command(
        "project.close", "Close project", "Closes the project; everything in it is saved already.",
        lambda window: window.control.close(), "Ctrl+W", when=_has_project, icon="x-square", menu="File",
    ),
    Command(
        "project.leave_survey", "Leave the survey",
        "Closes the survey and shows the rest of the application again; all answers are kept.",
        lambda window: window.control.leave_survey(), "Ctrl+Shift+W", when=lambda window: window.in_survey,
        icon="sign-out",
    ),
    Command(
        "app.quit", "Quit", "Closes the window.", lambda window: window.close(), "Ctrl+Q", icon="sign-out",
        menu="File",
    ),
    Command(
        "edit.undo", "Undo",
        "Takes back the last act in the project, in whichever pane it was; in a text field, the last typing.",
        lambda window: window.undoing.run("undo"), "Ctrl+Z", when=lambda window: window.undoing.can("undo"),
        title_now=lambda window: window.undoing.title("undo"), icon="arrow-u-up-left", menu="Edit",
    ),
    Command(
        "edit.redo", "Redo", "Does again what was taken back last.", lambda window: window.undoing.run("redo"),
        "Ctrl+Shift+Z; Ctrl+Y", when=lambda window: window.undoing.can("redo"),
        title_now=lambda window: window.undoing.title("redo"),
        icon="arrow-u-up-right", menu="Edit",
    ),
    Command(
        "edit.search", "Search in this pane", "Puts the cursor into the search field of the pane at hand.",
        lambda window: window.focus_search(), "Ctrl+F", when=lambda window: window.can_search(),
        icon="magnifying-glass", menu="Edit",
    ),
    Command(
        "paper.next", "Next paper", "Shows the next paper of the project in all panes.",
        lambda window: window.papers.step(1), "Ctrl+PgDown", when=_has_papers, icon="caret-right", menu="Go",
    ),
    Command(
        "paper.previous", "Previous paper", "Shows the previous paper of the project in all panes.",
        lambda window: window.papers.step(-1), "Ctrl+PgUp", when=_has_papers, icon="caret-left", menu="Go",
    ),
    Command(
        "view.palette", "Command palette", "Finds and runs any command by a few letters of its name.",
        lambda window: window.open_palette(), "Ctrl+K", icon="command", menu="View",
    ),
    Command(
        "view.jobs", "Job tray", "Shows or hides what the engine is doing, with progress and Cancel.",
        lambda window: window.tray.toggle(), "Ctrl+J", icon="stack", menu="View",
    ),
    Command(
        "view.side_bar", "Side bar: words or icons", "Collapses the side bar to icons, or widens it again.",
        lambda window: window.appearance.toggle_side_bar(), "Ctrl+B", icon="columns", menu="View",
    ),
    Command(
        "view.larger", "Larger text", "Enlarges all text by one step.", lambda window: window.appearance.zoom(1),
        "Ctrl++; Ctrl+=", icon="magnifying-glass-plus", menu="View",
    ),
    Command(
        "view.smaller", "Smaller text", "Shrinks all text by one step.",
        lambda window: window.appearance.zoom(-1), "Ctrl+-",
        icon="magnifying-glass-minus", menu="View",
    ),
    Command(
        "view.normal_text", "Normal text size", "Sets all text back to its normal size.",
        lambda window: window.appearance.zoom(0), "Ctrl+0", icon="text-aa", menu="View",
    ),
    Command(
        "view.scheme", "Switch between light and dark",
        "Turns the colours of the window over; Settings can let them follow the system.",
        lambda window: window.appearance.switch_scheme(), "Ctrl+Shift+D", icon="moon", menu="View",
    ),
    Command(
        "view.full_screen", "Full screen", "Gives the window the whole screen, or takes it back.",
        lambda window: window.toggle_full_screen(), "F11", icon="frame-corners", menu="View",
    ),
    Command(
        "help.keys", "Keys", "Shows the keys of the pane at hand and those that work everywhere.",
        lambda window: window.toggle_keys(), "?; F1", icon="keyboard", menu="Help",
    ),
    Command(
        "view.menu", "Menu", "Opens the menu with all commands of the window.", lambda window: window.open_menu(),
        "F10", icon="list",
    ),
)  # fmt: skip
"""All commands that work everywhere, save those that go to a pane."""
