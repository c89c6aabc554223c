"""What people decided as tables: who may see it, what counts, and the same figures as Linking's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.agreement.compared import Decision, compare, table_of
from engine.agreement.linking import agreement
from engine.agreement.records import SUBJECTS, Subject
from engine.agreement.store import BENCHMARK, LABELS, LINKING, PREFERENCES, AgreementStore
from engine.calibration.records import ScoreRow
from engine.calibration.store import CalibrationStore
from engine.documents.store import DocumentStore
from engine.exchange.studies import Studies
from engine.measures.annotators import MISSING
from engine.operations.decisions import decisions, first_subject, taken
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.rebuttal.preferences.records import NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, ReviewSet
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.records import Review
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.records import Edit, RevisionDiff
from engine.revision.store import RevisionStore

SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample" / "sample.rejoinder"
TEXT = "The split is unclear. Please add an ablation. Thanks."
WORK: dict[Subject, str] = {
    "links": LINKING, "states": LINKING, "spans": LINKING, "labels": LABELS, "preferences": PREFERENCES,
    "scores": BENCHMARK,
}  # fmt: skip
"""What people do themselves, and what they say that they are done with."""


class Team:
    """A project with one paper, on which Ann, Ben and Cem do one thing of each kind."""

    def __init__(self, path: Path) -> None:
        self.project = project = Project.create(path, "Team", "Ann")
        papers, documents = PaperStore(project), DocumentStore(project)
        self.paper = papers.add_paper("Paper")
        keys = [documents.add_document(b"%PDF-1.7 " + n.encode(), f"{n}.pdf") for n in ("old", "new")]
        for key, label in zip(keys, (SUBMITTED, REVISED), strict=True):
            papers.add_version(self.paper, key, label)
        comment = Comment("c", "r", "R1", "The split is unclear.", spans=(Span(0, 21),))
        bundle = ReviewBundle((SourceText("r", "Review", TEXT, reviewer="R1"),), (comment,))
        self.reviews = ReviewStore(project)
        self.reviews.import_bundle(bundle, "review.txt", paper_id=self.paper)
        self.text, self.comment = self.reviews.texts()[0].id, self.reviews.comments()[0].id
        self.revisions = RevisionStore(project)
        edits = tuple(
            Edit(f"e{n}", "added", "add", False, (), (f"t{n}",), "", f"Text {n}.", "", 0, 2) for n in range(4)
        )
        self.revision = self.revisions.save_diff(*keys, RevisionDiff(edits, ())).revision_id
        self.edits = [edit.id for edit in self.revisions.edits(self.revision)]
        self.preferences = PreferenceStore(project)
        new = NewCluster("Substance", "Data", "answer", (), (NewSentence("One."), NewSentence("Two.")))
        self.cluster = self.preferences.add_clusters([new])[0].id
        self.benchmarks = BenchmarkStore(project)
        self.benchmark = self.benchmarks.create("Bench")
        paper = BenchmarkPaper(id="x", external_id="x", title="Paper", text="Words.")
        review = BenchmarkReview(id="1", paper_id="x", source="ours", review=Review(summary="Good."))
        self.benchmarks.add(self.benchmark, ReviewSet(papers=(paper,), reviews=(review,)), "import:f.json")
        self.labels, self.agreement = LabelStore(project), AgreementStore(project)
        self.subjects = {LINKING: self.paper, LABELS: self.text, PREFERENCES: self.cluster, BENCHMARK: self.benchmark}
        self.keys = {
            name: project.annotator_id if name == "Ann" else project.add_annotator(name)
            for name in ["Ann", "Ben", "Cem"]
        }
        for name in self.keys:
            self.work(name)
        project.set_annotator("Ann")

    def work(self, name: str) -> None:
        at = list(self.keys).index(name)
        self.project.set_annotator(name)
        self.revisions.link_comment(self.comment, self.edits[0])
        if name != "Cem":
            self.revisions.link_comment(self.comment, self.edits[1 + at])
        self.reviews.add_comment(self.text, [Span(22, 45 - 9 * at)])
        self.labels.set_label(self.text, Span(0, 21), "polarity", ["negative" if at else "neutral"])
        self.labels.set_label(self.text, Span(0, 21), "theme", ["datasets", "results"][: 1 + (at > 0)])
        first, second = [one.id for one in self.preferences.candidates(self.cluster)]
        self.preferences.judge(self.cluster, first, second, "left")
        self.preferences.judge(self.cluster, second, first, "left" if at else "right", repeat=True)
        review = self.benchmarks.read(self.benchmark).reviews[0].id
        self.benchmarks.rate(review, "critique-clarity", at - 1)

    def done(self, *names: str, task: str) -> None:
        for name in names:
            self.project.set_annotator(name)
            self.agreement.set_done(self.subjects[task], True, task=task)
        self.project.set_annotator("Ann")

    def who(self, of: Subject) -> set[str]:
        names = {key: name for name, key in self.keys.items()}
        return {names[one.annotator] for one in decisions(self.project, of)}


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    made = Team(tmp_path / "team.rejoinder")
    yield made
    made.project.close()


@pytest.mark.parametrize("of", WORK)
def test_nobody_sees_anothers_work_before_both_are_done(team: Team, of: Subject) -> None:
    task = WORK[of]
    assert team.who(of) == {"Ann"}, "nobody is done"
    team.done("Ben", task=task)
    assert team.who(of) == {"Ann"}, "Ann is not done"
    assert all(not one.coefficients for one in compare(decisions(team.project, of), SUBJECTS[of].scale))
    team.done("Ann", task=task)
    assert team.who(of) == {"Ann", "Ben"}, "Cem is not done"
    assert any(one.coefficients for one in compare(decisions(team.project, of), SUBJECTS[of].scale))
    team.project.set_annotator("Cem")
    assert team.who(of) == {"Cem"}
    others = set(WORK.values()) - {task}
    team.project.set_annotator("Ann")
    assert all(team.who(kind) == {"Ann"} for kind, other in WORK.items() if other in others), "done with this alone"


@pytest.mark.parametrize("of", WORK)
def test_history_doesnt_say_what_another_decided(team: Team, of: Subject) -> None:
    task = WORK[of]
    words_of_it = {LINKING: "Link “", LABELS: "Label ", PREFERENCES: "Prefer ", BENCHMARK: "Score "}[task]

    def shown() -> set[str]:
        entries = team.project.history()
        titles = zip(entries, team.agreement.titles(entries), strict=True)
        return {one.annotator for one, title in titles if title.startswith(words_of_it)}

    assert shown() == {"Ann"}
    team.done("Ann", "Ben", task=task)
    assert shown() == {"Ann", "Ben"}


def test_what_counts_of_linking(team: Team) -> None:
    team.done("Ann", "Ben", "Cem", task=LINKING)
    linked = [(one.annotator, one.unit.split()[1]) for one in decisions(team.project, "links") if one.value == "linked"]
    names = {key: name for name, key in team.keys.items()}
    edits = {edit: n for n, edit in enumerate(team.edits)}
    assert sorted((names[who], edits[edit]) for who, edit in linked) == [
        ("Ann", 0), ("Ann", 1), ("Ben", 0), ("Ben", 2), ("Cem", 0),
    ]  # fmt: skip
    when = {(one.annotator, one.unit.split()[1]): one.at for one in decisions(team.project, "links")}
    for who, edit, at in team.project.query("SELECT annotator_id, edit_id, created_at FROM edit_link"):
        assert when[who, edit] == at
    assert all(when.values())
    (links,) = compare(decisions(team.project, "links"))
    assert links.units == 4 and links.papers == 1 and isnan(links.coefficients["alpha"].low)
    assert links.coefficients["observed"].value == pytest.approx((1 + 1 / 3 + 1 / 3 + 1) / 4)
    words = {(names[one.annotator], one.words) for one in decisions(team.project, "spans") if one.value == "marked"}
    assert {word for who, word in words if who == "Ann"} == {"Please", "add", "an", "ablation."}
    assert {word for who, word in words if who == "Ben"} == {"Please", "add", "an"}
    assert len([one for one in decisions(team.project, "spans") if names[one.annotator] == "Cem"]) == 9


def test_a_comment_that_several_marked_over_each_other_is_one(team: Team) -> None:
    names = {key: name for name, key in team.keys.items()}
    for name in team.keys:
        team.project.set_annotator(name)
        markers = team.reviews.markers()
        (own,) = [comment.id for comment in team.reviews.comments() if names.get(markers.get(comment.id, "")) == name]
        team.revisions.set_comment_state(team.revision, own, "answered" if name != "Cem" else "not_addressed")
        team.revisions.link_comment(own, team.edits[3]) if name == "Ben" else None
    team.done("Ann", "Ben", "Cem", task=LINKING)
    states: dict[str, list[tuple[str, str]]] = {one.unit: [] for one in decisions(team.project, "states")}
    for one in decisions(team.project, "states"):
        states[one.unit].append((names[one.annotator], one.value))
    assert len(states) == 2 and states[team.comment] == [(name, "linked") for name in ("Ann", "Ben", "Cem")]
    (marked,) = (said for unit, said in states.items() if unit != team.comment)
    assert sorted(marked) == [("Ann", "answered"), ("Ben", "answered"), ("Cem", "not_addressed")]
    linked = [
        one for one in decisions(team.project, "links") if one.value == "linked" and one.where[2] == team.edits[3]
    ]
    assert [(names[one.annotator], one.where[0]) for one in linked] == [
        ("Ben", next(u for u in states if u != team.comment))
    ]
    seen = [one for one in decisions(team.project, "links", groups=("all",)) if one.where[0] == team.comment]
    assert len(seen) == 3 * len(team.edits)


def test_only_what_is_asked_for_is_read(team: Team) -> None:
    for of, task in WORK.items():
        team.done("Ann", "Ben", "Cem", task=task)
        every = decisions(team.project, of)
        for subject in {one.where[0] for one in every}:
            found = decisions(team.project, of, only={subject})
            assert {one.where for one in found} >= {one.where for one in every if one.where[0] == subject}
        assert decisions(team.project, of, only={"no such subject"}) == ()


def test_what_somebody_did_of_each_kind_is_the_first_subject(team: Team, tmp_path: Path) -> None:
    assert first_subject(team.project) == "labels"
    for table, of in (("sentence_label", "preferences"), ("preference_judgement", "scores"), ("rubric_rating", None)):
        with team.project.action("Without") as act:
            act.execute(f"DELETE FROM {table}")
        assert first_subject(team.project) == of


def test_labels_by_layer_and_by_label(team: Team) -> None:
    team.done("Ann", "Ben", "Cem", task=LABELS)
    by_layer = {one.part: one for one in compare(decisions(team.project, "labels"))}
    assert set(by_layer) == {"polarity", "theme"}
    assert by_layer["polarity"].coefficients["observed"].value == pytest.approx(1 / 3)
    themes = by_layer["theme"]
    assert themes.coefficients["observed"].value == pytest.approx(1 / 3), "two of three sets are the same"
    specific = {label: value.value for label, (value, _) in themes.classes.items()}
    assert specific == {"datasets": pytest.approx(1), "results": pytest.approx(0.5)}


def test_a_referees_second_score_of_an_item_is_a_repetition(team: Team) -> None:
    scores = [
        ScoreRow("A", "Rita", 3.0, 1.0),
        ScoreRow("A", "Rita", 5.0, 1.0),
        ScoreRow("A", "Sam", 4.0, 1.0),
        ScoreRow("B", "Rita", 2.0, 1.0),
    ]
    CalibrationStore(team.project).add_table("Scores", scores, origin="import:s.csv")
    found = [one for one in decisions(team.project, "scores") if one.part == "Scores"]
    assert [(one.unit, one.annotator, one.value, one.repeat) for one in found] == [
        ("A", "Rita", "3", False), ("A", "Rita", "5", True), ("A", "Sam", "4", False), ("B", "Rita", "2", False),
    ]  # fmt: skip


@pytest.mark.parametrize("of", SUBJECTS)
def test_every_decision_says_what_it_is_about(of: Subject, team: Team) -> None:
    for task in {*WORK.values()}:
        team.done("Ann", "Ben", "Cem", task=task)
    CalibrationStore(team.project).add_table("Scores", [ScoreRow("A", "Rita", 3.0, 1.0)], origin="import:s.csv")
    found = decisions(team.project, of)
    assert all(one.words for one in found) and (found or of == "ratings")


def test_repeated_pairs_are_self_agreement_and_no_second_vote(team: Team) -> None:
    team.done("Ann", "Ben", task=PREFERENCES)
    (found,) = compare(decisions(team.project, "preferences"))
    assert found.units == 1 and found.coefficients["observed"].value == 1
    assert {one.annotator: one.repeated.value for one in found.people} == {team.keys["Ann"]: 1.0, team.keys["Ben"]: 0.0}


def test_the_samples_figures_are_those_of_linking(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, path := tmp_path / "s.rejoinder")
    with Project.open(path, read_only=True) as project:
        pair = [key for key, _ in project.annotators()]
        of_two = agreement(Studies(project).paper_works(pair[0], pair[1])).overall.estimates
        (links,) = compare(decisions(project, "links"))
        (states,) = compare(decisions(project, "states"))
        ratings = compare(decisions(project, "ratings"), "interval")
        (suggested,) = taken(project, "links")
        said = dict(
            tuple(row) for row in project.query("SELECT decision, count(*) FROM suggestion_decision GROUP BY 1")
        )
        project.annotator_id = "somebody else"
        assert taken(project, "links") == () and decisions(project, "links") == ()
    for ours, theirs in (("cohen", "kappa"), ("observed", "percent"), ("ac1", "ac1")):
        assert links.coefficients[ours].value == pytest.approx(of_two[theirs].value)  # type: ignore[index]
    assert states.coefficients["cohen"].value == pytest.approx(of_two["states"].value)
    assert set(ratings[0].coefficients) >= {"interval", "ordinal"} and ratings[0].papers == ratings[0].units
    assert (suggested.accepted, suggested.refused) == (said["accepted"], said["rejected"]) > (1, 0)


WORDS = st.lists(
    st.builds(
        Decision,
        st.just(""), st.sampled_from("uvwxyz"), st.sampled_from("pq"), st.sampled_from("abc"), st.sampled_from("123"),
        st.sampled_from(["", "2026-01-01", "2026-01-02"]), repeat=st.booleans(),
    ),
    max_size=40,
)  # fmt: skip


@given(WORDS)
@settings(max_examples=60)
def test_a_table_holds_each_persons_first_word(given_: list[Decision]) -> None:
    table, units = table_of(given_)
    first: dict[tuple[str, str], str] = {}
    for one in given_:
        if not one.repeat:
            first.setdefault((one.unit, one.annotator), one.value)
    held = {
        (units[row], table.annotators[column]): table.classes[code]
        for (row, column), code in [
            (at, int(table.codes[at])) for at in zip(*(table.codes != MISSING).nonzero(), strict=True)
        ]
    }
    assert held == first
    (found,) = compare(given_) or (None,)
    assert found is None or {one.annotator: one.decided for one in found.people} == {
        who: len([1 for _, other in first if other == who]) for who in table.annotators
    }
