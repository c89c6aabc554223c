"""``rejoinder project export`` and ``rejoinder project import``: every format in which content leaves and comes in."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.cli.output import PATH, answer, json_option, project_argument, remark, write
from engine.cli.papers import acting, import_command
from engine.errors import BadInput
from engine.formats import READERS, WRITERS, Wanted
from engine.project import Project

PAPER_FILES = "papers"


@click.command("export")
@project_argument
@click.argument("out", type=PATH, required=False)
@click.option("--to", "target", type=PATH, help="Folder to write to, instead of OUT.")
@click.option("--format", "format_", type=click.Choice(["bundle", *WRITERS]), default="bundle", show_default=True)
@click.option("--paper", default="", help="Key or title of the paper, if there are several.")
@click.option(
    "--annotator", default="", help="Annotator's name, or “adjudicated” for links. Defaults to the last one used."
)
@click.option("--history", is_flag=True, help="For a bundle: include the full history, with deleted data.")
@json_option
def export_command(
    path: Path, *, out: Path | None, target: Path | None, format_: str, paper: str, annotator: str, history: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Export PROJECT to OUT (a file or folder) or to a folder with --to, and print what the format leaves out."""
    from engine.agreement.records import ADJUDICATED
    from engine.operations import identity
    from engine.operations.bundle import write_bundle
    from engine.operations.targets import find

    ending = WRITERS[format_].info.ending if format_ in WRITERS else ""
    if target is not None and out is None:
        out = target / f"{path.stem}{ending}" if ending else target
    elif target is not None or out is None:
        raise click.UsageError("Give either OUT or --to.")
    rows: dict[str, int] = {}
    with Project.open(path, read_only=True) as project:
        identity.act_as(project)
        if format_ == "bundle":
            bundled = write_bundle(project, out, history=history)
            files, loss, rows = [str(out)], bundled.notes, dict(bundled.rows)
        else:
            if annotator not in {"", ADJUDICATED}:
                project.annotator_id = find(project, "annotator", annotator).id
            whose = ADJUDICATED if annotator == ADJUDICATED else ""
            made = WRITERS[format_].make(project, Wanted(out.name, paper, whose))
            folder = out.parent if ending else out
            if not ending and out.is_dir() and any(out.iterdir()):
                raise BadInput(f"{out.name} is not empty.", "Nothing was written.", "Name a new folder.")
            files = [write(folder / file.name, file.content, folders=True, quiet=True) for file in made.files]
            loss = made.loss.sentences
    remark(*loss)
    answer({"format": format_, "files": files, "warnings": list(loss), "rows": rows}, as_json, f"Wrote {out}.")


@click.command("import")
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
@json_option
@click.pass_context
def import_from(
    context: click.Context, path: Path, *, files: tuple[Path, ...], format_: str | None, paper: str, title: str,
    annotator: str, as_json: bool,
) -> None:  # fmt: skip
    """Import files into PROJECT in one step, which you can undo. Exit code 1: something could not be imported.

    \b
    Formats besides “papers” and “bundle”:
    publications, clusters, annotated-reviews, aries, expertise, openreview-expertise, brat, webanno-tsv, cas-json,
    cas-xmi
    """
    from engine.operations.bundle import is_bundle, read_bundle

    said: tuple[str, ...]
    if format_ == "bundle" or (format_ is None and len(files) == 1 and is_bundle(files[0])):
        if len(files) > 1:
            raise BadInput("Each bundle becomes its own project.", "Nothing was imported.", "Give one bundle.")
        made = read_bundle(files[0], path.absolute())
        said, problems = (f"Created {path} with {sum(made.rows.values()):,} rows.",), made.notes
    elif format_ is not None and format_ in READERS:
        with acting(path, annotator) as project:
            found = READERS[format_].read(project, files)
        said, problems = found.sentences, found.problems
    else:
        context.invoke(
            import_command, path=path, files=files, wanted=paper, title=title, annotator=annotator, yes=True,
            as_json=as_json,
        )  # fmt: skip
        return
    remark(*problems)
    answer({"format": format_ or "bundle", "done": list(said), "warnings": list(problems)}, as_json, "\n".join(said))
    sys.exit(1 if problems else 0)
