"""What a project says of revisions as a whole: analyses of proposed edits, and statistics of its corpus.

Tables 5 to 7 and appendix B of D'Arcy et al. (2024) for one's own data, as records, fields, tables and figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from engine.exchange.figures import figure_files, styled
from engine.exchange.io import csv_file
from engine.exchange.records import ExportFile
from engine.exchange.studies import Studies
from engine.measures.estimate import Estimate
from engine.measures.nominal import nominal_kappa
from engine.reviews.records import Comment
from engine.revision.generation.records import Analysis
from engine.revision.generation.store import GenerationStore
from engine.revision.generation.tables import AnalysisTables, analysis_tables, doubly_judged
from engine.revision.records import CommentJudgement, Edit
from engine.revision.silver_store import SilverStore
from engine.revision.statistics import CorpusStatistics, corpus_statistics

FORMATS = ("tables", "figures")
"""Every table as CSV; every figure as PDF, SVG and PNG with its data."""
_REAL, _GENERATED, _MUTED = "#0072b2", "#e69f00", "#555555"


@dataclass(frozen=True, slots=True)
class SilverRow:
    """Manual links against the links that responses give away, over the papers that have either.

    ``edits_per_comment`` over comments with a link; ``overlap`` is the mean share of a comment's words that its edit
    adds, ``added`` and ``deleted`` mean tokens of an edit that answers a comment. NaN where there is nothing.
    """

    name: str
    comments: int
    links: int
    edits_per_comment: float
    overlap: float
    added: float
    deleted: float


@dataclass(frozen=True, slots=True)
class Research:
    """All of it. ``precision`` and ``recall`` are those of the silver labels against the manual links, over comments
    that a person decided on; NaN without any. ``kappas`` by question, over analyses that two people made.
    """

    papers: int
    corpus: CorpusStatistics
    tables: AnalysisTables
    kappas: Mapping[str, Estimate]
    sources: tuple[SilverRow, SilverRow]
    precision: float
    recall: float


def research(studies: Studies, paper_id: str = "") -> Research:
    """Reads the acting annotator's links and analyses, of all compared papers or of one.

    What other annotators judged counts for kappa only, and only where it may be seen. Raises KeyError where there is
    no such compared paper.
    """
    project = studies.project
    generation, silver = GenerationStore(project), SilverStore(project, studies.revisions)
    names = [entry[0].id for entry in studies.compared()]
    if paper_id and paper_id not in names:
        raise KeyError(paper_id)
    found = [studies.study(name, suggestions=False) for name in ([paper_id] if paper_id else names)]
    comments: list[Comment] = []
    edits: list[Edit] = []
    judgements: list[CommentJudgement] = []
    manual: dict[str, list[str]] = {}
    labels: dict[str, list[str]] = {}
    decided: set[str] = set()
    own: list[Analysis] = []
    everybody: list[Analysis] = []
    for study in found:
        comments += study.comments
        edits += study.edits
        judgements += study.states.values()
        decided |= {key for key, judgement in study.states.items() if judgement.state != "undecided"}
        for link in study.links:
            manual.setdefault(link.comment_id, []).append(link.edit_id)
        for pair in silver.pairs(study.revision.id):
            labels.setdefault(pair.comment_id, []).append(pair.edit_id)
        visible = studies.agreement.visible(study.paper.id)
        own += generation.analyses(study.revision.id)
        everybody += [a for a in generation.analyses(study.revision.id, everybody=True) if a.annotator_id in visible]
    corpus = corpus_statistics(comments, edits, manual, judgements)
    by_labels = corpus_statistics(comments, edits, labels)
    gold = {(comment, edit) for comment, linked in manual.items() for edit in linked}
    told = {(comment, edit) for comment, linked in labels.items() for edit in linked}
    known = decided | set(manual)
    told_known = {pair for pair in told if pair[0] in known}
    return Research(
        len(found),
        corpus,
        analysis_tables(own),
        {
            name: nominal_kappa([(str(one), str(other)) for one, other in pairs])
            for name, pairs in doubly_judged(everybody).items()
        },
        (_source("by hand", manual, corpus), _source("from responses", labels, by_labels)),
        len(told_known & gold) / len(told_known) if told_known else float("nan"),
        len(told & gold) / len(gold) if gold else float("nan"),
    )


def _source(name: str, links: Mapping[str, Sequence[str]], corpus: CorpusStatistics) -> SilverRow:
    count = sum(map(len, links.values()))
    tokens = corpus.token_summary()["linked"]
    overlap = sum(corpus.overlap) / len(corpus.overlap) if corpus.overlap else float("nan")
    return SilverRow(
        name, len(links), count, count / len(links) if links else float("nan"), overlap, tokens[0], tokens[2]
    )


# --- as fields and tables -------------------------------------------------------------------------------------------


def research_fields(found: Research) -> dict[str, object]:
    """As JSON wants it; null where there is nothing to say."""
    return {
        "papers": found.papers,
        **{name: [dict(zip(header, row, strict=True)) for row in rows] for name, header, rows in tables_of(found)},
        "analysed": {
            "begun": found.tables.begun,
            "complete": found.tables.complete,
            "answerable": _cell(found.tables.answerable),
        },
        "silver": {"precision": _cell(found.precision), "recall": _cell(found.recall)},
    }


Table = tuple[str, tuple[str, ...], list[tuple[object, ...]]]


def tables_of(found: Research) -> tuple[Table, ...]:
    """(name, header, rows) of every table."""
    summary = found.corpus.token_summary()
    return (
        (
            "actions",
            ("action", "comments", "addressed", "share", "guessed"),
            [(r.action, r.comments, r.addressed, _cell(r.share), r.guessed) for r in found.corpus.actions],
        ),
        ("kinds", ("kind", "edits", "linked"), [(r.kind, r.edits, r.linked) for r in found.corpus.kinds]),
        (
            "tokens",
            ("edits", "mean_added", "median_added", "mean_deleted", "median_deleted"),
            [(name, *map(_cell, values)) for name, values in summary.items()],
        ),
        ("overlap", ("overlap",), [(_cell(value),) for value in found.corpus.overlap]),
        (
            "links",
            ("source", "comments", "links", "edits_per_comment", "overlap", "mean_added", "mean_deleted"),
            [
                (r.name, r.comments, r.links, *map(_cell, (r.edits_per_comment, r.overlap, r.added, r.deleted)))
                for r in found.sources
            ],
        ),
        (
            "sides",
            ("property", "real", "generated", "judged", "p"),
            [(r.property, _cell(r.real), _cell(r.generated), r.count, _cell(r.p)) for r in found.tables.sides],
        ),
        (
            "comparisons",
            ("comparison", "answer", "times", "judged", "p"),
            [(r.title, a, n, r.count, _cell(r.p)) for r in found.tables.comparisons for a, n in r.answers],
        ),
        (
            "kappas",
            ("question", "kappa", "low", "high", "units"),
            [(name, _cell(k.value), _cell(k.low), _cell(k.high), k.n) for name, k in found.kappas.items()],
        ),
    )


def export_files(found: Research, format_: str, name: str) -> tuple[ExportFile, ...]:
    """The files of one of ``FORMATS``, named after ``name``."""
    if format_ == "tables":
        return tuple(csv_file(f"{name}-{table}.csv", header, rows) for table, header, rows in tables_of(found))
    if format_ == "figures":
        return tuple(file for figure in FIGURES.values() for file in figure(found, name))
    raise ValueError(format_)


# --- as figures -----------------------------------------------------------------------------------------------------


def actions_figure(found: Research, name: str) -> tuple[ExportFile, ...]:
    """The share of comments that were addressed, by action (table 7)."""
    rows = [row for row in found.corpus.actions if row.comments]
    with styled(4.2, 0.8 + 0.3 * max(len(rows), 1)) as (figure, axes):
        axes.barh([row.action for row in rows], [row.share for row in rows], color=_REAL)
        for at, row in enumerate(rows):
            axes.annotate(
                f"{row.addressed} of {row.comments}", (row.share, at), (3, 0), textcoords="offset points", va="center"
            )
        axes.set_xlim(0, 1.25)
        axes.set_xticks((0, 0.25, 0.5, 0.75, 1))
        axes.set_xlabel("share of comments that were addressed")
        axes.invert_yaxis()
        data = [(row.action, row.comments, row.addressed, _cell(row.share), row.guessed) for row in rows]
        return figure_files(
            f"{name}-figure-actions", figure, ("action", "comments", "addressed", "share", "guessed"), data
        )


def kinds_figure(found: Research, name: str) -> tuple[ExportFile, ...]:
    """Edits by kind: those that answer a comment, and the rest."""
    rows = found.corpus.kinds
    with styled(4.2, 2.4) as (figure, axes):
        axes.barh([row.kind for row in rows], [row.linked for row in rows], color=_REAL)
        axes.barh(
            [row.kind for row in rows],
            [row.edits - row.linked for row in rows],
            left=[row.linked for row in rows],
            color="#bbbbbb",
        )
        for at, row in enumerate(rows):
            axes.annotate(
                f"{row.linked} of {row.edits}", (row.edits, at), (3, 0), textcoords="offset points", va="center"
            )
        axes.set_xlim(0, 1.25 * max([1, *(row.edits for row in rows)]))
        axes.set_xlabel("edits; blue: answer a comment")
        axes.invert_yaxis()
        return figure_files(
            f"{name}-figure-kinds", figure, ("kind", "edits", "linked"), [(r.kind, r.edits, r.linked) for r in rows]
        )


def tokens_figure(found: Research, name: str) -> tuple[ExportFile, ...]:
    """Tokens that edits add and delete: those that answer a comment, and the rest, as boxes on a log scale."""
    groups = [
        (f"{'answer a comment' if linked else 'other'}, {what}", [pair[at] for pair in pairs])
        for linked, pairs in ((True, found.corpus.linked_tokens), (False, found.corpus.other_tokens))
        for at, what in ((0, "added"), (1, "deleted"))
    ]
    with styled(4.6, 2.4) as (figure, axes):
        for at, (_, values) in enumerate(groups):
            if values:
                axes.boxplot(
                    [value + 1 for value in values], positions=[at], orientation="horizontal", widths=0.5, sym="."
                )
        axes.set_xscale("log")
        axes.set_yticks(range(len(groups)), [words for words, _ in groups])
        axes.set_xlabel("tokens of an edit + 1")
        axes.invert_yaxis()
        rows = [(words, value) for words, values in groups for value in values]
        return figure_files(f"{name}-figure-tokens", figure, ("edits", "tokens"), rows)


def overlap_figure(found: Research, name: str) -> tuple[ExportFile, ...]:
    """How much of a comment's words its edits add, over all linked pairs."""
    values = found.corpus.overlap
    with styled(4.2, 2.6) as (figure, axes):
        axes.hist(values, bins=[n / 20 for n in range(21)], color=_REAL)
        axes.set_xlabel("share of the comment's words that the edit adds")
        axes.set_ylabel("linked pairs")
        return figure_files(f"{name}-figure-overlap", figure, ("overlap",), [(_cell(value),) for value in values])


def sides_figure(found: Research, name: str) -> tuple[ExportFile, ...]:
    """Real against generated edits (table 5): compliance as a share of its range, the others as shares."""
    rows = [row for row in found.tables.sides if row.count]
    with styled(5.0, 0.9 + 0.4 * max(len(rows), 1)) as (figure, axes):
        for at, row in enumerate(rows):
            values = [(v - 1) / 2 if row.property == "compliance" else v for v in (row.real, row.generated)]
            axes.plot(values, [at, at], color="#bbbbbb", linewidth=2, zorder=1)
            axes.plot(values[:1], [at], "o", color=_REAL)
            axes.plot(values[1:], [at], "s", color=_GENERATED)
            axes.annotate(f"p = {row.p:.3f}, n = {row.count}", (1.05, at), va="center", color=_MUTED)
        axes.set_yticks(range(len(rows)), [row.title for row in rows])
        axes.set_xlim(-0.03, 1.5)
        axes.set_xticks((0, 0.25, 0.5, 0.75, 1))
        axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
        axes.set_xlabel("share (compliance: of its range); disc real, square generated")
        data = [(r.property, _cell(r.real), _cell(r.generated), r.count, _cell(r.p)) for r in rows]
        return figure_files(f"{name}-figure-sides", figure, ("property", "real", "generated", "judged", "p"), data)


def comparisons_figure(found: Research, name: str) -> tuple[ExportFile, ...]:
    """The direct comparisons (table 6): the share of each answer, stacked, one bar a question."""
    rows = [row for row in found.tables.comparisons if row.count]
    tints = (_GENERATED, _REAL, "#bbbbbb")
    with styled(5.0, 1.0 + 0.5 * max(len(rows), 1)) as (figure, axes):
        for at, row in enumerate(rows):
            left = 0.0
            for (answer, times), tint in zip(row.answers, tints, strict=True):
                share = times / row.count
                axes.barh([at], [share], left=[left], color=tint)
                if times:
                    axes.text(left + share / 2, at, f"{answer} {times}", ha="center", va="center")
                left += share
            axes.annotate(f"p = {row.p:.3f}, n = {row.count}", (1.05, at), va="center", color=_MUTED)
        axes.set_yticks(range(len(rows)), [row.title for row in rows])
        axes.set_xlim(0, 1.5)
        axes.set_xticks((0, 0.25, 0.5, 0.75, 1))
        axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
        axes.set_xlabel("share of comparisons")
        data = [(r.title, a, n, r.count, _cell(r.p)) for r in rows for a, n in r.answers]
        return figure_files(
            f"{name}-figure-comparisons", figure, ("comparison", "answer", "times", "judged", "p"), data
        )


def kappas_figure(found: Research, name: str) -> tuple[ExportFile, ...]:
    """Cohen's kappa of two analysts by question, with 95 % intervals; questions on which it is not defined stay out."""
    shown = [(question, kappa) for question, kappa in found.kappas.items() if kappa.known]
    with styled(5.0, 0.9 + 0.3 * max(len(shown), 1)) as (figure, axes):
        for at, (_, kappa) in enumerate(shown):
            axes.plot([kappa.low, kappa.high], [at, at], color=_REAL, linewidth=2)
            axes.plot([kappa.value], [at], "o", color=_REAL)
            axes.annotate(f"{kappa.value:.2f}, n = {kappa.n}", (1.05, at), va="center", color=_MUTED)
        lows = [kappa.low for _, kappa in shown if not isnan(kappa.low)]
        axes.set_yticks(range(len(shown)), [question for question, _ in shown])
        axes.set_xlim(min([0.0, *lows]) - 0.03, 1.5)
        axes.set_ylim(max(len(shown), 1) - 0.5, -0.5)
        axes.set_xlabel("Cohen's kappa, with 95 % interval")
        data = [(question, _cell(k.value), _cell(k.low), _cell(k.high), k.n) for question, k in found.kappas.items()]
        return figure_files(f"{name}-figure-kappas", figure, ("question", "kappa", "low", "high", "units"), data)


def links_figure(found: Research, name: str) -> tuple[ExportFile, ...]:
    """Links by hand against links from responses: each measure as a share of the higher of the two."""
    with styled(5.0, 2.6) as (figure, axes):
        for at, (_, values) in enumerate(SOURCE_MEASURES.items()):
            pair = [values(source) for source in found.sources]
            most = max((value for value in pair if not isnan(value)), default=0.0) or 1.0
            for value, mark, tint in zip(pair, "os", (_REAL, _GENERATED), strict=True):
                axes.plot([value / most], [at], mark, color=tint)
            told = " against ".join("–" if isnan(value) else f"{value:.3g}" for value in pair)
            axes.annotate(told, (1.08, at), va="center", color=_MUTED)
        axes.set_yticks(range(len(SOURCE_MEASURES)), list(SOURCE_MEASURES))
        axes.set_xlim(-0.03, 1.6)
        axes.set_xticks((0, 0.5, 1))
        axes.set_ylim(len(SOURCE_MEASURES) - 0.5, -0.5)
        axes.set_xlabel("share of the higher; disc by hand, square from responses")
        header = ("source", "comments", "links", "edits_per_comment", "overlap", "mean_added", "mean_deleted")
        data = [
            (r.name, r.comments, r.links, *map(_cell, (r.edits_per_comment, r.overlap, r.added, r.deleted)))
            for r in found.sources
        ]
        return figure_files(f"{name}-figure-links", figure, header, data)


SOURCE_MEASURES: Mapping[str, Callable[[SilverRow], float]] = {
    "Comments with links": lambda row: float(row.comments),
    "Links": lambda row: float(row.links),
    "Edits a comment": lambda row: row.edits_per_comment,
    "Overlap": lambda row: row.overlap,
    "Tokens added": lambda row: row.added,
    "Tokens deleted": lambda row: row.deleted,
}
"""What links by hand and links from responses are compared by."""

FIGURES: Mapping[str, Callable[[Research, str], tuple[ExportFile, ...]]] = {
    "actions": actions_figure,
    "kinds": kinds_figure,
    "tokens": tokens_figure,
    "overlap": overlap_figure,
    "sides": sides_figure,
    "comparisons": comparisons_figure,
    "kappas": kappas_figure,
    "links": links_figure,
}


def _cell(value: float) -> float | None:
    return None if isnan(value) else round(value, 6)
