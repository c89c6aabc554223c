"""Adjudication of any kind of unit: possible values, who may adjudicate, and storing the decision."""

import math
from collections.abc import Collection
from typing import cast, get_args

from engine.agreement.records import BETWEEN, LINKED, MARKED, NONE, NOT_LINKED, NOT_MARKED, SUBJECTS, Subject, Where
from engine.agreement.store import AgreementStore
from engine.agreement.units import Unit, units
from engine.errors import not_changed
from engine.exchange.adjudicated import Decided
from engine.operations.decisions import as_text, decisions
from engine.project import Project, require_no_party
from engine.rebuttal.preferences.records import Verdict
from engine.reviews.labels.records import Layer
from engine.reviews.labels.taxonomy import layer
from engine.revision.records import CommentState
from engine.shown import shortened

_RATINGS = (1.0, 5.0, 4)
"""The lowest and highest expertise rating, and the number of steps per unit."""


def units_of(found: Decided) -> tuple[Unit, ...]:
    numbers = SUBJECTS[found.of].scale != "nominal"
    return units(found.decisions, found.outcomes, found.proposals, numbers=numbers, joined=found.of == "spans")


def choices(of: Subject, part: str, unit: Unit | None = None) -> tuple[str, ...]:
    """Returns the possible values of a unit; for numbers, the valid proposals. ``part`` is the layer of labels. In a
    layer that allows several labels, a value may also be a combination of them, joined by ``BETWEEN``."""
    if unit is not None and SUBJECTS[of].scale != "nominal":
        return tuple(value for _, value, _ in unit.proposals if math.isfinite(_number(of, value)))
    if of == "labels":
        return (*(option.id for option in layer(cast("Layer", part)).labels), NONE)
    return {
        "links": (LINKED, NOT_LINKED),
        "states": tuple(state for state in get_args(CommentState) if state != "undecided"),
        "spans": (MARKED, NOT_MARKED),
        "preferences": ("first", "second", "tie", "unsuitable"),
    }.get(of, ())


def party(project: Project, of: Subject, unit: Unit) -> bool:
    """Returns whether the acting annotator decided on the unit, so that someone else must adjudicate it."""
    return project.annotator_id in _parties(project, of, unit.where[0], {who for who, _ in unit.said})


def _parties(project: Project, of: Subject, where: Where, people: set[str]) -> set[str]:
    """Returns the annotators who decided on a unit; for ratings, ``people`` are participants and the annotators are
    looked up."""
    if of != "ratings":
        return people
    study, _, paper = where
    sql = (
        "SELECT r.annotator_id FROM rating r JOIN participant p ON p.id = r.participant_id WHERE p.study_id = ?"
        " AND r.paper_id = ? AND r.value IS NOT NULL AND r.origin = 'person'"
    )
    return {row[0] for row in project.query(sql, (study, paper))}


def adjudicate(project: Project, of: Subject, where: Collection[Where], value: str | None) -> None:
    """Sets the value of units (``Decision.where``) in one undo step; None removes the decision.

    Raises BadInput, with nothing changed, if fewer than two people with visible work decided on a unit, the acting
    annotator is one of them, or the value isn't possible.
    """
    found = decisions(project, of, groups=("all",), only={one[0] for one in where})
    chosen = [one for one in found if one.where in set(where)]
    people: dict[Where, set[str]] = {one: set() for one in where}
    for one in chosen:
        people[one.where].add(one.annotator)
    if not people or any(len(who) < 2 for who in people.values()):
        raise not_changed(
            "This wasn't decided by two people whose work you can see.",
            "Their work is hidden until you and they are done.",
        )
    for place, who in people.items():
        require_no_party(project.annotator_id, _parties(project, of, place, who))
    kept = None if value is None else checked(of, next(iter(where))[1], value)
    store = AgreementStore(project)
    title = f"{'Reopen' if kept is None else 'Adjudicate'} “{shortened(chosen[0].words or chosen[0].unit, 40)}”"
    if of == "preferences":
        from engine.rebuttal.preferences.store import PreferenceStore

        with project.action(title):
            for cluster, _, pair in where:
                first, second = pair.split(" ")
                PreferenceStore(project).adjudicate(cluster, (first, second), cast("Verdict | None", kept))
        return
    if kept is None and not set(where) & store.unit_adjudications(of).keys():
        raise not_changed(
            "Nothing was adjudicated here.",
            "To reopen what was decided between two annotators, use “Links: two annotators”.",
        )
    with project.action(title):
        store.adjudicate_units(of, where, kept)


def checked(of: Subject, part: str, value: str) -> str:
    """Normalises a value for storage. Raises BadInput if it isn't possible; ``part`` is the layer of labels."""
    words = " ".join(value.split())
    allowed = choices(of, part)
    if not allowed:
        if math.isfinite(number := _number(of, words)):
            return as_text(number)
        what, how = ("rating", "Give 1 to 5, in steps of 0.25.") if of == "ratings" else ("number", "Give a number.")
        raise not_changed(f"“{words}” isn't a {what}.", how)
    if of == "labels":
        labels = sorted({label.strip() for label in words.split(BETWEEN.strip())})
        most = 1 if not layer(cast("Layer", part)).several or NONE in labels else len(labels)
        if len(labels) <= most and set(labels) <= set(allowed):
            return BETWEEN.join(labels)
    elif words in allowed:
        return words
    raise not_changed(f"“{words}” isn't a valid value here.", f"Choose one of {', '.join(allowed)}.")


def _number(of: Subject, words: str) -> float:
    """Parses a number; not finite if it isn't a possible value."""
    try:
        number = float(words)
    except ValueError:
        return math.nan
    low, high, steps = _RATINGS
    return number if of != "ratings" or (low <= number <= high and (number * steps).is_integer()) else math.nan


_AROUND = 240
"""Characters of context shown before and after a unit."""


def edit_words(label: str, section: str, before: str, after: str) -> str:
    """Returns an edit's label, section and new text, or its old one if it was deleted."""
    return f"{label} · {section or 'no section'}{f': {after}' if after else f', deleted: {before}'}"


def passage(project: Project, of: Subject, unit: Unit) -> tuple[str, str, str]:
    """Returns the text to adjudicate: the words before the unit, its own, and those after it (for a link, the edit)."""
    subject, _, place = unit.where[0]
    if of in {"labels", "spans"}:
        text = project.row("source_text", subject)["text"]
        if of == "labels":
            start, end = (int(number) for number in place.split("-"))
        else:
            start, last = int(place), int(unit.where[-1][2])
            end = last + len(text[last:].split(None, 1)[0])
        return text[max(0, start - _AROUND) : start], text[start:end], text[end : end + _AROUND]
    if of in {"links", "states"}:
        comment = project.row("comment", subject)["comment"]
        if not place:
            return "", comment, ""
        edit = project.row("edit", place)
        parts = (edit[of] for of in ("label", "section", "source_text", "target_text"))
        return "", comment, edit_words(*parts)
    if of == "preferences":
        first, second = (project.row("rebuttal_candidate", key)["text"] for key in place.split(" "))
        return "", f"First: {first}\nSecond: {second}", ""
    return "", unit.words, ""
