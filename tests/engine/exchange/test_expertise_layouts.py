"""The released layout and that of OpenReview: a study goes out as a data set and comes back the same."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.expertise_data import HEADER, import_release, read_gold_standard, release_study, write_release
from engine.exchange.openreview_expertise import (
    OpenReviewData,
    archive_name,
    import_openreview_expertise,
    of_gold_standard,
    read_openreview_expertise,
    to_gold_standard,
    write_openreview_expertise,
)
from engine.exchange.records import Export
from engine.expertise.records import GoldStandard, PaperText, Participant, Rating, SurveyParticipant
from engine.expertise.store import SurveyStore
from engine.expertise.survey import GRID, new_study
from engine.papers.records import LibraryPaper
from engine.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder") as made:
        yield made


def _written(export: Export, folder: Path) -> Path:
    for file in export.files:
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_bytes(file.content)
    return folder


_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20).map(str.strip)
_IDS = st.from_regex(r"[a-z0-9]{4,10}", fullmatch=True)


@st.composite
def _gold(draw: st.DrawFn) -> GoldStandard:
    keys = draw(st.lists(_IDS, min_size=2, max_size=6, unique=True))
    texts = {
        key: PaperText(
            key, draw(_TEXT) or key, draw(_TEXT), draw(_TEXT), draw(st.sampled_from([0, 1999, 2020])),
            tuple(draw(st.lists(_TEXT.filter(bool), max_size=2))),
        )
        for key in keys
    }  # fmt: skip
    people, ratings = [], []
    for person in draw(st.lists(_IDS, min_size=1, max_size=3, unique=True)):
        own = draw(st.lists(st.sampled_from(keys), max_size=3, unique=True))
        people.append(Participant(person, draw(_TEXT), tuple(own)))
        for paper in draw(st.lists(st.sampled_from(keys), min_size=1, max_size=4, unique=True)):
            ratings.append(Rating(person, paper, draw(st.sampled_from(GRID))))
    used = {r.paper for r in ratings} | {p for person in people for p in person.papers}
    return GoldStandard(tuple(people), tuple(ratings), {k: t for k, t in texts.items() if k in used}, {})


def _library(gold: GoldStandard) -> dict[str, LibraryPaper]:
    return {
        key: LibraryPaper(key, t.title, t.abstract, t.year, authors=t.authors, source_id=key)
        for key, t in gold.papers.items()
    }


@given(gold=_gold())
@settings(max_examples=25, deadline=None)
def test_the_released_layout_goes_round(tmp_path_factory: pytest.TempPathFactory, gold: GoldStandard) -> None:
    folder = _written(write_release(gold, _library(gold)), tmp_path_factory.mktemp("r"))
    found = read_gold_standard(folder)
    assert (found.participants, found.ratings) == (gold.participants, gold.ratings)
    assert dict(found.papers) == dict(gold.papers)


@given(gold=_gold())
@settings(max_examples=6, deadline=None)
def test_through_a_project_and_out_again(tmp_path_factory: pytest.TempPathFactory, gold: GoldStandard) -> None:
    first = tmp_path_factory.mktemp("first")
    export = write_release(gold, _library(gold))
    _written(export, first)
    with Project.create(first / "p.rejoinder") as project:
        study = import_release(project, first, title="Imported")
        again = release_study(project, study, with_texts=True)
        assert {f.name: f.content for f in again.files} == {f.name: f.content for f in export.files}
        without = sum(not paper.body for paper in gold.papers.values())
        said = f"Papers without a full text in this project: {without} of {len(gold.papers)}."
        assert (said in again.loss) == bool(without)
        project.undo()
        assert SurveyStore(project).studies() == () and SurveyStore(project).library.papers() == ()


def test_the_table_is_as_released(project: Project) -> None:
    store = SurveyStore(project)
    study = store.add_study(new_study(key="k"))
    person = store.add_participant(study, SurveyParticipant("", study, "p1", "Ada Example", "2026"))
    store.set_email(person, "ada@example.org")
    store.time.begin(person, 60.0)
    for number in range(12):
        paper = LibraryPaper("", f"An invented paper, number {number}")
        store.add_row(person, paper, GRID[number], note="between us")
    export = release_study(project, study)
    files = {file.name: file.content.decode() for file in export.files}
    rows = list(csv.reader(files["evaluations.csv"].splitlines(), delimiter="\t"))
    assert tuple(rows[0]) == HEADER and len(rows[1]) == 21
    assert rows[1][0] == "p1" and rows[1][11:14] == ["1.0", "1.25", "1.5"]
    assert export.loss == (
        "Ada Example rated 12 papers, but the layout only has room for 10. The last 2 were left out.",
    )
    whole = "".join(files.values())
    assert "ada@" not in whole and "between us" not in whole
    assert json.loads(files["participants/p1.json"]) == {"authorId": "p1", "name": "Ada Example", "papers": []}


def test_people_and_papers_whose_ids_are_no_file_names_stay_apart(tmp_path: Path) -> None:
    people = tuple(Participant(key, key, (f"own {key}",)) for key in ("李明", "王芳", "__", "a", "A"))
    ratings = tuple(Rating(one.id, f"论文{n}", 1.0 + n) for n, one in enumerate(people))
    papers = {key: PaperText(key, key) for one in people for key in one.papers}
    papers |= {rating.paper: PaperText(rating.paper, rating.paper) for rating in ratings}
    export = write_release(GoldStandard(people, ratings, papers, {}), {})
    names = [file.name.lower() for file in export.files]
    assert len(set(names)) == len(names) == 1 + 5 + 10
    _written(export, tmp_path)
    found = read_gold_standard(tmp_path)
    assert [one.name for one in found.participants] == ["李明", "王芳", "__", "a", "A"]
    assert [(found.papers[one.paper].title, one.value) for one in found.ratings] == [
        (rating.paper, rating.value) for rating in ratings
    ]
    assert [found.papers[one.papers[0]].title for one in found.participants] == [f"own {one.id}" for one in people]


def test_who_did_not_agree_is_left_out(project: Project) -> None:
    store = SurveyStore(project)
    study = store.add_study(new_study(key="k"))
    for key, consent in (("p1", "2026"), ("p2", "")):
        person = store.add_participant(study, SurveyParticipant("", study, key, key, consent))
        store.add_row(person, LibraryPaper("", "An invented paper that all have read"), 2.0)
    export = release_study(project, study)
    assert [f.name for f in export.files if f.name.startswith("participants")] == ["participants/p1.json"]
    assert "haven't agreed" in export.loss[0]
    with pytest.raises(BadInput, match="Nobody has rated"):
        release_study(project, store.add_study(new_study(key="other")))


def test_names_of_files_are_safe_and_no_two_alike() -> None:
    people = (Participant("../evil/π", "E", ("a", "A", "b")),)
    papers = {key: PaperText(key, key) for key in ("a", "A", "b")}
    gold = GoldStandard(people, (Rating("../evil/π", "a", 1.0), Rating("../evil/π", "A", 2.0)), papers, {})
    library = {key: LibraryPaper(key, key, source_id="same id/") for key in papers}
    names = [file.name for file in write_release(gold, library).files]
    assert all(".." not in name.split("/") and name.count("/") <= 1 for name in names)
    same = {key: LibraryPaper(key, key, source_id="Same") for key in papers}
    names = [file.name.lower() for file in write_release(gold, same).files]
    assert len(set(names)) == len(names)


def test_what_is_no_data_set_is_refused(project: Project, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="evaluations"):
        import_release(project, tmp_path)
    (tmp_path / "evaluations.csv").write_text("ParticipantID\tPaper1\tExpertise1\np\tx\t3.3\n")
    with pytest.raises(BadInput, match="scale"):
        import_release(project, tmp_path)
    assert SurveyStore(project).studies() == (), "nothing of it stays"


# --- OpenReview ---------------------------------------------------------------------------------------------------

_PAPERS = st.builds(
    PaperText, _IDS, _TEXT, _TEXT, year=st.sampled_from([0, 2020]), authors=st.lists(_TEXT, max_size=2).map(tuple)
)


@given(
    submissions=st.lists(_PAPERS, min_size=1, max_size=3),
    profiles=st.dictionaries(_IDS.map(lambda i: f"~{i}1"), st.lists(_PAPERS, max_size=2).map(tuple), max_size=3),
)
@settings(max_examples=25, deadline=None)
def test_openreview_goes_round(
    tmp_path_factory: pytest.TempPathFactory, submissions: list[PaperText], profiles: dict[str, tuple[PaperText, ...]]
) -> None:
    data = OpenReviewData(tuple(submissions), tuple(sorted(profiles.items())))
    export = write_openreview_expertise(data)
    found = read_openreview_expertise(_written(export, tmp_path_factory.mktemp("o")))
    assert found == data and not export.loss


def test_openreview_in_its_other_shapes(tmp_path: Path) -> None:
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives" / "~Ada_Example1.jsonl").write_text(
        '{"id": "a", "cdate": 1577836800000, "content": {"title": {"value": "T"}, "abstract": {"value": null}}}\n\n'
        '{"content": {"title": "no id"}}\n'
    )
    (tmp_path / "archives" / "~Nobody1.jsonl").write_text("")
    (tmp_path / "submissions.json").write_text('{"s1": {"content": {"title": "S", "authors": ["B"], "year": "2021"}}}')
    found = read_openreview_expertise(tmp_path)
    assert found.profiles == (("~Ada_Example1", (PaperText("a", "T", year=2020),)), ("~Nobody1", ()))
    assert found.submissions == (PaperText("s1", "S", year=2021, authors=("B",)),)
    assert found.warnings == ("~Ada_Example1.jsonl: 1 entry without an id left out.",)
    (tmp_path / "submissions.json").write_text('[{"id": "s1", "content": null}]')
    assert read_openreview_expertise(tmp_path).submissions == (PaperText("s1", ""),)
    (tmp_path / "submissions.json").unlink()
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "s9.jsonl").write_text('{"content": {"title": "S"}}\n')
    assert [s.id for s in read_openreview_expertise(tmp_path).submissions] == ["s9"]


def test_openreview_of_a_study(tmp_path: Path) -> None:
    texts = {key: PaperText(key, key.upper(), body="text") for key in "abc"}
    gold = GoldStandard((Participant("p1", "Ada", ("a", "gone")),), (Rating("p1", "b", 2.0),), texts, {})
    export = write_openreview_expertise(of_gold_standard(gold))
    assert [file.name for file in export.files] == ["archives/~p1.jsonl", "submissions.jsonl"]
    assert "full text of 2 papers" in export.loss[0]
    found = read_openreview_expertise(_written(export, tmp_path))
    assert found.submissions == (replace(texts["b"], body=""),)
    assert archive_name("~A/b:c") == "~A_b_c"
    again = to_gold_standard(found, [Rating("~p1", "b", 2.0)])
    assert again.participants == (Participant("~p1", "p", ("a",)),) and set(again.papers) == {"a", "b"}
    assert of_gold_standard(again) == found


def test_openreview_becomes_a_study_without_ratings(project: Project, tmp_path: Path) -> None:
    data = OpenReviewData(
        (PaperText("s1", "A submission on ferries", "What it says."),),
        (("~Ada_Example1", (PaperText("a1", "Bridges that weigh", "Abstract."), PaperText("a2", "Trams that wait"))),),
    )
    folder = _written(write_openreview_expertise(data), tmp_path / "venue")
    store = SurveyStore(project)
    study = import_openreview_expertise(project, folder)
    assert store.study(study).title == "venue"
    (person,) = store.participants(study)
    assert (person.key, person.name) == ("~Ada_Example1", "Ada Example") and not store.rows(person.id)
    assert [row.paper.title for row in store.profile(person.id)] == ["Bridges that weigh", "Trams that wait"]
    assert {paper.title for paper in store.library.papers()} >= {"A submission on ferries"}
    project.undo()
    assert store.studies() == () and store.library.papers() == ()


@pytest.mark.parametrize("line", ["{broken", '{"content": {"title": "no id"}}'])
def test_a_data_set_of_openreview_is_imported_whole_or_not_at_all(project: Project, tmp_path: Path, line: str) -> None:
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives" / "~Ada1.jsonl").write_text(f'{{"id": "a", "content": {{"title": "T"}}}}\n{line}\n')
    with pytest.raises(BadInput, match="Ada1"):
        import_openreview_expertise(project, tmp_path)
    assert SurveyStore(project).studies() == ()


def test_no_data_set_of_openreview(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no OpenReview data set"):
        read_openreview_expertise(tmp_path)


# --- real data ----------------------------------------------------------------------------------------------------


@pytest.mark.data
def test_the_published_data_go_through_a_project(data_folder: Path, tmp_path: Path) -> None:
    """Imported, released and read again: the same ratings, people and papers, and the very same table."""
    source = data_folder / "expertise"
    gold = read_gold_standard(source)
    with Project.create(tmp_path / "p.rejoinder") as project:
        study = import_release(project, source)
        store = SurveyStore(project)
        assert len(store.participants(study)) == len(gold.participants)
        export = release_study(project, study)
    released = _written(export, tmp_path / "out")
    assert (released / "evaluations.csv").read_text().split() == (source / "evaluations.csv").read_text().split()
    found = read_gold_standard(released)
    assert found.ratings == gold.ratings
    known = set(gold.papers)
    for mine, theirs in zip(found.participants, gold.participants, strict=True):
        assert (mine.id, mine.name) == (theirs.id, theirs.name)
        assert mine.papers == tuple(dict.fromkeys(paper for paper in theirs.papers if paper in known))
    for key, paper in found.papers.items():
        original = gold.papers[key]
        assert (paper.title, paper.abstract, paper.year) == (original.title, original.abstract, original.year)
