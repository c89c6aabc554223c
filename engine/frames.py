"""All tabular data of a project as pandas DataFrames, for notebooks and exports.

Each function takes a project, which may be read-only, and returns one row for each of the things it is named after.
Columns and types are the same for an empty project: ``text`` is pandas' ``string``, ``number`` ``Float64``, ``count``
``Int64``, ``yes/no`` ``boolean``; unknown values are ``NA``. Keys (``..._id``) are those of the project file.
``help(frames.comments)`` lists the columns. Others' work is included where ``AgreementStore.visible`` allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from engine.agreement.store import AgreementStore
from engine.exchange.framed import Rows, framed
from engine.exchange.studies import Studies
from engine.project import Project

if TYPE_CHECKING:
    import pandas as pd

    from engine.agreement.records import Subject
    from engine.expertise.records import Study, SurveyParticipant
    from engine.expertise.store import SurveyStore
    from engine.rebuttal.preferences.ranking import Method
    from engine.rebuttal.preferences.records import Cluster
    from engine.rebuttal.preferences.store import PreferenceStore
    from engine.reviews.records import SourceText

# --- surveys and similarity -------------------------------------------------------------------------------------------


def _participants(project: Project) -> Iterator[tuple[SurveyStore, Study, SurveyParticipant]]:
    from engine.expertise.store import SurveyStore

    for study in (store := SurveyStore(project)).studies():
        yield from ((store, study, person) for person in store.participants(study.id))


@framed(
    study_id="text: key of the study",
    study="text: its title",
    participant_id="text: the participant's key in answers files and similarity scores",
    paper_id="text: key of the rated paper",
    title="text: its title",
    year="count: its year",
    rating="number: self-assessed expertise, 1 to 5 in steps of 0.25; NA where it is still to be given",
)
def answers(project: Project) -> Rows:
    """Survey answers: a row for each paper that a participant named. E-mail addresses and notes are left out."""
    for store, study, person in _participants(project):
        for row in store.rows(person.id):
            yield study.id, study.title, person.key, row.paper.id, row.paper.title, row.paper.year or None, row.value


@framed(
    study_id="text: key of the study",
    participant_id="text: the participant's key",
    paper_id="text: key of the publication",
    title="text: its title",
    year="count: its year",
    kept="yes/no: whether it is part of the profile",
)
def profiles(project: Project) -> Rows:
    """Profiles: a row for each of a participant's own publications."""
    for store, study, person in _participants(project):
        for row in store.profile(person.id):
            yield study.id, person.key, row.paper.id, row.paper.title, row.paper.year or None, row.kept


def _outcomes(project: Project) -> Iterator[tuple[str, Any]]:
    from engine.expertise.laboratory import Data, Laboratory
    from engine.expertise.laboratory_store import LaboratoryStore
    from engine.expertise.store import SurveyStore
    from engine.models.registry import shared_encoder

    surveys, kept = SurveyStore(project), LaboratoryStore(project)
    for study in surveys.studies("organiser"):
        laboratory = Laboratory(Data(study.id, study.title, surveys.gold_standard(study.id)), shared_encoder)
        for run in kept.runs(study.id):
            yield study.id, laboratory.outcome(run, kept.predictions(run.id))


@framed(
    study_id="text: key of the study",
    run_id="text: key of the run",
    algorithm="text: title of the algorithm with its changed parameters",
    draw="count: which draw of the profiles, from 0",
    participant_id="text: the participant's key",
    paper_id="text: key of the rated paper",
    score="number: similarity of profile and paper; its range is the algorithm's own, more is more similar",
)
def similarity(project: Project) -> Rows:
    """Similarity scores: a row for each score of each complete run on the project's studies."""
    for study, found in _outcomes(project):
        for draw, people in enumerate(found.predictions):
            for person, own in people.items():
                for paper, score in own.items():
                    yield study, found.run.id, found.run.label, draw, person, paper, score


@framed(
    study_id="text: key of the study",
    run_id="text: key of the run",
    algorithm="text: title of the algorithm with its changed parameters",
    representation="text: what was read: title, title+abstract or full text",
    profile_length="count: papers in a drawn profile",
    loss="number: share of rating differences that are ordered wrongly; 0 perfect, 0.5 chance",
    loss_low="number: lower end of its 95 % interval over participants",
    loss_high="number: upper end",
    easy="number: share of easy triples resolved, 0 to 1",
    hard="number: share of hard triples resolved, 0 to 1",
    participants="count: participants with ratings that differ",
    pairs="count: pairs of papers compared",
    seconds="number: time of the run",
)
def evaluation(project: Project) -> Rows:
    """Evaluation of similarity algorithms (Stelmakh et al. 2023): a row for each complete run."""
    for study, found in _outcomes(project):
        run, figures = found.run, found.evaluation
        yield (
            study, run.id, run.label, run.representation, run.profile_length, figures.loss, figures.loss_low,
            figures.loss_high, figures.easy, figures.hard, figures.participants, figures.pairs, run.seconds,
        )  # fmt: skip


# --- scores -----------------------------------------------------------------------------------------------------------


@framed(
    table_id="text: key of the table of scores",
    table="text: its title",
    item="text: what was reviewed",
    referee="text: who reviewed it",
    score="number: the score as given",
    confidence="number: precision of the score, above 0; 1 where none was given",
    row="count: row of the file that it came from",
)
def scores(project: Project) -> Rows:
    """Review scores: a row for each score of a referee for an item."""
    from engine.calibration.store import CalibrationStore

    store = CalibrationStore(project)
    for table in store.tables():
        for review in store.reviews(table.id):
            yield table.id, table.title, review.item, review.referee, review.score, review.confidence, review.row


def _calibrated(project: Project) -> Iterator[tuple[str, str, Any]]:
    from engine.calibration.store import CalibrationStore
    from engine.calibration.tasks import refit
    from engine.exchange.calibration import CalibrationExport
    from engine.jobs import QuietReport

    store = CalibrationStore(project)
    for table in store.tables():
        original = None
        for scenario in store.scenarios(table.id):
            fit = refit(scenario, store.reviews(table.id), table.cutoff).run(QuietReport())
            original = original or fit
            yield table.title, scenario.name, CalibrationExport(table.title, fit, original, table.cutoff)


@framed(
    table="text: title of the table of scores",
    scenario="text: name of the scenario",
    rank="number: rank by calibrated score, 1 is the best; ties share their mean rank",
    rank_low="number: lower end of its 90 % interval",
    rank_high="number: upper end",
    interval="text: how far sd and interval can be trusted: 90 %, nominal 90 % or 90 % by the prior; NA without them",
    rank_before="number: rank in the table's first scenario",
    item="text: what was reviewed",
    score="number: calibrated score, in units of the given scores",
    sd="number: its standard deviation",
    plain_mean="number: mean of the given scores",
    above_cutoff="number: probability of being above the cut-off, 0 to 1; NA without a cut-off",
    decision="text: safe accept, borderline or safe reject at the cut-off; NA without one",
    accepted="yes/no: whether it is accepted for now; NA without a decision",
    decision_change="number: probability that the true scores would lead to a different decision, 0 to 1",
    review_gain="number: how much another review is expected to lower it",
    swap_with_next="number: probability that the next item is truly better, 0 to 1",
    reviews="count: reviews that count",
    disagreement="number: how far the reviews are apart",
    reviews_disagree="yes/no: whether they differ by more than chance",
    log_likelihood="number: of the item's reviews",
    circle="count: number of the group of items that can be compared, from 1",
)
def calibration(project: Project) -> Rows:
    """Calibration by items: a row for each item in each scenario. The calibration is computed when this is called."""
    from engine.exchange.calibration import item_table

    for table, scenario, export in _calibrated(project):
        yield from ((table, scenario, *row) for row in item_table(export)[1])


@framed(
    table="text: title of the table of scores",
    scenario="text: name of the scenario",
    referee="text: who reviewed",
    bias="number: how far the referee is above others, in units of the given scores",
    bias_sd="number: its standard deviation",
    interval="text: how far it can be trusted: 90 %, nominal 90 % or 90 % by the prior; NA without one",
    trust="number: precision beyond the referee's own confidence",
    infinite_trust="yes/no: whether the referee shows no noise of their own",
    reviews="count: reviews that count",
    log_likelihood="number: of the referee's reviews",
    flagged="yes/no: whether the referee should be looked at",
)
def referees(project: Project) -> Rows:
    """Calibration by referees: a row for each referee in each scenario. Computed when this is called."""
    from engine.exchange.calibration import referee_table

    for table, scenario, export in _calibrated(project):
        yield from ((table, scenario, *row) for row in referee_table(export)[1])


# --- reviews, comments and edits --------------------------------------------------------------------------------------


@framed(
    source_id="text: key of the text",
    paper_id="text: key of the paper; NA where it belongs to none",
    title="text: its title",
    kind="text: review, letter, meta-review or reply",
    reviewer="text: who wrote it",
    field="text: name of a field of the review, such as rating; NA where it has none",
    value="text: the field as it was written",
    text="text: the whole text",
)
def reviews(project: Project) -> Rows:
    """Reviews and letters: a row for each field of each text, and one row for a text without fields."""
    for text, paper in _texts(project):
        for name, value in text.fields or ((None, None),):
            yield text.id, paper or None, text.title, text.kind, text.reviewer, name, value, text.text


def _texts(project: Project) -> Iterator[tuple[SourceText, str]]:
    """Yields all texts with the keys of their papers. As elsewhere, texts imported before there was a paper belong to
    the only paper."""
    studies = Studies(project)
    papers = [paper.id for paper in studies.papers.papers()]
    of_paper = {text.id: paper for paper in papers for text in studies.reviews.texts(paper)}
    only = papers[0] if len(papers) == 1 else ""
    for text in studies.reviews.texts():
        yield text, of_paper.get(text.id, only)


@framed(
    comment_id="text: key of the comment",
    source_id="text: key of the text that it is in",
    reviewer="text: who wrote it",
    comment="text: the reviewer's words",
    context="text: the paragraph that they are in",
    response="text: the authors' answer; empty where there is none",
    actionable="yes/no: whether it asks for a change",
    action="text: what kind of change; NA where nobody has said",
    external_id="text: its id in the file that it came from; empty where that has none",
)
def comments(project: Project) -> Rows:
    """Review comments: a row for each comment."""
    studies = Studies(project)
    for text, paper in _texts(project):
        for one in studies.reviews.comments(source_id=text.id, seen_by=studies.agreement.visible(paper)):
            words = one.comment, one.context, one.response
            yield one.id, one.source_id, one.reviewer, *words, one.actionable, one.action, one.external_id


@framed(
    edit_id="text: key of the edit",
    paper_id="text: key of the paper",
    label="text: the edit's number for people",
    kind="text: added, deleted, minor, major or moved; passage for words that a person linked where no edit was found",
    group="text: text, captions, tables, mathematics, code, references, authors or other",
    operation="text: add, delete, edit, move, split, merge or split+merge",
    moved="yes/no: whether it moved, too",
    section="text: the section that it is in",
    source_text="text: the submitted paragraphs",
    target_text="text: the revised paragraphs",
    tokens_removed="count: tokens",
    tokens_added="count: tokens",
)
def edits(project: Project) -> Rows:
    """Paragraph edits between the submitted and the revised version: a row for each edit."""
    studies = Studies(project)
    for paper, _, _, revision in studies.compared():
        for one in studies.revisions.targets(revision.id, studies.agreement.visible(paper.id)):
            yield (
                one.id, paper.id, one.label, one.sort, one.group, one.operation, one.moved, one.section,
                one.source_text, one.target_text, one.tokens_removed, one.tokens_added,
            )  # fmt: skip


@framed(
    paper_id="text: key of the paper",
    comment_id="text: key of the comment",
    edit_id="text: key of the edit; NA where the comment has none",
    annotator="text: who linked them",
    state="text: what the annotator decided on the comment, an engine.revision.records.CommentState",
    origin="text: person, model:<strategy>@<version> for an accepted suggestion, or import:<file>",
    confidence="number: as it was given, NA without one",
    note="text: the note on the link",
)
def links(project: Project) -> Rows:
    """Links of comments and edits: a row for each link of each annotator, and one for a decided comment without any."""
    studies, names = Studies(project), dict(project.annotators())
    for paper, _, _, _ in studies.compared():
        for annotator in sorted(studies.agreement.visible(paper.id)):
            study = studies.study(paper.id, annotator, suggestions=False)
            states = {key: judgement.state for key, judgement in study.states.items()}
            who, linked = names.get(annotator, ""), {link.comment_id for link in study.links}
            for link in study.links:
                yield (
                    paper.id, link.comment_id, link.edit_id, who, states.get(link.comment_id, "undecided"),
                    link.origin, link.confidence, link.note,
                )  # fmt: skip
            for key, state in states.items():
                if key not in linked:
                    yield paper.id, key, None, who, state, None, None, None


@framed(
    source_id="text: key of the text",
    start="count: where the sentence begins in it, in code points from 0",
    end="count: where it ends, not included",
    sentence="text: the sentence",
    layer="text: polarity, aspect, theme, review_action, actionable or action",
    label="text: id of the label; NA where it was decided that none holds",
    confidence="number: chance that the label is right, 0 to 1; 1 for a person's word",
    origin="text: person, model:<heads>@<version>, rules:<name>@<version> or import:<file>",
    decided="yes/no: whether a person or a file says so; no where it is only offered",
)
def labels(project: Project) -> Rows:
    """Labels of review sentences: a row for each label of each layer, the acting annotator's or offered to them."""
    from engine.reviews.labels.store import LabelStore

    store = LabelStore(project)
    for text, _ in _texts(project):
        for one in store.read(text.id):
            words = text.text[one.span.start : one.span.end]
            for layer, origin in one.origins.items():
                for label in one.of(layer) or (None,):  # type: ignore[arg-type]
                    chance = one.confidence.get(f"theme:{label}" if layer == "theme" else layer)
                    where = (text.id, one.span.start, one.span.end, words, layer)
                    yield (*where, label, chance, origin, layer not in one.offered)


# --- preferences, agreement, benchmark --------------------------------------------------------------------------------


def _clusters(project: Project) -> Iterator[tuple[PreferenceStore, Cluster, frozenset[str]]]:
    from engine.exchange.preference_study import TASK
    from engine.rebuttal.preferences.store import PreferenceStore

    store, seen = PreferenceStore(project), AgreementStore(project)
    for cluster in store.clusters():
        yield store, cluster, seen.visible(cluster.id, TASK)


@framed(
    cluster="text: name of the cluster",
    left="text: the rebuttal sentence on the left",
    right="text: the one on the right",
    answer="text: left, right, tie, unsuitable or skip",
    annotator="text: who judged",
    repeat="yes/no: whether the same annotator had judged the pair before, with sides swapped",
    milliseconds="count: time from the pair's first display to the answer; NA where it is not known",
    note="text: the annotator's note",
)
def preferences(project: Project) -> Rows:
    """Preferences between rebuttal sentences: a row for each judgement of a pair."""
    from engine.rebuttal.preferences.candidates import cluster_title

    names = dict(project.annotators())
    for store, cluster, seen in _clusters(project):
        texts = {candidate.id: candidate.text for candidate in store.candidates(cluster.id)}
        for one in store.judgements(cluster.id):
            if one.annotator_id in seen:
                yield (
                    cluster_title(cluster), texts[one.left_id], texts[one.right_id], one.answer,
                    names.get(one.annotator_id, ""), one.repeat, one.milliseconds, one.note,
                )  # fmt: skip


@framed(
    cluster="text: name of the cluster",
    rank="count: 1 is the most canonical",
    rank_low="count: lower end of its 95 % interval",
    rank_high="count: upper end",
    candidate="text: the rebuttal sentence",
    score="number: score of the method; lower is more canonical for pagerank, log odds for bradley-terry",
    low="number: lower end of its 95 % interval",
    high="number: upper end",
    first="number: share of samples in which it is first, 0 to 1",
    wins="count: pairs won",
    losses="count: pairs lost",
    ties="count: pairs tied",
    unsuitable="count: pairs judged unsuitable",
    method="text: id of the method",
    canonicity="number: share of the cluster's other sentences that it is ahead of, 0 to 1; comparable across clusters",
)
def rankings(project: Project, method: Method = "pagerank") -> Rows:
    """Rankings of rebuttal sentences: a row for each ranked sentence of each cluster. ``method`` is an id of
    ``engine.rebuttal.preferences.ranking.METHODS``.
    """
    from engine.exchange.preference_study import ranking_rows, read_study
    from engine.rebuttal.preferences.candidates import cluster_title

    for _, cluster, seen in _clusters(project):
        for row in ranking_rows(read_study(project, cluster.id, method, seen)):
            yield (cluster_title(cluster), *row)


@framed(
    paper="text: title of the paper, or “All papers” for all of them together",
    measure="text: what was measured, an id of engine.agreement.records.MEASURES",
    value="number: the measure; NA where it is not defined",
    low="number: lower end of its 95 % interval",
    high="number: upper end",
    units="count: what it was computed from",
    published="number: the published figure of ARIES; NA where there is none",
)
def agreement(project: Project) -> Rows:
    """Agreement of the first two annotators who are done with the linking: a row for each measure and paper."""
    from engine.agreement.linking import agreement as compared
    from engine.exchange.agreement import measure_rows

    studies = Studies(project)
    order = [key for key, _ in project.annotators()]
    done = [key for key in order if any(key in one.done & one.visible for one in studies.standings())]
    return measure_rows(compared(studies.paper_works(done[0], done[1]))) if len(done) > 1 else ()


@framed(
    part="text: layer, table or study that the decision is part of; empty for the only one",
    unit="text: keys of what was decided on",
    paper="text: key of the paper, or of what else is resampled for intervals",
    annotator="text: key of who decided; a participant's key or a referee's name in ratings and scores",
    value="text: what was decided",
    number="number: the value of a rating or score",
    decided_at="text: when, in UTC; NA where it is not known",
    repeat="yes/no: whether the same person had decided on the unit before",
)
def decisions(project: Project, of: Subject = "links") -> Rows:
    """What people decided: a row for each decision that may be seen, of a kind in ``agreement.records.SUBJECTS``."""
    from engine.operations.decisions import decisions as read

    yield from ((*one[:5], one.number, one.at or None, one.repeat) for one in read(project, of))


@framed(
    part="text: layer, table or study; empty for the only one",
    over="text: all, class or annotator",
    name="text: the class or the annotator; empty for all",
    measure="text: id of a coefficient in engine.measures.estimate.COEFFICIENTS, or specific, with_others, early...",
    value="number: the measure; NA where it is not defined",
    low="number: lower end of its 95 % interval over papers; NA for fewer than six",
    high="number: upper end",
    units="count: what it was computed from",
)
def coefficients(project: Project, of: Subject = "links") -> Rows:
    """How far all annotators agree on a kind of decision: a row for each measure; see docs/guide/agreement.md."""
    from engine.exchange.adjudicated import measure_rows
    from engine.operations.decisions import compared

    return measure_rows(compared(project, of))


@framed(
    benchmark="text: title of the benchmark",
    paper_id="text: key of the paper",
    review_id="text: key of the review",
    source="text: who or what wrote the review",
    dimension="text: id of the rubric",
    judge="text: origin of the judge's run, or the annotator's name",
    by_hand="yes/no: whether a person gave the score",
    score="count: the score; NA where it is not decided",
)
def benchmark(project: Project) -> Rows:
    """Scores of benchmarked reviews: a row for each score that a run of a judge, or the acting annotator, gave."""
    from engine.review_drafting.benchmark.store import BenchmarkStore

    store, names = BenchmarkStore(project), dict(project.annotators())
    for one in store.benchmarks():
        about = {r.id: (one.title, r.paper_id, r.id, r.source) for r in store.read(one.id).reviews}
        for run in store.runs(one.id):
            for key, given in store.judgements(run.id).items():
                yield from ((*about[key], j.dimension, run.origin, False, j.score) for j in given.values())
        for rating in store.ratings(one.id, project.annotator_id):
            who = names.get(rating.annotator_id, "")
            yield (*about[rating.review_id], rating.dimension, who, True, rating.score)


FRAMES: dict[str, Callable[[Project], pd.DataFrame]] = {
    made.__name__: made
    for made in (
        answers, profiles, similarity, evaluation, scores, calibration, referees, reviews, comments, edits, links,
        labels, preferences, rankings, agreement, decisions, coefficients, benchmark,
    )
}  # fmt: skip
"""All frames by name."""
