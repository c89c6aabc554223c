"""Changes the code in small ways and counts how many of the changes the nearest tests notice.

The tests are collected once, and run once under a tracer, which says which of them reach which line. A mutant is then
tried in a fork of that process: its functions get the changed code, and tests that reach the line run, quickest first,
until one fails. Changes of what runs when a module is imported are tried in a process that imports everything again. A
mutant that no test reaches survives. ``mutations_judged.toml`` lists survivors that were looked at, each with a reason.
The ``equivalent`` ones do the same on every input and are not drawn. The ``harmless`` ones do something else, which no
promise is about; they are drawn and count as survivors, and a second rate leaves them out.

``python -m tests.benchmarks.mutations [--only MODULE ...] [--most N] [--seed S] [--minutes M]``
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import itertools
import os
import pickle
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
JUDGED = Path(__file__).with_name("mutations_judged.toml")
_PROJECT = ("tests/engine/project", "tests/engine/operations")
_OPERATIONS = (  # training sets, and some names of things, are tested by the commands alone
    "tests/engine/operations",
    *(f"tests/engine/cli/test_{name}_commands.py" for name in ("packages", "papers", "erase_and_share")),
)
_REVISION = tuple(
    f"tests/engine/revision/test_{name}.py"
    for name in (
        *("edits", "edits_front", "matching", "cells", "fragments", "parts_of_paragraphs", "named_places"),
        *("words", "edit_quality", "differences"),
    )
)
MODULES = {
    "engine/project": _PROJECT,
    "engine/operations": _OPERATIONS,
    "engine/project/merge.py": _PROJECT,
    "engine/packages/merging.py": (*_PROJECT, "tests/engine/packages"),
    "engine/revision/edits.py": _REVISION,
    "engine/revision/matching.py": _REVISION,
    "engine/rebuttal/points.py": ("tests/engine/rebuttal",),
    "engine/rebuttal/readiness.py": ("tests/engine/rebuttal",),
    "engine/exchange/io.py": tuple(
        f"tests/engine/exchange/test_{name}.py"
        for name in ("io", "reading_tables", "score_tables", "preference_tables", "score_exports", "data_card")
    ),
}
"""The files to change, and the tests nearest to them."""
MOST, MINUTES = 40, 60.0
SECONDS, EXAMPLES = 20.0, 15
"""Duration of the unchanged tests that a mutant is tried against (at least three tests); examples of property tests."""

IMPORTED = """
import pickle, sys
from importlib.machinery import SourceFileLoader
import pytest
from tests.benchmarks import mutations
mutant, tests = pickle.load(sys.stdin.buffer)
code, loaded = mutations.changed(mutant), SourceFileLoader.get_code
SourceFileLoader.get_code = lambda loader, name: (
    code if loader.path == str(mutations.ROOT / mutant.path) else loaded(loader, name)
)
sys.exit(pytest.main([*mutations.OPTIONS, "-x", *tests]))
"""
OPTIONS = (
    *("-q", "-p", "no:pytest-qt", "-p", "no:xdist", "-p", "no:cacheprovider"),
    *(f"--ignore=tests/engine/project/test_{name}.py" for name in ("kills", "clock")),  # in processes of their own
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: its line and description; ``number`` counts the changes of a file."""

    path: str
    line: int
    words: str
    number: int
    inside: bool
    """Whether it is in the body of a function rather than in code that runs on import."""


_FLIPS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE,), ast.LtE: (ast.Lt,), ast.Gt: (ast.GtE,), ast.GtE: (ast.Gt,), ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yields the changed forms of one node."""
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
    """Yields every change of a file, except in annotations, error messages and guards."""
    skipped = {id(part) for node in ast.walk(tree) for part in _unreached(node)}
    for node in ast.walk(tree):
        if id(node) not in skipped and isinstance(node, ast.expr | ast.stmt):
            for words, other in _changes(node):
                yield node, words, other


def mutants(path: str) -> list[Mutant]:
    """Returns all mutants of a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    bodies = [statement for made in ast.walk(tree) if isinstance(made, ast.FunctionDef) for statement in made.body]
    inside = {id(part) for statement in bodies for part in ast.walk(statement)}
    changes = enumerate(_all_changes(tree))
    return [
        # A condition in brackets starts on a separate line, the only one that a tracer sees.
        Mutant(path, getattr(node, "test", node).lineno, words, number, id(node) in inside)
        for number, (node, words, _) in changes
    ]


def changed(mutant: Mutant) -> CodeType:
    """Compiles the file with one of its changes."""
    file = ROOT / mutant.path
    tree = ast.parse(file.read_text(encoding="utf-8"))
    node, _, other = next(itertools.islice(_all_changes(tree), mutant.number, None))
    made = ast.fix_missing_locations(_Replace(node, other).visit(tree))
    return compile(made, str(file), "exec", dont_inherit=True)


def _unreached(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield from ast.walk(node)
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            yield from ast.walk(annotation)
        case ast.FunctionDef(returns=ast.expr() as returns):
            yield from ast.walk(returns)
        case ast.Raise() | ast.JoinedStr():
            yield from (part for part in ast.walk(node) if part is not node)  # the text of a message
        case ast.keyword(arg="strict" | "frozen" | "slots"):
            yield node.value  # guards against slips in the code


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def in_fork(work: Callable[[], Any], seconds: float) -> Any:
    """Returns the result of ``work`` in a fork of this process; None if that ends early or takes too long."""
    with tempfile.NamedTemporaryFile() as result:
        child = os.fork()
        if not child:
            try:
                os.setsid()
                for shown in (1, 2):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), shown)
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
                Path(result.name).write_bytes(pickle.dumps(work()))
            finally:
                os._exit(0)
        ended = os.pidfd_open(child)
        select.select([ended], [], [], 5 * seconds)  # elapsed time, since other programs compute too
        os.close(ended)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        written = Path(result.name).read_bytes()
        return pickle.loads(written) if written else None


class Trying:
    """A pytest plugin that tries mutants instead of running the collected tests."""

    def __init__(self, chosen: list[Mutant], deadline: float) -> None:
        self.chosen, self.deadline = chosen, deadline
        self.files = {str(ROOT / mutant.path) for mutant in chosen}
        self.noticed: dict[Mutant, bool] = {}

    def pytest_collection(self) -> None:
        """Configures hypothesis: one failure is enough, so examples are neither shrunk nor stored."""
        import hypothesis

        settings = hypothesis.settings.get_profile("rejoinder")
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("mutants", settings, phases=phases, database=None)
        hypothesis.settings.load_profile("mutants")
        few = property(lambda self: min(self._max_examples, EXAMPLES))
        type.__setattr__(hypothesis.settings, "max_examples", few)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Records what each test reaches, then tries the mutants."""
        self.items = session.items
        gc.unfreeze()  # tests/conftest.py hides what is imported from the collector, which finds the functions here
        found = (made for made in gc.get_objects() if isinstance(made, FunctionType))
        self.functions = [made for made in found if made.__code__.co_filename in self.files]
        assert self.functions, "no function to change was found"
        self.reach, self.seconds = in_fork(partial(self._record, session), 3600)
        for mutant in self.chosen:
            if time.monotonic() > self.deadline:
                break
            tests = self._tests(mutant)
            seconds = 10 + sum(self.seconds[test] for test in tests)
            failed = in_fork(partial(self._failed, session, mutant, tests), seconds) if tests else False
            self.noticed[mutant] = failed is not False  # mutants that end the process or take too long count as noticed
            if not failed:
                verdict = "harmless" if judged_name(mutant) in judged("harmless") else "survived"
                verdict = "ended or took too long" if failed is None else verdict
                print(f"{verdict}: {judged_name(mutant)} ({mutant.line}, {len(tests)} tests)", file=sys.stderr)
        passing = sorted({test for tests in self.reach.values() for test in tests}, key=self.seconds.__getitem__)
        assert in_fork(partial(self._run, session, passing[:20]), 60) is False, "tests fail without a change, too"
        return True

    def _record(self, session: pytest.Session) -> tuple[dict[tuple[str, int], list[int]], list[float]]:
        reach, seconds = defaultdict[tuple[str, int], list[int]](list), list[float]()
        lines = set[tuple[str, int]]()

        def local(frame: FrameType, event: str, _arg: object) -> Any:
            if event in {"line", "call"}:
                lines.add((frame.f_code.co_filename, frame.f_lineno))
            return local

        def trace(frame: FrameType, event: str, arg: object) -> Any:
            return local(frame, event, arg) if frame.f_code.co_filename in self.files else None

        for made in self.functions:
            made.__cantrace__ = True  # type: ignore[attr-defined]  # else hooks of audits are not traced
        for number, item in enumerate(self.items):
            begun, failed = sum(os.times()[:4]), session.testsfailed
            self._forget()
            lines.clear()
            threading.settrace(trace)
            sys.settrace(trace)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            sys.settrace(None)
            seconds.append(sum(os.times()[:4]) - begun)  # processor time, since other programs compute too
            if session.testsfailed == failed:  # tests that fail unchanged aren't used
                for place in lines:
                    reach[place].append(number)
        return dict(reach), seconds

    def _forget(self) -> None:
        """Empties the caches of functions, so that each test reaches the cached code."""
        for module in [made for made in sys.modules.values() if getattr(made, "__file__", None) in self.files]:
            for made in vars(module).values():
                if hasattr(made, "cache_clear"):
                    made.cache_clear()

    def _tests(self, mutant: Mutant) -> list[int]:
        """Returns the tests that reach the line, or the file if the line runs on import; fastest first."""
        file = str(ROOT / mutant.path)
        reached = set(self.reach.get((file, mutant.line), []))
        if not mutant.inside:
            reached = {test for (path, _), tests in self.reach.items() if path == file for test in tests}
        ordered = sorted(reached, key=self.seconds.__getitem__)
        sums = itertools.accumulate(self.seconds[test] for test in ordered)
        return [test for at, (test, total) in enumerate(zip(ordered, sums, strict=True)) if at < 3 or total < SECONDS]

    def _failed(self, session: pytest.Session, mutant: Mutant, tests: list[int]) -> bool:
        """Returns whether a test fails with the change. Runs in a separate process."""
        codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(changed(mutant))}
        try:
            for function in self.functions:
                code = function.__code__
                if code.co_filename == str(ROOT / mutant.path) and code.co_name != "<lambda>":
                    function.__code__ = codes[code.co_qualname, code.co_firstlineno]
        except (KeyError, ValueError):  # a function is missing, or uses other variables of the enclosing one
            mutant = replace(mutant, inside=False)
        if not mutant.inside:
            names = [self.items[test].nodeid for test in tests]
            command, given = [sys.executable, "-c", IMPORTED], pickle.dumps((mutant, names))
            done = subprocess.run(command, input=given, cwd=ROOT, check=False, capture_output=True)
            return done.returncode not in (0, 5)
        return self._run(session, tests)

    def _run(self, session: pytest.Session, tests: Iterable[int]) -> bool:
        """Returns whether a test fails."""
        self._forget()  # results computed before the change
        for test in tests:
            item = self.items[test]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if session.testsfailed:
                return True
        return False


def sources(module: str) -> list[str]:
    """Returns the files of a module."""
    found = [ROOT / module] if module.endswith(".py") else sorted((ROOT / module).rglob("*.py"))
    return [file.relative_to(ROOT).as_posix() for file in found]


def judged(verdict: str) -> dict[str, str]:
    """Returns the reasons of a verdict on survivors by ``path: line's text: change``, independent of line numbers."""
    return dict(tomllib.loads(JUDGED.read_text(encoding="utf-8"))[verdict])


def judged_name(mutant: Mutant) -> str:
    """Returns a mutant's name in the list of judged survivors."""
    line = (ROOT / mutant.path).read_text(encoding="utf-8").splitlines()[mutant.line - 1].strip()
    return f"{mutant.path}: {line}: {mutant.words}"


def run(only: Iterable[str], most: int, seed: int, minutes: float) -> dict[str, dict[Mutant, bool]]:
    """Returns by module the mutants that were tried, and whether a test noticed."""
    known, chosen = judged("equivalent"), dict[str, list[Mutant]]()
    for module in only:
        found = [mutant for path in sources(module) for mutant in mutants(path) if judged_name(mutant) not in known]
        chosen[module] = random.Random(f"{seed} {module}").sample(found, min(most, len(found)))
    os.environ["REJOINDER_WITHOUT_QT"] = "1"
    mixed = [mutant for drawn in chosen.values() for mutant in drawn]
    random.Random(seed).shuffle(mixed)  # if time runs out, some mutants of each module were tried
    trying = Trying(mixed, time.monotonic() + minutes * 60)
    tests = dict.fromkeys(test for module in chosen for test in MODULES[module])
    if pytest.main([*OPTIONS, "-s", *tests], [trying]) == pytest.ExitCode.INTERNAL_ERROR:
        raise SystemExit("The run failed, so there are no figures.")
    return {
        module: {mutant: trying.noticed[mutant] for mutant in drawn if mutant in trying.noticed}
        for module, drawn in chosen.items()
    }


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the share of each module's mutants that tests noticed, and the number of survivors without a verdict."""
    found = run(MODULES, MOST, 1, MINUTES)
    rates = {
        f"killed in {module}": {"value": killed(tried)[0], "unit": "%", "better": "higher", "target": 90.0}
        for module, tried in found.items()
    }
    tried = {mutant: noticed for part in found.values() for mutant, noticed in part.items()}
    return {
        **rates,
        "mutants": {"value": len(tried), "unit": "", "better": "higher", "target": None},
        "survivors not judged": {"value": len(unjudged(tried)), "unit": "", "better": "lower", "target": 0},
    }


def unjudged(tried: dict[Mutant, bool]) -> list[Mutant]:
    """Returns survivors that aren't judged harmless."""
    known = judged("harmless")
    return [mutant for mutant, noticed in tried.items() if not noticed and judged_name(mutant) not in known]


def killed(tried: dict[Mutant, bool]) -> tuple[float, float]:
    """Returns the percentage that tests noticed, of all mutants, and without survivors judged harmless."""
    noticed = sum(tried.values())
    every, looked_at = (round(100 * noticed / max(of, 1), 1) for of in (len(tried), noticed + len(unjudged(tried))))
    return every, looked_at


def main() -> None:
    """Prints the figures of each module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=list(MODULES))
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    options = parser.parse_args()
    for module, found in run(options.only, options.most, options.seed, options.minutes).items():
        rate, without_harmless = killed(found)
        print(
            f"{module:30} {sum(found.values()):4} of {len(found):4} killed: {rate} %, without harmless survivors"
            f" {without_harmless} %; {len(unjudged(found))} not judged"
        )


if __name__ == "__main__":
    main()
