"""All file dialogs of the window. None of them opens files in the folder it shows.

SQLite protects the open project with POSIX locks, which belong to the process: if this process opens and closes the
project file in any other way, all of its locks on that file are lost (fcntl(2), "How To Corrupt An SQLite Database
File", section 2.2). File dialogs do that to every file they list to determine its type: Qt's by QMimeDatabase, GTK's by
GIO's content types and by previews.
"""

import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QFileInfo, QStandardPaths, Qt
from PySide6.QtGui import QAbstractFileIconProvider, QIcon
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QHeaderView, QListView, QToolButton, QTreeView, QWidget

from desktop_app.engine_bridge import EngineBridge
from desktop_app.theme import theme
from desktop_app.widgets.dialogs import fit
from desktop_app.widgets.labels import set_role
from engine import user_files

_TYPES = {
    "pdf": ("PDF document", "file-pdf"), "docx": ("Word document", "file-text"), "xlsx": ("Excel workbook", "table"),
    "csv": ("CSV file", "table"), "md": ("Markdown file", "file-text"), "txt": ("Text file", "file-text"),
    "rejoinder": ("Rejoinder project", "notebook"), "rejoinder-study": ("Rejoinder study", "clipboard-text"),
    "rejoinder-package": ("Rejoinder work package", "package"),
    "rejoinder-results": ("Results of a work package", "clipboard-text"),
    "rejoinder-answers": ("Rejoinder answers", "clipboard-text"),
}  # fmt: skip
"""Name of the type and icon, by suffix in lower case."""
_TOOLS = {
    "backButton": "arrow-left", "forwardButton": "arrow-right", "toParentButton": "arrow-up",
    "newFolderButton": "folder-plus", "listModeButton": "squares-four", "detailModeButton": "list-bullets",
}  # fmt: skip
"""Icons in the window's style for buttons of Qt's dialog, by their object names."""
_KIND = 2
"""The file dialog's column with the type."""
_UNFIT = re.compile(r"[\x00-\x1f/\\:]+")
_DROPPED = re.compile(r'[*?"<>|]+')
LONGEST_NAME = 100
"""Maximum length of a suggested name without suffix; file systems allow 255 bytes in total."""


def file_filter(words: str, endings: Iterable[str]) -> str:
    """Returns a dialog filter for files with these endings, and for all files."""
    return f"{words} ({' '.join(f'*.{ending}' for ending in endings)});;All files (*)"


class ClosedFileIcons(QAbstractFileIconProvider):
    """Provides icons and type names by suffix or folder, without opening files."""

    def icon(self, what: QFileInfo | QAbstractFileIconProvider.IconType) -> QIcon:
        kinds = QAbstractFileIconProvider.IconType
        if isinstance(what, QFileInfo):
            name = "folder" if what.isDir() else _TYPES.get(what.suffix().lower(), ("", "file"))[1]
        else:
            other = {kinds.File: "file", kinds.Computer: "desktop", kinds.Drive: "hard-drives", kinds.Trashcan: "trash"}
            name = other.get(what, "folder")
        return theme().icon(name, "muted")

    def type(self, info: QFileInfo) -> str:
        return "Folder" if info.isDir() else _type(info.suffix())


def _type(suffix: str) -> str:
    return _TYPES.get(suffix.lower(), (f"{suffix.upper()} file" if suffix else "File", ""))[0]


@cache
def _icons() -> ClosedFileIcons:
    """Cached for the whole run, since dialogs don't own their provider."""
    return ClosedFileIcons()


def _dress(dialog: QFileDialog) -> None:
    """Applies the window's style to Qt's own dialog."""
    # Setting them again makes the side bar take its icons from our provider.
    dialog.setSidebarUrls(dialog.sidebarUrls())
    for name, icon in _TOOLS.items():
        button = dialog.findChild(QToolButton, name)
        if isinstance(button, QToolButton):
            button.setIcon(theme().icon(icon))
    for box in dialog.findChildren(QDialogButtonBox):
        for choice in box.buttons():
            choice.setIcon(QIcon())
            if box.buttonRole(choice) == QDialogButtonBox.ButtonRole.AcceptRole:
                set_role(choice, "primary")
    for table in dialog.findChildren(QTreeView):
        header = table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.hideSection(_KIND)  # icon and suffix show the type, and names need the width
    for places in dialog.findChildren(QListView, "sidebar"):
        places.setMinimumWidth(theme().px(118))
    fit(dialog, theme().px(820), theme().px(500))


def documents_folder() -> Path:
    """The user's documents folder, or else the home folder."""
    documents = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    return documents if documents.is_dir() else Path.home()


def file_dialog(
    parent: QWidget, title: str, folder: Path, filters: str = "", *, saves: bool = False, several: bool = False
) -> QFileDialog:
    """Returns a dialog that shows ``folder`` and is deleted when closed: for an existing file (``several``: one or
    more) or, with ``saves``, for saving. ``filters`` as in QFileDialog, "" for all files."""
    # Native dialogs on Unix may run in this process (GTK's does) and read the files they list. The attribute is needed
    # before the dialog's constructor. Windows has no POSIX locks that could be lost.
    native = sys.platform == "win32"
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, not native)
    # No folder yet: the provider must be set before anything is listed.
    dialog = QFileDialog(parent, title)
    dialog.setIconProvider(_icons())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if saves:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setLabelText(QFileDialog.DialogLabel.LookIn, "Save in:")
    modes = QFileDialog.FileMode
    dialog.setFileMode(modes.AnyFile if saves else modes.ExistingFiles if several else modes.ExistingFile)
    dialog.setNameFilter(filters or "All files (*)")
    dialog.setDirectory(str(folder))
    if not native:
        _dress(dialog)
    return dialog


def save_dialog(
    parent: QWidget, title: str, folder: Path, filters: str, *, suffix: str, name: str = "", overwrites: bool = True
) -> QFileDialog:
    """Returns a dialog for saving. ``suffix`` (no dot) is added to names without one; ``name`` is suggested.

    Asks before overwriting, unless ``overwrites=False``, for callers that never overwrite.
    """
    dialog = file_dialog(parent, title, folder, filters, saves=True)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not overwrites)
    dialog.setDefaultSuffix(suffix)
    if name:
        dialog.selectFile(name)
    return dialog


def file_name(words: str, ending: str = "") -> str:
    """Returns a name that is valid in every file system: "A/B tests?" → "A-B tests.csv"."""
    stem = _UNFIT.sub("-", _DROPPED.sub("", words.removesuffix(ending)).strip()).strip(" .")
    return (stem[:LONGEST_NAME].rstrip(" .") or "untitled") + ending


class FileDialogs:
    """Asks for files and folders, for one window. A dialog starts in the folder last used for the same kind of file,
    else that of the open project, else the documents folder."""

    def __init__(self, bridge: EngineBridge) -> None:
        self._bridge = bridge
        self._last: dict[str, Path] = {}

    def open_file(self, parent: QWidget, title: str, filters: str) -> Path | None:
        return next(iter(self._ask(file_dialog(parent, title, self.start_folder(filters), filters), filters)), None)

    def open_files(self, parent: QWidget, title: str, filters: str) -> list[Path]:
        """Asks for existing files in one folder; empty if cancelled."""
        return self._ask(file_dialog(parent, title, self.start_folder(filters), filters, several=True), filters)

    def save_file(self, parent: QWidget, title: str, stem: str, ending: str) -> Path | None:
        """Asks where to save a file; None if cancelled.

        ``stem`` and ``ending`` (".csv") form the suggested name; ``stem`` may be any text.
        """
        suffix = ending.removeprefix(".")
        filters = f"{_type(suffix)} (*{ending})"
        folder = self.start_folder(filters)
        name = file_name(stem, ending)
        dialog = save_dialog(parent, title, folder, filters, suffix=suffix, name=name)
        return next(iter(self._ask(dialog, filters)), None)

    def choose_folder(self, parent: QWidget, title: str) -> Path | None:
        dialog = file_dialog(parent, title, self.start_folder(title))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setLabelText(QFileDialog.DialogLabel.FileName, "Folder:")
        return next(iter(self._ask(dialog, title)), None)

    def start_folder(self, kind: str) -> Path:
        """Returns the folder in which a dialog for this kind of file starts."""
        project = self._bridge.project
        places = [self._last.get(kind)]
        # The data folder contains only the copy of the sample and answers to surveys.
        if project is not None and not project.path.is_relative_to(user_files.data_folder()):
            places.append(project.path.parent)
        return next((place for place in places if place is not None and place.is_dir()), documents_folder())

    def _ask(self, dialog: QFileDialog, kind: str) -> list[Path]:
        folder_wanted = dialog.fileMode() == QFileDialog.FileMode.Directory
        # By signal, because the dialog is deleted when it closes.
        chosen: list[str] = []
        dialog.filesSelected.connect(chosen.extend)
        dialog.exec()
        paths = [Path(name) for name in chosen]
        if paths:
            self._last[kind] = paths[0] if folder_wanted else paths[0].parent
        return paths
