"""The start: light, quick, and honest where there is no display or a library is missing."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QListWidgetItem

from desktop_app import headless, main, project_control, system_libraries
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.window import MainWindow
from engine.project import Project
from tests.desktop_app.conftest import FREEZE

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "transformers", "sentence_transformers", "sklearn", "pandas", "pymupdf", "scipy", "bm25s", "numpy")

START = """
import json, sys, time
begun = time.perf_counter()
from desktop_app.window import MainWindow, application
app = application()
window = MainWindow()
for path in sys.argv[1:]:
    assert window.open_path(path)
window.show()
window.grab()
seconds = time.perf_counter() - begun
from desktop_app.panes import PANES
print(json.dumps({"seconds": seconds, "heavy": [m for m in %r if m in sys.modules],
    "panes": [s.id for s in PANES if s.path.partition(":")[0] in sys.modules]}))
window.close()
"""


def start(*projects: Path) -> dict[str, object]:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    arguments = [sys.executable, "-c", START % (HEAVY,), *map(str, projects)]
    done = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


ENDED = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from desktop_app import main
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.window import application
from engine.models.child import ModelProcess

def begin():
    window = next(one for one in app.topLevelWidgets() if one.accessibleName() == "Rejoinder")
    field = CommittingLineEdit("title", "Title", window)
    field.committed.connect(lambda text: window.bridge.project.set_title(text))
    field.show()
    QTest.keyClicks(field, "typed just now")
    worker._running()
    print("ready", flush=True)

app, worker = application(), ModelProcess("engine.models.encoder_worker", ["none"], name="worker")
QTimer.singleShot(0, app, begin)
sys.exit(main.main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_end_of_the_session_loses_nothing_and_leaves_nothing(
    number: signal.Signals, project_path: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(folder)}
    arguments = [sys.executable, "-c", ENDED, str(project_path)]
    with subprocess.Popen(arguments, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        assert list(folder.glob("rejoinder-*"))
        process.send_signal(number)
        assert process.wait() == 0
    assert list(folder.glob("rejoinder-*")) == []
    with Project.open(project_path) as project:
        assert project.title == "typed just now"


def test_the_start_imports_no_model_library_and_only_the_first_pane(sample_path: Path) -> None:
    for found in (start(), start(sample_path)):
        assert found["heavy"] == []
        assert found["panes"] == ["home"]


def test_listing_the_commands_of_all_panes_imports_no_store() -> None:
    """The first time that the palette is opened waited a quarter of a second for the stores of two panes."""
    code = """import sys, desktop_app.window
from desktop_app.panes import PANES
before = {*sys.modules}
assert all([spec.commands() for spec in PANES if spec.commands_in])
print(sorted(name for name in {*sys.modules} - before if name == "numpy" or name.endswith("store")))"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("pane", ["calibration", "benchmark", "review"])
def test_what_reads_texts_is_imported_when_one_is_read(pane: str) -> None:
    """The rules for letters and reviews take a tenth of a second to compile, those for statements about tables two,
    which a first display doesn't need."""
    late = (
        "engine.reviews.letter", "engine.exchange.review_sets", "engine.review_drafting.benchmark.tasks",
        "engine.statements.judge",
    )  # fmt: skip
    code = f"import sys, desktop_app.panes.{pane}.pane; print([m for m in {late!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_collector_works_on_and_passes_over_what_lasts(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "freeze", FREEZE)
    gc.unfreeze()  # objects of earlier tests that end meanwhile would be subtracted
    window.show_pane("history")
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    gc.unfreeze()  # for the leak net


def test_calls_into_qt_do_not_use_up_none(qapp: QApplication) -> None:
    """PySide6 6.12.0 drops a reference to None in every call that returns none; before Python 3.12 that ends in an
    abort after some ten thousand calls."""
    item = QListWidgetItem("x")
    before = sys.getrefcount(None)
    for _ in range(1000):
        item.setText("y")
    assert sys.getrefcount(None) > before - 500


def test_a_display_is_recognised() -> None:
    assert not main.has_display({}, "linux")
    assert main.has_display({"DISPLAY": ":0"}, "linux")
    assert main.has_display({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert main.has_display({"QT_QPA_PLATFORM": "vnc"}, "linux")
    assert main.has_display({}, "darwin")


def test_missing_libraries_are_named_with_their_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(system_libraries, "_loads", lambda name: name != "libxcb-cursor.so.0")
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(main.sys, "platform", "linux")
    assert main.main([]) == 2
    assert "apt-get install libxcb-cursor0\n" in capsys.readouterr().err


@pytest.mark.skipif(
    bool(system_libraries.missing_packages(system_libraries.X11_LIBRARIES)), reason="needs the libraries of X11"
)
def test_a_display_that_does_not_answer_is_as_good_as_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[object] = []
    monkeypatch.setenv("DISPLAY", "/nowhere:99")
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(headless, "run", lambda project, *, sample: called.append((project, sample)) or 0)
    assert main.main(["--sample"]) == 0
    assert called == [(None, True)]
    assert "/nowhere:99 isn't responding." in capsys.readouterr().err


def test_where_qt_cannot_be_imported_its_libraries_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "PySide6.QtWidgets", None)
    monkeypatch.setattr(
        system_libraries, "_loads", lambda name: not name.startswith(("libglib", "libgthread", "libGL"))
    )
    assert main.main([]) == 2
    assert "apt-get install libgl1 libglib2.0-0\n" in capsys.readouterr().err


def test_a_wrong_call_says_what_is_known() -> None:
    with pytest.raises(SystemExit) as stopped:
        main.main(["--nonsense"])
    assert stopped.value.code == 2


def test_headless_without_a_sample_reports_that_it_fell_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(project_control, "SAMPLES", tmp_path / "none")
    assert headless.run(sample=True, folder=tmp_path / "report") == 1
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert not report["ok"]
    assert "FAILED" in (tmp_path / "report" / "report.md").read_text()
    assert str(tmp_path / "report") in capsys.readouterr().out
    for entry in report["pictures"]:
        assert (tmp_path / "report" / entry["file"]).stat().st_size > 5000
    assert {entry["scheme"] for entry in report["pictures"]} == {"light", "dark"}


def test_pictures_wait_for_what_is_still_being_fetched(window: MainWindow) -> None:
    gate, brought = threading.Event(), []
    fetcher = Fetcher(window)
    fetcher.fetched.connect(lambda _name, found: brought.append(found))
    fetcher.fetch("file", lambda: gate.wait(10) and "pages")
    QTimer.singleShot(400, gate.set)
    assert headless.settle(window)
    assert brought == ["pages"]
    gate.clear()
    fetcher.fetch("file", lambda: gate.wait(10))
    assert not headless.settle(window, limit_ms=100)
    gate.set()
    assert headless.settle(window)


def test_headless_takes_over_when_there_is_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[object] = []

    def run(project: str | None, *, sample: bool) -> int:
        called.append((project, sample))
        return 0

    monkeypatch.setattr(main, "has_display", lambda: False)
    monkeypatch.setattr(headless, "run", run)
    assert main.main(["--sample"]) == 0
    assert called == [(None, True)]
