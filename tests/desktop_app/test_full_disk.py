"""What is typed in a pane while the disk is full: it is kept for what it belongs to, and written there afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from desktop_app.widgets import fields
from desktop_app.widgets.fields import CommittingTextEdit
from desktop_app.window import MainWindow
from engine.expertise.store import SurveyStore
from engine.expertise.survey import new_study
from engine.project import Project
from engine.project.database import NotWritten
from engine.rebuttal.store import RebuttalStore
from engine.review_drafting.store import ReviewDraftStore
from engine.reviews.store import ReviewStore
from tests.desktop_app.panes.linking.studies import make_study
from tests.desktop_app.panes.review.steps import begin_reviews
from tests.desktop_app.shell_helpers import open_pane

Pages = tuple[CommittingTextEdit, Callable[[int], object], Callable[[], list[str]]]
"""A field, what goes to the first or second comment, and what is stored for the two."""


def response(pane: Any) -> Pages:
    keys = [line.row.comment.id for line in pane.state.matrix.rows[:2]]
    stored = RebuttalStore(pane.project).replies
    return (
        pane.response.editor,
        lambda number: pane.take(keys[number]),
        lambda: [stored()[key].text if key in stored() else "" for key in keys],
    )


def comment(pane: Any) -> Pages:
    pane.toggle_mode("reviews")
    keys = [one.id for one in pane.state.marking.comments[:2]]

    def go(number: int) -> None:
        pane.do(lambda: pane.state.marking.choose(keys[number]))

    store = ReviewStore(pane.project)
    return pane.reviews.form.response, go, lambda: [store.comment(key).response for key in keys]


def review(pane: Any) -> Pages:
    session, store = pane.session, ReviewDraftStore(pane.project)
    keys = [draft.id for draft in store.drafts()]
    session.choose_draft(keys[0])
    return (
        pane.form_view.boxes["summary"].editor,
        lambda number: session.choose_draft(keys[number]),
        lambda: [store.fields(key).get("summary", "") for key in keys],
    )


def study(pane: Any) -> Pages:
    store = SurveyStore(pane.project)
    keys = [one.id for one in store.studies()]
    return (
        pane.form.texts["instructions"],
        lambda number: pane.choose_study(keys[number]),
        lambda: [store.study(key).instructions for key in keys],
    )


CASES = [("rebuttal", response), ("linking", comment), ("review", review), ("survey", study)]


@pytest.mark.parametrize(("name", "pages"), CASES)
def test_text_is_kept_for_its_own_comment(
    name: str, pages: Callable[[Any], Pages], window: MainWindow, qtbot: QtBot, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = tmp_path / "study.rejoinder"
    make_study(path)
    with Project.open(path) as project:
        begin_reviews(project, 2)
        for title in ("First", "Second"):
            SurveyStore(project).add_study(new_study(title))
    pane = open_pane(window, path, name, qtbot)
    field, go, stored = pages(pane)
    go(0)
    before = stored()
    monkeypatch.setattr(fields, "RETRY_MS", 20)
    with monkeypatch.context() as full:

        def refuse(*_words: object, **_named: object) -> None:
            raise NotWritten("The disk is full.", "Your last change wasn't saved.", "Free some space.")

        full.setattr(Project, "action", refuse)
        for number, words in enumerate(("First words.", "Second words.")):
            go(number)
            field.setFocus()
            field.moveCursor(QTextCursor.MoveOperation.End)
            qtbot.keyClicks(field, words)
        go(0)
        assert field.toPlainText() == before[0] + "First words." and stored() == before
        [notice] = [one for one in pane.banner.notices if one.kind == "problem"]
        assert notice.what == "The disk is full." and notice.means.startswith("2 texts")
    wanted = [before[0] + "First words.", before[1] + "Second words."]
    qtbot.waitUntil(lambda: stored() == wanted)
    assert notice not in pane.banner.notices and field.toPlainText() == wanted[0]
    go(1)
    assert field.toPlainText() == wanted[1]
