"""Whether the system is set to show less motion. Qt (6.11) reports that on no platform, so it is read here."""

import ctypes
import sys
from configparser import ConfigParser, Error
from pathlib import Path

import shiboken6
from PySide6.QtCore import QProcess, QStandardPaths, QVariantAnimation
from PySide6.QtGui import QGuiApplication

_reduced = False


def start(animation: QVariantAnimation) -> None:
    """Starts an animation; with reduced motion it is at its end at once."""
    animation.start()
    if _reduced:
        animation.setCurrentTime(animation.duration())


def reduced() -> bool:
    """Whether nothing should move by itself."""
    return _reduced


def read_setting(app: QGuiApplication) -> None:
    """Reads the setting of Windows, macOS, KDE or GNOME (and others that use its settings)."""
    global _reduced  # noqa: PLW0603 - one system, one setting
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
    """By how much KDE lengthens animations; 0 shows none."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    settings = ConfigParser(interpolation=None, strict=False)
    try:
        settings.read(Path(folder) / "kdeglobals", encoding="utf-8")
        return settings.getfloat("KDE", "AnimationDurationFactor", fallback=1.0)
    except (Error, ValueError, OSError):
        return 1.0


def _read(app: QGuiApplication, program: str, *arguments: str) -> None:
    """Asks a program of the system without waiting for it; where there is none, motion stays as it is."""
    found = QStandardPaths.findExecutable(program)
    if not found:
        return
    process = QProcess(app)

    def answered() -> None:
        global _reduced  # noqa: PLW0603
        if shiboken6.isValid(process):  # else the application ends before there is an answer
            _reduced = bytes(process.readAllStandardOutput().data()).strip() in {b"false", b"1"}
            process.deleteLater()

    process.finished.connect(answered)
    process.start(found, list(arguments))
