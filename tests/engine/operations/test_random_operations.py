"""Whatever is done, undone and done again: every invariant holds, and undo brings back exactly what was there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.project import Project
from engine.project.invariants import violations
from tests.engine.operations.random_acts import Acts, contents, make, steps_done

OPERATIONS = ["remove", "remove comments", "merge", "replace", "move", "relabel", "address"]
NAMES = sorted(Acts(None).verbs) + 3 * OPERATIONS  # type: ignore[arg-type]
NUMBERS = st.integers(0, 11)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("random") / "filled.rejoinder"
    make(path)
    return path


def test_the_project_that_acts_begin_with_has_every_kind_of_work(filled: Path) -> None:
    with Project.open(filled, annotator="Ada") as project:
        held = {table for table, rows in contents(project).items() if rows}
        assert held >= {
            "paper", "paper_version", "document", "source_text", "comment", "comment_span", "edit_link",
            "comment_state", "suggestion_decision", "silver_decision", "edit_analysis", "adjudication",
            "sentence_label", "annotation_done", "rebuttal_point", "rebuttal_use", "study", "participant",
        }  # fmt: skip
        assert violations(project) == ()


@given(acts=st.lists(st.tuples(st.sampled_from(NAMES), NUMBERS, NUMBERS), min_size=1, max_size=12))
@example(acts=[("remove", 2, 0), ("undo", 0, 0), ("move", 0, 1), ("remove", 0, 1), ("replace", 2, 5)])
@settings(
    max_examples=100, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_invariants_hold_and_undo_restores(
    filled: Path, tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int, int]]
) -> None:
    path = tmp_path_factory.mktemp("acts") / "p.rejoinder"
    shutil.copyfile(filled, path)
    with Project.open(path, annotator="Ada") as project:
        known = {steps_done(project): contents(project)}
        player = Acts(project)
        for act in acts:
            player.do(*act)
            assert violations(project) == (), act
            done, now = steps_done(project), contents(project)
            assert known.setdefault(done, now) == now, act
        last = contents(project)
        for _ in range(len(steps_done(project))):
            project.undo()
            if (there := known.get(steps_done(project))) is not None:
                assert contents(project) == there
        assert not any(contents(project).values())
        assert violations(project) == ()
        while project.redo_entry is not None and steps_done(project) not in known:
            project.redo()
        project.go_to(max(max(steps, default=0) for steps in known if known[steps] == last))
        assert contents(project) == last
    path.unlink()


def test_a_careless_move_is_found(filled: Path, tmp_path: Path) -> None:
    """Moving reviews without removing the work on the former paper's comparisons."""
    path = tmp_path / "p.rejoinder"
    shutil.copyfile(filled, path)
    with Project.open(path, annotator="Ada") as project:
        with project.action("Move carelessly") as act:
            first, second = (row[0] for row in project.query("SELECT id FROM paper ORDER BY position"))
            act.execute("UPDATE source_text SET paper_id = ? WHERE paper_id = ?", (second, first))
        assert any("another paper" in sentence for sentence in violations(project))
