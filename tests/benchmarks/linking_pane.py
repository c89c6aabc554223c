"""The linking pane at its intended size: 90 and 122 pages, about 300 edits, 280 comments with suggestions.

The papers consist of made-up words, are written as real PDFs, and are read, compared and drawn like any others; only
the suggestions are inserted directly, since computing them is measured elsewhere. Times are what a person waits: from
an action until all its effects are painted.
"""

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

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QMarginsF, QTimer
from PySide6.QtGui import QFont, QPageLayout, QPageSize, QPdfWriter, QTextBlockFormat, QTextCursor, QTextDocument

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.window import MainWindow, application
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.records import Comment, ReviewBundle, SourceText
from engine.reviews.store import ReviewStore
from engine.revision.edits import compare
from engine.revision.records import Scored
from engine.revision.store import RevisionStore

SYLLABLES = [
    "ba",
    "co",
    "di",
    "fu",
    "ga",
    "he",
    "li",
    "mo",
    "nu",
    "pa",
    "re",
    "so",
    "ti",
    "vu",
    "za",
    "che",
    "dro",
    "fle",
    "gri",
    "kno",
    "pla",
    "sta",
    "tre",
]
KEPT, CHANGED, DELETED, ADDED = 190, 140, 20, 145
COMMENTS = 280
FRAMES = 600
FRAME_MS = 1000 / 60


def _words(random_: random.Random, count: int) -> list[str]:
    return ["".join(random_.choices(SYLLABLES, k=random_.randint(1, 4))) for _ in range(count)]


def _versions(random_: random.Random) -> tuple[list[str], list[str]]:
    """Returns the paragraphs of both versions; the revised one is a good third longer."""

    def paragraph() -> str:
        return " ".join(_words(random_, random_.randint(95, 135))).capitalize() + "."

    fates = ["kept"] * KEPT + ["changed"] * CHANGED + ["deleted"] * DELETED + ["added"] * ADDED
    random_.shuffle(fates)
    source, target = [], []
    for fate in fates:
        text = paragraph()
        if fate != "added":
            source.append(text)
        if fate == "changed":
            words = text.split()
            at = random_.randrange(10, len(words) - 20)
            text = " ".join(words[:at] + _words(random_, random_.randint(2, 14)) + words[at + random_.randint(0, 6) :])
        if fate != "deleted":
            target.append(text)
    return source, target


def _pdf(paragraphs: list[str], path: Path, per_page: int = 4) -> None:
    writer = QPdfWriter(str(path))
    writer.setPageLayout(QPageLayout(QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, QMarginsF()))
    document = QTextDocument()
    document.setDefaultFont(QFont("DejaVu Serif", 10))
    cursor = QTextCursor(document)
    shape = QTextBlockFormat()
    shape.setBottomMargin(14)
    for number, text in enumerate(paragraphs):
        breaks = number and number % per_page == 0
        shape.setPageBreakPolicy(
            QTextBlockFormat.PageBreakFlag.PageBreak_AlwaysBefore
            if breaks
            else QTextBlockFormat.PageBreakFlag.PageBreak_Auto
        )
        if number:
            cursor.insertBlock(shape)
        cursor.insertText(text)
    document.setPageSize(QPageSize(QPageSize.PageSizeId.A4).size(QPageSize.Unit.Point))
    document.print_(writer)


def _project(folder: Path) -> tuple[Path, dict[str, int]]:
    random_ = random.Random(20)
    source, target = _versions(random_)
    path = folder / "linking.rejoinder"
    with Project.create(path, "linking", "Ada") as project, DocumentService() as service:
        documents, papers, reviews = DocumentStore(project), PaperStore(project), ReviewStore(project)
        paper = papers.add_paper("A long paper")
        keys = []
        for texts, label in ((source, SUBMITTED), (target, REVISED)):
            _pdf(texts, folder / f"{label}.pdf")
            content = (folder / f"{label}.pdf").read_bytes()
            keys.append(documents.add_document(content, f"{label}.pdf"))
            papers.add_version(paper, keys[-1], label)
            documents.save_parsed(keys[-1], service.parse(content))
        old, new = (documents.parsed(key) for key in keys)
        assert old is not None
        assert new is not None
        diff = compare(old.paragraphs, new.paragraphs)
        revisions = RevisionStore(project)
        parsers = {"source_parser": old.parser, "target_parser": new.parser}
        saved = revisions.save_diff(*keys, diff, parsers)
        comments = tuple(
            Comment(
                f"c{n}",
                "letter",
                f"Reviewer {n // 70 + 1}",
                " ".join(_words(random_, 40)),
                response=" ".join(_words(random_, 60)),
            )
            for n in range(COMMENTS)
        )
        letter = SourceText("letter", "Letter", "\n\n".join(c.comment for c in comments), kind="letter")
        reviews.import_bundle(ReviewBundle((letter,), comments), "letter.md", paper_id=paper)
        edits = revisions.edits(saved.revision_id)
        rankings = {
            comment.id: [
                Scored(edit.id, 0.9 - 0.03 * rank, rank < 3, ("shared words: " + " ".join(_words(random_, 3)),))
                for rank, edit in enumerate(random_.sample(edits, 30))
            ]
            for comment in reviews.comments()
        }
        revisions.save_suggestions(saved.revision_id, "fused", "model:fused@1", rankings, use_responses=True)
        return path, {"pages": len(new.pages), "source_pages": len(old.pages), "edits": len(edits)}


def _until(ready: Callable[[], bool], seconds: float = 60.0) -> None:
    """Runs the event loop until ``ready``. Raises TimeoutError after ``seconds``."""
    if ready():
        return
    loop, timer = QEventLoop(), QTimer()
    end = time.perf_counter() + seconds
    timer.timeout.connect(lambda: loop.quit() if ready() or time.perf_counter() > end else None)
    timer.start(1)
    loop.exec()
    if not ready():
        raise TimeoutError("the pane did not get ready")


def _paint(pane: LinkingPane) -> None:
    """Paints everything that the action made due in the window, as the event loop would next."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QCoreApplication.sendPostedEvents(pane.window(), QEvent.Type.UpdateRequest)


def _timed(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return (time.perf_counter() - begun) * 1000


def _frames(pane: LinkingPane) -> list[float]:
    """Returns each frame's cost in ms while the revised paper scrolls at a page per second and the other follows."""
    view, costs = pane.side.target, []
    loop, timer = QEventLoop(), QTimer()

    def frame() -> None:
        def draw() -> None:
            view.scroll_to(view.top + 16)
            for widget in (view.viewport(), pane.side.source.viewport(), pane.side.ribbon):
                widget.repaint()

        costs.append(_timed(draw))
        if len(costs) >= FRAMES:
            loop.quit()

    timer.timeout.connect(frame)
    timer.start(round(FRAME_MS))
    loop.exec()
    timer.stop()
    return costs


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns figures for bench.json, in ms unless noted otherwise."""
    app = application()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REJOINDER_HOME"] = folder
        path, size = _project(Path(folder))
        window = MainWindow()
        window.resize(1920, 1200)
        window.show()
        assert window.open_path(str(path))
        service = window.bridge.documents
        service.warm()  # as it is after parsing
        service.open((Path(folder) / f"{SUBMITTED}.pdf").read_bytes())
        begun = time.perf_counter()
        window.show_pane("linking")
        pane = window.panes["linking"]
        assert isinstance(pane, LinkingPane)
        side = pane.side
        _until(lambda: side.source.pages > 0 and side.target.pages > 0)
        window.grab()
        opened = time.perf_counter() - begun
        _until(lambda: side.target.images is not None and side.target.images.picture(side.target.page) is not None)
        first_page = time.perf_counter() - begun

        order = random.Random(3).sample([edit.id for edit in pane.study.edits], 120)
        choose = pane.state.selection.choose_edit
        choosing = [_timed(lambda e=edit: (pane.do(lambda: choose(e)), _paint(pane))) for edit in order]
        stepping = [_timed(lambda: (pane.step_comment(1), _paint(pane))) for _ in range(120)]
        pane.go_to(pane.study.comments[0].id, pane.study.edits[0].id)
        linking = []
        for edit in order[:40]:
            pane.do(lambda e=edit: choose(e))  # type: ignore[misc]
            _paint(pane)  # the edit was selected and shown before it is linked
            if pane.state.can_link():
                linking.append(_timed(lambda: (pane.link(), _paint(pane))))
        side.target.go_to_page(1)
        frames = _frames(pane)
        held = sum(view.images.bytes_held for view in (side.source, side.target) if view.images) / 2**20
        window.stop_work()
        window.close()
        app.closeAllWindows()

    def figure(value: float, unit: str, target: float, better: str = "lower") -> dict[str, Any]:
        return {"value": round(value, 3), "unit": unit, "better": better, "target": target}

    def late(costs: list[float]) -> float:
        return 100 * sum(cost > FRAME_MS for cost in costs) / len(costs)

    return {
        "pages_source": figure(size["source_pages"], "pages", 85, "higher"),
        "pages_target": figure(size["pages"], "pages", 115, "higher"),
        "edits": figure(size["edits"], "edits", 280, "higher"),
        "open_pane": figure(opened, "s", 0.6),
        "open_to_first_page": figure(first_page, "s", 1.3),
        "choose_edit_median": figure(statistics.median(choosing), "ms", 50),
        "choose_edit_p95": figure(statistics.quantiles(choosing, n=20)[-1], "ms", 50),
        "next_comment_p95": figure(statistics.quantiles(stepping, n=20)[-1], "ms", 50),
        "link_median": figure(statistics.median(linking), "ms", 16),
        "scroll_frame_median": figure(statistics.median(frames), "ms", FRAME_MS),
        "scroll_frame_p99": figure(statistics.quantiles(frames, n=100)[-1], "ms", FRAME_MS),
        "scroll_frames_late": figure(late(frames), "% of frames", 1.0),
        "page_pictures": figure(held, "MiB", 400),
    }
