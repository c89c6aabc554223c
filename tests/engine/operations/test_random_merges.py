"""Whatever two people did in copies of a project: it merges, and every invariant holds of the result."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from engine.documents.store import DocumentStore
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.project.invariants import violations
from engine.project.merge import _OWN, MergeReport, merge_files, merge_into
from engine.project.tables import columns_of
from tests.engine.operations.random_acts import Acts, contents, make

OPERATIONS = ["remove", "remove comments", "merge", "replace", "move", "relabel", "address", "add version"]
NAMES = sorted(Acts(None).verbs) + 3 * OPERATIONS  # type: ignore[arg-type]
NUMBERS = st.integers(0, 11)
ACTS = st.lists(st.tuples(st.sampled_from(NAMES), NUMBERS, NUMBERS), min_size=1, max_size=7)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("random") / "filled.rejoinder"
    make(path)
    return path


def copy_with(filled: Path, path: Path, annotator: str, acts: list[tuple[str, int, int]]) -> Path:
    shutil.copyfile(filled, path)
    with Project.open(path, annotator=annotator) as project:
        player = Acts(project)
        for act in acts:
            player.do(*act)
        assert violations(project) == ()
    return path


@given(mine=ACTS, theirs=ACTS)
# Both add another PDF as the same version.
@example(mine=[("add version", 2, 4)], theirs=[("add version", 2, 11)])
# A review is moved in one file and links are made for its comments in the other.
@example(mine=[("move", 10, 8)], theirs=[("suggest", 11, 9), ("link", 8, 0), ("link", 9, 1), ("link", 10, 2)])
@example(mine=[("link", 8, 0), ("link", 9, 1), ("link", 10, 2), ("reply", 8, 1)], theirs=[("move", 10, 8)])
# Work comes to be on another comparison in one file, and the other has some there already.
@example(
    mine=[("suggest", 11, 11), ("replace", 8, 1), ("relabel", 9, 3), ("state", 7, 4), ("relabel", 10, 5)],
    theirs=[("merge", 10, 1), ("address", 8, 11)],
)
# The same person writes the same opening in both.
@example(mine=[("be", 0, 0), ("opening", 0, 2)], theirs=[("be", 0, 0), ("opening", 0, 2)])
@settings(
    max_examples=40, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_invariants_hold_after_any_merge(
    filled: Path,
    tmp_path_factory: pytest.TempPathFactory,
    mine: list[tuple[str, int, int]],
    theirs: list[tuple[str, int, int]],
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    first = copy_with(filled, folder / "mine.rejoinder", "Ada", mine)
    second = copy_with(filled, folder / "theirs.rejoinder", "Cy", theirs)
    with Project.open(first, annotator="Ada") as project:
        before = contents(project)
        report = merge_into(project, second)
        assert violations(project) == ()
        changed = {table for table, rows in contents(project).items() if rows != before[table]} - {"merge_conflict"}
        assert changed <= {*report.added, *report.updated, *report.removed}
        kept = {row[0] for row in project.query("SELECT row_id FROM merge_conflict")}
        assert {conflict.row_id for conflict in report.conflicts} == kept
        if report.rows or kept:
            project.undo()
        assert contents(project) == before
    shutil.rmtree(folder)


def _said(project: Project) -> dict[str, list[str]]:
    """What all human work says; what was deleted and made again may keep its old key."""
    found = {}
    for name in contents(project):
        columns = [column for column in columns_of(name).names if column not in {"id", "created_at", "updated_at"}]
        found[name] = sorted(str(tuple(row)) for row in project.query(f'SELECT {", ".join(columns)} FROM "{name}"'))
    return found


def _documents(project: Project) -> dict[str, str]:
    """The key of each PDF, by its content."""
    return {str(row[0]): str(row[1]) for row in project.query("SELECT sha256, id FROM document")}


def _counts(project: Project) -> dict[str, int]:
    """How many rows each table has that files share."""
    names = [row[0] for row in project.query("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {
        name: project.query(f'SELECT count(*) FROM "{name}"')[0][0]
        for name in names
        if name not in _OWN | {"sqlite_stat1"}
    }


@given(acts=st.lists(st.tuples(st.sampled_from(sorted({*NAMES} - {"undo", "redo", "go to"})), NUMBERS, NUMBERS)))
@example(acts=[("suggest", 1, 1), ("rename", 0, 0), ("remove", 1, 2)])
# What is split is written again under the same numbers.
@example(acts=[("split", 0, 0)])
@settings(
    max_examples=12, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_what_one_person_did_alone_is_taken_whole(
    filled: Path, tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("alone")
    mine = Path(shutil.copyfile(filled, folder / "mine.rejoinder"))
    theirs = copy_with(filled, folder / "theirs.rejoinder", "Cy", acts)
    done: list[float] = []
    with Project.open(mine, annotator="Ada") as project, Project.open(theirs, read_only=True) as other:
        known, added = _documents(project), _documents(other)
        # A PDF that was removed and added again is the one that is here, with its old place and who added it.
        assume(all(known.get(content, key) == key for content, key in added.items()))
        report = merge_into(project, theirs, progress=done.append)
        assert report.conflicts == () and _said(project) == _said(other)
        ours = _counts(project)
        assert all(count <= ours[table] for table, count in _counts(other).items())
        assert done == sorted(done) and done[0] >= 0 and done[-1] <= 1
        assert merge_into(project, theirs).rows == 0
    shutil.rmtree(folder)


def _with_pdf(filled: Path, path: Path, pdf: bytes) -> Path:
    shutil.copyfile(filled, path)
    with Project.open(path, annotator="Ada") as project:
        papers = PaperStore(project)
        with project.action("Add PDF"):
            document = DocumentStore(project).add_document(pdf, path.name)
            papers.add_version(papers.papers()[0].id, document, "camera-ready")
    return path


def test_two_pdfs_that_were_added_as_the_same_version_both_stay_and_are_told_apart(
    filled: Path, tmp_path: Path
) -> None:
    paths = [_with_pdf(filled, tmp_path / f"{n}.rejoinder", b"%PDF-1.7 camera " + bytes([n + 65])) for n in range(3)]
    report: MergeReport = merge_files(paths[0], paths[1], tmp_path / "two.rejoinder")
    assert not report.conflicts and report.added["paper_version"] == 1
    assert "“camera-ready (2)”" in report.notes[0] and "1.rejoinder" in report.notes[0]
    merge_files(tmp_path / "two.rejoinder", paths[2], tmp_path / "three.rejoinder")
    with Project.open(tmp_path / "three.rejoinder", annotator="Ada") as project:
        papers = PaperStore(project)
        versions = papers.versions(papers.papers()[0].id)
        names = ["camera-ready", "camera-ready (2)", "camera-ready (3)"]
        assert [v.label for v in versions] == [SUBMITTED, REVISED, *names]
        assert [v.filename for v in versions[2:]] == ["0.rejoinder", "1.rejoinder", "2.rejoinder"]
        assert violations(project) == ()
        assert merge_into(project, paths[1]).rows == 0, "the same file again brings nothing"
    assert not merge_files(paths[0], paths[0].with_name("two.rejoinder"), tmp_path / "back.rejoinder").conflicts


def test_a_pdf_that_was_removed_and_added_again_is_the_one_that_is_here(filled: Path, tmp_path: Path) -> None:
    mine = Path(shutil.copyfile(filled, tmp_path / "mine.rejoinder"))
    theirs = copy_with(filled, tmp_path / "theirs.rejoinder", "Cy", [("remove", 0, 0), ("add version", 0, 0)])
    with Project.open(mine, annotator="Ada") as project, Project.open(theirs, read_only=True) as other:
        known = _documents(project)
        assert known != _documents(other) and known.keys() == _documents(other).keys()
        assert merge_into(project, theirs).conflicts == () and violations(project) == ()
        assert _documents(project) == known and merge_into(project, theirs).rows == 0
