"""What the laboratory shows and can do, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.expertise.state import SORTS, ExpertiseState, results_export
from engine.errors import BadInput, EnvironmentProblem
from engine.expertise.laboratory import Choice, Laboratory, Setup
from engine.expertise.tasks import Loaded, curve, load_data, run_algorithms
from engine.jobs.progress import QuietReport
from engine.project import Project
from tests.engine.expertise.gold import write_gold_folder


class Remembered(dict[str, str]):
    def text(self, name: str, default: str = "") -> str:
        return self.get(name, default)

    def set_text(self, name: str, value: str) -> None:
        self[name] = value


class Partial(QuietReport):
    """Hands partial results to a state."""

    def __init__(self, state: ExpertiseState) -> None:
        super().__init__()
        self.state = state

    def partial(self, result: object) -> None:
        self.state.add(result)  # type: ignore[arg-type]

    def part(self, *_span: float) -> Partial:
        return self


def make_laboratory(data: object) -> Laboratory:
    return Laboratory(data, lambda: pytest.fail("no encoder is needed"))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gold_folder(tmp_path_factory.mktemp("data") / "made-up")


@pytest.fixture
def state(tmp_path: Path, gold: Path) -> Iterator[ExpertiseState]:
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as project:
        made = ExpertiseState(Remembered())
        made.open(project)
        assert made.is_empty
        key = made.add_data(gold)
        assert made.read() == key and not made.can_run
        made.choose(key)
        made.choices = tuple(map(Choice, ("trivial", "tpms", "bm25")))
        made.take(load(made))
        yield made


def load(state: ExpertiseState) -> Loaded:
    source = next(source for source in state.sources if source.key == state.source)
    task = load_data(source.load, state.store, make_laboratory)
    return task.run(QuietReport())


def run(state: ExpertiseState) -> None:
    assert state.loaded is not None and state.can_run
    task = run_algorithms(state.loaded.laboratory, state.store, *state.begin())
    task.run(Partial(state))
    state.ended()


def test_the_board_is_always_sorted_by_the_column_that_it_names(state: ExpertiseState) -> None:
    """Trivial arrives first and is the worst: rows must not keep the order in which they arrived."""
    run(state)
    for column in SORTS:
        assert state.sorted_by == column
        shown, apart = state.board()
        figures = {
            "loss": [o.evaluation.loss for o in shown],
            "difference": [apart[o.run.id].value if o.run.id in apart else 0.0 for o in shown],
            "easy": [-o.evaluation.easy for o in shown],
            "hard": [-o.evaluation.hard for o in shown],
            "algorithm": [o.run.label for o in shown],
        }[column]
        assert len(shown) == 3 and figures == sorted(figures)  # type: ignore[type-var]
        state.sort_next()
    assert state.sorted_by == "loss"
    assert state.board()[0][-1].run.algorithm == "trivial"


def test_what_arrived_stays_when_a_run_is_cancelled(state: ExpertiseState) -> None:
    assert state.loaded is not None
    choices, setup = state.begin()
    assert not state.can_run and state.can_stop and state.awaited == ["Trivial", "TPMS", "BM25"]
    state.add(state.loaded.laboratory.run(choices[0], setup, QuietReport()))
    assert state.awaited == ["TPMS", "BM25"] and state.status(state.board()[0]) == "1 of 3 algorithms finished"
    state.ended()
    assert state.can_run and not state.can_stop and len(state.board()[0]) == 1
    assert state.status(state.board()[0]) == "1 algorithm compared"
    state.begin()
    assert state.status(state.board()[0]) == "0 of 3 algorithms finished", (
        "the earlier result is of one that runs again"
    )


def test_differences_refer_to_the_baseline(state: ExpertiseState) -> None:
    run(state)
    shown, apart = state.board()
    assert {o.run.label for o in shown if o.run.id not in apart} == {"TPMS"}
    state.baseline = "Trivial"
    assert {o.run.label for o in shown if o.run.id not in state.board()[1]} == {"Trivial"}
    state.baseline = "an algorithm that was not run"
    assert [o.run.id in state.board()[1] for o in shown] == [False, True, True], "the best one takes its place"


def test_the_selected_result_its_rivals_and_its_end(state: ExpertiseState) -> None:
    run(state)
    shown, _ = state.board()
    state.select_in(shown)
    assert state.selected is shown[0] and state.can_forget
    others, against = state.others()
    assert {o.run.id for o in others} == {o.run.id for o in shown[1:]}
    state.compare_with(shown[2].run.id)
    assert state.others()[1] == shown[2].run.id != against
    state.forget(shown[0])
    assert state.selected is None and len(state.board()[0]) == 2 and not state.can_forget
    assert len(load(state).outcomes) == 2, "the project does not keep it either"
    state.restore(shown[0])
    assert len(load(state).outcomes) == 3, "undone"


def test_another_length_shows_other_results_and_curves_join_them(state: ExpertiseState) -> None:
    run(state)
    state.setup = Setup(length=3)
    assert state.board() == ((), {}) and state.curves() == ({}, "")
    state.setup, state.choices = Setup(), (Choice("tpms"),)
    assert state.loaded is not None
    (choice,) = state.begin_curves()
    assert state.can_stop
    task = curve(state.loaded.laboratory, state.store, choice, state.setup)
    task.run(Partial(state))
    state.select(next(o.run.id for o in state.board()[0] if o.run.label == "TPMS"))
    lines, at = state.curves()
    assert list(lines) == ["TPMS"] == [at] and [length for length, _ in lines["TPMS"]] == list(range(1, 21))
    assert len(state.board()[0]) == 3, "the board shows the length that is set"
    names = {file.name for file in results_export(state.results()).files}
    assert {"leaderboard.csv", "scores-trivial.csv"} <= names


def test_reasons_need_the_model_of_the_run(state: ExpertiseState) -> None:
    run(state)
    state.select(next(o.run.id for o in state.board()[0] if o.run.label == "TPMS"))
    params = state.explanation("1", "read-bees-0", None)
    assert params.choice == Choice("tpms") and params.setup == state.setup and params.paper == "read-bees-0"


def test_a_folder_without_ratings_is_no_data_set(state: ExpertiseState, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="isn't an expertise data set"):
        state.add_data(tmp_path)
    assert "4 participants, 24 ratings of 24 papers." in state.facts()


def test_one_that_cannot_be_run_stops_no_other(state: ExpertiseState, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    state.choices = (Choice("specter", empty), Choice("bm25"))
    with pytest.raises(EnvironmentProblem, match="There is no model in") as caught:
        run(state)
    assert [one.run.algorithm for one in state.board()[0]] == ["bm25"]
    assert caught.value.means == "1 algorithm of 2 failed." and "Models pane" not in caught.value.do
