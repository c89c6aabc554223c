"""Reduced motion follows the system: what would slide is at its end at once."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject, QProcess, QVariantAnimation
from PySide6.QtWidgets import QApplication, QScrollBar
from pytestqt.qtbot import QtBot

from desktop_app import motion
from desktop_app.widgets.pdf_canvas import Glide

ROOT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems keep their setting elsewhere")


@pytest.fixture(autouse=True)
def setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A system without any setting; yields the folder of its programs and settings."""
    monkeypatch.setattr(motion, "_reduced", False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    yield tmp_path


def read(app: QApplication, qtbot: QtBot, *, reduced: bool) -> None:
    motion.read_setting(app)
    qtbot.waitUntil(lambda: motion._reduced is reduced)


@linux
def test_the_setting_of_gnome_is_read_and_read_again(qapp: QApplication, qtbot: QtBot, setting: Path) -> None:
    program = setting / "gsettings"
    for says, reduced in (("false", True), ("true", False)):
        program.write_text(f"#!/bin/sh\n[ $3 = enable-animations ] && echo {says}\n")
        program.chmod(0o755)
        read(qapp, qtbot, reduced=reduced)


@linux
@pytest.mark.parametrize(("factor", "reduced"), [("0", True), ("0.5", False), ("much", False)])
def test_the_setting_of_kde_is_read(
    qapp: QApplication, qtbot: QtBot, setting: Path, factor: str, reduced: bool
) -> None:
    (setting / "kdeglobals").write_text(f"[General]\nx=%1\n[KDE]\nAnimationDurationFactor={factor}\n")
    read(qapp, qtbot, reduced=reduced)


@linux
@pytest.mark.qt_log_ignore("QProcess: Destroyed while process")
def test_an_application_that_ends_before_the_answer_says_nothing(setting: Path, qtbot: QtBot) -> None:
    program = setting / "gsettings"
    program.write_text("#!/bin/sh\nread forever\n")
    program.chmod(0o755)
    ending = QObject()
    motion.read_setting(ending)  # type: ignore[arg-type]
    (process,) = ending.findChildren(QProcess)
    qtbot.waitUntil(lambda: process.state() == QProcess.ProcessState.Running)
    shiboken6.delete(ending)  # errors in slots fail a test


@pytest.mark.parametrize("reduced", [False, True])
def test_pages_glide_or_are_there_at_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, reduced: bool) -> None:
    monkeypatch.setattr(motion, "_reduced", reduced)
    bar = QScrollBar()
    qtbot.addWidget(bar)
    bar.setRange(0, 1000)
    glide = Glide(bar)
    glide.by(300)
    assert (bar.value() == 300, glide.state() == QVariantAnimation.State.Stopped) == (reduced, reduced)
    qtbot.waitUntil(lambda: bar.value() == 300)


def test_every_animation_is_started_where_the_setting_is_known() -> None:
    for file in (ROOT / "desktop_app").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if file.name != "motion.py" and re.search(r"Q(Variant|Property|\w*Group)Animation\(|AnimationGroup\(", text):
            assert "motion.start(" in text and "_slide.start()" not in text and "self.start()" not in text, file
        assert not re.search(r"setAnimated\(True|setEffectEnabled\([^)]*True", text), file
