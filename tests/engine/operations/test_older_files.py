"""What older versions wrote merges: results of work packages, packages that people still work on, and project files.

``tests/archive/packages-NNNN.tar.xz`` was written by the program as it was with that schema: a lead's project with two
rounds, results of Ann (twice) and Cem, Ben's package, and a copy of the project in which Eve worked.
"""

from __future__ import annotations

import shutil
import tarfile
from itertools import permutations
from pathlib import Path

import pytest

from engine.agreement.store import AgreementStore
from engine.operations.decisions import followed
from engine.operations.packages import open_package
from engine.operations.results import FileReport, import_results, outgoing
from engine.packages.store import WorkStore
from engine.papers.store import PaperStore
from engine.project import Project
from engine.project.database import schema_of
from engine.project.invariants import violations
from engine.project.merge import merge_files, merge_into
from engine.project.migrations import latest_version
from tests.engine.operations.packaged import Person
from tests.engine.project.test_migrations import ARCHIVE
from tests.engine.renaming import rename_paper

WITH_PACKAGES = (10, 11)
RESULTS = ("ann-1", "ann-2", "cem")


@pytest.fixture(params=WITH_PACKAGES)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE / f"packages-{request.param:04d}.tar.xz") as archive:
        archive.extractall(tmp_path / "old", filter="data")
    assert schema_of(tmp_path / "old" / "lead.rejoinder") == request.param
    return tmp_path / "old"


def decided(project: Project) -> dict[str, list[tuple[object, ...]]]:
    """Everything that people decided, without the keys of rows and the times at which they came in."""
    columns = {
        "edit_link": "comment_id, edit_id, annotator_id, note", "comment_state": "comment_id, annotator_id, state",
        "sentence_label": "source_id, start_offset, layer, labels, annotator_id", "comment": "id",
    }  # fmt: skip
    return {t: sorted(tuple(row) for row in project.query(f"SELECT {c} FROM {t}")) for t, c in columns.items()}


def imported(old: Path, names: tuple[str, ...]) -> tuple[dict[str, list[tuple[object, ...]]], list[FileReport]]:
    path = old / f"{'-'.join(names)}.rejoinder"
    shutil.copyfile(old / "lead.rejoinder", path)
    with Project.open(path, annotator="Lea") as project:
        found = [import_results(project, [old / f"{name}.rejoinder-results"])[0] for name in names]
        assert violations(project) == ()
        return decided(project), found


def test_results_of_an_older_version_merge_in_any_order_and_twice(old: Path) -> None:
    expected, reports = imported(old, RESULTS)
    assert [one.status for one in reports] == ["new", "new", "new"]
    assert reports[0].added and reports[1].removed and reports[2].added, reports
    for order in permutations(RESULTS):
        found, reports = imported(old, (*order, *order[:2]))
        assert found == expected, order
        assert not any(one.added or one.changed or one.removed for one in reports[3:])
        assert ("older" in {one.status for one in reports}) == (order.index("ann-1") > order.index("ann-2"))


def test_an_older_package_is_worked_on_in_this_version_and_comes_back(old: Path) -> None:
    path, _ = open_package(old / "ben.rejoinder-package")
    with Project.open(path) as project:
        own = WorkStore(project).own()
        assert own is not None
        project.annotator_id = own[1].annotator_id
        person = Person(project, *own)
        person.links.on_screen = lambda _comment: False
        for number in range(6):
            person.decide(number, number)
        results = path.with_suffix(".rejoinder-results")
        results.write_bytes(outgoing(project).file.content)
    assert schema_of(path) == latest_version()
    with Project.open(old / "lead.rejoinder", annotator="Lea") as project:
        (report,) = import_results(project, [results])
        assert report.status == "new" and report.added and not report.left_out
        assert {row[0] for row in project.query(
            "SELECT suggested FROM comment_state s JOIN annotator a ON a.id = s.annotator_id WHERE a.name = 'Ben'"
        )} == {0}, "that nothing was suggested came back, too"  # fmt: skip


@pytest.mark.parametrize("brought_up", [False, True])
def test_an_older_project_merges_and_stays_as_it_is(old: Path, brought_up: bool) -> None:
    lead, eve, out = old / "lead.rejoinder", old / "eve.rejoinder", old / "out.rejoinder"
    if brought_up:
        Project.open(lead, annotator="Lea").close()
    before = {path: path.read_bytes() for path in (lead, eve)}
    report = merge_files(lead, eve, out)
    assert report.conflicts == () and report.annotators == ("Eve",) and report.added["edit_link"] == 1
    assert {path: path.read_bytes() for path in (lead, eve)} == before
    assert schema_of(out) == latest_version()
    with Project.open(out, annotator="Lea") as project:
        assert [row[0] for row in project.query("SELECT note FROM edit_link WHERE note = 'Eve''s own'")]
        assert PaperStore(project).papers()[0].title == "Renamed in the copy"
        assert violations(project) == () and not project.check()
        project.undo()
        assert not project.query("SELECT 1 FROM edit_link WHERE note = 'Eve''s own'")
    with Project.open(lead, annotator="Lea") as project:
        assert merge_into(project, eve).added == report.added
        assert merge_into(project, eve).rows == 0, "once is enough"
    assert eve.read_bytes() == before[eve]


def test_decisions_from_before_have_no_record_of_suggestions(old: Path) -> None:
    with Project.open(old / "lead.rejoinder", annotator="Lea") as project:
        AgreementStore(project)
        assert {one.shown for of in ("links", "labels") for one in followed(project, of)} <= {None}


@pytest.mark.parametrize("version", range(1, latest_version()))
def test_a_file_of_every_schema_merges_with_a_newer_copy_of_it(version: int, tmp_path: Path) -> None:
    archived, newer = ARCHIVE / f"schema-{version:04d}.rejoinder", tmp_path / "newer.rejoinder"
    shutil.copyfile(archived, newer)
    with Project.open(newer, annotator="Archivist") as project:
        (paper,) = PaperStore(project).papers()
        rename_paper(project, paper.id, "Renamed since")
        PaperStore(project).add_paper("Another paper")
    for first, second in ((newer, archived), (archived, newer)):
        out = tmp_path / f"{first.stem}-first.rejoinder"
        assert merge_files(first, second, out).conflicts == ()
        with Project.open(out, read_only=True) as project:
            titles = [one.title for one in PaperStore(project).papers()]
            assert sorted(titles) == ["Another paper", "Renamed since"]
            assert violations(project) == ()
