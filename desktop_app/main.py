"""Entry point of the desktop application: ``rejoinder-desktop [PROJECT] [--sample]``.

Imports no model library and no pane, so that the window appears within a second.
"""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.system_libraries import (
    LIBRARIES,
    X11_LIBRARIES,
    advice,
    missing_packages,
    window_libraries,
    x_server_answers,
)

if TYPE_CHECKING:
    from desktop_app.window import MainWindow

_TITLE_BAR = 40


def has_display(environment: os._Environ[str] | dict[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Returns whether a window can be shown, or a Qt platform was set explicitly."""
    if not system.startswith("linux") or environment.get("QT_QPA_PLATFORM"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def _missing_for_qt() -> list[str]:
    """Returns the missing packages if Qt can't be imported; otherwise none, wherever its libraries are installed."""
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError:
        return missing_packages(LIBRARIES)
    return []


def main(arguments: Sequence[str] | None = None) -> int:
    """Opens the window, or runs headless without a display. Returns the exit code: 0 done, 1 failed, 2 can't start."""
    parser = argparse.ArgumentParser(prog="rejoinder-desktop", description="An offline workbench for peer review.")
    parser.add_argument("project", nargs="?", help="a project, work package, survey, or results file to open")
    parser.add_argument("--sample", action="store_true", help="open your own copy of the sample project")
    from desktop_app.panes import PANES

    parser.add_argument("--pane", choices=[spec.id for spec in PANES], help="the pane to show first")
    chosen = parser.parse_args(arguments)
    # Set on the handler because some libraries set lower levels on their own loggers.
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    logging.basicConfig(handlers=[handler], format="%(levelname)s %(name)s: %(message)s")
    # If one is missing, Qt aborts instead of raising an error.
    libraries = window_libraries()
    packages = missing_packages(libraries) or _missing_for_qt()
    if packages:
        sys.stderr.write(advice(packages))
        return 2
    display = has_display()
    if libraries is X11_LIBRARIES and not x_server_answers():
        sys.stderr.write(f"The display {os.environ['DISPLAY']} isn't responding.\n")
        display = False
    if not display:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        from desktop_app.headless import run

        return run(chosen.project, sample=chosen.sample)

    from desktop_app.project_control import RESULTS_SUFFIX
    from desktop_app.window import MainWindow, application

    app = application()
    window = MainWindow()
    window.problems.install()
    close_on_signals(window)
    if chosen.sample:
        window.control.open_sample()
    elif chosen.project:
        if Path(chosen.project).suffix == RESULTS_SUFFIX:
            window.resume()  # results are imported into a project: the last one, if the settings allow reopening it
        window.open_path(chosen.project)
    else:
        window.resume()
    if chosen.pane:
        window.show_pane(chosen.pane)
    show_whole(window)
    return app.exec()


def close_on_signals(window: "MainWindow") -> None:
    """Closes the window normally on Ctrl+C in the terminal or the end of the session, so that text being typed is saved
    and temporary files are removed. The same signal again ends the program immediately."""
    from PySide6.QtCore import QSocketNotifier
    from PySide6.QtWidgets import QApplication

    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        return
    heard, wake = os.pipe()  # lets Python's signal handlers run while Qt waits for events
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    QSocketNotifier(heard, QSocketNotifier.Type.Read, QApplication.instance()).activated.connect(
        lambda: os.read(heard, 16)
    )

    def close(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        window.stop_work()
        if window.close():
            QApplication.quit()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, close)


def show_whole(window: "MainWindow") -> None:
    """Shows the window with its previous geometry, shifted if another process shows a window. A window that doesn't fit
    on the screen with its frame is maximized, such as one that was last used on a larger screen."""
    screen, step = window.screen().availableGeometry(), _TITLE_BAR
    room = screen.size()
    if not window.state.alone():
        beside = window.frameGeometry().translated(step, step)
        window.move(beside.topLeft() if screen.contains(beside) else screen.topLeft())
    new = window.state.bytes("geometry").isEmpty()
    # Qt makes a window from a larger screen as high as this one, without its title bar.
    if room.height() < window.height() + (_TITLE_BAR if new else 1) or (new and room.width() < window.width()):
        window.showMaximized()
    else:
        window.show()


if __name__ == "__main__":
    sys.exit(main())
