# ruff: noqa: S608 (only column and table names of this module are put into statements; values are always bound)
"""What a project has of preferences, as records."""

from __future__ import annotations

import json
import sqlite3

from engine.project import Project
from engine.rebuttal.preferences.records import (
    Adjudication,
    Candidate,
    Cluster,
    DescriptionChoice,
    Extract,
    Judgement,
    Plan,
    Sentence,
    Standing,
    Written,
)


class PreferenceReader:
    """The readers of ``PreferenceStore``."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters in their order."""
        rows = self._project.query("SELECT * FROM preference_cluster ORDER BY position, id")
        return tuple(map(_cluster, rows))

    def cluster(self, cluster_id: str) -> Cluster:
        """One cluster. Raises KeyError."""
        row = self._project.query_one("SELECT * FROM preference_cluster WHERE id = ?", (cluster_id,))
        if row is None:
            raise KeyError(cluster_id)
        return _cluster(row)

    def standings(self) -> dict[str, Standing]:
        """Every cluster in figures, by its key."""
        rows = self._project.query(
            "SELECT c.id, (SELECT count(*) FROM cluster_sentence s WHERE s.cluster_id = c.id) AS sentences,"
            " (SELECT count(*) FROM rebuttal_candidate r WHERE r.cluster_id = c.id) AS candidates,"
            " count(j.id) AS judgements, coalesce(sum(j.annotator_id = ?), 0) AS own,"
            " count(DISTINCT j.annotator_id) AS annotators FROM preference_cluster c"
            " LEFT JOIN preference_judgement j ON j.cluster_id = c.id GROUP BY c.id",
            (self._project.annotator_id,),
        )
        return {row["id"]: Standing(*tuple(row)[1:]) for row in rows}

    def sentences(self, cluster_id: str) -> tuple[Sentence, ...]:
        """A cluster's review sentences in the order in which they are shown."""
        rows = self._project.query(
            "SELECT * FROM cluster_sentence WHERE cluster_id = ? ORDER BY position, id", (cluster_id,)
        )
        return tuple(
            Sentence(r["id"], r["text"], r["source_id"], r["start_offset"], r["end_offset"], r["origin"]) for r in rows
        )

    def candidates(self, cluster_id: str) -> tuple[Candidate, ...]:
        """A cluster's candidates, those that are left out too."""
        rows = self._project.query(
            "SELECT * FROM rebuttal_candidate WHERE cluster_id = ? ORDER BY position, id", (cluster_id,)
        )
        return tuple(map(_candidate, rows))

    def decided_candidates(self) -> tuple[tuple[str, bool], ...]:
        """The text of every candidate on which a person decided, and whether it was taken in; over all clusters."""
        rows = self._project.query(
            "SELECT text, decision = 'in' FROM rebuttal_candidate WHERE decision IS NOT NULL ORDER BY id"
        )
        return tuple((row[0], bool(row[1])) for row in rows)

    def judgements(self, cluster_id: str, *, annotator_id: str | None = None) -> tuple[Judgement, ...]:
        """Judgements in the order in which they were made; with ``annotator_id`` those of one annotator."""
        where, values = ("", ()) if annotator_id is None else (" AND annotator_id = ?", (annotator_id,))
        rows = self._project.query(
            f"SELECT * FROM preference_judgement WHERE cluster_id = ?{where} ORDER BY created_at, id",
            (cluster_id, *values),
        )
        return tuple(map(_judgement, rows))

    def adjudications(self, cluster_id: str) -> dict[tuple[str, str], Adjudication]:
        """What was decided, by pair."""
        rows = self._project.query("SELECT * FROM preference_adjudication WHERE cluster_id = ?", (cluster_id,))
        found = (Adjudication(r["id"], (r["first_id"], r["second_id"]), r["verdict"], r["annotator_id"]) for r in rows)
        return {entry.pair: entry for entry in found}

    def written(self, cluster_id: str) -> tuple[Written, ...]:
        """The descriptions that people wrote, oldest first."""
        rows = self._project.query(
            "SELECT text, annotator_id FROM cluster_description WHERE cluster_id = ? ORDER BY created_at, id",
            (cluster_id,),
        )
        return tuple(Written(row["text"], row["annotator_id"]) for row in rows)

    def extract(self, cluster_id: str) -> Extract | None:
        """The most central sentence as it was found last."""
        row = self._project.query_one("SELECT * FROM extracted_description WHERE cluster_id = ?", (cluster_id,))
        if row is None:
            return None
        return Extract(row["sentence_id"], row["text"], row["mean_cosine"], row["sentences"], row["origin"])

    def choices(self, cluster_id: str | None = None) -> dict[str, tuple[DescriptionChoice, ...]]:
        """Who took which description, by cluster; of one cluster or of all."""
        where, values = ("", ()) if cluster_id is None else (" WHERE cluster_id = ?", (cluster_id,))
        found: dict[str, list[DescriptionChoice]] = {}
        for row in self._project.query(f"SELECT * FROM description_choice{where} ORDER BY created_at, id", values):
            found.setdefault(row["cluster_id"], []).append(
                DescriptionChoice(
                    row["written"], row["extracted"], row["left_kind"], row["choice"], row["annotator_id"],
                    row["milliseconds"],
                )
            )  # fmt: skip
        return {key: tuple(entries) for key, entries in found.items()}


def _cluster(row: sqlite3.Row) -> Cluster:
    return Cluster(
        id=row["id"],
        root=row["root"],
        theme=row["theme"],
        action=row["action"],
        external_id=row["external_id"],
        plan=Plan(row["schedule"], row["repeats"], row["overlap"], tuple(json.loads(row["team"]))),
        basis=row["basis"],
        suitable_from=row["suitable_from"],
        specific_to=row["specific_to"],
        origin=row["origin"],
    )


def _candidate(row: sqlite3.Row) -> Candidate:
    return Candidate(
        row["id"], row["text"], row["source_id"], row["start_offset"], row["end_offset"], row["origin"],
        row["decision"],
    )  # fmt: skip


def _judgement(row: sqlite3.Row) -> Judgement:
    return Judgement(
        row["id"], row["left_id"], row["right_id"], row["answer"], row["annotator_id"], row["milliseconds"],
        bool(row["repeat"]), row["note"], row["created_at"],
    )  # fmt: skip
