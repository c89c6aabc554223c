"""A shared copy holds what was chosen and, byte by byte, nothing else; it opens, exports and merges back."""

from __future__ import annotations

import getpass
import json
import platform
import stat
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.operations.share import ALWAYS, NEVER, PARTS, Choice, default_choice, described, share, without_paths
from engine.papers.store import PaperStore
from engine.project import Project
from engine.project.merge import merge_into
from tests.engine.operations.marked_project import World, fill, found_bytes, tables
from tests.engine.operations.test_erase import key_of
from tests.engine.renaming import rename_paper

EVERYTHING = frozenset(part.id for part in PARTS)


def make(path: Path) -> tuple[Project, World, World]:
    """An open project with two worlds: that of its user, and that of another annotator with a paper of their own."""
    project = Project.create(path, "A study", "Ada")
    mine, other = World("mine", key_of(project, "Märk of mine")), World("other", key_of(project, "Märk of other"))
    for world in (other, mine):
        project.annotator_id = world.annotator
        fill(project, world)
    return project, mine, other


def test_every_table_is_in_a_part(tmp_path: Path) -> None:
    """A new table must say in which part it is, or that it is in every copy or in none."""
    with Project.create(tmp_path / "p.rejoinder") as project:
        rows = project.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    declared = [table for part in PARTS for table in part.tables]
    assert sorted([*declared, *ALWAYS, *NEVER]) == sorted(row[0] for row in rows)


@pytest.mark.parametrize("left_out", [part.id for part in PARTS if part.tables])
def test_what_is_left_out_is_not_in_the_bytes_and_the_rest_is(left_out: str, tmp_path: Path) -> None:
    project, mine, _ = make(tmp_path / "study.rejoinder")
    folder = tmp_path / "out"
    folder.mkdir()
    with project:
        written = share(project, folder / "copy.rejoinder", Choice(parts=EVERYTHING - {left_out, "survey"}))
    part = next(part for part in PARTS if part.id == left_out)
    found = found_bytes([folder], mine)
    assert not set(found) & set(part.tables) and not set(written) & set(part.tables)
    assert "paper" in found and "content" in found
    marks = [mark for names in found.values() for mark in names]
    assert not any("-act-" in mark for mark in marks)
    with Project.open(folder / "copy.rejoinder", read_only=True) as copy:
        assert copy.check() == () and copy.history() == ()
        assert stat.S_IMODE(copy.path.stat().st_mode) == 0o600


def test_the_default_copy_is_what_a_co_author_needs(tmp_path: Path) -> None:
    project, mine, other = make(tmp_path / "study.rejoinder")
    folder = tmp_path / "out"
    folder.mkdir()
    account = key_of(project, getpass.getuser())
    with project:
        project.annotator_id = account
        (paper,) = mine.keys["paper"]
        with project.action("Notes and paths") as act:
            act.execute(
                "UPDATE rebuttal_point SET text = ? WHERE id = ?",
                (
                    f"{mine.mark('kept', 'said')}\n%% {mine.mark('private', 'co-author')}",
                    mine.keys["rebuttal_point"][0],
                ),
            )
            path_name = f"import:/home/{mine.mark('private', 'folder')}/review.txt"
            act.execute("UPDATE source_text SET origin = ?", (path_name,))
            act.execute("UPDATE rebuttal_plan SET names = ?", (json.dumps([mine.mark("private", "person")]),))
            act.execute("UPDATE edit_link SET note = ?, annotator_id = ?", (mine.mark("private", "note"), account))
        choice = Choice(papers=(paper,), anonymous=True)
        assert default_choice(project).parts == choice.parts and default_choice(project).anonymous
        done: list[float] = []
        share(project, folder / "copy.rejoinder", choice, done.append)
        assert done == sorted(done) and done[0] == 0 and done[-1] <= 1
    found = found_bytes([folder], mine)
    default = {table for part in PARTS if part.default for table in part.tables}
    # These have no text but notes, or hang on suggestions, which stay behind.
    without = {"comment_state", "comment_span", "edit_analysis", "dismissed_edit"}
    assert set(found) == ((default | ALWAYS | {"content", "kept"}) & {*mine.marks, "content"}) - without
    texts = " ".join(mark for names in found.values() for mark in names)
    assert "-note-" not in texts and "-act-" not in texts and "-person-" not in texts
    theirs = found_bytes([folder], other)
    assert set(theirs) <= {"rebuttal_template"}, theirs
    traces = World("trace", "", marks={"names": {"Märk of mine", "Märk of other", str(tmp_path)}})
    traces.marks["host"] = {platform.node()} if len(platform.node()) > 3 else set()
    assert found_bytes([folder], traces) == {}
    with Project.open(folder / "copy.rejoinder", annotator="Grace") as copy:
        names = {name for _, name in copy.annotators()}
        assert getpass.getuser() not in names and "Annotator 1" in names
        assert copy.query("SELECT DISTINCT origin FROM source_text")[0][0] == "import:review.txt"
        assert [paper.id for paper in PaperStore(copy).papers()] == [paper]


def test_accounts_and_addresses_of_servers_stay_behind_also_where_names_are_kept(tmp_path: Path) -> None:
    project, *_ = make(tmp_path / "study.rejoinder")
    server = "http://gpu.example:8000/v1"
    with project:
        project.annotator_id = key_of(project, getpass.getuser())
        PaperStore(project).add_paper("Of the account")
        with project.results("Run") as write:
            write.execute("UPDATE review_run SET model = ?, origin = ?", (f"{server} m", f"model:{server} m@m"))
            write.execute("UPDATE review_stage_run SET problem = ?", (f"No server is responding at {server}.",))
        share(project, tmp_path / "copy.rejoinder", Choice(parts=EVERYTHING))
    with Project.open(tmp_path / "copy.rejoinder", read_only=True) as copy:
        assert {tuple(row) for row in copy.query("SELECT model, origin FROM review_run")} == {("… m", "model:… m@m")}
        assert copy.query("SELECT problem FROM review_stage_run")[0][0] == "No server is responding at …."
        names = {name for _, name in copy.annotators()}
        assert {"Märk of mine", "Annotator 1"} <= names and getpass.getuser() not in names


def test_others_work_can_stay_behind(tmp_path: Path) -> None:
    project, mine, other = make(tmp_path / "study.rejoinder")
    folder = tmp_path / "out"
    folder.mkdir()
    with project:
        project.annotator_id = mine.annotator
        share(project, folder / "copy.rejoinder", Choice(parts=EVERYTHING - {"others"}))
    work = {"edit_link", "comment_state", "rebuttal_point", "review_field", "preference_judgement", "anchor"}
    assert not set(found_bytes([folder], other)) & work
    assert work - set(found_bytes([folder], mine)) == set()


def test_pdfs_can_stay_behind_and_the_paragraphs_go(tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "resources" / "sample" / "sample.rejoinder"
    with Project.open(source, read_only=True) as sample:
        share(sample, tmp_path / "copy.rejoinder", Choice(parts=EVERYTHING - {"pdfs"}))
        pdf = bytes(sample.query("SELECT bytes FROM blob LIMIT 1")[0][0])
    content = (tmp_path / "copy.rejoinder").read_bytes()
    assert all(pdf[start : start + 64] not in content for start in range(1000, len(pdf) - 64, 5_000))
    with Project.open(tmp_path / "copy.rejoinder") as copy:
        assert copy.check() == ()
        assert copy.query("SELECT count(*) FROM parsed_document")[0][0] == 2


def test_a_copy_can_be_exported(tmp_path: Path) -> None:
    """The links and the rebuttal come out of the copy as they come out of the project."""
    from tests.command_line import rejoinder

    source = Path(__file__).parents[3] / "resources" / "sample" / "sample.rejoinder"
    with Project.open(source, read_only=True) as sample:
        share(sample, tmp_path / "copy.rejoinder", Choice(parts=default_choice(sample).parts | {"suggestions"}))
    for command in ("coverage", "rebuttal check"):
        texts = []
        for path in (source, tmp_path / "copy.rejoinder"):
            done = rejoinder(*command.split(), path)
            assert done.returncode in (0, 1), done.stderr
            texts.append(done.stdout)
        assert texts[0] == texts[1] != ""


def test_a_copy_merges_back(tmp_path: Path) -> None:
    """What was changed in the copy comes back, what was left out of it stays, and only true conflicts are reported."""
    project, mine, _ = make(tmp_path / "study.rejoinder")
    with project:
        share(project, tmp_path / "copy.rejoinder", default_choice(project))
        before = {t: project.query(f"SELECT count(*) FROM {t}")[0][0] for t in tables(project)}
        assert merge_into(project, tmp_path / "copy.rejoinder").rows == 0
        assert project.query("SELECT count(*) FROM merge_conflict")[0][0] == before["merge_conflict"]
        (paper,), (point,), (link,) = (mine.keys[t] for t in ("paper", "rebuttal_point", "edit_link"))
        with Project.open(tmp_path / "copy.rejoinder", annotator="Grace") as copy:
            rename_paper(copy, paper, "A title by the co-author")
            PaperStore(copy).add_paper("A paper by the co-author")
            with copy.action("Change a link whose note was left out") as act:
                act.execute("UPDATE edit_link SET confidence = 0.25 WHERE id = ?", (link,))
        report = merge_into(project, tmp_path / "copy.rejoinder")
        assert dict(report.added) == {"paper": 1} and dict(report.updated) == {"paper": 1}
        assert [(c.table, c.row_id) for c in report.conflicts] == [("edit_link", link)]
        assert report.annotators == ("Grace",)
        after = {t: project.query(f"SELECT count(*) FROM {t}")[0][0] for t in tables(project)}
        assert after == before | {"paper": before["paper"] + 1, "merge_conflict": before["merge_conflict"] + 1}
        assert project.query("SELECT text FROM rebuttal_point WHERE id = ?", (point,))[0][0]
        project.undo()
        assert {t: project.query(f"SELECT count(*) FROM {t}")[0][0] for t in tables(project)} == before


def test_nothing_is_overwritten_and_unknown_parts_are_refused(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder") as project:
        (tmp_path / "there.rejoinder").write_text("mine")
        with pytest.raises(BadInput, match="already exists"):
            share(project, tmp_path / "there.rejoinder", Choice())
        with pytest.raises(BadInput, match="no part"):
            share(project, tmp_path / "new.rejoinder", Choice(parts=frozenset({"everything"})))
    assert (tmp_path / "there.rejoinder").read_text() == "mine"
    assert sorted(file.name for file in tmp_path.glob("*.rejoinder")) == ["p.rejoinder", "there.rejoinder"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("import:/home/ada/papers/review.txt", "import:review.txt"),
        (r"import:C:\Users\Ada Lovelace\review.txt", "import:review.txt"),
        ("import:~/My files/review.txt", "import:review.txt"),
        ('{"model": "/data/models/own model/v1"}', '{"model": "v1"}'),
        ("model:frames@1", "model:frames@1"),
        ("model:and/or@1", "model:and/or@1"),
        ("import:review.txt", "import:review.txt"),
    ],
)
def test_paths_are_cut_to_the_name(text: str, left: str) -> None:
    assert without_paths(text) == left


@pytest.mark.parametrize("anonymous", [False, True])
def test_annotators_are_numbered_in_order_past_names_that_are_taken(tmp_path: Path, anonymous: bool) -> None:
    names = ["Zoë", "Annotator 1", getpass.getuser(), "Annotator 3"]
    with Project.create(tmp_path / "p.rejoinder", "P", names[0]) as project:
        for name in names:
            project.set_annotator(name)
            PaperStore(project).add_paper(name)
        share(project, tmp_path / "copy.rejoinder", Choice(anonymous=anonymous))
    with Project.open(tmp_path / "copy.rejoinder", read_only=True) as copy:
        found = [name for _, name in copy.annotators()]
    numbered = ["Annotator 2", "Annotator 4", "Annotator 5", "Annotator 6"]
    assert found == (numbered if anonymous else ["Zoë", "Annotator 1", "Annotator 2", "Annotator 3"])


def test_a_copy_is_described() -> None:
    written = {"paper": 1, "source_text": 2, "comment": 1234, "edit": 9}
    assert described(written, Choice(parts=EVERYTHING)) == (
        "The copy contains 1 paper, 2 reviews and letters, 1,234 comments and no history.",
    )
    assert described({}, Choice(parts=EVERYTHING - {"pdfs", "rebuttal"})) == (
        "The copy contains no papers and no history.",
        f"Left out: {'; '.join(part.title for part in PARTS if part.id in {'pdfs', 'rebuttal'})}.",
    )


def test_the_rows_that_were_written_are_counted(tmp_path: Path) -> None:
    project, *_ = make(tmp_path / "study.rejoinder")
    with project:
        reported: list[float] = []
        written = share(project, tmp_path / "copy.rejoinder", Choice(parts=EVERYTHING), reported.append)
    assert len(reported) > 20 and reported == sorted(reported) and reported[0] == 0 and reported[-1] <= 1
    assert len([share for share in reported if share < 0.5]) > 20, "in small steps"
    with Project.open(tmp_path / "copy.rejoinder", read_only=True) as copy:
        there = {table: copy.query(f'SELECT count(*) FROM "{table}"')[0][0] for table in tables(copy)}
    assert written == {table: n for table, n in there.items() if n and table not in NEVER} | {"annotator": 2}
    assert written["blob"] > 0 and written["parsed_document"] > 0
