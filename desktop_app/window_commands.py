"""The window's own commands: files, undo, view, panes, help."""

from typing import Any

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QContextMenuEvent

from desktop_app import tour
from desktop_app.commands import Command, given
from desktop_app.panes import PANES
from desktop_app.project_control import shipped_sample


def _has_project(window: Any) -> bool:
    return bool(window.bridge.project)


def _has_papers(window: Any) -> bool:
    return len(window.papers.papers) > 1


def _has_parts(window: Any) -> bool:
    return window.stack.part_of(window.keyboard()) is not None


def _open_context_menu(window: Any) -> None:
    """Opens the context menu like the Menu key: Qt maps Shift+F10 to it only on Windows."""
    menu = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    QCoreApplication.sendEvent(window.windowHandle(), menu)


_WORDS = {
    "settings": "options preferences configure network offline name", "history": "log audit versions",
    "survey": "questionnaire", "expertise": "similarity laboratory", "calibration": "scores ranking bias",
    "linking": "annotate align edits", "rebuttal": "response reply letter", "labels": "tag annotate sentences",
    "models": "encoder llm server ollama gpu", "agreement": "kappa alpha annotators",
}  # fmt: skip
"""Additional words by which people search for a pane."""
PANE_COMMANDS = tuple(
    Command(f"go.{spec.id}", f"Go to {spec.title}", spec.help,
            given(lambda window, name: window.show_pane(name), spec.id),
            "Ctrl+," if spec.id == "settings" else (f"Ctrl+{number}" if number < 10 else ""), icon=spec.icon, menu="Go",
            words=_WORDS.get(spec.id, ""))
    for number, spec in enumerate(PANES, start=1)
)  # fmt: skip
"""One command per pane, with Ctrl+1 to Ctrl+9 in order."""

WINDOW_COMMANDS = (
    Command("project.new", "New project…", "Create an empty project file.", lambda window: window.control.ask_new(),
            "Ctrl+N", icon="file-plus", menu="File"),
    Command("project.open", "Open project…", "Open a project file. You can also drop one on the window.",
            lambda window: window.control.ask_open(), "Ctrl+O", icon="folder-open", menu="File", words="load"),
    Command("project.sample", "Open the sample project", "Open a copy of a small worked example.",
            lambda window: window.control.open_sample(), when=lambda _: shipped_sample() is not None, icon="flask",
            menu="File"),
    Command("project.copy", "Save a copy…", "Save the project under another name and open the copy.",
            lambda window: window.control.ask_copy(), "Ctrl+Shift+S", when=_has_project, icon="copy", menu="File",
            words="duplicate"),
    Command("project.share", "Share a copy…",
            "Save a copy with the content you choose, without history or private notes.",
            lambda window: window.erase_and_share.ask_share(), when=_has_project, icon="share-network", menu="File",
            words="anonymize anonymise send"),
    Command("packages.create", "Create work packages…",
            "Assign papers, reviews, sentences, pairs or survey papers to people and create a file for each person.",
            lambda window: window.work_packages.ask_create(), when=lambda window: window.work_packages.can_lead(),
            icon="package", menu="File", words="assign hand out distribute split divide annotators adjudicator team"),
    Command("packages.import", "Import results…", "Preview the results of work packages and import them.",
            lambda window: window.work_packages.ask_import(), when=lambda window: window.work_packages.has_rounds(),
            icon="download-simple", menu="File", words="work packages merge collect return back annotators"),
    Command("packages.progress", "Progress of work packages", "Show each person's progress, pace and agreement.",
            lambda window: window.work_packages.show_progress(), when=lambda window: window.work_packages.has_rounds(),
            icon="chart-bar", menu="File", words="pace agreement annotators"),
    Command("packages.guidelines", "Guidelines and training",
            "Show the guidelines of this work package, and which decisions on the training set are right.",
            lambda window: window.work_packages.show_guidelines(),
            when=lambda window: window.work_packages.in_package(), icon="book-open", menu="File"),
    Command("packages.results", "Export results…", "Export your decisions in this work package, to send back.",
            lambda window: window.work_packages.ask_results(), when=lambda window: window.work_packages.in_package(),
            icon="paper-plane-tilt", menu="File", words="work package send return hand in back"),
    Command("project.export", "Export…",
            "Export the project as an open bundle, or links, labels, comments, the rebuttal or the library.",
            lambda window: window.formats.ask_export(window.pane.exported_as), when=_has_project,
            icon="export", menu="File", words="project bundle excel word csv save labels annotations comments"),
    Command("project.import", "Import…",
            "Create a new project from an open bundle, or import publications or clusters.",
            lambda window: window.formats.ask_import(), icon="folder-plus", menu="File", words="load"),
    Command(
        "project.erase", "Erase permanently…",
        "Delete a paper, a review or an annotator's work, including from history and backups. This can't be undone.",
        lambda window: window.erase_and_share.ask_erase(), when=lambda window: window.control.can_rename(),
        icon="eraser", menu="File",
    ),
    Command("project.rename", "Rename project…", "Change the title of the project. Its file keeps its name.",
            lambda window: window.control.ask_title(), when=lambda window: window.control.can_rename(),
            icon="pencil-simple", menu="File", words="title"),
    Command("project.annotator", "Change annotator…",
            "Continue as another annotator. Choose a name or enter a new one.",
            lambda window: window.control.ask_annotator(), when=lambda window: window.control.can_rename(),
            icon="user", menu="File", words="another annotator person name switch user adjudicator"),
    Command("project.backup", "Back up now",
            "Back up the project and verify the backup. Regular backups are automatic.",
            lambda window: window.control.back_up(), when=_has_project, icon="shield-check", menu="File", words="save"),
    Command("project.check", "Check the project file", "Look for damage in the file without changing it.",
            lambda window: window.control.check(), when=_has_project, icon="first-aid-kit", menu="File",
            words="doctor repair damage"),
    Command("project.close", "Close project", "Close the project. Everything in it is already saved.",
            lambda window: window.control.close(), "Ctrl+W", when=_has_project, icon="x-square", menu="File",
            words="file"),
    Command("project.leave_survey", "Leave the survey",
            "Close the survey and return to the application. Your answers are kept.",
            lambda window: window.control.leave_survey(), "Ctrl+Shift+W", when=lambda window: window.in_survey,
            icon="sign-out"),
    Command("app.quit", "Quit", "Close Rejoinder.", lambda window: window.close(), "Ctrl+Q", icon="sign-out",
            menu="File", words="exit"),
    Command("edit.undo", "Undo", "Undo the last change in the project or, in a text field, the last typing.",
            lambda window: window.undoing.run("undo"), "Ctrl+Z", when=lambda window: window.undoing.can("undo"),
            title_now=lambda window: window.undoing.title("undo"), icon="arrow-u-up-left", menu="Edit"),
    Command("edit.redo", "Redo", "Redo the last undone change.", lambda window: window.undoing.run("redo"),
            "Ctrl+Shift+Z; Ctrl+Y", when=lambda window: window.undoing.can("redo"),
            title_now=lambda window: window.undoing.title("redo"), icon="arrow-u-up-right", menu="Edit"),
    Command("edit.search", "Search in this pane", "Move the cursor to the search field.",
            lambda window: window.focus_search(), "Ctrl+F", when=lambda window: window.can_search(),
            icon="magnifying-glass", menu="Edit", words="find"),
    Command("edit.search_project", "Search the project", "Find papers, paragraphs, reviews, comments and templates.",
            lambda window: window.project_search.open(), "Ctrl+Shift+F", when=_has_project, icon="magnifying-glass",
            menu="Edit", words="find everywhere"),
    Command("paper.next", "Next paper", "Show the next paper of the project in all panes.",
            lambda window: window.papers.step(1), "Ctrl+PgDown", when=_has_papers, icon="caret-right", menu="Go"),
    Command("paper.previous", "Previous paper", "Show the previous paper of the project in all panes.",
            lambda window: window.papers.step(-1), "Ctrl+PgUp", when=_has_papers, icon="caret-left", menu="Go"),
    Command("paper.rename", "Rename paper…", "Change the title of the current paper.",
            lambda window: window.paper_actions.ask_name(), when=lambda window: window.paper_actions.can,
            icon="pencil-simple", menu="Edit"),
    Command("paper.read_again", "Read paper again…",
            "Read the paper's PDFs again, if an earlier version of Rejoinder read them. You can undo it.",
            lambda window: window.paper_actions.ask_to_read_again(),
            when=lambda window: window.paper_actions.reads_earlier(), icon="arrow-clockwise", menu="Edit",
            words="parse text update"),
    Command("paper.remove", "Remove paper…", "Remove the current paper and all that belongs to it. You can undo it.",
            lambda window: window.paper_actions.ask_to_remove(), when=lambda window: window.paper_actions.can,
            icon="trash", menu="Edit", words="delete trash"),
    Command("paper.remove_version", "Remove version…",
            "Remove a version of the current paper with the work on it. You can undo it.",
            lambda window: window.paper_actions.ask_which_version(),
            when=lambda window: window.paper_actions.has_versions(), icon="trash", menu="Edit", words="delete PDF"),
    Command("paper.move_review", "Move review to another paper…",
            "Move a review or letter with its comments, labels and responses to another paper. You can undo it.",
            lambda window: window.paper_actions.ask_where_to_move(),
            when=lambda window: _has_papers(window) and window.paper_actions.has_reviews(), icon="arrow-right",
            menu="Edit", words="letter"),
    Command("paper.remove_review", "Remove review…", "Remove a review or letter with its comments. You can undo it.",
            lambda window: window.paper_actions.ask_which_review(),
            when=lambda window: window.paper_actions.has_reviews(), icon="trash", menu="Edit", words="delete letter"),
    Command("view.palette", "Command palette", "Find and run any command by a few letters of its name.",
            lambda window: window.open_palette(), "Ctrl+K", icon="terminal-window", menu="View"),
    Command("view.jobs", "Job tray", "Show or hide running jobs with their progress.",
            lambda window: window.tray.toggle(), "Ctrl+J", icon="stack", menu="View",
            words="tasks progress background cancel stop"),
    Command("view.message", "Go to the message", "Move the keyboard to the buttons of the latest message.",
            lambda window: (window.pane is not None and window.pane.banner.take_focus()) or window.banner.take_focus(),
            "F6", when=lambda window: bool(window.banner.notices or (window.pane and window.pane.banner.notices)),
            icon="info", menu="View", words="banner notice dismiss"),
    Command("view.side_bar", "Collapse or expand the side bar", "Show icons only, or icons with names.",
            lambda window: window.appearance.toggle_side_bar(), "Ctrl+B", when=lambda window: not window.side.narrow,
            icon="columns", menu="View"),
    Command("view.part_larger", "Make this part larger",
            "Give the part of the pane with the keyboard focus more room. You can also drag its border.",
            lambda window: window.stack.resize_part(window.keyboard(), 1), "Alt+PgDown", when=_has_parts,
            icon="arrows-out-line-horizontal", menu="View", words="splitter border width resize"),
    Command("view.part_smaller", "Make this part smaller",
            "Give the part of the pane with the keyboard focus less room. You can also drag its border.",
            lambda window: window.stack.resize_part(window.keyboard(), -1), "Alt+PgUp", when=_has_parts,
            icon="arrows-in-line-horizontal", menu="View", words="splitter border width resize"),
    Command("view.larger", "Larger text", "Make all text larger.", lambda window: window.appearance.zoom(1),
            "Ctrl++; Ctrl+=", icon="magnifying-glass-plus", menu="View", words="zoom in font size bigger"),
    Command("view.smaller", "Smaller text", "Make all text smaller.", lambda window: window.appearance.zoom(-1),
            "Ctrl+-", icon="magnifying-glass-minus", menu="View", words="zoom out font size"),
    Command("view.normal_text", "Normal text size", "Reset the text size.", lambda window: window.appearance.zoom(0),
            "Ctrl+0", icon="text-aa", menu="View", words="zoom reset font size"),
    Command("view.scheme", "Switch between light and dark",
            "Switch the colour scheme. Settings can follow the system instead.",
            lambda window: window.appearance.switch_scheme(), "Ctrl+Shift+D", icon="moon", menu="View",
            words="dark mode night theme appearance"),
    Command("view.full_screen", "Full screen", "Enter or leave full screen.",
            lambda window: window.toggle_full_screen(), "F11", icon="frame-corners", menu="View"),
    Command("project.tour", "Take the tour", "Open the sample project and introduce each pane. It takes two minutes.",
            tour.start, when=lambda _: shipped_sample() is not None, icon="compass", menu="Help",
            words="introduction tutorial"),
    Command("help.tour_next", "Next step of the tour", "Go to the next pane of the tour.", tour.go_on, "Ctrl+F1",
            when=lambda window: tour.shown(window) is not None, icon="caret-right", menu="Help"),
    Command("help.keys", "Keyboard shortcuts", "List the shortcuts of this pane and of the window.",
            lambda window: window.toggle_keys(), "?", icon="keyboard", menu="Help", words="hotkeys keys"),
    Command("help.guide", "Help", "Open the guide page for this pane, with search. It works offline.",
            lambda window: window.open_help(), "F1", icon="question", menu="Help",
            words="guide manual documentation about version"),
    Command("view.context_menu", "Context menu", "Open the menu of what has the keyboard.",
            _open_context_menu, "Shift+F10", icon="list"),
    Command("view.menu", "Menu", "Open the main menu.", lambda window: window.open_menu(), "F10", icon="list"),
)  # fmt: skip
"""All commands available everywhere, except those that go to a pane."""
