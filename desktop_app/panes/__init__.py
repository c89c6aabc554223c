"""The panes, in the order in which the work goes. A new pane is one line here and a package beside this file."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop_app.panes.base import Pane


@dataclass(frozen=True, slots=True)
class PaneSpec:
    """A pane before it is loaded: ``path`` is ``module:Class``; ``below`` sets it apart at the foot of the side bar."""

    id: str
    title: str
    icon: str
    path: str
    help: str
    below: bool = False

    def load(self) -> type[Pane]:
        """Imports the pane's class; the first time it costs what the pane's own imports cost."""
        module, _, name = self.path.partition(":")
        found: type[Pane] = getattr(importlib.import_module(module), name)
        return found


PANES: tuple[PaneSpec, ...] = (
    PaneSpec(
        "home", "Home", "house", "desktop_app.panes.home.pane:HomePane", "Recent projects and what is left to do."
    ),
    PaneSpec(
        "survey",
        "Survey",
        "clipboard-text",
        "desktop_app.panes.survey.pane:SurveyPane",
        "Make an expertise survey, merge the files that come back, and see what they say.",
    ),
    PaneSpec(
        "expertise",
        "Expertise",
        "flask",
        "desktop_app.panes.expertise.pane:ExpertisePane",
        "Compare similarity algorithms on people's own ratings, and see why a score is high.",
    ),
    PaneSpec(
        "calibration",
        "Calibration",
        "scales",
        "desktop_app.panes.calibration.pane:CalibrationPane",
        "Turn noisy review scores into a ranking with intervals, and try changes before making them.",
    ),
    PaneSpec(
        "linking",
        "Linking",
        "link",
        "desktop_app.panes.linking.pane:LinkingPane",
        "Link review comments to the edits that answer them.",
    ),
    PaneSpec(
        "labels",
        "Labels",
        "tag",
        "desktop_app.panes.labels.pane:LabelsPane",
        "Say of each sentence of a review what it judges, about what, and what it asks for.",
    ),
    PaneSpec(
        "preferences",
        "Preferences",
        "cards",
        "desktop_app.panes.preferences.pane:PreferencesPane",
        "Judge pairs of rebuttals, one key each, and rank which one is canonical.",
    ),
    PaneSpec(
        "rebuttal",
        "Rebuttal",
        "chat-centered-text",
        "desktop_app.panes.rebuttal.pane:RebuttalPane",
        "Answer every point of the reviews within the venue's limit, and miss none.",
    ),
    PaneSpec(
        "review",
        "Review",
        "note-pencil",
        "desktop_app.panes.review.pane:ReviewPane",
        "Write a review in which every criticism points at a place in the paper.",
    ),
    PaneSpec(
        "benchmark",
        "Benchmark",
        "chart-bar-horizontal",
        "desktop_app.panes.benchmark.pane:BenchmarkPane",
        "Compare reviews of the same papers by rubrics made for each, and score them by hand.",
    ),
    PaneSpec(
        "agreement",
        "Agreement",
        "handshake",
        "desktop_app.panes.agreement.pane:AgreementPane",
        "What two annotators agree on, with intervals, and what holds where they differ.",
    ),
    PaneSpec(
        "analysis",
        "Analysis",
        "chart-bar",
        "desktop_app.panes.analysis.pane:AnalysisPane",
        "Compare real edits with proposed ones, review labels from responses, count a corpus.",
    ),
    PaneSpec(
        "models",
        "Models",
        "cube",
        "desktop_app.panes.models.pane:ModelsPane",
        "The models on this machine, which task uses which, and a place to try them.",
        below=True,
    ),
    PaneSpec(
        "history",
        "History",
        "clock-counter-clockwise",
        "desktop_app.panes.history.pane:HistoryPane",
        "Everything that was done in this project, by whom and when.",
        below=True,
    ),
    PaneSpec(
        "settings",
        "Settings",
        "gear-six",
        "desktop_app.panes.settings.pane:SettingsPane",
        "Your name, colours, text size, keys.",
        below=True,
    ),
)

PARTICIPANT = PaneSpec(
    "participant",
    "Survey",
    "clipboard-text",
    "desktop_app.panes.survey.participant:ParticipantPane",
    "Answer an expertise survey.",
)
"""Shown alone, without side bar and header, while the window holds somebody's answers to a survey."""
