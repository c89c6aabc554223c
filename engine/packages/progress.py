"""Each person's progress and pace, and their agreement with others who had the same items. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from engine.measures import bootstrap
from engine.measures.annotators import nominal_kappa
from engine.measures.estimate import NOTHING, Estimate
from engine.packages.merging import Entry, canonical
from engine.packages.records import Role, Task, pair_item, sentence_item

UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Answer:
    """The decision on a unit: ``value`` is JSON and equal for equal decisions, ``at`` the time of the last change."""

    value: Any
    at: str


def answers(task: Task, entries: Iterable[Entry]) -> dict[str, Answer]:
    """Returns the answers in a person's decisions, by unit. Units without a decision, or only
    skipped, aren't included."""
    live = [(entry.table, entry.row, entry.stamp) for entry in entries if entry.row is not None]
    if task in {"papers", "reviews"}:
        return _links(live)
    found: dict[str, Answer] = {}
    for table, row, stamp in sorted(live, key=lambda one: one[2]):
        if table == "sentence_label":
            unit = sentence_item(row["source_id"], row["start_offset"], row["end_offset"])
            known = found[unit].value if unit in found else {}
            found[unit] = Answer({**known, row["layer"]: sorted(json.loads(row["labels"]))}, stamp)
        elif table == "preference_judgement" and row["answer"] != "skip" and not row["repeat"]:
            left_first = row["left_id"] < row["right_id"]
            sides = {"left": "first" if left_first else "second", "right": "second" if left_first else "first"}
            found[pair_item(row["left_id"], row["right_id"])] = Answer(sides.get(row["answer"], row["answer"]), stamp)
        elif table == "rating" and row["value"] is not None:
            found[row["paper_id"]] = Answer(row["value"], stamp)
    return found


def _links(live: list[tuple[str, Mapping[str, Any], str]]) -> dict[str, Answer]:
    states: dict[str, str] = {}
    edits: dict[str, set[str]] = {}
    at: dict[str, str] = {}
    for table, row, stamp in live:
        if table == "comment_state":
            states[row["comment_id"]] = row["state"]
        elif table == "edit_link":
            edits.setdefault(row["comment_id"], set()).add(row["edit_id"])
        else:
            continue
        at[row["comment_id"]] = max(at.get(row["comment_id"], ""), stamp)
    return {
        comment: Answer({"state": states.get(comment, "linked"), "edits": sorted(edits.get(comment, ()))}, stamp)
        for comment, stamp in at.items()
        if states.get(comment, UNDECIDED) != UNDECIDED or edits.get(comment)
    }


FEWEST = 10
"""The fewest intervals between decisions, without pauses, from which a pace is computed."""
PAUSE = 300.0
"""Seconds between two decisions from which the interval counts as a pause instead of work."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Time at work (without pauses of five minutes and more), and decisions per hour of it; NaN if there are too few
    decisions without a pause between them."""

    seconds: float
    per_hour: float


@dataclass(frozen=True, slots=True)
class Progress:
    """One person's progress in a round.

    ``units`` are decided individually (comments, sentences, pairs, papers), excluding the training set, of which
    ``right`` of ``trained`` answers are correct. ``agreed`` is the share of units on which this person agrees with
    another one, over all others who decided on them; ``kappa`` is Cohen's. ``came`` is when results last came back.
    """

    person: str
    role: Role
    items: int
    units: int
    decided: int
    right: int
    trained: int
    training: int
    pace: Pace
    agreed: Estimate = NOTHING
    kappa: Estimate = NOTHING
    came: str = ""


def pace(times: Sequence[str]) -> Pace:
    """Computes the pace from times of decisions (ISO 8601)."""
    moments = sorted(datetime.fromisoformat(one) for one in times)
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(moments)]
    worked = [gap for gap in gaps if gap < PAUSE]
    seconds = sum(worked)
    return Pace(seconds, 3600 * len(worked) / seconds if len(worked) >= FEWEST and seconds > 0 else nan)


def agreement(own: Mapping[str, Answer], others: Sequence[Mapping[str, Answer]]) -> tuple[Estimate, Estimate]:
    """Returns the share of equal decisions and Cohen's kappa, with intervals; a unit counts once per other person."""
    pairs = [
        (canonical(own[unit].value), canonical(theirs[unit].value))
        for theirs in others
        for unit in sorted(own.keys() & theirs.keys())
    ]
    alike = np.array([one == two for one, two in pairs], dtype=np.float64)
    return bootstrap.mean(alike), nominal_kappa(pairs)


def right(own: Mapping[str, Answer], known: Mapping[str, Any]) -> tuple[int, int]:
    decided = own.keys() & known.keys()
    return sum(own[unit].value == known[unit] for unit in decided), len(decided)
