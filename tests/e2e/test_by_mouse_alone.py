"""Whole jobs on the sample project without a single key: links, the second round, a rebuttal and a review, from the
first click to the exported file."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QComboBox, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.panes.rebuttal.state import progress_words
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.window import MainWindow
from engine.rebuttal.matrix import MatrixRow
from tests.e2e.at_the_window import Visitor, answer_dialogs, open_window, watched, without

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where everything is exported to."""
    answer_dialogs(monkeypatch, tmp_path / "out")
    return tmp_path / "out"


def written(me: Visitor, out: Path, ending: str) -> Path:
    """The only file with this ending, once it is there."""
    me.until(lambda: bool(list(out.rglob(f"*{ending}"))) and not me.window.bridge.engine.busy())
    (found,) = out.rglob(f"*{ending}")
    return found


def linking_of(me: Visitor) -> LinkingPane:
    me.click(me.window.side.buttons["linking"])
    pane = me.window.panes["linking"]
    assert isinstance(pane, LinkingPane)
    me.until(lambda: bool(pane.study.suggestions))
    return pane


def undecided(pane: LinkingPane) -> list[int]:
    """The rows of comments that nobody decided on."""
    return [n for n, row in enumerate(pane.comments.list.records) if pane.study.state(row.id) == "undecided"]


def test_links_are_made_and_exported(
    make_window: Callable[[], MainWindow], qtbot: QtBot, sample_path: Path, out: Path
) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = linking_of(me)
        first, second, *_ = undecided(pane)
        me.row(pane.comments.list, first)
        comment = pane.comments.list.records[first].id
        assert pane.state.comment_id == comment
        edits = pane.edits.list
        me.row(edits, next(n for n, row in enumerate(edits.records) if row.suggestion is not None))
        made = comment, pane.state.edit_id

        def linked() -> bool:
            return made in {(link.comment_id, link.edit_id) for link in pane.study.links}

        me.press("Link")
        me.until(linked)
        me.press("Unlink")
        me.until(lambda: not linked())
        me.click(me.window.side.menu_button)
        me.pick("Edit", "Undo")
        me.until(linked)
        me.row(pane.comments.list, second)
        other = pane.comments.list.records[second].id
        me.press("2 Answered")
        me.until(lambda: pane.study.state(other) == "answered")
        me.press("Export", pane.tools)
        me.pick("Export table of links (CSV)")
        with written(me, out, ".csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert made in {(row["comment_id"], row["edit_id"]) for row in rows}
        assert {row["state"] for row in rows if row["comment_id"] == other} == {"answered"}


def test_the_second_round_is_decided_and_exported(
    make_window: Callable[[], MainWindow], qtbot: QtBot, sample_path: Path, out: Path
) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        pane = linking_of(me)
        me.press("Coverage", pane.tools)
        requests = pane.coverage.list
        me.settle()
        states = [pane.study.state(one.covered.comment.id) for one in requests.records]
        me.right_click(requests, states.index("undecided"))
        key = pane.state.comment_id
        me.pick("No edit found")
        me.until(lambda: pane.study.state(key) == "no_edit_found")
        me.press("Export", pane.tools)
        me.pick("Export table of requests (CSV)")
        with written(me, out, ".csv").open(encoding="utf-8-sig", newline="") as file:
            (found,) = [one for one in csv.DictReader(file) if one["comment_id"] == key]
        assert (found["state"], found["basis"]) == ("not found", "decided by a person")


def anyway(me: Visitor, question: Callable[[], QMessageBox | None], out: Path) -> None:
    """Confirms an export that asks about claims."""
    me.until(lambda: bool(list(out.rglob("*.md"))) or question() is not None)
    if (asked := question()) is not None:
        me.press("Export anyway", asked)
        me.front()


def test_a_rebuttal_is_written_and_exported(
    make_window: Callable[[], MainWindow], qtbot: QtBot, sample_path: Path, out: Path
) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        me.click(me.window.side.buttons["rebuttal"])
        pane = me.window.panes["rebuttal"]
        assert isinstance(pane, RebuttalPane)
        me.until(lambda: bool(pane.state.claims.revised) and not me.window.bridge.engine.busy())
        lines = pane.matrix.list
        me.row(lines, [isinstance(one, MatrixRow) and one.answered == "empty" for one in lines.records].index(True))
        me.until(lambda: pane.templates.template(0) is not None)
        assert not pane.state.point.text
        me.double(pane.templates.list, 0)
        me.until(lambda: bool(pane.state.point.generated))
        me.double(pane.response.notes, [note.command for note in pane.response.notes.records].index("accept"))
        me.until(lambda: not pane.state.point.generated)
        text, label = pane.state.point.text, pane.state.row.label if pane.state.row else ""
        assert len(text) > 20
        me.tab(pane.head.tabs, "Send")
        outline = pane.state.rebuttal.outline
        me.until(lambda: not pane.state.claims.unchecked(outline))
        me.until(lambda: pane.matrix._claims.text() == progress_words(pane.state)[2])
        assert "hasn't been checked" not in " ".join(one.why for one in pane.state.matrix.claims)
        me.press("Export…")
        anyway(me, lambda: pane.outgoing.question, out)
        me.until(lambda: bool(list(out.rglob("*.md"))) and not me.window.bridge.engine.busy())
        posts = "".join(file.read_text(encoding="utf-8") for file in out.rglob("*.md"))
        assert text in posts and f"**{label}**" in posts
        me.press("Matrix (CSV)…")
        with written(me, out, ".csv").open(encoding="utf-8", newline="") as file:
            (row,) = [one for one in csv.DictReader(file) if one["label"] == label]
        states = ("contradicted", "not_found", "not_checked", "place_found", "supported")
        assert row["response"] == text and sum(int(row[state]) for state in states) == len(row["claims"].splitlines())


def test_a_review_is_completed_and_exported(
    make_window: Callable[[], MainWindow], qtbot: QtBot, sample_path: Path, out: Path
) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        me = open_window(sample_path, make_window, qtbot)
        me.click(me.window.side.buttons["review"])
        pane = me.window.panes["review"]
        assert isinstance(pane, ReviewPane)
        me.until(lambda: pane.state.places is not None and not pane.session.checker.busy)
        boxes = pane.form_view.boxes
        open_ones = [name for name, box in boxes.items() if isinstance(box.control, QComboBox) and not
                     pane.state.fields.get(name)]  # fmt: skip
        for name in open_ones:
            control = boxes[name].control
            assert isinstance(control, QComboBox)
            me.scroll_to(control)
            me.choose(control, 1)
            me.until(partial(lambda key: bool(pane.state.fields.get(key)), name))
        assert open_ones
        me.click(pane.drawer_button)
        me.pick("Export")
        me.settle()
        me.press("Export…", pane.drawer.export)
        anyway(me, lambda: pane.drawer.export.question, out)
        review = written(me, out, ".md").read_text(encoding="utf-8")
        for name in ("summary", "strengths", "weaknesses", "questions"):
            assert pane.state.fields[name].strip() in review
