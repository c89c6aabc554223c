"""All decisions that the acting annotator may see: their own, and others' once both are done.

``AgreementStore.visible`` decides for links, states and marked comments (by paper), labels (by text), preferences (by
cluster) and benchmark scores (by benchmark). Survey answers come from files that contained nobody else's, and tables of
scores were imported, so everyone may see these.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from engine.agreement.compared import Decision, Followed, Taken
from engine.agreement.compared import followed as rates
from engine.agreement.linking import pair_comments, tokens_of
from engine.agreement.records import (
    BETWEEN,
    LINKED,
    MARKED,
    NONE,
    NOT_LINKED,
    NOT_MARKED,
    SUBJECTS,
    Marked,
    Subject,
    Where,
)
from engine.agreement.store import BENCHMARK, LABELS, LINKING, PREFERENCES, AgreementStore
from engine.errors import not_changed, not_read
from engine.exchange.adjudicated import Decided, decided
from engine.exchange.studies import Studies
from engine.papers.records import Paper
from engine.project import Project
from engine.revision.records import Revision
from engine.shown import shortened

_WORDS = 80


def decisions(
    project: Project, of: Subject, *, groups: Collection[str] = ("text",), only: Collection[str] | None = None
) -> tuple[Decision, ...]:
    """Returns all visible decisions, oldest first in each part.

    ``groups``: for links, the groups of edits that count in addition to linked ones. ``only``: the first parts of
    ``Decision.where`` to return; others may be included if they are read together.
    """
    if of not in SUBJECTS:
        raise not_read(f"There is no kind of decision “{of}”.", f"Choose one of {', '.join(SUBJECTS)}.")
    if of == "links":
        return tuple(_links(project, only, groups))
    return tuple(_READERS[of](project, only))


def compared(project: Project, of: Subject, groups: Collection[str] = ("text",)) -> Decided:
    """Returns the comparison of all visible decisions of a kind."""
    found, held = decisions(project, of, groups=groups), adjudicated(project, of)
    ruled = {(one.part, one.unit): held[one.where] for one in found if one.where in held}
    suggested = taken(project, of), followed(project, of)
    made = decided(of, found, ruled, suggested, dict(project.annotators()))
    return replace(made, groups=tuple(groups)) if of == "links" else made


def first_subject(project: Project) -> Subject | None:
    """Returns the first kind other than linking for which there are decisions, or None."""
    row = project.query_one(
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM sentence_label) THEN 'labels'"
        " WHEN EXISTS (SELECT 1 FROM preference_judgement) THEN 'preferences'"
        " WHEN EXISTS (SELECT 1 FROM rating) THEN 'ratings'"
        " WHEN EXISTS (SELECT 1 FROM score_review) OR EXISTS (SELECT 1 FROM rubric_rating) THEN 'scores' END"
    )
    return row[0] if row is not None else None


def _rows(project: Project, sql: str, people: Collection[str], *values: str) -> list[tuple[str, ...]]:
    """Returns rows of a query whose last parameter is the list of annotators with visible work."""
    return [tuple(row) for row in project.query(sql, (*values, json.dumps(sorted(people))))]


class _Paper:
    """One paper's linking by people with visible work. ``same`` maps overlapping comments of several people to the one
    that the first of them marked."""

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
        """Returns (state, time) by person and comment that they decided on with a state or a link."""
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
        """Returns (comment, edit, person, time) of every link to a current edit, oldest first."""
        sql = (
            "SELECT l.comment_id, l.edit_id, l.annotator_id, l.created_at FROM edit_link l"
            " JOIN edit e ON e.id = l.edit_id WHERE e.revision_id = ? AND e.current"
            " AND l.annotator_id IN (SELECT value FROM json_each(?))"
            " ORDER BY l.created_at, l.id"
        )
        return _rows(project, sql, self.people, self.revision.id)


def _papers(project: Project, only: Collection[str] | None = None) -> Iterator[tuple[Studies, _Paper]]:
    """Yields the compared papers; with ``only``, those of these comments or texts."""
    studies = Studies(project)
    rows = project.query(
        "SELECT t.paper_id FROM source_text t WHERE t.id IN (SELECT value FROM json_each(?1)) OR t.id IN"
        " (SELECT source_id FROM comment WHERE id IN (SELECT value FROM json_each(?1)))",
        (json.dumps(sorted(only or ())),),
    )
    papers = {row[0] for row in rows}  # None stands for the only paper
    for paper, _, _, revision in studies.compared():
        if only is None or papers & {paper.id, None}:
            yield studies, _Paper(studies, paper, revision)


def _links(project: Project, only: Collection[str] | None, groups: Collection[str]) -> Iterator[Decision]:
    for studies, one in _papers(project, only):
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
                where, unit = (comment, "", edit.id), f"{comment} {edit.id}"
                yield Decision("", unit, one.paper.id, who, value, at or when, words=words, where=where)


def _states(project: Project, only: Collection[str] | None) -> Iterator[Decision]:
    for _, one in _papers(project, only):
        for (who, comment), (state, at) in one.states(project).items():
            where = (comment, "", "")
            yield Decision("", comment, one.paper.id, who, state, at, words=one.words[comment], where=where)


def _spans(project: Project, only: Collection[str] | None) -> Iterator[Decision]:
    """Yields every word of each text with a marked comment, for everyone who marked comments on that paper."""
    for _, one in _papers(project, only):
        for source in dict.fromkeys(mark.source_id for own in one.marked.values() for mark in own):
            text = one.texts.get(source, "")
            words = sorted(tokens_of(Marked("", source, ((0, len(text)),)), one.texts))
            for who, own in one.marked.items():
                mine = {at for mark in own if mark.source_id == source for at in tokens_of(mark, one.texts)}
                for at in words:
                    value, word = MARKED if at in mine else NOT_MARKED, text[at:].split(None, 1)[0]
                    where = (source, "", str(at))
                    yield Decision("", f"{source} {at}", one.paper.id, who, value, words=word, where=where)


def _labels(project: Project, only: Collection[str] | None) -> Iterator[Decision]:
    seen = AgreementStore(project)
    texts = project.query("SELECT id, coalesce(paper_id, id) AS paper, text FROM source_text ORDER BY position, id")
    texts = [row for row in texts if only is None or row["id"] in only]
    sql = (
        "SELECT layer, start_offset, end_offset, annotator_id, labels, created_at FROM sentence_label"
        " WHERE imported = 0 AND source_id = ? AND annotator_id IN (SELECT value FROM json_each(?))"
        " ORDER BY created_at, id"
    )
    for source, paper, text in texts:
        for layer, start, end, who, labels, at in _rows(project, sql, seen.visible(source, LABELS), source):
            value = BETWEEN.join(sorted(json.loads(labels))) or NONE
            words, place = shortened(text[int(start) : int(end)], _WORDS), f"{start}-{end}"
            yield Decision(layer, f"{source} {place}", paper, who, value, at, words=words, where=(source, layer, place))


def _preferences(project: Project, only: Collection[str] | None) -> Iterator[Decision]:
    from engine.rebuttal.preferences.store import PreferenceStore

    store, seen = PreferenceStore(project), AgreementStore(project)
    when = dict(tuple(row) for row in project.query("SELECT id, created_at FROM preference_judgement"))
    for cluster in store.clusters():
        if only is not None and cluster.id not in only:
            continue
        visible = seen.visible(cluster.id, PREFERENCES)
        texts = {one.id: one.text for one in store.candidates(cluster.id)}
        for one in store.judgements(cluster.id):
            if one.annotator_id not in visible or one.verdict is None:
                continue
            unit, (first, second) = " ".join(one.pair), one.pair
            words = f"{shortened(texts[first], _WORDS // 2)} / {shortened(texts[second], _WORDS // 2)}"
            yield Decision(
                "", unit, cluster.id, one.annotator_id, one.verdict, when[one.id], repeat=one.repeat, words=words,
                where=(cluster.id, "", unit),
            )  # fmt: skip


def as_text(number: float) -> str:
    return f"{number:.10g}"


def _number(part: str, where: Where, paper: str, who: str, number: float, **more: str | bool) -> Decision:
    value, unit = as_text(number), where[2]
    return Decision(part, unit, paper, who, value, number=float(value), where=where, **more)  # type: ignore[arg-type]


def _ratings(project: Project, only: Collection[str] | None) -> Iterator[Decision]:
    from engine.expertise.store import SurveyStore

    store = SurveyStore(project)
    for study in (one for one in store.studies("organiser") if only is None or one.id in only):
        for person in store.participants(study.id):
            done = set[str]()
            for row in store.rows(person.id):
                if row.value is not None:
                    key, title = row.paper.id, row.paper.title
                    where = (study.id, "", key)
                    yield _number(study.title, where, key, person.key, row.value, repeat=key in done, words=title)
                    done.add(key)


def _scores(project: Project, only: Collection[str] | None) -> Iterator[Decision]:
    from engine.calibration.store import CalibrationStore
    from engine.review_drafting.benchmark.store import BenchmarkStore

    store = CalibrationStore(project)
    for table in (one for one in store.tables() if only is None or one.id in only):
        done = set[tuple[str, str, str]]()
        for review in () if table.origin.startswith("synthetic") else store.reviews(table.id):
            for name, score in (("", review.score), *review.further):
                part, key = f"{table.title}: {name}" if name else table.title, (name, review.item, review.referee)
                where = (table.id, name, review.item)
                yield _number(part, where, review.item, review.referee, score, repeat=key in done, words=review.item)
                done.add(key)
    benchmarks, seen = BenchmarkStore(project), AgreementStore(project)
    for one in (one for one in benchmarks.benchmarks() if only is None or one.id in only):
        visible = seen.visible(one.id, BENCHMARK)
        content = benchmarks.read(one.id)
        papers = {review.id: review.paper_id for review in content.reviews}
        titles = {paper.id: paper.title for paper in content.papers}
        names, counts = dict[str, str](), Counter[str]()
        for unit, paper in papers.items():
            counts[paper] += 1  # a number instead of the source, which raters may not know
            names[unit] = f"{titles[paper]}, review {counts[paper]}"
        for rating in benchmarks.ratings(one.id):
            if rating.score is not None and rating.annotator_id in visible:
                part, unit = f"{one.title}: {rating.dimension}", rating.review_id
                where = (one.id, rating.dimension, unit)
                yield _number(part, where, papers[unit], rating.annotator_id, rating.score, words=names[unit])


_READERS: dict[Subject, Callable[[Project, Collection[str] | None], Iterator[Decision]]] = {
    "states": _states,
    "spans": _spans,
    "labels": _labels,
    "preferences": _preferences,
    "ratings": _ratings,
    "scores": _scores,
}


def adjudicated(project: Project, of: Subject) -> dict[Where, str]:
    """Returns adjudications by ``Decision.where``. Those of a single unit take precedence over those of two annotators'
    disagreement. Show them only for units with visible decisions, as ``engine.agreement.compared.outcomes`` does."""
    from engine.rebuttal.preferences.store import PreferenceStore

    if of == "preferences":
        store = PreferenceStore(project)
        return {
            (cluster.id, "", " ".join(pair)): ruling.verdict
            for cluster in store.clusters()
            for pair, ruling in store.adjudications(cluster.id).items()
        }
    found: dict[Where, str] = {}
    for studies, one in _papers(project) if of in ("links", "states") else ():
        edits = [edit.id for edit in studies.revisions.edits(one.revision.id)]
        for comment, ruling in studies.agreement.adjudications(one.revision.id).items():
            unit = one.same.get(comment, comment)
            if ruling.verdict is None:
                continue
            if of == "states":
                found[unit, "", ""] = ruling.state
            else:
                found |= {(unit, "", e): LINKED if e in ruling.edit_ids else NOT_LINKED for e in edits}
    return found | AgreementStore(project).unit_adjudications(of)


def set_done(project: Project, of: Subject) -> int:
    """Marks everything of a kind that the acting annotator worked on as done; returns the number of subjects.

    Annotators without decisions of the kind mark everything that others have finished, which lets them adjudicate it.
    Raises BadInput for ratings, which are never hidden in this file.
    """
    own, store = project.annotator_id, AgreementStore(project)
    if of == "ratings":
        raise not_changed("Survey answers can't be marked as done, because each one came in its own file.")
    if of in _SUBJECTS:
        task, sql = _SUBJECTS[of]
        subjects = {row[0] for row in project.query(sql, (own,))}
    else:
        task = LINKING
        subjects = {one.paper.id for one in Studies(project).standings() if own in one.worked}
    subjects = (subjects or {*store.everything_done(task)}) - store.own_done(task)
    with project.action(f"Mark {SUBJECTS[of].title.lower()} as done"):
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


def taken(project: Project, of: Subject) -> tuple[Taken, ...]:
    """Returns how often suggestions of links or labels were accepted and rejected, by person and source; () for other
    kinds."""
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


def followed(project: Project, of: Subject) -> tuple[Followed, ...]:
    """Returns how often links or labels match the suggestions, by person and whether suggestions were on screen.

    For links, the best suggestion for each comment that the person decided on counts; for labels, what was suggested
    for a sentence in a layer. Hidden suggestions count too: they show how often people agree with what they didn't see.
    """
    seen = AgreementStore(project)
    found: list[tuple[str, str, bool | None, str, bool]] = []
    if of == "links":
        for paper, _, _, revision in Studies(project).compared():
            best = dict(tuple(row) for row in project.query(_BEST, (revision.id,)))
            people = seen.visible(paper.id)
            links = {(row[0], row[1], row[2]) for row in _rows(project, _LINKED, people, revision.id)}
            for comment, who, shown in _rows(project, _STATES, people, revision.id):
                if comment in best:
                    found.append(("", who, _yes(shown), paper.id, (comment, best[comment], who) in links))
    elif of == "labels":
        for source, paper in project.query("SELECT id, coalesce(paper_id, id) FROM source_text"):
            people = seen.visible(source, LABELS)
            for layer, who, shown, labels, offered in _rows(project, _OFFERED, people, source):
                same = labels is not None and set(json.loads(labels)) == set(json.loads(offered))
                found.append((layer, who, _yes(shown), paper, same))
    return rates(found)


def _yes(shown: object) -> bool | None:
    return None if shown is None else bool(shown)


_BEST = (
    "SELECT s.comment_id, s.edit_id FROM suggestion s JOIN suggestion_run r ON r.id = s.run_id"
    " JOIN edit e ON e.id = s.edit_id WHERE r.revision_id = ? AND r.complete AND s.rank = 1 AND e.current"
    " ORDER BY r.created_at, r.id"
)
_LINKED = (
    "SELECT l.comment_id, l.edit_id, l.annotator_id FROM edit_link l JOIN edit e ON e.id = l.edit_id"
    " WHERE e.revision_id = ? AND l.annotator_id IN (SELECT value FROM json_each(?))"
)
_STATES = (
    "SELECT comment_id, annotator_id, suggested FROM comment_state WHERE revision_id = ? AND state <> 'undecided'"
    " AND annotator_id IN (SELECT value FROM json_each(?))"
)
_OFFERED = (
    "SELECT layer, annotator_id, suggested, labels, offered FROM (SELECT l.*, coalesce(d.labels, s.labels) AS offered"
    " FROM sentence_label l LEFT JOIN sentence_label_decision d USING (source_id, start_offset, end_offset, layer,"
    " annotator_id) LEFT JOIN sentence_suggestion s USING (source_id, start_offset, end_offset, layer)"
    " WHERE NOT l.imported) WHERE source_id = ?1 AND offered IS NOT NULL"
    " AND annotator_id IN (SELECT value FROM json_each(?2))"
    " UNION ALL SELECT layer, annotator_id, 1, NULL, labels FROM sentence_label_decision d WHERE source_id = ?1"
    " AND decision = 'rejected' AND annotator_id IN (SELECT value FROM json_each(?2)) AND NOT EXISTS (SELECT 1"
    " FROM sentence_label l WHERE l.source_id = d.source_id AND l.start_offset = d.start_offset AND l.end_offset ="
    " d.end_offset AND l.layer = d.layer AND l.annotator_id = d.annotator_id AND NOT l.imported)"
)
"""Labels with the suggestions for them, and suggestions rejected without another label, which were shown."""
