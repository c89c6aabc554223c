"""Where the laboratory's data come from: the project's studies, and folders that the user added."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.expertise.laboratory import Data
from engine.expertise.tasks import Load, folder_key
from engine.jobs import Report

if TYPE_CHECKING:
    from desktop_app.state import WindowState
    from engine.project import Project

_REMEMBERED = "expertise.folders"
RATINGS = "evaluations.csv"
"""The file that makes a folder a data set."""


@dataclass(frozen=True, slots=True)
class Source:
    """A data set to choose; ``key`` identifies it, ``load`` reads it in a job."""

    key: str
    title: str
    load: Load


def sources(project: Project | None, remembered: WindowState) -> tuple[Source, ...]:
    """The project's studies, then the added folders that still exist."""
    found = []
    if project is not None:
        from engine.expertise.store import SurveyStore

        for study in SurveyStore(project).studies("organiser"):
            found.append(Source(f"study:{study.id}", study.title, partial(_read_study, project, study.id, study.title)))
    found += [
        Source(f"folder:{folder}", folder.name, partial(_read_folder, folder))
        for folder in folders(remembered)
        if (folder / RATINGS).is_file()
    ]
    return tuple(found)


def folders(remembered: WindowState) -> tuple[Path, ...]:
    """The added folders, in that order."""
    try:
        known = json.loads(remembered.text(_REMEMBERED, "[]"))
    except json.JSONDecodeError:
        return ()
    return tuple(Path(value) for value in known if isinstance(value, str)) if isinstance(known, list) else ()


def add_folder(remembered: WindowState, folder: Path) -> str:
    """Remembers a folder; returns its source's key."""
    folder = folder.resolve()
    paths = dict.fromkeys((*folders(remembered), folder))
    remembered.set_text(_REMEMBERED, json.dumps([str(path) for path in paths]))
    return f"folder:{folder}"


def _read_study(project: Project, study_id: str, title: str, _report: Report) -> Data:
    from engine.expertise.store import SurveyStore

    return Data(study_id, title, SurveyStore(project).gold_standard(study_id, with_texts=True))


def _read_folder(folder: Path, _report: Report) -> Data:
    from engine.exchange.expertise_data import read_gold_standard, read_predictions

    return Data(folder_key(folder), folder.name, read_gold_standard(folder), read_predictions(folder))
