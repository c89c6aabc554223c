"""What the preferences pane shows and changes, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.preferences.choices import CANDIDATES, JUDGING
from desktop_app.panes.preferences.state import PreferencesState
from engine.project import Project
from engine.rebuttal.preferences.records import NewCluster, NewSentence


def cluster(theme: str, count: int = 3) -> NewCluster:
    candidates = tuple(NewSentence(f"Answer {n} on {theme}.", decision="in") for n in range(count))
    return NewCluster("clarity", theme, "answer", (NewSentence(f"The {theme} is unclear."),), candidates)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[PreferencesState]:
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as project:
        made = PreferencesState("pagerank")
        made.open(project)
        made.verbs.add_clusters([cluster("method"), cluster("data")])
        made.read()
        yield made


def judge_all(state: PreferencesState) -> int:
    count = 0
    while state.can_judge_pair:
        state.judge("left", 900, "", None)
        count += 1
    return count


def test_judging_goes_on_to_the_next_pair_and_ends(state: PreferencesState) -> None:
    opened = state.opened
    assert opened is not None and opened.pair is not None and state.view == JUDGING
    first = opened.pair
    state.judge("left", 900, "a note", None)
    assert opened.pair != first and opened.own[0].note == "a note"
    assert judge_all(state) >= 2 and not state.can_judge


def test_pairs_are_judged_in_the_judging_view_alone(state: PreferencesState) -> None:
    state.view = CANDIDATES
    assert not state.can_judge and state.can_on(CANDIDATES)


def test_the_next_open_cluster_is_the_one_with_pairs_left(state: PreferencesState) -> None:
    assert state.next_open() == state.clusters[1].id
    state.key = state.clusters[1].id
    state.read_opened()
    judge_all(state)
    state.key = state.clusters[0].id
    assert not state.next_open()


def test_a_new_cluster_is_opened_and_texts_are_one_step(state: PreferencesState) -> None:
    state.add_cluster(cluster("cost", 0))
    state.read()
    assert state.subject[0] == state.key and len(state.clusters) == 3
    state.add_texts(state.key, cluster("cost"))
    state.read()
    assert state.opened is not None and len(state.opened.candidates) == 3
    assert state.project is not None
    state.project.undo()
    state.read()
    assert state.opened.cluster.id == state.key and len(state.opened.candidates) == 0


def test_without_a_project_nothing_can_be_done() -> None:
    state = PreferencesState("pagerank")
    assert not (state.can_write or state.can_change or state.can_judge) and state.subject == ("", "")
