"""Runs without a display: opens the project, takes pictures of every pane in light and dark, links a few comments
through the real widgets, and writes a report to ``run-report/``."""

import json
import os
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QAbstractAnimation, QCoreApplication, QElapsedTimer, QEvent, QEventLoop, QTimer
from PySide6.QtTest import QTest

from desktop_app.commands import keys
from desktop_app.panes import PANES, PARTICIPANT
from desktop_app.project_control import STUDY_SUFFIX
from desktop_app.settings import Settings, WindowState
from desktop_app.theme import Scheme, theme
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.pdf_pages import PageImages
from desktop_app.window import MainWindow, application

FOLDER = Path("run-report")
SIZE = (1280, 800)
SETTLE_MS = 20_000
"""Time limit for a pane to settle before its picture is taken anyway, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Picture:
    pane: str
    scheme: Scheme
    file: str


@dataclass(frozen=True, slots=True)
class Step:
    """One check of the run: what was done, whether it succeeded, the observed result, and its duration."""

    what: str
    ok: bool
    words: str
    seconds: float


def settle(window: MainWindow, pause_ms: int = 60, limit_ms: int = SETTLE_MS) -> bool:
    """Runs the event loop until no job, fetch or page rendering is found in three checks ``pause_ms`` apart (one may
    trigger the next). Returns False if that isn't reached within ``limit_ms``."""
    loop, clock = QEventLoop(), QElapsedTimer()
    looks, calm = QTimer(), 0

    def look() -> None:
        nonlocal calm
        calm = 0 if _busy(window) else calm + 1
        if calm == 3 or clock.elapsed() >= limit_ms:
            loop.quit()

    looks.timeout.connect(look)
    clock.start()
    looks.start(pause_ms)
    loop.exec()
    looks.stop()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return not _busy(window)


def _busy(window: MainWindow) -> bool:
    if window.bridge.engine.busy() or any(fetcher.busy for fetcher in window.findChildren(Fetcher)):
        return True
    moving = (motion.state() is QAbstractAnimation.State.Running for motion in window.findChildren(QAbstractAnimation))
    return any(images.busy for images in window.findChildren(PageImages)) or any(moving)


def picture(window: MainWindow, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    window.grab().save(str(path))


def press(window: MainWindow, command: str) -> bool:
    """Presses a command's key in the window. Returns False if it has none."""
    found = keys(window.commands.shortcut(command))
    if not found:
        return False
    focus = window.focusWidget() or window
    QTest.keySequence(focus, found[0])
    return True


def run(project: str | None = None, *, sample: bool = False, folder: Path = FOLDER) -> int:
    """Writes ``report.md``, ``report.json`` and pictures. Returns 0 on success, 1 if a check failed.

    Settings, window state and the copy of the sample are temporary: the user's own files aren't touched.
    """
    before = os.environ.get("REJOINDER_HOME")
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as own:
        if project is not None and Path(project).suffix == STUDY_SUFFIX:
            os.environ["REJOINDER_HOME"] = own  # opening a survey creates a file of answers there
        try:
            return _run(project, sample, folder, Path(own))
        finally:
            os.environ.pop("REJOINDER_HOME", None)
            if before is not None:
                os.environ["REJOINDER_HOME"] = before


def _run(project: str | None, sample: bool, folder: Path, own: Path) -> int:
    started = time.perf_counter()
    application()
    window = MainWindow(Settings(own / "settings.json"), WindowState(own / "window.json"))
    window.problems.install()
    window.resize(*SIZE)
    window.show()
    steps: list[Step] = [Step("open the window", True, "", time.perf_counter() - started)]
    opened = False
    if project is not None or sample:
        before = time.perf_counter()
        opened = window.open_path(project) if project is not None else window.control.open_sample(own)
        words = window.bridge.project.title if window.bridge.project else _said(window)
        steps.append(Step("open the project", opened, words, time.perf_counter() - before))
    pictures = _look_at_panes(window, folder)
    if opened and not window.in_survey:
        steps.extend(_decide(window, folder))
    for notice in window.banner.notices:
        steps.append(Step("no problem in the banner", notice.kind != "problem", notice.what, 0.0))
    _write(folder, steps, pictures, time.perf_counter() - started)
    window.stop_work()
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    sys.stdout.write(f"No display found; ran without one. Report and screenshots: {folder.resolve()}/report.md\n")
    return 0 if all(step.ok for step in steps) else 1


def _said(window: MainWindow) -> str:
    return " ".join(f"{notice.what} {notice.means} {notice.do}".strip() for notice in window.banner.notices)


def _look_at_panes(window: MainWindow, folder: Path) -> list[Picture]:
    pictures = []
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme in schemes:
        theme().configure(scheme)
        for spec in (PARTICIPANT,) if window.in_survey else PANES:
            window.show_pane(spec.id)
            settle(window)
            name = f"{spec.id}-{scheme}.png"
            picture(window, folder / name)
            pictures.append(Picture(spec.title, scheme, name))
    theme().configure("light")
    return pictures


def _decide(window: MainWindow, folder: Path) -> list[Step]:
    """Links comments by keyboard in the linking pane, undoes one link, and checks the project's contents."""
    from engine.revision.store import RevisionStore

    window.show_pane("linking")
    settle(window)
    project = window.bridge.opened
    store = RevisionStore(project)

    def links() -> int:
        return sum(len(store.links(revision.id)) for revision in store.revisions())

    steps = []
    before, started = links(), time.perf_counter()
    for _ in range(3):
        press(window, "linking.next_undecided")
        settle(window)
        press(window, "linking.link")
        settle(window)
    made = links() - before
    steps.append(Step("link comments by keyboard", made > 0, f"{made} links", time.perf_counter() - started))
    picture(window, folder / "linking-linked.png")
    started = time.perf_counter()
    press(window, "edit.undo")
    settle(window)
    undone = links() - before == made - 1
    steps.append(Step("undo the last one", undone, f"{links() - before} links left", time.perf_counter() - started))
    return steps


def _write(folder: Path, steps: list[Step], pictures: list[Picture], seconds: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    value = {
        "ok": all(step.ok for step in steps),
        "seconds": round(seconds, 3),
        "steps": [asdict(step) for step in steps],
        "pictures": [asdict(entry) for entry in pictures],
    }
    (folder / "report.json").write_text(json.dumps(value, indent=2, ensure_ascii=False), encoding="utf-8")
    lines = [
        "# Run without a display",
        "",
        f"Took {seconds:.1f} s.",
        "",
        "| step | | what | s |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| {s.what} | {'ok' if s.ok else 'FAILED'} | {s.words} | {s.seconds:.2f} |" for s in steps]
    lines += ["", "## Panes", ""]
    lines += [f"{entry.pane}, {entry.scheme}:\n\n![{entry.pane}, {entry.scheme}]({entry.file})\n" for entry in pictures]
    (folder / "report.md").write_text("\n".join(lines), encoding="utf-8")
