"""The rules of the house are really read: each checker is shown a breach of each rule and must name it."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def model_house(tmp_path: Path) -> Path:
    """The configuration of this repository over a house with the same rooms and nothing in them."""
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    for file in [*ROOT.glob("engine/**/__init__.py"), *ROOT.glob("desktop_app/**/__init__.py")]:
        made = tmp_path / file.relative_to(ROOT)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.touch()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    for module in (name for contract in contracts for name in contract.get("source_modules", ()) if "." in name):
        path = tmp_path / module.replace(".", "/")
        if not path.is_dir():
            path.with_suffix(".py").touch()
    return tmp_path


BREACHES = {
    "engine-without-qt: Qt": ("engine/jobs/bad.py", "import PySide6.QtCore"),
    "engine-without-qt: desktop": ("engine/jobs/bad.py", "import desktop_app.widgets"),
    "layers: across domains": ("engine/expertise/bad.py", "import engine.calibration"),
    "layers: upwards": ("engine/project/bad.py", "import engine.reviews"),
    "layers: documents call a domain": ("engine/documents/bad.py", "import engine.revision"),
    "layers: a room that is in no layer": ("engine/attic/__init__.py", ""),
    "layers: a domain calls research": ("engine/revision/bad.py", "import engine.research"),
    "rebuttal-beside-revision: rebuttal calls expertise": ("engine/rebuttal/bad.py", "import engine.expertise"),
    "statements-pure: a store": ("engine/statements/bad.py", "import engine.project"),
    "research-apart: operations": ("engine/operations/bad.py", "import engine.research"),
    "research-apart: the window, past the tasks": ("desktop_app/widgets/bad.py", "import engine.research.labels"),
    "window-without-cli: a pane": ("desktop_app/panes/bad.py", "import engine.cli"),
    "drafting-without-rubrics: a stage": (
        "engine/review_drafting/stages/bad.py",
        "from engine.review_drafting import benchmark",
    ),
    "light-start: torch": ("desktop_app/widgets/bad.py", "import torch"),
    "light-start: inside a function": ("desktop_app/widgets/bad.py", "def f():\n    import sklearn"),
}


def test_a_clean_model_house_keeps_the_contracts(model_house: Path) -> None:
    done = _run([str(BIN / "lint-imports")], model_house)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("breach", BREACHES)
def test_each_contract_is_read(model_house: Path, breach: str) -> None:
    place, line = BREACHES[breach]
    (model_house / place).parent.mkdir(exist_ok=True)
    (model_house / place).write_text(line + "\n")
    done = _run([str(BIN / "lint-imports"), "--contract", breach.partition(":")[0]], model_house)
    assert done.returncode == 1 and "BROKEN" in done.stdout, done.stdout


def test_mypy_is_strict_on_the_engine(model_house: Path) -> None:
    (model_house / "engine" / "jobs" / "bad.py").write_text("def untyped(x):\n    return x\n")
    done = _run([str(BIN / "mypy")], model_house)
    assert done.returncode == 1 and "no-untyped-def" in done.stdout, done.stdout


def test_ruff_reads_its_rules(model_house: Path) -> None:
    (model_house / "engine" / "jobs" / "bad.py").write_text(
        "from . import x\n\n\ndef f():\n    try:\n        print(x)\n    except Exception:\n        pass\n"
    )
    done = _run([str(BIN / "ruff"), "check", "--output-format", "json", "--no-cache", "."], model_house)
    for code in ("TID252", "T201", "BLE001"):
        assert code in done.stdout, f"{code} is not read:\n{done.stdout}"


def test_vulture_reads_what_it_may_ignore(model_house: Path) -> None:
    (model_house / "scripts").mkdir()
    (model_house / "engine" / "jobs" / "bad.py").write_text(
        "def nobody_calls_this():\n    pass\n\n\nclass HomePane:\n    pass\n"
    )
    done = _run([str(BIN / "vulture")], model_house)
    assert done.returncode == 3 and "nobody_calls_this" in done.stdout and "HomePane" not in done.stdout, done.stdout


def test_the_start_of_the_window_loads_no_model_library() -> None:
    heavy = "torch transformers sentence_transformers sklearn pandas scipy pymupdf bm25s onnxruntime"
    code = (
        "import sys, desktop_app.main, desktop_app.window\n"
        f"print([name for name in '{heavy}'.split() if sys.modules.get(name) is not None])"
    )
    done = _run([sys.executable, "-c", code], ROOT)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def _python_files(*folders: str) -> list[Path]:
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def test_no_test_waits_on_time() -> None:
    """Tests and product wait on signals or predicates: no time.sleep, qtbot.wait(n), processEvents."""
    banned = re.compile(r"\btime\.sleep\(|\bqtbot\.wait\(|\bprocessEvents\(")
    here = Path(__file__)
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in _python_files("tests", "desktop_app", "engine", "scripts")
        if file != here
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if banned.search(line)
    ]
    assert found == []


def test_exceptions_are_caught_by_name() -> None:
    """Only the job runner, the tops of the worker processes, and the top hooks may catch everything."""
    allowed = {"engine/jobs/engine.py", "engine/documents/worker.py", "engine/models/child.py"}
    found = []
    for file in _python_files("engine", "desktop_app"):
        place = file.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                caught = "Exception" if node.type is None else ast.unparse(node.type)
                if caught in {"Exception", "BaseException"} and not isinstance(node.body[-1], ast.Raise):
                    found.append(place)
    assert set(found) <= allowed, set(found) - allowed


DOMAINS = ("agreement", "calibration", "expertise", "papers", "rebuttal", "review_drafting", "reviews", "revision")
SQL = re.compile(r"^\s*(SELECT|INSERT( OR \w+)? INTO|UPDATE|DELETE FROM|WITH|PRAGMA|CREATE|DROP|ALTER) ")
OUTSIDE_THE_STORES = {
    "engine/models/caches.py",  # databases of their own, in the cache folder
    "engine/cli/project.py",  # names a PRAGMA to the user
    "engine/cli/project_tables.py",  # the user's own SQL, which can only read
}


WRITES = re.compile(r"\.write_(?:text|bytes)\(|\.open\(\s*[\"'][wax]|\.save_pretrained\(")
WRITERS = {
    "engine/files.py": "whole_file and write_whole", "engine/user_files.py": "into whole_file",
    "engine/exchange/io.py": "into whole_file", "engine/exchange/package_file.py": "into whole_file",
    "engine/expertise/scale.py": "into whole_file", "engine/project/schema.py": "into whole_file",
    "engine/confinement/__init__.py": "limits of its own process, in /proc",
    "engine/operations/bundle.py": "into a private folder, which has its name when it is whole",
    "engine/cli/review_bench.py": "appends a line for each score",
    "engine/research/alignment/training.py": "a model's folder",
    "engine/research/labels/encoders.py": "a model's folder",
    "engine/reviews/labels/classifier.py": "a model's folder",
    "engine/expertise/algorithms/acl.py": "a model's folder",
    "desktop_app/headless.py": "the report of a run without a display",
}  # fmt: skip
"""Every other file is written by ``engine.files``: private, whole, and through no planted link."""


def test_files_are_written_whole() -> None:
    found = {
        str(file.relative_to(ROOT))
        for file in _python_files("engine", "desktop_app")
        if WRITES.search(file.read_text())
    }
    assert found == set(WRITERS)


def _holds_sql(file: Path) -> bool:
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    )


def test_sql_is_in_the_stores_only() -> None:
    """Statements are written in the project room, in operations (their rules go across several domains), and in modules
    that are called store.py or something_store.py."""
    rooms = {ROOT / "engine" / "project", ROOT / "engine" / "operations"}
    found = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "engine").rglob("*.py")
        if not rooms & {*file.parents} and not file.stem.endswith("store") and _holds_sql(file)
    }
    assert found <= OUTSIDE_THE_STORES, found - OUTSIDE_THE_STORES
    assert _holds_sql(ROOT / "engine" / "reviews" / "store.py"), "the search finds what there is"


def _captured_runs(text: str) -> list[str]:
    """The functions inside functions that become a ``Task``: those under ``@task``, and lambdas or inner functions that
    are handed to ``Task``."""
    found: list[str] = []
    if not re.search(r"\bTask\b|@task\b", text):
        return found
    for maker in ast.walk(ast.parse(text)):
        if isinstance(maker, ast.FunctionDef):
            inside = [node for node in ast.walk(maker) if isinstance(node, ast.FunctionDef) and node is not maker]
            names = {node.name for node in inside}
            for call in ast.walk(maker):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Task":
                    given = [*call.args, *(keyword.value for keyword in call.keywords)]
                    if any(isinstance(one, ast.Lambda) or getattr(one, "id", "") in names for one in given):
                        found.append(maker.name)
            decorators = [one for node in inside for one in node.decorator_list if isinstance(one, ast.Call)]
            found += [maker.name for one in decorators if isinstance(one.func, ast.Name) and one.func.id == "task"]
    return found


def test_tasks_capture_nothing() -> None:
    """A task is a function of its parameters: a module-level function under ``@task``, or one bound by ``partial``."""
    files = [*_python_files("engine"), *_python_files("desktop_app")]
    made = ROOT / "engine" / "jobs" / "records.py"
    found = {file.name: _captured_runs(file.read_text(encoding="utf-8")) for file in files if file != made}
    assert {name: makers for name, makers in found.items() if makers} == {}
    assert _captured_runs(made.read_text(encoding="utf-8")) == ["task", "decorated", "made"], "the search finds them"
    assert _captured_runs("def f(s):\n    def run(r): return s\n    return Task('k', 't', run, 1)") == ["f"]
    assert _captured_runs("def f(s):\n    @task('k', 't', 1)\n    def run(r): return s\n    return run()") == ["f"]


def _graph(root: str) -> dict[str, set[str]]:
    graph = grimp.build_graph(root, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


@pytest.fixture(scope="module")
def engine_graph() -> dict[str, set[str]]:
    return _graph("engine")


def test_algorithms_know_neither_project_nor_database(engine_graph: dict[str, set[str]]) -> None:
    """In a domain, only its stores and tasks import the project; the rest computes on records."""
    found = [
        module
        for module, imported in engine_graph.items()
        if module.split(".")[1:2] and module.split(".")[1] in DOMAINS and not module.endswith(("store", "tasks"))
        if any(name.split(".")[:2] == ["engine", "project"] for name in imported)
    ]
    assert found == []


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The modules that import each other, directly or around corners (imports for types count, too)."""
    found = []
    reached = {module: _reached(module, graph) for module in graph}
    left = {module for module in graph if module in reached[module]}
    while left:
        module = min(left)
        together = {other for other in left & reached[module] if module in reached[other]}
        found.append(sorted(together))
        left -= together
    return found


def _reached(start: str, graph: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for module in graph.get(waiting.pop(), set()) - found:
            found.add(module)
            waiting.append(module)
    return found


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a"}}
    assert cycles(graph) == [["a", "b", "c"]] and cycles({"a": {"b"}, "b": set()}) == []


def test_the_engine_has_no_import_cycle(engine_graph: dict[str, set[str]]) -> None:
    assert cycles(engine_graph) == []


def test_the_window_has_no_import_cycle() -> None:
    assert cycles(_graph("desktop_app")) == []


def test_the_lock_file_names_every_direct_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[><=;\s\[]", line, maxsplit=1)[0].lower().replace("_", "-") for line in wanted}
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    locked = {line.split("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    assert names <= locked, names - locked


def test_no_file_is_longer_than_500_lines() -> None:
    files = [file for room in ("engine", "desktop_app") for file in (ROOT / room).rglob("*.py")]
    assert len(files) > 500, "the rooms are elsewhere"
    longer = {str(file.relative_to(ROOT)): count for file in files if (count := len(_lines(file))) > 500}
    assert not longer


def _classes() -> dict[str, tuple[list[str], int]]:
    """By name of a class of ours: the names of its bases, and how many methods it has; properties are none."""
    found = {}
    for file in (*_python_files("engine"), *_python_files("desktop_app")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases = [getattr(getattr(base, "value", base), "id", "") for base in node.bases]
                methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
                plain = [one for one in methods if not any("property" in ast.unparse(d) for d in one.decorator_list)]
                found[node.name] = bases, len(plain)
    return found


def _above(name: str, classes: Mapping[str, tuple[list[str], int]]) -> set[str]:
    bases = set(classes[name][0]) & classes.keys() - {name}
    return bases.union(*(_above(base, classes) for base in bases))


def test_no_class_is_a_tower_or_has_more_than_40_methods() -> None:
    classes = _classes()
    assert _above("RebuttalPane", classes) == {"Pane"} and classes["Pane"][1] > 20, "the search finds what there is"
    assert {name for name, (_, count) in classes.items() if count > 40} == set()
    panes_and_stores = (name for name in classes if name.endswith(("Pane", "Store", "View", "State")))
    assert {name for name in panes_and_stores if len(_above(name, classes)) > 2} == set()


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()
