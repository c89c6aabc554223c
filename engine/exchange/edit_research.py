"""Reports on a project's revisions: analyses of generated edits, and statistics of its corpus.

Tables 5 to 7, section 5.3 and appendix B of D'Arcy et al. (2024) for the project's data, next to the published values,
as records, JSON fields, tables and figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from math import isnan
from typing import TYPE_CHECKING

from engine.exchange.figures import figure_files, styled
from engine.exchange.io import csv_file
from engine.exchange.records import ExportFile
from engine.exchange.studies import Studies
from engine.measures.annotators import nominal_kappa
from engine.measures.estimate import Estimate, defined
from engine.reviews.records import Comment
from engine.revision.generation.records import Analysis
from engine.revision.generation.store import GenerationStore
from engine.revision.generation.tables import (
    PRINTED_5,
    PRINTED_6,
    PRINTED_ACTIONS,
    PRINTED_FULLY,
    PRINTED_MORE_TECHNICAL,
    PRINTED_OPERATIONS,
    PRINTED_OVERLAP,
    PRINTED_TOKENS,
    AnalysisTables,
    CorpusStatistics,
    analysis_tables,
    corpus_statistics,
    doubly_judged,
)
from engine.revision.records import KIND_WORDS, MISTAKES, CommentJudgement, Edit, Mistake
from engine.revision.store import SilverStore

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("tables", "figures")
"""Every table as CSV; every figure as PDF, SVG and PNG with its data."""
_REAL, _GENERATED, _REST, _MUTED = "#0072b2", "#e69f00", "#bbbbbb", "#555555"
_cell = partial(defined, digits=6)
_QUARTERS = (0, 0.25, 0.5, 0.75, 1)


@dataclass(frozen=True, slots=True)
class SilverRow:
    """Statistics of one source of links, manual or extracted from responses, over all papers read.

    ``comments`` counts those with a link, and ``edits_per_comment`` is their mean. ``overlap`` is the mean share of a
    comment's words that its edit adds, ``added`` and ``deleted`` mean tokens of linked edits. NaN if undefined.
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
    """All results. ``precision`` and ``recall`` compare the silver labels with the manual links; precision is over
    comments that the annotator decided on or linked. NaN if undefined. ``kappas`` by question, over analyses that two
    people made. ``mistakes`` by aligner (or "all"): the number of rejected suggestions labelled with a mistake, and the
    count of each mistake; pairs that were linked later are left out."""

    papers: int
    corpus: CorpusStatistics
    tables: AnalysisTables
    kappas: Mapping[str, Estimate]
    sources: tuple[SilverRow, SilverRow]
    precision: float
    recall: float
    mistakes: Mapping[str, tuple[int, Mapping[Mistake, int]]]


def research(studies: Studies, paper_id: str = "") -> Research:
    """Computes the results from the acting annotator's links and analyses, for all compared papers or for one.

    Other annotators' analyses are used for kappa only, if they are visible. Raises KeyError if ``paper_id`` isn't a
    compared paper.
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
    mistakes: list[tuple[str, tuple[Mistake, ...]]] = []
    for study in found:
        comments += study.comments
        edits += study.edits
        judgements += study.states.values()
        decided |= {key for key, judgement in study.states.items() if judgement.state != "undecided"}
        for link in study.links:
            manual.setdefault(link.comment_id, []).append(link.edit_id)
        for pair in silver.pairs(study.revision.id):
            labels.setdefault(pair.comment_id, []).append(pair.edit_id)
        linked = {(link.comment_id, link.edit_id) for link in study.links}
        mistakes += (
            (origin, wrong)
            for comment, edit, _, origin, wrong in studies.revisions.decisions(study.revision.id)
            if wrong and (comment, edit) not in linked
        )
        visible = studies.agreement.visible(study.paper.id)
        own += generation.analyses(study.revision.id)
        everybody += [a for a in generation.analyses(study.revision.id, everybody=True) if a.annotator_id in visible]
    corpus = corpus_statistics(comments, edits, manual, judgements)
    by_labels = corpus_statistics(comments, edits, labels)
    gold = {(comment, edit) for comment, linked in manual.items() for edit in linked}
    released = {(comment, edit) for comment, linked in labels.items() for edit in linked}
    known = decided | set(manual)
    released_known = {pair for pair in released if pair[0] in known}
    return Research(
        len(found),
        corpus,
        analysis_tables(own),
        {
            name: nominal_kappa([(str(one), str(other)) for one, other in pairs])
            for name, pairs in doubly_judged(everybody).items()
        },
        (_source("by hand", manual, corpus), _source("from responses", labels, by_labels)),
        len(released_known & gold) / len(released_known) if released_known else float("nan"),
        len(released & gold) / len(gold) if gold else float("nan"),
        {
            name: _counted([wrong for origin, wrong in mistakes if name in ("all", origin)])
            for name in ("all", *dict.fromkeys(origin for origin, _ in mistakes))
        },
    )


def _counted(labelled: Sequence[tuple[Mistake, ...]]) -> tuple[int, Mapping[Mistake, int]]:
    return len(labelled), {name: sum(name in wrong for wrong in labelled) for name in MISTAKES}


def _source(name: str, links: Mapping[str, Sequence[str]], corpus: CorpusStatistics) -> SilverRow:
    count = sum(map(len, links.values()))
    tokens = corpus.token_summary()["linked"]
    overlap = sum(corpus.overlap) / len(corpus.overlap) if corpus.overlap else float("nan")
    return SilverRow(
        name, len(links), count, count / len(links) if links else float("nan"), overlap, tokens[0], tokens[2]
    )


def research_fields(found: Research) -> dict[str, object]:
    """Returns the results as JSON fields; undefined numbers are None."""
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
_UNPRINTED = (None, None)
_PRINTED_COMPARISONS: tuple[Mapping[str, float], ...] = (
    {name: shares[2] for name, shares in PRINTED_5.items()},
    PRINTED_MORE_TECHNICAL,
)


def tables_of(found: Research) -> tuple[Table, ...]:
    """Returns (name, header, rows) of every table; values published for ARIES are in the "printed" columns."""
    corpus, tables = found.corpus, found.tables
    return (
        _table(
            "actions",
            "action comments addressed share guessed printed_comments printed_share",
            (
                (r.action, r.comments, r.addressed, r.share, r.guessed, *PRINTED_ACTIONS.get(r.action, _UNPRINTED))
                for r in corpus.actions
            ),
        ),
        _table("kinds", "kind edits linked", map(astuple, corpus.kinds)),
        _table(
            "tokens",
            "edits mean_added median_added mean_deleted median_deleted printed_added printed_deleted",
            (
                (name, *values, *(PRINTED_TOKENS if name == "linked" else _UNPRINTED))
                for name, values in corpus.token_summary().items()
            ),
        ),
        _table(
            "operations",
            "linked_edits share printed",
            ((name, share, PRINTED_OPERATIONS[name]) for name, share in corpus.operations().items()),
        ),
        _table("overlap", "overlap", ((value,) for value in corpus.overlap)),
        _table(
            "links",
            "source comments links edits_per_comment overlap mean_added mean_deleted printed_overlap",
            ((*astuple(r), PRINTED_OVERLAP[r.name]) for r in found.sources),
        ),
        _table(
            "table_5",
            "more_comprehensive answerable not_answerable all printed_answerable printed_not_answerable printed_all",
            ((*astuple(r), *PRINTED_5[r.answer]) for r in tables.comprehensiveness),
        ),
        _table(
            "sides",  # table 6, and the share with compliance 3
            "property real generated judged p printed_real printed_generated",
            (
                *((r.property, r.real, r.generated, r.count, r.p, *PRINTED_6[r.property][::-1]) for r in tables.sides),
                ("compliance 3", *tables.fully[::-1], tables.sides[0].count, None, *PRINTED_FULLY[::-1]),
            ),
        ),
        _table(
            "comparisons",
            "comparison answer times judged p printed",
            (
                (r.title, answer, times, r.count, r.p, printed.get(answer))
                for r, printed in zip(tables.comparisons, _PRINTED_COMPARISONS, strict=True)
                for answer, times in r.answers
            ),
        ),
        _table(
            "mistakes",
            "aligner mistake times labelled share printed",
            (
                (origin, MISTAKES[name][0], times, count, times / count if count else None, MISTAKES[name][2])
                for origin, (count, listed) in found.mistakes.items()
                for name, times in listed.items()
            ),
        ),
        _table(
            "kappas",
            "question kappa low high units",
            ((name, k.value, k.low, k.high, k.n) for name, k in found.kappas.items()),
        ),
    )


def _table(name: str, header: str, rows: Iterable[Sequence[object]]) -> Table:
    cells = [tuple(_cell(cell) if isinstance(cell, float) else cell for cell in row) for row in rows]
    return name, tuple(header.split()), cells


def export_files(found: Research, format_: str, name: str) -> tuple[ExportFile, ...]:
    """Returns the files of one of ``FORMATS``, named after ``name``; each figure comes with its data, and is left
    out if there is nothing to draw. Raises ValueError for any other format."""
    tables = {table: (header, rows) for table, header, rows in tables_of(found)}
    if format_ == "tables":
        return tuple(csv_file(f"{name}-{table}.csv", header, rows) for table, (header, rows) in tables.items())
    if format_ != "figures":
        raise ValueError(format_)
    tables["tokens"] = ("edits", "tokens"), [(words, value) for words, values in _tokens(found) for value in values]
    files: list[ExportFile] = []
    for figure_name, (width, height, draw) in FIGURES.items():
        with styled(width, height(len(tables[figure_name][1]))) as (figure, axes):
            draw(axes, found)
            if not (tables[figure_name][1] and axes.has_data()):
                continue
            files += figure_files(f"{name}-figure-{figure_name}", figure, *tables[figure_name])
    return tuple(files)


def _draw_actions(axes: Axes, found: Research) -> None:
    """Plots the share of comments that were addressed, by action (table 7)."""
    rows = [row for row in found.corpus.actions if row.comments]
    axes.barh([row.action for row in rows], [row.share for row in rows], color=_REAL)
    for at, row in enumerate(rows):
        _say(axes, row.share, at, f"{row.addressed} of {row.comments}")
    axes.set_xlim(0, 1.25)
    axes.set_xticks(_QUARTERS)
    axes.set_xlabel("share of comments that were addressed")
    axes.invert_yaxis()


def _draw_kinds(axes: Axes, found: Research) -> None:
    """Plots the number of edits by kind, split into linked edits and others."""
    rows = found.corpus.kinds
    kinds, linked = [KIND_WORDS[row.kind] for row in rows], [row.linked for row in rows]
    axes.barh(kinds, linked, color=_REAL)
    axes.barh(kinds, [row.edits - row.linked for row in rows], left=linked, color=_REST)
    for at, row in enumerate(rows):
        _say(axes, row.edits, at, f"{row.linked} of {row.edits}")
    axes.set_xlim(0, 1.25 * max([1, *(row.edits for row in rows)]))
    axes.set_xlabel("edits; blue: answer a comment")
    axes.invert_yaxis()


def _tokens(found: Research) -> list[tuple[str, list[int]]]:
    return [
        (f"{'answer a comment' if linked else 'other'}, {what}", [pair[at] for pair in pairs])
        for linked, pairs in ((True, found.corpus.linked_tokens), (False, found.corpus.other_tokens))
        for at, what in ((0, "added"), (1, "deleted"))
    ]


def _draw_tokens(axes: Axes, found: Research) -> None:
    """Plots the tokens added and deleted by linked and other edits as box plots on a log scale."""
    groups = _tokens(found)
    for at, (_, values) in enumerate(groups):
        if values:
            axes.boxplot([v + 1 for v in values], positions=[at], orientation="horizontal", widths=0.5, sym=".")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")  # the usual one writes formulas, which aren't parsed
    axes.xaxis.set_minor_formatter("")
    axes.set_yticks(range(len(groups)), [words for words, _ in groups])
    axes.set_xlabel("tokens of an edit + 1")
    axes.invert_yaxis()


def _draw_overlap(axes: Axes, found: Research) -> None:
    """Plots a histogram of the share of a comment's words that its edit adds, over linked pairs."""
    axes.hist(found.corpus.overlap, bins=[n / 20 for n in range(21)], color=_REAL)
    axes.set_xlabel("share of the comment's words that the edit adds")
    axes.set_ylabel("linked pairs")
    axes.locator_params(axis="y", integer=True)


def _draw_sides(axes: Axes, found: Research) -> None:
    """Plots real against generated edits (table 6): compliance rescaled to 0 to 1, the other properties as shares."""
    rows = [row for row in found.tables.sides if row.count]
    for at, row in enumerate(rows):
        values = [(v - 1) / 2 if row.property == "compliance" else v for v in (row.real, row.generated)]
        axes.plot(values, [at, at], color=_REST, linewidth=2, zorder=1)
        axes.plot(values[:1], [at], "o", color=_REAL)
        axes.plot(values[1:], [at], "s", color=_GENERATED)
        _say(axes, 1.05, at, f"p = {row.p:.3f}, n = {row.count}", _MUTED)
    _rows(
        axes,
        [row.title for row in rows],
        (-0.03, 1.5),
        "share (compliance: of its range); disc: real, square: generated",
    )


def _draw_comparisons(axes: Axes, found: Research) -> None:
    """Plots the direct comparisons as stacked shares of the answers, one bar per question."""
    rows = [row for row in found.tables.comparisons if row.count]
    for at, row in enumerate(rows):
        left = 0.0
        for (answer, times), tint in zip(row.answers, (_GENERATED, _REAL, _REST), strict=True):
            share = times / row.count
            axes.barh([at], [share], left=[left], color=tint)
            if times:
                axes.text(left + share / 2, at, f"{answer} {times}", ha="center", va="center")
            left += share
        _say(axes, 1.05, at, f"p = {row.p:.3f}, n = {row.count}", _MUTED)
    _rows(axes, [row.title for row in rows], (0, 1.5), "share of comparisons")


def _draw_kappas(axes: Axes, found: Research) -> None:
    """Plots Cohen's kappa of two analysts by question with 95 % intervals; undefined values are left out."""
    shown = {question: kappa for question, kappa in found.kappas.items() if kappa.known}
    for at, kappa in enumerate(shown.values()):
        axes.plot([kappa.low, kappa.high], [at, at], color=_REAL, linewidth=2)
        axes.plot([kappa.value], [at], "o", color=_REAL)
        _say(axes, 1.05, at, f"{kappa.value:.2f}, n = {kappa.n}", _MUTED)
    lows = [kappa.low for kappa in shown.values() if not isnan(kappa.low)]
    _rows(axes, list(shown), (min([0.0, *lows]) - 0.03, 1.5), "Cohen's kappa, with 95 % interval", ticks=None)


def _draw_links(axes: Axes, found: Research) -> None:
    """Plots each measure of manual links and of links from responses as a share of the higher of the two."""
    for at, values in enumerate(SOURCE_MEASURES.values()):
        pair = [values(source) for source in found.sources]
        most = max((value for value in pair if not isnan(value)), default=0.0) or 1.0
        for value, mark, tint in zip(pair, "os", (_REAL, _GENERATED), strict=True):
            axes.plot([value / most], [at], mark, color=tint)
        _say(axes, 1.08, at, " against ".join("–" if isnan(value) else f"{value:.3g}" for value in pair), _MUTED)
    _rows(axes, list(SOURCE_MEASURES), (-0.03, 1.6), "share of the higher; disc: manual, square: from responses")


def _rows(
    axes: Axes, labels: Sequence[str], span: tuple[float, float], words: str, ticks: Sequence[float] | None = _QUARTERS
) -> None:
    """Formats the axes for one row per label, from top to bottom."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xlim(*span)
    if ticks is not None:
        axes.set_xticks(ticks)
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    axes.set_xlabel(words)


def _say(axes: Axes, x: float, y: float, words: str, tint: str = "black") -> None:
    axes.annotate(words, (x, y), (3, 0), textcoords="offset points", va="center", color=tint)


SOURCE_MEASURES: Mapping[str, Callable[[SilverRow], float]] = {
    "Comments with links": lambda row: float(row.comments),
    "Links": lambda row: float(row.links),
    "Edits per comment": lambda row: row.edits_per_comment,
    "Overlap": lambda row: row.overlap,
    "Tokens added": lambda row: row.added,
    "Tokens deleted": lambda row: row.deleted,
}
"""Measures by which manual links and links from responses are compared."""

FIGURES: Mapping[str, tuple[float, Callable[[int], float], Callable[[Axes, Research], None]]] = {
    "actions": (4.2, lambda rows: 0.8 + 0.3 * max(rows, 1), _draw_actions),
    "kinds": (4.2, lambda _: 2.4, _draw_kinds),
    "tokens": (4.6, lambda _: 2.4, _draw_tokens),
    "overlap": (4.2, lambda _: 2.6, _draw_overlap),
    "sides": (5.0, lambda rows: 0.9 + 0.4 * max(rows, 1), _draw_sides),
    "comparisons": (5.0, lambda rows: 1.0 + 0.17 * max(rows, 3), _draw_comparisons),
    "kappas": (5.0, lambda rows: 0.9 + 0.3 * max(rows, 1), _draw_kappas),
    "links": (5.0, lambda _: 2.6, _draw_links),
}
"""By name of the table with its data: width, height as a function of the table's rows, both in inches, and the function
that draws it."""
