"""Exports a cluster's judgements as a study: ranking, agreement, and the files of both."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from engine.agreement.store import PREFERENCES
from engine.errors import not_written
from engine.exchange.figures import figure_files, styled
from engine.exchange.io import csv_file
from engine.exchange.jitsupeer import write_collection
from engine.exchange.preferences import PreferenceRow, write_preferences
from engine.exchange.records import Export, ExportFile
from engine.measures.estimate import Estimate, defined
from engine.project import Project
from engine.rebuttal.canonical.records import CanonicalCollection, CanonicalRebuttal
from engine.rebuttal.canonical.records import Cluster as Written
from engine.rebuttal.preferences.annotators import Agreement, agreement, comparisons, description_kappa
from engine.rebuttal.preferences.candidates import cluster_title, scored
from engine.rebuttal.preferences.ranking import METHODS, Method, Ranking, rank
from engine.rebuttal.preferences.records import ADJUDICATED, ALL, Cluster, Judgement
from engine.rebuttal.preferences.store import PreferenceStore
from engine.shown import counted, shortened

TASK = PREFERENCES
"""The task that annotators mark as done (``AgreementStore``)."""
FORMATS = ("judgements", "crowd-kit", "ranking", "figures")
_DOT, _BAR = "#0072b2", "#56b4e9"
_LABEL = 46


@dataclass(frozen=True, slots=True)
class Study:
    """The judgements of a cluster: ``items`` are ranked by ``ranking``; ``texts`` has all candidates' texts, ``names``
    all annotators' names.

    ``judgements`` and ``agreement`` cover the annotators whose work is visible; ``hidden`` is the number of others.
    ``unsuitable`` counts how often an item was in a pair judged unsuitable.
    """

    cluster: Cluster
    items: tuple[str, ...]
    texts: Mapping[str, str]
    names: Mapping[str, str]
    judgements: tuple[Judgement, ...]
    ranking: Ranking
    agreement: Agreement
    descriptions: Mapping[tuple[str, str], Estimate]
    unsuitable: Mapping[str, int]
    hidden: int

    @property
    def canonical(self) -> str:
        """Returns the key of the candidate with rank 1; "" if there is no ranking."""
        rows = self.ranking.rows
        return self.items[rows[0].item] if rows and rows[0].rank is not None else ""


def read_study(project: Project, cluster_id: str, method: Method, visible: Collection[str]) -> Study:
    """Ranks a cluster and compares its annotators whose work is ``visible``. Raises KeyError if it doesn't exist."""
    store = PreferenceStore(project)
    cluster, candidates = store.cluster(cluster_id), store.candidates(cluster_id)
    everything = store.judgements(cluster_id)
    seen = tuple(j for j in everything if j.annotator_id in visible)
    adjudications = store.adjudications(cluster_id)
    names = dict(project.annotators())
    known = {names.get(key, "") for key in visible}
    basis = cluster.basis if cluster.basis in (ALL, ADJUDICATED) or cluster.basis in known else ALL
    before = {key for judgement in seen for key in judgement.pair}  # includes items judged earlier
    items = tuple(e.candidate.id for e in scored(cluster, candidates) if e.judged or e.candidate.id in before)
    found = comparisons(items, seen, adjudications, basis, names)
    texts = {candidate.id: candidate.text for candidate in candidates}
    choices = {
        key: [choice for choice in own if choice.annotator_id in visible] for key, own in store.choices().items()
    }
    unsuitable = [key for j in seen if j.answer == "unsuitable" for key in j.pair]
    return Study(
        cluster,
        items,
        texts,
        names,
        seen,
        rank([texts[key] for key in items], found, method),
        agreement(seen, adjudications),
        description_kappa(choices),
        {key: unsuitable.count(key) for key in set(unsuitable)},
        len({j.annotator_id for j in everything} - set(visible)),
    )


def export_files(study: Study, format_: str, stem: str) -> tuple[ExportFile, ...]:
    """Returns the files of one of ``FORMATS``, named after ``stem``. Raises BadInput for another format."""
    if format_ in ("judgements", "crowd-kit"):
        rows = [
            PreferenceRow(
                study.texts[j.left_id], study.texts[j.right_id], j.answer, study.names.get(j.annotator_id, ""),
                j.repeat, j.milliseconds, j.note,
            )
            for j in study.judgements
        ]  # fmt: skip
        return write_preferences(rows, "csv" if format_ == "judgements" else "crowd-kit", stem).files
    if format_ == "ranking":
        return (
            csv_file(f"{stem}-ranking.csv", _RANKING, ranking_rows(study)),
            csv_file(f"{stem}-annotators.csv", _ANNOTATORS, _annotator_rows(study)),
            csv_file(f"{stem}-kappa.csv", _KAPPA, _kappa_rows(study)),
        )
    if format_ == "figures":
        return _ranking_figure(study, stem)
    raise not_written(f"There is no format “{format_}”.", f"Choose one of {', '.join(FORMATS)}.")


_RANKING = (
    "rank", "rank_low", "rank_high", "candidate", "score", "low", "high", "first", "wins", "losses", "ties",
    "unsuitable", "method", "canonicity",
)  # fmt: skip
_ANNOTATORS = (
    "annotator", "judged", "skipped", "unsuitable", "ties", "left", "decided", "consistent", "repeated",
    "median_seconds", "competence", "low", "high",
)  # fmt: skip
_KAPPA = ("first", "second", "of", "kappa", "low", "high", "units")


def ranking_rows(study: Study) -> list[tuple[object, ...]]:
    """Returns the ranking with its intervals, best first, with the cells of ``_RANKING``."""
    return [
        (
            row.rank, row.rank_low, row.rank_high, study.texts[study.items[row.item]], defined(row.score),
            defined(row.low), defined(row.high), defined(row.best), row.wins, row.losses, row.ties,
            study.unsuitable.get(study.items[row.item], 0), study.ranking.method, defined(row.canonicity),
        )
        for row in study.ranking.rows
    ]  # fmt: skip


def _annotator_rows(study: Study) -> list[tuple[object, ...]]:
    found = study.agreement
    return [
        (
            study.names.get(h.annotator_id, ""), h.judged, h.skipped, h.unsuitable, h.ties, h.left, h.decided,
            h.consistent, h.repeated, defined(h.median_seconds), defined(found.competence.competence[at]),
            defined(found.competence.low[at]), defined(found.competence.high[at]),
        )
        for at, h in enumerate(found.habits)
    ]  # fmt: skip


def _kappa_rows(study: Study) -> list[tuple[object, ...]]:
    return [
        (
            study.names.get(one, ""), study.names.get(two, ""), what, defined(e.value),
            defined(e.low), defined(e.high), e.n,
        )
        for what, kappas in (("pairs", study.agreement.kappas), ("descriptions", study.descriptions))
        for (one, two), e in kappas.items()
    ]  # fmt: skip


def _ranking_figure(study: Study, stem: str) -> tuple[ExportFile, ...]:
    rows = study.ranking.rows
    with styled(6.4, 0.9 + 0.24 * max(len(rows), 2)) as (figure, axes):
        for at, row in enumerate(rows):
            axes.plot([row.low, row.high], [at, at], color=_BAR, linewidth=3, solid_capstyle="round", zorder=1)
            axes.plot(row.score, at, "o", color=_DOT, markersize=4, zorder=2)
        labels = [shortened(study.texts[study.items[row.item]], _LABEL) for row in rows]
        axes.set_yticks(
            range(len(rows)), [f"{label}   {row.rank or '–'}" for label, row in zip(labels, rows, strict=True)]
        )
        axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
        lower = " (lower is more canonical)" if study.ranking.method == "pagerank" else " (log odds)"
        axes.set_xlabel(f"{METHODS[study.ranking.method].split(',')[0]}{lower}, 95 % interval")
        axes.set_title(f"{cluster_title(study.cluster)}: {counted(study.ranking.comparisons, 'judgement')}", fontsize=9)
        return figure_files(f"{stem}-ranking-figure", figure, _RANKING, ranking_rows(study))


def collection_of_project(project: Project, visible: Callable[[str], Collection[str]]) -> Export:
    """Returns all clusters of a project with their rankings by PageRank, as in the paper, from the annotators whose
    work is ``visible`` in a cluster (given its key).

    The layout has one list of review sentences per root and theme, so those of clusters that share both are joined.
    Raises BadInput if no cluster has a root and a theme.
    """
    store = PreferenceStore(project)
    groups: dict[tuple[str, str], list[Cluster]] = {}
    nameless = 0
    for cluster in store.clusters():
        if cluster.root and cluster.theme:
            groups.setdefault((cluster.root, cluster.theme), []).append(cluster)
        else:
            nameless += 1
    if not groups:
        raise not_written(
            "No cluster has both an attitude root and a theme.",
            "In this layout folders are named after roots and files after themes: name the clusters (F2).",
        )
    written: list[Written] = []
    canonical: list[CanonicalRebuttal] = []
    scored: list[CanonicalRebuttal] = []
    without = 0
    for (root, theme), members in groups.items():
        written.append(_joined(store, root, theme, members))
        for cluster in members:
            without += not store.candidates(cluster.id)
            study = read_study(project, cluster.id, "pagerank", visible(cluster.id))
            if not study.canonical:
                continue
            alone = len(study.items) == 1  # canonical without comparison, with a score of 0
            canonical.append(CanonicalRebuttal(root, theme, cluster.action, study.texts[study.canonical]))
            scored += [
                CanonicalRebuttal(
                    root, theme, cluster.action, study.texts[study.items[row.item]], 0.0 if alone else row.score
                )
                for row in study.ranking.rows
                if row.rank is not None
            ]
    files = write_collection(CanonicalCollection(tuple(written), tuple(canonical), tuple(scored)))
    sentences = ["The layout has no place for judgements, intervals, thresholds and judging settings."]
    if scored:
        sentences.append(
            "Scores are PageRanks. Lower is more canonical, and they can only be compared within a cluster."
        )
    if len(groups) < sum(map(len, groups.values())):
        sentences.append("Review sentences of clusters with the same root and theme are one list there.")
    if without:
        sentences.append(f"The action of {counted(without, 'cluster')} without candidates isn't written.")
    if nameless:
        sentences.append(f"{counted(nameless, 'cluster')} without a root or a theme left out.")
    return Export(tuple(ExportFile(name, text.encode("utf-8")) for name, text in files.items()), tuple(sentences))


def _joined(store: PreferenceStore, root: str, theme: str, members: list[Cluster]) -> Written:
    """Joins the clusters of one root and theme as the layout requires, with the first description found."""
    reviews = dict.fromkeys(sentence.text for cluster in members for sentence in store.sentences(cluster.id))
    candidates = [(entry.text, cluster.action) for cluster in members for entry in store.candidates(cluster.id)]
    described = (texts[-1].text for cluster in members if (texts := store.written(cluster.id)))
    extracted = (found.text for cluster in members if (found := store.extract(cluster.id)) is not None)
    description = next(described, None) or next(extracted, "")
    return Written(
        root, theme, tuple(reviews), tuple(text for text, _ in candidates), tuple(action for _, action in candidates),
        description,
    )  # fmt: skip
