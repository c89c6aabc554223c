"""The panes, in the order of the workflow. To add a pane, add an entry here and a package beside this file."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from desktop_app.commands import Command


@dataclass(frozen=True, slots=True)
class PaneSpec:
    """Describes a pane without importing it. ``path`` is ``module:Class``; ``below`` moves it to the foot of the side
    bar. ``commands_in`` names the module whose ``commands()`` lists the pane's commands without importing the pane."""

    id: str
    title: str
    icon: str
    help: str
    path: str
    commands_in: str = ""
    needs_project: bool = True
    below: bool = False

    def commands(self) -> "Sequence[Command]":
        found: Sequence[Command] = importlib.import_module(self.commands_in).commands() if self.commands_in else ()
        return found

    def load(self) -> Any:
        """Imports and returns the pane's class."""
        module, _, name = self.path.partition(":")
        return getattr(importlib.import_module(module), name)


def _pane(
    key: str,
    title: str,
    icon: str,
    help_: str,
    *,
    commands: bool = True,
    needs_project: bool = True,
    below: bool = False,
) -> PaneSpec:
    package = f"desktop_app.panes.{key}"
    return PaneSpec(
        key, title, icon, help_, f"{package}.pane:{title}Pane", f"{package}.commands" if commands else "",
        needs_project, below,
    )  # fmt: skip


PANES: tuple[PaneSpec, ...] = (
    _pane("home", "Home", "house", "Recent projects and what is left to do.", commands=False, needs_project=False),
    _pane("survey", "Survey", "clipboard-text", "Create an expertise survey, merge the answers and see the results."),
    _pane("expertise", "Expertise", "flask", "Compare similarity algorithms on people's own ratings."),
    _pane("calibration", "Calibration", "scales",
          "Turn noisy review scores into a ranking with intervals, and try out changes."),
    _pane("linking", "Linking", "link", "Link review comments to the edits that answer them."),
    _pane("labels", "Labels", "tag",
          "Label what each review sentence evaluates, which aspect it addresses and what it requests."),
    _pane("preferences", "Preferences", "cards", "Judge pairs of rebuttals and rank the candidates."),
    _pane("rebuttal", "Rebuttal", "chat-centered-text", "Answer every review comment within the venue's limit."),
    _pane("review", "Review", "note-pencil", "Write a review whose sentences are checked against the paper."),
    _pane("benchmark", "Benchmark", "chart-bar-horizontal",
          "Compare reviews of the same papers by rubrics written for each paper."),
    _pane("agreement", "Agreement", "handshake", "See how well annotators agree, and settle their differences."),
    _pane("analysis", "Analysis", "chart-bar", "Compare real edits with generated ones, and describe a corpus."),
    _pane("models", "Models", "cube", "The models on this computer and the tasks that use them.",
          needs_project=False, below=True),
    _pane("history", "History", "clock-counter-clockwise", "Everything done in this project, by whom and when.",
          below=True),
    _pane("settings", "Settings", "gear-six", "Your name, colours, text size and shortcuts.", commands=False,
          needs_project=False, below=True),
)  # fmt: skip

PARTICIPANT = PaneSpec(
    "participant", "Survey", "clipboard-text", "Answer an expertise survey.",
    "desktop_app.panes.survey.participant:ParticipantPane", "desktop_app.panes.survey.participant_commands",
)  # fmt: skip
"""Shown alone, without side bar and header, while the open project contains answers to a survey."""
