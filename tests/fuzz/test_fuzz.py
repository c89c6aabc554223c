"""Foreign files are read or refused with an explanation, in ten seconds and a gigabyte, and nothing is half imported.

``make bench`` runs the same harness for longer (``tests/benchmarks/fuzzing.py``). What it finds becomes a case here:
a folder ``cases/<target>/<name>`` with the input, or an entry of ``bombs`` where it is large.
"""

from __future__ import annotations

import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import engine.exchange
from engine.errors import BadInput
from tests.fuzz import harness
from tests.fuzz.bombs import BOMBS
from tests.fuzz.harness import CASES, Reader, inputs, stored, tried
from tests.fuzz.target import Context, Target
from tests.fuzz.targets import TARGETS

EACH = 6
"""Changed inputs of each target; ``make bench`` reads many thousands."""
READERS = re.compile(
    r"(read|parse|import|iter)_|(sniff|(?:docx|html|latex|letter|markup|org)_text|recognise_paper|decode)$"
)
NO_FILES = {
    "engine.exchange.preference_study.read_study"  # of the project
}


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with Reader() as made:
        yield made


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    made = Context(tmp_path)
    yield made
    made.close()


def public_readers() -> dict[str, Any]:
    found = {}
    for module in pkgutil.iter_modules(engine.exchange.__path__, "engine.exchange."):
        for name, value in vars(import_module(module.name)).items():
            if inspect.isfunction(value) and value.__module__ == module.name and READERS.match(name):
                found[f"{module.name}.{name}"] = value.__code__
    return {name: code for name, code in found.items() if name not in NO_FILES}


def test_valid_inputs_are_read_and_every_reader_has_some(tmp_path: Path) -> None:
    """By what runs when the valid inputs are read, not by a list: a new reader without a target fails here. A target
    whose valid inputs are refused would find nothing.
    """
    called: set[Any] = set()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            called.add(frame.f_code)

    context = Context(tmp_path)
    refused = {}
    for target in TARGETS.values():
        if target.name in ("commands", "pdf", "project file"):  # slow, and tests of their own begin with the like
            continue
        for number, files in enumerate(target.make()):
            folder = tmp_path / harness.folder_name(target.name) / str(number)
            path = harness.unpacked(files, folder)
            sys.setprofile(note)
            try:
                target.read(folder, path, context)
            except BadInput as problem:
                refused.setdefault(target.name, []).append(problem)
            finally:
                sys.setprofile(None)
        assert len(refused.get(target.name, [])) < len(target.make()), refused[target.name]
    context.close()
    without = set() if importlib.util.find_spec("cassis") else {"engine.exchange.uima_cas.read_cas"}  # an extra
    assert {name for name, code in public_readers().items() if code not in called} == without


@pytest.mark.parametrize("target", TARGETS)
def test_changed_inputs_are_read_or_refused(target: str, reader: Reader) -> None:
    found = inputs(TARGETS[target], seed=0)
    few = 1 if target in ("commands", "letter") else EACH
    skipped = len(TARGETS[target].make())
    for number, files in enumerate(found):
        if number >= skipped + few:
            break
        if number >= skipped:
            assert reader.read(target, files) == ""


SLOW = frozenset(
    {
        "PDF stream",
        "wide JSON",
        "many JSON Lines",
        "millions of short lines in a table",
        "one long line of a table",
        "xz stream",
        "workbook of as many cells as fit",
        "stops in a review",
        "emphasis in a letter",
        "quotation marks in a review",
        "archives in archives",
        "workbook of millions of rows",
        "form without end",
    }
)
"""Seconds each, most of them to make the file: ``make bench`` has them all."""


@pytest.mark.parametrize("bomb", [name for name in BOMBS if name not in SLOW])
def test_bombs_end_with_an_explanation(bomb: str, reader: Reader) -> None:
    target, make = BOMBS[bomb]
    assert reader.read(target, make()) == ""


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_found_stays_fixed(target: str, reader: Reader) -> None:
    for place, files in stored(target):
        assert reader.read(target, files) == "", place


def test_cases_belong_to_targets() -> None:
    assert {folder.name for folder in CASES.iterdir()} <= {harness.folder_name(target) for target in TARGETS}


# --- the judge itself -------------------------------------------------------------------------------------------------


def _judged(monkeypatch: pytest.MonkeyPatch, context: Context, read: Any) -> str:
    monkeypatch.setitem(TARGETS, "made up", Target("made up", lambda: [{"x": b""}], read))
    return tried(TARGETS["made up"], {"x": b"1"}, context).partition("\n")[0]


def test_the_judge_tells_our_errors_from_others(monkeypatch: pytest.MonkeyPatch, context: Context) -> None:
    def ours(*_: object) -> None:
        raise BadInput("x can't be read.", "Nothing was imported.")

    def bare(*_: object) -> None:
        raise BadInput("x can't be read.")

    def foreign(*_: object) -> None:
        int("x")

    def half(_folder: Path, _path: Path, context: Context) -> None:
        with context.importing() as project:
            project.add_annotator("Somebody new")
            raise BadInput("x can't be read.", "Nothing was imported.")

    assert _judged(monkeypatch, context, ours) == ""
    assert _judged(monkeypatch, context, bare) == "bare problem"
    assert _judged(monkeypatch, context, foreign).startswith("ValueError")
    assert _judged(monkeypatch, context, half).startswith("AssertionError")


def test_the_same_seed_gives_the_same_inputs() -> None:
    target = TARGETS["publications"]
    one, other = inputs(target, 3), inputs(target, 3)
    assert [next(one) for _ in range(30)] == [next(other) for _ in range(30)]
    different = inputs(target, 4)
    assert [next(different) for _ in range(30)] != [next(inputs(target, 3)) for _ in range(30)]


def test_a_process_that_hangs_or_dies_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "SECONDS", 0.3)
    monkeypatch.setattr(
        harness,
        "SERVE",
        "import sys\nfor n, line in enumerate(sys.stdin):\n  print(flush=True)\n"
        "  if '1' in line: sys.exit(3)\n  if '2' not in line: print('\"\"', flush=True)",
    )
    with Reader() as made:
        assert made.read("ok", {}) == ""
        assert made.read("1", {}).startswith("died")
        assert made.read("2", {}).startswith("hang")
        assert made.read("ok", {}) == ""
