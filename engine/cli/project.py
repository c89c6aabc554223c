"""``rejoinder project``: the care of project files."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click

from engine.cli.erase_and_share import erase, share
from engine.cli.output import PATH, answer, emit, fields, json_option, path_argument, remark
from engine.cli.packages import packages
from engine.cli.project_formats import export_command, import_from
from engine.cli.project_tables import frame, query, rows, tables
from engine.errors import BadInput
from engine.project import Project, backups, restore
from engine.project.backup import file_problems
from engine.project.database import schema_of
from engine.project.lock import WriterLock
from engine.project.records import Backup
from engine.shown import counted


@click.group()
def project() -> None:
    """Create, check, read, export, import, back up and compact project files."""


project.add_command(erase)
project.add_command(share)
for _command in (packages, tables, rows, query, frame, export_command, import_from):
    project.add_command(_command)


@project.command()
@path_argument
@click.option("--title", default="", help="The project's title. Default: the file name.")
@json_option
def new(path: Path, title: str, as_json: bool) -> None:
    """Create a new project file. Existing files are never overwritten."""
    with Project.create(path, title) as made:
        document = {"path": str(made.path), "id": made.id, "title": made.title}
    answer(document, as_json, f"Created {document['path']}")


@project.command("open")
@path_argument
def open_command(path: Path) -> None:
    """Open a project in the window."""
    schema_of(path)
    sys.exit(subprocess.run([sys.executable, "-m", "desktop_app.main", str(path)], check=False).returncode)


@project.command()
@path_argument
@click.option("--wait", default=10.0, show_default=True, help="Seconds to wait for the other process to quit.")
@json_option
def close(path: Path, wait: float, as_json: bool) -> None:
    """Ask the Rejoinder process that has a project open on this computer to quit. Nothing is lost, since everything
    is saved."""
    import platform

    import psutil

    with Project.open(path, read_only=True) as opened:
        holder = opened.current_holder()
    document: dict[str, object] = {"path": str(path), "was_open": holder is not None, "closed": True}
    if holder is not None:
        if holder.host != platform.node():
            raise BadInput(f"{path.name} is open on another computer.", holder.sentence(), "Close it there.")
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            psutil.Process(holder.process).terminate()
        lock = WriterLock(path.absolute())
        document["closed"] = lock.acquire(wait)
        lock.release()
    if as_json:
        emit(document)
    else:
        click.echo("It was not open." if holder is None else "Closed." if document["closed"] else "It is still open.")
    sys.exit(0 if document["closed"] else 1)


@project.command()
@path_argument
@json_option
def info(path: Path, as_json: bool) -> None:
    """Show what a project contains."""
    version = schema_of(path)
    with Project.open(path, read_only=True) as opened:
        counts = {
            row["name"]: opened.query(f'SELECT count(*) FROM "{row["name"]}"')[0][0]  # noqa: S608 - names of the schema
            for row in opened.query("SELECT name FROM journalled_table ORDER BY name")
        }
        steps = opened.query("SELECT count(*) FROM action WHERE state = 'done'")[0][0]
        document = fields(
            opened,
            "id title",
            path=str(opened.path),
            created_at=opened.info("created_at"),
            schema=version,
            bytes=path.stat().st_size,
            rows=counts,
            steps=steps,
            backups=[_backup(found) for found in backups(opened.path)],
        )
    if as_json:
        emit(document)
        return
    click.echo(f"{document['title']}  ({document['path']})")
    click.echo(f"schema {version}, {document['bytes']:,} bytes, {steps} steps, {len(document['backups'])} backups")
    for name, count in counts.items():
        click.echo(f"{count:8,}  {name}")


@project.command()
@path_argument
@json_option
def check(path: Path, as_json: bool) -> None:
    """Check a project for damage and inconsistent entries. Exit code 1: problems were found."""
    from engine.project.invariants import CHECKED, violations

    wrong: tuple[str, ...] = ()
    problems = file_problems(path)
    if not problems:
        with Project.open(path, read_only=True) as opened:
            problems = opened.check()
            wrong = violations(opened) if not problems else ()
    found = backups(path.absolute())
    if as_json:
        emit(
            {
                "path": str(path),
                "sound": not problems and not wrong,
                "problems": list(problems),
                "contradictions": list(wrong),
                "checked": [] if problems else list(CHECKED),
                "backups": [str(b.path) for b in found],
            }
        )
    else:
        click.echo(f"No problems found in {path}." if not problems and not wrong else "\n".join((*problems, *wrong)))
        if problems and found:
            remark(f"The newest backup is {found[0].path}; `rejoinder project restore {path}` restores it.")
    sys.exit(1 if problems or wrong else 0)


@project.command()
@path_argument
@json_option
def backup(path: Path, as_json: bool) -> None:
    """Make a verified backup next to the project."""
    with Project.open(path) as opened:
        made = opened.back_up("asked")
    document = _backup(made)
    answer(document, as_json, f"Backed up to {made.path}")


@project.command("restore")
@path_argument
@click.option("--from", "source", type=PATH, help="The backup to restore. Default: the newest good one.")
@json_option
def restore_command(path: Path, source: Path | None, as_json: bool) -> None:
    """Restore a backup. The current file is kept next to the project."""
    from engine.project import last_good_backup

    path = path.absolute()
    if source is None:
        newest = last_good_backup(path)
        if newest is None:
            raise BadInput(
                f"There is no good backup of {path.name}.", "Nothing was restored.",
                "Choose one with --from, or recover data from a damaged project with: rejoinder project salvage",
            )  # fmt: skip
        source = newest.path
    kept = restore(path, source)
    document = {"path": str(path), "from": str(source), "kept": str(kept) if kept else None}
    if as_json:
        emit(document)
    else:
        click.echo(f"Restored {path} from {source.name}" + (f"; the old file is {kept.name}" if kept else ""))


@project.command("salvage")
@path_argument
@click.option("--out", required=True, type=PATH, help="The new project. Existing files aren't overwritten.")
@json_option
def salvage_command(path: Path, out: Path, as_json: bool) -> None:
    """Recover the data of a damaged or untrusted file into a new project. Exit code 1: some rows were left out."""
    from engine.project.salvage import salvage

    found = salvage(path, out.absolute())
    document = {"path": str(out.absolute()), "rows": found.rows, "left_out": list(found.left_out)}
    said = [
        f"Salvaged {counted(found.rows, 'row')} of {path.name} into {out}.",
        *(f"left out: {one}" for one in found.left_out),
    ]
    answer(document, as_json, said)
    sys.exit(1 if found.left_out else 0)


@project.command()
@path_argument
@json_option
def compact(path: Path, as_json: bool) -> None:
    """Remove unused files from the project and shrink it."""
    with Project.open(path) as opened:
        won = opened.compact()
        document = {"path": str(opened.path), "bytes": path.stat().st_size, "won": won}
    answer(document, as_json, f"Freed {won:,} bytes; {document['bytes']:,} remain.")


@project.command()
@click.argument("first", metavar="A.rejoinder", type=PATH)
@click.argument("second", metavar="B.rejoinder", type=PATH)
@click.option("--out", required=True, type=PATH, help="The merged project. Existing files aren't overwritten.")
@json_option
def merge(first: Path, second: Path, out: Path, as_json: bool) -> None:
    """Merge two annotators' files into a new project. Exit code 1: they conflict.

    Neither file is changed. If both changed a row, the first file's version is used and the second's is kept in the
    merge report.
    """
    from engine.project.merge import merge_files

    report = merge_files(first, second, out)
    document = fields(
        report,
        "added updated removed annotators notes",
        path=str(out.absolute()),
        conflicts=[fields(one, "table columns ours theirs", id=one.row_id) for one in report.conflicts],
    )
    remark(*report.notes)
    conflicts = (f"conflict: {conflict.sentence()}" for conflict in report.conflicts)
    answer(document, as_json, [f"Merged into {out}: {report.rows:,} rows from {second.name}.", *conflicts])
    sys.exit(1 if report.conflicts else 0)


def _backup(made: Backup) -> dict[str, object]:
    return fields(made, "created_at reason", path=str(made.path), bytes=made.size)
