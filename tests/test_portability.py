"""The code assumes no system: calls, signals, locks and fork that one lacks are found by mypy (``make types``), files
read in whatever encoding a system prefers by ruff; the rest is found here."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PLACE = re.compile(
    r"(/(bin|boot|dev|etc|home|lib(32|64)?|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)(/|$)|[A-Za-z]:\\)"
)
PLACES = {
    "engine/confinement/__init__.py": "what a confined process may read: what is not there is not allowed",
    "desktop_app/device.py": "a sign of a GPU; elsewhere PyTorch's version says it",
    "desktop_app/system_libraries.py": "where Linux has fonts; only Linux asks",
}
"""Files that name places of one system, and why that does no harm on others."""
PROCESS = {"preexec_fn", "start_new_session", "process_group", "umask", "pass_fds"}
"""What ``subprocess.Popen`` takes on POSIX only."""

WORDS_OF_TIME = re.compile(r"%[aAbBcpxX](?![A-Za-z])")
QT = re.compile(r"Q[A-Z]")


def breaches(text: str) -> list[str]:
    """What in a module would fail, or mean something else, on another system: line and what."""
    found = []
    for node in ast.walk(ast.parse(text)):
        what = ""
        match node:
            case ast.Constant(value=str(value)) if PLACE.match(value):
                what = value
            case ast.Constant(value=str(value)) if WORDS_OF_TIME.search(value):
                what = f"{value} is in the system's language"
            case ast.keyword(arg=str(name)) if name in PROCESS:
                what = name
            case ast.keyword(arg="shell", value=ast.Constant(value=True)):
                what = "shell=True"
            case ast.Attribute(value=ast.Name(id="os"), attr="system" | "popen" as name):
                what = f"os.{name}"
            case ast.Call(func=ast.Name(id=str(kind))) if QT.match(kind) and any(
                (given.arg or "").startswith("i") for given in node.keywords
            ):
                what = f"{kind} is given a property that PySide doesn't find in a Turkish locale"
            case ast.Call(
                func=ast.Attribute(attr="get_context" | "set_start_method"), args=[ast.Constant(value=str(way)), *_]
            ) if way != "spawn":
                what = way
            case _:
                continue
        found.append(f"{node.lineno}: {what}")  # type: ignore[attr-defined]
    return found


def test_no_module_names_a_place_or_a_way_of_one_system() -> None:
    found = {
        place: named
        for folder in ("engine", "desktop_app")
        for file in (ROOT / folder).rglob("*.py")
        if (named := breaches(file.read_text(encoding="utf-8")))
        and (place := file.relative_to(ROOT).as_posix()) not in PLACES
    }
    assert found == {}


@pytest.mark.parametrize(
    "line",
    ['x = "/tmp/x"', 'Popen(a, start_new_session=True)', 'run("ls", shell=True)', 'os.system("ls")',
     'get.get_context("fork")', 'x = "C:\\\\x"', 'QTimer(self, interval=5)', 'f"{at:%d %b %Y}"'],
)  # fmt: skip
def test_the_search_finds_a_breach(line: str) -> None:
    assert len(breaches(line)) == 1


@pytest.mark.parametrize(
    "line", ["'/ 5'", "p.open('rb')", "p.open('w', encoding='utf-8')", "Project.open(x)", "'a/tmp'"]
)
def test_the_search_leaves_alone_what_is_everywhere(line: str) -> None:
    assert breaches(line) == []


def test_ruff_names_files_without_an_encoding(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("from pathlib import Path\n\nPath('x').write_text('ä')\n")
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    call = re.search(r"^\t\.venv/bin/ruff (check --preview .*) engine desktop_app scripts$", text, re.MULTILINE)
    assert call is not None
    ruff = [sys.executable, "-m", "ruff", *call[1].split(), "--isolated", "--no-cache", "bad.py"]
    done = subprocess.run(ruff, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "encoding" in done.stdout, done.stdout


def test_mypy_looks_at_every_file_that_could_use_what_a_system_lacks() -> None:
    """``make types`` reads the files with the imports of OF_SYSTEMS for other systems."""
    import mypy

    stubs = Path(mypy.__file__).parent / "typeshed" / "stdlib"
    differing = {
        stub.relative_to(stubs).parts[0].removesuffix(".pyi")
        for stub in stubs.rglob("*.pyi")
        if "sys.platform" in stub.read_text(encoding="utf-8")
    }
    assert {"os", "signal", "fcntl"} <= differing
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    searched = re.search(r"^OF_SYSTEMS := (.*)$", text, re.MULTILINE)
    assert searched is not None
    of_systems = re.compile(searched[1], re.MULTILINE)
    # Of pathlib only what the search names differs, of zipfile what nobody imports.
    unseen = {name for name in differing - {"pathlib", "zipfile"} if not of_systems.search(f"import {name}")}
    for file in (path for folder in ("engine", "desktop_app") for path in (ROOT / folder).rglob("*.py")):
        found = re.search(rf"^ *(?:import|from) ({'|'.join(sorted(unseen))})\b", file.read_text("utf-8"), re.MULTILINE)
        assert found is None, f"{file}: {found}"


LACKED = {
    "win32": (
        "os.fork()", "os.getuid()", "fcntl.flock(0, fcntl.LOCK_EX)", "resource.RLIMIT_AS", "signal.SIGKILL",
        "signal.alarm(1)", "pwd.getpwuid(0)", "os.mkfifo('x')",
    ),
    "darwin": ("os.sched_getaffinity(0)", "os.memfd_create('x')", "os.O_TMPFILE"),
}  # fmt: skip


@pytest.mark.parametrize("system", LACKED)
def test_mypy_names_calls_that_a_system_lacks(system: str, tmp_path: Path) -> None:
    head = ["import fcntl", "import os", "import pwd", "import resource", "import signal"]
    (tmp_path / "bad.py").write_text("\n".join([*head, *LACKED[system]]) + "\n")
    call = [sys.executable, "-m", "mypy", "--config-file=", "--platform", system, "bad.py", "--cache-dir"]
    done = subprocess.run([*call, str(tmp_path)], cwd=tmp_path, capture_output=True, text=True, check=False)
    for number, line in enumerate(LACKED[system], start=len(head) + 1):
        assert re.search(rf"^bad\.py:{number}: .*attr-defined", done.stdout, re.MULTILINE), (line, done.stdout)
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^types:.* types-{system}\b", text, re.MULTILINE)
    assert re.search(rf"^types-.*{system}.*:.*\n\t.*mypy .*--platform \$\*", text, re.MULTILINE)
