"""Another SQLite program at the live file while this one works: nothing may be missing after a crash.

Any open and close of the live file outside SQLite drops this process's locks on it (POSIX); the next program that
closes the file then takes itself for the last one and deletes the log that we still write to.

    python -m tests.engine.project.bystanders

prints {verb: {"missing": [titles], "problems": [...], "opened": [outside SQLite]}} as JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from engine.cli.project import project as project_commands
from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project, backups, last_good_backup, restore
from engine.project.merge import merge_files, merge_into
from tests.engine.project.kills import forked, in_fork, make_base, place, warm_up
from tests.engine.project.survivors import FIRST, MINE, SECOND, THEIRS

ACTS = ("after a first visit", "after a second visit")


class Working:
    """A process with the project open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.project = Project.open(path, annotator=FIRST)

    def open_again(self) -> None:
        self.project.close()
        self.project = Project.open(self.path, annotator=FIRST)

    def command(self, *arguments: object) -> object:
        done = CliRunner().invoke(project_commands, [str(argument) for argument in arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit | EnvironmentProblem):
            raise done.exception
        return done


def _beside(working: Working, name: str) -> Path:
    return working.path.with_name(name)


VERBS: dict[str, Callable[[Working], object]] = {
    "nothing": lambda w: None,
    "opening again": Working.open_again,
    "a second opening": lambda w: Project.open(w.path).close(),
    "opening for reading": lambda w: Project.open(w.path, read_only=True).close(),
    "check": lambda w: w.project.check(),
    "undo": lambda w: (w.project.undo(), w.project.redo()),
    "keep file": lambda w: w.project.put_blob(b"x" * 100_000, "application/pdf"),
    "backup": lambda w: w.project.back_up(),
    "list of backups": lambda w: (w.project.back_up(), backups(w.path), last_good_backup(w.path)),
    "copy": lambda w: w.project.save_copy(_beside(w, "copy.rejoinder")),
    "compact": lambda w: w.project.compact(),
    "history": lambda w: w.project.history(),
    "holder": lambda w: w.project.current_holder(),
    "creation over it": lambda w: Project.create(w.path),
    "restore over it": lambda w: restore(w.path, w.project.back_up().path),
    "merge into": lambda w: merge_into(w.project, _beside(w, THEIRS)),
    "merge into itself": lambda w: merge_into(w.project, w.path),
    "merge files": lambda w: merge_files(w.path, _beside(w, THEIRS), _beside(w, "out.rejoinder")),
    "merge files, second": lambda w: merge_files(_beside(w, THEIRS), w.path, _beside(w, "out.rejoinder")),
    "new command": lambda w: w.command("new", w.path),
    "info command": lambda w: w.command("info", w.path),
    "check command": lambda w: w.command("check", w.path),
    "backup command": lambda w: w.command("backup", w.path),
    "restore command": lambda w: w.project.back_up() and w.command("restore", w.path),
    "compact command": lambda w: w.command("compact", w.path),
    "merge command": lambda w: w.command("merge", w.path, _beside(w, THEIRS), "--out", _beside(w, "out.rejoinder")),
}


def read(path: Path) -> None:
    """What any program does that looks into the file."""
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        connection.execute("SELECT count(*) FROM paper").fetchall()


def write(path: Path) -> None:
    """What an editor of SQLite files does."""
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        connection.execute("UPDATE paper SET abstract = abstract || 'x' WHERE title = 'base 0'")
        connection.commit()


def visit(base: Path, folder: Path, verb: str) -> dict[str, Any]:
    """Works, lets the other program read, works, lets it write, works, kills, and looks: what is missing?"""
    shutil.copytree(base, folder)
    path = folder / MINE
    live = {os.path.realpath(path) + ending for ending in ("", "-wal", "-shm")}
    gate, opens = os.pipe()

    def work(channel: int) -> None:
        opened: list[str] = []

        def watch(event: str, arguments: tuple[Any, ...]) -> None:
            # Python's own ways to a file; what SQLite opens by itself is not reported.
            named = event == "open" and isinstance(arguments[0], str | bytes | os.PathLike)
            if named and os.path.realpath(os.fsdecode(arguments[0])) in live:
                opened.append(f"open({MINE}, {arguments[1]!r})")

        sys.addaudithook(watch)
        working = Working(path)
        PaperStore(working.project).add_paper("before")
        with suppress(EnvironmentProblem):
            VERBS[verb](working)
        for title in ACTS:
            os.write(channel, json.dumps({"opened": opened}).encode() + b"\n")
            os.read(gate, 1)
            PaperStore(working.project).add_paper(title)
        os.write(channel, json.dumps({"opened": opened}).encode() + b"\n")
        signal.pause()

    child, reading = forked(work)
    with os.fdopen(reading, "rb") as lines:
        for other in (read, write):
            event = json.loads(lines.readline())
            if "error" in event:
                break
            in_fork(partial(other, path))
            os.write(opens, b"x")
        event = event if "error" in event else json.loads(lines.readline())
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os.close(gate)
    os.close(opens)

    def look() -> dict[str, Any]:
        with Project.open(path, annotator=FIRST) as project:
            papers = {paper.title: paper for paper in PaperStore(project).papers()}
            missing = [title for title in ("base 0", "before", *ACTS) if title not in papers]
            if papers["base 0"].abstract != "x":
                missing.append("what the other program wrote")
            return {"missing": missing, "problems": project.check()}

    found: dict[str, Any] = event | in_fork(look)
    shutil.rmtree(folder)
    return found


def run() -> dict[str, dict[str, Any]]:
    """All verbs. The project was not closed properly before each."""
    root = place()
    try:
        warm_up(root)
        base = root / "base"
        base.mkdir()
        in_fork(lambda: make_base(base) and None)

        def crash(channel: int) -> None:
            Project.open(base / MINE, annotator=FIRST)
            with Project.open(base / THEIRS, annotator=SECOND) as theirs:
                PaperStore(theirs).add_paper("theirs too")
            os.kill(os.getpid(), signal.SIGKILL)

        child, reading = forked(crash)
        os.waitpid(child, 0)
        os.close(reading)
        return {verb: visit(base, root / "visited", verb) for verb in VERBS}
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    json.dump(run(), sys.stdout, indent=1)
