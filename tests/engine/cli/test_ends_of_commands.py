"""How a command ends that is stopped, or whose output can't be written: real processes, signals, a full disk, a pipe
that nobody reads."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
ARCHIVE = Path(__file__).resolve().parents[2] / "archive"


def _run(stdout: int, *arguments: str) -> tuple[int, list[str]]:
    call = [sys.executable, "-m", "engine.cli.main", *arguments]
    env = os.environ | {"PYTHONUNBUFFERED": ""}  # what is left in a buffer is written when Python ends
    done = subprocess.run(call, stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8", env=env, check=False)
    return done.returncode, done.stderr.splitlines()


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(
    "arguments", [("--help",), ("calibrate", "synthetic"), ("calibrate", "synthetic", "--json")], ids=" ".join
)
def test_a_full_disk_is_one_line(arguments: tuple[str, ...]) -> None:
    with FULL.open("wb") as full:
        code, said = _run(full.fileno(), *arguments)
    assert (code, said) == (
        2,
        ["rejoinder: The disk is full. The output is incomplete. Free some space and try again."],
    )


@pytest.mark.parametrize("arguments", [("--help",), ("calibrate", "synthetic")], ids=" ".join)
def test_a_pipe_that_nobody_reads_ends_the_command_quietly(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        code, said = _run(writing, *arguments)
    finally:
        os.close(writing)
    assert (code, said) == (1, [])


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names there are always text")
def test_a_name_that_is_no_text_is_one_line_where_it_would_be_stored(tmp_path: Path) -> None:
    code, said = _run(subprocess.DEVNULL, "project", "new", os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.rejoinder"))
    assert code == 2 and len(said) == 1 and "caf\\xe9.rejoinder isn't valid UTF-8" in said[0]
    assert not [one for one in tmp_path.iterdir() if one.suffix == ".rejoinder"]


READING = """
import signal, sys
from engine.cli import main
from engine.project import Project

def read(**_options):
    with Project.open(sys.argv[1], read_only=True):
        print("reading", flush=True)
        signal.pause()

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
main.rejoinder.main = read
main.main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_stopped_leaves_no_copy_of_a_project(number: signal.Signals, tmp_path: Path) -> None:
    folder, path = tmp_path / "temporary", tmp_path / "old.rejoinder"
    folder.mkdir()
    shutil.copyfile(ARCHIVE / "schema-0005.rejoinder", path)  # it is read from a copy that was brought up to date
    env = os.environ | {"TMPDIR": str(folder)}
    with subprocess.Popen([sys.executable, "-c", READING, str(path)], stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None and process.stdout.readline() == b"reading\n"
        assert len(list(folder.glob("rejoinder-*/old.rejoinder"))) == 1
        process.send_signal(number)
        assert process.wait() == (1 if number == signal.SIGINT else 128 + number)
    assert list(folder.iterdir()) == []
