"""What scripts rely on: every command of the contract with its options, whatever else changes."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from engine.cli.main import rejoinder

OPTIONS = {
    "paragraphs": "",
    "edits": "",
    "align": "source target comments strategy use-responses edits source-paragraphs target-paragraphs",
    "letter": "",
    "label": "",
    "similarity score": "submissions profiles texts algorithm out",
    "assign": "scores loads conflicts bids method",
    "calibrate file": "method",  # "file" may be left out
    "rank": "method",
    "review draft": "model library",
    "review check": "paper",
    "inspect": "",
    "doctor": "",
    "reproduce similarity": "data algorithms",
    "reproduce alignment": "data",
    "reproduce rebuttal": "data",
    "reproduce review-bench": "data",
    "reproduce edit-generation": "data",
    "reproduce calibration-table-1": "",
    "models add": "server folder model id context",
    "models list": "",
    "models remove": "",
    "models check": "",
    "project new": "",
    "project info": "",
    "project check": "",
    "project backup": "",
    "project compact": "",
    "project merge": "",
    "project export": "to format",
    "project import": "",
    "project tables": "",
    "project rows": "",
    "project query": "",
}
FORMATS = {"aries", "w3c", "csv", "bundle"}


@pytest.mark.parametrize("words", OPTIONS)
def test_a_command_of_the_contract_has_its_options(words: str) -> None:
    context, command = click.Context(rejoinder), rejoinder
    for word in words.split():
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        assert found is not None, f"there is no {words}"
        command = found
    options = {option for parameter in command.params for option in parameter.opts}
    assert {f"--{name}" for name in ["json", *OPTIONS[words].split()]} <= options


def _options(command: click.Command, words: str = "rejoinder") -> Iterator[tuple[str, click.Option]]:
    for one in command.params:
        if isinstance(one, click.Option):
            yield f"{words} {one.opts[0]}", one
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _options(found, f"{words} {name}")


def test_no_option_takes_a_number_that_makes_no_sense() -> None:
    kinds = {"seed": 0, "number": 0}
    for words, option in _options(rejoinder):
        seed = words.endswith(" --seed")
        if not seed and option.type.name not in ("float", "float range"):
            continue
        kinds["seed" if seed else "number"] += 1
        for given in ("-1", str(2**32)) if seed else ("nan", "inf", "-inf"):
            with pytest.raises(click.BadParameter):
                option.type.convert(given, option, None)
                pytest.fail(f"{words} {given} is accepted")
    assert min(kinds.values()) >= 5


def test_a_project_is_exported_in_the_formats_of_the_contract() -> None:
    project = rejoinder.get_command(click.Context(rejoinder), "project")
    assert isinstance(project, click.Group)
    (format_,) = (one for one in project.commands["export"].params if "--format" in one.opts)
    assert isinstance(format_.type, click.Choice) and set(format_.type.choices) >= FORMATS
