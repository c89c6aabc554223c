"""The benchmark pane: files in, rubrics and scores made, scored by key, sources compared, exported."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from desktop_app.headless import settle
from desktop_app.panes.benchmark.pane import BenchmarkPane
from desktop_app.theme import theme
from desktop_app.window import MainWindow
from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.benchmark import tasks
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.rubrics import meta_rubrics
from engine.review_drafting.store import ReviewDraftStore
from tests.desktop_app.looks import sideways
from tests.desktop_app.pane_cases import PaneCases, assert_named
from tests.engine.exchange.review_texts import write_review
from tests.engine.review_drafting.benchmark.test_checks_of_reviews import BAD, GOOD, PAPER

Key = Qt.Key


class WordEncoder:
    """Near in meaning is what shares words: enough to drive the pane, and no other process."""

    fingerprint = "words"

    def encode(self, texts: Sequence[str], report: object = None) -> np.ndarray:
        vectors = np.full((len(texts), 256), 1e-6, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                vectors[row, zlib.crc32(word.encode()) % 256] += 1
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


METAS = meta_rubrics()


class TestCases(PaneCases):
    pane_id = "benchmark"
    huge = 300


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, ...]:
    made = []
    for name, review in (("good", GOOD), ("bad", BAD)):
        path = tmp_path / f"{name}.json"
        entry = {"paper_id": "x", "title": "Nested sampling", "content": PAPER, "review_markdown": write_review(review)}
        path.write_text(json.dumps([entry]))
        made.append(path)
    return tuple(made)


@pytest.fixture
def pane(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> BenchmarkPane:
    """An empty project; meaning is told by a tiny encoder in this process."""
    for name in ("rubrics_task", "judge_task"):
        made = getattr(tasks, name)
        monkeypatch.setattr(tasks, name, lambda *given, task=made: task(*given, encoder=WordEncoder))
    path = tmp_path / "study.rejoinder"
    Project.create(path, title="Study", annotator="Ann").close()
    window = make_window()
    window.settings.set("annotator.name", "Ann")
    assert window.open_path(str(path))
    window.show_pane("benchmark")
    found = window.panes["benchmark"]
    assert isinstance(found, BenchmarkPane)
    with qtbot.waitActive(window):
        window.activateWindow()
    return found


def _key(pane: BenchmarkPane, key: Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(pane.window().focusWidget() or pane, key, modifier)


def _filled(pane: BenchmarkPane, qtbot: QtBot, files: tuple[Path, ...]) -> None:
    pane.add_paths(files)
    qtbot.waitUntil(lambda: len(pane.state.whole.reviews) == 2 and not pane.state.working)


def _names(pane: BenchmarkPane) -> list[str]:
    return [title for _, title, _, _ in pane.list.records]


def test_from_files_to_a_comparison_and_its_files(
    pane: BenchmarkPane, qtbot: QtBot, files: tuple[Path, ...], tmp_path: Path
) -> None:
    pane.add_paths(files[:1])
    qtbot.waitUntil(lambda: bool(pane.state.whole.reviews) and not pane.state.working)
    assert pane.banner.notices[-1].what == "Added 1 review of 1 new paper."
    _filled(pane, qtbot, files[1:])
    assert pane.banner.notices[-1].what == "Added 1 review."
    assert not pane.state.can_judge, "there is nothing to score against yet"
    pane.make_rubrics()
    qtbot.waitUntil(lambda: bool(pane.state.whole.rubrics) and not pane.state.working, timeout=20_000)
    assert pane.banner.notices[-1].means == "Rubrics by rules: 8."
    pane.judge(None)
    qtbot.waitUntil(
        lambda: pane.state.report is not None and len(pane.state.report.rows) == 2 and not pane.state.working,
        timeout=20_000,
    )
    assert pane.state.report is not None
    assert any(one.what == "Scored 2 of 2 reviews." for one in pane.banner.notices)
    assert [row.source for row in pane.state.report.rows] == ["good", "bad"]
    assert "good: " in pane.comparison.board.accessibleDescription()
    assert pane.comparison.dimension_table.rowCount() == 8 + 1, "eight dimensions, and substantiation beside them"
    assert pane.comparison.dimension_table.columnCount() == 3
    pane.comparison.baseline_box.setCurrentIndex(pane.comparison.baseline_box.findData("bad"))
    pane.comparison.baseline_box.activated.emit(pane.comparison.baseline_box.currentIndex())
    qtbot.waitUntil(lambda: pane.state.report is not None and pane.state.report.rows[0].against is not None)
    for what, names in (("tables", {"sources.csv", "sources.tex", "benchmark.jsonl"}), ("figures", {"radar.svg"})):
        pane.export_to(what, tmp_path)
        folder = tmp_path / f"reviewbench-{what}"
        qtbot.waitUntil(
            lambda folder=folder, names=names: folder.is_dir() and names <= {p.name for p in folder.iterdir()},
            timeout=60_000,
        )
        qtbot.waitUntil(lambda: any(n.what.startswith(("Saved", "Exported")) for n in pane.banner.notices))
    assert_named(pane)


def test_a_review_is_scored_by_key_and_undone(pane: BenchmarkPane, qtbot: QtBot, files: tuple[Path, ...]) -> None:
    _filled(pane, qtbot, files)
    pane.tabs.setCurrentIndex(1)
    first = pane.state.whole.reviews[0].id
    for _ in METAS:
        _key(pane, Key.Key_2)
    assert pane.state.store is not None and pane.project is not None
    given = {one.dimension: one.score for one in pane.state.store.ratings(pane.state.key)}
    assert given == {meta.id: -2 if meta.kind == "pitfall" else 2 for meta in METAS}
    title = pane.project.undo_title
    assert title is not None and METAS[-1].title in title and pane.state.whole.papers[0].title[:20] in title
    assert not any(source in title for source in {one.source for one in pane.state.whole.reviews}), "it may be blind"
    pane.project.undo()
    qtbot.waitUntil(lambda: len([s for s in pane.state._ratings.get(first, {}).values() if s.score is not None]) == 7)
    _key(pane, Key.Key_Space)
    assert pane.state.dimension == METAS[-1].id
    _key(pane, Key.Key_1)
    _key(pane, Key.Key_Space)
    assert pane.state.review is not None and pane.state.review.id != first, "the next open score is another review's"
    _key(pane, Key.Key_K)
    _key(pane, Key.Key_Backspace)
    assert pane.state.score(first, pane.state.dimension) is None


def test_blind_hides_sources_and_the_judge(pane: BenchmarkPane, qtbot: QtBot, files: tuple[Path, ...]) -> None:
    _filled(pane, qtbot, files)
    pane.make_rubrics()
    qtbot.waitUntil(lambda: bool(pane.state.whole.rubrics) and not pane.state.working, timeout=20_000)
    pane.judge(None)
    qtbot.waitUntil(lambda: bool(pane.state.judged) and not pane.state.working)
    judge = re.compile(r"Rules, \d{1,2} \w{3} \d{4}, \d\d:\d\d")  # while it runs, it's called unfinished
    qtbot.waitUntil(lambda: judge.fullmatch(pane.comparison.judge_box.itemText(0)) is not None)
    pane.tabs.setCurrentIndex(1)
    assert pane.rating.why.toPlainText()
    _key(pane, Key.Key_B)
    shown = _names(pane)
    assert sorted(shown) == ["Review A", "Review B"]
    assert "good" not in pane.rating.page.toPlainText()
    assert not pane.rating.why.toPlainText()
    _key(pane, Key.Key_B)
    assert set(_names(pane)) == {"good", "bad"}


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # of the menu, on the offscreen platform
def test_a_rubric_is_edited_and_a_review_left_out(pane: BenchmarkPane, qtbot: QtBot, files: tuple[Path, ...]) -> None:
    _filled(pane, qtbot, files)
    pane.make_rubrics()
    qtbot.waitUntil(lambda: bool(pane.state.whole.rubrics) and not pane.state.working, timeout=20_000)
    pane.tabs.setCurrentIndex(1)
    pane.rating.points.setPlainText("Names the sampler.\n\n  Says from what it learns. ")
    pane.list.setFocus()
    paper = pane.state.whole.papers[0].id
    qtbot.waitUntil(
        lambda: (
            pane.state.store is not None and pane.state.store.read(pane.state.key).rubrics[paper][0].origin == "person"
        )
    )
    assert pane.state.store is not None
    points = {one.dimension: one for one in pane.state.store.read(pane.state.key).rubrics[paper]}[
        METAS[0].id
    ].key_points
    assert [point.text for point in points] == ["Names the sampler.", "Says from what it learns."]
    _key(pane, Key.Key_X)
    qtbot.waitUntil(lambda: pane.state.review is not None and not pane.state.review.kept)
    assert "Excluded" in pane.rating.page.toPlainText()
    pane.list.customContextMenuRequested.emit(pane.list.visualRect(pane.list.currentIndex()).center())
    (menu,) = pane.list.findChildren(QMenu)
    menu.actions()[1].trigger()
    menu.close()
    qtbot.waitUntil(lambda: pane.state.review is not None and pane.state.review.kept)


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing the keyboard)")
def test_the_papers_pdf_is_shown_and_chosen_on_screen(
    pane: BenchmarkPane, qtbot: QtBot, files: tuple[Path, ...]
) -> None:
    """In the box above the review or with its key; PDFs with the same file name have their titles."""
    _filled(pane, qtbot, files)
    pane.tabs.setCurrentIndex(1)
    _key(pane, Key.Key_D)
    assert "This project has no PDF." in [notice.what for notice in pane.banner.notices]
    assert pane.project is not None
    store = DocumentStore(pane.project)
    first, second = (store.add_document(b"%PDF-1.7 " + one.encode(), "paper.pdf", title=one) for one in ("Old", "New"))
    pane.list.step(1)
    box = pane.rating.document
    assert box.isVisible() and box.isEnabled() and box.currentText() == "No PDF chosen"
    assert [box.itemText(n) for n in (1, 2)] == ["paper.pdf · Old", "paper.pdf · New"]
    pane.list.setFocus()
    _key(pane, Key.Key_D)
    assert box.view().isVisible()
    QTest.keyClick(box.view(), Key.Key_End)
    QTest.keyClick(box.view(), Key.Key_Return)
    qtbot.waitUntil(lambda: pane.state.whole.papers[0].document_id == second)
    box.setCurrentIndex(1)
    qtbot.waitUntil(lambda: pane.state.whole.papers[0].document_id == first and box.value == first)
    box.setCurrentIndex(0)
    qtbot.waitUntil(lambda: pane.state.whole.papers[0].document_id == "")


def test_drafts_of_the_project_are_a_source(pane: BenchmarkPane, qtbot: QtBot) -> None:
    pane.add_drafts()
    assert "no drafts yet" in pane.banner.notices[0].what
    assert pane.project is not None
    document = DocumentStore(pane.project).add_document(b"%PDF-1.7", "paper.pdf", title="A paper")
    ReviewDraftStore(pane.project).begin_draft(document, "Mine", "iclr", fields={"summary": "S", "weaknesses": "- W"})
    pane.add_drafts()
    qtbot.waitUntil(lambda: len(pane.state.whole.reviews) == 1)
    assert pane.state.whole.reviews[0].review.weaknesses == ("W",)
    assert pane.state.whole.papers[0].document_id == document


def test_a_file_without_reviews_is_told(pane: BenchmarkPane, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_text("[1]")
    pane.add_paths([path])
    qtbot.waitUntil(lambda: bool(pane.banner.notices) and not pane.state.working)
    assert pane.banner.notices[0].what == "none.json contains no readable reviews."
    assert pane.state.store is not None and BenchmarkStore(pane.state.store._project).benchmarks()[0].reviews == 0


def test_the_table_is_beside_the_chart_where_there_is_room(
    pane: BenchmarkPane, qtbot: QtBot, files: tuple[Path, ...]
) -> None:
    _filled(pane, qtbot, files)
    pane.tabs.setCurrentIndex(0)
    pane.window().resize(1280, 800)
    for zoom, beside in ((1.0, True), (1.5, False)):
        theme().configure(zoom=zoom)
        settle(pane.window())
        chart, table = pane.comparison.radar.geometry(), pane.comparison.dimension_table.geometry()
        assert (chart.right() < table.left()) is beside and (chart.bottom() < table.top()) is not beside
    assert "Make rubrics" in pane.comparison.board.accessibleDescription(), "without scores it says how to get them"
    theme().configure(zoom=2.0)
    settle(pane.window())
    assert sideways(pane) == []
