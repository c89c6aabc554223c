"""Whatever people decide is adjudicated by somebody who is no party; what they decided stays, and undo works."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from engine.agreement.records import ADJUDICATED, Disagreement, PairedComment, Subject
from engine.agreement.store import LABELS, LINKING, AgreementStore
from engine.agreement.units import Unit, listed, proposed
from engine.calibration.records import ScoreRow
from engine.calibration.store import CalibrationStore
from engine.errors import BadInput
from engine.exchange.adjudicated import data_set
from engine.exchange.studies import Studies
from engine.operations.adjudicating import adjudicate, checked, choices, edit_words, party, passage, units_of
from engine.operations.decisions import adjudicated, compared, decisions, set_done
from engine.operations.packages import add_people, progress
from engine.operations.removing import affected, remove
from engine.operations.results import import_results
from engine.operations.targets import find
from engine.packages.records import Task
from engine.packages.store import WorkStore
from engine.project.invariants import violations
from engine.reviews.records import Span
from engine.shown import shortened
from tests.engine.operations.packaged import Person, at, dealt, lead_project
from tests.engine.operations.test_decisions import WORK, Team

VALUES: dict[Subject, str] = {
    "links": "linked", "states": "answered", "spans": "marked", "labels": "positive", "preferences": "tie",
    "scores": "1.5",
}  # fmt: skip


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    made = Team(tmp_path / "team.rejoinder")
    for task in dict.fromkeys(WORK.values()):
        made.done("Ann", "Ben", "Cem", task=task)
    yield made
    assert violations(made.project) == ()
    made.project.close()


def as_dea(team: Team) -> None:
    """Dea decided on nothing, and says so."""
    team.project.set_annotator("Dea")
    for of in WORK:
        set_done(team.project, of)


def units(team: Team, of: Subject) -> tuple[Unit, ...]:
    return units_of(compared(team.project, of))


def first_open(team: Team, of: Subject) -> Unit:
    open_ = listed(units(team, of), "open")
    return (open_ or units(team, of))[0]


def test_of_numbers_the_median_and_the_mean_are_proposed_with_their_spread(team: Team) -> None:
    as_dea(team)
    found = compared(team.project, "scores")
    unit = next(one for one in units(team, "scores") if one.differs)
    numbers = sorted(float(value) for _, value in unit.said)
    (median, middle, off), (mean, average, error) = unit.proposals
    assert (median, mean) == ("median", "mean")
    assert float(middle) == pytest.approx(statistics.median(numbers))
    assert off == pytest.approx(statistics.mean(abs(one - statistics.median(numbers)) for one in numbers))
    assert float(average) == pytest.approx(statistics.mean(numbers), rel=1e-5)
    assert error == pytest.approx(statistics.stdev(numbers) / len(numbers) ** 0.5)
    assert proposed(*unit.proposals[0]) == ("Median", f"{middle} ± {off:.2g}")
    assert choices("scores", "", unit) == (middle, average) and choices("ratings", "", unit) == (), "0 is no rating"
    assert [one.certainty for one in listed(units(team, "scores"), "all", "unsure")] == sorted(
        one.certainty for one in units(team, "scores")
    )
    header = data_set(found).files[1].content.decode("utf-8-sig").splitlines()[0]
    assert "median,median_spread,mean,mean_spread" in header and "majority" not in header
    assert "standard error" in data_set(found).files[3].content.decode()


@pytest.mark.parametrize("of", WORK)
def test_somebody_who_is_no_party_adjudicates_and_undo_takes_it_back(team: Team, of: Subject) -> None:
    before = decisions(team.project, of)
    team.project.set_annotator("Dea")
    assert decisions(team.project, of) == (), "who isn't done sees nothing, party or not"
    as_dea(team)
    seen = decisions(team.project, of)
    assert {one[:5] for one in seen} == {one[:5] for one in before}
    unit = first_open(team, of)
    adjudicate(team.project, of, unit.where, VALUES[of])
    found = next(one for one in units(team, of) if one.where[0] == unit.where[0])
    assert (found.how, found.value) == ("adjudicated", VALUES[of])
    assert found.said == unit.said and decisions(team.project, of) == seen, "everybody's work stays"
    words = next(one.words or one.unit for one in seen if one.where == unit.where[0])
    assert team.project.undo_title == f"Adjudicate “{shortened(words, 40)}”"
    team.project.undo()
    assert next(one for one in units(team, of) if one.where[0] == unit.where[0]).how == unit.how
    team.project.redo()
    adjudicate(team.project, of, unit.where, None)
    assert next(one for one in units(team, of) if one.where[0] == unit.where[0]).how == unit.how


@pytest.mark.parametrize("of", WORK)
def test_a_party_cannot(team: Team, of: Subject) -> None:
    unit = first_open(team, of)
    assert party(team.project, of, unit)
    with pytest.raises(BadInput, match="You decided on this yourself"):
        adjudicate(team.project, of, unit.where, VALUES[of])
    assert all(one.how != "adjudicated" for one in units(team, of))


@pytest.mark.parametrize("of", WORK)
def test_what_may_not_be_seen_cannot_be_adjudicated(team: Team, of: Subject) -> None:
    unit = first_open(team, of)
    team.project.set_annotator("Dea")
    with pytest.raises(BadInput, match="This wasn't decided by two people whose"):
        adjudicate(team.project, of, unit.where, VALUES[of])


def test_what_was_not_adjudicated_is_not_taken_back(team: Team) -> None:
    as_dea(team)
    unit = next(one for one in units(team, "labels") if one.part == "polarity")
    before = team.project.undo_title
    with pytest.raises(BadInput, match="Nothing was adjudicated here"):
        adjudicate(team.project, "labels", unit.where, None)
    assert team.project.undo_title == before
    with pytest.raises(BadInput, match="can't be marked as done"):
        set_done(team.project, "ratings")


def test_one_annotators_decision_is_no_disagreement(team: Team) -> None:
    team.project.set_annotator("Ann")
    team.labels.set_label(team.text, Span(46, 53), "polarity", ["positive"])
    as_dea(team)
    with pytest.raises(BadInput, match="This wasn't decided by two people whose"):
        adjudicate(team.project, "labels", [(team.text, "polarity", "46-53")], "positive")


def test_marked_words_that_follow_each_other_are_one_unit(team: Team) -> None:
    as_dea(team)
    shown = [(one.words, one.differs) for one in units(team, "spans")]
    assert shown == [
        ("The split is unclear.", False), ("Please", False), ("add an", True), ("ablation.", True), ("Thanks.", False),
    ]  # fmt: skip
    unit = next(one for one in units(team, "spans") if one.words == "add an")
    assert passage(team.project, "spans", unit) == ("The split is unclear. Please ", "add an", " ablation. Thanks.")
    adjudicate(team.project, "spans", unit.where, "not marked")
    rows = {one.words: (one.how, one.value) for one in compared(team.project, "spans").outcomes}
    assert rows["add"] == rows["an"] == ("adjudicated", "not marked") and rows["ablation."][0] == "open"


def test_what_is_decided_on_can_be_read(team: Team) -> None:
    as_dea(team)
    said = "The split is unclear."
    edits = {edit.id: edit for edit in team.revisions.edits(team.revision)}
    for unit in units(team, "links"):
        shown = passage(team.project, "links", unit)
        edit = edits[unit.where[0][2]]
        assert shown[:2] == ("", said if unit.where[0][0] == team.comment else shown[1])
        assert shown[2] == f"{edit.label} · {edit.section or 'no section'}: {edit.target_text}"
    assert edit_words("e7", "2 Data", "All was lost.", "") == "e7 · 2 Data, deleted: All was lost."
    (state,) = (unit for unit in units(team, "states") if unit.where[0][0] == team.comment)
    assert passage(team.project, "states", state) == ("", said, "")
    label = next(unit for unit in units(team, "labels") if unit.part == "polarity")
    assert passage(team.project, "labels", label) == ("", said, " Please add an ablation. Thanks.")
    (pair,) = units(team, "preferences")
    assert passage(team.project, "preferences", pair) == ("", "First: One.\nSecond: Two.", "")
    score = units(team, "scores")[0]
    assert passage(team.project, "scores", score) == ("", score.words, "")


def test_ratings_and_imported_scores(tmp_path: Path) -> None:
    with lead_project(tmp_path / "lead.rejoinder") as project:
        files = [
            at(one, tmp_path / f"{one.stem}.rejoinder", lambda person, k=k: [person.decide(n, k) for n in range(4)])  # type: ignore[misc]
            for k, one in enumerate(dealt(project, tmp_path / "out", "survey"))
        ]
        import_results(project, files)
        unit = listed(units_of(compared(project, "ratings")), "open")[0]
        assert unit.values == ("1", "2") and unit.apart == 1
        project.set_annotator("Ann")
        assert party(project, "ratings", unit)
        with pytest.raises(BadInput, match="yourself"):
            adjudicate(project, "ratings", unit.where, "2")
        project.set_annotator("Lea")
        adjudicate(project, "ratings", unit.where, "1.750")
        found = next(one for one in units_of(compared(project, "ratings")) if one.where == unit.where)
        assert (found.how, found.value) == ("adjudicated", "1.75")
        rows = [ScoreRow("P1", "r", 2.0, 1.0), ScoreRow("P1", "s", 4.0, 1.0)]
        key = CalibrationStore(project).add_table("Scores", rows, origin="import:s.csv")
        adjudicate(project, "scores", [(key, "", "P1")], "3")
        assert [(one.value, one.how) for one in compared(project, "scores").outcomes] == [("3", "adjudicated")]


@pytest.mark.parametrize(
    ("of", "part", "given", "kept"),
    [
        ("labels", "polarity", "positive", "positive"),
        ("labels", "polarity", "positive + negative", None),
        ("labels", "theme", "results +  datasets", "datasets + results"),
        ("labels", "theme", "none + datasets", None),
        ("labels", "theme", "none", "none"),
        ("labels", "theme", "no such label", None),
        ("states", "", "undecided", None),
        ("states", "", "visual_only", "visual_only"),
        ("links", "", "not linked", "not linked"),
        ("preferences", "", "second", "second"),
        ("ratings", "", "3.25", "3.25"),
        ("ratings", "", "3.3", None),
        ("ratings", "", "6", None),
        ("scores", "", "-2.50", "-2.5"),
        ("scores", "", "inf", None),
        ("scores", "", "good", None),
    ],
)  # fmt: skip
def test_values(of: Subject, part: str, given: str, kept: str | None) -> None:
    if kept is None:
        what = {"ratings": "a rating", "scores": "a number"}.get(of, "a valid value here")
        with pytest.raises(BadInput, match=f"” isn't {what}"):
            checked(of, part, given)
    else:
        assert checked(of, part, given) == kept
    assert all(checked(of, part, value) == value for value in choices(of, part))


def test_single_links_and_states_are_in_the_adjudicated_links(team: Team) -> None:
    as_dea(team)
    studies = Studies(team.project)
    before = studies.study(team.paper, ADJUDICATED)
    open_ = [one for one in units(team, "links") if one.how == "open"]
    agreed = next(one for one in units(team, "links") if one.how == "agreed" and one.value == "linked")
    adjudicate(team.project, "links", open_[0].where, "linked")
    adjudicate(team.project, "links", agreed.where, "not linked")
    adjudicate(team.project, "states", [(team.comment, "", "")], "answered")
    after = studies.study(team.paper, ADJUDICATED)
    assert all(UUID(link.id) for link in after.links), "exports name links by IRIs made of their keys"
    assert {link.edit_id for link in before.links} == {agreed.where[0][2]}
    assert {link.edit_id for link in after.links} == {open_[0].where[0][2]}
    assert after.states[team.comment].state == "answered"


def test_the_data_set_says_what_was_adjudicated(team: Team) -> None:
    as_dea(team)
    unit = next(one for one in units(team, "labels") if one.part == "polarity")
    adjudicate(team.project, "labels", unit.where, "positive")
    (file,) = (file for file in data_set(compared(team.project, "labels")).files if file.name == "adjudicated.csv")
    rows = file.content.decode("utf-8-sig").splitlines()
    assert any(row.startswith("polarity,") and ",positive,adjudicated,3," in row for row in rows)
    assert sum(",adjudicated," in row for row in rows) == 1


def test_a_renamed_survey_keeps_them_and_a_removed_review_takes_them_along(team: Team) -> None:
    as_dea(team)
    unit = next(one for one in units(team, "labels") if one.part == "polarity")
    adjudicate(team.project, "labels", unit.where, "positive")
    adjudicate(team.project, "states", [(team.comment, "", "")], "answered")
    review = find(team.project, "review", team.text)
    assert len(affected(team.project, review).rows["unit_adjudication"]) == 2
    remove(team.project, review, others=True)
    assert not team.project.query("SELECT 1 FROM unit_adjudication")
    team.project.undo()
    assert len(team.project.query("SELECT 1 FROM unit_adjudication")) == 2


def test_lists(team: Team) -> None:
    as_dea(team)
    found = units(team, "labels")
    assert [one.part for one in listed(found, "all")] == ["polarity", "theme"]
    assert [one.part for one in listed(found, "all", "apart", "theme")] == ["theme"]
    adjudicate(team.project, "labels", found[0].where, "negative")
    found = units(team, "labels")
    assert [[one.part for one in listed(found, shown)] for shown in ("open", "disagreeing", "adjudicated")] == [
        ["theme"], ["polarity", "theme"], ["polarity"],
    ]  # fmt: skip
    assert found[0].proposals == (("majority", "negative", pytest.approx(2 / 3)),)
    assert found[0].said == (
        (team.keys["Ann"], "neutral"), (team.keys["Ben"], "negative"), (team.keys["Cem"], "negative"),
    )  # fmt: skip


def test_who_gave_nothing_is_done_with_what_others_are(team: Team) -> None:
    team.project.set_annotator("Dea")
    assert set_done(team.project, "labels") == 1 and set_done(team.project, "labels") == 0
    assert set_done(team.project, "links") == 1
    assert team.agreement.own_done(LABELS) == {team.text} and team.agreement.own_done(LINKING) == {team.paper}


# --- in work packages -------------------------------------------------------------------------------------------------


def everything(person: Person, k: int) -> None:
    """The two differ on each item."""
    for n, item in enumerate(person.package.items):
        if person.round.task != "sentences":
            person.decide(n, k)
            continue
        source, start, end = item.split(":")
        label = ("positive", "negative")[k]
        person.labels.set_label(source, Span(int(start), int(end)), "polarity", [label], on_screen=bool(k))


@pytest.mark.parametrize(
    ("task", "of"),
    [("reviews", "states"), ("papers", "links"), ("sentences", "labels"), ("pairs", "preferences"),
     ("survey", "ratings")],
)  # fmt: skip
def test_an_adjudicators_package_comes_back(task: Task, of: Subject, tmp_path: Path) -> None:
    """It holds both sides under numbers; what is adjudicated in it merges, in any order, and is taken back as well."""
    with lead_project(tmp_path / "lead.rejoinder") as project:
        packages = dealt(project, tmp_path / "out", task)
        files = [
            at(one, tmp_path / f"{one.stem}.rejoinder", lambda person, k=k: everything(person, k))  # type: ignore[misc]
            for k, one in enumerate(packages)
        ]
        assert all(one.added for one in import_results(project, files))
        made = WorkStore(project).rounds()[0]
        (cleo,) = add_people(project, made, "adjudicator", ["Cleo"], tmp_path / "out")
        wanted: list[Unit] = []

        def work(person: Person) -> None:
            names = {name for _, name in person.project.annotators()}
            assert names <= {"Lead", "Annotator 1", "Annotator 2", "Cleo"} and "Annotator 2" in names
            own = WorkStore(person.project).own()
            assert own is not None
            wanted.append(listed(units_of(compared(person.project, of)), "open")[0])
            value = next(iter(reversed(wanted[0].values)))
            adjudicate(person.project, of, wanted[0].where, value)
            assert next(u for u in units_of(compared(person.project, of)) if u.key == wanted[0].key).value == value

        results = at(cleo, tmp_path / "cleo.rejoinder", work)
        back = at(
            cleo, tmp_path / "cleo.rejoinder", lambda person: adjudicate(person.project, of, wanted[0].where, None)
        )
        (report,) = import_results(project, [results])
        assert (report.status, report.added, report.left_out) == ("new", 1, 0)
        assert adjudicated(project, of)[wanted[0].where[0]] == wanted[0].values[-1]
        assert [one.same for one in import_results(project, [results])] == [1]
        (cleos,) = [one for one in progress(project, made) if one.role == "adjudicator"]
        assert cleos.decided == 1
        assert [one.removed for one in import_results(project, [back])] == [1]
        import_results(project, [results])
        held = AgreementStore(project).unit_adjudications(of) if of != "preferences" else adjudicated(project, of)
        assert wanted[0].where[0] not in held, "the newer file counts, whatever comes last"


def test_adjudications_of_anything_else_than_the_items_are_left_out(tmp_path: Path) -> None:
    with lead_project(tmp_path / "lead.rejoinder") as project:
        for one in dealt(project, tmp_path / "out", "sentences"):
            import_results(project, [at(one, tmp_path / f"{one.stem}.rejoinder", lambda p: [p.decide(0, 0)])])
        made = WorkStore(project).rounds()[0]
        (cleo,) = add_people(project, made, "adjudicator", ["Cleo"], tmp_path / "out")
        text = project.query("SELECT id FROM source_text")[0][0]

        def work(person: Person) -> None:
            store = AgreementStore(person.project)
            store.adjudicate_units("labels", [(text, "polarity", "1-2")], "positive")
            store.adjudicate_units("spans", [(text, "", "1")], "marked")
            store.adjudicate_units("ratings", [("nowhere", "", "x")], "3")

        (report,) = import_results(project, [at(cleo, tmp_path / "cleo.rejoinder", work)])
        assert report.added == 0
        assert not project.query("SELECT 1 FROM unit_adjudication")


def test_somebody_elses_adjudication_stays(tmp_path: Path) -> None:
    """Two adjudicators of the same items, one at the lead's: what is there is kept."""
    with lead_project(tmp_path / "lead.rejoinder") as project:
        for one in dealt(project, tmp_path / "out", "sentences"):
            import_results(project, [at(one, tmp_path / f"{one.stem}.rejoinder", lambda p: [p.decide(0, 0)])])
        made = WorkStore(project).rounds()[0]
        (cleo,) = add_people(project, made, "adjudicator", ["Cleo"], tmp_path / "out")
        item = WorkStore(project).packages(made.id)[0].items[0].split(":")
        where = (item[0], "polarity", f"{item[1]}-{item[2]}")
        AgreementStore(project).adjudicate_units("labels", [where], "neutral")
        results = at(
            cleo, tmp_path / "cleo.rejoinder",
            lambda p: AgreementStore(p.project).adjudicate_units("labels", [where], "negative"),
        )  # fmt: skip
        (report,) = import_results(project, [results])
        assert (report.added, report.aside) == (0, 1) and adjudicated(project, "labels")[where] == "neutral"


def test_what_two_annotators_linked_is_adjudicated_in_a_package_as_well(tmp_path: Path) -> None:
    with lead_project(tmp_path / "lead.rejoinder") as project:
        for one in dealt(project, tmp_path / "out"):
            import_results(project, [at(one, tmp_path / f"{one.stem}.rejoinder", lambda p: [p.decide(0, 1)])])
        made = WorkStore(project).rounds()[0]
        (cleo,) = add_people(project, made, "adjudicator", ["Cleo"], tmp_path / "out")

        def work(person: Person) -> None:
            acts, keys = person.acts, {name: key for key, name in person.project.annotators()}
            comment = acts.comment(0)
            pair, revision = PairedComment(comment, comment), acts.revision(comment)
            found = Disagreement(
                acts.paper_of(comment), revision, pair, (), (acts.edit(0, 0),), (), "linked", "answered"
            )
            acts.agreement.adjudicate(found, (keys["Annotator 1"], keys["Annotator 2"]), "second")

        (report,) = import_results(project, [at(cleo, tmp_path / "cleo.rejoinder", work)])
        assert (report.added, report.left_out) == (1, 0)
        assert [(one.role, one.decided) for one in progress(project, made)][-1] == ("adjudicator", 1)
