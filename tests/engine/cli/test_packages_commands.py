"""``rejoinder project packages``: a lead deals, people open, decide and send back, and the lead sees how it goes."""

from __future__ import annotations

import json
from pathlib import Path

from engine.packages.store import WorkStore
from engine.project import Project
from engine.project.invariants import violations
from tests.command_line import rejoinder
from tests.engine.operations.packaged import Person, lead_project


def test_a_round_from_dealing_to_status(tmp_path: Path) -> None:
    path, out = tmp_path / "lead.rejoinder", tmp_path / "out"
    with lead_project(path) as project:
        package = next(iter(WorkStore(project).packages()), None)
        assert package is None
        project.set_annotator("Lea")
        decide(project)
    guidelines = tmp_path / "guidelines.md"
    guidelines.write_text("# How to decide\nRead all.", encoding="utf-8")
    deal = ("project", "packages", "create", path, "--task", "sentences", "--out", out, "--overlap", "1", "--json")
    people = ("--person", "Ann", "--person", "Ben", "--training", "1", "--guidelines", guidelines, "--annotator", "Lea")
    done = rejoinder(*deal, *people)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert [one["person"] for one in made["packages"]] == ["Ann", "Ben"] and made["task"] == "sentences"
    results = []
    for one in made["packages"]:
        opened = json.loads(rejoinder("project", "packages", "open", one["file"], "--json").stdout)
        assert (opened["person"], opened["role"], opened["items"]) == (one["person"], "annotator", one["items"])
        before = json.loads(rejoinder("project", "packages", "feedback", opened["path"], "--json").stdout)
        assert [found["known"] for found in before] == [None], "what is right is not given away"
        with Project.open(opened["path"]) as package:
            own = WorkStore(package).own()
            assert own is not None and own[0].guidelines.startswith("# How to decide")
            package.annotator_id = own[1].annotator_id
            person = Person(package, *own)
            for number in range(3):
                person.decide(number, 1 if one["person"] == "Ann" else 2 * number)
        after = rejoinder("project", "packages", "feedback", opened["path"])
        assert "1 correct" in after.stdout or "0 of 1 correct" in after.stdout
        sent = json.loads(rejoinder("project", "packages", "results", opened["path"], "--json").stdout)
        assert sent["decisions"] == 3
        results.append(sent["path"])
    previewed = rejoinder("project", "packages", "import", path, *results)
    assert previewed.returncode == 1 and "3 new" in previewed.stdout
    done = rejoinder("project", "packages", "import", path, *results, "--yes", "--json")
    assert done.returncode == 0 and [one["added"] for one in json.loads(done.stdout)["files"]] == [3, 3]
    status = json.loads(rejoinder("project", "packages", "status", path, "--json").stdout)
    ann, ben = status["people"]
    assert (ann["person"], ann["decided"], ann["trained"], ann["training"]) == ("Ann", 2, 1, 1)
    assert ann["agreed"]["n"] == ben["agreed"]["n"] > 0 and ann["agreed"]["value"] == ben["agreed"]["value"]
    assert "Ann (annotator): 2 of" in rejoinder("project", "packages", "status", path).stdout
    again = rejoinder("project", "packages", "rewrite", path, "--person", "Ben", "--out", tmp_path / "again", "--json")
    (written,) = json.loads(again.stdout)["packages"]
    assert Path(written["file"]).parent == tmp_path / "again" and Path(written["file"]).is_file()
    assert (written["person"], written["items"]) == ("Ben", made["packages"][1]["items"])
    refused = rejoinder("project", "packages", "import", path, guidelines, "--yes")
    assert refused.returncode == 1 and "isn't a results file" in refused.stdout + refused.stderr
    with Project.open(path) as project:
        assert violations(project) == ()


def decide(project: Project) -> None:
    """The lead labels the first sentence of every review, as examples for the training set."""
    from engine.operations.packages import items_of
    from engine.reviews.labels.store import LabelStore
    from engine.reviews.records import Span

    for item in list(items_of(project, "sentences"))[:3]:
        source, start, end = item.split(":")
        LabelStore(project).set_label(source, Span(int(start), int(end)), "polarity", ["negative"])


def test_a_wrong_call_is_one_line(tmp_path: Path) -> None:
    with lead_project(tmp_path / "lead.rejoinder"):
        pass
    path = tmp_path / "lead.rejoinder"
    for call, words in (
        (("create", path, "--person", "Ann", "--out", tmp_path / "out", "--overlap", "0.5"), "people are needed"),
        (("create", path, "--person", "Ann", "--out", tmp_path / "out", "--training", "9"), "training set"),
        (("create", path, "--person", "Ann", "--out", tmp_path / "out", "--role", "observer"), "no such round"),
        (("status", path), "no such round"),
        (("rewrite", path, "--person", "Ann", "--out", tmp_path / "out"), "no such round"),
        (("results", path), "isn't a work package"),
        (("open", path), "isn't a complete work package"),
    ):
        done = rejoinder("project", "packages", *call)
        assert done.returncode == 2 and words in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not list((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else True


def test_who_gets_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "lead.rejoinder"
    with lead_project(path) as project:
        project.set_annotator("Lea")
    people = [part for name in ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay") for part in ("--person", name)]
    deal = ("project", "packages", "create", path, "--task", "reviews", *people, "--json")
    done = rejoinder(*deal, "--out", tmp_path / "out")
    without = [one["person"] for one in json.loads(done.stdout)["packages"] if not one["items"]]
    assert without and f"No items for {', '.join(without)}: there are fewer than people." in done.stderr
    assert "No items" not in rejoinder(*deal, "--out", tmp_path / "all", "--overlap", "1").stderr
