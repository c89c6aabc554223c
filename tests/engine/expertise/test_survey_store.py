"""The survey in a project: every verb is one step back and forth, and e-mails stay where they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.expertise.records import Question, SurveyParticipant
from engine.expertise.store import SurveyStore
from engine.expertise.survey import GRID, new_study
from engine.operations.removing import remove
from engine.operations.targets import Target
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore
from engine.project import Project
from engine.project.merge import merge_into
from tests.engine.undoing import assert_one_step_each

HUMAN = ("library_paper", "study", "participant", "participant_contact", "profile_paper", "rating", "returned_file")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder") as made:
        yield made


@pytest.fixture
def store(project: Project) -> SurveyStore:
    return SurveyStore(project)


def _paper(title: str, **more: object) -> LibraryPaper:
    return LibraryPaper("", title, **more)  # type: ignore[arg-type]


def _state(project: Project) -> list[list[tuple[object, ...]]]:
    return [[tuple(row) for row in project.query(f"SELECT * FROM {name} ORDER BY id")] for name in HUMAN]


def test_a_study_comes_back_as_it_went_in(store: SurveyStore) -> None:
    drafted = new_study("Reading habits", organiser="A. Organiser", contact="somewhere", key="k1")
    stored = store.study(store.add_study(drafted))
    assert stored.id and stored == type(stored)(**{**_fields(drafted), "id": stored.id})
    assert [q.key for q in stored.questions] == ["position", "country", "gender"]
    with pytest.raises(BadInput, match="already"):
        store.add_study(drafted)


def _fields(record: object) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}  # type: ignore[attr-defined]


def test_a_whole_study_is_read_as_its_participants_are_one_by_one(store: SurveyStore) -> None:
    study, other = (store.add_study(new_study(key=key)) for key in ("k", "other"))
    people = [store.add_participant(study, SurveyParticipant("", study, f"p{n}")) for n in range(3)]
    stranger = store.add_participant(other, SurveyParticipant("", other, "s"))
    for number, person in enumerate((people[0], people[2], stranger)):
        for at in range(3):
            store.add_row(person, _paper(f"On reading paper {at} of heap {number}"), 1 + at / 4)
        store.add_publications(person, [_paper(f"Own work {at} of person {number}") for at in range(4)])
    store.keep([store.profile(people[2])[1].id], False)
    assert store.rows_of_study(study) == {person: store.rows(person) for person in (people[0], people[2])}
    assert store.publications_of_study(study) == {people[0]: 4, people[2]: 3}


def test_every_verb_is_one_step_back(project: Project, store: SurveyStore) -> None:
    study = store.add_study(new_study(key="k"))
    person = store.open_study(new_study(key="k"), filename="s.rejoinder-study").id
    rows: list[str] = []
    verbs = [
        lambda: store.edit_study(study, title="Other"),
        lambda: store.set_rules(study, 3, 8),
        lambda: store.set_questions(study, [Question("q", "Why?")]),
        lambda: store.set_content_hash(study, "abc"),
        lambda: store.set_name(person, "Ada Example"),
        lambda: store.set_email(person, "ada@example.org"),
        lambda: store.set_consent(person, True),
        lambda: store.set_email(person, ""),
        lambda: store.set_answer(person, "country", "Norway"),
        lambda: rows.append(store.add_row(person, _paper("On reading one paper"), 3.5)),
        lambda: rows.append(store.add_row(person, _paper("On reading another paper"))),
        lambda: store.rate(rows[1], 4.25),
        lambda: store.add_publications(person, [_paper("My first paper of all"), _paper("My second paper of all")]),
        lambda: store.keep([store.profile(person)[0].id], False),
        lambda: store.remove_publications([store.profile(person)[1].id]),
        lambda: store.remove_row(rows[0]),
        lambda: store.finish(person, "2026-03-01T10:00:00+00:00", "hash"),
        lambda: store.remove_participant(person),
        lambda: remove(project, Target("study", study, "A study")),
    ]
    assert_one_step_each(project, verbs, _state)


def test_the_instructions_follow_the_rules(project: Project, store: SurveyStore) -> None:
    study = store.add_study(new_study(key="k"))
    store.set_rules(study, 3, 12)
    assert "between 3 and 12 papers" in store.study(study).instructions
    store.edit_study(study, instructions="Choose between five and ten.")
    store.set_rules(study, 4, 6)
    assert store.study(study).instructions == "Choose between five and ten."
    with pytest.raises(BadInput, match="papers can't be required"):
        store.set_rules(study, 6, 4)


def test_a_study_file_is_opened_once(store: SurveyStore) -> None:
    first = store.open_study(new_study(key="k"), filename="a")
    store.set_name(first.id, "Ada Example")
    again = store.open_study(new_study("A newer title", key="k"), filename="b")
    assert again.id == first.id and again.name == "Ada Example"
    assert [study.side for study in store.studies()] == ["participant"]


def test_a_paper_is_kept_once_and_completed(store: SurveyStore) -> None:
    person = store.open_study(new_study(key="k"), filename="f").id
    store.add_row(person, _paper("A study of reading under time pressure", doi="10.1000/ABC"), 2.0)
    (row,) = store.rows(person)
    store.add_publications(person, [_paper("", doi="https://doi.org/10.1000/abc", abstract="What it says.", year=2020)])
    (paper,) = LibraryStore(store._project).papers()
    assert (paper.doi, paper.abstract, paper.year) == ("10.1000/abc", "What it says.", 2020)
    assert store.rows(person)[0].paper == paper and store.profile(person)[0].paper == paper
    assert row.value == 2.0


def test_what_is_no_paper_or_no_rating_is_refused(store: SurveyStore) -> None:
    person = store.open_study(new_study(key="k"), filename="f").id
    with pytest.raises(BadInput, match="No paper"):
        store.add_row(person, _paper(" "))
    row = store.add_row(person, _paper("A paper with a title"))
    for wrong in (0.75, 5.25, 3.1, float("nan")):
        with pytest.raises(BadInput, match="scale"):
            store.rate(row, wrong)
    assert store.row(row).value is None


def test_ratings_are_journalled_with_who_and_when(project: Project, store: SurveyStore) -> None:
    person = store.open_study(new_study(key="k"), filename="f").id
    row = store.add_row(person, _paper("A paper with a title"), 3.25)
    store.rate(row, 4.5)
    assert [entry.title for entry in project.history()][:2] == ["Rate 4.5: “A paper with a title”", "Add paper to rate"]
    project.undo()
    assert store.row(row).value == 3.25


def test_time_is_measured_beside_the_undo_history(project: Project, store: SurveyStore) -> None:
    person = store.open_study(new_study(key="k"), filename="f").id
    steps = len(project.history())
    first = store.time.begin(person, 60.0)
    store.time.set(first, 30.5)
    second = store.time.begin(person, 60.0)
    store.time.set(second, 10.0)
    store.time.set(first, 40.0)
    assert store.time.active_seconds(person) == 50.0 and len(project.history()) == steps
    store.time.forget(person)
    assert store.time.active_seconds(person) == 0.0


def test_time_stays_in_its_file_when_projects_are_merged(project: Project, store: SurveyStore, tmp_path: Path) -> None:
    person = store.open_study(new_study(key="k"), filename="f").id
    project.save_copy(tmp_path / "other.rejoinder")
    with Project.open(tmp_path / "other.rejoinder") as other:
        theirs = SurveyStore(other)
        theirs.add_row(person, _paper("A paper that came from the other file"), 3.5)
        theirs.time.set(theirs.time.begin(person, 60.0), 100.0)
    merge_into(project, tmp_path / "other.rejoinder")
    assert [row.value for row in store.rows(person)] == [3.5] and store.time.active_seconds(person) == 0.0


def test_the_gold_standard_of_a_study(store: SurveyStore) -> None:
    person = store.open_study(new_study(key="k"), filename="f")
    store.set_name(person.id, "Ada Example")
    twice = _paper("A paper that stands here twice")
    store.add_row(person.id, twice, 2.0)
    store.add_row(person.id, twice, 2.5)
    store.add_row(person.id, _paper("A paper without a rating"))
    mine = store.add_publications(person.id, [_paper("My kept publication"), _paper("My other publication")])
    store.keep([mine[1].id], False)
    store.library.add(mine[0].paper, text="The whole text.")
    gold = store.gold_standard(person.study_id, with_texts=True)
    assert [(r.participant, r.value) for r in gold.ratings] == [(person.key, 2.5)]
    assert [p.papers for p in gold.participants] == [(mine[0].paper.id,)]
    assert gold.papers[mine[0].paper.id].body == "The whole text."
    assert len(gold.papers) == 2


def test_full_texts_survive_compacting_and_go_with_their_papers(project: Project) -> None:
    library = LibraryStore(project)
    paper = library.add(_paper("A paper with its text"), text="All of it.")
    project.put_blob(b"nobody's", "text/plain")
    project.compact()
    assert library.text(paper.id) == "All of it."
    assert len(project.query("SELECT 1 FROM blob")) == 1
    project.undo()
    project.compact()
    project.redo()
    assert library.text(paper.id) == "All of it.", "a redo may bring it back"


_ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 6), st.sampled_from([None, *GRID])),
        st.tuples(st.just("rate"), st.integers(0, 6), st.sampled_from([None, *GRID])),
        st.tuples(st.just("remove"), st.integers(0, 6), st.none()),
        st.tuples(st.just("own"), st.integers(0, 6), st.none()),
        st.tuples(st.just("keep"), st.integers(0, 6), st.none()),
        st.tuples(st.just("undo"), st.just(0), st.none()),
        st.tuples(st.just("redo"), st.just(0), st.none()),
    ),
    max_size=14,
)


@given(acts=_ACTS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_acts_can_be_taken_back(acts: list[tuple[str, int, float | None]], tmp_path_factory: object) -> None:
    folder = tmp_path_factory.mktemp("acts")  # type: ignore[attr-defined]
    with Project.create(folder / "p.rejoinder") as project:
        store = SurveyStore(project)
        person = store.open_study(new_study(key="k"), filename="f").id
        beginning = _state(project)
        for act, number, value in acts:
            rows, own = store.rows(person), store.profile(person)
            if act == "add":
                store.add_row(person, _paper(f"An invented paper with number {number}"), value)
            elif act == "rate" and rows:
                store.rate(rows[number % len(rows)].id, value)
            elif act == "remove" and rows:
                store.remove_row(rows[number % len(rows)].id)
            elif act == "own":
                store.add_publications(person, [_paper(f"An invented paper with number {number}")])
            elif act == "keep" and own:
                store.keep([own[number % len(own)].id], not own[number % len(own)].kept)
            elif act == "undo" and project.undo_title not in (None, "Open study “Expertise survey”"):
                project.undo()
            elif act == "redo":
                project.redo()
            assert all(row.value is None or row.value in GRID for row in store.rows(person))
        end = _state(project)
        count = 0
        while project.undo_title != "Open study “Expertise survey”":
            project.undo()
            count += 1
        assert _state(project) == beginning
        for _ in range(count):
            project.redo()
        assert _state(project) == end
