"""The window's own commands: files, undo, view, panes, help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command
from desktop_app.panes import PaneSpec
from desktop_app.project_control import shipped_sample

if TYPE_CHECKING:
    from desktop_app.window import MainWindow


def pane_commands(window: MainWindow, panes: tuple[PaneSpec, ...]) -> list[Command]:
    """One command per pane, Ctrl+1 to Ctrl+9 in order."""
    return [
        Command(
            id=f"go.{spec.id}",
            title=f"Go to {spec.title}",
            help=spec.help,
            handler=lambda name=spec.id: window.show_pane(name),  # type: ignore[misc]
            shortcut="Ctrl+," if spec.id == "settings" else (f"Ctrl+{number}" if number < 10 else ""),
            icon=spec.icon,
            menu="Go",
        )
        for number, spec in enumerate(panes, start=1)
    ]


def window_commands(window: MainWindow) -> list[Command]:
    """All commands that work everywhere, save those that go to a pane."""
    control = window.control
    has_project = lambda: window.bridge.project is not None  # noqa: E731 (a predicate, named once)
    return [
        Command(
            "project.new",
            "New project…",
            "Makes an empty project file in a folder that you choose.",
            control.ask_new,
            "Ctrl+N",
            icon="file-plus",
            menu="File",
        ),
        Command(
            "project.open",
            "Open project…",
            "Opens a .rejoinder file; dropping one on the window does the same.",
            control.ask_open,
            "Ctrl+O",
            icon="folder-open",
            menu="File",
        ),
        Command(
            "project.sample",
            "Open the sample project",
            "Opens your own copy of a small worked example.",
            control.open_sample,
            icon="flask",
            menu="File",
            enabled=lambda: shipped_sample() is not None,
        ),
        Command(
            "project.copy",
            "Save a copy…",
            "Writes a copy of the project under another name and goes on in the copy.",
            control.ask_copy,
            "Ctrl+Shift+S",
            icon="copy",
            menu="File",
            enabled=has_project,
        ),
        Command(
            "project.share",
            "Share a copy…",
            "Writes a copy with the content that you choose, without history and private notes.",
            window.erase_and_share.ask_share,
            icon="share-network",
            menu="File",
            enabled=has_project,
        ),
        Command(
            "project.erase",
            "Erase permanently…",
            "Deletes a paper, a review or an annotator's work for good, also from history and backups.",
            window.erase_and_share.ask_erase,
            icon="eraser",
            menu="File",
            enabled=window.erase_and_share.can_erase,
        ),
        Command(
            "project.backup",
            "Back up now",
            "Makes a checked backup of the project; regular ones are made by themselves.",
            control.back_up,
            icon="shield-check",
            menu="File",
            enabled=has_project,
        ),
        Command(
            "project.check",
            "Check the project file",
            "Looks for damage in the file without changing it.",
            control.check,
            icon="first-aid-kit",
            menu="File",
            enabled=has_project,
        ),
        Command(
            "project.close",
            "Close project",
            "Closes the project; everything in it is saved already.",
            control.close,
            "Ctrl+W",
            icon="x-square",
            menu="File",
            enabled=has_project,
        ),
        Command(
            "project.leave_survey",
            "Leave the survey",
            "Closes the survey and shows the rest of the application again; all answers are kept.",
            control.leave_survey,
            "Ctrl+Shift+W",
            icon="sign-out",
            enabled=lambda: window.in_survey,
        ),
        Command("app.quit", "Quit", "Closes the window.", window.close, "Ctrl+Q", icon="sign-out", menu="File"),
        Command(
            "edit.undo",
            "Undo",
            "Takes back the last act in the project, in whichever pane it was; in a text field, the last typing.",
            window.undo,
            "Ctrl+Z",
            enabled=window.can_undo,
            title_now=window.undo_title,
            icon="arrow-u-up-left",
            menu="Edit",
        ),
        Command(
            "edit.redo",
            "Redo",
            "Does again what was taken back last.",
            window.redo,
            "Ctrl+Shift+Z; Ctrl+Y",
            enabled=window.can_redo,
            title_now=window.redo_title,
            icon="arrow-u-up-right",
            menu="Edit",
        ),
        Command(
            "edit.search",
            "Search in this pane",
            "Puts the cursor into the search field of the pane at hand.",
            window.focus_search,
            "Ctrl+F",
            enabled=window.can_search,
            icon="magnifying-glass",
            menu="Edit",
        ),
        Command(
            "view.palette",
            "Command palette",
            "Finds and runs any command by a few letters of its name.",
            window.open_palette,
            "Ctrl+K",
            icon="command",
            menu="View",
        ),
        Command(
            "view.jobs",
            "Job tray",
            "Shows or hides what the engine is doing, with progress and Cancel.",
            window.tray.toggle,
            "Ctrl+J",
            icon="stack",
            menu="View",
        ),
        Command(
            "view.side_bar",
            "Side bar: words or icons",
            "Collapses the side bar to icons, or widens it again.",
            window.toggle_side_bar,
            "Ctrl+B",
            icon="columns",
            menu="View",
        ),
        Command(
            "view.larger",
            "Larger text",
            "Enlarges all text by one step.",
            lambda: window.zoom_text(1),
            "Ctrl++; Ctrl+=",
            icon="magnifying-glass-plus",
            menu="View",
        ),
        Command(
            "view.smaller",
            "Smaller text",
            "Shrinks all text by one step.",
            lambda: window.zoom_text(-1),
            "Ctrl+-",
            icon="magnifying-glass-minus",
            menu="View",
        ),
        Command(
            "view.normal_text",
            "Normal text size",
            "Sets all text back to its normal size.",
            lambda: window.zoom_text(0),
            "Ctrl+0",
            icon="text-aa",
            menu="View",
        ),
        Command(
            "view.scheme",
            "Switch between light and dark",
            "Turns the colours of the window over; Settings can let them follow the system.",
            window.switch_scheme,
            "Ctrl+Shift+D",
            icon="moon",
            menu="View",
        ),
        Command(
            "view.full_screen",
            "Full screen",
            "Gives the window the whole screen, or takes it back.",
            window.toggle_full_screen,
            "F11",
            icon="frame-corners",
            menu="View",
        ),
        Command(
            "help.keys",
            "Keys",
            "Shows the keys of the pane at hand and those that work everywhere.",
            window.toggle_keys,
            "?; F1",
            icon="keyboard",
            menu="Help",
        ),
        Command(
            "view.menu",
            "Menu",
            "Opens the menu with all commands of the window.",
            window.open_menu,
            "F10",
            icon="list",
        ),
    ]
