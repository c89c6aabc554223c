"""Individual decisions by people, and how far they agree. Pure functions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from engine.agreement.records import BETWEEN, Method, Where
from engine.measures import bootstrap
from engine.measures.annotators import MISSING, MOST_CLASSES, Floats, Table, by_class, coefficients, cohen, with_others
from engine.measures.competence import dawid_skene, mace, majority
from engine.measures.estimate import NOTHING, Coefficient, Estimate, Scale


class Decision(NamedTuple):
    """One person's decision on one unit.

    ``part`` groups comparable decisions (a layer, a study, a table; "" for the only one); ``paper`` is resampled for
    intervals. ``number`` is the value on a scale, ``at`` the time of the decision ("": unknown). ``repeat``: the same
    person had already decided on the unit. ``words`` describe the unit; adjudications identify it by ``where``.
    """

    part: str
    unit: str
    paper: str
    annotator: str
    value: str
    at: str = ""
    number: float | None = None
    repeat: bool = False
    words: str = ""
    where: Where = ("", "", "")


class Taken(NamedTuple):
    """How often a person accepted and rejected the suggestions of one source."""

    part: str
    annotator: str
    origin: str
    accepted: int
    refused: int


class Followed(NamedTuple):
    """How often a person's decisions matched the suggestions: ``share`` of the decisions that had a suggestion,
    resampled by paper. ``shown``: whether suggestions were on screen; None if that wasn't recorded."""

    part: str
    annotator: str
    shown: bool | None
    share: Estimate


def followed(decided: Iterable[tuple[str, str, bool | None, str, bool]]) -> tuple[Followed, ...]:
    """Computes ``Followed`` from decisions as (part, annotator, shown, paper, same as suggested), grouped by the first
    three."""
    groups: dict[tuple[str, str, bool | None], dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for part, who, shown, paper, same in decided:
        sums = groups[part, who, shown][paper]
        sums[0] += same
        sums[1] += 1
    order = sorted(groups, key=lambda key: (key[0], key[1], (True, False, None).index(key[2])))
    found = []
    for key in order:
        by_paper = np.array(list(groups[key].values()), dtype=np.float64)
        share = bootstrap.estimate(by_paper, lambda drawn: drawn[:, 0] / drawn[:, 1], n=int(by_paper[:, 1].sum()))
        found.append(Followed(*key, share))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Person:
    """One annotator of a part: number of ``decided`` units, agreement ``with_others`` (share of shared decisions that
    are equal) and mean ``kappa`` with them. ``repeated`` is the share of repeated units decided equally, NaN without
    any. ``early`` and ``late`` are ``with_others`` for the first and second half of the person's decisions by time."""

    annotator: str
    decided: int
    with_others: Estimate
    kappa: Estimate
    repeated: Estimate
    early: Estimate
    late: Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """Agreement of all annotators on one part: number of ``units``, and of ``papers`` with units that two or more
    decided on."""

    part: str
    units: int
    papers: int
    coefficients: dict[Coefficient, Estimate]
    classes: dict[str, tuple[Estimate, Estimate]]
    """For each class, specific agreement and alpha against all other classes."""
    people: tuple[Person, ...]


def table_of(decisions: Iterable[Decision], scale: Scale = "nominal") -> tuple[Table, tuple[str, ...]]:
    """Returns first decisions as a table, and the units of its rows. Annotators, units and papers keep their order."""
    first = [one for one in decisions if not one.repeat]
    units = {unit: at for at, unit in enumerate(dict.fromkeys(one.unit for one in first))}
    people = {who: at for at, who in enumerate(dict.fromkeys(one.annotator for one in first))}
    papers = {key: at for at, key in enumerate(dict.fromkeys(one.paper for one in first))}
    numbers = {one.value: one.number for one in first if one.number is not None}
    classes = sorted({one.value for one in first}, key=lambda value: (numbers.get(value, 0.0), value))
    code = {value: at for at, value in enumerate(classes)}
    codes = np.full((len(units), len(people)), MISSING, dtype=np.int64)
    where = np.zeros(len(units), dtype=np.int64)
    for one in reversed(first):  # if a person decided on a unit more than once, the first decision counts
        codes[units[one.unit], people[one.annotator]] = code[one.value]
        where[units[one.unit]] = papers[one.paper]
    values = tuple(numbers[value] or 0.0 for value in classes) if scale != "nominal" else ()
    return Table(codes, where, tuple(classes), tuple(people), scale, values), tuple(units)


def compare(decisions: Sequence[Decision], scale: Scale = "nominal") -> tuple[Comparison, ...]:
    """Returns the agreement on each part, in the order of the parts."""
    parts: dict[str, list[Decision]] = defaultdict(list)
    for one in decisions:
        parts[one.part].append(one)
    return tuple(_part(part, own, scale) for part, own in parts.items())


def _part(part: str, decisions: list[Decision], scale: Scale) -> Comparison:
    table, units = table_of(decisions, scale)
    shared = (table.codes != MISSING).sum(1) > 1
    at = {unit: row for row, unit in enumerate(units)}
    people = tuple(_person(table, n, who, decisions, at) for n, who in enumerate(table.annotators))
    papers = len(np.unique(table.papers[shared]))
    return Comparison(part, table.units, papers, coefficients(table), by_class(table, BETWEEN), people)


def _person(table: Table, n: int, who: str, decisions: list[Decision], at: dict[str, int]) -> Person:
    own = [one for one in decisions if one.annotator == who]
    first = {one.unit: one for one in reversed(own) if not one.repeat}
    again = [(one.paper, first[one.unit].value == one.value) for one in own if one.repeat and one.unit in first]
    papers = {paper: row for row, paper in enumerate(dict.fromkeys(paper for paper, _ in again))}
    sums = np.zeros((len(papers), 2))
    for paper, same in again:
        sums[papers[paper]] += (same, 1)
    timed = sorted((one for one in first.values() if one.at), key=lambda one: one.at)
    halves = []
    for part in (timed[: len(timed) // 2], timed[len(timed) // 2 :]):
        mask = np.zeros(len(at), dtype=np.bool_)
        mask[[at[one.unit] for one in part]] = True
        halves.append(with_others(table, n, mask))
    return Person(
        who,
        len(first),
        with_others(table, n),
        cohen(table, n) if len(table.classes) <= MOST_CLASSES else NOTHING,
        bootstrap.estimate(sums, lambda found: found[:, 0] / found[:, 1], n=len(again)),
        *halves,
    )


@dataclass(frozen=True, slots=True)
class Proposals:
    """Possible values of each unit of a part, by method: (value, probability in 0..1), with value "" if labels tie or
    the method has no basis; for numbers (value, spread on their scale). They decide nothing. ``competence`` of each
    annotator by method, with a 95 % interval for MACE; {} if it can't be estimated, see ``NO_COMPETENCE``."""

    part: str
    units: tuple[str, ...]
    by_method: dict[Method, tuple[tuple[str, float], ...]]
    competence: dict[Method, dict[str, Estimate]]


def propose(decisions: Iterable[Decision]) -> Proposals:
    """Returns proposals for one part, from units that two or more people decided on."""
    found = tuple(decisions)
    table, units = table_of(found)
    k, seed = len(table.classes), np.random.default_rng(bootstrap.SEED)
    several = ((table.codes != MISSING).sum(1) > 1)[:, None]
    chances: dict[Method, Floats] = {"majority": majority(table.codes, k)} if units else {}
    trusted: dict[Method, dict[str, Estimate]] = {}
    known = mace(table.codes, k, seed) if units else None
    if known is not None and np.isfinite(known.competence).any():
        skene, accuracy = dawid_skene(table.codes, k)
        chances |= {"mace": known.posterior * several, "dawid-skene": skene * several}
        n = table.units
        rows = zip(table.annotators, known.competence, known.low, known.high, accuracy, strict=True)
        trusted = {"mace": {}, "dawid-skene": {}}
        for who, value, low, high, right in rows:
            trusted["mace"][who] = Estimate(float(value), float(low), float(high), n)
            trusted["dawid-skene"][who] = Estimate(float(right), float("nan"), float("nan"), n)
    best = {method: tuple(_best(row, table.classes) for row in shares) for method, shares in chances.items()}
    return Proposals(found[0].part if found else "", units, best, trusted)


def propose_numbers(decisions: Iterable[Decision]) -> Proposals:
    """Returns median and mean of the numbers for each unit of one part, with their spread (see ``NUMBER_METHODS``);
    ("", NaN) for a unit with fewer than two people."""
    found = tuple(decisions)
    said: dict[str, dict[str, float]] = defaultdict(dict)
    for one in found:
        if not one.repeat and one.number is not None:
            said[one.unit].setdefault(one.annotator, one.number)
    median, mean = [], []
    for own in said.values():
        numbers = np.array(list(own.values()), dtype=np.float64)
        if len(numbers) < 2:
            median.append(("", float("nan")))
            mean.append(("", float("nan")))
            continue
        middle = float(np.median(numbers))
        median.append((f"{middle:.6g}", float(np.abs(numbers - middle).mean())))
        mean.append((f"{numbers.mean():.6g}", float(numbers.std(ddof=1) / np.sqrt(len(numbers)))))
    return Proposals(found[0].part if found else "", tuple(said), {"median": tuple(median), "mean": tuple(mean)}, {})


def _best(shares: Floats, classes: Sequence[str]) -> tuple[str, float]:
    top = float(shares.max())
    at = np.flatnonzero(shares > top - 1e-9)
    return (classes[at[0]] if len(at) == 1 and top > 0 else "", top)


How = Literal["agreed", "adjudicated", "open", "one annotator"]


class Outcome(NamedTuple):
    """The result for a unit. ``value`` is "" while it is open or if only one person decided."""

    part: str
    unit: str
    paper: str
    words: str
    value: str
    how: How
    decisions: int


def outcomes(decisions: Iterable[Decision], adjudicated: Mapping[tuple[str, str], str]) -> tuple[Outcome, ...]:
    """Returns each unit's result: agreed, ``adjudicated`` (by part and unit), open, or decided by one annotator."""
    said: dict[tuple[str, str], dict[str, Decision]] = defaultdict(dict)
    for one in decisions:
        if not one.repeat:
            said[one.part, one.unit].setdefault(one.annotator, one)
    found = []
    for (part, unit), own in said.items():
        one, values = next(iter(own.values())), {each.value for each in own.values()}
        value = ""
        how: How = "open" if len(own) > 1 else "one annotator"
        if len(own) > 1 and (part, unit) in adjudicated:
            value, how = adjudicated[part, unit], "adjudicated"
        elif len(own) > 1 and len(values) == 1:
            value, how = one.value, "agreed"
        found.append(Outcome(part, unit, one.paper, one.words, value, how, len(own)))
    return tuple(found)
