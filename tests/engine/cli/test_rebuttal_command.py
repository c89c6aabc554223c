"""rejoinder rebuttal check and export: what they print, write, and how they end."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.exchange.rebuttals import Rebuttals
from engine.models.library import ModelLibrary
from engine.models.server_language import Server
from engine.operations import identity
from engine.project import Project
from engine.rebuttal.records import Plan
from engine.rebuttal.template_store import PersonalLibrary
from engine.reviews.records import Comment, ReviewBundle, SourceText
from engine.reviews.store import ReviewStore
from tests.engine.models.scripted_server import Script, scripted_server
from tests.hostile import SAMPLE

STATES = ["contradicted", "not-found", "not-checked", "place-found", "supported"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(rejoinder, ["rebuttal", *(str(argument) for argument in arguments)])


def make(path: Path, *replies: str, plan: Plan | None = None) -> Path:
    """A project with two reviewers' comments and these replies, by comment."""
    said = ("Why three?", "Add an ablation.", "Enlarge the figure.")
    text = SourceText("t", "Reviews", "\n".join(said))
    comments = tuple(Comment(f"c{n}", "t", f"Reviewer {1 + n // 2}", words) for n, words in enumerate(said))
    with Project.create(path, "Rebuttal", "Ada") as project:
        ReviewStore(project).import_bundle(ReviewBundle((text,), comments), "reviews.md")
        reader = Rebuttals(project)
        reader.store.set_plan(None, plan or Plan("openreview-5000"))
        for row, reply in zip(reader.read(None).outline.rows, replies, strict=False):
            if reply:
                reader.store.choose_action(None, reader.store.write(None, row.point, reply), "answer")
    return path


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    return make(tmp_path / "begun.rejoinder", "Since two is one too few.", "", "See https://github.com/someone/x.")


def test_check_says_what_is_missing_and_what_gives_authors_away(begun: Path) -> None:
    done = run("check", begun, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["limit"] == {
        "id": "openreview-5000", "unit": "code points", "per_reply": 5000, "per_reviewer": None, "total": None,
        "pages": None,
    }  # fmt: skip
    points = {point["label"]: point for point in found["points"]}
    assert [points[label]["answered"] for label in ("R1.1", "R1.2", "R2.1")] == ["good", "empty", "good"]
    assert points["R1.1"]["spent"] == 25 and points["R1.1"]["action"] == "answer"
    assert found["unanswered"] == 1 and [len(r["posts"]) for r in found["reviewers"]] == [1, 1]
    words = [one["words"] for one in found["findings"] if one["weight"] == "fix"]
    assert any("no response" in said for said in words) and any("github.com/someone" in said for said in words)
    assert found["states"] == dict.fromkeys(STATES, 0) == points["R1.1"]["states"]
    plain = run("check", begun)
    assert plain.exit_code == 1 and "R1.2" in plain.stdout and "fix: 1 comment has no response" in plain.stdout


def test_check_counts_the_five_states_of_claims(tmp_path: Path) -> None:
    path, table = tmp_path / "sample.rejoinder", tmp_path / "matrix.csv"
    shutil.copyfile(SAMPLE, path)
    with Project.open(path) as project:
        reader = Rebuttals(project)
        desk = reader.read(reader.papers.papers()[0].id)
        reader.store.write(desk.paper_id, desk.outline.rows[0].point, "We added Table 99. It took 777.7 hours.")
    done = run("check", path, "--csv", table, "--json")
    found = json.loads(done.stdout)
    assert list(found["states"]) == STATES
    first = found["points"][0]
    assert first["states"] == dict.fromkeys(STATES, 0) | {"not-found": 1, "not-checked": 1}
    assert [claim["state"] for claim in first["claims"]] == ["not-found", "not-checked"]
    for state in STATES:
        assert found["states"][state] == sum(point["states"][state] for point in found["points"])
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["not_found"], row["not_checked"]) for row in rows[:1]] == [("1", "1")]
    assert len(rows) == len(found["points"])
    assert "1 not found · 1 not checked" in run("check", path).stdout


def test_check_lists_tone_and_identity(tmp_path: Path) -> None:
    replies = "The reviewer fails to understand this.", "My PhD thesis shows it.", "It is larger now."
    done = run("check", make(tmp_path / "rude.rejoinder", *replies), "--json")
    words = [one["words"] for one in json.loads(done.stdout)["findings"]]
    assert any("fails to understand" in said for said in words) and any("My PhD thesis" in said for said in words)


@pytest.mark.loopback
def test_check_shows_what_a_model_says_of_undecided_claims_beside_their_states(tmp_path: Path) -> None:
    path, sentence = tmp_path / "sample.rejoinder", "Section 2 now explains how the counters are chosen."
    shutil.copyfile(SAMPLE, path)
    with Project.open(path) as project:
        reader = Rebuttals(project)
        desk = reader.read(reader.papers.papers()[0].id)
        reader.store.write(desk.paper_id, desk.outline.rows[1].point, sentence)
    said = {"judgement": "says otherwise", "reason": "It says where they stand."}
    answers = [json.dumps(said)]
    with scripted_server(Script(lambda _text: answers[-1])) as server:
        ModelLibrary().add_server(Server(server.url), "scripted", "m", 32_768)
        alone, judged, plain = (
            run("check", path, "--json"),
            run("check", path, "--model", "m", "--json"),
            run("check", path, "--model", "m"),
        )
        answers.append("Who knows?")
        with Project.open(path) as project:
            reader = Rebuttals(project)
            row = reader.read(desk.paper_id).outline.rows[1]
            reader.store.write(desk.paper_id, row.point, sentence.replace("chosen", "placed"))
        silent = run("check", path, "--model", "m")

    def claims(done: Result) -> list[dict[str, object]]:
        return [one for point in json.loads(done.stdout)["points"] for one in point["claims"]]

    asked = [one for one in claims(judged) if "model" in one]
    assert {one["claim"] for one in asked} == {"Section 2"}, "neither decided nor without a passage"
    assert all(one["model"] == said | {"model": "m"} for one in asked)
    assert [{k: v for k, v in one.items() if k != "model"} for one in claims(judged)] == claims(alone)
    assert "Section 2: judgement by m: The paper says otherwise. It says where they stand." in plain.stdout
    assert silent.exit_code == 1 and "The model couldn't judge some sentences" in silent.stderr


def test_labels_stay_as_they_were_exported_wherever_one_looks(begun: Path, tmp_path: Path) -> None:
    def labels() -> dict[str, str]:
        return {one["comment_id"]: one["label"] for one in json.loads(run("check", begun, "--json").stdout)["points"]}

    run("export", begun, "--out", tmp_path / "r.md")
    before = labels()
    with Project.open(begun) as project:
        identity.act_as(project, "Ada")
        text = SourceText("u", "Late review", "Say why.")
        late = Comment("c0a", "u", "Reviewer 1", "Say why.", extra=(("follows_comment", "c0"),))
        ReviewStore(project).import_bundle(ReviewBundle((text,), (late,)), "late.md")
        (first,) = (row for row in Rebuttals(project).read(None).outline.rows if row.label == "R1.1")
        ReviewStore(project).set_actionable([first.comment.id], False)
        Rebuttals(project).store.write(None, first.point, "")
    now = labels()
    assert {key: label for key, label in now.items() if key in before} == {k: v for k, v in before.items() if k in now}
    with Project.open(begun):
        held = run("export", begun, "--out", tmp_path / "again.md")
    assert "Comment labels may change later" in held.stderr


def test_a_finished_rebuttal_passes_and_leaves_in_every_form(tmp_path: Path) -> None:
    path = make(tmp_path / "done.rejoinder", "Since two is one too few.", "We ran one.", "It is larger now.")
    assert run("check", path).exit_code == 0
    for form, name in (
        ("letter", "r.md"),
        ("latex", "r.tex"),
        ("docx", "r.docx"),
        ("pdf", "r.pdf"),
        ("notes", "r.json"),
    ):
        out = tmp_path / name
        done = run("export", path, "--form", form, "--out", out, "--json")
        heard = json.loads(done.stdout)
        assert heard["files"] == [str(out)] and out.stat().st_size > 100
        assert done.exit_code == bool(heard["loss"]) == (form == "notes"), "only notes lack what the venue knows"
    assert "We ran one." in (tmp_path / "r.md").read_text(encoding="utf-8")
    posts = tmp_path / "posts"
    done = run("export", path, "--form", "posts", "--out", posts, "--json")
    assert len(json.loads(done.stdout)["files"]) == 2 and len(list(posts.iterdir())) == 2


def test_what_is_open_is_said_when_it_leaves(begun: Path, tmp_path: Path) -> None:
    done = run("export", begun, "--out", tmp_path / "r.md", "--json")
    assert done.exit_code == 1 and json.loads(done.stdout)["loss"]


def test_a_project_without_comments_or_of_another_paper_is_refused(begun: Path, tmp_path: Path) -> None:
    Project.create(tmp_path / "empty.rejoinder", "Empty", "Ada").close()
    nothing = run("check", tmp_path / "empty.rejoinder")
    assert isinstance(nothing.exception, BadInput) and "There are no comments to answer" in str(nothing.exception)
    other = run("check", begun, "--paper", "Tides")
    assert isinstance(other.exception, BadInput) and "Tides" in str(other.exception)


@pytest.mark.parametrize("form", ["letter", "latex", "docx"])
def test_a_letter_that_went_out_comes_in_again(tmp_path: Path, form: str) -> None:
    written = make(tmp_path / "one.rejoinder", "Since two is **one** too few.", "Done, see Table 2.", "It is larger.")
    out = tmp_path / f"letter.{ {'letter': 'md', 'latex': 'tex', 'docx': 'docx'}[form] }"
    assert run("export", written, "--form", form, "--out", out).exit_code == 0
    other = make(tmp_path / "two.rejoinder", "", "Something else.")
    done = run("import", other, out, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout) == {
        "taken": 2, "left": ["R1.2"], "unmatched": [], "not_found": [], "warnings": []
    }  # fmt: skip
    done = run("import", other, out, "--over")
    assert done.exit_code == 0 and done.stdout.startswith("1 imported")
    with Project.open(other, read_only=True) as project:
        project.annotator_id = next(key for key, name in project.annotators() if name == "Ada")
        found = [row.point.text for row in Rebuttals(project).read(None).outline.rows]
    assert found == ["Since two is **one** too few.", "Done, see Table 2.", "It is larger."]
    less = make(tmp_path / "three.rejoinder", "Since two is **one** too few.")
    assert run("export", less, "--form", form, "--out", out).exit_code == 1
    done = run("import", other, out, "--json")
    assert json.loads(done.stdout)["not_found"] == ["R1.2", "R2.1"]
    silent = tmp_path / "silent.md"
    silent.write_text("Dear editor,\n\nplease find our paper attached.\n", encoding="utf-8")
    done = run("import", other, silent)
    assert done.exit_code == 1 and done.stdout.startswith("0 imported"), "a letter without a response"


def test_pages_are_measured_where_they_are_limited(tmp_path: Path) -> None:
    short = make(tmp_path / "short.rejoinder", "By hand.", "We added it.", "It is larger.", plan=Plan("neurips-page"))
    done = run("check", short, "--json")
    found = json.loads(done.stdout)
    assert found["limit"]["pages"] == 1 and 0 < found["pages"] < 0.5
    assert "pages   0." in run("check", short).stdout
    out = tmp_path / "page.pdf"
    assert run("export", short, "--form", "page", "--out", out).exit_code == 0 and out.read_bytes().startswith(b"%PDF")


def test_templates_are_offered_where_one_fits(begun: Path) -> None:
    done = run("templates", begun, "--json")
    assert done.exit_code == 0, done.output
    offers = {one["label"]: one for one in json.loads(done.stdout)["comments"]}
    assert offers["R1.2"]["template"] == "template:starter/experiment-done"
    assert offers["R1.2"]["why"] == "for requests to add an experiment or analysis"
    assert offers["R2.1"]["template"] is None
    assert offers["R2.1"]["text"] == "> Enlarge the figure.\n\nWe {change}; see {section}."
    assert "no template fits" in run("templates", begun).stdout

    own = PersonalLibrary().keep("We did enlarge the figure in {section}.", "answer")
    offers = {one["label"]: one for one in json.loads(run("templates", begun, "--json").stdout)["comments"]}
    assert offers["R2.1"]["template"] == own.source
    library = PersonalLibrary().path
    library.write_text(library.read_text(encoding="utf-8").replace('"answer"', '"juggling"'), encoding="utf-8")
    done = run("templates", begun)
    assert (
        done.exit_code == 0 and "Your own templates are left out" in done.stderr and "no template fits" in done.stdout
    )
