"""The store of clusters: every verb is one undo step, and undo brings everything back as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.project import Project
from engine.rebuttal.preferences.candidates import cluster_title, identified
from engine.rebuttal.preferences.records import ADJUDICATED, Answer, Cluster, Extract, NewCluster, NewSentence, Plan
from engine.rebuttal.preferences.store import TABLES, PreferenceStore

HUMAN = sorted(TABLES - {"extracted_description"})


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", "Pairs", "Ada") as opened:
        yield opened


def new_cluster(candidates: int = 4) -> NewCluster:
    return NewCluster(
        "clarity",
        "overall",
        "concede_criticism",
        tuple(NewSentence(f"Sentence {n} is hard to follow.") for n in range(3)),
        tuple(NewSentence(f"We will make part {n} clearer.") for n in range(candidates)),
        "Hard to follow.",
    )


def made(project: Project, candidates: int = 4) -> Cluster:
    (cluster,) = PreferenceStore(project).add_clusters([new_cluster(candidates)])
    return cluster


def image(project: Project) -> dict[str, list[tuple[Any, ...]]]:
    return {t: [tuple(row) for row in project.query(f"SELECT * FROM {t} ORDER BY id")] for t in HUMAN}


def test_a_cluster_comes_whole_and_goes_in_one_step(project: Project) -> None:
    store = PreferenceStore(project)
    cluster = made(project)
    assert cluster_title(cluster) == "Clarity · Overall · concede criticism" and cluster.plan == Plan()
    assert store.sentences(cluster.id)[0].text == "Sentence 0 is hard to follow."
    assert len(store.candidates(cluster.id)) == 4 and store.written(cluster.id)[0].text == "Hard to follow."
    assert identified("action", "Concede criticism") == "concede_criticism" and identified("theme", "Odd") == "Odd"
    project.undo()
    assert store.clusters() == () and all(not rows for rows in image(project).values())
    project.redo()
    assert store.clusters() == (cluster,)
    store.delete_cluster(cluster.id)
    assert store.clusters() == ()
    project.undo()
    assert len(store.candidates(cluster.id)) == 4
    with pytest.raises(BadInput):
        store.add_clusters([new_cluster(), NewCluster("", "", "")])
    assert len(store.clusters()) == 1


def test_a_judgement_keeps_side_time_and_repeat(project: Project) -> None:
    store, cluster = PreferenceStore(project), made(project)
    a, b, *_ = sorted(c.id for c in store.candidates(cluster.id))
    first = store.judge(cluster.id, b, a, "left", milliseconds=812, note="clearer")
    again = store.judge(cluster.id, a, b, "right", repeat=True)
    assert store.judgements(cluster.id) == (first, again)
    assert first.pair == again.pair == (a, b) and first.verdict == again.verdict == "second"
    assert store.judge(cluster.id, a, b, "skip").verdict is None
    assert store.standings()[cluster.id].own == 2, "a skipped pair is not judged"
    noted = store.judge(cluster.id, a, b, "left", note="a good deal clearer")
    assert store.judgements(cluster.id)[-1] == noted and noted.note == "a good deal clearer"
    project.undo()
    project.undo()
    assert store.judgements(cluster.id) == (first, again)


def test_others_work_is_theirs(project: Project) -> None:
    store, cluster = PreferenceStore(project), made(project)
    a, b, c, _ = (entry.id for entry in store.candidates(cluster.id))
    store.judge(cluster.id, a, b, "tie")
    project.set_annotator("Ben")
    store.judge(cluster.id, b, a, "left")
    assert store.standings()[cluster.id].annotators == 2 and store.standings()[cluster.id].own == 1
    with pytest.raises(BadInput, match="Another annotator"):
        store.delete_cluster(cluster.id)
    with pytest.raises(BadInput, match="judged"):
        store.remove_candidate(a)
    store.remove_candidate(c)
    assert len(store.candidates(cluster.id)) == 3


def test_adjudications_descriptions_and_settings(project: Project) -> None:
    store, cluster = PreferenceStore(project), made(project)
    a, b, *_ = sorted(c.id for c in store.candidates(cluster.id))
    store.adjudicate(cluster.id, (b, a), "second")
    assert store.adjudications(cluster.id)[a, b].verdict == "second"
    store.adjudicate(cluster.id, (a, b), None)
    assert store.adjudications(cluster.id) == {}
    store.judge(cluster.id, b, a, "skip")
    store.adjudicate(cluster.id, (a, b), "tie")
    store.judge(cluster.id, b, a, "left")
    for verdict in ("first", None):
        with pytest.raises(BadInput, match="decided on this yourself"):
            store.adjudicate(cluster.id, (a, b), verdict)  # type: ignore[arg-type]
    assert store.adjudications(cluster.id)[a, b].verdict == "tie"
    store.describe(cluster.id, "Not easy to follow.")
    store.keep_extract(cluster.id, Extract("s", "Sentence 1 is hard to follow.", 0.81, 3, "model:x@1"))
    extract = store.extract(cluster.id)
    assert extract is not None and extract.mean_cosine == 0.81
    store.choose_description(cluster.id, "Not easy to follow.", extract.text, "extracted", "written", milliseconds=900)
    store.choose_description(cluster.id, "Not easy to follow.", extract.text, "written", "extracted")
    (choice,) = store.choices(cluster.id)[cluster.id]
    assert (choice.choice, choice.left_kind, choice.milliseconds) == ("extracted", "written", None)
    plan = Plan("adaptive", 0.2, 0.3, ("Ada", "Ben"))
    store.set_plan(cluster.id, plan)
    store.set_basis(cluster.id, ADJUDICATED)
    store.set_thresholds(cluster.id, 0.4, 0.6)
    now = store.cluster(cluster.id)
    assert (now.plan, now.basis, now.suitable_from, now.specific_to) == (plan, ADJUDICATED, 0.4, 0.6)
    before = project.undo_title
    store.set_thresholds(cluster.id, 0.4, 0.6)
    assert project.undo_title == before, "what changes nothing is no act"


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), max_size=12))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_undo_and_redo_restore_every_row(tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[int, ...]]) -> None:
    path = tmp_path_factory.mktemp("undo") / "p.rejoinder"
    with Project.create(path, "Pairs", "Ada") as project:
        store, cluster = PreferenceStore(project), made(project)
        ids = sorted(c.id for c in store.candidates(cluster.id))
        images = [image(project)]
        for verb, one, two, answer in acts:
            before = project.undo_title, len(project.history())
            if verb < 4 and one != two:
                store.judge(cluster.id, ids[one], ids[two], get_args(Answer)[answer])
            elif verb == 4 and one != two:
                project.set_annotator("Dea")  # who is no party
                store.adjudicate(cluster.id, (ids[one], ids[two]), "first" if answer else None)
                project.set_annotator("Ada")
            elif verb == 5:
                store.decide_candidates([ids[one]], ("in", "out", None)[two % 3])  # type: ignore[arg-type]
            elif verb == 6:
                store.describe(cluster.id, "x" * one)
            elif verb == 7:
                store.add_candidates(cluster.id, [NewSentence(f"New {one}{two}")])
            if (project.undo_title, len(project.history())) != before:
                images.append(image(project))
        for wanted in reversed(images[:-1]):
            project.undo()
            assert image(project) == wanted
        for wanted in images[1:]:
            project.redo()
            assert image(project) == wanted
