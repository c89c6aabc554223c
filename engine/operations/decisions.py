"""Everything people decided, as the acting annotator may see it: one's own work, and others' once both are done.

``AgreementStore.visible`` decides for links, states and marked comments (by paper), labels (by text), preferences (by
cluster) and scores given in a benchmark (by benchmark). Survey answers come from files that held nobody else's, and
tables of scores were imported: everybody may see them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from engine.agreement.compared import Decision, Taken
from engine.agreement.linking import pair_comments, tokens_of
from engine.agreement.records import BETWEEN, SUBJECTS, Marked, Subject
from engine.agreement.store import BENCHMARK, LABELS, LINKING, PREFERENCES, AgreementStore
from engine.errors import BadInput
from engine.exchange.adjudicated import Decided, decided
from engine.exchange.studies import Studies
from engine.project import Project
from engine.shown import shortened

if TYPE_CHECKING:
    from engine.papers.records import Paper
    from engine.revision.records import Revision

_WORDS = 80
LINKED, NOT_LINKED = "linked", "not linked"


def decisions(project: Project, of: Subject, *, groups: Collection[str] = ("text",)) -> tuple[Decision, ...]:
    """What everybody whose work may be seen decided, oldest first in each part.

    ``groups``: of links, the groups of edits that count beside those that somebody linked.
    """
    if of == "links":
        return tuple(_links(project, groups))
    return tuple(_READERS[of](project))


def compared(project: Project, of: Subject, groups: Collection[str] = ("text",)) -> Decided:
    """Everything of a kind that may be seen, compared."""
    found = decisions(project, of, groups=groups)
    return decided(of, found, adjudicated(project, of), taken(project, of), dict(project.annotators()))


def anything(project: Project) -> bool:
    """Whether anybody labelled, judged, rated or scored anything."""
    row = project.query_one(
        "SELECT EXISTS (SELECT 1 FROM sentence_label) OR EXISTS (SELECT 1 FROM preference_judgement)"
        " OR EXISTS (SELECT 1 FROM rating) OR EXISTS (SELECT 1 FROM score_review)"
        " OR EXISTS (SELECT 1 FROM rubric_rating)"
    )
    return row is not None and bool(row[0])


def _rows(project: Project, sql: str, people: Collection[str], *values: str) -> list[tuple[str, ...]]:
    """Rows of a query that ends in the annotators whose work may be seen."""
    return [tuple(row) for row in project.query(sql, (*values, json.dumps(sorted(people))))]


# --- linking ----------------------------------------------------------------------------------------------------------


class _Paper:
    """One paper's linking: what those did whose work may be seen. ``same`` names a comment that several marked over
    each other by the one that the first of them marked."""

    def __init__(self, studies: Studies, paper: Paper, revision: Revision) -> None:
        self.paper, self.revision = paper, revision
        self.people = studies.agreement.visible(paper.id)
        comments = studies.comments(paper.id)
        markers = studies.reviews.markers()
        self.texts = {text.id: text.text for text in studies.texts(paper.id)}
        self.words = {c.id: shortened(c.comment, _WORDS) for c in comments if c.actionable}
        self.same = {key: key for key in self.words if key not in markers}
        self.marked: dict[str, list[Marked]] = {}
        requests: list[Marked] = []
        for person, _ in studies.project.annotators():
            own = [
                Marked(c.id, c.source_id, tuple((s.start, s.end) for s in c.spans))
                for c in comments
                if markers.get(c.id) == person
            ]
            if not own:
                continue
            self.marked[person] = own
            asked = [mark for mark in own if mark.comment_id in self.words]
            self.same |= {pair.second_id: pair.first_id for pair in pair_comments(requests, asked, self.texts)}
            for mark in asked:
                if mark.comment_id not in self.same:
                    self.same[mark.comment_id] = mark.comment_id
                    requests.append(mark)

    def states(self, project: Project) -> dict[tuple[str, str], tuple[str, str]]:
        """(state, when) by person and comment, where they decided on it: by a state or by a link."""
        found = {
            (who, self.same[comment]): (LINKED, at)
            for comment, _, who, at in self.links(project)
            if comment in self.same
        }
        sql = (
            "SELECT comment_id, annotator_id, state, updated_at FROM comment_state WHERE revision_id = ?"
            " AND state <> 'undecided' AND annotator_id IN (SELECT value FROM json_each(?))"
        )
        for comment, who, state, at in _rows(project, sql, self.people, self.revision.id):
            if comment in self.same:
                found[who, self.same[comment]] = state, at
        return dict(sorted(found.items(), key=lambda entry: entry[1][1]))

    def links(self, project: Project) -> list[tuple[str, ...]]:
        """(comment, edit, person, when) of every link to an edit that is there, oldest first."""
        sql = (
            "SELECT l.comment_id, l.edit_id, l.annotator_id, l.created_at FROM edit_link l"
            " JOIN edit e ON e.id = l.edit_id WHERE e.revision_id = ? AND e.current"
            " AND l.annotator_id IN (SELECT value FROM json_each(?))"
            " ORDER BY l.created_at, l.id"
        )
        return _rows(project, sql, self.people, self.revision.id)


def _papers(project: Project) -> Iterator[tuple[Studies, _Paper]]:
    studies = Studies(project)
    for paper, _, _, revision in studies.compared():
        yield studies, _Paper(studies, paper, revision)


def _links(project: Project, groups: Collection[str]) -> Iterator[Decision]:
    for studies, one in _papers(project):
        made = {(who, one.same[c], edit): at for c, edit, who, at in one.links(project) if c in one.same}
        linked = {edit for _, _, edit in made}
        edits = [
            edit
            for edit in studies.revisions.edits(one.revision.id)
            if edit.id in linked or "all" in groups or edit.group in groups
        ]
        for (who, comment), (_, when) in one.states(project).items():
            for edit in edits:
                at = made.get((who, comment, edit.id))
                words = f"{edit.label}: {one.words[comment]}"
                value = LINKED if at else NOT_LINKED
                yield Decision("", f"{comment} {edit.id}", one.paper.id, who, value, at or when, words=words)


def _states(project: Project) -> Iterator[Decision]:
    for _, one in _papers(project):
        for (who, comment), (state, at) in one.states(project).items():
            yield Decision("", comment, one.paper.id, who, state, at, words=one.words[comment])


def _spans(project: Project) -> Iterator[Decision]:
    """Every word of a text in which somebody marked a comment, for everybody who marked any on that paper."""
    for _, one in _papers(project):
        for source in dict.fromkeys(mark.source_id for own in one.marked.values() for mark in own):
            text = one.texts.get(source, "")
            words = sorted(tokens_of(Marked("", source, ((0, len(text)),)), one.texts))
            for who, own in one.marked.items():
                mine = {at for mark in own if mark.source_id == source for at in tokens_of(mark, one.texts)}
                for at in words:
                    value = "marked" if at in mine else "not marked"
                    yield Decision("", f"{source} {at}", one.paper.id, who, value, words=text[at:].split(None, 1)[0])


# --- labels and preferences -------------------------------------------------------------------------------------------


def _labels(project: Project) -> Iterator[Decision]:
    seen = AgreementStore(project)
    texts = project.query("SELECT id, coalesce(paper_id, id) AS paper, text FROM source_text ORDER BY position, id")
    sql = (
        "SELECT layer, start_offset, end_offset, annotator_id, labels, created_at FROM sentence_label"
        " WHERE imported = 0 AND source_id = ? AND annotator_id IN (SELECT value FROM json_each(?))"
        " ORDER BY created_at, id"
    )
    for source, paper, text in texts:
        for layer, start, end, who, labels, at in _rows(project, sql, seen.visible(source, LABELS), source):
            value = BETWEEN.join(sorted(json.loads(labels))) or "none"
            words = shortened(text[int(start) : int(end)], _WORDS)
            yield Decision(layer, f"{source} {start}-{end}", paper, who, value, at, words=words)


def _preferences(project: Project) -> Iterator[Decision]:
    from engine.rebuttal.preferences.store import PreferenceStore

    store, seen = PreferenceStore(project), AgreementStore(project)
    when = dict(tuple(row) for row in project.query("SELECT id, created_at FROM preference_judgement"))
    for cluster in store.clusters():
        visible = seen.visible(cluster.id, PREFERENCES)
        texts = {one.id: one.text for one in store.candidates(cluster.id)}
        for one in store.judgements(cluster.id):
            if one.annotator_id not in visible or one.verdict is None:
                continue
            unit, (first, second) = " ".join(one.pair), one.pair
            words = f"{shortened(texts[first], _WORDS // 2)} / {shortened(texts[second], _WORDS // 2)}"
            yield Decision(
                "", unit, cluster.id, one.annotator_id, one.verdict, when[one.id], repeat=one.repeat, words=words
            )


# --- numbers ----------------------------------------------------------------------------------------------------------


def _number(part: str, unit: str, paper: str, who: str, number: float, **more: str | bool) -> Decision:
    value = f"{number:.10g}"
    return Decision(part, unit, paper, who, value, number=float(value), **more)  # type: ignore[arg-type]


def _ratings(project: Project) -> Iterator[Decision]:
    from engine.expertise.store import SurveyStore

    store = SurveyStore(project)
    for study in store.studies("organiser"):
        for person in store.participants(study.id):
            done = set[str]()
            for row in store.rows(person.id):
                if row.value is not None:
                    key, title = row.paper.id, row.paper.title
                    yield _number(study.title, key, key, person.key, row.value, repeat=key in done, words=title)
                    done.add(key)


def _scores(project: Project) -> Iterator[Decision]:
    from engine.calibration.store import CalibrationStore
    from engine.review_drafting.benchmark.store import BenchmarkStore

    store = CalibrationStore(project)
    for table in store.tables():
        done = set[tuple[str, str, str]]()
        for review in () if table.origin.startswith("synthetic") else store.reviews(table.id):
            for name, score in (("", review.score), *review.further):
                part, key = f"{table.title}: {name}" if name else table.title, (name, review.item, review.referee)
                yield _number(part, review.item, review.item, review.referee, score, repeat=key in done)
                done.add(key)
    benchmarks, seen = BenchmarkStore(project), AgreementStore(project)
    for one in benchmarks.benchmarks():
        visible = seen.visible(one.id, BENCHMARK)
        papers = {review.id: review.paper_id for review in benchmarks.read(one.id).reviews}
        for rating in benchmarks.ratings(one.id):
            if rating.score is not None and rating.annotator_id in visible:
                part, unit = f"{one.title}: {rating.dimension}", rating.review_id
                yield _number(part, unit, papers[unit], rating.annotator_id, rating.score)


_READERS: dict[Subject, Callable[[Project], Iterator[Decision]]] = {
    "states": _states,
    "spans": _spans,
    "labels": _labels,
    "preferences": _preferences,
    "ratings": _ratings,
    "scores": _scores,
}


def adjudicated(project: Project, of: Subject) -> dict[tuple[str, str], str]:
    """What was decided where people differ, by part and unit. Labels, marked comments and numbers have no adjudication.

    To be shown only of units whose decisions may be seen: ``engine.agreement.compared.outcomes`` keeps to these.
    """
    from engine.rebuttal.preferences.store import PreferenceStore

    if of == "preferences":
        store = PreferenceStore(project)
        pairs = [ruling for cluster in store.clusters() for ruling in store.adjudications(cluster.id).items()]
        return {("", " ".join(pair)): ruling.verdict for pair, ruling in pairs}
    found: dict[tuple[str, str], str] = {}
    for studies, one in _papers(project) if of in ("links", "states") else ():
        edits = [edit.id for edit in studies.revisions.edits(one.revision.id)]
        for comment, ruling in studies.agreement.adjudications(one.revision.id).items():
            unit = one.same.get(comment, comment)
            if ruling.verdict is None:
                continue
            if of == "states":
                found["", unit] = ruling.state
            else:
                found |= {("", f"{unit} {e}"): LINKED if e in ruling.edit_ids else NOT_LINKED for e in edits}
    return found


def set_done(project: Project, of: Subject) -> int:
    """Says that the acting annotator is done with everything of a kind that they worked on; returns how many subjects.

    Raises BadInput for ratings, which nobody gives unseen in this file.
    """
    own, store = project.annotator_id, AgreementStore(project)
    if of == "ratings":
        raise BadInput("Survey answers need no such mark: each came in a file of its own.", "Nothing was changed.")
    if of in _SUBJECTS:
        task, sql = _SUBJECTS[of]
        subjects = {row[0] for row in project.query(sql, (own,))}
    else:
        task = LINKING
        subjects = {one.paper.id for one in Studies(project).standings() if own in one.worked}
    subjects -= store.own_done(task)
    with project.action(f"Done with {SUBJECTS[of].title.lower()}"):
        for subject in sorted(subjects):
            store.set_done(subject, True, task=task)
    return len(subjects)


_SUBJECTS: dict[Subject, tuple[str, str]] = {
    "labels": (LABELS, "SELECT DISTINCT source_id FROM sentence_label WHERE NOT imported AND annotator_id = ?"),
    "preferences": (PREFERENCES, "SELECT DISTINCT cluster_id FROM preference_judgement WHERE annotator_id = ?"),
    "scores": (
        BENCHMARK,
        "SELECT DISTINCT p.benchmark_id FROM rubric_rating x JOIN benchmark_review r ON r.id = x.review_id"
        " JOIN benchmark_paper p ON p.id = r.paper_id WHERE x.annotator_id = ?",
    ),
}


# --- suggestions ------------------------------------------------------------------------------------------------------


def taken(project: Project, of: Subject) -> tuple[Taken, ...]:
    """How often suggestions of links or labels were accepted and refused, by person and source; () for other kinds."""
    seen = AgreementStore(project)
    found: dict[tuple[str, str, str], list[int]] = {}
    if of == "links":
        subjects = [(paper.id, revision.id, LINKING) for paper, _, _, revision in Studies(project).compared()]
        sql = (
            "SELECT '', d.annotator_id, d.origin, d.decision FROM suggestion_decision d JOIN edit e ON e.id = d.edit_id"
            " WHERE e.revision_id = ? AND d.annotator_id IN (SELECT value FROM json_each(?))"
        )
    elif of == "labels":
        subjects = [(row[0], row[0], LABELS) for row in project.query("SELECT id FROM source_text")]
        sql = (
            "SELECT layer, annotator_id, origin, decision FROM sentence_label_decision WHERE source_id = ?"
            " AND annotator_id IN (SELECT value FROM json_each(?))"
        )
    else:
        return ()
    for subject, key, task in subjects:
        for part, who, origin, decision in _rows(project, sql, seen.visible(subject, task), key):
            found.setdefault((part, who, origin), [0, 0])[decision != "accepted"] += 1
    return tuple(Taken(*key, *counts) for key, counts in sorted(found.items()))
