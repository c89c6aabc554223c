"""A work package holds one person's work and, byte by byte, nothing else."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from engine.agreement.linking import disagreements
from engine.documents.records import ParsedDocument
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.exchange.studies import Studies
from engine.operations.erase import erase_target
from engine.operations.packages import (
    add_people,
    feedback,
    items_of,
    open_package,
    progress,
    write_again,
    write_packages,
)
from engine.operations.removing import remove
from engine.operations.results import import_results
from engine.operations.targets import find, targets
from engine.packages.records import TASKS, Package, Round, Settings, Task
from engine.packages.store import WorkStore
from engine.papers.pdf_metadata import pdf_paper
from engine.papers.store import PaperStore
from engine.project import Project
from engine.project.invariants import violations
from engine.rebuttal.preferences.store import PreferenceStore
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from tests.engine.operations.marked_project import World, fill, found_bytes
from tests.engine.operations.packaged import Person, at, dealt, lead_project
from tests.engine.operations.test_erase import key_of

BEN = "BEN-SAID-SO"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with lead_project(tmp_path / "lead.rejoinder") as made:
        yield made


def material(project: Project, task: Task) -> tuple[str, ...]:
    """What the lead's own items are of, before others bring in more."""
    tables = {"pairs": "preference_cluster", "survey": "library_paper"}
    return tuple(row[0] for row in project.query(f"SELECT id FROM {tables.get(task, 'paper')}"))


@pytest.mark.parametrize("task", TASKS)
def test_a_package_has_one_persons_items_and_nothing_else(project: Project, task: Task, tmp_path: Path) -> None:
    """Two other worlds fill every column of every table; nothing of them is in the file, whatever is dealt."""
    of = material(project, task)
    worlds = [World(name, key_of(project, f"Märk of {name}")) for name in ("one", "two")]
    for world in worlds:
        fill(project, world)
    ann, ben = dealt(project, tmp_path / "out", task, of=of, overlap=0.0)
    kept = {p.annotator_id: p for p in WorkStore(project).packages()}
    people = {name: key for key, name in project.annotators()}
    every = items_of(project, task, of)
    assert sorted([*kept[people["Ann"]].items, *kept[people["Ben"]].items]) == sorted(every)
    folder = tmp_path / "opened"
    folder.mkdir()
    open_package(ann, folder / "ann.rejoinder")
    for world in worlds:
        assert found_bytes([folder], world) == {}
    with Project.open(folder / "ann.rejoinder") as package:
        assert package.check() == () and violations(package) == () and package.history() == ()
        own = WorkStore(package).own()
        assert own is not None and own[1].items == kept[people["Ann"]].items
        assert len(WorkStore(package).packages()) == len(WorkStore(package).rounds()) == 1
        names = {name for key, name in package.annotators()}
        assert "Ann" in names and not names & {"Ben", "Bo", "Ada", "Lea"}
        inside = set(items_of(package, task))
    if task in {"papers", "reviews", "survey"}:
        assert inside == set(kept[people["Ann"]].items), "what is not dealt to a person is not in their file"
    assert ben.exists()


@pytest.mark.parametrize("task", ["reviews", "sentences"])
def test_of_the_reviews_of_a_paper_only_those_dealt_are_in_a_package(
    project: Project, task: Task, tmp_path: Path
) -> None:
    every = {row[0] for row in project.query("SELECT id FROM source_text")}
    items = items_of(project, task)
    wanted = min(item.split(":")[0] for item in items)
    kept = [item for item in items if item.startswith(wanted)]
    made = Round("r", "Round", task, "", (), Settings(), project.annotator_id, "2026-01-01T00:00:00.000000Z")
    package = Package("p", "r", "annotator", tuple(kept), project.add_annotator("Ann"))
    WorkStore(project).add_round(made, [package])
    reported: list[float] = []
    path, _ = write_packages(project, made, [package, package], tmp_path / "out", reported.append)
    assert reported == [0, 0.5]
    opened, _ = open_package(path)
    with Project.open(opened) as found:
        assert [row[0] for row in found.query("SELECT id FROM source_text")] == [wanted] and len(every) == 4
        assert {row[0] for row in found.query("SELECT DISTINCT source_id FROM comment")} <= {wanted}


@pytest.mark.parametrize("task", ["papers", "reviews", "sentences"])
def test_reviews_that_name_no_paper_are_dealt_as_those_of_the_only_one(
    project: Project, task: Task, tmp_path: Path
) -> None:
    first, second = targets(project, "paper")
    remove(project, second, others=True)
    with project.action("Take the paper off") as act:
        act.execute("UPDATE source_text SET paper_id = NULL")
    assert items_of(project, task, [first.id]) == items_of(project, task) != {}
    (ann,) = dealt(project, tmp_path / "out", task, ("Ann",), of=(first.id,), overlap=0.0)
    results = at(ann, tmp_path / "ann.rejoinder", lambda person: [person.decide(n, n) for n in range(6)])
    with Project.open(tmp_path / "ann.rejoinder") as package:
        texts = "SELECT id FROM source_text ORDER BY id"
        assert package.query(texts) == project.query(texts) and len(targets(package, "paper")) == 1
        assert (task == "sentences") != bool(package.query("SELECT 1 FROM edit"))
    (report,) = import_results(project, [results])
    assert report.added > 2 and report.left_out == report.aside == 0


@pytest.mark.parametrize("task", ["reviews", "pairs"])
def test_where_texts_came_from_is_not_in_a_package(project: Project, task: Task, tmp_path: Path) -> None:
    with project.action("Origins") as act:
        act.execute("UPDATE source_text SET origin = 'import:http://intern.example:8000/review.txt'")
        for table in ("cluster_sentence", "rebuttal_candidate"):
            act.execute(f"UPDATE {table} SET source_id = 'intern.example'")
    ann, _ = dealt(project, tmp_path / "out", task)
    path, _ = open_package(ann, tmp_path / "ann.rejoinder")
    assert b"intern.example" not in path.read_bytes()


@pytest.mark.parametrize("task", TASKS)
def test_nobody_sees_what_others_decided_on_the_same_items(project: Project, task: Task, tmp_path: Path) -> None:
    _, ben = dealt(project, tmp_path / "out", task)
    results = at(ben, tmp_path / "ben.rejoinder", lambda person: [person.decide(n, n) for n in range(9)])
    assert import_results(project, [results])[0].added > 0
    with project.action("Notes") as act:
        for table in ("edit_link", "comment_state", "preference_judgement", "rating"):
            act.execute(f"UPDATE {table} SET note = ?", (BEN,))
        act.execute("UPDATE sentence_label SET origin = ?", (BEN,))
        act.execute("UPDATE participant SET answers = ?", (f'[["q", "{BEN}"]]',))
    key = next(key for key, name in project.annotators() if name == "Ben")
    (ann,) = dealt(project, tmp_path / "again", task, ("Ann",), overlap=0.0)
    made = WorkStore(project).rounds()[0]
    if task in {"papers", "reviews", "pairs"}:
        (cleo,) = add_people(project, made, "adjudicator", ["Cleo"], tmp_path / "out")
    for package, there in ((ann, False), *([(cleo, True)] if task in {"papers", "reviews", "pairs"} else [])):
        path, _ = open_package(package, tmp_path / f"{package.stem}.rejoinder")
        content = path.read_bytes()
        assert (BEN.encode() in content) is there
        assert (key.encode() in content) is there
        assert b"Ben" not in content.replace(BEN.encode(), b"")


def test_an_adjudicator_sees_both_sides_without_names_and_is_no_party(project: Project, tmp_path: Path) -> None:
    packages = dealt(project, tmp_path / "out")
    files = [
        at(one, tmp_path / f"{one.stem}.rejoinder", lambda person, k=k: [person.decide(n, 2 * k) for n in range(12)])  # type: ignore[misc]
        for k, one in enumerate(packages)
    ]
    import_results(project, files)
    made = WorkStore(project).rounds()[0]
    with pytest.raises(BadInput, match="can't adjudicate"):
        add_people(project, made, "adjudicator", ["Ann"], tmp_path / "out")
    (cleo,) = add_people(project, made, "adjudicator", ["Cleo"], tmp_path / "out")

    def adjudicate(person: Person) -> None:
        assert {name for _, name in person.project.annotators()} == {"Lead", "Annotator 1", "Annotator 2", "Cleo"}
        parties = [key for key, name in person.project.annotators() if name.startswith("Annotator")]
        studies = Studies(person.project)
        found = [one for work in studies.paper_works(*parties) for one in disagreements(work)]  # type: ignore[call-arg]
        assert found
        studies.agreement.adjudicate(found[0], (parties[0], parties[1]), "first")

    results = at(cleo, tmp_path / "cleo.rejoinder", adjudicate)
    before = project.query("SELECT count(*) FROM adjudication")[0][0]
    (report,) = import_results(project, [results])
    assert (report.status, report.added) == ("new", 1)
    assert project.query("SELECT count(*) FROM adjudication")[0][0] == before + 1
    (again,) = write_again(project, made, ["Cleo"], tmp_path / "again")
    path, _ = open_package(again, tmp_path / "again.rejoinder")
    with Project.open(path) as package:
        assert package.query("SELECT count(*) FROM adjudication")[0][0] == 1, "what Cleo had decided"
    (olaf,) = add_people(project, made, "observer", ["Olaf"], tmp_path / "out")
    with pytest.raises(BadInput, match="Observers don't decide"):
        at(olaf, tmp_path / "olaf.rejoinder", lambda person: None)


def test_an_observer_of_a_survey_sees_answers_and_no_names(project: Project, tmp_path: Path) -> None:
    _, ben = dealt(project, tmp_path / "out", "survey")
    results = at(ben, tmp_path / "ben.rejoinder", lambda person: [person.decide(n, n) for n in range(3)])
    import_results(project, [results])
    with project.action("Name them") as act:
        act.execute("UPDATE participant SET name = 'Somebody Real'")
    (olaf,) = add_people(project, WorkStore(project).rounds()[0], "observer", ["Olaf"], tmp_path / "out")
    opened, _ = open_package(olaf, tmp_path / "olaf.rejoinder")
    assert b"Somebody Real" not in opened.read_bytes()
    with Project.open(opened, read_only=True) as package:
        assert {row[0] for row in package.query("SELECT name FROM participant")} == {""}


def test_authors_are_hidden_in_every_byte(tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "resources" / "sample" / "sample.rejoinder"
    path = tmp_path / "lead.rejoinder"
    with Project.open(source, read_only=True) as sample:
        sample.save_copy(path)
    with Project.open(path, annotator="Lea") as project:
        documents = DocumentStore(project)
        authors = {a for d in documents.documents() if (p := documents.parsed(d.id)) for a in pdf_paper(p).authors}
        with project.action("Name them elsewhere") as act:
            act.execute("UPDATE document SET filename = 'Jansson-final.pdf', origin = 'import:Jansson-final.pdf'")
            act.execute("UPDATE comment SET response = response || ' Thanks, Zoë Jansson (zoe@jansson.se).'")
        shown, hidden = (
            dealt(project, tmp_path / name, people=("Ann",), overlap=0.0, **how)
            for name, how in (("shown", {}), ("hidden", {"hide_authors": True, "names": ("Zoë Jansson",)}))
        )
    surnames = {author.split()[-1] for author in authors} | {"Jansson"}
    for package, there in ((shown[0], True), (hidden[0], False)):
        opened, _ = open_package(package, tmp_path / f"{there}.rejoinder")
        content = opened.read_bytes()
        with Project.open(opened) as project:
            parsed = [DocumentStore(project).parsed(d.id) for d in DocumentStore(project).documents()]
            words = " ".join(p.text for one in parsed if one for p in one.paragraphs)
            assert bool(project.query("SELECT 1 FROM blob")) is there
            assert any(name in words for name in surnames - {"Jansson"}) is there
            assert sum(word == "the" for word in words.split()) > 100, "the rest can be read"
            assert violations(project) == ()
        for name in surnames if not there else ():
            assert name.encode() not in content and name not in words
    with Project.open(tmp_path / "False.rejoinder") as project:
        (text,) = project.query("SELECT response FROM comment LIMIT 1")[0]
        assert text.endswith(f"Thanks, {'█' * 11} ({'█' * 14}).")


def test_names_that_were_to_be_hidden_are_not_in_a_package(project: Project, tmp_path: Path) -> None:
    (package,) = dealt(project, tmp_path / "out", people=("Ann",), overlap=0.0, names=("Nora Quiet",))
    opened, _ = open_package(package, tmp_path / "opened.rejoinder")
    assert b"Nora Quiet" not in opened.read_bytes()
    with Project.open(opened) as inside:
        (theirs,) = WorkStore(inside).rounds()
    (ours,) = WorkStore(project).rounds()
    assert (ours.settings.names, theirs.settings) == (("Nora Quiet",), replace(ours.settings, names=()))


def test_authors_that_nobody_knows_are_not_said_to_be_hidden(project: Project, tmp_path: Path) -> None:
    documents = DocumentStore(project)
    for one in documents.documents():
        documents.save_parsed(one.id, ParsedDocument(one.sha256, (), (), "test", 0.0))
    before = project.history(1)
    with pytest.raises(BadInput, match="doesn't know who wrote"):
        dealt(project, tmp_path / "out", hide_authors=True)
    assert WorkStore(project).rounds() == () and not list((tmp_path).glob("out/*"))
    assert project.history(1) == before and len(dealt(project, tmp_path / "out")) == 2


def test_order_is_each_persons_own_and_the_same_again(project: Project, tmp_path: Path) -> None:
    for number in range(2, 8):
        PaperStore(project).add_paper(f"Paper {number}")
    for number, seed in enumerate((5, 5, 6)):
        dealt(project, tmp_path / str(number), "sentences", seed=seed)
    store = WorkStore(project)
    one, two, three = ([package.items for package in store.packages(made.id)] for made in store.rounds())
    assert one == two and one != three and one[0] != one[1] and set(one[0]) == set(one[1])


def test_opening_again_goes_on_and_never_writes_over_anything(project: Project, tmp_path: Path) -> None:
    ann, ben = dealt(project, tmp_path / "out")
    path, manifest = open_package(ann)
    assert path == ann.with_suffix(".rejoinder") and (manifest.person, manifest.role) == ("Ann", "annotator")
    with Project.open(path, annotator="Ann") as package:
        package.set_title("Mine")
    assert open_package(ann)[0] == path
    with Project.open(path, read_only=True) as package:
        assert package.title == "Mine"
    with pytest.raises(BadInput, match="already exists and is a different project"):
        open_package(ben, path)


@pytest.mark.parametrize("damage", ["cut", "byte", "member", "manifest", "foreign", "newer"])
def test_a_damaged_package_is_refused_and_nothing_is_written(project: Project, damage: str, tmp_path: Path) -> None:
    (ann,) = dealt(project, tmp_path / "out", people=("Ann",), overlap=0.0)
    content = ann.read_bytes()
    if damage == "cut":
        ann.write_bytes(content[: len(content) // 2])
    elif damage == "byte":
        at_ = len(content) // 2
        ann.write_bytes(content[:at_] + bytes([content[at_] ^ 1]) + content[at_ + 1 :])
    elif damage == "foreign":
        ann.write_bytes(b"%PDF-1.7")
    else:
        with zipfile.ZipFile(ann) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        if damage == "member":
            members["../evil"] = b"x"
        else:
            old, new = (b'"Ann"', b'"Bob"') if damage == "manifest" else (b'"version": 1', b'"version": 2')
            assert old in members["manifest.json"]
            members["manifest.json"] = members["manifest.json"].replace(old, new)
        with zipfile.ZipFile(ann, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
    with pytest.raises(BadInput):
        open_package(ann, tmp_path / "opened.rejoinder")
    assert not (tmp_path / "opened.rejoinder").exists() and not list(tmp_path.glob("*unfinished*"))


def test_erasing_a_paper_or_a_person_takes_them_out_of_packages(project: Project, tmp_path: Path) -> None:
    dealt(project, tmp_path / "out")
    review = WorkStore(project).packages()[0].items[0]
    erase_target(project, find(project, "review", review))
    assert all(review not in package.items for package in WorkStore(project).packages())
    assert all(len(package.items) == 3 for package in WorkStore(project).packages())
    erase_target(project, find(project, "annotator", "Ben"))
    assert [dict(project.annotators())[p.annotator_id] for p in WorkStore(project).packages()] == ["Ann"]


def test_progress_says_how_far_people_agree_with_others_and_not_with_themselves(
    project: Project, tmp_path: Path
) -> None:
    said: dict[str, Literal["left", "right"]] = {"Ann": "left", "Ben": "right"}
    packages = dealt(project, tmp_path / "out", "pairs")
    (made,) = WorkStore(project).rounds()
    (cluster,) = PreferenceStore(project).clusters()
    first, second = min(WorkStore(project).packages(made.id)[0].items).split(":")[:2]
    for package in packages:

        def work(person: Person) -> None:
            answer = said[dict(person.project.annotators())[person.project.annotator_id]]
            PreferenceStore(person.project).judge(cluster.id, first, second, answer)

        import_results(project, [at(package, tmp_path / f"{package.stem}.rejoinder", work)])
    assert {(one.trained, one.training) for one in progress(project, made)} == {(0, 0)}
    found = {one.person: one.agreed.value for one in progress(project, made)}
    assert found == {"Ann": 0.0, "Ben": 0.0}


def test_a_lost_package_is_written_again_as_it_was_dealt_with_what_came_back(project: Project, tmp_path: Path) -> None:
    ann, _ = dealt(project, tmp_path / "out", "sentences")
    before = WorkStore(project).packages()
    results = at(ann, tmp_path / "ann.rejoinder", lambda person: [person.decide(n, n) for n in range(3)])
    import_results(project, [results])
    made = WorkStore(project).rounds()[-1]
    with pytest.raises(BadInput, match="Lea has no package"):
        write_again(project, made, ["Ann", "Lea"], tmp_path / "again")
    assert not (tmp_path / "again").exists()
    (again,) = write_again(project, made, ["Ann"], tmp_path / "again")
    assert [replace(one, held=()) for one in WorkStore(project).packages()] == list(before), "nothing is dealt"
    more = at(again, tmp_path / "second.rejoinder", lambda person: person.decide(3, 3))
    (report,) = import_results(project, [more])
    assert (report.status, report.added, report.same, report.removed) == ("new", 1, 3, 0)
    with Project.open(tmp_path / "second.rejoinder") as opened:
        own = WorkStore(opened).own()
        assert own is not None and (own[1].id, own[1].items) == (before[0].id, before[0].items)
        assert BEN not in {name for _, name in opened.annotators()}


def test_the_project_in_a_package_is_compressed(project: Project, tmp_path: Path) -> None:
    ann, _ = dealt(project, tmp_path / "out", "sentences")
    with zipfile.ZipFile(ann) as archive:
        assert all(2 * one.compress_size < one.file_size for one in archive.infolist() if one.file_size > 10_000)


@pytest.mark.parametrize("people", [("Ann", "Ann"), ("Ann", " Ann"), ("Ann", ""), ("Ann", "  ")])
def test_each_person_needs_a_name_of_their_own(project: Project, people: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="needs a different name"):
        dealt(project, tmp_path / "out", people=people)
    assert WorkStore(project).rounds() == () and not (tmp_path / "out").exists()


@pytest.mark.parametrize("task", TASKS)
def test_a_package_shows_its_title_and_its_items_in_the_persons_order(
    project: Project, task: Task, tmp_path: Path
) -> None:
    with project.action("Plan") as act:
        for cluster in PreferenceStore(project).clusters():
            values = {"schedule": "adaptive", "overlap": 0.5, "basis": "Lea", "team": ["Lea", "Ann"]}
            act.update("preference_cluster", cluster.id, values)
    lead = [row[0] for row in project.query("SELECT id FROM paper ORDER BY position")]
    for package in dealt(project, tmp_path / "out", task, seed=3):
        open_package(package)
    made = [*tmp_path.glob("out/*.rejoinder")]
    assert len(made) == 2
    orders, moved = set(), False
    for path in made:
        with Project.open(path, read_only=True) as package:
            own = WorkStore(package).own()
            assert own is not None and package.title == own[0].title == f"Round of {task}"
            orders.add(own[1].items)
            tables = {"papers": "paper", "reviews": "source_text", "sentences": "source_text", "survey": "rating"}
            if task in tables:
                column = "paper_id" if task == "survey" else "id"
                rows = package.query(f"SELECT {column} FROM {tables[task]} ORDER BY position")
                items = list(dict.fromkeys(item.split(":")[0] for item in own[1].items))
                assert [row[0] for row in rows] == items
            if task in {"reviews", "sentences"}:  # the papers too are in the order in which their texts come first
                of = dict(package.query("SELECT id, paper_id FROM source_text"))
                papers = [row[0] for row in package.query("SELECT id FROM paper ORDER BY position")]
                assert papers == list(dict.fromkeys(of[text] for text in items))
                moved |= papers != lead
            if task == "survey":
                assert len(package.query("SELECT 1 FROM participant")) == 1
            for row in package.query("SELECT schedule, overlap, basis, team FROM preference_cluster"):
                assert tuple(row) == ("exhaustive", 1.0, "all", "[]")
    assert len(orders) > 1 and moved is (task in {"reviews", "sentences"})


def test_the_training_set_comes_first_and_is_answered_when_the_person_has_decided(
    project: Project, tmp_path: Path
) -> None:
    sentences = list(items_of(project, "sentences"))
    labels = LabelStore(project)
    for item in sentences[:3]:
        text, start, end = item.split(":")
        labels.set_label(text, Span(int(start), int(end)), "polarity", ["negative"])
    with pytest.raises(BadInput, match="decided on only 3 of the items, but the training set needs 4"):
        dealt(project, tmp_path / "out", "sentences", training=4)
    ann, _ = dealt(project, tmp_path / "out", "sentences", training=2)
    (made,) = WorkStore(project).rounds()
    trained = [known.item for known in made.training]
    assert set(trained) < set(sentences[:3]) and feedback(project) == ()
    assert all(list(one.items[:2]) == trained for one in WorkStore(project).packages())
    before = {one.person: (one.items, one.decided, one.trained, one.training) for one in progress(project, made)}
    assert before == {name: (len(sentences) - 2, 0, 0, 2) for name in ("Ann", "Ben")}

    def work(person: Person) -> None:
        said = feedback(person.project)
        assert [(one.item, one.own, one.known, one.right) for one in said] == [
            (item, None, None, None) for item in trained
        ]
        for item, label in zip([*trained, sentences[3]], ("negative", "positive", "neutral"), strict=True):
            text, start, end = item.split(":")
            person.labels.set_label(text, Span(int(start), int(end)), "polarity", [label])
        assert [one.right for one in feedback(person.project)] == [True, False]
        assert all(one.known == {"polarity": ["negative"]} for one in feedback(person.project))

    import_results(project, [at(ann, tmp_path / "ann.rejoinder", work)])
    after = {one.person: (one.decided, one.right, one.trained, bool(one.came)) for one in progress(project, made)}
    assert after == {"Ann": (1, 1, 2, True), "Ben": (0, 0, 0, False)}
    for path in add_people(project, made, "observer", ["Olaf"], tmp_path / "out"):
        opened, _ = open_package(path)
        with Project.open(opened, read_only=True) as package:
            own = WorkStore(package).own()
            assert own is not None and own[0].training == () and not set(own[1].items) & set(trained)


def test_who_can_be_added_to_a_round(project: Project, tmp_path: Path) -> None:
    dealt(project, tmp_path / "out", "sentences", overlap=0.0)
    (made,) = WorkStore(project).rounds()
    with pytest.raises(BadInput, match="assigned only once"):
        add_people(project, made, "annotator", ["Cem"], tmp_path / "out")
    with pytest.raises(BadInput, match="No item was assigned to several people"):
        add_people(project, made, "adjudicator", ["Cem"], tmp_path / "out")
    with pytest.raises(BadInput, match="Ann already has a package in this round"):
        add_people(project, made, "observer", ["Cem", "Ann "], tmp_path / "out")
    with pytest.raises(BadInput, match="needs a different name"):
        add_people(project, made, "observer", ["Cem", "Cem "], tmp_path / "out")
    assert len(WorkStore(project).packages()) == 2
    add_people(project, made, "observer", ["Cem", "Dea"], tmp_path / "out")
    people = dict(project.annotators())
    seen = {people[one.annotator_id]: set(one.items) for one in WorkStore(project).packages()}
    assert seen["Cem"] == seen["Dea"] == set(items_of(project, "sentences"))


def test_nothing_is_kept_of_a_round_that_could_not_be_written(project: Project, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="out"):
        dealt(project, tmp_path / "out")
    assert WorkStore(project).rounds() == () and WorkStore(project).packages() == ()
    with pytest.raises(BadInput, match="nothing to assign"):
        dealt(project, tmp_path / "new", "survey", of=("no such paper",))


def test_nobody_is_added_whose_package_could_not_be_written(project: Project, tmp_path: Path) -> None:
    dealt(project, tmp_path / "out")
    before, (made,) = WorkStore(project).packages(), WorkStore(project).rounds()
    (tmp_path / "new").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="new"):
        add_people(project, made, "observer", ["Cem"], tmp_path / "new")
    assert WorkStore(project).packages() == before and WorkStore(project).rounds() == (made,)


def test_work_in_a_survey_goes_on_in_a_package_that_is_written_again(project: Project, tmp_path: Path) -> None:
    (ann,) = dealt(project, tmp_path / "out", "survey", ("Ann",), overlap=0.0)
    import_results(project, [at(ann, tmp_path / "ann.rejoinder", lambda person: person.decide(0, 3))])
    (made,) = WorkStore(project).rounds()
    (again,) = write_again(project, made, ["Ann"], tmp_path / "again")
    path, _ = open_package(again)
    with Project.open(path, read_only=True) as package:
        assert len(package.query("SELECT 1 FROM participant")) == 1
        assert [row[0] for row in package.query("SELECT value FROM rating WHERE value IS NOT NULL")] == [4.0]
