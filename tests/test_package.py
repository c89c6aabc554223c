"""What people install: the wheel, and the package with its own Python (``make package``)."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
LINUX = ROOT / "packaging" / "linux"
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the package is for Linux")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this working copy, unpacked as an installer would."""
    pytest.importorskip("hatchling", reason="hatchling is not installed (make env installs it)")
    folder = tmp_path_factory.mktemp("wheel")
    call = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(call, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def of_wheel(wheel: Path, folder: Path, code: str) -> str:
    """What Python prints with the wheel's files, not those of the working copy, in a folder of its own."""
    environment = os.environ | {"PYTHONPATH": str(wheel), "REJOINDER_HOME": str(folder), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import engine; assert {str(wheel)!r} in engine.__file__\n{code}"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_all_that_the_program_reads_and_no_tests(wheel: Path) -> None:
    for folder, place in (("resources", "resources"), ("docs", "resources/docs")):
        files = [
            file.relative_to(ROOT / folder) for file in (ROOT / folder).rglob("*") if "__pycache__" not in file.parts
        ]
        assert len(files) > 20 and [file for file in files if not (wheel / place / file).exists()] == []
    modules = {file.relative_to(ROOT) for name in ("engine", "desktop_app") for file in (ROOT / name).rglob("*.py")}
    assert [module for module in modules if not (wheel / module).is_file()] == []
    assert {file.name for file in wheel.iterdir()} >= {"engine", "desktop_app", "resources"}
    assert not (wheel / "tests").exists() and not (wheel / "scripts").exists()


def test_doctor_finds_nothing_of_the_wheel_missing(wheel: Path, tmp_path: Path) -> None:
    code = "from engine.cli.doctor import diagnosis; import json; print(json.dumps(diagnosis()))"
    found = json.loads(of_wheel(wheel, tmp_path, code))
    assert found["missing"] == [] and found["models"]


def test_the_wheel_opens_the_sample_and_shows_the_guide(wheel: Path, tmp_path: Path) -> None:
    code = """
from desktop_app import guide
from desktop_app.settings import Settings
from desktop_app.settings import WindowState
from desktop_app.window import MainWindow, application
from pathlib import Path
app = application()
window = MainWindow(Settings(Path("settings.json")), WindowState(Path("window.json")))
print(window.control.open_sample(Path()), window.bridge.project.title)
print(len(guide.pages()), bool(guide.html("guide/start.md")))
window.stop_work()
"""
    opened, *title, pages, html = of_wheel(wheel, tmp_path, code).split()
    assert (opened, html) == ("True", "True") and "(sample)" in title and int(pages) > 15


def test_a_release_says_one_version_and_its_five_papers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    newest = re.search(r"^## \[([\d.]+)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None and newest.groups() == (project["version"], str(cited["date-released"]))
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert cited["authors"] == project["authors"]
    papers = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8").casefold()
    titles = [paper["title"].casefold() for paper in cited["references"]]
    assert len(titles) == 5 and [title for title in titles if title not in papers] == []


def test_the_jobs_of_a_forge_run_on_three_systems_what_is_there() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    systems = {name for job in jobs.values() for name in job.get("strategy", {}).get("matrix", {}).get("system", ())}
    assert {name.partition("-")[0] for name in systems | {job["runs-on"] for job in jobs.values()}} >= {
        "ubuntu", "windows", "macos",
    }  # fmt: skip
    calls = " ".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
    named = re.findall(r"(?:\.ci|scripts|desktop_app)/[\w.]+", calls)
    assert len(named) > 3 and [file for file in named if not (ROOT / file).is_file()] == []
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "run and tested only on Linux (x86-64)" in readme


@pytest.fixture
def preloading() -> ModuleType:
    spec = importlib.util.spec_from_file_location("of_the_package", LINUX / "sitecustomize.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@on_linux
def test_only_libraries_that_the_system_lacks_are_loaded(preloading: ModuleType, tmp_path: Path) -> None:
    some = next(Path(sysconfig.get_path("stdlib"), "lib-dynload").glob("_bisect*.so"))
    for name in ("libours.so.1", "libtheirs.so.1"):
        shutil.copyfile(some, tmp_path / name)
    (tmp_path / "cache").write_bytes(b"ld.so-1.7.0\0libtheirs.so.1\0/usr/lib/libtheirs.so.1\0")
    assert preloading.load_missing(tmp_path, tmp_path / "cache") == ["libours.so.1"]
    assert preloading.load_missing(tmp_path, tmp_path / "none") == ["libours.so.1", "libtheirs.so.1"]
    (tmp_path / "libbroken.so.1").write_bytes(b"no library")
    with pytest.raises(OSError, match="libbroken"):
        preloading.load_missing(tmp_path, tmp_path / "none")


@on_linux
def test_the_launcher_starts_the_python_beside_it_from_anywhere(tmp_path: Path) -> None:
    home = tmp_path / "a folder"
    python = home / "python" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$0|$*|$PYTHONPATH$PYTHONHOME|$PYTHONNOUSERSITE"\n')
    launcher = home / "rejoinder"
    launcher.write_text((LINUX / "launcher.sh").read_text().replace("@MODULE@", "engine.cli.main"))
    for file in (python, launcher):
        file.chmod(0o755)
    (tmp_path / "link").symlink_to("a folder/rejoinder")
    for call, folder in (
        (str(launcher), "/"),
        ("./rejoinder", home),
        (str(tmp_path / "link"), "/"),
        ("./link", tmp_path),
    ):
        done = subprocess.run(
            [call, "project", "info", "a b"], cwd=folder, env=os.environ | {"PYTHONPATH": "x", "PYTHONHOME": "y"},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == f"{python}|-P -m engine.cli.main project info a b||1\n"


@on_linux
def test_the_package_runs_in_an_empty_folder() -> None:
    package = os.environ.get("REJOINDER_PACKAGE", "")
    if not package:
        pytest.skip(
            "building and unpacking 2 GB takes minutes: make package does both, and REJOINDER_PACKAGE names one here"
        )
    done = subprocess.run([ROOT / "scripts" / "check_package.sh", package], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
