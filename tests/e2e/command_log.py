"""A plugin of pytest: writes down each command of the command line that a test runs, into COMMAND_LOG.

What runs in a process of its own is written down there by ``tests/offline/sitecustomize.py``.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

LOG = "REJOINDER_COMMAND_LOG"


def leaves(group: click.Group, path: str = "") -> dict[str, click.Command]:
    """Every command that does something, by its words after ``rejoinder``; also those that help does not list."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        words = f"{path} {name}".strip()
        found |= leaves(command, words) if isinstance(command, click.Group) else {words: command}
    return found


def pytest_configure() -> None:
    """Starts to write."""
    from engine.cli.main import rejoinder

    names = {id(command): words for words, command in leaves(rejoinder).items()}
    before = click.Command.invoke

    def invoke(self: click.Command, context: click.Context) -> object:
        if id(self) in names:
            with Path(os.environ[LOG]).open("a", encoding="utf-8") as file:
                file.write(f"{names[id(self)]}\t{os.environ.get('PYTEST_CURRENT_TEST', '')}\n")
        return before(self, context)

    click.Command.invoke = invoke  # type: ignore[method-assign]
