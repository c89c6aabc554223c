"""Where the laboratory's data come from: the project's studies, and folders that a person added."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.expertise.laboratory import Data
from engine.expertise.tasks import folder_key
from engine.jobs import Report

if TYPE_CHECKING:
    from desktop_app.state import WindowState
    from engine.project import Project

_REMEMBERED = "expertise.folders"


@dataclass(frozen=True, slots=True)
class Source:
    """A data set one can choose; ``key`` tells sources apart, ``load`` reads it in a job."""

    key: str
    title: str
    load: Callable[[Report], Data]


def sources(project: Project | None, state: WindowState) -> tuple[Source, ...]:
    """The studies of a project with answers, then the folders that are still there."""
    found = []
    if project is not None:
        from engine.expertise.store import SurveyStore

        for study in SurveyStore(project).studies("organiser"):
            found.append(Source(f"study:{study.id}", study.title, _study_loader(project, study.id, study.title)))
    found += [
        Source(f"folder:{folder}", folder.name, _folder_loader(folder))
        for folder in folders(state)
        if (folder / "evaluations.csv").is_file()
    ]
    return tuple(found)


def folders(state: WindowState) -> tuple[Path, ...]:
    """The folders that were added, in that order."""
    try:
        known = json.loads(state.text(_REMEMBERED, "[]"))
    except json.JSONDecodeError:
        return ()
    return tuple(Path(value) for value in known if isinstance(value, str)) if isinstance(known, list) else ()


def add_folder(state: WindowState, folder: Path) -> str:
    """Remembers a folder; returns its source's key."""
    folder = folder.resolve()
    state.set_text(_REMEMBERED, json.dumps([str(path) for path in dict.fromkeys((*folders(state), folder))]))
    return f"folder:{folder}"


def _study_loader(project: Project, study_id: str, title: str) -> Callable[[Report], Data]:
    def load(_report: Report) -> Data:
        from engine.expertise.store import SurveyStore

        return Data(study_id, title, SurveyStore(project).gold_standard(study_id, with_texts=True))

    return load


def _folder_loader(folder: Path) -> Callable[[Report], Data]:
    def load(_report: Report) -> Data:
        from engine.exchange.expertise_data import read_gold_standard, read_predictions

        gold = read_gold_standard(folder)
        return Data(folder_key(folder), folder.name, gold, read_predictions(folder))

    return load
