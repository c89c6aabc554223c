"""Results come back in any order, several times, in part, or from an older file, and give the same project."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.agreement.records import Subject
from engine.agreement.store import LABELS, PREFERENCES, AgreementStore
from engine.errors import BadInput
from engine.exchange.checksummed import hash_of
from engine.exchange.package_file import Results, read_results, results_file
from engine.operations.decisions import set_done
from engine.operations.packages import add_people
from engine.operations.removing import remove
from engine.operations.results import FileReport, import_results, outgoing, preview
from engine.operations.targets import Target, targets
from engine.packages.merging import Entry, fold
from engine.packages.records import DECISIONS, TASKS, Task
from engine.packages.store import WorkStore
from engine.project import Project
from engine.project.invariants import violations
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.revision.records import NewPassage
from engine.revision.store import RevisionStore
from engine.shown import counted
from tests.engine.operations.packaged import Person, at, dealt, lead_project

VERBS = st.sampled_from(["decide", "decide", "back", "undo", "redo", "extra"])
ACTS = st.lists(st.tuples(VERBS, st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=8)


def doing(acts: Sequence[tuple[str, int, int]]) -> Any:
    def work(person: Person) -> None:
        for verb, a, b in acts:
            person.verbs[verb](a, b)

    return work


def decided(project: Project, tables: Sequence[str]) -> dict[str, list[tuple[Any, ...]]]:
    """Every decision of people, and what is known of files and of what was taken back, in everything but the keys of
    places and of returns."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for table in tables:
        found[table] = [tuple(row) for row in project.query(f"SELECT * FROM {table} ORDER BY id")]
    spans = "SELECT comment_id, role, position, start_offset, end_offset FROM comment_span ORDER BY 1, 2, 3, 4"
    found["comment_span"] = [tuple(row) for row in project.query(spans)]
    returns = "SELECT package_id, content_hash, written_at, decisions FROM work_return ORDER BY 1, 2"
    found["work_return"] = [tuple(row) for row in project.query(returns)]
    found["held"] = [tuple(row) for row in project.query("SELECT id, held FROM work_package ORDER BY id")]
    return found


def copy_of(project: Project, path: Path) -> Path:
    project.save_copy(path)
    return path


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_order_and_repetition_gives_the_same_project(
    task: Task, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two people work in rounds and send each state; one of them also works on a second copy of the package."""
    folder = tmp_path_factory.mktemp("merge")
    with lead_project(folder / "lead.rejoinder") as lead:
        packages = dealt(lead, folder / "out", task)
    files = []
    for package, copy in ((packages[0], "ann"), (packages[0], "ann-at-home"), (packages[1], "ben")):
        for _ in range(data.draw(st.integers(1, 2), copy)):
            files.append(at(package, folder / f"{copy}.rejoinder", doing(data.draw(ACTS, copy))))
    outcomes = []
    for number in range(2):
        order = data.draw(st.permutations(files), "order") + data.draw(st.lists(st.sampled_from(files), max_size=2))
        with Project.open(folder / "lead.rejoinder", read_only=True) as lead:
            path = copy_of(lead, folder / f"{number}.rejoinder")
        with Project.open(path, annotator="Lea") as project:
            for cut in [order] if number else [[one] for one in order]:  # one by one, and all at once
                said = preview(project, cut)
                assert import_results(project, cut) == said
            outcomes.append(decided(project, DECISIONS[task]))
            assert violations(project) == ()
    assert outcomes[0] == outcomes[1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 2)), max_size=12), st.randoms())
def test_the_latest_counts_whatever_the_order(said: list[tuple[int, int, int]], draw: random.Random) -> None:
    entries = [Entry("rating", str(key), str(stamp), {"value": value} if value else None) for key, stamp, value in said]
    shuffled = [*entries, *draw.sample(entries, len(entries) // 2)]
    draw.shuffle(shuffled)
    assert fold(shuffled) == fold(entries)
    half = len(shuffled) // 2
    assert fold([*fold(shuffled[:half]).values(), *fold(shuffled[half:]).values()]) == fold(entries)
    for place, entry in fold(entries).items():
        assert entry.stamp == max(one.stamp for one in entries if one.place == place)


def lead_and_results(tmp_path: Path, task: Task = "reviews", acts: int = 9) -> tuple[Project, Path]:
    lead = lead_project(tmp_path / "lead.rejoinder")
    (ann,) = dealt(lead, tmp_path / "out", task, ("Ann",), overlap=0.0)
    return lead, at(ann, tmp_path / "ann.rejoinder", lambda person: [person.decide(n, n) for n in range(acts)])


@pytest.mark.parametrize("task", TASKS)
def test_what_was_decided_comes_back_as_it_was(task: Task, tmp_path: Path) -> None:
    lead, results = lead_and_results(tmp_path, task)
    with lead, Project.open(tmp_path / "ann.rejoinder") as package:
        import_results(lead, [results])
        own = WorkStore(package).own()
        assert own is not None
        person = own[1].annotator_id
        there = WorkStore(package).entries(person, DECISIONS[task])
        assert there and {e.place: e.row for e in WorkStore(lead).entries(person, DECISIONS[task])} == {
            e.place: e.row for e in there
        }
        before = {row[0] for row in lead.query("SELECT id FROM action WHERE state = 'done'")}
        lead.undo()
        assert WorkStore(lead).entries(person, DECISIONS[task]) == () and WorkStore(lead).returns() == ()
        lead.redo()
        assert {row[0] for row in lead.query("SELECT id FROM action WHERE state = 'done'")} == before
        assert import_results(lead, [results])[0].status == "known"


@pytest.mark.parametrize(
    ("task", "of", "kind"), [("sentences", "labels", LABELS), ("pairs", "preferences", PREFERENCES)]
)
def test_what_people_are_done_with_comes_back(task: Task, of: Subject, kind: str, tmp_path: Path) -> None:
    lead = lead_project(tmp_path / "lead.rejoinder")
    (ann,) = dealt(lead, tmp_path / "out", task, ("Ann",), overlap=0.0)

    def work(person: Person) -> None:
        person.decide(0, 0)
        assert set_done(person.project, of) == 1

    results = at(ann, tmp_path / "ann.rejoinder", work)
    with lead:
        import_results(lead, [results])
        (who,) = [key for key, name in lead.annotators() if name == "Ann"]
        assert [who in people for people in AgreementStore(lead).everything_done(kind).values()] == [True]
        assert not violations(lead)


def test_a_preview_changes_nothing(tmp_path: Path) -> None:
    lead, results = lead_and_results(tmp_path)
    with lead:
        before, steps = decided(lead, DECISIONS["reviews"]), lead.history(1)
        (report,) = preview(lead, [results])
        assert report.added > 0 and "new" in report.sentence
        assert decided(lead, DECISIONS["reviews"]) == before and lead.history(1) == steps


def test_what_undo_took_back_is_taken_back_here(tmp_path: Path) -> None:
    """A row gets its former times back when it is undone; the file still knows that this came later."""
    lead, first = lead_and_results(tmp_path, "sentences", acts=1)
    with lead:
        second = at(tmp_path / "out" / "ann.rejoinder-package", tmp_path / "ann.rejoinder", lambda p: p.project.undo())
        import_results(lead, [first])
        (report,) = import_results(lead, [second])
        assert report.removed == 1 and WorkStore(lead).held(lead.query("SELECT annotator_id FROM work_package")[0][0])
        (report,) = import_results(lead, [first])
        assert (report.status, report.added, report.changed) == ("known", 0, 0)


def test_what_is_about_something_that_is_gone_is_kept_aside(tmp_path: Path) -> None:
    lead, results = lead_and_results(tmp_path)
    with lead:
        for target in targets(lead, "review"):
            remove(lead, target, others=True)
        (report,) = import_results(lead, [results])
        assert report.aside > 0 and report.added == 0 and violations(lead) == ()
        lead.undo()
        for _ in range(4):
            lead.undo()
        (report,) = import_results(lead, [results])
        assert report.added > 0 and report.aside == 0 and violations(lead) == ()


def forged(results: Path, **changes: Any) -> Path:
    document = json.loads(results.read_bytes())
    for key, change in changes.items():
        document[key] = change(document[key])
    document["hash"] = hash_of(document)
    results.write_text(json.dumps(document))
    return results


def test_a_file_changes_only_what_its_package_is_for(tmp_path: Path) -> None:
    """A file made by hand can't write as others, on other items, in other tables, or take others' work back."""
    lead = lead_project(tmp_path / "lead.rejoinder")
    with lead:
        _, ben = dealt(lead, tmp_path / "out", overlap=0.0)
        of_ben = at(ben, tmp_path / "ben.rejoinder", lambda person: [person.decide(n, n) for n in range(9)])
        import_results(lead, [of_ben])
        before = decided(lead, DECISIONS["reviews"])
        packages = {p.annotator_id: p.id for p in WorkStore(lead).packages()}
        people = {name: key for key, name in lead.annotators()}
        # Ben's decisions as if they were Ann's: they are on items that she doesn't have.
        (report,) = import_results(lead, [forged(of_ben, package=lambda _: packages[people["Ann"]])])
        assert report.left_out > 0 and report.added == 0
        after = decided(lead, DECISIONS["reviews"])
        assert {t: after[t] for t in DECISIONS["reviews"]} == {t: before[t] for t in DECISIONS["reviews"]}
        bad = [
            forged(of_ben, project=lambda _: "another"),
            forged(of_ben, task=lambda _: "sentences"),
            forged(of_ben, role=lambda _: "adjudicator"),
        ]
        assert [one.status for one in preview(lead, bad)] == ["refused"] * 3
        assert decided(lead, DECISIONS["reviews"]) == after


@pytest.mark.parametrize("value", [None, 7, "nonsense", 1.5])
@pytest.mark.parametrize("column", ["state", "comment_id", "revision_id", "id", "created_at"])
def test_values_that_can_not_be_are_refused_whole(column: str, value: Any, tmp_path: Path) -> None:
    lead, results = lead_and_results(tmp_path)
    with lead:
        before = decided(lead, DECISIONS["reviews"])

        def break_one(tables: dict[str, Any]) -> dict[str, Any]:
            part = tables["comment_state"]
            part["rows"][-1][part["columns"].index(column)] = value
            return tables

        (report,) = import_results(lead, [forged(results, tables=break_one)])
        if isinstance(value, str) and column in {"comment_id", "revision_id", "id", "created_at"}:
            assert report.aside == 1 or report.added > 0  # another key or a strange time: a row that can be
        else:
            assert report.status == "refused" and decided(lead, DECISIONS["reviews"]) == before
        assert violations(lead) == ()


def test_a_results_file_reads_as_it_was_written_and_older_columns_have_defaults(tmp_path: Path) -> None:
    lead, results = lead_and_results(tmp_path)
    with lead:
        found = read_results(results)
        assert results_file(replace(found, content_hash="")) == results.read_bytes()

        def without_notes(tables: dict[str, Any]) -> dict[str, Any]:
            for part in tables.values():
                if "note" in part["columns"]:
                    place = part["columns"].index("note")
                    del part["columns"][place]
                    for row in part["rows"]:
                        del row[place]
            return tables

        assert import_results(lead, [forged(results, tables=without_notes)])[0].added > 0
        assert {row[0] for row in lead.query("SELECT note FROM comment_state WHERE annotator_id = "
                                             "(SELECT annotator_id FROM work_package)")} == {""}  # fmt: skip


@pytest.mark.parametrize("length", [0, 1, 40, 500, -20, -3])
def test_a_file_that_was_cut_off_is_refused(length: int, tmp_path: Path) -> None:
    lead, results = lead_and_results(tmp_path)
    with lead:
        results.write_bytes(results.read_bytes()[:length])
        with pytest.raises(BadInput):
            read_results(results)
        assert import_results(lead, [results])[0].status == "refused"
        assert WorkStore(lead).returns() == ()


@given(st.binary(max_size=300) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["format", "version", "tables", "comment", "columns", "rows", "removed", "id"]), inner),
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_foreign_files_are_refused_in_words(content: bytes) -> None:
    with pytest.raises(BadInput):
        read_results(content, "file")


def test_the_person_may_keep_their_notes(tmp_path: Path) -> None:
    lead, _ = lead_and_results(tmp_path)
    lead.close()
    with Project.open(tmp_path / "ann.rejoinder") as package:
        assert b"Note 1" in outgoing(package).file.content
        assert b"Note 1" not in outgoing(package, notes=False).file.content
        assert isinstance(read_results(outgoing(package).file.content), Results)


def test_passages_and_dismissed_edits_come_back_and_a_passage_of_another_paper_does_not(tmp_path: Path) -> None:
    lead = lead_project(tmp_path / "lead.rejoinder")
    RevisionStore(lead).hide_suggestions(True)
    (package,) = dealt(lead, tmp_path / "out", "papers", ("Ann",), overlap=0.0)
    seen: list[str] = []

    def work(person: Person) -> None:
        assert person.links.hides_suggestions and not person.links.can_show_suggestions
        comment = person.acts.reviews.comments()[0].id
        revision = person.acts.revision(comment)
        passage = NewPassage("Words that are no edit.", ("t7",), "Method", 7)
        seen.append(person.links.link_passage(comment, revision, passage).links[0].edit_id)
        seen.append(person.links.edits(revision)[0].id)
        person.links.dismiss_edit(seen[-1])

    results = at(package, tmp_path / "ann.rejoinder", work)
    with lead:
        people = {name: key for key, name in lead.annotators()}
        assert import_results(lead, [results])[0].aside == 0
        (row,) = lead.query("SELECT revision_id, target_text, passage, current FROM edit WHERE id = ?", seen[:1])
        (passage,) = RevisionStore(lead).passages(row["revision_id"], [people["Ann"]])
        assert (passage.id, passage.sort, passage.target_ids) == (seen[0], "passage", ("t7",)) and row["current"] == 1
        gone = RevisionStore(lead).edits(row["revision_id"], dismissed_by=[people["Ann"]])
        assert seen[1] not in {edit.id for edit in gone} and violations(lead) == ()
        lead.undo()
        assert RevisionStore(lead).passages(row["revision_id"], [people["Ann"]]) == ()

        def elsewhere(tables: dict[str, Any]) -> dict[str, Any]:
            columns, rows = tables["edit_link"]["columns"], tables["edit_link"]["rows"]
            at = columns.index("passage")
            rows[0][at] = json.dumps({**json.loads(rows[0][at]), "revision_id": "nowhere"})
            rows[0][columns.index("edit_id")] = "another"
            return tables

        (report,) = import_results(lead, [forged(results, tables=elsewhere)])
        assert report.aside == 1 and not lead.query("SELECT 1 FROM edit WHERE id = 'another'")

        def of_another_edit(tables: dict[str, Any]) -> dict[str, Any]:
            dismissed = tables["dismissed_edit"]
            dismissed["rows"][0][dismissed["columns"].index("edit_id")] = "gone"
            return tables

        (report,) = import_results(lead, [forged(results, tables=of_another_edit)])
        assert (report.aside, report.left_out) == (2, 0), "the edit isn't there any more"


def test_a_file_with_other_kinds_of_decisions_is_refused(tmp_path: Path) -> None:
    lead, results = lead_and_results(tmp_path, "sentences")
    with lead:
        found = read_results(results)
        rating = Entry("rating", json.dumps(["a rating"]), found.entries[0].stamp, None)
        more = replace(found, entries=(*found.entries, rating), content_hash="")
        results.write_bytes(results_file(more))
        (report,) = preview(lead, [results])
        assert report.status == "refused" and report.problem.endswith("aren't part of its package: rating.")
        assert not WorkStore(lead).returns()


def test_a_report_says_what_a_file_brings() -> None:
    report = FileReport("a.json", "new", "Ann", "Round", 1234, 2, 3, 4, 5, 6)
    assert report.sentence == (
        "a.json: Ann, Round: 1,234 new, 2 changed, 3 withdrawn, 4 unchanged, 5 set aside, because the items aren't in "
        "the project, 6 left out, because they aren't part of the package."
    )
    assert FileReport("a.json", "known", "Ann", "Round", same=1).sentence.endswith("imported before: 1 unchanged.")
    older = FileReport("a.json", "older", "Ann", "Round").sentence
    assert older == "a.json: Ann, Round, older than results already imported: no decisions."
    assert FileReport("a.json", "refused", problem="It is damaged.").sentence == "a.json: It is damaged."


def test_results_say_what_is_in_them_before_they_are_sent(tmp_path: Path) -> None:
    lead, _ = lead_and_results(tmp_path, "sentences", acts=3)
    with lead, pytest.raises(BadInput, match="isn't a work package"):
        outgoing(lead)
    with Project.open(tmp_path / "ann.rejoinder") as package:
        decided_on = {entry.key for entry in read_results(outgoing(package).file.content).entries}
        own = WorkStore(package).own()
        assert own is not None
        made, own_items = outgoing(package), len(own[1].items)
        assert made.file.name == "ann.rejoinder-results" and made.decisions == len(decided_on) > 1
        assert made.sentences == (
            f"It contains your decisions on {counted(len(decided_on), 'sentence')}, with your notes.",
            f"{own_items - len(decided_on)} sentences are still undecided.",
            "You haven't marked the reviews as done (“Mark as done” in Agreement), so nobody can compare yet.",
        )
        package.annotator_id = own[1].annotator_id
        text = package.query("SELECT id FROM source_text")[0][0]
        LabelStore(package).set_label(text, Span(1, 4), "polarity", ["positive"])  # no sentence of the package
        again = outgoing(package, notes=False)
        assert again.decisions == made.decisions and again.sentences[::3] == (
            made.sentences[0].replace("with your", "without your"),
            "Not in the file: 1 decision on items outside the package.",
        )


def test_a_file_is_older_where_a_newer_one_was_imported(tmp_path: Path) -> None:
    lead, first = lead_and_results(tmp_path, "sentences", acts=1)
    with lead:
        package = tmp_path / "out" / "ann.rejoinder-package"
        second = at(package, tmp_path / "ann.rejoinder", lambda person: person.decide(5, 4))
        assert [one.status for one in import_results(lead, [second, first, first])] == ["new", "older", "known"]
        assert lead.undo_title == "Import results of 3 files"
        import_results(lead, [second])
        assert lead.undo_title == "Import results of 3 files", "what brings nothing is no step"
        assert sorted(one.decisions for one in WorkStore(lead).returns()) == [1, 2]


def test_that_somebody_is_done_counts_for_the_papers_of_their_package(tmp_path: Path) -> None:
    done = "SELECT subject_id, task FROM annotation_done JOIN annotator a ON a.id = annotator_id WHERE name = 'Ann'"
    with lead_project(tmp_path / "lead.rejoinder") as lead:
        ann, _ = dealt(lead, tmp_path / "out", "papers", overlap=0.0)
        every = {row[0] for row in lead.query("SELECT id FROM paper")}
        (own,) = next(p.items for p in WorkStore(lead).packages() if dict(lead.annotators())[p.annotator_id] == "Ann")
        results = at(ann, tmp_path / "ann.rejoinder", lambda p: AgreementStore(p.project).set_done(own, True))
        other = forged(
            Path(shutil.copyfile(results, tmp_path / "other.rejoinder-results")),
            tables=lambda tables: json.loads(json.dumps(tables).replace(own, *(every - {own}))),
        )
        (report,) = import_results(lead, [other])
        assert (report.added, report.left_out) == (0, 1) and not lead.query(done)
        (report,) = import_results(lead, [results])
        assert (report.added, report.left_out) == (1, 0)
        assert [tuple(row) for row in lead.query(done)] == [(own, "linking")]
        lead.undo()
        texts = lead.query("SELECT id FROM source_text WHERE paper_id = ?", (own,))
        remove(lead, *(Target("review", row[0], "") for row in texts), others=True)
        (report,) = import_results(lead, [results])
        assert (report.added, report.left_out) == (1, 0), "a paper without reviews is still in the package"
        lead.undo()
        remove(lead, Target("paper", own, ""), others=True)
        (report,) = import_results(lead, [results])
        assert (report.added, report.aside, report.left_out) == (0, 1, 0)


def test_adjudicated_words_count_in_the_texts_of_the_package(tmp_path: Path) -> None:
    with lead_project(tmp_path / "lead.rejoinder") as lead:
        first, *_, last = (row[0] for row in lead.query("SELECT id FROM paper"))
        dealt(lead, tmp_path / "out", "papers", of=(first,))
        made = WorkStore(lead).rounds()[0]
        (cleo,) = add_people(lead, made, "adjudicator", ["Cleo"], tmp_path / "out")
        texts = {
            paper: lead.query("SELECT id FROM source_text WHERE paper_id = ?", (paper,)) for paper in (first, last)
        }
        inside, outside = texts[first][0][0], texts[last][0][0]

        def work(person: Person) -> None:
            store = AgreementStore(person.project)
            for text in (inside, outside, "gone"):
                store.adjudicate_units("spans", [(text, "", "1")], "marked")

        (report,) = import_results(lead, [at(cleo, tmp_path / "cleo.rejoinder", work)])
        assert (report.added, report.aside, report.left_out) == (1, 1, 1)
        assert [row[0] for row in lead.query("SELECT subject_id FROM unit_adjudication")] == [inside]
