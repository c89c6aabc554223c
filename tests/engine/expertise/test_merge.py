"""Returned files meet the study: nothing changes unasked, twice is once, and the order does not matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.study_file import preview_release, read_answers_file
from engine.expertise.merge import PaperJoin
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import Answers, ProfileRow, SurveyParticipant, SurveyRow
from engine.expertise.store import SurveyStore
from engine.expertise.survey import new_study
from engine.papers.records import LibraryPaper
from engine.project import Project
from engine.shown import local_time

STUDY = replace(new_study("Reading", key="study-1"), consent="", content_hash="h1")
LONG = "How readers find their way through a very long report"


def _file(
    key: str = "k1", name: str = "Ada Example", when: str = "2026-01-01T00:00:00Z", *rated: tuple[LibraryPaper, float],
    own: tuple[LibraryPaper, ...] = (),
) -> Answers:  # fmt: skip
    papers = list(dict.fromkeys([*(paper for paper, _ in rated), *own]))
    keyed = {paper: replace(paper, id=f"l{place}") for place, paper in enumerate(papers)}
    person = SurveyParticipant("", "", key, name)
    rows = [SurveyRow(f"r{n}", "", keyed[paper], value) for n, (paper, value) in enumerate(rated)]
    profile = [ProfileRow(f"o{n}", "", keyed[paper]) for n, paper in enumerate(own)]
    return read_answers_file(preview_release(STUDY, person, rows, profile, written_at=when).file.content, "a.file")


def _paper(title: str, **more: object) -> LibraryPaper:
    return LibraryPaper("", title, **more)  # type: ignore[arg-type]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder") as made:
        yield made


@pytest.fixture
def study(project: Project) -> str:
    return SurveyStore(project).add_study(STUDY)


def _held(project: Project, study_id: str) -> dict[str, tuple[str, tuple[tuple[str, float | None], ...], int]]:
    store = SurveyStore(project)
    return {
        p.key: (p.name, tuple((r.paper.title, r.value) for r in store.rows(p.id)), len(store.profile(p.id)))
        for p in store.participants(study_id)
    }


def test_a_new_file_is_taken_in_one_step(project: Project, study: str) -> None:
    store = MergeStore(project)
    answers = _file("k1", "Ada", "2026-01-01T00:00:00Z", (_paper("One paper"), 3.5), own=(_paper("My own work"),))
    plan = store.plan(study, answers, "ada.rejoinder-answers")
    assert (plan.kind, plan.default, plan.needs_a_look) == ("new", "added", False)
    assert plan.sentences == ("Ada: ratings of 1 paper, 1 own publication.",)
    steps = len(project.history())
    store.apply(plan)
    assert len(project.history()) == steps + 1
    assert _held(project, study) == {"k1": ("Ada", (("One paper", 3.5),), 1)}
    (receipt,) = SurveyStore(project).returned_files(study)
    assert (receipt.filename, receipt.outcome, receipt.written_at) == (
        "ada.rejoinder-answers", "added", "2026-01-01T00:00:00Z",
    )  # fmt: skip
    project.undo()
    assert _held(project, study) == {} and SurveyStore(project).returned_files(study) == ()


def test_the_same_file_again_changes_nothing(project: Project, study: str) -> None:
    store = MergeStore(project)
    answers = _file("k1", "Ada", "2026-01-01T00:00:00Z", (_paper("One paper"), 3.5))
    store.apply(store.plan(study, answers, "a"))
    steps = len(project.history())
    plan = store.plan(study, answers, "b")
    assert plan.kind == "identical" and "merged before" in plan.sentences[0]
    unsure = PaperJoin(0, _paper("One paper"), _paper("One Paper."), "title")
    assert replace(plan, kind="newer", joins=(unsure,)).needs_a_look
    assert not replace(plan, joins=(unsure,)).needs_a_look, "nothing would change"
    for outcome in (None, "replaced", "kept"):
        store.apply(plan, outcome)  # type: ignore[arg-type]
    assert len(project.history()) == steps


def test_a_newer_file_replaces_and_an_older_one_is_kept_out(project: Project, study: str) -> None:
    store = MergeStore(project)
    one, two, three = _paper("One paper"), _paper("Two papers"), _paper("Three papers")
    first = _file("k1", "Ada", "2026-01-01T00:00:00Z", (one, 3.5), (two, 2.0))
    second = _file("k1", "Ada B.", "2026-01-02T00:00:00Z", (one, 4.0), (three, 1.0))
    store.apply(store.plan(study, first, "first"))
    plan = store.plan(study, second, "second")
    assert (plan.kind, plan.default) == ("newer", "replaced")
    assert [(d.paper.title, d.stored, d.returned) for d in plan.differences] == [
        ("One paper", 3.5, 4.0), ("Three papers", None, 1.0), ("Two papers", 2.0, None),
    ]  # fmt: skip
    assert "“One paper”: 3.5 becomes 4." in plan.sentences
    store.apply(plan)
    newest = {"k1": ("Ada B.", (("One paper", 4.0), ("Three papers", 1.0)), 0)}
    assert _held(project, study) == newest
    late = _file("k1", "Ada", "2026-01-01T12:00:00Z", (one, 5.0))
    plan = store.plan(study, late, "late")
    assert (plan.kind, plan.default, plan.needs_a_look) == ("older", "kept", True)
    store.apply(plan)
    assert _held(project, study) == newest
    assert [file.outcome for file in SurveyStore(project).returned_files(study)] == ["added", "replaced", "kept"]
    store.apply(store.plan(study, _file("k1", "Ada", "2026-01-01T13:00:00Z", (one, 5.0)), "x"), "replaced")
    assert _held(project, study) == {"k1": ("Ada", (("One paper", 5.0),), 0)}


@pytest.mark.parametrize(
    ("one", "other"), [("李明", "李 明"), ("Dr. Ada Example", "Ada Example"), ("김 민수", "김민수")]
)
def test_names_with_and_without_titles_and_spaces_are_asked_about(
    project: Project, study: str, one: str, other: str
) -> None:
    store = MergeStore(project)
    store.apply(store.plan(study, _file("k1", one, "2026-01-01T00:00:00Z", (_paper("One paper"), 3.5)), "a"))
    plan = store.plan(study, _file("k2", other, "2026-01-03T00:00:00Z", (_paper("One paper"), 4.5)), "b")
    assert [twin.name for twin in plan.twins] == [one]
    for stranger in ("王芳", "🙂"):
        file = _file("k3", stranger, "2026-01-03T00:00:00Z", (_paper("One paper"), 4.5))
        assert not store.plan(study, file, "c").twins


def test_one_person_under_two_keys_is_asked_about(project: Project, study: str) -> None:
    store = MergeStore(project)
    store.apply(store.plan(study, _file("k1", "Ada Example", "2026-01-01T00:00:00Z", (_paper("One paper"), 3.5)), "a"))
    again = _file("k2", "A. Example", "2026-01-03T00:00:00Z", (_paper("One paper"), 4.5))
    plan = store.plan(study, again, "b")
    assert plan.kind == "new" and [twin.name for twin in plan.twins] == ["Ada Example"] and plan.needs_a_look
    (file,) = SurveyStore(project).returned_files(study)
    source = f"Ada Example is already in the study (a, {local_time(file.merged_at)}) and may be the same person."
    assert source in plan.sentences, "two of one name can be told apart"
    store.apply(plan, "replaced", twin_id=plan.twins[0].id)
    assert _held(project, study) == {"k2": ("A. Example", (("One paper", 4.5),), 0)}
    assert store.plan(study, again, "b").kind == "identical"
    first = _file("k1", "Ada Example", "2026-01-01T00:00:00Z", (_paper("One paper"), 3.5))
    assert store.plan(study, first, "a").kind == "identical", "it was merged into this participant before"
    with pytest.raises(BadInput, match="There are no answers to replace or"):
        store.apply(store.plan(study, _file("k3", "Bea", "2026", (_paper("X paper"), 1.0)), "c"), "replaced")


def test_papers_under_different_ids_are_joined_and_told(project: Project, study: str) -> None:
    store = MergeStore(project)
    store.apply(store.plan(study, _file("k1", "Ada", "2026", (_paper(LONG, doi="10.1000/x"), 3.0)), "a"))
    spelt = _paper(LONG.replace("readers", "reader"), arxiv_id="2001.01234")
    sure = _paper("Its title in the journal", doi="10.1000/x")
    plan = store.plan(study, _file("k2", "Bea", "2026", (spelt, 2.0)), "b")
    assert [(join.by, join.sure) for join in plan.joins] == [("similar title", False)] and plan.needs_a_look
    assert "title with a slightly different spelling" in plan.sentences[-1]
    store.apply(plan, apart=[0])
    assert len(SurveyStore(project).library.papers()) == 2, "kept apart as asked"
    plan = store.plan(study, _file("k3", "Cid", "2026", (sure, 2.0)), "c")
    assert [(join.by, join.sure) for join in plan.joins] == [("doi", True)] and not plan.needs_a_look
    store.apply(plan)
    assert len(SurveyStore(project).library.papers()) == 2


def test_what_else_is_told(project: Project, study: str) -> None:
    store = MergeStore(project)
    with pytest.raises(BadInput, match="another study"):
        store.plan(study, replace(_file("k", "Ada", "2026", (_paper("One"), 1.0)), study_key="other"), "a")
    older_texts = replace(_file("k", "Ada", "2026", (_paper("One"), 1.0)), study_hash="h0")
    assert "a different version" in store.plan(study, older_texts, "a").sentences[-1]
    twice = _file("k", "Ada", "2026", (_paper("One", doi="10.1000/x"), 1.0), (_paper("Eins", doi="10.1000/x"), 2.0))
    plan = store.plan(study, twice, "a")
    assert [(d.stored, d.returned) for d in plan.repeated] == [(1.0, 2.0)] and plan.needs_a_look
    SurveyStore(project).edit_study(study, consent="I agree.")
    assert (
        "hasn't agreed to take part"
        in store.plan(study, _file("k", "Ada", "2026", (_paper("One"), 1.0)), "a").sentences[-1]
    )


_FILES = st.lists(
    st.tuples(
        st.sampled_from(["k1", "k2"]),
        st.integers(1, 9),
        st.lists(
            st.tuples(st.sampled_from(["First of papers", "Second of papers", "Third of papers"]),
                      st.sampled_from([1.0, 2.25, 5.0])),
            min_size=1, max_size=3, unique_by=lambda pair: pair[0],
        ),
    ),
    min_size=1, max_size=4, unique_by=lambda file: (file[0], file[1]),
)  # fmt: skip


@given(files=_FILES, random=st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_any_order_and_any_repetition_give_the_same(
    files: list[tuple[str, int, list[tuple[str, float]]]], random: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    answers = [
        _file(key, {"k1": "Ada", "k2": "Bea"}[key], f"2026-01-0{day}T00:00:00Z", *((_paper(t), v) for t, v in rated))
        for key, day, rated in files
    ]
    shuffled = [*answers, *answers]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    held = []
    for order in (answers, shuffled):
        with Project.create(tmp_path_factory.mktemp("m") / "p.rejoinder") as project:
            study_id = SurveyStore(project).add_study(STUDY)
            store = MergeStore(project)
            for one in order:
                store.apply(store.plan(study_id, one, "f"))
            held.append(_held(project, study_id))
            assert not project.check()
    assert held[0] == held[1]
    newest = {key: max(day for k, day, _ in files if k == key) for key, _, _ in files}
    for key, day, rated in files:
        if day == newest[key]:
            assert held[0][key][1] == tuple(rated)
    assert set(held[0]) == set(newest)
