"""Handling of errors that reach the top level.

``EnvironmentProblem``: a banner says what happened, what it means and, where possible, offers a button that helps. Any
other exception is a bug: it also gets a banner, never a modal box, with details that can be read and copied.
"""

import logging
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QPushButton, QWidget

from desktop_app.posting import posted
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import column, row
from engine.errors import Cancelled, EnvironmentProblem

log = logging.getLogger("rejoinder")


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug in Rejoinder: a line for the banner, and the details for the report."""

    summary: str
    details: str


def version() -> str:
    try:
        return metadata.version("rejoinder")
    except metadata.PackageNotFoundError:
        return "from source"


def report_of(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Bug:
    """Creates a bug report with versions and the traceback. It adds no content of the project."""
    head = (
        f"Rejoinder {version()}, Python {platform.python_version()}, PySide6 {metadata.version('PySide6_Essentials')}, "
        f"{platform.platform()}"
    )
    lines = "".join(traceback.format_exception(kind, error, trace))
    return Bug(f"{kind.__name__} in {_place(trace)}", f"{head}\n\n{lines}")


def _place(trace: TracebackType | None) -> str:
    frames = traceback.extract_tb(trace)
    own = [f for f in frames if "desktop_app" in f.filename or "engine" in f.filename] or frames
    return f"{own[-1].name}, line {own[-1].lineno}" if own else "an unknown place"


class Problems(QObject):
    """Catches unhandled exceptions of all threads and reports them on the GUI thread."""

    environment = Signal(object)
    """An EnvironmentProblem."""
    bug = Signal(object)
    """A Bug."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._post = posted(self, Problems._sort)
        self._restore: Callable[[], None] | None = None

    def install(self) -> None:
        """Installs the exception hooks of Python and its threads and Qt's message handler; ``remove`` restores them."""
        before = (sys.excepthook, threading.excepthook)
        qt_before = qInstallMessageHandler(_qt_message)
        sys.excepthook = self.caught
        threading.excepthook = self._caught_on_thread

        def restore() -> None:
            sys.excepthook, threading.excepthook = before
            qInstallMessageHandler(qt_before)

        self._restore = restore

    def remove(self) -> None:
        if self._restore is not None:
            self._restore()
            self._restore = None

    def caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        self._sort(kind, error, trace)

    def _caught_on_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._post(args.exc_type, args.exc_value, args.exc_traceback)

    def _sort(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, Cancelled):
            return
        if isinstance(error, EnvironmentProblem):
            self.environment.emit(error)
            return
        bug = report_of(kind, error, trace)
        log.error("%s\n%s", bug.summary, bug.details)
        self.bug.emit(bug)


_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def _qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    logging.getLogger("qt").log(_LEVELS[kind], "%s (%s)", message, context.category or "default")


class BugReport(QDialog):
    """Shows the details of a bug for reading and copying, without blocking the window."""

    def __init__(self, bug: Bug, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(False)
        self.setWindowTitle("Error report")
        self.setAccessibleName("Error report")
        self.resize(720, 460)
        words = (
            "This is a bug in Rejoinder, not a problem with your work. Your earlier changes are saved. "
            "Nothing is sent: to share the report, copy it. It contains no text from your project "
            "unless the error message quotes some."
        )
        self.details = named(QPlainTextEdit(bug.details, self, readOnly=True), "Report")
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.copy = named(QPushButton("Copy report", self), "Copy report")
        self.copy.clicked.connect(lambda _checked=False: QGuiApplication.clipboard().setText(bug.details))
        close = named(QPushButton("Close", self), "Close")
        close.clicked.connect(self.close)
        column(
            text_label(words, wrap=True, parent=self), (self.details, 1), row(None, self.copy, close),
            margins=(16, 16, 16, 16), spacing=12, of=self,
        )  # fmt: skip
