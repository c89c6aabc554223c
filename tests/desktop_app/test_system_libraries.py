"""Missing system libraries and fonts are found before Qt trips over them, with no package of the environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app import system_libraries as system

SCRIPT = Path(system.__file__)


def test_a_library_that_cannot_be_loaded_is_missing() -> None:
    table = (("libno-such-thing.so.7", "libnothing7"), ("libno-other.so.1", "libnothing7"), ("libc.so.6", "libc6"))
    assert system.missing_packages(table) == ["libnothing7"]


def test_the_display_decides_what_a_window_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert system.window_libraries({}) == ()
    assert system.window_libraries({"DISPLAY": ":0"}) == system.X11_LIBRARIES
    assert system.window_libraries({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}) == system.WAYLAND_LIBRARIES
    assert system.window_libraries({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}) == ()
    both = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}
    assert system.window_libraries({**both, "QT_QPA_PLATFORM": "xcb"}) == system.X11_LIBRARIES
    monkeypatch.setattr(sys, "platform", "darwin")
    assert system.window_libraries({"DISPLAY": ":0"}) == ()


def test_fonts_are_looked_for_in_all_folders(tmp_path: Path) -> None:
    deep = tmp_path / "truetype" / "dejavu"
    deep.mkdir(parents=True)
    (deep / "fonts.dir").touch()
    assert system.fonts_missing([tmp_path / "none", tmp_path])
    (deep / "Sans.TTF").touch()
    assert not system.fonts_missing([tmp_path / "none", tmp_path])


def test_it_runs_on_a_bare_interpreter() -> None:
    """As environment.sh calls it, before anything is installed."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), "--window"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    known = {package for _, package in system.LIBRARIES + system.X11_LIBRARIES + system.WAYLAND_LIBRARIES}
    assert set(done.stdout.split()) <= known | {system.FONTS}
