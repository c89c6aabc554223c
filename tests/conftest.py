"""What every test shares: the measuring data where it is present, and a home of its own for settings and caches."""

from __future__ import annotations

import gc
import importlib.abc
import importlib.util
import os
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import hypothesis
import pytest

import engine  # noqa: F401 - first, as in every process of the program: it blocks what could use the network
from tests.readers import Readers

ROOT = Path(__file__).resolve().parent.parent

gc.disable()  # until everything is imported


def pytest_collection_finish() -> None:
    """Leaves to the collector what tests make: looking through modules and test items takes a twentieth of the time."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


class _NoQt(importlib.abc.MetaPathFinder):
    """Makes Qt impossible to import: the engine and the states of the panes must not miss it."""

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: object = None) -> None:
        """Refuses Qt, leaves the rest to the other finders."""
        if name.partition(".")[0] in {"PySide6", "shiboken6", "qtawesome", "qtpy"}:
            raise ModuleNotFoundError(f"{name} is blocked: the engine runs without Qt", name=name)


# How long an example takes says more of the machine than of the code; speed is measured in tests/benchmarks.
hypothesis.settings.register_profile("rejoinder", deadline=None)
hypothesis.settings.load_profile("rejoinder")

# Where more threads compute than there are cores, those of OpenMP and OpenBLAS spin while they wait for each other, and
# two tests side by side take ten times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if os.environ.get("REJOINDER_WITHOUT_QT"):
    sys.meta_path.insert(0, _NoQt())


# Processes that tests start load the watcher by themselves; this one loads it here.
OFFLINE = Path(__file__).resolve().parent / "offline"
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(OFFLINE), os.environ.get("PYTHONPATH")]))
spec = importlib.util.spec_from_file_location("rejoinder_offline_watch", OFFLINE / "sitecustomize.py")
assert spec is not None and spec.loader is not None
spec.loader.exec_module(importlib.util.module_from_spec(spec))


def find_data_folder() -> Path | None:
    """The folder with measuring data: REJOINDER_DATA, or shared/data beside the checkout; None where it is absent."""
    for candidate in (os.environ.get("REJOINDER_DATA"), ROOT.parent / "shared" / "data"):
        if candidate and Path(candidate).is_dir():
            return Path(candidate)
    return None


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with measuring data; the test is skipped where it is absent."""
    found = find_data_folder()
    if found is None:
        pytest.skip("the measuring data (shared/data beside the checkout, or REJOINDER_DATA) is absent")
    return found


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """No act waits until the disk has it, which takes longer than the act. Power cuts and kills are tried in processes
    of their own (tests/engine/project/test_kills.py), which do wait."""
    from engine.project import database

    real = database._open

    def opened(address: str, *, read_only: bool) -> sqlite3.Connection:
        connection = real(address, read_only=read_only)
        if not read_only:
            connection.execute("PRAGMA synchronous = OFF")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_open", opened)
        patch.setattr(os, "fsync", lambda _handle: None)
        yield


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Numbered folders, one per test. pytest would look through all that it made so far for the next number."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, caches and backups of a test never touch the person's own."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("REJOINDER_HOME", str(home))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return home


@pytest.fixture(scope="session")
def readers() -> Iterator[Readers]:
    """Processes that read PDFs, for tests of what is made of it."""
    made = Readers()
    yield made
    made.end()


@pytest.fixture(autouse=True)
def no_network(
    request: pytest.FixtureRequest, homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """No test, and no process that it starts, may open a socket to anywhere: the product promises it.

    A test marked ``loopback`` may talk to this machine, and to nothing else.
    """
    log = next(homes).with_suffix(".log")
    monkeypatch.setenv("REJOINDER_SOCKET_LOG", str(log))
    yield log
    used = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    if request.node.get_closest_marker("loopback") is not None:
        used = [line for line in used if not re.search(r"\(b?'(127\.0\.0\.1|localhost|::1)'", line)]
    assert not used, "the network was used:\n" + "\n".join(used)
