"""The system's reduced-motion setting, which Qt (6.11) doesn't report on any platform."""

import ctypes
import sys
from configparser import ConfigParser, Error
from pathlib import Path

import shiboken6
from PySide6.QtCore import QProcess, QStandardPaths, QVariantAnimation
from PySide6.QtGui import QGuiApplication

_reduced = False


def start(animation: QVariantAnimation) -> None:
    """Starts an animation; with reduced motion, jumps to its end."""
    animation.start()
    if _reduced:
        animation.setCurrentTime(animation.duration())


def reduced() -> bool:
    return _reduced


def read_setting(app: QGuiApplication) -> None:
    """Reads the setting of Windows, macOS, KDE or GNOME (and other desktops that use GNOME's settings)."""
    global _reduced  # noqa: PLW0603 - one setting per system
    if sys.platform == "win32":
        shown = ctypes.c_int(1)
        ctypes.windll.user32.SystemParametersInfoW(0x1042, 0, ctypes.byref(shown), 0)  # SPI_GETCLIENTAREAANIMATION
        _reduced = not shown.value
        return
    if sys.platform == "darwin":
        _read(app, "defaults", "read", "com.apple.universalaccess", "reduceMotion")
        return
    _reduced = _kde_factor() == 0
    if not _reduced:
        _read(app, "gsettings", "get", "org.gnome.desktop.interface", "enable-animations")


def _kde_factor() -> float:
    """Returns KDE's animation duration factor; 0 means no animations."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    settings = ConfigParser(interpolation=None, strict=False)
    try:
        settings.read(Path(folder) / "kdeglobals", encoding="utf-8")
        return settings.getfloat("KDE", "AnimationDurationFactor", fallback=1.0)
    except (Error, ValueError, OSError):
        return 1.0


def _read(app: QGuiApplication, program: str, *arguments: str) -> None:
    """Runs a system program asynchronously to read the setting; if it isn't installed, nothing changes."""
    found = QStandardPaths.findExecutable(program)
    if not found:
        return
    process = QProcess(app)

    def answered() -> None:
        global _reduced  # noqa: PLW0603
        if shiboken6.isValid(process):  # invalid if the application is closing
            _reduced = bytes(process.readAllStandardOutput().data()).strip() in {b"false", b"1"}
            process.deleteLater()

    process.finished.connect(answered)
    process.start(found, list(arguments))
