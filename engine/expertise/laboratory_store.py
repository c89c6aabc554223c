"""The runs of similarity algorithms that a project keeps: which algorithm on which data, and its scores."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.expertise.algorithms.registry import changed_options, label
from engine.expertise.evaluation import Predictions
from engine.expertise.records import Representation
from engine.project import Project, new_id, now

PUBLISHED = "import:published"
"""The origin of scores that came with the data: they can be compared, not explained, and are not kept a second time."""
AT_ONCE = 2000
"""Scores a transaction: no act waits for a long one."""


@dataclass(frozen=True, slots=True)
class Run:
    """One algorithm on one data set; ``data_id`` is a study's key or the hash of a folder's content."""

    data_id: str
    data_title: str
    algorithm: str
    origin: str
    representation: Representation
    profile_length: int
    draws: int
    seed: int
    parameters: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    id: str = ""
    created_at: str = ""

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The parameters that were changed, name and value."""
        if self.origin == PUBLISHED:
            return (("published", ""),)
        return changed_options(self.algorithm, dict(self.parameters))

    @property
    def label(self) -> str:
        """Title and changed parameters."""
        return label(self.algorithm, self.options)

    @property
    def kind(self) -> tuple[str, Representation, int, tuple[tuple[str, str], ...]]:
        """What a later run on the same data replaces."""
        return self.algorithm, self.representation, self.profile_length, self.options


class LaboratoryStore:
    """Readers and verbs of ``similarity_run`` and ``similarity_result``; all are results, none is undone."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def runs(self, data_id: str) -> tuple[Run, ...]:
        """Complete runs on a data set: the newest of each kind, oldest first."""
        rows = self._project.query(
            "SELECT * FROM similarity_run WHERE data_id = ? AND complete = 1 ORDER BY created_at, id", (data_id,)
        )
        newest = {run.kind: run for run in map(_run, rows)}
        return tuple(newest.values())

    def predictions(self, run_id: str) -> tuple[Predictions, ...]:
        """The scores of a run, one set a draw."""
        found: dict[int, dict[str, dict[str, float]]] = {}
        for row in self._project.query(
            "SELECT draw, participant, paper, score FROM similarity_result WHERE run_id = ? ORDER BY draw", (run_id,)
        ):
            found.setdefault(row["draw"], {}).setdefault(row["participant"], {})[row["paper"]] = row["score"]
        return tuple(found.values())

    def save(self, run: Run, predictions: Sequence[Predictions]) -> Run:
        """Keeps a run whole, in short transactions; one of the same kind on the same data is replaced at the end.

        A project that is open for reading only keeps nothing; the run gets its key all the same, to be shown.
        """
        key, stamp = new_id(), now()
        if self._project.read_only:
            return replace(run, id=key, created_at=stamp)
        with self._project.results("Run a similarity algorithm") as write:
            write.execute(
                "INSERT INTO similarity_run(id, data_id, data_title, algorithm, origin, representation,"
                " profile_length, draws, seed, parameters, seconds, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key, run.data_id, run.data_title, run.algorithm, run.origin, run.representation,
                    run.profile_length, run.draws, run.seed, json.dumps(dict(run.parameters), ensure_ascii=False),
                    run.seconds, stamp, stamp,
                ),
            )  # fmt: skip
        scores = [
            (key, draw, person, paper, score)
            for draw, of_people in enumerate(predictions)
            for person, own in of_people.items()
            for paper, score in own.items()
        ]
        for start in range(0, len(scores), AT_ONCE):
            with self._project.results("Run a similarity algorithm") as write:
                write.executemany(
                    "INSERT INTO similarity_result(run_id, draw, participant, paper, score) VALUES (?, ?, ?, ?, ?)",
                    scores[start : start + AT_ONCE],
                )
        earlier_runs = self._project.query("SELECT * FROM similarity_run WHERE data_id = ?", (run.data_id,))
        replaced = [found.id for found in map(_run, earlier_runs) if found.kind == run.kind and found.id != key]
        with self._project.results("Run a similarity algorithm") as write:
            write.executemany("DELETE FROM similarity_run WHERE id = ?", [(earlier,) for earlier in replaced])
            write.execute("UPDATE similarity_run SET complete = 1 WHERE id = ?", (key,))
            write.touched("similarity_run", {key})
        row = self._project.query_one("SELECT * FROM similarity_run WHERE id = ?", (key,))
        assert row is not None
        return _run(row)

    def forget(self, run_ids: Sequence[str]) -> None:
        """Drops runs with their scores; they can be made anew."""
        with self._project.results("Forget runs of similarity algorithms") as write:
            write.executemany("DELETE FROM similarity_run WHERE id = ?", [(key,) for key in run_ids])
            write.touched("similarity_run", set(run_ids))


def _run(row: sqlite3.Row) -> Run:
    parameters: Mapping[str, str] = json.loads(row["parameters"])
    return Run(
        row["data_id"], row["data_title"], row["algorithm"], row["origin"], row["representation"],
        row["profile_length"], row["draws"], row["seed"], tuple(parameters.items()), row["seconds"], row["id"],
        row["created_at"],
    )  # fmt: skip
