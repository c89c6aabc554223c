"""Summary figures of a survey: participants, papers and ratings (Stelmakh et al. 2023, section 3).

Table 1 describes the participants, Table 2 the papers, Figure 1a the distribution of ratings, Figure 1b the differences
between ratings of the same person, pair by pair.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine.expertise.records import ProfileRow, Study, SurveyParticipant, SurveyRow
from engine.expertise.survey import GRID, STEP, freely_available
from engine.papers.library import duplicates
from engine.papers.records import LibraryPaper

GAPS: tuple[float, ...] = tuple(STEP * n for n in range(len(GRID)))
"""All possible differences of two ratings: 0.0, 0.25, ... 4.0."""
MOST_NAMED = 10
"""Less frequent areas and free answers are combined as "other"."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A line of Table 1 or 2; ``share`` (0 to 1) is only given for parts of a whole."""

    group: str
    name: str
    value: float
    share: float | None = None


@dataclass(frozen=True, slots=True)
class SurveySummary:
    """Tables and distributions; ``ratings`` and ``gaps`` are counts at each point of ``GRID`` and ``GAPS``."""

    participants: int
    papers: int
    table_1: tuple[SummaryRow, ...]
    table_2: tuple[SummaryRow, ...]
    ratings: tuple[int, ...]
    gaps: tuple[int, ...]

    @property
    def pairs(self) -> int:
        return sum(self.gaps)

    @property
    def ties(self) -> int:
        return self.gaps[0]


def summarise(
    study: Study,
    participants: Sequence[SurveyParticipant],
    rows: Mapping[str, Sequence[SurveyRow]],
    profiles: Mapping[str, Sequence[ProfileRow]],
) -> SurveySummary:
    """Summarises a study; ``rows`` and ``profiles`` are by participants' ids. Only participants with a rating count,
    and only a person's last rating of a paper; records of the same paper (by identifier, or title and authors) count
    once."""
    rated = {p.id: {row.paper.id: row for row in rows.get(p.id, ()) if row.value is not None} for p in participants}
    people = [p for p in participants if rated[p.id]]
    every = [row for p in people for row in rated[p.id].values()]
    papers = list({row.paper.id: row.paper for row in every}.values())
    same = {paper.id: group[0].id for group in duplicates(papers) for paper in group}
    distinct = list({same.get(paper.id, paper.id): paper for paper in reversed(papers)}.values())[::-1]
    raters = Counter(
        key for p in people for key in {same.get(row.paper.id, row.paper.id) for row in rated[p.id].values()}
    )
    gaps = Counter(abs(_value(a) - _value(b)) for p in people for a, b in combinations(rated[p.id].values(), 2))
    values = Counter(map(_value, every))
    return SurveySummary(
        participants=len(people),
        papers=len(distinct),
        table_1=tuple(_people(study, people, {p.id: len(rated[p.id]) for p in people}, profiles)),
        table_2=tuple(_papers(distinct, len(every), raters)),
        ratings=tuple(values[value] for value in GRID),
        gaps=tuple(gaps[gap] for gap in GAPS),
    )


def _value(row: SurveyRow) -> float:
    assert row.value is not None
    return row.value


def _people(
    study: Study,
    people: Sequence[SurveyParticipant],
    ratings: Mapping[str, int],
    profiles: Mapping[str, Sequence[ProfileRow]],
) -> Iterable[SummaryRow]:
    total = len(people)
    yield SummaryRow("participants", "all", total)
    for question in study.questions:
        given = [dict(p.answers).get(question.key, "").strip() for p in people]
        counts = Counter(answer for answer in given if answer)
        named = [c for c in question.choices if counts[c]] if question.choices else []
        named += [a for a, _ in counts.most_common() if a not in named]
        yield from _counted(question.words, [(name, counts[name]) for name in named], total)
        if silent := given.count(""):
            yield SummaryRow(question.words, "not answered", silent, silent / total)
    yield from _spread("ratings per participant", list(ratings.values()))
    yield from _spread("own publications", [sum(row.kept for row in profiles.get(p.id, ())) for p in people])


def _papers(papers: Sequence[LibraryPaper], ratings: int, raters: Mapping[str, int]) -> Iterable[SummaryRow]:
    total = len(papers)
    yield SummaryRow("papers", "all", total)
    yield SummaryRow("papers", "ratings", ratings)
    if not total:
        return
    shared = sum(count > 1 for count in raters.values())
    yield SummaryRow("papers", "rated by more than one", shared, shared / total)
    free = Counter(freely_available(paper) for paper in papers)
    for name, count in (
        ("freely available", free[True]),
        ("not freely available", free[False]),
        ("availability not known", free[None]),
        ("on arXiv", sum(bool(paper.arxiv_id) for paper in papers)),
        ("with abstract", sum(bool(paper.abstract) for paper in papers)),
        ("with full text", sum(bool(paper.text_sha256) for paper in papers)),
    ):
        yield SummaryRow("text", name, count, count / total)
    years = Counter(paper.year for paper in papers)
    yield from _counted(
        "year of publication",
        [(str(year) if year else "not known", years[year]) for year in sorted(years, key=lambda y: (y == 0, -y))],
        total,
        most=None,
    )
    areas = Counter(area for paper in papers for area in dict.fromkeys(paper.areas))
    yield from _counted("research area", areas.most_common(), total)


def _counted(
    group: str, counts: Sequence[tuple[str, int]], total: int, most: int | None = MOST_NAMED
) -> Iterable[SummaryRow]:
    shown = counts if most is None or len(counts) <= most + 1 else counts[:most]
    for name, count in shown:
        yield SummaryRow(group, name, count, count / total)
    rest = sum(count for _, count in counts[len(shown) :])
    if rest:
        yield SummaryRow(group, "other", rest, rest / total)


def _spread(group: str, values: Sequence[int]) -> Iterable[SummaryRow]:
    if values:
        yield SummaryRow(group, "least", min(values))
        yield SummaryRow(group, "most", max(values))
        yield SummaryRow(group, "mean", statistics.fmean(values))
        yield SummaryRow(group, "median", statistics.median(values))
