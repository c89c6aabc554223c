"""``rejoinder project``, each verb, with its JSON and exit codes."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import COMMANDS
from engine.papers.store import PaperStore
from engine.project import Project
from tests.command_line import rejoinder

HOLDER = """
import signal, sys
from pathlib import Path
from engine.project import Project
project = Project.open(Path(sys.argv[1]))
print("open", flush=True)
signal.pause()
"""


def document(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode in {0, 1}, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.rejoinder"


def test_a_life_of_a_project(path: Path) -> None:
    made = document(rejoinder("project", "new", path, "--title", "A study", "--json"))
    assert made["title"] == "A study" and Path(made["path"]) == path
    with Project.open(path) as project:
        PaperStore(project).add_paper("Counting bicycles")
    found = document(rejoinder("project", "info", path, "--json"))
    assert found["rows"]["paper"] == 1 and found["steps"] == 1 and found["id"] == made["id"]
    without = rejoinder("project", "restore", path)
    assert without.returncode == 2 and "Nothing was restored. Choose one with --from" in without.stderr
    backup = document(rejoinder("project", "backup", path, "--json"))
    assert Path(backup["path"]).stat().st_size == backup["bytes"]
    with Project.open(path) as project:
        PaperStore(project).add_paper("A later paper")
    restored = document(rejoinder("project", "restore", path, "--json"))
    assert restored["from"] == backup["path"]
    with Project.open(path) as project:
        assert [paper.title for paper in PaperStore(project).papers()] == ["Counting bicycles"]
    with Project.open(Path(restored["kept"])) as project:
        assert len(PaperStore(project).papers()) == 2
    assert document(rejoinder("project", "compact", path, "--json"))["bytes"] == path.stat().st_size
    assert document(rejoinder("project", "check", path, "--json"))["sound"] is True


def test_a_damaged_project_is_exit_1_and_names_its_backup(path: Path) -> None:
    rejoinder("project", "new", path)
    rejoinder("project", "backup", path)
    path.write_bytes(path.read_bytes()[:5000])
    done = rejoinder("project", "check", path, "--json")
    assert done.returncode == 1
    heard = document(done)
    assert not heard["sound"] and heard["problems"] and len(heard["backups"]) == 1


@pytest.mark.parametrize("verb", ["info", "check", "backup", "compact", "open", "close"])
def test_what_is_not_there_is_exit_2_and_one_line(verb: str, path: Path) -> None:
    done = rejoinder("project", verb, path)
    if verb == "check":
        assert done.returncode == 1 and "no project" in done.stdout
        return
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1 and "There is no project" in done.stderr


def test_a_file_with_a_program_of_its_own_is_salvaged(path: Path, tmp_path: Path) -> None:
    rejoinder("project", "new", path)
    with Project.open(path) as project:
        PaperStore(project).add_paper("kept")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON action BEGIN DELETE FROM paper; END")
    refused = rejoinder("project", "info", path)
    assert refused.returncode == 2 and "trigger t" in refused.stderr and "Traceback" not in refused.stderr
    out = tmp_path / "clean.rejoinder"
    done = rejoinder("project", "salvage", path, "--out", out, "--json")
    assert done.returncode == 0 and document(done)["left_out"] == []
    with Project.open(out) as project:
        assert [paper.title for paper in PaperStore(project).papers()] == ["kept"]
    again = rejoinder("project", "salvage", path, "--out", out)
    assert again.returncode == 2 and "already exists" in again.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_output_is_utf_8_whatever_the_locale_says_and_the_name_of_the_file_is(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff\xe2\x82\xac.rejoinder")
    Project.create(path, "A paper", "Ada").close()
    assert document(rejoinder("project", "check", path, "--json"))["path"] == str(path)
    assert f"No problems found in {tmp_path}/\\udcff€.rejoinder." in rejoinder("project", "check", path).stdout
    path.unlink()
    assert "\\udcff€.rejoinder" in rejoinder("project", "info", path).stderr


def test_close_ends_the_process_that_holds_it(path: Path) -> None:
    rejoinder("project", "new", path)
    assert document(rejoinder("project", "close", path, "--json"))["was_open"] is False
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline().startswith("open")
    done = document(rejoinder("project", "close", path, "--json"))
    assert done["was_open"] and done["closed"]
    assert holder.wait() != 0
    holder.stdout.close()
    with Project.open(path) as project:
        assert not project.read_only


def test_every_command_is_listed_and_has_help() -> None:
    listed = rejoinder("--help").stdout
    for name, (_, _, line) in COMMANDS.items():
        assert name in listed and line.split()[0] in listed
        helped = rejoinder(name, "--help")
        assert helped.returncode == 0 and "Usage:" in helped.stdout, name
        assert "..." not in helped.stdout.partition("\nCommands:\n")[2], "sentences in lists are whole"


def test_a_wrong_call_is_exit_2() -> None:
    assert rejoinder("nonsense").returncode == 2
    done = rejoinder("project", "new")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == "rejoinder project new: Missing argument 'PATH'. Try 'rejoinder project new --help'.\n"
    assert rejoinder("--version").stdout.startswith("rejoinder, version ")
