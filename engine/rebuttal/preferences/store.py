# ruff: noqa: S608 (only column and table names of this module are put into statements; values are always bound)
"""The clusters of a project with their sentences, candidates, judgements, adjudications and descriptions."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from engine.errors import BadInput
from engine.project import Action, Store, keyed, record, records, require_no_party
from engine.rebuttal.preferences.candidates import cluster_title
from engine.rebuttal.preferences.records import (
    SPECIFIC_TO,
    SUITABLE_FROM,
    Adjudication,
    Answer,
    Candidate,
    Choice,
    Cluster,
    DescriptionChoice,
    Extract,
    Judgement,
    Kind,
    NewCluster,
    NewSentence,
    Plan,
    Sentence,
    Standing,
    Verdict,
    Written,
)
from engine.shown import shortened

TABLES = frozenset(
    {
        "preference_cluster", "cluster_sentence", "rebuttal_candidate", "preference_judgement",
        "preference_adjudication", "cluster_description", "description_choice", "extracted_description",
    }
)  # fmt: skip
_SENTENCES = "SELECT start_offset AS start, end_offset AS end, * FROM {} WHERE cluster_id = ? ORDER BY position, id"


class PreferenceStore(Store):
    """Reads and writes clusters. Every writing method is one action of the acting annotator."""

    def clusters(self) -> tuple[Cluster, ...]:
        return self._clusters("1")

    def cluster(self, cluster_id: str) -> Cluster:
        """Returns one cluster. Raises KeyError."""
        for cluster in self._clusters("id = ?", cluster_id):
            return cluster
        raise KeyError(cluster_id)

    def _clusters(self, where: str, *values: str) -> tuple[Cluster, ...]:
        rows = self._project.query(f"SELECT * FROM preference_cluster WHERE {where} ORDER BY position, id", values)
        return tuple(record(Cluster, row, plan=record(Plan, row)) for row in rows)

    def standings(self) -> dict[str, Standing]:
        rows = self._project.query(
            "SELECT c.id, (SELECT count(*) FROM rebuttal_candidate r WHERE r.cluster_id = c.id) AS candidates,"
            " coalesce(sum(j.annotator_id = ? AND j.answer <> 'skip'), 0) AS own,"
            " count(DISTINCT j.annotator_id) AS annotators FROM preference_cluster c"
            " LEFT JOIN preference_judgement j ON j.cluster_id = c.id GROUP BY c.id",
            (self._project.annotator_id,),
        )
        return {row["id"]: record(Standing, row) for row in rows}

    def sentences(self, cluster_id: str) -> tuple[Sentence, ...]:
        """Returns a cluster's review sentences in display order."""
        return tuple(records(Sentence, self._project.query(_SENTENCES.format("cluster_sentence"), (cluster_id,))))

    def candidates(self, cluster_id: str) -> tuple[Candidate, ...]:
        """Returns a cluster's candidates, including excluded ones."""
        return tuple(records(Candidate, self._project.query(_SENTENCES.format("rebuttal_candidate"), (cluster_id,))))

    def judgements(self, cluster_id: str, *, annotator_id: str | None = None) -> tuple[Judgement, ...]:
        """Returns judgements in the order they were made; with ``annotator_id`` those of one annotator."""
        where, values = ("", ()) if annotator_id is None else (" AND annotator_id = ?", (annotator_id,))
        rows = self._project.query(
            f"SELECT * FROM preference_judgement WHERE cluster_id = ?{where} ORDER BY created_at, id",
            (cluster_id, *values),
        )
        return tuple(records(Judgement, rows))

    def adjudications(self, cluster_id: str) -> dict[tuple[str, str], Adjudication]:
        """Returns the adjudications by pair."""
        rows = self._project.query("SELECT * FROM preference_adjudication WHERE cluster_id = ?", (cluster_id,))
        found = (((row["first_id"], row["second_id"]), row) for row in rows)
        return {pair: record(Adjudication, row, pair=pair) for pair, row in found}

    def written(self, cluster_id: str) -> tuple[Written, ...]:
        """Returns the descriptions that people wrote, oldest first."""
        rows = self._project.query(
            "SELECT text, annotator_id FROM cluster_description WHERE cluster_id = ? ORDER BY created_at, id",
            (cluster_id,),
        )
        return tuple(records(Written, rows))

    def extract(self, cluster_id: str) -> Extract | None:
        """Returns the most central sentence as last computed."""
        row = self._project.query_one("SELECT * FROM extracted_description WHERE cluster_id = ?", (cluster_id,))
        return None if row is None else record(Extract, row)

    def choices(self, cluster_id: str | None = None) -> dict[str, tuple[DescriptionChoice, ...]]:
        """Returns the choices between descriptions by cluster, for one cluster or all."""
        where, values = ("", ()) if cluster_id is None else (" WHERE cluster_id = ?", (cluster_id,))
        found: dict[str, list[DescriptionChoice]] = {}
        for row in self._project.query(f"SELECT * FROM description_choice{where} ORDER BY created_at, id", values):
            found.setdefault(row["cluster_id"], []).append(record(DescriptionChoice, row))
        return {key: tuple(entries) for key, entries in found.items()}

    def add_clusters(self, clusters: Sequence[NewCluster], *, origin: str = "person") -> tuple[Cluster, ...]:
        """Creates clusters with their initial content, in one step; ``origin`` is 'person' or 'import:<file name>'.

        Raises BadInput, with nothing created, if one has no root, theme or action, or has an empty sentence.
        """
        name = f"cluster “{cluster_title(clusters[0])}”" if len(clusters) == 1 else f"{len(clusters)} clusters"
        made = []
        with self._project.action(f"Add {name}") as act:
            for new in clusters:
                if not any(part.strip() for part in (new.root, new.theme, new.action)):
                    raise BadInput(
                        "A cluster needs an aspect, a theme or an action.", "Nothing was added.", "Fill in one of them."
                    )
                values = {"root": new.root.strip(), "theme": new.theme.strip(), "action": new.action.strip()}
                place = {"position": act.next_position("preference_cluster"), "origin": origin}
                # The columns' defaults are those of version 0.1, which excluded a third of the canonical sentences.
                filters = {"suitable_from": SUITABLE_FROM, "specific_to": SPECIFIC_TO}
                more = place | filters | {"external_id": new.external_id}
                key = act.insert("preference_cluster", values | more)
                self._copy(act, "cluster_sentence", key, new.sentences, origin)
                self._copy(act, "rebuttal_candidate", key, new.candidates, origin)
                if new.description.strip():
                    self._describe(act, key, new.description)
                made.append(key)
        return tuple(self.cluster(key) for key in made)

    def rename_cluster(self, cluster_id: str, root: str, theme: str, action: str) -> None:
        self._set(cluster_id, "Rename cluster", root=root.strip(), theme=theme.strip(), action=action.strip())

    def set_plan(self, cluster_id: str, plan: Plan) -> None:
        """Changes how a cluster is judged from now on; existing judgements are kept."""
        self._set(cluster_id, "Change judging settings", **asdict(plan))

    def set_basis(self, cluster_id: str, basis: str) -> None:
        """Sets whose judgements rank: ``ALL``, ``ADJUDICATED`` or an annotator's name."""
        self._set(cluster_id, "Choose judgements to rank by", basis=basis)

    def set_thresholds(self, cluster_id: str, suitable_from: float, specific_to: float) -> None:
        """Sets the minimum suitability and maximum specificity (0..1) of candidates to judge."""
        self._set(
            cluster_id, "Change candidates to judge", suitable_from=suitable_from,
            specific_to=specific_to,
        )  # fmt: skip

    def delete_cluster(self, cluster_id: str) -> None:
        """Deletes a cluster and everything in it.

        Raises BadInput if another annotator has worked on it.
        """
        cluster = self.cluster(cluster_id)
        with self._project.action(f"Delete cluster “{cluster_title(cluster)}”") as act:
            for table in ("preference_judgement", "description_choice", "cluster_description"):
                others = [cluster_id, self._project.annotator_id]
                if act.db.table(table).count_where("cluster_id = ? AND annotator_id <> ?", others):
                    raise BadInput("Another annotator has worked on this cluster.", "It wasn't deleted.")
            for table in (
                "preference_judgement", "preference_adjudication", "description_choice", "cluster_description",
                "rebuttal_candidate", "cluster_sentence",
            ):  # fmt: skip
                act.delete(table, cluster_id=cluster_id)
            act.delete("preference_cluster", id=cluster_id)

    def add_sentences(self, cluster_id: str, sentences: Sequence[NewSentence]) -> None:
        """Copies review sentences into a cluster, except those that it already contains."""
        self._add(cluster_id, "cluster_sentence", "Add review sentences", sentences, "person")

    def add_candidates(self, cluster_id: str, candidates: Sequence[NewSentence], *, origin: str = "person") -> None:
        """Copies rebuttal sentences into a cluster as candidates, except those that it already contains."""
        self._add(cluster_id, "rebuttal_candidate", "Add candidates", candidates, origin)

    def remove_sentence(self, sentence_id: str) -> None:
        with self._project.action(f"Remove review sentence {self._quoted('cluster_sentence', sentence_id)}") as act:
            act.delete("cluster_sentence", id=sentence_id)

    def remove_candidate(self, candidate_id: str) -> None:
        """Removes a candidate. Raises BadInput if it has been judged; such a candidate can only be excluded."""
        with self._project.action(f"Remove candidate {self._quoted('rebuttal_candidate', candidate_id)}") as act:
            if act.db.table("preference_judgement").count_where("? IN (left_id, right_id)", [candidate_id]):
                raise BadInput(
                    "This candidate has been judged.",
                    "It wasn't removed.",
                    "Exclude it instead. Its judgements are kept.",
                )
            act.delete("rebuttal_candidate", id=candidate_id)

    def decide_candidates(self, candidate_ids: Sequence[str], decision: Literal["in", "out"] | None) -> None:
        """Includes or excludes candidates, or (None) lets their scores decide."""
        words = {"in": "Include candidate", "out": "Exclude candidate", None: "Let scores decide on candidate"}
        which = self._quoted("rebuttal_candidate", candidate_ids[0]) if len(candidate_ids) == 1 else ""
        with self._project.action(f"{words[decision]} {which}".strip()) as act:
            for key in candidate_ids:
                act.update("rebuttal_candidate", key, {"decision": decision})

    def judge(
        self,
        cluster_id: str,
        left_id: str,
        right_id: str,
        answer: Answer,
        *,
        milliseconds: int | None = None,
        repeat: bool = False,
        note: str = "",
        initiator: object | None = None,
    ) -> Judgement:
        """Stores the acting annotator's judgement of a pair, with the side each candidate was on."""
        values = {
            "cluster_id": cluster_id, "left_id": left_id, "right_id": right_id, "answer": answer, "note": note,
            "milliseconds": milliseconds, "repeat": repeat, "origin": "person",
        }  # fmt: skip
        left, right = (self._quoted("rebuttal_candidate", key, 28) for key in (left_id, right_id))
        titles = {
            "left": f"Prefer {left} to {right}", "right": f"Prefer {right} to {left}",
            "tie": f"Judge equal: {left} and {right}", "unsuitable": f"Judge unsuitable: {left} and {right}",
            "skip": f"Skip {left} and {right}",
        }  # fmt: skip
        with self._project.action(titles[answer], initiator=initiator) as act:
            key = act.insert("preference_judgement", values)
        return keyed(Judgement, self._project.db, "preference_judgement", key)

    def import_judgements(
        self, cluster_id: str, judgements: Sequence[tuple[str, str, Answer, str]], filename: str
    ) -> None:
        """Imports judgements from a file: (left candidate, right candidate, answer, annotator's key)."""
        with self._project.action(f"Import judgements of {filename}") as act:
            common = {"cluster_id": cluster_id, "origin": f"import:{filename}"}
            rows = [
                common | {"left_id": left, "right_id": right, "answer": answer, "annotator_id": annotator}
                for left, right, answer, annotator in judgements
            ]
            act.insert_all("preference_judgement", rows)

    def parties(self, pair: tuple[str, str]) -> frozenset[str]:
        """Returns the annotators who judged a pair, none of whom may adjudicate it."""
        first, second = pair
        sql = (
            "SELECT DISTINCT annotator_id FROM preference_judgement WHERE answer <> 'skip'"
            " AND (left_id = ? AND right_id = ? OR left_id = ? AND right_id = ?)"
        )
        return frozenset(row[0] for row in self._project.query(sql, (first, second, second, first)))

    def adjudicate(self, cluster_id: str, pair: tuple[str, str], verdict: Verdict | None) -> None:
        """Stores the decision on a pair on which annotators differ; None removes the decision.

        Raises BadInput if the acting annotator judged the pair.
        """
        first, second = sorted(pair)
        require_no_party(self._project.annotator_id, self.parties(pair))
        both = " and ".join(self._quoted("rebuttal_candidate", key, 28) for key in pair)
        title = f"{'Reopen' if verdict is None else 'Adjudicate'} {both}"
        with self._project.action(title) as act:
            if verdict is None:
                act.delete("preference_adjudication", first_id=first, second_id=second)
                return
            values = {"cluster_id": cluster_id, "verdict": verdict, "annotator_id": self._project.annotator_id}
            act.keep("preference_adjudication", {"first_id": first, "second_id": second}, values)

    def describe(self, cluster_id: str, text: str, *, coalesce: str | None = None) -> None:
        """Stores the acting annotator's description of a cluster; an empty one removes it."""
        title = f"Describe cluster “{cluster_title(self.cluster(cluster_id))}”"
        with self._project.action(title, coalesce=coalesce) as act:
            self._describe(act, cluster_id, text)

    def keep_extract(self, cluster_id: str, extract: Extract) -> None:
        """Stores the most central sentence, replacing an earlier one."""
        with self._project.results("Extract description") as write:
            write.delete("extracted_description", cluster_id=cluster_id)
            write.insert("extracted_description", {"cluster_id": cluster_id} | asdict(extract))
            write.touched("extracted_description", [cluster_id])

    def choose_description(
        self,
        cluster_id: str,
        written: str,
        extracted: str,
        left_kind: Kind,
        choice: Choice,
        *,
        milliseconds: int | None = None,
    ) -> None:
        """Stores which of two descriptions the acting annotator chose; a later choice replaces an earlier one."""
        values = {
            "written": written, "extracted": extracted, "left_kind": left_kind, "choice": choice,
            "milliseconds": milliseconds,
        }  # fmt: skip
        title = f"Choose a description of “{cluster_title(self.cluster(cluster_id))}”"
        with self._project.action(title) as act:
            act.keep("description_choice", self._own(cluster_id), values)

    def _quoted(self, table: str, key: str, most: int = 40) -> str:
        return f"“{shortened(self._project.row(table, key)['text'], most)}”"

    def _own(self, cluster_id: str) -> dict[str, Any]:
        return {"cluster_id": cluster_id, "annotator_id": self._project.annotator_id}

    def _describe(self, act: Action, cluster_id: str, text: str) -> None:
        if text.strip():
            act.keep("cluster_description", self._own(cluster_id), {"text": text.strip()})
        else:
            act.delete("cluster_description", **self._own(cluster_id))

    def _set(self, cluster_id: str, title: str, **values: Any) -> None:
        with self._project.action(title) as act:
            act.update("preference_cluster", cluster_id, values)

    def _add(self, cluster_id: str, table: str, title: str, sentences: Sequence[NewSentence], origin: str) -> None:
        with self._project.action(title) as act:
            known = {row["text"] for row in act.db.table(table).rows_where("cluster_id = ?", [cluster_id])}
            fresh = {new.text.strip(): new for new in sentences if new.text.strip() not in known}
            self._copy(act, table, cluster_id, tuple(fresh.values()), origin)

    def _copy(self, act: Action, table: str, cluster_id: str, sentences: Sequence[NewSentence], origin: str) -> None:
        if not all(new.text.strip() for new in sentences):
            raise BadInput("A sentence is empty.", "Nothing was added.", "Enter it, or remove the row.")
        rows = [
            {
                "cluster_id": cluster_id, "text": new.text.strip(), "source_id": new.source_id,
                "start_offset": new.start, "end_offset": new.end, "position": place, "origin": origin,
            } | ({"decision": new.decision} if table == "rebuttal_candidate" else {})
            for place, new in enumerate(sentences, start=act.next_position(table, cluster_id=cluster_id))
        ]  # fmt: skip
        act.insert_all(table, rows)
