"""What every command does alike: one JSON document on standard output, remarks on standard error, exit codes.

Exit 0 done, 1 done but something fell short, 2 the input or the call was wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from engine.errors import EnvironmentProblem
from engine.revision.records import GROUPS


def group_option(explained: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option ``--group`` of commands that list edits: groups of edits, running text without it."""
    return click.option(
        "--group",
        "groups",
        type=click.Choice([*GROUPS, "all"]),
        multiple=True,
        default=("text",),
        show_default=True,
        help=explained,
    )


def emit(document: Any) -> None:
    """Prints one JSON document."""
    json.dump(document, sys.stdout, ensure_ascii=False, indent=1)
    sys.stdout.write("\n")


def remark(sentence: str) -> None:
    """Says something to the person, beside the output."""
    click.echo(sentence, err=True)


def fail(problem: EnvironmentProblem) -> NoReturn:
    """Ends with the problem on one line and exit 2."""
    remark("rejoinder: " + " ".join(str(problem).split()))
    sys.exit(2)
