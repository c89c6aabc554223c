"""``rejoinder survey``: runs a study from its file to its data set, without a window."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from engine.cli.output import PATH, Group, answer, emit, fields, project_argument, remark, say, write
from engine.cli.papers import annotator_option, how_options, others_option, remove_target, rename_target
from engine.errors import BadInput
from engine.exchange.encoding import read_text
from engine.exchange.expertise_data import import_release, read_gold_standard, release_study
from engine.exchange.expertise_report import summary_files, summary_of
from engine.exchange.openreview_expertise import of_gold_standard, write_openreview_expertise
from engine.exchange.study_file import content_hash_of, read_answers_file, study_file
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import Study
from engine.expertise.store import SurveyStore
from engine.expertise.summary import GAPS, SummaryRow, SurveySummary
from engine.expertise.survey import GRID, new_study, with_rules
from engine.project import Project
from engine.shown import counted

_study = click.option("--study", "wanted", default="", help="Title or key of the study. Required if there are several.")
_out = click.option("--out", type=PATH, required=True, help="The folder to write to.")


@click.group(cls=Group)
def survey() -> None:
    """Run an expertise survey: create a study, merge answers, view and export the data."""


@survey.command()
@project_argument
@click.option("--title", default="", help="The study's title.")
@click.option("--organiser", default="", help="Who runs it.")
@click.option("--contact", default="", help="Where participants can ask questions.")
@click.option("--instructions", type=PATH, help="A text file to use instead of the standard guidance.")
@click.option("--consent", type=PATH, help="A text file with the consent text.")
@click.option("--min-papers", default=5, type=click.IntRange(1, 50))
@click.option("--max-papers", default=10, type=click.IntRange(1, 50))
@click.option("--out", type=PATH, help="The study file. Default: next to the project.")
def new(
    *,
    path: Path,
    title: str,
    organiser: str,
    contact: str,
    instructions: Path | None,
    consent: Path | None,
    min_papers: int,
    max_papers: int,
    out: Path | None,
) -> None:
    """Create a study in PROJECT (created if it doesn't exist) and write its study file."""
    study = new_study(title, organiser=organiser, contact=contact)
    if instructions is not None:
        study = replace(study, instructions=read_text(instructions).text)
    if consent is not None:
        study = replace(study, consent=read_text(consent).text)
    if min_papers > max_papers:
        raise BadInput("--min-papers is above --max-papers.", "Nothing was created.", "Give a smaller one.")
    study = with_rules(study, min_papers, max_papers)
    target = out or path.with_name(study_file(study).name)
    if target.exists():
        raise BadInput(f"{target.name} already exists.", "Nothing was created.", "Name another file with --out.")
    made = Project.create(path, title) if not path.exists() else Project.open(path)
    with made as project:
        store = SurveyStore(project)
        study_id = store.add_study(study)
        file = study_file(store.study(study_id))
        write(target, file.content, folders=True, quiet=True)
        store.set_content_hash(study_id, content_hash_of(file.content, target.name))
        document = {"study": store.study(study_id).key, "title": study.title, "file": str(target)}
    answer(document, f"Created “{study.title}”. Send {target} to participants.")


@survey.command()
@project_argument
@click.argument("files", metavar="ANSWERS...", nargs=-1, required=True, type=PATH)
@click.option(
    "--doubtful",
    type=click.Choice(["skip", "default", "replace", "keep"]),
    default="skip",
    help="What to do with files that need checking: leave them out, follow the proposal, accept or refuse them.",
)
@_study
def merge(*, path: Path, files: tuple[Path, ...], doubtful: str, wanted: str) -> None:
    """Merge answers files into PROJECT. Each file is reported. Exit code 1: a file was left out.

    Merging the same file again changes nothing.
    """
    entries: list[dict[str, Any]] = []
    with Project.open(path) as project:
        study = _one_study(project, wanted)
        store = MergeStore(project)
        for file in files:
            entry: dict[str, Any] = {"file": str(file), "kind": "", "outcome": "skipped", "remarks": []}
            entries.append(entry)
            try:
                plan = store.plan(study.id, read_answers_file(file), file.name)
            except BadInput as problem:
                entry.update(kind="refused", remarks=[str(problem)])
                remark(f"{file.name}: {problem}")
                continue
            entry.update(kind=plan.kind, participant=plan.answers.participant.key, remarks=list(plan.sentences))
            remark(*(f"{file.name}: {sentence}" for sentence in plan.sentences))
            if plan.kind == "identical":
                entry["outcome"] = "unchanged"
                continue
            if plan.needs_a_look and doubtful == "skip":
                remark(f"{file.name}: left out, because it needs checking. Choose what to do with --doubtful.")
                continue
            outcome = plan.default
            if plan.participant is not None and doubtful in {"replace", "keep"} and plan.needs_a_look:
                outcome = "replaced" if doubtful == "replace" else "kept"
            store.apply(plan, outcome)
            entry["outcome"] = outcome
        document = {"study": study.key, "files": entries}
    answer(document, (f"{entry['outcome']:9}  {entry['file']}" for entry in entries))
    sys.exit(1 if any(entry["outcome"] == "skipped" for entry in entries) else 0)


@survey.command()
@project_argument
@_study
@click.option("--out", type=PATH, help="Write tables (CSV, LaTeX) and figures to this folder.")
def summary(*, path: Path, wanted: str, out: Path | None) -> None:
    """Show who took part and what was rated: Tables 1 and 2 and Figures 1a and 1b."""
    with Project.open(path, read_only=True) as project:
        study = _one_study(project, wanted)
        found = summary_of(project, study.id)
    written = (
        [write(out / file.name, file.content, folders=True) for file in summary_files(found, "survey")]
        if out is not None
        else []
    )
    emit(_summary_document(study, found, written))
    for title, rows in (("Who took part", found.table_1), ("What was rated", found.table_2)):
        say(title)
        for row in rows:
            share = "" if row.share is None else f"  {row.share:6.1%}"
            say(f"  {row.group:26.26}  {row.name:30.30}  {row.value:8g}{share}")
    say(f"{counted(found.pairs, 'pair')} of papers, {found.ties} of them ties")


@survey.command()
@project_argument
@_study
@click.option("--layout", type=click.Choice(["released", "openreview"]), default="released")
@click.option("--with-texts", is_flag=True, help="Include full texts (released layout).")
@_out
def export(*, path: Path, wanted: str, layout: str, with_texts: bool, out: Path) -> None:
    """Export a study as a data set, without e-mail addresses, notes or times. Exit code 1: something was left out."""
    if out.is_dir() and any(out.iterdir()):
        raise BadInput(
            f"{out.name} is not empty.",
            "Nothing was written, because two data sets would be mixed.",
            "Name a new folder.",
        )
    with Project.open(path, read_only=True) as project:
        study = _one_study(project, wanted)
        if layout == "released":
            made = release_study(project, study.id, with_texts=with_texts)
        else:
            made = write_openreview_expertise(
                of_gold_standard(SurveyStore(project).gold_standard(study.id, agreed_only=True))
            )
    written = [write(out / file.name, file.content, folders=True, quiet=True) for file in made.files]
    remark(*made.loss)
    document = {"study": study.key, "layout": layout, "files": len(written), "losses": list(made.loss)}
    answer(document, f"Wrote {counted(len(written), 'file')} to {out}")
    sys.exit(1 if made.loss else 0)


@survey.command("import")
@project_argument
@click.argument("folder", type=PATH)
@click.option("--title", default="", help="The study's title. Default: the folder's name.")
def import_command(*, path: Path, folder: Path, title: str) -> None:
    """Import a data set in the released layout into PROJECT as a study (the project is created if it doesn't exist)."""
    if not path.exists():
        read_gold_standard(folder)  # refuses another folder before a project is created for it
    made = Project.create(path, title) if not path.exists() else Project.open(path)
    with made as project:
        study_id = import_release(project, folder, title=title)
        store = SurveyStore(project)
        study, people = store.study(study_id), store.participants(study_id)
        ratings = sum(len(store.rows(person.id)) for person in people)
    answer(
        {"study": study.key, "title": study.title, "participants": len(people), "ratings": ratings},
        f"Imported “{study.title}”: {counted(len(people), 'participant')}, {counted(ratings, 'rating')}",
    )


def _one_study(project: Project, wanted: str) -> Study:
    studies = SurveyStore(project).studies("organiser")
    found = [study for study in studies if not wanted or wanted in (study.key, study.title)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"“{study.title}”" for study in studies)
    if not studies:
        raise BadInput("The project contains no study.", "Nothing was done.", "Create one with `rejoinder survey new`.")
    if found or not wanted:
        raise BadInput("The project contains several studies.", f"They are {names}.", "Name one with --study.")
    raise BadInput(f"There is no study “{wanted}”.", f"The studies are {names}.", "Name one of these.")


def _summary_document(study: Study, found: SurveySummary, written: Sequence[str]) -> dict[str, Any]:
    def table(rows: Sequence[SummaryRow]) -> list[dict[str, Any]]:
        return [fields(row, "group name value share") for row in rows]

    return fields(
        found,
        "participants papers pairs ties",
        study=study.key,
        title=study.title,
        table_1=table(found.table_1),
        table_2=table(found.table_2),
        figure_1a=[{"rating": v, "ratings": n} for v, n in zip(GRID, found.ratings, strict=True)],
        figure_1b=[{"distance": v, "pairs": n} for v, n in zip(GAPS, found.gaps, strict=True)],
        files=list(written),
    )


@survey.command("rename")
@project_argument
@click.argument("study")
@click.argument("name")
@annotator_option
def rename_command(*, path: Path, study: str, name: str, annotator: str) -> None:
    """Rename a study. STUDY is its key or title."""
    rename_target(path, "study", study, name, annotator)


@survey.command("remove")
@project_argument
@click.argument("study")
@others_option
@how_options
def remove_command(*, path: Path, study: str, **how: Any) -> None:
    """Remove a study with its participants and answers. You can undo this."""
    remove_target(path, "study", study, **how)
