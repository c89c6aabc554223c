"""Small invented surveys for the tests of the survey panes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.panes.survey.participant import ParticipantPane
from desktop_app.project_control import answers_project
from desktop_app.window import MainWindow
from engine.exchange.study_file import preview_release
from engine.expertise.records import ProfileRow, Study, SurveyParticipant, SurveyRow
from engine.expertise.store import SurveyStore
from engine.expertise.survey import new_study
from engine.papers.records import LibraryPaper
from engine.project import Project

Key = Qt.Key
TITLES = (
    "Counting cars with three magnets", "A theory of leaflets in waiting rooms", "Sparse sensing for busy crossings",
    "Why loops under roads fail early", "On the compression of sensor readings", "Gentle traffic in slow streets",
    "Bridges that weigh what crosses them",
)  # fmt: skip


def study(key: str = "study-1", title: str = "How well does counting count?") -> Study:
    return new_study(title, organiser="Survey group", contact="survey@example.org", key=key)


def papers(count: int, *, author: str = "Ben Example") -> list[LibraryPaper]:
    """Papers with titles that differ in more than a number."""
    words = ("magnets", "loops", "cameras", "radar", "bicycles", "trams", "ferries", "lifts", "gates", "doors")
    return [
        LibraryPaper(
            "",
            f"{TITLES[n % len(TITLES)]}, the case of {words[n // len(TITLES) % 10]} number {n * 37 + 11}",
            year=2020 + n % 5,
            authors=(author, "Cleo Example"),
            link=f"https://example.org/{n}",
        )
        for n in range(count)
    ]


def fill_participant(project: Project, rated: Sequence[float | None], own: int = 3, key: str = "study-1") -> str:
    """Puts a begun survey into a project; returns the participant's key."""
    store = SurveyStore(project)
    one = store.open_study(study(key), filename="s.rejoinder-study")
    store.set_consent(one.id, True)
    store.set_name(one.id, "Ada Example")
    for paper, value in zip(papers(len(rated)), rated, strict=True):
        store.add_row(one.id, paper, value)
    store.add_publications(
        one.id, [LibraryPaper("", f"Own work {n} on ferries and tides", authors=("Ada Example",)) for n in range(own)]
    )
    return one.id


def begun(rated: Sequence[float | None], own: int = 3) -> Project:
    """The answers to a study as they lie in the person's own folder, closed."""
    wanted = study()
    path = answers_project(wanted.key, wanted.title)
    path.parent.mkdir(parents=True, exist_ok=True)
    project = Project.create(path, wanted.title, "Ada")
    if rated or own:
        fill_participant(project, rated, own)
    else:
        SurveyStore(project).open_study(wanted, filename="s.rejoinder-study")
    project.close()
    return project


def open_survey(window: MainWindow, project: Project) -> ParticipantPane:
    assert window.open_path(project.path)
    pane = window.panes["participant"]
    assert isinstance(pane, ParticipantPane)
    window.activateWindow()
    return pane


def press(pane: QWidget, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Presses keys where the keyboard is."""
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or pane, key, modifiers)


def write(pane: QWidget, words: str) -> None:
    """Types words where the keyboard is."""
    for letter in words:
        QTest.keyClick(QApplication.focusWidget() or pane, letter)


def answers_file(
    folder: Path,
    name: str,
    ratings: Sequence[float],
    *,
    key: str = "",
    written_at: str = "2026-03-01T10:00:00+00:00",
    of: Study | None = None,
    abstract: str = "",
    published: bool = True,
) -> Path:
    """The answers of one person, as they come back."""
    person = SurveyParticipant("", "", key or name, name, "2026-03-01T09:00:00+00:00", (("position", "Postdoc"),))
    rows = [
        SurveyRow(f"r{n}", "", replace(paper, id=f"lib{n}"), value)
        for n, (paper, value) in enumerate(zip(papers(len(ratings)), ratings, strict=True))
    ]
    own = ProfileRow(
        "o", "", LibraryPaper(f"own {name}", f"What {name} wrote about bridges and tides", abstract=abstract, year=2024)
    )
    preview = preview_release(of or study(), person, rows, [own] if published else [], written_at=written_at)
    path = folder / f"{name}-{len(list(folder.iterdir()))}.rejoinder-answers"
    path.write_bytes(preview.file.content)
    return path
