"""``rejoinder models``: the added models, their abilities, and which task uses which, with its settings."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.output import FiniteRange, Group, Remarks, answer, emit, fields, hint, remark, say
from engine.errors import BadInput, EnvironmentProblem, not_changed
from engine.models.folders import inspect_folder, memory_needed
from engine.models.language import LanguageModel
from engine.models.library import USES, Added, AddedFolder, AddedServer, ModelLibrary, closed_after, load_language_model
from engine.models.server_address import Server
from engine.models.server_report import look_at

if TYPE_CHECKING:
    from engine.documents.places import Places
    from engine.operations.opinions import Opinion

_PRECISIONS = click.Choice(("auto", "float32", "bfloat16", "float16"))


@click.group(cls=Group)
def models() -> None:
    """List, add, check, configure and remove models; choose which task uses which."""


@models.command("list")
def list_models() -> None:
    """List the models you added. Nothing is sent."""
    library = ModelLibrary()
    found = [_document(library, entry) for entry in library.added()]
    emit({"models": found})
    for one in found:
        say(_line(one))
    if not found:
        hint("No models have been added yet.")


@models.command()
@click.argument("place", metavar="[FOLDER|ADDRESS]", default="")
@click.option("--server", metavar="URL", default="", help="Address of a server, instead of ADDRESS.")
@click.option("--folder", metavar="DIR", default="", help="Folder of a model, instead of FOLDER.")
@click.option("--model", default="", help="The server's model. Not needed if it offers only one.")
@click.option("--title", default="", help="Display name. Defaults to the model's own name.")
@click.option("--id", "key", default="", help="Id for --model and --language-model. Defaults to the display name.")
@click.option(
    "--context", type=click.IntRange(256), help="Number of tokens the model can read, if the server doesn't report it."
)
@click.option("--key", "secret", default="", help="The server's API key, if it needs one.")
@click.option("--allow-remote", is_flag=True, help="Allow a server on another computer. Texts are then sent there.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=16, help="Number of simultaneous requests.")
def add(
    *,
    place: str,
    server: str,
    folder: str,
    model: str,
    title: str,
    key: str,
    context: int | None,
    secret: str,
    allow_remote: bool,
    concurrency: int,
) -> None:
    """Add a model folder, or a model from a server.

    If the server doesn't report how many tokens the model can read, give --context: Rejoinder doesn't guess it.
    """
    if sum(map(bool, (place, server, folder))) != 1:
        raise click.UsageError("Give one of FOLDER, ADDRESS, --server and --folder.")
    library = ModelLibrary()
    if folder or (place and "://" not in place):
        added: Added = library.add_folder(Path(folder or place), title, key)
    else:
        seen = look_at(Server(server or place, secret, allow_remote, concurrency=concurrency))
        offered = seen.model(model)
        if context is None and offered.context is None:
            longest = f" It supports up to {offered.longest:,}." if offered.longest else ""
            raise BadInput(
                f"The {seen.kind} server doesn't report how many tokens {offered.id} can read.{longest}",
                "Nothing was added.",
                "Give the number with --context.",
            )
        added = library.add_server(seen.server, offered.id, title, context, kind=seen.kind, report=offered, key=key)
    _say(library, added)


@models.command("set")
@click.argument("key", metavar="ID")
@click.option("--title", help="Display name.")
@click.option("--context", type=click.IntRange(256), help="Maximum number of tokens in prompt and response together.")
@click.option("--concurrency", type=click.IntRange(1, 256), help="Number of simultaneous requests to a server.")
@click.option("--key", "api_key", help="API key of a server; “” for none.")
@click.option("--allow-remote/--no-allow-remote", default=None, help="Allow a server on another computer, or not.")
@click.option("--device", help="Device for a model folder, by its torch name, or “best” for the best available.")
@click.option("--precision", type=_PRECISIONS, help="Precision of a model folder's weights in memory.")
def set_model(*, key: str, title: str | None, context: int | None, **settings: Any) -> None:
    """Change a model's name or how it runs."""
    library = ModelLibrary()
    entry = library.find(key)
    given = {setting: value for setting, value in settings.items() if value is not None}
    folder = isinstance(entry, AddedFolder)
    if given.keys() - ({"device", "precision"} if folder else {"concurrency", "api_key", "allow_remote"}):
        raise not_changed(
            f"That can't be set for a {'folder' if folder else 'server'}.",
            "Folders have a device and a precision, servers a key, another computer and requests at once.",
        )
    entry = replace(entry, title=title or entry.title, context=context or entry.context)
    if isinstance(entry, AddedFolder):
        entry = replace(entry, **given | ({"device": ""} if given.get("device") == "best" else {}))
    else:
        entry = replace(entry, server=replace(entry.server, **given))
    library.update(entry)
    _say(library, entry)


@models.command()
@click.argument("task", metavar="TASK[/STAGE]")
@click.argument("key", metavar="ID", default=None, required=False)
@click.option("--temperature", type=FiniteRange(0, 2), help="0 always picks the likeliest words.")
@click.option("--tokens", "answer_tokens", type=click.IntRange(16), help="Maximum answer length in tokens.")
@click.option(
    "--reasoning", type=click.Choice(("auto", "off", "low", "medium", "high")), help="Reasoning before an answer."
)
@click.option(
    "--reasoning-tokens", type=click.IntRange(0), help="Maximum reasoning length in tokens, in addition to the answer."
)
def use(*, task: str, key: str | None, **manner_given: Any) -> None:
    """Choose the model that a task uses (“none” for no model) and how it runs.

    `rejoinder models list --json` lists the tasks. The stages of review-drafting are drafter, literature, insight,
    results and aggregator.
    """
    from engine.review_drafting.records import STAGES

    library = ModelLibrary()
    name, _, stage = task.partition("/")
    known = [one.id for one in USES]
    if name not in known or (stage and (name != "review-drafting" or stage not in STAGES)):
        raise not_changed(f"There is no task “{task}”.", f"Tasks: {', '.join(known)}.")
    given = {setting: value for setting, value in manner_given.items() if value is not None}
    if name != "review-drafting" and given:
        raise not_changed(f"{name} doesn't have its own settings.", "Only review-drafting and its stages do.")
    if key is not None:
        library.choose(task, "" if key == "none" else key)
    manner = replace(library.manner(task), **given)
    if name == "review-drafting":
        library.set_manner(task, manner)
    chosen = library.chosen(task)
    names = "temperature answer_tokens reasoning reasoning_tokens"
    document = {"task": task, "model": chosen.id if chosen else None} | fields(manner, names)
    answer(document, ", ".join(f"{name} {value}" for name, value in document.items() if value is not None))


@models.command()
@click.argument("key", metavar="ID")
def remove(key: str) -> None:
    """Remove a model from the list. Its folder isn't changed."""
    library = ModelLibrary()
    entry = library.find(key)
    library.remove(key)
    answer({"removed": key}, f"Removed {entry.id}. To add it again: {_added_by(entry)}")


@models.command()
@click.argument("key", metavar="ID")
def check(key: str) -> None:
    """Check a model again: query its server, or read the headers of its weights.

    What the server reports is stored. Exit code 1: the model isn't usable.
    """
    library = ModelLibrary()
    entry = library.find(key)
    problems: list[str] = []
    try:
        if isinstance(entry, AddedServer):
            entry, wrong = library.checked(entry, look_at(entry.server))
            problems += [wrong] if wrong else []
        else:
            inspect_folder(entry.folder)
    except EnvironmentProblem as problem:
        problems.append(str(problem))
    document = _document(library, entry) | {"problems": problems}
    emit(document)
    say(_line(document))
    hint(*problems)
    if problems:
        sys.exit(1)


def language_model(key: str) -> LanguageModel:
    """Returns the added language model of that id, closed at the end of the command. Raises BadInput as
    ``ModelLibrary.find``."""
    return click.get_current_context().with_resource(closed_after(load_language_model(ModelLibrary().find(key))))


def judged_by(model: str, sentences: Sequence[str], visible: Places) -> tuple[dict[str, Opinion], bool]:
    """Returns a language model's judgements of sentences, if a model is given, and whether all were judged; problems
    are reported."""
    if not model:
        return {}, True
    from engine.operations.entailment import opinions, with_passages

    found, problems = opinions(language_model(model), with_passages(sentences, visible), Remarks())
    lost = "The model couldn't judge some sentences, since its answer can't be used"
    ways = "They stay undecided. Try again, or choose another model."
    remark(*(f"{lost}: {problem.rstrip('.')}. {ways}" for problem in problems))
    return {one.sentence: one for one in found}, not problems


def opinion_fields(one: Opinion | None) -> dict[str, Any] | None:
    return None if one is None else fields(one, "judgement reason model")


def _added_by(entry: Added) -> str:
    """Returns the command that adds this model."""
    words = ["rejoinder", "models", "add"]
    if isinstance(entry, AddedServer):
        server = entry.server
        words += [server.url, "--model", entry.model, *(["--key", "KEY"] if server.api_key else [])]
        words += ["--allow-remote"] if server.allow_remote else []
        words += ["--context", str(entry.context)] if entry.context else []
    else:
        words += [str(entry.folder)]
    return shlex.join([*words, "--title", entry.title, "--id", entry.id])


def _say(library: ModelLibrary, entry: Added) -> None:
    document = _document(library, entry)
    answer(document, _line(document))


def _document(library: ModelLibrary, entry: Added) -> dict[str, Any]:
    uses = [use.id for use in USES if (chosen := library.chosen(use.id)) is not None and chosen.id == entry.id]
    if isinstance(entry, AddedFolder):
        about = fields(entry, "id title kind device precision", folder=str(entry.folder), there=entry.there)
        report = entry.report
        memory = memory_needed(report.parameters, entry.precision, on_gpu=entry.device.startswith("cuda"))
        return about | {
            "context": entry.context or report.context, "context_from": _context_from(entry),
            "parameters": report.parameters, "memory": memory, "uses": uses,
        }  # fmt: skip
    said = entry.report
    return fields(entry, "id title kind model context server_kind") | {
        "address": entry.server.url, "remote": entry.server.allow_remote, "concurrency": entry.server.concurrency,
        "longest": said.longest if said else None, "abilities": list(said.abilities) if said else [],
        "version": said.version if said else "", "uses": uses, "context_from": _context_from(entry),
    }  # fmt: skip


def _context_from(entry: Added) -> str:
    """Returns the source of a model's context length."""
    said = entry.report.context if entry.report is not None else None
    if entry.context not in {None, said}:
        return "user"
    return "unknown" if said is None else "server" if isinstance(entry, AddedServer) else "folder"


def _line(one: dict[str, Any]) -> str:
    where = one.get("address") or one["folder"]
    about = [f"{one['context']:,} tokens" if one["context"] else "context unknown"]
    if "server_kind" in one:
        about = [one["server_kind"], *about, *one["abilities"]]
    else:
        about = [one["kind"], *about, f"about {one['memory'] / 1e9:.1f} GB of memory"]
        about += [] if one["there"] else ["folder not found"]
    return f"{one['id']}  {where}  {', '.join(about)}" + (f"  for {', '.join(one['uses'])}" if one["uses"] else "")
