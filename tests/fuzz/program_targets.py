"""Targets that read PDFs, models and projects, and those that run commands."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.target import Context, one, target


@target("pdf", lambda: one("p.pdf", seeds.pdf()))
def _pdf(_folder: Path, path: Path, context: Context) -> None:
    from engine.errors import EnvironmentProblem

    for read in (context.service.parse, context.service.inspect):
        with suppress(EnvironmentProblem):
            read(path)


@target("model folder", seeds.MODEL)
def _model(folder: Path, _path: Path, _context: Context) -> None:
    from engine.errors import EnvironmentProblem
    from engine.models.folders import inspect_folder
    from engine.reviews.labels.classifier import card_learnt, card_targets, read_card
    from engine.revision.aligners.trained import card_of

    for read in (read_card, card_targets, card_learnt, card_of):
        with suppress(EnvironmentProblem):
            read(folder)
    inspect_folder(folder)


@target("project file", lambda: one("p.rejoinder", _project()))
def _project_file(folder: Path, path: Path, _context: Context) -> None:
    """Opened, looked at, undone, and merged into another; SQL is tried by ``mutate.sql``."""
    from engine.errors import EnvironmentProblem
    from engine.project import Project
    from engine.project.merge import merge_into
    from engine.reviews.store import ReviewStore

    with Project.create(folder / "other.rejoinder", "Other", "Bob") as other:
        before = len(ReviewStore(other).texts())
        try:
            merge_into(other, path)
        except EnvironmentProblem:
            assert len(ReviewStore(other).texts()) == before
    with Project.open(path) as opened:
        opened.history()
        ReviewStore(opened).texts()
        opened.undo()
        opened.redo()


_made: list[bytes] = []


def _project() -> bytes:
    import tempfile

    from engine.project import Project
    from engine.reviews.letter import read_letter
    from engine.reviews.store import ReviewStore

    if not _made:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "p.rejoinder"
            with Project.create(path, "P", "Ada") as project:
                ReviewStore(project).import_bundle(read_letter(seeds.LETTER), "l.md")
            with sqlite3.connect(path) as plain:
                plain.execute("PRAGMA journal_mode = DELETE")
            plain.close()
            _made.append(path.read_bytes())
    return _made[0]


@target(
    "commands",
    one("s.csv", seeds.SCORES),
    lambda: one("s.xlsx", seeds.xlsx()),
    one("l.md", seeds.LETTER),
    one("l.tex", seeds.TEX),
    lambda: one("l.docx", seeds.docx()),
    lambda: one("p.pdf", seeds.pdf()),
    one("e.jsonl", seeds.EDITS),
    one("p.csv", "item_a,item_b,winner,annotator\nx,y,x,ada\ny,z,z,ada\n"),
)
def _commands(folder: Path, path: Path, _context: Context) -> None:
    file = str(path)
    calls = {
        ".pdf": [("inspect", file), ("paragraphs", file)],
        ".csv": [("calibrate", file, "--method", "mean"), ("rank", file)],
        ".xlsx": [("calibrate", file, "--method", "mean")],
        ".jsonl": [
            ("align", "--comments", file, "--edits", file, "--source-paragraphs", file, "--target-paragraphs", file)
        ],
    }.get(path.suffix, [("letter", file)])
    for call in calls:
        with _command(call):
            from engine.cli.main import main

            main()


@contextmanager
def _command(arguments: tuple[str, ...]) -> Iterator[None]:
    before = sys.argv
    sys.argv = ["rejoinder", *arguments]
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
            yield
    except SystemExit as stop:
        if stop.code not in (0, 1, 2) or "Traceback" in said.getvalue():
            raise RuntimeError(f"{arguments} ended with {stop.code}: {said.getvalue()}") from stop
    finally:
        sys.argv = before
