"""The desktop application's entry: ``rejoinder-desktop [PROJECT] [--sample]``.

Imports no model library and no pane: the window stands within a second.
"""

from __future__ import annotations

import argparse
import ctypes.util
import logging
import os
import sys
from collections.abc import Sequence

# What Qt's window plugin for X11 loads at run time and its wheel does not bring: library, Debian package.
XCB_LIBRARIES = (
    ("xcb-cursor", "libxcb-cursor0"),
    ("xcb-icccm", "libxcb-icccm4"),
    ("xcb-image", "libxcb-image0"),
    ("xcb-keysyms", "libxcb-keysyms1"),
    ("xcb-render-util", "libxcb-render-util0"),
    ("xcb-shape", "libxcb-shape0"),
    ("xcb-xinerama", "libxcb-xinerama0"),
    ("xcb-xkb", "libxcb-xkb1"),
    ("xcb-randr", "libxcb-randr0"),
    ("xkbcommon-x11", "libxkbcommon-x11-0"),
)


def has_display(environment: os._Environ[str] | dict[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Whether a window can be shown, or Qt was told which platform to use."""
    if not system.startswith("linux") or environment.get("QT_QPA_PLATFORM"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def missing_packages() -> list[str]:
    """The Debian packages that a window on X11 needs and that are not there."""
    return [package for library, package in XCB_LIBRARIES if ctypes.util.find_library(library) is None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Opens the window (or does the same job headless); returns the exit code: 0 done, 1 fell short, 2 wrong call."""
    parser = argparse.ArgumentParser(prog="rejoinder-desktop", description="An offline workbench for peer review.")
    parser.add_argument("project", nargs="?", help="a .rejoinder file to open")
    parser.add_argument("--sample", action="store_true", help="open your own copy of the sample project")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
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
