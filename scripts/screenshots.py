"""Renders every pane in light and dark, at 1280x800 and 1920x1200, empty and full, into screenshots/.

``full`` is the sample project where it was made, otherwise a project with a few acts. Call: make screenshots
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent

from desktop_app.headless import picture, settle
from desktop_app.panes import PANES
from desktop_app.project_control import shipped_sample
from desktop_app.settings import Settings
from desktop_app.state import WindowState
from desktop_app.theme import Scheme, theme
from desktop_app.window import MainWindow, application

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"
SIZES = ((1280, 800), (1920, 1200))
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def render(window: MainWindow, state: str) -> int:
    """Every pane, then what floats over it; returns the number of pictures."""
    count = 0
    for width, height in SIZES:
        window.resize(width, height)
        for scheme in SCHEMES:
            theme().configure(scheme)
            ending = f"{state}-{scheme}-{width}x{height}.png"
            for spec in PANES:
                window.show_pane(spec.id)
                settle(window)
                picture(window, FOLDER / f"{spec.id}-{ending}")
                count += 1
            window.show_pane("home")
            for name, toggle in (
                ("palette", window.open_palette),
                ("keys", window.toggle_keys),
                ("jobs", window.tray.toggle),
            ):
                toggle()
                settle(window)
                picture(window, FOLDER / f"{name}-{ending}")
                toggle()
                count += 1
    return count


def main() -> int:
    """Renders everything and says where."""
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as own:
        os.environ["REJOINDER_HOME"] = own
        application()
        window = MainWindow(Settings(), WindowState())
        window.show()
        count = render(window, "empty")
        if shipped_sample() is not None:
            window.control.open_sample()
        else:
            window.control.create(Path(own) / "deep-review")
        window.control.back_up()
        settle(window)
        count += render(window, "full")
        window.stop_work()
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    print(f"{count} pictures in {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
