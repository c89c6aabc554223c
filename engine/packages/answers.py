"""What a person's decisions say of each unit (comment, sentence, pair or paper), comparable between people. Pure."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.packages.merging import Entry
from engine.packages.records import Task, pair_item, sentence_item

UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was decided of a unit: ``value`` is JSON and equal for equal decisions, ``at`` the time of the last one."""

    value: Any
    at: str


def answers(task: Task, entries: Iterable[Entry]) -> dict[str, Answer]:
    """The answers in a person's decisions, by unit. A unit without a decision (or only skipped) is not in it."""
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
