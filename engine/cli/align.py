"""``rejoinder align``: ranks the edits of a revision for each review comment."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from engine.cli.edits import read_pair
from engine.cli.models import language_model as loaded
from engine.cli.output import FILE, FOLDER, PATH, Command, Remarks, emit, fields, paper_option, remark, say
from engine.cli.studies import check_reviewer, compared_study, write_export
from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.errors import BadInput, not_computed, not_written
from engine.exchange.aries import edit_labels, read_file
from engine.exchange.change_summary import BASES, Summary, evidence, said, state_counts, write_letter, write_table
from engine.exchange.encoding import read_bytes, read_text
from engine.exchange.jsontext import json_lines
from engine.exchange.response_reading import read_letter_file
from engine.exchange.studies import Studies
from engine.project import Project
from engine.reviews.letter import read_letter
from engine.revision.aligners import DEFAULT, STRATEGIES, Means, Rankings, make_aligner
from engine.revision.candidates import candidate, candidates, stated, whole_paper, whole_revision
from engine.revision.coverage import UNSUGGESTED, Coverage, Request, coverage, of_reviewer, second_round
from engine.revision.edits import compare
from engine.revision.generation.store import GenerationStore
from engine.revision.groups import Version, doubts, may_answer
from engine.revision.means import generated_edits
from engine.revision.named_places import NamedEdits
from engine.revision.records import Candidate, Edit, Query, RevisionDiff, Suggestion
from engine.shown import shortened

# Options for the inputs of an aligner, and reading their files (``align``, ``reproduce alignment``).


def means_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of ``means_of``."""
    for option in (
        click.option("--links", type=FILE, help="For human: a person's links as ARIES edit labels."),
        click.option(
            "--generated", type=FILE, help="For bm25-generated: JSON lines with comment_id and edit, or a project."
        ),
        click.option("--language-model", help="For the llm strategies: the id of a model in the Models pane."),
        click.option("--model", type=FOLDER, help="For bi-encoder and cross-encoder: a model folder."),
    ):
        command = option(command)
    return command


def means_of(
    encoder: Any, model: Path | None, language_model: str | None, generated: Path | None, links: Path | None
) -> Any:
    """Returns the options' inputs as ``Means``. Raises BadInput for a file that can't be read or an unknown model."""
    return Means(
        embedder=encoder,
        model_folder=model,
        language_model=None if language_model is None else loaded(language_model),
        generated=None if generated is None else _generated(generated),
        links=None if links is None else _person(links),
    )


def _generated(path: Path) -> dict[str, str]:
    """Returns the text of each comment's generated edit: fields ``comment_id`` and ``edit`` (or ``generated_edit``), or
    the proposals in a project, by the project's ids and those of the files that the comments came from."""
    if path.suffix == ".rejoinder":
        return _proposed(path)
    found = {}
    for number, _, record in json_lines(read_text(path).text, path.name):
        text = record.get("edit") or record.get("generated_edit")
        if "comment_id" not in record or not isinstance(text, str):
            raise not_computed(f"{path.name}, line {number} has no comment_id and edit.")
        found[str(record["comment_id"])] = text
    return found


def _proposed(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    with Project.open(path, read_only=True) as project:
        studies, generation = Studies(project), GenerationStore(project)
        for _paper, _source, _target, revision in studies.compared():
            found |= generated_edits(generation, studies.documents, studies.revisions, revision.id)
        for comment in studies.reviews.comments():
            if comment.external_id and comment.id in found:
                found[comment.external_id] = found[comment.id]
    if not found:
        raise not_computed(f"No edits are proposed in {path.name}.", "Run rejoinder propose first.")
    return found


def _person(path: Path) -> dict[str, frozenset[str]]:
    labels = edit_labels(read_file(read_bytes(path), path.name))
    return {label.comment_id: frozenset(label.positives) for label in labels}


@click.command(cls=Command)
@click.option("--source", type=FILE, help="The PDF before the revision.")
@click.option("--target", type=FILE, help="The PDF after the revision.")
@click.option("--edits", type=FILE, help="Edits instead of PDFs: JSON lines with edit_id, source_ids, target_ids.")
@click.option("--source-paragraphs", type=FILE, help="JSON lines with id and text. Use with --edits.")
@click.option("--target-paragraphs", type=FILE, help="JSON lines with id and text. Use with --edits.")
@click.option("--comments", type=FILE, required=True, help="JSON lines with comment_id, comment, response.")
@click.option("--strategy", type=click.Choice(list(STRATEGIES)), default=DEFAULT)
@click.option("--use-responses", is_flag=True, help="Also use the authors' responses.")
@click.option("--least-characters", type=click.IntRange(0), help="Leave out edits that change less text than this.")
@means_options
def align(
    *,
    source: Path | None,
    target: Path | None,
    edits: Path | None,
    source_paragraphs: Path | None,
    target_paragraphs: Path | None,
    comments: Path,
    strategy: str,
    use_responses: bool,
    least_characters: int | None,
    **means_given: Any,
) -> None:
    """Rank the edits of a revision for each review comment.

    Exit code 1: there are no comments or no edits, or a language model gave no usable answer for some pair.
    """
    started = time.perf_counter()
    queries = _queries(comments)
    whole: tuple[Candidate, ...] = ()
    if edits is not None and source_paragraphs is not None and target_paragraphs is not None and not (source or target):
        candidates, whole = _candidates(edits, source_paragraphs, target_paragraphs)
    elif source is not None and target is not None and not (edits or source_paragraphs or target_paragraphs):
        queries, candidates, whole = _of_pdfs(source, target, queries)
    else:
        raise not_computed(
            "There is nothing to compare.",
            "Give --source and --target, or --edits with --source-paragraphs and --target-paragraphs.",
        )
    if use_responses and not any(query.response.strip() for query in queries):
        remark("No comment has a response, so only the comments were used.")
    rankings: Rankings = {query.comment_id: () for query in queries}
    fell_short: tuple[str, ...] = ()
    if queries and candidates:
        aligner = make_aligner(
            strategy,
            use_responses=use_responses,
            means=replace(means_of(None, **means_given), whole=whole),
            least_characters=least_characters,
        )
        rankings = aligner.score(queries, candidates, report=Remarks())
        fell_short = getattr(aligner, "remarks", ())
    seconds = time.perf_counter() - started
    emit(_document(strategy, seconds, rankings) | ({"remarks": list(fell_short)} if fell_short else {}))
    _print(queries, candidates, rankings)
    if not queries or not candidates:
        fell_short = ("There are no comments." if not queries else "There are no edits.",)
    remark(*fell_short)
    if fell_short:
        sys.exit(1)


def _document(strategy: str, seconds: float, rankings: Rankings) -> dict[str, Any]:
    comments = [
        {
            "comment_id": comment_id,
            "edits": [fields(one, "edit_id linked reasons", score=round(one.score, 6)) for one in ranking],
        }
        for comment_id, ranking in rankings.items()
    ]
    return {"strategy": strategy, "seconds": round(seconds, 3), "comments": comments}


def _print(queries: tuple[Query, ...], candidates: tuple[Candidate, ...], rankings: Rankings) -> None:
    by_id = {found.edit_id: found for found in candidates}
    for query in queries:
        say(f"{query.comment_id}  {shortened(query.comment, 100)}")
        for scored in rankings[query.comment_id][:5]:
            mark = "*" if scored.linked else " "
            say(f" {mark} {scored.score:6.2f}  {scored.edit_id}  {shortened(by_id[scored.edit_id].added, 60)}")
            if scored.reasons:
                say(f"           {'; '.join(scored.reasons)}")
        say("")


def _queries(path: Path) -> tuple[Query, ...]:
    queries: dict[str, Query] = {}
    for number, item in _lines(path):
        key = _text(item, "comment_id", path, number)
        if key in queries:
            raise not_computed(
                f"{path.name}, line {number}: the comment_id “{key}” is used twice.", "Give every comment its own id."
            )
        context, response = (str(item.get(name) or "") for name in ("comment_context", "response"))
        queries[key] = Query(key, _text(item, "comment", path, number), context, response)
    return tuple(queries.values())


def _of_pdfs(
    source: Path, target: Path, queries: tuple[Query, ...]
) -> tuple[tuple[Query, ...], tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Returns the comments with the places in the PDFs that they name, the edits between both, and the whole revised
    paper."""
    found, diff, _, new = compared(source, target, queries)
    return found, candidates(diff, may_answer), whole_revision(diff.edits, diff.unchanged, new)


def compared(
    source: Path, target: Path, queries: tuple[Query, ...]
) -> tuple[tuple[Query, ...], RevisionDiff, ParsedDocument, ParsedDocument]:
    """Returns the comments with the places that they name in two PDFs, the edits between both, and the parsed
    documents."""
    old, new = read_pair(source, target)
    for path, document in ((source, old), (target, new)):
        remark(*(f"{path.name}: {warning}" for warning in document.warnings))
    diff = compare(old.paragraphs, new.paragraphs)
    named = NamedEdits(old, new, diff.edits, diff.unchanged)
    found = tuple(
        replace(query, named=named.of_comment(query.comment), reply_named=named.of_reply(query.response))
        for query in queries
    )
    return found, diff, old, new


def _candidates(edits: Path, source: Path, target: Path) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Returns the edits, and the whole revised paper."""
    old, new = _paragraphs(source), _paragraphs(target)
    sections = _sections(source) | _sections(target)
    made: dict[str, Edit] = {}
    for number, item in _lines(edits):
        # One record per edit, or one per paper with its edits in a list (as in ARIES).
        for each in item["edits"] if isinstance(item.get("edits"), list) else [item]:
            key = _text(each, "edit_id", edits, number)
            before, after = (_side(each, *side, edits, number) for side in (("source", old), ("target", new)))
            named = str(each.get("target_section") or each.get("source_section") or "")
            section = named or next((sections[at] for at, _ in (*after, *before) if at in sections), "")
            made[key] = stated(key, before, after, section)
    paragraphs = ((key, sections.get(key, ""), text) for key, text in new.items())
    return tuple(map(candidate, made.values())), whole_paper(tuple(made.values()), paragraphs)


def _side(
    item: Mapping[str, Any], side: str, known: Mapping[str, str], path: Path, number: int
) -> list[tuple[str, str]]:
    """Returns (paragraph id, text) of one side of an edit, referred to by id or by index."""
    listed = item.get(f"{side}_ids")
    if listed is None:
        by_index = list(known)
        indices = item.get(f"{side}_idxs") or []
        listed = [by_index[at] if isinstance(at, int) and 0 <= at < len(by_index) else str(at) for at in indices]
    missing = [str(paragraph) for paragraph in listed if str(paragraph) not in known]
    if missing:
        raise not_computed(
            f"{path.name}, line {number}: the {side} paragraph “{missing[0]}” is not in the list of paragraphs.",
            f"Give the --{side}-paragraphs that belong to these edits.",
        )
    return [(str(paragraph), known[str(paragraph)]) for paragraph in listed]


def _paragraphs(path: Path) -> dict[str, str]:
    return {_text(item, "id", path, number): str(item.get("text") or "") for number, item in _lines(path)}


def _sections(path: Path) -> dict[str, str]:
    """Returns the sections stated in a list of paragraphs; ids of the two versions differ."""
    return {str(item["id"]): str(item["section"]) for _, item in _lines(path) if item.get("section") and "id" in item}


def _text(item: Mapping[str, Any], field: str, path: Path, number: int) -> str:
    value = item.get(field)
    if not isinstance(value, str | int) or value == "":
        raise not_computed(
            f"{path.name}, line {number}: the field “{field}” is missing or empty.",
            "Each line needs it; see docs/formats.md.",
        )
    return str(value)


def _lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """Returns line number from 1 and object of every line that isn't empty."""
    return [(number, item) for number, _, item in json_lines(read_text(path, empty=True).text, path.name)]


_SUGGESTIONS = 5
"""Suggestions read per comment, also of a project."""


@click.command("second-round", cls=Command)
@click.argument("paths", metavar="PROJECT | OLD.pdf NEW.pdf LETTER", nargs=-1, type=PATH)
@paper_option
@click.option("--reviewer", default="", help="Only requests by this reviewer.")
@click.option(
    "--annotator", default="", help='Annotator whose decisions count, or "adjudicated". Defaults to the last one used.'
)
@click.option("--table", type=FILE, help="Write a row for each request: .csv, .xlsx or .md.")
@click.option("--letter", type=FILE, help="Write a letter to the reviewers in Markdown.")
def command(
    *, paths: tuple[Path, ...], paper: str, reviewer: str, annotator: str, table: Path | None, letter: Path | None
) -> None:
    """Show the outcome of each request (addressed, answered only, not found or not checked) and who decided it.

    For a project, human decisions come first, and the rest is based on the suggested edits. For two versions and a
    response letter, everything is suggested. Exit code 1: a request is not found or not checked, or there are no
    requests.
    """
    if table is not None and table.suffix.lower() not in (".csv", ".xlsx", ".md"):
        raise not_written(f"{table.name} isn't a supported table format.", "Use .csv, .xlsx or .md.")
    if len(paths) == 1:
        requests, summary = _of_project(paths[0], paper, annotator)
    elif len(paths) == 3:
        requests, summary = _of_files(*paths)
    else:
        raise BadInput("Some input files are missing.", do="Give a project, or OLD.pdf NEW.pdf LETTER.")
    check_reviewer(reviewer, dict.fromkeys(one.row.comment.reviewer for one in requests))
    for path, make in ((table, write_table), (letter, write_letter)):
        if path is not None:
            write_export(path, make(requests, summary, path.name, reviewer))
    own = of_reviewer(requests, reviewer)
    emit({"paper": summary.title, "requests": [_fields(one, summary) for one in own]})
    if table is None and letter is None:
        for one in own:
            name = f"{one.row.comment.reviewer or 'Reviewer'} {one.row.number:>3}"
            say(f"{name}  {one.state:13} {BASES[one.basis]}")
            say(f"      {shortened(one.row.comment.comment, 90)}")
            say(f"      {said(one)}")
            for found in evidence(one, summary):
                say(f"      {found.place}{': ' if found.place else ''}{shortened(found.words, 110)}")
    say(state_counts(own))
    if any(one.why == UNSUGGESTED for one in own):
        remark("No edits were suggested for some requests: `rejoinder paper compare` suggests some.")
    sys.exit(0 if own and all(one.state not in ("not found", "not checked") for one in own) else 1)


def _of_project(path: Path, paper: str, annotator: str) -> tuple[tuple[Request, ...], Summary]:
    with Project.open(path, read_only=True) as project:
        studies = Studies(project)
        study = compared_study(project, studies, paper, annotator)
        linking = studies.linking(study)
    found = coverage(study.comments, study.targets, study.links, study.states, study.suggestions)
    return _rounded(found, study.edits, study.suggestions, (linking.source, linking.target), study.paper.title)


def _of_files(old: Path, new: Path, letter: Path) -> tuple[tuple[Request, ...], Summary]:
    with DocumentService() as service:
        read = read_letter_file(letter, service)
    bundle = read_letter(read, title=letter.stem)
    remark(*read.warnings, *bundle.warnings)
    asked = [one for one in bundle.comments if one.actionable]
    queries, diff, source, target = compared(
        old, new, tuple(Query(one.id, one.comment, one.context, one.response) for one in asked)
    )
    for path, document in ((old, source), (new, target)):
        if not document.paragraphs:
            do = "Choose a PDF whose text can be selected."
            raise BadInput(f"{path.name} contains no text to compare.", "No requests were checked.", do)
    aligner = make_aligner(use_responses=True)
    rankings = aligner.score(queries, candidates(diff, may_answer), report=Remarks()) if queries else {}
    suggestions: Mapping[str, Sequence[Suggestion]] = {
        key: [
            Suggestion("", key, one.edit_id, at, one.score, one.linked, aligner.origin, one.reasons)
            for at, one in enumerate(ranking[:_SUGGESTIONS], start=1)
        ]
        for key, ranking in rankings.items()
    }
    rows = coverage(asked, diff.edits, (), {}, {}).rows
    return _rounded(Coverage(rows, ()), diff.edits, suggestions, (source, target), target.title)


def _rounded(
    found: Coverage,
    edits: Sequence[Edit],
    suggestions: Mapping[str, Sequence[Suggestion]],
    versions: tuple[Version, Version],
    title: str,
) -> tuple[tuple[Request, ...], Summary]:
    source, target = versions
    doubted = doubts(edits, source, target)
    summary = Summary(found, source.paragraphs, target.paragraphs, title, doubts=doubted)
    doubtful = bool(source.doubtful or target.doubtful)
    return second_round(found.rows, edits, suggestions, doubtful=doubtful, doubts=doubted), summary


def _fields(one: Request, summary: Summary) -> dict[str, object]:
    comment = one.row.comment
    return fields(comment, "external_id reviewer comment response", comment_id=comment.id) | fields(
        one,
        "state basis why",
        **fields(one.row, "number note", decision=one.row.state),
        edits=[edit.id for edit in one.edits],
        evidence=[fields(found, "place words") for found in evidence(one, summary)],
    )
