"""Nothing is lost when the process is killed or the power goes, whatever it was doing. 1,000 kills: ``make bench``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.engine.project.survivors import CATEGORIES, Model

ROOT = Path(__file__).resolve().parents[3]
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork a process")
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


def _run(module: str, **options: float) -> dict[str, Any]:
    # In a process of its own: one that has threads or open databases must not be forked.
    named = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    command = [sys.executable, "-m", f"tests.engine.project.{module}", *named]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@needs_fork
def test_fifty_kills_lose_nothing() -> None:
    figures = _run("kills", kills=50, seed=20261121, calls=0.4 if shutil.which("strace") else 0)
    assert figures["violations"] == dict.fromkeys(CATEGORIES, 0), "\n".join(figures["examples"])
    assert figures["kills"] == 50 and figures["acknowledged"] > 100
    assert 50 - figures["interrupted"].get("between verbs", 0) >= 15, "too few kills came in the middle of a verb"
    assert len(figures["interrupted"]) >= 8


@needs_fork
@needs_strace
def test_twenty_power_cuts_lose_nothing() -> None:
    figures = _run("power_loss", cuts=20, seed=20261121)
    assert figures["violations"] == dict.fromkeys(CATEGORIES, 0), "\n".join(figures["examples"])
    assert (figures["ordered"], figures["loose"]) == (10, 10)


def test_an_act_is_on_the_disk_before_it_is_done(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from engine.project import Project\n"
        "synced = []; real = os.fsync; os.fsync = lambda handle: synced.append(real(handle))\n"
        "with Project.create(Path(sys.argv[1]), '', 'Ada') as project:\n"
        "    print(project.query('PRAGMA synchronous')[0][0], bool(synced))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "p.rejoinder")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "True"], "2 is FULL"


def test_the_model_knows_undo_redo_and_typing() -> None:
    model = Model().act({"a": "1"}).act({"b": ""}).act({"b": "x"}, "key").act({"b": "xy"}, "key")
    assert [step[0] for step in model.steps] == ["d", "d", "d"] and model.content == {"a": "1", "b": "xy"}
    undone = model.at_step(1)
    assert undone.content == {"a": "1", "b": ""} and undone.reachable() == [0, 1, 2] and undone.done() == [0, 1]
    assert undone.at_step(2).face() == model.face() != undone.face()
    other = undone.act({"c": ""}, "key")
    assert [step[0] for step in other.steps] == ["d", "d", "a", "d"] and other.reachable() == [0, 1, 3]
    assert other.at_step(-1).content == {}
