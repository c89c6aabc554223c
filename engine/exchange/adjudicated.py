"""Exports decisions as a data set: decisions, outcomes, agreement, a data statement and checksums."""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.agreement.compared import (
    Comparison,
    Decision,
    Followed,
    Outcome,
    Proposals,
    Taken,
    compare,
    outcomes,
    propose,
    propose_numbers,
)
from engine.agreement.records import METHODS, NO_COMPETENCE, NUMBER_METHODS, SHOWN, SUBJECTS, Subject
from engine.exchange.agreement import cells, estimate_fields
from engine.exchange.io import csv_file
from engine.exchange.records import Export, ExportFile
from engine.measures.estimate import COEFFICIENTS, Estimate, defined
from engine.revision.records import GROUP_TITLES
from engine.shown import counted, escaped_markdown

_DECISIONS = ("part", "unit", "paper", "annotator", "value", "decided_at", "repeat", "words")
_SHOWN = {True: "shown", False: "not_shown", None: "not_recorded"}
_MEASURES = ("part", "of", "name", "measure", "value", "low", "high", "units")


@dataclass(frozen=True, slots=True)
class Decided:
    """All decisions of one kind that the acting annotator may see, with their comparison. ``names`` maps annotators'
    keys to their names."""

    of: Subject
    decisions: tuple[Decision, ...]
    parts: tuple[Comparison, ...]
    proposals: tuple[Proposals, ...]
    outcomes: tuple[Outcome, ...]
    taken: tuple[Taken, ...]
    followed: tuple[Followed, ...]
    names: Mapping[str, str]
    groups: tuple[str, ...] = ()
    """For links, the groups of edits that were counted in addition to linked ones."""

    def count(self, how: str) -> int:
        """Returns the number of units that are "agreed", "adjudicated", "open" or decided by "one annotator"."""
        return sum(one.how == how for one in self.outcomes)


def decided(
    of: Subject,
    decisions: tuple[Decision, ...],
    adjudicated: Mapping[tuple[str, str], str],
    suggestions: tuple[tuple[Taken, ...], tuple[Followed, ...]],
    names: Mapping[str, str],
) -> Decided:
    """Compares decisions, and proposes values for the units."""
    parts = compare(decisions, SUBJECTS[of].scale)
    suggest = propose if SUBJECTS[of].scale == "nominal" else propose_numbers
    proposals = tuple(suggest(one for one in decisions if one.part == part.part) for part in parts if part.units)
    return Decided(of, decisions, parts, proposals, outcomes(decisions, adjudicated), *suggestions, names)


def measure_rows(found: Decided) -> list[tuple[object, ...]]:
    """Returns a row per measure: overall, per class (specific agreement, alpha against the rest), per annotator."""
    rows: list[tuple[object, ...]] = []
    for part in found.parts:
        rows += [(part.part, "all", "", name, *cells(one)) for name, one in part.coefficients.items()]
        for label, (specific, alpha) in part.classes.items():
            rows.append((part.part, "class", label, "specific", *cells(specific)))
            rows.append((part.part, "class", label, "alpha", *cells(alpha)))
        for one in part.people:
            who = found.names.get(one.annotator, one.annotator)
            measures = ("with_others", "kappa", "repeated", "early", "late")
            rows += [(part.part, "annotator", who, name, *cells(getattr(one, name))) for name in measures]
    for followed in found.followed:
        who, name = found.names.get(followed.annotator, followed.annotator), f"suggested_{_SHOWN[followed.shown]}"
        rows.append((followed.part, "annotator", who, name, *cells(followed.share)))
    return rows


def fields(found: Decided) -> dict[str, object]:
    """Returns the comparison as JSON fields; undefined measures are None."""

    def named(key: str) -> str:
        return found.names.get(key, key)

    kind = SUBJECTS[found.of]
    proposals = {one.part: one for one in found.proposals}
    return {
        "of": found.of,
        "unit": kind.unit,
        "scale": kind.scale,
        "parts": [
            {
                "part": part.part,
                "units": part.units,
                "papers": part.papers,
                "measures": {name: estimate_fields(one) for name, one in part.coefficients.items()},
                "classes": {
                    label: {"specific": estimate_fields(specific), "alpha": estimate_fields(alpha)}
                    for label, (specific, alpha) in part.classes.items()
                },
                "people": [
                    {"annotator": named(one.annotator), "decided": one.decided}
                    | {
                        name: estimate_fields(getattr(one, name))
                        for name in ("with_others", "kappa", "repeated", "early", "late")
                    }
                    for one in part.people
                ],
                "competence": {
                    method: {named(who): estimate_fields(one) for who, one in known.items()}
                    for method, known in proposals[part.part].competence.items()
                }
                if part.part in proposals
                else {},
            }
            for part in found.parts
        ],
        "outcomes": {how: found.count(how) for how in ("agreed", "adjudicated", "open", "one annotator")},
        "suggestions": {
            "taken": [
                {
                    "part": one.part,
                    "annotator": named(one.annotator),
                    "origin": one.origin,
                    "accepted": one.accepted,
                    "refused": one.refused,
                }
                for one in found.taken
            ],
            "followed": [
                {"part": one.part, "annotator": named(one.annotator), "shown": one.shown, **estimate_fields(one.share)}
                for one in found.followed
            ],
        },
    }


def data_set(found: Decided, *, names: bool = False, version: str = "") -> Export:
    """Returns the files of the data set. Without ``names`` annotators are numbered, in order of their number of
    decisions. ``SHA256SUMS`` has the checksums of the other files, in the format of ``sha256sum --check``."""
    counts = Counter(one.annotator for one in found.decisions)
    shown = {who: f"annotator-{n}" for n, (who, _) in enumerate(counts.most_common(), 1)}
    if names:
        shown = {who: found.names.get(who, who) for who in counts}
    numbers = SUBJECTS[found.of].scale != "nominal"
    methods, doubt = (NUMBER_METHODS, "spread") if numbers else (METHODS, "chance")
    by_unit = {
        (one.part, unit): [one.by_method[method][at] if method in one.by_method else ("", None) for method in methods]
        for one in found.proposals
        for at, unit in enumerate(one.units)
    }
    nothing: list[tuple[str, float | None]] = [("", None)] * len(methods)
    held = [
        (
            *(one.part, one.unit, one.paper, one.value, one.how, one.decisions),
            *(
                cell
                for value, chance in by_unit.get((one.part, one.unit), nothing)
                for cell in (value, defined(chance, 6))
            ),
            one.words,
        )
        for one in found.outcomes
    ]
    header = ("part", "unit", "paper", "value", "how", "decisions")
    proposed = [cell for method in methods for cell in (method, f"{method}_{doubt}")]
    rows = [
        (*(one.part, one.unit, one.paper), shown[one.annotator], *(one.value, one.at, one.repeat, one.words))
        for one in found.decisions
    ]
    files = [
        csv_file("decisions.csv", _DECISIONS, rows),
        csv_file("adjudicated.csv", (*header, *proposed, "words"), held),
        csv_file("agreement.csv", _MEASURES, [_renamed(row, found, shown) for row in measure_rows(found)]),
        ExportFile("DATA_STATEMENT.md", _statement(found, shown, version).encode()),
    ]
    sums = "".join(f"{hashlib.sha256(file.content).hexdigest()}  {file.name}\n" for file in files)
    kept = () if names else ("Annotators are numbered; their names are left out.",)
    return Export((*files, ExportFile("SHA256SUMS", sums.encode())), kept)


def _renamed(row: Sequence[object], found: Decided, shown: Mapping[str, str]) -> tuple[object, ...]:
    if row[1] != "annotator":
        return tuple(row)
    keys = {found.names.get(key, key): name for key, name in shown.items()}
    return (*row[:2], keys.get(str(row[2]), "another annotator"), *row[3:])


def _statement(found: Decided, shown: Mapping[str, str], version: str) -> str:
    """Returns a data statement (Bender and Friedman, 2018), which lists what the authors must add."""
    kind = SUBJECTS[found.of]
    decided_by = Counter(one.annotator for one in found.decisions)
    nominal = kind.scale == "nominal"
    spread = "spread (mean absolute deviation for the median, standard error for the mean)"
    doubt = "chance" if nominal else spread
    open_, one_only = found.count("open"), found.count("one annotator")
    lines = [
        f"# Data statement: {kind.title.lower()}",
        "",
        f"Written by Rejoinder {version}".rstrip() + ".",
        "",
        "## What was annotated",
        f"Each unit is {kind.unit}. Values are {kind.scale}.",
        f"{counted(len(found.decisions), 'decision')} on {counted(len(found.outcomes), 'unit')} of"
        f" {counted(len({one.paper for one in found.outcomes}), kind.group)} (column `paper`).",
        *([f"Edits counted: {edits_counted(found.groups)}."] if found.groups else []),
        "",
        "## Annotators",
        *(f"- {escaped_markdown(shown[who])}: {counted(count, 'decision')}" for who, count in decided_by.most_common()),
        "",
        "## Agreement",
        *(_sentences(found)),
        "",
        "## How disagreements were settled",
        f"{counted(found.count('agreed'), 'unit')}: all annotators agreed. {found.count('adjudicated')}: adjudicated "
        f"by a person. {open_}: open, without a value. {one_only}: decided on by one annotator only, without a value.",
        f"Columns named after methods are proposals with their {doubt}; none was adopted automatically.",
        *([NO_COMPETENCE] if nominal and not any(one.competence for one in found.proposals) else []),
        "",
        "## Suggestions by a model",
        *(
            f"- {escaped_markdown(shown.get(one.annotator, 'another annotator'))}, {escaped_markdown(one.origin)}:"
            f" {one.accepted} accepted,"
            f" {one.refused} refused"
            for one in found.taken
        ),
        *(
            f"- {escaped_markdown(shown.get(one.annotator, 'another annotator'))}{_of(one.part)}: decided as suggested,"
            f" {SHOWN[one.shown]}: {said(one.share)} of {one.share.n}"
            for one in found.followed
        ),
        "",
        "## To be added by the authors",
        "The project doesn't contain: curation rationale, language variety, who the annotators and the writers are "
        "and how they were paid, the guidelines, consent and licence of the texts. The column `words` quotes reviews "
        "and papers: check that they may be published.",
        "",
        "## Files",
        "`decisions.csv` every decision; `adjudicated.csv` the final value of each unit; `agreement.csv` all measures;"
        " `SHA256SUMS` the checksums of these files.",
    ]
    return "\n".join(lines) + "\n"


def edits_counted(groups: Collection[str]) -> str:
    """Returns which edits count when everybody's links are compared."""
    titles = [title.lower() for group, title in GROUP_TITLES.items() if group in groups]
    return "all groups" if "all" in groups else f"{', '.join(titles)}, or linked by anyone"


def _of(part: str) -> str:
    return f", {escaped_markdown(part)}" if part else ""


def _sentences(found: Decided) -> list[str]:
    lines = []
    for part in found.parts:
        head = f"{escaped_markdown(part.part)}: " if part.part else ""
        values = [f"{COEFFICIENTS[name]} {said(one)}" for name, one in part.coefficients.items()]
        units = f"{counted(part.units, 'unit')} that two or more people decided on"
        lines.append(f"- {head}{units}. {'; '.join(values) or 'No measure'}.")
    return lines


def said(estimate: Estimate) -> str:
    if not estimate.known:
        return estimate.shown()
    return f"{estimate.value:.2f}{estimate.span(' [{:.2f}, {:.2f}]') or ' (no interval)'}"
