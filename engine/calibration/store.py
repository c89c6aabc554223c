"""The calibration tables: scores that were brought in, and scenarios over them. Every verb is one undo step."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.calibration.records import ScoreProblem, ScoreRow
from engine.calibration.registry import DEFAULT, calibrator
from engine.calibration.scenarios import Change, ChangeKind, Scenario, StoredReview
from engine.errors import BadInput
from engine.project import Action, Project, new_id, now

ORIGINAL = "Original"
TABLES = frozenset({"score_table", "score_review", "calibration_scenario", "calibration_change"})
_TITLES: dict[ChangeKind, str] = {
    "exclude_review": "Exclude a review",
    "exclude_referee": "Exclude a referee",
    "set_score": "Change one score",
    "add_review": "Add a hypothetical review",
    "pin_score": "Pin an item's score",
    "pin_bias": "Pin a referee's bias",
    "pin_trust": "Pin a referee's trust",
}


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A table of scores; ``columns`` says which column of the file held what, ``cutoff`` how many are above."""

    id: str
    title: str
    columns: Mapping[str, str]
    problems: tuple[ScoreProblem, ...]
    cutoff: int | None
    origin: str


class CalibrationStore:
    """Readers and verbs of the calibration tables."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._reviews: dict[str, tuple[str, tuple[StoredReview, ...]]] = {}

    # --- readers --------------------------------------------------------------------------------------------------
    def tables(self) -> tuple[ScoreTable, ...]:
        """All tables in the order in which they came."""
        return tuple(map(_table, self._project.query("SELECT * FROM score_table ORDER BY position, id")))

    def reviews(self, table_id: str) -> tuple[StoredReview, ...]:
        """The reviews in the order of the file; read again only when the table was."""
        stamp = self._project.query_one(
            "SELECT count(*) || max(updated_at) FROM score_review WHERE table_id = ?", (table_id,)
        )
        key = str(stamp[0]) if stamp is not None else ""
        cached = self._reviews.get(table_id)
        if cached is None or cached[0] != key:
            rows = self._project.query(
                "SELECT id, item, referee, score, confidence, further, source_row FROM score_review"
                " WHERE table_id = ? ORDER BY position",
                (table_id,),
            )
            found = tuple(
                StoredReview(
                    r["id"],
                    r["item"],
                    r["referee"],
                    r["score"],
                    r["confidence"],
                    () if r["further"] == "[]" else tuple((name, value) for name, value in json.loads(r["further"])),
                    r["source_row"],
                )
                for r in rows
            )
            cached = self._reviews[table_id] = (key, found)
        return cached[1]

    def scenarios(self, table_id: str) -> tuple[Scenario, ...]:
        """The scenarios of a table, the original first, with their changes in the order in which they were made."""
        changes: dict[str, list[Change]] = {}
        for row in self._project.query(
            "SELECT c.* FROM calibration_change c JOIN calibration_scenario s ON s.id = c.scenario_id"
            " WHERE s.table_id = ? ORDER BY c.id",
            (table_id,),
        ):
            changes.setdefault(row["scenario_id"], []).append(
                Change(
                    row["id"],
                    row["kind"],
                    row["review_id"],
                    row["item"],
                    row["referee"],
                    row["value"],
                    row["confidence"],
                )
            )
        rows = self._project.query(
            "SELECT * FROM calibration_scenario WHERE table_id = ? ORDER BY position, id", (table_id,)
        )
        return tuple(
            Scenario(
                r["id"],
                r["table_id"],
                r["name"],
                r["method"],
                r["prior_precision"],
                r["score_name"],
                tuple(changes.get(r["id"], ())),
            )
            for r in rows
        )

    def scenario(self, scenario_id: str) -> Scenario:
        """Raises KeyError where there is none."""
        row = self._project.query_one("SELECT table_id FROM calibration_scenario WHERE id = ?", (scenario_id,))
        if row is None:
            raise KeyError(scenario_id)
        return next(s for s in self.scenarios(row[0]) if s.id == scenario_id)

    # --- tables ---------------------------------------------------------------------------------------------------
    def add_table(
        self,
        title: str,
        rows: Sequence[ScoreRow],
        *,
        origin: str,
        columns: Mapping[str, str] | None = None,
        problems: Sequence[ScoreProblem] = (),
        initiator: object | None = None,
    ) -> str:
        """Brings a table in, with its original scenario; returns its key. Raises BadInput without rows."""
        if not rows:
            raise BadInput("The table has no reviews.", "Nothing was imported.", "Choose another file.")
        table_id, moment, me = new_id(), now(), self._project.annotator_id
        noted = [[p.row, p.kind, p.sentence, p.decision] for p in problems]
        with self._project.action(f"Import scores “{title}”", initiator=initiator) as act:
            act.execute(
                "INSERT INTO score_table(id, title, columns, problems, position, origin, annotator_id, created_at,"
                " updated_at) VALUES (?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM score_table),"
                " ?, ?, ?, ?)",
                (table_id, title, _json(dict(columns or {})), _json(noted), origin, me, moment, moment),
            )
            act.executemany(
                "INSERT INTO score_review(id, table_id, item, referee, score, confidence, further, source_row,"
                " position, annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        new_id(),
                        table_id,
                        r.item,
                        r.referee,
                        float(r.score),
                        float(r.confidence),
                        _json(r.further),
                        r.row,
                        place,
                        me,
                        moment,
                        moment,
                    )
                    for place, r in enumerate(rows)
                ),
            )
            self._insert_scenario(act, Scenario("", table_id, ORIGINAL, DEFAULT))
        return table_id

    def remove_table(self, table_id: str, initiator: object | None = None) -> None:
        """Takes a table and everything over it out of the project; undo brings it back."""
        with self._project.action("Remove table of scores", initiator=initiator) as act:
            act.execute(
                "DELETE FROM calibration_change WHERE scenario_id IN"
                " (SELECT id FROM calibration_scenario WHERE table_id = ?)",
                (table_id,),
            )
            for table in ("calibration_scenario", "score_review"):
                act.execute(f"DELETE FROM {table} WHERE table_id = ?", (table_id,))  # noqa: S608 - named here
            act.execute("DELETE FROM score_table WHERE id = ?", (table_id,))

    def set_cutoff(self, table_id: str, cutoff: int | None, initiator: object | None = None) -> None:
        """How many items lie above the line; None: no line."""
        with self._project.action("Set cut-off", coalesce=f"cutoff:{table_id}", initiator=initiator) as act:
            act.execute(
                "UPDATE score_table SET cutoff = ?, updated_at = ? WHERE id = ? AND cutoff IS NOT ?",
                (cutoff, now(), table_id, cutoff),
            )

    # --- scenarios ------------------------------------------------------------------------------------------------
    def add_scenario(self, source_id: str, name: str, initiator: object | None = None) -> str:
        """A new scenario that begins as a copy of ``source_id``; returns its key. Raises BadInput for a taken name."""
        source = self.scenario(source_id)
        self._refuse_name(source.table_id, name)
        with self._project.action(f"New scenario “{name}”", initiator=initiator) as act:
            key = self._insert_scenario(
                act,
                Scenario("", source.table_id, name, source.method, source.prior_precision, source.score_name),
            )
            for change in source.changes:
                self._insert_change(act, key, change)
        return key

    def rename_scenario(self, scenario_id: str, name: str, initiator: object | None = None) -> None:
        """Gives a scenario another name. Raises BadInput for an empty or taken one."""
        scenario = self.scenario(scenario_id)
        if scenario.name != name:
            self._refuse_name(scenario.table_id, name)
            with self._project.action("Rename scenario", initiator=initiator) as act:
                act.execute(
                    "UPDATE calibration_scenario SET name = ?, updated_at = ? WHERE id = ?", (name, now(), scenario_id)
                )

    def remove_scenario(self, scenario_id: str, initiator: object | None = None) -> None:
        """Removes a scenario. Raises BadInput for the last one of its table."""
        if len(self.scenarios(self.scenario(scenario_id).table_id)) == 1:
            raise BadInput("This is the only scenario.", "A table keeps at least one.", "Reset its changes instead.")
        with self._project.action("Remove scenario", initiator=initiator) as act:
            act.execute("DELETE FROM calibration_change WHERE scenario_id = ?", (scenario_id,))
            act.execute("DELETE FROM calibration_scenario WHERE id = ?", (scenario_id,))

    def configure(
        self,
        scenario_id: str,
        *,
        method: str,
        prior_precision: float | None,
        score_name: str,
        initiator: object | None = None,
    ) -> None:
        """Sets method, lambda (None: the method's own choice) and the calibrated score. Raises BadInput."""
        calibrator(method)
        if prior_precision is not None and not prior_precision >= 0:
            raise BadInput("The prior precision cannot be below 0.", "Nothing was changed.", "Give 0 or more.")
        with self._project.action(
            "Change calibration settings", coalesce=f"configure:{scenario_id}", initiator=initiator
        ) as act:
            act.execute(
                "UPDATE calibration_scenario SET method = ?, prior_precision = ?, score_name = ?, updated_at = ?"
                " WHERE id = ? AND (method, score_name) IS NOT (?, ?) OR id = ? AND prior_precision IS NOT ?",
                (
                    method,
                    prior_precision,
                    score_name,
                    now(),
                    scenario_id,
                    method,
                    score_name,
                    scenario_id,
                    prior_precision,
                ),
            )

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
        initiator: object | None = None,
    ) -> str:
        """Makes a change; an earlier one of the same kind on the same place is replaced, save hypothetical reviews."""
        wanted = Change("", kind, review_id, item, referee, value, confidence)
        place = f"{kind}:{scenario_id}:{review_id}:{item}:{referee}"
        with self._project.action(
            _TITLES[kind], coalesce=place if kind != "add_review" else None, initiator=initiator
        ) as act:
            if kind != "add_review":
                self._delete_same(act, scenario_id, wanted)
            return self._insert_change(act, scenario_id, wanted)

    def take_back(self, scenario_id: str, change: Change, initiator: object | None = None) -> None:
        """Removes one change of a scenario."""
        with self._project.action(f"Take back: {_TITLES[change.kind]}", initiator=initiator) as act:
            act.execute("DELETE FROM calibration_change WHERE id = ? AND scenario_id = ?", (change.id, scenario_id))

    def reset(self, scenario_id: str, initiator: object | None = None) -> None:
        """Removes all changes of a scenario."""
        with self._project.action("Reset scenario", initiator=initiator) as act:
            act.execute("DELETE FROM calibration_change WHERE scenario_id = ?", (scenario_id,))

    # --- parts of verbs -------------------------------------------------------------------------------------------
    def _insert_scenario(self, act: Action, scenario: Scenario) -> str:
        key, moment = new_id(), now()
        act.execute(
            "INSERT INTO calibration_scenario(id, table_id, name, method, prior_precision, score_name, position,"
            " annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?,"
            " (SELECT coalesce(max(position), 0) + 1 FROM calibration_scenario WHERE table_id = ?), ?, ?, ?)",
            (
                key,
                scenario.table_id,
                scenario.name,
                scenario.method,
                scenario.prior_precision,
                scenario.score_name,
                scenario.table_id,
                self._project.annotator_id,
                moment,
                moment,
            ),
        )
        return key

    def _insert_change(self, act: Action, scenario_id: str, change: Change) -> str:
        key, moment = new_id(), now()
        act.execute(
            "INSERT INTO calibration_change(id, scenario_id, kind, review_id, item, referee, value, confidence,"
            " annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key,
                scenario_id,
                change.kind,
                change.review_id,
                change.item,
                change.referee,
                change.value,
                change.confidence,
                self._project.annotator_id,
                moment,
                moment,
            ),
        )
        return key

    def _delete_same(self, act: Action, scenario_id: str, change: Change) -> None:
        act.execute(
            "DELETE FROM calibration_change WHERE scenario_id = ? AND kind = ? AND review_id = ? AND item = ?"
            " AND referee = ?",
            (scenario_id, change.kind, change.review_id, change.item, change.referee),
        )

    def _refuse_name(self, table_id: str, name: str) -> None:
        if not name.strip():
            raise BadInput("A scenario needs a name.", "Nothing was changed.", "Give it one.")
        if any(s.name == name for s in self.scenarios(table_id)):
            raise BadInput(f"There is a scenario “{name}” already.", "Nothing was changed.", "Choose another name.")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _table(row: sqlite3.Row) -> ScoreTable:
    return ScoreTable(
        row["id"],
        row["title"],
        json.loads(row["columns"]),
        tuple(ScoreProblem(*entry) for entry in json.loads(row["problems"])),
        row["cutoff"],
        row["origin"],
    )
