"""How a command ends whose output can't be written: real processes on a full disk and on a pipe that nobody reads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


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
