"""``rejoinder doctor``: what is there, what is missing, and how to get it."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli import doctor as room
from engine.cli.doctor import doctor


def test_everything_is_named(own_home: Path) -> None:
    done = CliRunner().invoke(doctor, ["--json"])
    found = json.loads(done.output)
    assert done.exit_code == (1 if found["missing"] else 0)
    assert found["version"] == metadata.version("rejoinder")
    assert found["packages"]["torch"] == metadata.version("torch")
    assert found["device"]["processors"] >= 1 and found["device"]["name"] in {"cpu", "cuda", "mps"}
    assert found["network"] == "none"
    assert found["cache"]["folder"].startswith(str(own_home))
    assert "Network: none" in CliRunner().invoke(doctor).output


def test_what_is_missing_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    (own_home / "cache").write_text("in the way")
    monkeypatch.setattr(room, "models", tuple)
    monkeypatch.setattr("engine.reviews.labels.heads.shipped_folder", lambda: own_home / "no-heads")
    monkeypatch.setattr(room, "_PACKAGES", ("torch", "PySide6-Essentials", "no-such-package-at-all"))
    monkeypatch.setattr(room, "_window_problem", lambda: "The window cannot be opened (libEGL.so.1). Run make env.")
    done = CliRunner().invoke(doctor, ["--json"])
    missing = " ".join(json.loads(done.output)["missing"])
    assert done.exit_code == 1
    for word in ("no-such-package-at-all", "sentence encoder", "no heads", "libEGL.so.1", "cannot be written to"):
        assert word in missing
    assert "MISSING:" in CliRunner().invoke(doctor).output
