"""``rejoinder project``: maintenance of project files."""

import platform
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click

from engine.agreement.records import ADJUDICATED
from engine.cli.output import (
    PATH,
    FiniteRange,
    Group,
    answer,
    fields,
    hint,
    path_argument,
    project_argument,
    remark,
    write,
)
from engine.cli.packages import packages
from engine.cli.papers import acting, import_command
from engine.cli.project_tables import frame, query, rows, tables
from engine.errors import BadInput, not_changed, not_imported, not_written
from engine.formats import READERS, WRITERS, Wanted, unfounded
from engine.operations import identity
from engine.operations.bundle import is_bundle, read_bundle, write_bundle
from engine.operations.erase import REMAINS, affected, erase_target
from engine.operations.share import default_choice, described
from engine.operations.share import share as write_copy
from engine.operations.targets import Kind, find
from engine.project import Project, backups, last_good_backup, restore
from engine.project.backup import file_problems
from engine.project.database import schema_of
from engine.project.invariants import CHECKED, violations
from engine.project.lock import WriterLock
from engine.project.merge import merge_files
from engine.project.records import Backup
from engine.project.salvage import salvage
from engine.shown import counted


@click.group(cls=Group)
def project() -> None:
    """Create, check, read, export, import, back up and compact project files."""


for _command in (packages, tables, rows, query, frame):
    project.add_command(_command)

# ``rejoinder project export`` and ``rejoinder project import``: all formats of export and import.

PAPER_FILES = "papers"


@project.command("export")
@project_argument
@click.argument("out", type=PATH, required=False)
@click.option("--to", "target", type=PATH, help="Folder to write to, instead of OUT.")
@click.option("--format", "format_", type=click.Choice(["bundle", *WRITERS]), default="bundle")
@click.option("--paper", default="", help="Key or title of the paper, if there are several.")
@click.option(
    "--annotator", default="", help="Annotator's name, or “adjudicated” for links. Defaults to the last one used."
)
@click.option("--history", is_flag=True, help="For a bundle: include the full history, with deleted data.")
def export_command(
    path: Path, *, out: Path | None, target: Path | None, format_: str, paper: str, annotator: str, history: bool
) -> None:
    """Export PROJECT to OUT (a file or folder) or to a folder with --to, and print what the format leaves out.

    Exit code 1: a claim of the exported rebuttal is contradicted or not found.
    """
    ending = WRITERS[format_].ending if format_ in WRITERS else ""
    if target is not None and out is None:
        out = target / f"{path.stem}{ending}" if ending else target
    elif target is not None or out is None:
        raise click.UsageError("Give either OUT or --to.")
    rows: dict[str, int] = {}
    open_: tuple[str, ...] = ()
    with Project.open(path, read_only=True) as project:
        identity.act_as(project)
        if format_ == "bundle":
            bundled = write_bundle(project, out, history=history)
            files, loss, rows = [str(out)], bundled.notes, dict(bundled.rows)
        else:
            if annotator not in {"", ADJUDICATED}:
                project.annotator_id = find(project, "annotator", annotator).id
            whose = ADJUDICATED if annotator == ADJUDICATED else ""
            wanted = Wanted(out.name, paper, whose)
            made = WRITERS[format_].make(project, wanted)
            open_ = unfounded(project, wanted) if WRITERS[format_].claims else ()
            folder = out.parent if ending else out
            if not ending and out.is_dir() and any(out.iterdir()):
                raise not_written(f"{out.name} is not empty.", "Name a new folder.")
            files = [write(folder / file.name, file.content, folders=True, quiet=True) for file in made.files]
            loss = made.loss
    remark(*loss, *open_)
    answer({"format": format_, "files": files, "warnings": [*loss, *open_], "rows": rows}, f"Wrote {out}.")
    sys.exit(1 if open_ else 0)


@project.command("import")
@project_argument
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option(
    "--format", "format_", type=click.Choice([PAPER_FILES, "bundle", *READERS]),
    help="Recognised by default. A bundle becomes a new project PROJECT; “papers” covers all files that belong to "
        "a paper: PDFs, reviews, letters, OpenReview notes, ARIES, Web Annotations, tables of links.",
)  # fmt: skip
@click.option("--paper", default="", help="Key or title of the paper for all files.")
@click.option("--new", "title", default="", help="Title of a new paper for all files.")
@click.option("--annotator", default="", help="Annotator to act as. Defaults to the last one used.")
@click.pass_context
def import_from(
    context: click.Context, path: Path, *, files: tuple[Path, ...], format_: str | None, paper: str, title: str,
    annotator: str,
) -> None:  # fmt: skip
    """Import files into PROJECT in one step, which you can undo. Exit code 1: something could not be imported.

    \b
    Formats besides “papers” and “bundle”:
    publications, clusters, annotated-reviews, aries, expertise, openreview-expertise, brat, webanno-tsv, cas-json,
    cas-xmi
    """
    said: tuple[str, ...]
    if format_ == "bundle" or (format_ is None and len(files) == 1 and is_bundle(files[0])):
        if len(files) > 1:
            raise not_imported("Each bundle becomes its own project.", "Give one bundle.")
        made = read_bundle(files[0], path.absolute())
        said, problems = (f"Created {path} with {sum(made.rows.values()):,} rows.",), made.notes
    elif format_ is not None and format_ in READERS:
        with acting(path, annotator) as project:
            found = READERS[format_].read(project, files)
        said, problems = found.sentences, found.problems
    else:
        context.invoke(import_command, path=path, files=files, wanted=paper, title=title, annotator=annotator, yes=True)
        return
    remark(*problems)
    answer({"format": format_ or "bundle", "done": list(said), "warnings": list(problems)}, "\n".join(said))
    sys.exit(1 if problems else 0)


@project.command()
@path_argument
@click.option("--paper", help="Key or title of the paper to erase.")
@click.option("--review", help="Key of the review or letter to erase.")
@click.option("--annotator", help="Key or name of the annotator whose work to erase.")
@click.option("--yes", is_flag=True, help="Erase now. Otherwise only list what would be deleted.")
@click.option("--keep-copies", is_flag=True, help="Keep the earlier copies that Rejoinder left next to the project.")
def erase(
    path: Path, *, paper: str | None, review: str | None, annotator: str | None, yes: bool, keep_copies: bool
) -> None:
    """Permanently erase a paper, a review or an annotator's work, including from history and backups.

    Without --yes, nothing is changed: the command lists what would be deleted and exits with code 1.
    """
    given: dict[Kind, str | None] = {"paper": paper, "review": review, "annotator": annotator}
    wanted = [(kind, words) for kind, words in given.items() if words]
    if len(wanted) != 1:
        raise not_changed("Name one thing to erase.", "Use --paper, --review or --annotator.")
    with Project.open(path, read_only=not yes) as opened:
        target = find(opened, *wanted[0])
        found = erase_target(opened, target, copies=not keep_copies) if yes else affected(opened, target)
    copies, where = [str(file) for file in found.copies], str(path.absolute())
    about = fields(target, "kind id", path=where, erased=yes, rows=dict(found.rows), copies=copies)
    said = [f"Erased from {path.name}. {REMAINS}"] if yes else ["\n".join(found.sentences)]
    if found.copies and not yes:
        names = ", ".join(file.name for file in found.copies)
        said.append(f"Earlier copies will also be deleted unless you use --keep-copies: {names}.")
    answer(fields(found, "backups sentences", **about), said)
    if not yes:
        hint("Nothing was changed. Add --yes to erase.")
        sys.exit(1)
    if keep_copies and found.copies:
        remark("Earlier copies still contain it: " + ", ".join(copies))


@project.command()
@path_argument
@click.option("--to", "target", required=True, type=PATH, help="The file to write.")
@click.option("--paper", "papers", multiple=True, help="Key or title of a paper to share. Default: all papers.")
@click.option("--without", multiple=True, metavar="PART", help="Leave out a part; see the list below.")
@click.option("--with", "including", multiple=True, metavar="PART", help="Include a part that is left out by default.")
@click.option("--names/--no-names", "names", default=None, help="Keep annotators' names or number them.")
@click.option("--annotator", default="", help="Your annotator name, for leaving out others' work.")
def share(
    path: Path,
    *,
    target: Path,
    papers: tuple[str, ...],
    without: tuple[str, ...],
    including: tuple[str, ...],
    names: bool | None,
    annotator: str,
) -> None:
    """Save a copy with the content you choose, without history, private notes or anything that identifies this
    computer.

    Parts: pdfs, reviews, others (other annotators' work), rebuttal, templates. Left out by default: review-drafts,
    notes, suggestions, preferences, survey, packages, library, emails, scores, benchmark.
    """
    if target.suffix != ".rejoinder":
        target = target.with_name(target.name + ".rejoinder")
    with Project.open(path, read_only=True) as opened:
        if annotator:
            opened.annotator_id = find(opened, "annotator", annotator).id
        choice = default_choice(opened)
        choice = replace(choice, parts=(choice.parts | set(including)) - set(without))
        if papers:
            choice = replace(choice, papers=tuple(find(opened, "paper", words).id for words in papers))
        if names is not None:
            choice = replace(choice, anonymous=not names)
        written = write_copy(opened, target, choice)
    answer(
        {
            "path": str(target.absolute()),
            "rows": written,
            "parts": sorted(choice.parts),
            "names": not choice.anonymous,
            "bytes": target.stat().st_size,
        },
        f"Wrote {target}. " + " ".join(described(written, choice)),
    )


@project.command()
@path_argument
@click.option("--title", default="", help="The project's title. Default: the file name.")
def new(path: Path, title: str) -> None:
    """Create a new project file. Existing files are never overwritten."""
    with Project.create(path, title) as made:
        document = {"path": str(made.path), "id": made.id, "title": made.title}
    answer(document, f"Created {document['path']}")


@project.command("open", cls=click.Command)
@path_argument
def open_command(path: Path) -> None:
    """Open a project in the window."""
    schema_of(path)
    sys.exit(subprocess.run([sys.executable, "-m", "desktop_app.main", str(path)], check=False).returncode)


@project.command()
@path_argument
@click.option("--wait", default=10.0, type=FiniteRange(min=0), help="Seconds to wait for the other process to quit.")
def close(path: Path, wait: float) -> None:
    """Ask the Rejoinder process that has a project open on this computer to quit. Nothing is lost, since everything
    is saved."""
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
    closed = "Closed." if document["closed"] else "It is still open."
    answer(document, "It was not open." if holder is None else closed)
    sys.exit(0 if document["closed"] else 1)


@project.command()
@path_argument
def info(path: Path) -> None:
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
    size = f"{document['bytes']:,} bytes, {steps} steps, {len(document['backups'])} backups"
    said = [f"{document['title']}  ({document['path']})", f"schema {version}, {size}"]
    answer(document, [*said, *(f"{count:8,}  {name}" for name, count in counts.items())])


@project.command()
@path_argument
def check(path: Path) -> None:
    """Check a project for damage and inconsistent entries. Exit code 1: problems were found."""
    wrong: tuple[str, ...] = ()
    problems = file_problems(path)
    if not problems:
        with Project.open(path, read_only=True) as opened:
            problems = opened.check()
            wrong = violations(opened) if not problems else ()
    found = backups(path.absolute())
    document = {
        "path": str(path),
        "sound": not problems and not wrong,
        "problems": list(problems),
        "contradictions": list(wrong),
        "checked": [] if problems else list(CHECKED),
        "backups": [str(b.path) for b in found],
    }
    answer(document, [*problems, *wrong] or [f"No problems found in {path}."])
    if problems and found:
        hint(f"The newest backup is {found[0].path}; `rejoinder project restore {path}` restores it.")
    sys.exit(1 if problems or wrong else 0)


@project.command()
@path_argument
def backup(path: Path) -> None:
    """Make a verified backup next to the project."""
    with Project.open(path) as opened:
        made = opened.back_up("asked")
    document = _backup(made)
    answer(document, f"Backed up to {made.path}")


@project.command("restore")
@path_argument
@click.option("--from", "source", type=PATH, help="The backup to restore. Default: the newest good one.")
def restore_command(path: Path, source: Path | None) -> None:
    """Restore a backup. The current file is kept next to the project."""
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
    answer(document, f"Restored {path} from {source.name}" + (f"; the old file is {kept.name}" if kept else ""))


@project.command("salvage")
@path_argument
@click.option("--out", required=True, type=PATH, help="The new project. Existing files aren't overwritten.")
def salvage_command(path: Path, out: Path) -> None:
    """Recover the data of a damaged or untrusted file into a new project. Exit code 1: some rows were left out."""
    found = salvage(path, out.absolute())
    document = {"path": str(out.absolute()), "rows": found.rows, "left_out": list(found.left_out)}
    said = [
        f"Salvaged {counted(found.rows, 'row')} of {path.name} into {out}.",
        *(f"left out: {one}" for one in found.left_out),
    ]
    answer(document, said)
    sys.exit(1 if found.left_out else 0)


@project.command()
@path_argument
def compact(path: Path) -> None:
    """Remove unused files from the project and shrink it."""
    with Project.open(path) as opened:
        won = opened.compact()
        document = {"path": str(opened.path), "bytes": path.stat().st_size, "won": won}
    answer(document, f"Freed {won:,} bytes; {document['bytes']:,} remain.")


@project.command()
@click.argument("first", metavar="A.rejoinder", type=PATH)
@click.argument("second", metavar="B.rejoinder", type=PATH)
@click.option("--out", required=True, type=PATH, help="The merged project. Existing files aren't overwritten.")
def merge(first: Path, second: Path, out: Path) -> None:
    """Merge two annotators' files into a new project. Exit code 1: they conflict.

    Neither file is changed. If both changed a row, the first file's version is used and the second's is kept in the
    merge report.
    """
    report = merge_files(first, second, out)
    document = fields(
        report,
        "added updated removed annotators notes",
        path=str(out.absolute()),
        conflicts=[fields(one, "table columns ours theirs", id=one.row_id) for one in report.conflicts],
    )
    remark(*report.notes)
    conflicts = (f"conflict: {conflict.sentence()}" for conflict in report.conflicts)
    answer(document, [f"Merged into {out}: {report.rows:,} rows from {second.name}.", *conflicts])
    sys.exit(1 if report.conflicts else 0)


def _backup(made: Backup) -> dict[str, object]:
    return fields(made, "created_at reason", path=str(made.path), bytes=made.size)
