"""A rebuttal of sixty comments in a real window: opening it, the key to the next comment, the counter and the matrix
that follow each key in a reply of 5,000 words; fitting the starter library to a comment. Reviews and replies consist of
random words."""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest

from desktop_app.headless import settle
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.settings import Settings, WindowState
from desktop_app.window import MainWindow, application
from engine.exchange.rebuttals import Rebuttals
from engine.project import Project
from engine.rebuttal.fitting import Asked, TemplateRanker
from engine.rebuttal.records import ACTIONS, STANCES, Plan
from engine.rebuttal.templates import starter
from engine.reviews.labels.records import Layer
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore

COMMENTS, REVIEWERS, ANSWERED = 60, 4, 30
LONG, PARAGRAPH = 5000, 125
"""Number of words of the reply being edited, and of its paragraphs."""
STEPS, KEYS = 50, 100
WORDS = (  # noqa: SIM905 - a list of so many words reads best as a text
    "the method is not clear about how data were chosen and which baseline was tuned while table results differ from "
    "section claims so please report variance add an ablation explain notation discuss related work"
).split()


def words(chance: random.Random, count: int) -> str:
    """Returns ``count`` words in sentences of twelve."""
    said = []
    for start in range(0, count, 12):
        sentence = chance.choices(WORDS, k=min(12, count - start))
        said.append(" ".join(sentence).capitalize() + ".")
    return " ".join(said)


def make_project(path: Path) -> None:
    """Creates sixty comments by four reviewers, half of them answered, every sentence labelled."""
    chance = random.Random(5)
    texts, comments = [], []
    for reviewer in range(1, REVIEWERS + 1):
        parts = [words(chance, 40) for _ in range(COMMENTS // REVIEWERS)]
        text = "\n\n".join(parts)
        texts.append(SourceText(f"t{reviewer}", f"Reviewer {reviewer}", text, reviewer=f"Reviewer {reviewer}"))
        place = 0
        for number, part in enumerate(parts):
            start = text.index(part, place)
            place = start + len(part)
            spans = (Span(start, place),)
            comments.append(Comment(f"c{reviewer}-{number}", f"t{reviewer}", f"Reviewer {reviewer}", part, spans=spans))
    with Project.create(path, "Sixty", "Ada") as project:
        ReviewStore(project).import_bundle(ReviewBundle(tuple(texts), tuple(comments)), "reviews.json")
        reader = Rebuttals(project)
        desk = reader.read(None)
        labels = LabelStore(project)
        layers: tuple[tuple[Layer, str], ...] = (("aspect", "clarity"), ("theme", "methodology"))
        for comment in desk.comments:
            for name, label in layers:
                labels.set_label(comment.source_id, comment.spans[0], name, [label])
        reader.store.set_plan(None, Plan("openreview-10000"))
        said = [action for action in ACTIONS if STANCES[action] != "neither"]
        for row in desk.outline.rows[:ANSWERED]:
            point = reader.store.write(None, row.point, words(chance, 30))
            reader.store.choose_action(None, point, chance.choice(said))


def timed(act: Callable[[], object]) -> float:
    """Returns the milliseconds that an action takes."""
    begun = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - begun)


def paint(window: MainWindow) -> None:
    """Paints everything due, as the event loop would next."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QCoreApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest)


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns all figures, in milliseconds from a key until the window is painted; no measuring data are needed."""
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as own:
        os.environ["REJOINDER_HOME"] = own
        application()
        path = Path(own) / "sixty.rejoinder"
        make_project(path)
        window = MainWindow(Settings(), WindowState())
        window.resize(1920, 1200)
        window.show()
        assert window.open_path(path)
        settle(window)
        begun = time.perf_counter()
        window.show_pane("rebuttal")
        window.grab()
        opened = time.perf_counter() - begun
        pane = window.panes["rebuttal"]
        assert isinstance(pane, RebuttalPane)
        assert len(pane.state.matrix.rows) == COMMENTS
        pane.take_focus()
        settle(window)
        window.run_command("rebuttal.next")
        steps = [timed(lambda: (QTest.keyClick(pane.list, Qt.Key.Key_J), paint(window))) for _ in range(STEPS)]
        window.run_command("rebuttal.next_open")
        store = pane.state.reader.store if pane.state.reader is not None else None
        assert store is not None
        chance = random.Random(6)
        store.write(None, pane.state.point, "\n\n".join(words(chance, PARAGRAPH) for _ in range(LONG // PARAGRAPH)))
        settle(window)
        window.run_command("rebuttal.edit")
        settle(window)
        assert len(pane.response.editor.text.split()) == LONG
        before = pane.state.matrix.of(pane.state.current)
        typing = [
            timed(
                lambda n=n: (
                    QTest.keyClick(pane.response.editor, Qt.Key.Key_A if n % 6 else Qt.Key.Key_Space),
                    paint(window),
                )
            )
            for n in range(KEYS)
        ]
        after = pane.state.matrix.of(pane.state.current)
        assert before is not None
        assert after is not None
        assert after.spent > before.spent
        ranker = TemplateRanker(starter())
        comments = [row.comment.comment for row in pane.state.rebuttal.outline.rows]
        fitting = [timed(lambda text=text: ranker.rank(Asked(text, "clarity", ("methodology",)))) for text in comments]
        window.stop_work()
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def figure(value: float, unit: str, target: float) -> dict[str, Any]:
        return {"value": round(value, 3), "unit": unit, "better": "lower", "target": target}

    return {
        "open_60_comments": figure(opened, "s", 1.0),
        "next_comment_median": figure(statistics.median(steps), "ms", 50),
        "next_comment_p95": figure(statistics.quantiles(steps, n=20)[-1], "ms", 80),
        "key_in_5000_words_median": figure(statistics.median(typing), "ms", 33),
        "key_in_5000_words_p95": figure(statistics.quantiles(typing, n=20)[-1], "ms", 50),
        "fit_templates_median": figure(statistics.median(fitting), "ms", 15),
    }
