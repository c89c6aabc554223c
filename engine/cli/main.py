"""``rejoinder``: the command line, with one module per domain that is imported only when used."""

import errno
import importlib
import io
import os
import signal
import sys
from typing import TextIO

import click

from engine.cli.output import fail, remark
from engine.errors import Cancelled, EnvironmentProblem
from engine.shown import visible

COMMANDS = {
    # name: (module of engine.cli, attribute, one line of help; repeated here so that --help loads nothing)
    "agreement": ("agreement", "agreement", "Measure how well annotators agree, and adjudicate."),
    "align": ("align", "align", "Rank the edits of a revision for each review comment."),
    "assign": ("similarity", "assign", "Assign reviewers to papers, from similarity scores and loads."),
    "calibrate": ("calibrate", "calibrate", "Turn noisy review scores into a calibrated ranking."),
    "coverage": ("studies", "coverage", "Show which comments are answered, and by which edits."),
    "doctor": ("doctor", "doctor", "Check the installation and report what is missing."),
    "edits": ("edits", "edits", "List the paragraph edits between two versions of a paper."),
    "inspect": ("documents", "inspect", "Look for hidden text in a PDF."),
    "label": ("label", "label", "Label review sentences: polarity, aspect, themes, request."),
    "letter": ("documents", "letter", "Split a response letter into comments and responses."),
    "marked": ("edits", "marked", "Mark additions, deletions and moves on the revised PDF."),
    "models": ("models", "models", "List, add, check, configure and remove models; choose which task uses which."),
    "paper": ("papers", "paper", "List, import, rename, replace and remove the papers of a project."),
    "paragraphs": ("documents", "paragraphs", "Read a PDF into paragraphs."),
    "propose": ("edits", "propose", "Propose responses and edits for a project's comments."),
    "rank": ("rank", "rank", "Rank items by pairwise preferences, with intervals."),
    "rebuttal": ("rebuttal", "rebuttal", "Check and export a project's rebuttal."),
    "reproduce": ("reproduce", "reproduce", "Reproduce published tables and compare the figures."),
    "review": ("review", "review", "Draft, check and score reviews; move, rename and remove a project's reviews."),
    "search": ("studies", "search", "Find words in a project's papers, reviews, comments and templates."),
    "second-round": ("align", "command", "Show the outcome of each request in the revised paper, with evidence."),
    "statistics": (
        "studies",
        "statistics",
        "Count a project's comments and edits, and compare real and proposed edits.",
    ),
    "survey": ("survey", "survey", "Run an expertise survey: create a study, merge answers, export data."),
    "train": ("train", "train", "Train heads and encoders that label review sentences."),
    "train-aligner": ("train", "train_aligner", "Fine-tune a model that links comments to edits."),
    "similarity": ("similarity", "similarity", "Score reviewers for a venue's submissions; train a model."),
    "project": ("project", "project", "Create, check, back up and compact project files."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Returns the command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(f"engine.cli.{module}"), attribute)
        _show_defaults(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Lists the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][2]) for name in sorted(COMMANDS)])


def _show_defaults(command: click.Command) -> None:
    """Adds the default to the help of every option, unless it is empty or the option says otherwise."""
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.show_default is None:
            parameter.show_default = parameter.default != ""
    for inner in getattr(command, "commands", {}).values():
        inner.short_help = inner.get_short_help_str(limit=200)  # otherwise click truncates it at the end of a line
        _show_defaults(inner)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rejoinder", prog_name="rejoinder")
def rejoinder() -> None:
    """An offline workbench for peer review. Every command works without a display or a network."""


class _Terminal(io.TextIOBase):
    """Output to a terminal, without the control characters that texts and file names may contain. It has no ``buffer``
    and no ``fileno``, through which click would bypass it on the Windows console."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(visible(text))

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return True


def main() -> None:
    """Runs the command line: environment problems are one line and exit 2; a cancelled run is silent and exits 1."""
    # Processes that commands start import nothing from the current folder, which may not be trustworthy.
    os.environ["PYTHONSAFEPATH"] = "1"
    for name in ("SIGTERM", "SIGHUP"):  # exits normally so that private copies are removed
        if number := getattr(signal, name, None):
            signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):  # None if it was closed
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
            if stream.isatty():
                setattr(sys, name, _Terminal(stream))
    try:
        rejoinder.main(prog_name="rejoinder", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "rejoinder"
        remark(f"{command}: {' '.join(error.format_message().split())} Try '{command} --help'.")
        sys.exit(2)
    except (click.Abort, Cancelled, KeyboardInterrupt):
        sys.exit(1)
    except EnvironmentProblem as problem:
        fail(problem)
    except UnicodeEncodeError:
        if not (name := next(filter(_undecodable, sys.argv), "")):
            raise
        shown = os.fsencode(name).decode("utf-8", "backslashreplace")
        what = f"The name {shown} isn't valid UTF-8, so it can't be stored or written to another file."
        fail(EnvironmentProblem(what, "The command was stopped.", "Rename the file, then try again."))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        sys.stdout = None  # Python would try to write the rest at exit
        fail(EnvironmentProblem("The disk is full.", "The output is incomplete.", "Free some space and try again."))


def _undecodable(name: str) -> bool:
    """Returns whether a name has bytes that aren't UTF-8, which Python keeps as lone surrogates."""
    return any("\udc80" <= character <= "\udcff" for character in name)


if __name__ == "__main__":
    main()
