"""A release as people meet it: installed without a network, worked with by five annotators and their lead, exported.

What is real: the wheel is built from this working copy and installed by pip without an index, in a network namespace
where the system has one, into a new virtual environment; every person has a home folder of their own that nothing ran
in before; the application starts as ``rejoinder-desktop`` does, offscreen; all six people (the lead and five
annotators) use the window by keyboard alone, dialogs for files included. What is not: the packages that Rejoinder
depends on are those of the environment that runs this test, put on the path of the new one (they have gigabytes), and
pip checks that they are what the wheel asks for (pip binds a socket of this machine to see what it may use; of the
application any socket fails the test). ``scripts/check_package.sh`` starts the package with everything of its own.
What is exported for INCEpTION is read by dkpro-cassis; the two other formats are parsed here.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.packages.records import DECISIONS

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample"
FILES = ("submitted.pdf", "revised.pdf", "review-1.md", "review-2.md", "review-3.md")
PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eve")
MOST_SECONDS = 600
Links = set[tuple[str, str]]


@cache
def alone() -> list[str]:
    """What runs a command without any network interface, where the system lets us."""
    call = ["unshare", "--net", "--map-root-user"]
    there = shutil.which(call[0]) and subprocess.run([*call, "true"], capture_output=True, check=False).returncode == 0
    return call if there else []


def run(command: list[str], home: Path, **watched: str) -> None:
    """Runs a command in a home folder of its own, with nothing of this process's environment."""
    own = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ} | {"LANG": "C.UTF-8"}
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [*alone(), *command], cwd=home, env=own | watched | {"HOME": str(home), "USERPROFILE": str(home)},
        capture_output=True, text=True, timeout=MOST_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(command[:5])}: {done.stdout[-2000:]}{done.stderr[-4000:]}"


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The interpreter of a new environment with the wheel in it."""
    pytest.importorskip("hatchling", reason="hatchling is not installed (make env installs it)")
    wheel, home = tmp_path / "wheel", tmp_path / "installing"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheel)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (file,) = wheel.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    python = tmp_path / "env" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    paths = {"base": str(tmp_path / "env"), "platbase": str(tmp_path / "env")}
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    reused = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (packages / "reused.pth").write_text("\n".join(reused), encoding="utf-8")  # their .pth files are not read
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install", "--no-index"]
    run([*pip, "--no-deps", "--ignore-installed", "--quiet", str(file)], home)
    run([*pip, "--dry-run", "--quiet", "rejoinder"], home)  # everything that the wheel asks for is there
    return python


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """No process that was started here is left, whatever happened."""
    before = {one.pid for one in psutil.Process().children(recursive=True)}
    yield
    left = [one for one in psutil.Process().children(recursive=True) if one.pid not in before]
    for one in left:
        one.kill()
    assert [one.name() for one in left] == []


def job(python: Path, home: Path, name: str, *arguments: str) -> dict[str, Any]:
    """What somebody saw who did a job in the window."""
    report = home / f"{name}.json"
    home.mkdir(exist_ok=True)
    watch = {"PYTHONPATH": str(ROOT / "tests" / "offline"), "REJOINDER_SOCKET_LOG": os.environ["REJOINDER_SOCKET_LOG"]}
    script = str(ROOT / "tests" / "e2e" / "installed_window.py")
    run([str(python), "-P", script, name, str(report), *arguments], home, QT_QPA_PLATFORM="offscreen", **watch)
    seen: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    assert Path(seen["engine"]).is_relative_to(python.parents[1]), "it is the installed program"
    assert (seen["mouse"], seen["network"], seen["problems"]) == (0, "network: none", [])
    return seen


def test_five_annotators_and_their_lead_from_the_wheel_to_three_exports(
    python: Path, tmp_path: Path, nothing_left: None
) -> None:
    lead = tmp_path / "lead"
    (lead / "packages").mkdir(parents=True)
    for name in FILES:
        shutil.copyfile(SAMPLE / name, lead / name)
    job(python, lead, "begin", "study.rejoinder", "packages", *FILES)
    packages = {person: lead / "packages" / f"{person.lower()}.rejoinder-package" for person in PEOPLE}

    def annotate(person: str) -> dict[str, Any]:
        """The package comes by mail, and the results go back."""
        home = tmp_path / person
        home.mkdir()
        shutil.copyfile(packages[person], home / packages[person].name)
        results = f"{person.lower()}.rejoinder-results"
        seen = job(python, home, "annotate", packages[person].name, results, str(PEOPLE.index(person)))
        shutil.copyfile(home / results, lead / results)
        return seen

    with ThreadPoolExecutor(2) as both:
        seen = dict(zip(PEOPLE, both.map(annotate, PEOPLE), strict=True))
    for person, saw in seen.items():
        assert ["<h1>How to link</h1>" in text for text in saw["guidelines"]] == [True], person
        assert saw["decided"].keys() == {*saw["comments"]}, "all comments of the package are decided"
    deciders: dict[str, list[str]] = defaultdict(list)
    for person, saw in seen.items():
        for comment in saw["decided"]:
            deciders[comment].append(person)
    assert len(deciders) > 20 and {len(people) for people in deciders.values()} == {2}, "each is given to two"

    saw = job(python, lead, "lead", "study.rejoinder", *(f"{person.lower()}.rejoinder-results" for person in PEOPLE))
    for person in PEOPLE:
        own = rows_of(person, tmp_path / person / f"{person.lower()}.rejoinder")
        assert own["edit_link"] and own["comment_state"] and own["annotation_done"]
        assert rows_of(person, lead / "study.rejoinder") == own, "all that somebody decided has arrived"
    assert {row[1] for row in saw["preview"]} == {*PEOPLE} and all(int(row[2]) > 0 for row in saw["preview"])
    for person, _, decided, *_rest in saw["progress"]:
        number = len(seen[person]["decided"])
        assert decided == f"{number} of {number}"
    pairs = defaultdict[tuple[str, str], int](int)
    for first, second in deciders.values():
        pairs[first, second] += 1
    assert {(one, other): n for one, other, n in saw["agreement"] if n} == dict(pairs), "agreement on what both decided"
    expected = adjudicated(deciders, {person: one["decided"] for person, one in seen.items()}, saw["verdicts"])
    assert len({verdict for *_, verdict in saw["verdicts"].values()}) == 4, "each way to decide was taken"
    assert of_web_annotations(lead / "links.jsonld") == expected
    assert of_brat(lead / "brat", saw["labels"]) == expected
    assert of_cas(lead / "inception", saw["labels"]) == expected


def rows_of(person: str, project: Path) -> dict[str, set[str]]:
    """The keys of all that somebody decided, by table."""
    with closing(sqlite3.connect(project.as_uri() + "?mode=ro", uri=True)) as opened:
        sql = "SELECT id FROM {} WHERE annotator_id = (SELECT id FROM annotator WHERE name = ?)"
        return {
            table: {row[0] for row in opened.execute(sql.format(table), (person,))} for table in DECISIONS["reviews"]
        }


def adjudicated(
    deciders: dict[str, list[str]], decided: dict[str, dict[str, str]], verdicts: dict[str, list[str]]
) -> Links:
    """What holds, from what everybody pressed: (comment, edit)."""
    holds: Links = set()
    disputed = set()
    for comment, (first, second) in deciders.items():
        mine, theirs = ({decided[one][comment]} - {"answered"} for one in (first, second))
        kept = mine & theirs
        if decided[first][comment] != decided[second][comment]:
            disputed.add(comment)
            *people, verdict = verdicts[comment]
            assert people == [first, second]
            kept |= {"first": mine, "second": theirs, "both": mine | theirs, "neither": set[str]()}[verdict]
        holds |= {(comment, edit) for edit in kept}
    assert disputed == verdicts.keys() and len(holds) > 10, "what two see differently was decided, and nothing else"
    return holds


# --- what other tools read --------------------------------------------------------------------------------------------


def of_web_annotations(file: Path) -> Links:
    """The links of a page of annotations, by what its IRIs name."""
    found: Links = set()
    items = json.loads(file.read_text(encoding="utf-8"))["items"]
    assert len({item["id"] for item in items}) == len(items), "no two annotations have one name"
    for item in items:
        if item["motivation"] == "linking":
            comment, *edits = (target["id"].split(":") for target in item["target"])
            assert comment[2] == "comment" and {edit[2] for edit in edits} == {"edit"}
            found |= {(comment[3], edit[3]) for edit in edits}
    return found


def of_brat(folder: Path, labels: dict[str, str]) -> Links:
    """The links in the notes of the comments, the words of which are checked against the texts."""
    found: Links = set()
    for file in folder.glob("*.ann"):
        text = file.with_suffix(".txt").read_text(encoding="utf-8")
        for line in file.read_text(encoding="utf-8").splitlines():
            _, what, *words = line.split("\t")
            if what.startswith("Comment "):
                start, end = what.split()[1], what.split()[-1]
                assert text[int(start) : int(end)].split() == " ".join(words).split()
            elif what.startswith("AnnotatorNotes "):
                note = json.loads(*words)
                found |= {(note["identifier"], labels[edit]) for edit in note.get("edits", "").split()}
    return found


def of_cas(folder: Path, labels: dict[str, str]) -> Links:
    """The links of the comments, as dkpro-cassis reads the files."""
    cassis = pytest.importorskip("cassis")
    found: Links = set()
    for file in folder.glob("*.json"):
        cas = cassis.load_cas_from_json(file.read_text(encoding="utf-8"))
        for comment in cas.select("webanno.custom.Comment"):
            assert comment.get_covered_text().strip()
            found |= {(comment.identifier, labels[edit]) for edit in (comment.edits or "").split()}
    return found
