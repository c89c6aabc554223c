"""What the calibration pane shows and changes, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.calibration.board import make_board
from desktop_app.panes.calibration.state import CalibrationState
from engine.calibration.records import ScoreRow
from engine.calibration.store import ORIGINAL, CalibrationStore
from engine.calibration.tasks import refit
from engine.jobs.progress import QuietReport
from engine.project import Project


class Selected:
    item = referee = -1

    def choose(self, *, item: int | None = None, referee: int | None = None) -> None:
        self.item = self.item if item is None else item
        self.referee = self.referee if referee is None else referee


@pytest.fixture
def state(tmp_path: Path) -> Iterator[CalibrationState]:
    rows = [ScoreRow(f"paper {i}", f"referee {r}", float((i * r) % 7), 3.0, (), 1) for i in range(6) for r in range(4)]
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as project:
        CalibrationStore(project).add_table("Scores", rows, origin="import:s.csv")
        made = CalibrationState(Selected())
        made.open(project)
        made.read()
        show(made)
        yield made


def show(state: CalibrationState) -> None:
    assert state.scenario is not None
    fits = []
    for scenario in (state.scenario, state.scenarios[0]):
        task = refit(scenario, state.reviews, None, None, None)
        fits.append(task.run(QuietReport()))
    state.board = make_board(fits[0], fits[1], None)


def names(state: CalibrationState) -> list[str]:
    state.read()
    return [scenario.name for scenario in state.scenarios]


def test_the_first_change_begins_a_scenario_in_one_step(state: CalibrationState) -> None:
    state._selected.choose(item=2, referee=1)
    assert state.can_change and state.is_original and state.review is not None
    state.exclude_review()
    assert names(state) == [ORIGINAL, "What if 1"] and not state.is_original
    assert state.scenario is not None and [c.kind for c in state.scenario.changes] == ["exclude_review"]
    assert state._project is not None
    state._project.undo()
    assert names(state) == [ORIGINAL] and state.is_original


def test_a_second_time_takes_the_change_back(state: CalibrationState) -> None:
    state._selected.choose(referee=1)
    state.exclude_referee()
    names(state)
    state.exclude_referee()
    names(state)
    assert state.scenario is not None and state.scenario.changes == ()


def test_a_pin_can_be_released(state: CalibrationState) -> None:
    state.pin("score", 3, 4.5)
    names(state)
    assert state.scenario is not None
    (change,) = state.scenario.changes
    assert (change.kind, change.item, change.value) == ("pin_score", state.board.items[3], 4.5)  # type: ignore[union-attr]
    state.release("bias", 3)
    state.release("score", 3)
    names(state)
    assert state.scenario.changes == ()


def test_scenarios_follow_one_another_around_the_end(state: CalibrationState) -> None:
    state.new_scenario("Harsh")
    assert names(state) == [ORIGINAL, "Harsh"] and state.scenario is not None and state.scenario.name == "Harsh"
    state.show_next_scenario()
    names(state)
    assert state.is_original
    assert state.free_name() == "What if 1"


def test_finding_goes_from_one_name_to_the_next(state: CalibrationState) -> None:
    assert state.board is not None
    state.find("PAPER", 0)
    first = state.item
    state.find("paper", 1)
    assert first and state.item and state.item != first
    state.find("referee 2", 0)
    assert state.referee == "referee 2"
    state.find("nobody", 1)
    assert state.referee == "referee 2"


def test_an_empty_project_has_nothing_to_change(tmp_path: Path) -> None:
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as project:
        state = CalibrationState(Selected())
        state.open(project)
        state.read()
        assert state.can_import and not state.can_change and state.table is None
