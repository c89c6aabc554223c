"""Imported tables of scores and scenarios based on them. Every change is one undo step."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.calibration.records import ScoreProblem, ScoreRow
from engine.calibration.registry import DEFAULT, calibrator
from engine.calibration.scenarios import Change, ChangeKind, Scenario, StoredReview
from engine.errors import BadInput, not_changed, not_imported
from engine.project import Project, records, values_of
from engine.shown import shortened

ORIGINAL = "Original"
TABLES = frozenset({"score_table", "score_review", "calibration_scenario", "calibration_change"})
_TITLES: dict[ChangeKind, str] = {
    "exclude_review": "Exclude {referee}'s review of {item}",
    "exclude_referee": "Exclude referee {referee}",
    "set_score": "Change {referee}'s score of {item}",
    "add_review": "Add a hypothetical review of {item}",
    "pin_score": "Pin the score of {item}",
    "pin_bias": "Pin the bias of {referee}",
    "pin_trust": "Pin the trust of {referee}",
}


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A table of scores. ``columns`` maps fields to columns of the file; ``cutoff`` is the number of accepted items."""

    id: str
    title: str
    columns: Mapping[str, str]
    problems: tuple[ScoreProblem, ...]
    cutoff: int | None
    origin: str


class CalibrationStore:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._reviews: dict[str, tuple[str, tuple[StoredReview, ...]]] = {}

    def tables(self) -> tuple[ScoreTable, ...]:
        """Returns all tables in the order of import."""
        return tuple(records(ScoreTable, self._project.query("SELECT * FROM score_table ORDER BY position, id")))

    def reviews(self, table_id: str) -> tuple[StoredReview, ...]:
        """Returns the reviews in the order of the file; cached until the table changes."""
        stamp = self._project.query_one(
            "SELECT count(*) || max(updated_at) FROM score_review WHERE table_id = ?", (table_id,)
        )
        key = str(stamp[0]) if stamp is not None else ""
        cached = self._reviews.get(table_id)
        if cached is None or cached[0] != key:
            rows = self._project.query(
                "SELECT id, item, referee, score, confidence, further, source_row AS row FROM score_review"
                " WHERE table_id = ? ORDER BY position",
                (table_id,),
            )
            cached = self._reviews[table_id] = (key, tuple(records(StoredReview, rows)))
        return cached[1]

    def scenarios(self, table_id: str) -> tuple[Scenario, ...]:
        """Returns a table's scenarios, the original first, with their changes in order."""
        rows = self._project.query(
            "SELECT c.* FROM calibration_change c JOIN calibration_scenario s ON s.id = c.scenario_id"
            " WHERE s.table_id = ? ORDER BY c.id",
            (table_id,),
        )
        changes: dict[str, list[Change]] = {}
        for row, change in zip(rows, records(Change, rows), strict=True):
            changes.setdefault(row["scenario_id"], []).append(change)
        found = self._project.query(
            "SELECT * FROM calibration_scenario WHERE table_id = ? ORDER BY position, id", (table_id,)
        )
        return tuple(records(Scenario, [{**row, "changes": changes.get(row["id"], ())} for row in found]))

    def scenario(self, scenario_id: str) -> Scenario:
        """Returns a scenario. Raises KeyError if there is none."""
        table_id = self._project.row("calibration_scenario", scenario_id)["table_id"]
        return next(s for s in self.scenarios(table_id) if s.id == scenario_id)

    def add_table(
        self,
        title: str,
        rows: Sequence[ScoreRow],
        *,
        origin: str,
        columns: Mapping[str, str] | None = None,
        problems: Sequence[ScoreProblem] = (),
    ) -> str:
        """Adds a table with its original scenario; returns its key. Raises BadInput if there are no rows."""
        if not rows:
            raise not_imported("The table has no reviews.", "Choose another file.")
        table = {"title": title, "columns": dict(columns or {}), "problems": list(problems), "origin": origin}
        with self._project.action(f"Import scores “{title}”") as act:
            table_id = act.insert("score_table", table)
            act.insert_all(
                "score_review",
                (
                    {
                        "table_id": table_id, "item": r.item, "referee": r.referee, "score": float(r.score),
                        "confidence": float(r.confidence), "further": r.further, "source_row": r.row, "position": place,
                    }
                    for place, r in enumerate(rows)
                ),
            )  # fmt: skip
            act.insert("calibration_scenario", {"table_id": table_id, "name": ORIGINAL, "method": DEFAULT})
            self.reviews(table_id)  # cached before the change is announced, so the window needn't read the reviews
        return table_id

    def remove_table(self, table_id: str) -> None:
        """Removes a table and its scenarios from the project; this can be undone."""
        with self._project.action(f"Remove scores “{self._name('score_table', table_id)}”") as act:
            for scenario in self.scenarios(table_id):
                act.delete("calibration_change", scenario_id=scenario.id)
            act.delete("calibration_scenario", table_id=table_id)
            act.delete("score_review", table_id=table_id)
            act.delete("score_table", id=table_id)

    def set_cutoff(self, table_id: str, cutoff: int | None) -> None:
        """Sets how many items are above the cut-off; None removes it."""
        name = self._name("score_table", table_id)
        with self._project.action(f"Set cut-off of “{name}”", coalesce=f"cutoff:{table_id}") as act:
            act.update("score_table", table_id, {"cutoff": cutoff})

    def add_scenario(self, source_id: str, name: str) -> str:
        """Adds a scenario as a copy of ``source_id``; returns its key. Raises BadInput if the name
        is empty or taken."""
        source = self.scenario(source_id)
        self._refuse_name(source.table_id, name)
        with self._project.action(f"New scenario “{name}”") as act:
            copied = ("table_id", "method", "prior_precision", "score_name")
            key = act.insert("calibration_scenario", {"name": name} | {of: getattr(source, of) for of in copied})
            for change in source.changes:
                act.insert("calibration_change", values_of(change, "id") | {"scenario_id": key})
        return key

    def rename_scenario(self, scenario_id: str, name: str) -> None:
        """Renames a scenario. Raises BadInput if the name is empty or taken."""
        scenario = self.scenario(scenario_id)
        if scenario.name != name:
            self._refuse_name(scenario.table_id, name)
            with self._project.action(f"Rename scenario “{scenario.name}” to “{name}”") as act:
                act.update("calibration_scenario", scenario_id, {"name": name})

    def remove_scenario(self, scenario_id: str) -> None:
        """Removes a scenario. Raises BadInput if it is the table's only one."""
        if len(self.scenarios(self.scenario(scenario_id).table_id)) == 1:
            raise BadInput("This is the only scenario.", "A table needs at least one.", "Reset its changes instead.")
        with self._project.action(f"Remove scenario “{self._name('calibration_scenario', scenario_id)}”") as act:
            act.delete("calibration_change", scenario_id=scenario_id)
            act.delete("calibration_scenario", id=scenario_id)

    def configure(self, scenario_id: str, *, method: str, prior_precision: float | None, score_name: str) -> None:
        """Sets method, lambda (None: chosen by the method) and calibrated score. Raises BadInput for invalid values."""
        calibrator(method)
        if prior_precision is not None and not 0 <= prior_precision < math.inf:
            raise not_changed("The prior precision isn't a number of 0 or more.", "Enter another or leave it empty.")
        title = f"Change settings of “{self._name('calibration_scenario', scenario_id)}”"
        with self._project.action(title, coalesce=f"configure:{scenario_id}") as act:
            values = {"method": method, "prior_precision": prior_precision, "score_name": score_name}
            act.update("calibration_scenario", scenario_id, values)

    def change(
        self,
        scenario_id: str,
        kind: ChangeKind,
        *,
        review_id: str = "",
        item: str = "",
        referee: str = "",
        value: float | None = None,
        confidence: float | None = None,
    ) -> str:
        """Adds a change, replacing one of the same kind for the same place, except for hypothetical reviews. A value
        belongs to the score that the scenario calibrates; exclusions count for every score."""
        score = None if kind in ("exclude_review", "exclude_referee") else self.scenario(scenario_id).score_name
        place = {"scenario_id": scenario_id, "kind": kind, "review_id": review_id, "item": item, "referee": referee}
        one = kind != "add_review"
        coalesce = f"{kind}:{scenario_id}:{review_id}:{item}:{referee}:{score}" if one else None
        with self._project.action(self.titled(kind, review_id, item, referee), coalesce=coalesce) as act:
            for replaced in {score, None} if one else ():
                act.delete("calibration_change", **place, score_name=replaced)
            values = {"value": value, "confidence": confidence, "score_name": score}
            return act.insert("calibration_change", place | values)

    def take_back(self, scenario_id: str, change: Change) -> None:
        title = self.titled(change.kind, change.review_id, change.item, change.referee)
        with self._project.action(f"Remove change: {title}") as act:
            act.delete("calibration_change", id=change.id, scenario_id=scenario_id)

    def reset(self, scenario_id: str) -> None:
        with self._project.action(f"Reset scenario “{self._name('calibration_scenario', scenario_id)}”") as act:
            act.delete("calibration_change", scenario_id=scenario_id)

    def titled(self, kind: ChangeKind, review_id: str = "", item: str = "", referee: str = "") -> str:
        if review_id:
            review = self._project.row("score_review", review_id)
            item, referee = review["item"], review["referee"]
        return _TITLES[kind].format(item=shortened(item, 40), referee=shortened(referee, 40))

    def _name(self, table: str, key: str) -> str:
        row = self._project.row(table, key)
        return shortened(row["title" if table == "score_table" else "name"], 40)

    def _refuse_name(self, table_id: str, name: str) -> None:
        if not name.strip():
            raise not_changed("A scenario needs a name.", "Enter a name.")
        if any(s.name == name for s in self.scenarios(table_id)):
            raise not_changed(f"There's already a scenario “{name}”.", "Choose another name.")
