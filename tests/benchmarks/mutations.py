"""Changes the code in small ways and counts how many of the changes the nearest tests notice.

Works on a copy of the tree. First the tests of a module run once under a tracer, which says which of them reach which
line; a mutant then only runs tests that reach its line, quickest first, until one fails. A mutant that no test reaches
survives. ``mutations_judged.toml`` lists survivors that were looked at: changes without an effect, each with a reason.

``python -m tests.benchmarks.mutations [--only MODULE] [--most N] [--seed S] [--minutes M]``
"""

from __future__ import annotations

import argparse
import ast
import copy
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
JUDGED = Path(__file__).with_name("mutations_judged.toml")
_REBUTTAL = " ".join(
    f"tests/engine/rebuttal/test_{name}.py"
    for name in ("outline_of_points", "readiness", "claims_and_matrix", "letter_of_points", "rebuttal_store")
)
_REVISION = " ".join(
    f"tests/engine/revision/test_{name}.py"
    for name in ("edits", "edits_front", "cells", "fragments", "parts_of_paragraphs", "named_places", "words")
)
MODULES = {
    "engine/project": "tests/engine/project",
    "engine/operations": "tests/engine/operations",
    "engine/revision/edits.py": _REVISION,
    "engine/revision/matching.py": _REVISION,
    "engine/rebuttal/points.py": _REBUTTAL,
    "engine/rebuttal/readiness.py": _REBUTTAL,
    "engine/exchange/io.py": "tests/engine/exchange",
}
"""What is changed, and the tests nearest to it."""
MOST, MINUTES, SLOWEST = 150, 45.0, 60.0
TESTS_A_MUTANT = 150

TRACER = """
import json, os, sys
from pathlib import Path
import pytest
ROOT, WANTED = Path.cwd(), {path}
reached = {{}}
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    lines = set()
    def local(frame, event, arg):
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return local
    def trace(frame, event, arg):
        if frame.f_code.co_filename.startswith(WANTED):
            lines.add((frame.f_code.co_filename, frame.f_lineno))
            return local
        return None
    import threading, time
    begun = time.perf_counter()
    threading.settrace(trace); sys.settrace(trace)
    yield
    sys.settrace(None); threading.settrace(None)
    reached[item.nodeid] = (time.perf_counter() - begun, sorted(lines))
def pytest_sessionfinish():
    Path({out}).write_text(json.dumps(reached))
"""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: what it does to which line; ``number`` counts the changes of a file."""

    path: str
    line: int
    words: str
    number: int

    @property
    def name(self) -> str:
        """How lists name it."""
        return f"{self.path}:{self.line}: {self.words}"


_FLIPS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE,), ast.LtE: (ast.Lt,), ast.Gt: (ast.GtE,), ast.GtE: (ast.Gt,), ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The changed forms of one node."""
    made: Any = copy.deepcopy(node)
    match node:
        case ast.Compare(ops=[op, *_]):
            for other in _FLIPS.get(type(op), ()):
                made.ops[0] = other()
                yield f"{type(op).__name__} to {other.__name__}", made
        case ast.BoolOp(op=op):
            made.op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield f"{type(op).__name__} to {type(made.op).__name__}", made
        case ast.Constant(value=bool() as value):
            yield f"{value} to {not value}", ast.Constant(not value)
        case ast.Constant(value=int() | float() as number):
            yield f"{number} to {number + 1}", ast.Constant(number + 1)
        case ast.BinOp(op=op) if type(op) in _ARITHMETIC:
            made.op = _ARITHMETIC[type(op)]()
            yield f"{type(op).__name__} to {type(made.op).__name__}", made
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            made.test = ast.UnaryOp(ast.Not(), test)
            yield "condition negated", made
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield "returns None", ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.Assign() | ast.AugAssign() | ast.Delete() | ast.Raise():
            yield "statement dropped", ast.Pass()


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, other: ast.AST) -> None:
        self.target, self.other = target, other

    def visit(self, node: ast.AST) -> Any:
        return ast.copy_location(self.other, node) if node is self.target else self.generic_visit(node)


def _all_changes(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, ast.AST]]:
    """Every change of a file; what runs only for type checkers, annotations and messages of errors are left alone."""
    skipped = {id(part) for node in ast.walk(tree) for part in _unreached(node)}
    for node in ast.walk(tree):
        if id(node) not in skipped and isinstance(node, ast.expr | ast.stmt):
            for words, other in _changes(node):
                yield node, words, other


def mutants(path: str, source: str) -> list[Mutant]:
    """All mutants of a file."""
    changes = _all_changes(ast.parse(source))
    return [Mutant(path, node.lineno, words, number) for number, (node, words, _) in enumerate(changes)]


def changed(source: str, number: int) -> str:
    """The source with one of its changes."""
    tree = ast.parse(source)
    node, _, other = next(itertools.islice(_all_changes(tree), number, None))
    return ast.unparse(ast.fix_missing_locations(_Replace(node, other).visit(tree)))


def _unreached(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield from ast.walk(node)
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            yield from ast.walk(annotation)
        case ast.FunctionDef(returns=ast.expr() as returns):
            yield from ast.walk(returns)
        case ast.Raise() | ast.JoinedStr():
            yield from (part for part in ast.walk(node) if part is not node)  # what a message says


class Tree:
    """A copy of the tree in which files are changed and tests run."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", "screenshots", "*.egg-info", ".mypy_cache")
        shutil.copytree(ROOT, self.root, ignore=ignored)
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{self.root}:{folder}",
            "REJOINDER_WITHOUT_QT": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.folder = folder

    def pytest(self, tests: list[str], *more: str, timeout: float) -> int:
        """The exit status; 124 where it ran out of time, which counts as noticed."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:pytest-qt", *more, *tests]
        try:
            return subprocess.run(
                command, cwd=self.root, env=self.environment, timeout=timeout, check=False, capture_output=True
            ).returncode
        except subprocess.TimeoutExpired:
            return 124

    def reach(self, module: str, tests: str) -> dict[tuple[str, int], list[str]]:
        """By file and line the tests that reach it, the quickest first. Tests that fail unchanged are not used."""
        out = self.folder / "reached.json"
        out.unlink(missing_ok=True)
        (self.folder / "reach_tracer.py").write_text(
            TRACER.format(path=repr(str(self.root / module)), out=repr(str(out)))
        )
        self.pytest(tests.split(), "-p", "reach_tracer", "--maxfail", "1000", timeout=1800)
        found: dict[tuple[str, int], list[tuple[float, str]]] = {}
        for test, (seconds, lines) in json.loads(out.read_text()).items():
            for file, line in lines:
                found.setdefault((str(Path(file).relative_to(self.root)), line), []).append((seconds, test))
        return {place: [test for _, test in sorted(tests_)] for place, tests_ in found.items()}

    def noticed(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether a test fails with the change."""
        file = self.root / mutant.path
        before = file.read_text(encoding="utf-8")
        try:
            file.write_text(changed(before, mutant.number), encoding="utf-8")
            return bool(tests) and self.pytest(tests[:TESTS_A_MUTANT], timeout=SLOWEST) not in (0, 5)
        finally:
            file.write_text(before, encoding="utf-8")


def sources(module: str) -> list[str]:
    """The files of a module."""
    found = [ROOT / module] if module.endswith(".py") else sorted((ROOT / module).rglob("*.py"))
    return [file.relative_to(ROOT).as_posix() for file in found]


def judged() -> dict[str, str]:
    """The reasons of survivors without an effect, by ``path: line's text: change``, so that other lines may move."""
    return dict(tomllib.loads(JUDGED.read_text(encoding="utf-8"))["without_effect"])


def judged_name(mutant: Mutant) -> str:
    """How the list of judged survivors names a mutant."""
    line = (ROOT / mutant.path).read_text(encoding="utf-8").splitlines()[mutant.line - 1].strip()
    return f"{mutant.path}: {line}: {mutant.words}"


def run(only: str, most: int, seed: int, minutes: float) -> dict[str, tuple[int, int, list[str]]]:
    """By module: mutants run, killed, and survivors that nobody judged. Judged ones are not counted."""
    deadline, known = time.monotonic() + minutes * 60, judged()
    drawn = [
        (module, mutant)
        for module in MODULES
        if only in module
        for path in sources(module)
        for mutant in mutants(path, (ROOT / path).read_text(encoding="utf-8"))
    ]
    random.Random(seed).shuffle(drawn)
    chosen = sorted(drawn[:most], key=lambda pair: list(MODULES).index(pair[0]))
    found: dict[str, tuple[int, int, list[str]]] = {}
    with tempfile.TemporaryDirectory(prefix="rejoinder-mutations-") as name:
        tree = Tree(Path(name))
        for module in dict.fromkeys(module for module, _ in chosen):
            reach = tree.reach(module, MODULES[module])
            ran, killed, survivors = 0, 0, list[str]()
            for mutant in (mutant for of, mutant in chosen if of == module):
                if time.monotonic() > deadline:
                    break
                if judged_name(mutant) in known:
                    continue
                ran += 1
                if tree.noticed(mutant, reach.get((mutant.path, mutant.line), [])):
                    killed += 1
                else:
                    survivors.append(mutant.name)
                    print(f"survived: {judged_name(mutant)} ({mutant.line})", file=sys.stderr, flush=True)
            found[module] = ran, killed, survivors
    return found


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """The share of mutants that tests noticed, over all modules, and how many were run."""
    found = run("", MOST, 1, MINUTES)
    ran, killed = (sum(counts[at] for counts in found.values()) for at in (0, 1))  # type: ignore[misc]
    return {
        "killed": {"value": round(100 * killed / max(ran, 1), 1), "unit": "%", "better": "higher", "target": 90.0},
        "mutants": {"value": ran, "unit": "", "better": "higher", "target": None},
    }


def main() -> None:
    """Prints the figures of each module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    options = parser.parse_args()
    for module, (ran, killed, _) in run(options.only, options.most, options.seed, options.minutes).items():
        print(f"{module:30} {killed:4} of {ran:4} killed ({100 * killed / max(ran, 1):.0f} %)")


if __name__ == "__main__":
    main()
