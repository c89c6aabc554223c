"""Common output of all commands: one JSON document on standard output, remarks on standard error, exit codes.

Exit 0 success, 1 success with a shortfall, 2 invalid input or call.
"""

import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import click

from engine.documents.records import Paragraph
from engine.errors import BadInput, EnvironmentProblem, not_computed
from engine.files import write_whole
from engine.jobs import QuietReport
from engine.revision.records import GROUPS
from engine.shown import visible_json


class FiniteRange(click.FloatRange):
    """A range of numbers without infinity and NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


SEEDS = click.IntRange(0, 2**32 - 1)
PATH = click.Path(path_type=Path)
FILE, FOLDER = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path, file_okay=False)
path_argument = click.argument("path", type=PATH)
project_argument = click.argument("path", metavar="PROJECT", type=PATH)
paper_option = click.option(
    "--paper", default="", help="The paper's key or title. Required if the project has several."
)


def _note_json(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.meta[__name__] = value


_JSON = click.Option(["--json"], is_flag=True, expose_value=False, callback=_note_json, help="Print one JSON document.")


class Command(click.Command):
    """A command that prints its document with ``--json``."""

    def __init__(self, name: str | None, params: Sequence[click.Parameter] = (), **how: Any) -> None:
        super().__init__(name, params=[*params, _JSON], **how)


class Group(click.Group):
    """A group of such commands."""

    command_class = Command
    group_class = type


def wants_json() -> bool:
    """Returns whether the running command was called with ``--json``."""
    return bool(click.get_current_context().meta.get(__name__))


def group_option(explained: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns the option ``--group`` of commands that list edits: groups of edits, by default running text."""
    return click.option(
        "--group", "groups", type=click.Choice([*GROUPS, "all"]), multiple=True, default=("text",), help=explained
    )


def json_text(document: Any, indent: int | None = 1) -> str:
    """Returns a document as ``emit`` prints it. JSON has no infinity and NaN; they become null."""
    try:
        text = json.dumps(document, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(document), ensure_ascii=False, indent=indent)
    return visible_json(text)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def emit(document: Any) -> None:
    """Prints a document if called with ``--json``."""
    if wants_json():
        click.echo(json_text(document))


def say(*lines: str) -> None:
    """Prints lines for people if not called with ``--json``."""
    for line in () if wants_json() else lines:
        click.echo(line)


def show(command: str, document: Mapping[str, Any]) -> None:
    """Prints a document of ``rejoinder reproduce COMMAND``, or its tables."""
    from engine.research.tables import tables

    answer(document, "\n\n".join(table.as_text() for table in tables(command, document)))


def fields(record: object, names: str, **others: object) -> dict[str, Any]:
    """Returns the attributes of a record that ``names`` lists, separated by spaces, plus others."""
    return {name: getattr(record, name) for name in names.split()} | others


def answer(document: Any, said: str | Iterable[str]) -> None:
    """Prints a document or, without ``--json``, the equivalent lines for people."""
    emit(document)
    say(*((said,) if isinstance(said, str) else said))


def remark(*sentences: str) -> None:
    """Prints sentences on standard error."""
    for sentence in sentences:
        click.echo(sentence, err=True)


def hint(*sentences: str) -> None:
    """Prints sentences on standard error if not called with ``--json``."""
    if not wants_json():
        remark(*sentences)


def fail(problem: EnvironmentProblem) -> NoReturn:
    """Prints the problem on one line and exits with 2."""
    remark("rejoinder: " + " ".join(str(problem).split()))
    sys.exit(2)


def write(path: Path, content: bytes, *, folders: bool = False, quiet: bool = False) -> str:
    """Writes a file (``folders``: creating its folders), and reports it unless ``quiet``; returns the path. Raises
    BadInput if the call also uses the file for something else."""
    refuse_input(path)
    write_whole(path, content, make_folders=folders)
    if not quiet:
        remark(f"Wrote {path}.")
    return str(path)


def refuse_input(path: Path) -> None:
    """Raises BadInput if the call also uses the output file for something else."""
    context = click.get_current_context(silent=True)
    given = chain.from_iterable(
        one if isinstance(one, tuple) else (one,) for one in (context.params if context else {}).values()
    )
    if path.is_file() and sum(isinstance(one, Path) and one.exists() and one.samefile(path) for one in given) > 1:
        what = f"{path.name} is both an input and the output."
        raise BadInput(what, "It wasn't overwritten.", "Choose another name for the file to write.")


def chosen(words: str, known: Iterable[str], kind: str) -> list[str]:
    """Splits names at commas. Raises BadInput for one that isn't among the ``known``."""
    found = [name.strip() for name in words.split(",") if name.strip()]
    for name in found:
        if name not in known:
            raise not_computed(f"There is no {kind} named “{name}”.", f"Choose one of {', '.join(known)}.")
    return found


def pairs(given: Iterable[str], form: str, means: str) -> dict[str, str]:
    """Parses options of the ``form`` NAME=VALUE. Raises BadInput for any other form; ``means`` is the consequence in
    its message."""
    found = [one.partition("=") for one in given]
    for name, equals, value in found:
        if not equals or not value:
            raise BadInput(f"“{name}{equals}” doesn't have the form {form}.", means, f"Use the form {form}.")
    return {name.strip(): value.strip() for name, _, value in found}


def paragraph_fields(paragraph: Paragraph) -> dict[str, object]:
    """Returns a paragraph's fields; boxes are [page, left, top, right, bottom] in points, pages count from 1."""
    boxes = [[box.page, *(round(side, 2) for side in (box.x0, box.y0, box.x1, box.y1))] for box in paragraph.boxes]
    return fields(paragraph, "id section kind text page", boxes=boxes)


PAUSE = 5.0
"""Minimum seconds between two progress remarks."""


class Remarks(QuietReport):
    """Prints the progress of a command, at most once in ``PAUSE`` seconds."""

    def __init__(self) -> None:
        self._said = 0.0

    def progress(self, fraction: float, words: str = "") -> None:
        """Prints one line on standard error."""
        if words and time.monotonic() - self._said > PAUSE:
            remark(f"{100 * fraction:3.0f} %  {words}")
            self._said = time.monotonic()

    def say(self, words: str) -> None:
        """Prints what is announced once, such as the requests to a language model."""
        remark(words)
