"""The desktop application's entry: ``rejoinder-desktop [PROJECT] [--sample]``.

Imports no model library and no pane: the window stands within a second.
"""

from __future__ import annotations

import argparse
import ctypes
import logging
import os
import signal
import sys
from collections.abc import Sequence

# What Qt's window plugin for X11 loads at run time and its wheel does not bring: library, Debian package.
XCB_LIBRARIES = (
    ("libX11-xcb.so.1", "libx11-xcb1"),
    ("libxcb-cursor.so.0", "libxcb-cursor0"),
    ("libxcb-icccm.so.4", "libxcb-icccm4"),
    ("libxcb-image.so.0", "libxcb-image0"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1"),
    ("libxcb-randr.so.0", "libxcb-randr0"),
    ("libxcb-render.so.0", "libxcb-render0"),
    ("libxcb-render-util.so.0", "libxcb-render-util0"),
    ("libxcb-shape.so.0", "libxcb-shape0"),
    ("libxcb-shm.so.0", "libxcb-shm0"),
    ("libxcb-sync.so.1", "libxcb-sync1"),
    ("libxcb-util.so.1", "libxcb-util1"),
    ("libxcb-xfixes.so.0", "libxcb-xfixes0"),
    ("libxcb-xkb.so.1", "libxcb-xkb1"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
)


def has_display(environment: os._Environ[str] | dict[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Whether a window can be shown, or Qt was told which platform to use."""
    if not system.startswith("linux") or environment.get("QT_QPA_PLATFORM"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def missing_packages() -> list[str]:
    """The Debian packages that a window on X11 needs and that are not there."""
    return [package for library, package in XCB_LIBRARIES if not _loads(library)]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Opens the window (or does the same job headless); returns the exit code: 0 done, 1 fell short, 2 wrong call."""
    parser = argparse.ArgumentParser(prog="rejoinder-desktop", description="An offline workbench for peer review.")
    parser.add_argument("project", nargs="?", help="a .rejoinder file to open")
    parser.add_argument("--sample", action="store_true", help="open your own copy of the sample project")
    chosen = parser.parse_args(arguments)
    # On the handler, since some libraries set a lower level on loggers of their own.
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    logging.basicConfig(handlers=[handler], format="%(levelname)s %(name)s: %(message)s")
    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        from desktop_app.headless import run

        return run(chosen.project, sample=chosen.sample)
    x11 = sys.platform.startswith("linux") and not os.environ.get("WAYLAND_DISPLAY")
    if x11 and not os.environ.get("QT_QPA_PLATFORM"):
        packages = missing_packages()
        if packages:
            sys.stderr.write(
                "The window needs system libraries that are missing here. Install them with:\n"
                f"  sudo apt-get install {' '.join(packages)}\n"
            )
            return 2

    from desktop_app.window import MainWindow, application

    # Ctrl+C in the terminal ends the program at once: every act is saved already.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    app = application()
    window = MainWindow()
    window.problems.install()
    if chosen.sample:
        window.control.open_sample()
    elif chosen.project:
        window.open_path(chosen.project)
    else:
        window.resume()
    window.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
