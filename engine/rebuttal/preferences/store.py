# ruff: noqa: S608 (only column and table names of this module are put into statements; values are always bound)
"""The clusters of a project with their sentences, candidates, judgements, adjudications and descriptions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from engine.errors import BadInput
from engine.project import Action, new_id, now
from engine.rebuttal.preferences.naming import cluster_title
from engine.rebuttal.preferences.reading_store import PreferenceReader
from engine.rebuttal.preferences.records import (
    Answer,
    Choice,
    Cluster,
    Extract,
    Judgement,
    Kind,
    NewCluster,
    NewSentence,
    Plan,
    Verdict,
)

TABLES = frozenset(
    {
        "preference_cluster", "cluster_sentence", "rebuttal_candidate", "preference_judgement",
        "preference_adjudication", "cluster_description", "description_choice", "extracted_description",
    }
)  # fmt: skip
_PLACE = "id, cluster_id, text, source_id, start_offset, end_offset, position, origin"


class PreferenceStore(PreferenceReader):
    """Readers and verbs. Every verb that writes is one action of the acting annotator."""

    # clusters -------------------------------------------------------------------------------------------------------

    def add_clusters(
        self, clusters: Sequence[NewCluster], *, origin: str = "person", initiator: object | None = None
    ) -> tuple[Cluster, ...]:
        """Makes clusters with what they begin with, in one step; ``origin`` is 'person' or 'import:<file name>'.

        Raises:
            BadInput: one has no root, theme or action, or an empty sentence. Nothing is made then.
        """
        name = f"cluster “{cluster_title(clusters[0])}”" if len(clusters) == 1 else f"{len(clusters)} clusters"
        made = []
        with self._project.action(f"Add {name}", initiator=initiator) as act:
            place = self._next(act, "preference_cluster", "")
            for number, new in enumerate(clusters):
                if not any(part.strip() for part in (new.root, new.theme, new.action)):
                    raise BadInput(
                        "A cluster needs a root, a theme or an action.", "Nothing was added.", "Fill one of them in."
                    )
                key, stamp = new_id(), now()
                act.execute(
                    "INSERT INTO preference_cluster(id, root, theme, action, external_id, position, origin,"
                    " annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        key, new.root.strip(), new.theme.strip(), new.action.strip(), new.external_id, place + number,
                        origin, self._project.annotator_id, stamp, stamp,
                    ),
                )  # fmt: skip
                self._copy(act, "cluster_sentence", key, new.sentences, origin)
                self._copy(act, "rebuttal_candidate", key, new.candidates, origin)
                if new.description.strip():
                    self._describe(act, key, new.description)
                made.append(key)
        return tuple(self.cluster(key) for key in made)

    def rename_cluster(
        self, cluster_id: str, root: str, theme: str, action: str, *, initiator: object | None = None
    ) -> None:
        """Gives a cluster another root, theme and action."""
        self._set(
            cluster_id, "Rename cluster", initiator, root=root.strip(), theme=theme.strip(), action=action.strip()
        )

    def set_plan(self, cluster_id: str, plan: Plan, *, initiator: object | None = None) -> None:
        """Says how a cluster is judged from now on; what was judged stays."""
        self._set(
            cluster_id, "Change how a cluster is judged", initiator, schedule=plan.schedule, repeats=plan.repeats,
            overlap=plan.overlap, team=json.dumps(list(plan.team), ensure_ascii=False),
        )  # fmt: skip

    def set_basis(self, cluster_id: str, basis: str, *, initiator: object | None = None) -> None:
        """Says whose judgements rank: ``ALL``, ``ADJUDICATED`` or an annotator's name."""
        self._set(cluster_id, "Choose whose judgements rank", initiator, basis=basis)

    def set_thresholds(
        self, cluster_id: str, suitable_from: float, specific_to: float, *, initiator: object | None = None
    ) -> None:
        """Says from which suitability and up to which specificity (0..1) a candidate is judged."""
        self._set(
            cluster_id, "Change which candidates are judged", initiator, suitable_from=suitable_from,
            specific_to=specific_to,
        )  # fmt: skip

    def delete_cluster(self, cluster_id: str, *, initiator: object | None = None) -> None:
        """Takes a cluster away with all that belongs to it.

        Raises:
            BadInput: another annotator has judged in it; their work is theirs.
        """
        cluster = self.cluster(cluster_id)
        with self._project.action(f"Delete cluster “{cluster_title(cluster)}”", initiator=initiator) as act:
            for table in ("preference_judgement", "description_choice", "cluster_description"):
                if act.execute(
                    f"SELECT 1 FROM {table} WHERE cluster_id = ? AND annotator_id <> ?",
                    (cluster_id, self._project.annotator_id),
                ).fetchone():
                    raise BadInput("Another annotator has worked on this cluster.", "It was not deleted.")
            for table in (
                "preference_judgement", "preference_adjudication", "description_choice", "cluster_description",
                "rebuttal_candidate", "cluster_sentence",
            ):  # fmt: skip
                act.execute(f"DELETE FROM {table} WHERE cluster_id = ?", (cluster_id,))
            act.execute("DELETE FROM preference_cluster WHERE id = ?", (cluster_id,))

    # sentences and candidates ---------------------------------------------------------------------------------------

    def add_sentences(
        self,
        cluster_id: str,
        sentences: Sequence[NewSentence],
        *,
        origin: str = "person",
        initiator: object | None = None,
    ) -> None:
        """Copies review sentences into a cluster; those that it has already are left out."""
        self._add(cluster_id, "cluster_sentence", "Add review sentences", sentences, origin, initiator)

    def add_candidates(
        self,
        cluster_id: str,
        candidates: Sequence[NewSentence],
        *,
        origin: str = "person",
        initiator: object | None = None,
    ) -> None:
        """Copies rebuttal sentences into a cluster as candidates; those that it has already are left out."""
        self._add(cluster_id, "rebuttal_candidate", "Add candidates", candidates, origin, initiator)

    def remove_sentence(self, sentence_id: str, *, initiator: object | None = None) -> None:
        """Takes a review sentence out of its cluster."""
        with self._project.action("Remove review sentence", initiator=initiator) as act:
            act.execute("DELETE FROM cluster_sentence WHERE id = ?", (sentence_id,))

    def remove_candidate(self, candidate_id: str, *, initiator: object | None = None) -> None:
        """Takes a candidate away. Raises BadInput where it was judged: leave it out instead."""
        with self._project.action("Remove candidate", initiator=initiator) as act:
            if act.execute(
                "SELECT 1 FROM preference_judgement WHERE ? IN (left_id, right_id)", (candidate_id,)
            ).fetchone():
                raise BadInput(
                    "This candidate was judged.", "It was not removed.", "Leave it out instead: what was judged stays."
                )
            act.execute("DELETE FROM rebuttal_candidate WHERE id = ?", (candidate_id,))

    def decide_candidates(
        self, candidate_ids: Sequence[str], decision: Literal["in", "out"] | None, *, initiator: object | None = None
    ) -> None:
        """Says that candidates are judged, are left out, or (None) that their scores decide."""
        words = {"in": "Take candidate in", "out": "Leave candidate out", None: "Let scores decide on candidate"}
        with self._project.action(words[decision], initiator=initiator) as act:
            act.executemany(
                "UPDATE rebuttal_candidate SET decision = ?, updated_at = ? WHERE id = ? AND decision IS NOT ?",
                [(decision, now(), key, decision) for key in candidate_ids],
            )

    # judgements -----------------------------------------------------------------------------------------------------

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
        """Keeps what the acting annotator said of a pair, with the side on which each stood."""
        made = Judgement(
            new_id(), left_id, right_id, answer, self._project.annotator_id, milliseconds, repeat, note, now()
        )
        titles = {
            "left": "Prefer left", "right": "Prefer right", "tie": "Judge a tie", "unsuitable": "Judge both unsuitable",
            "skip": "Skip a pair",
        }  # fmt: skip
        with self._project.action(titles[answer], initiator=initiator) as act:
            self._insert_judgement(act, cluster_id, made, "person")
        return made

    def import_judgements(
        self,
        cluster_id: str,
        judgements: Sequence[tuple[str, str, Answer, str]],
        filename: str,
        *,
        initiator: object | None = None,
    ) -> None:
        """Takes judgements over from a file: (left candidate, right candidate, answer, annotator's key)."""
        with self._project.action(f"Import judgements of {filename}", initiator=initiator) as act:
            for left, right, answer, annotator in judgements:
                made = Judgement(new_id(), left, right, answer, annotator, created_at=now())
                self._insert_judgement(act, cluster_id, made, f"import:{filename}")

    def note_judgement(self, judgement_id: str, note: str, *, initiator: object | None = None) -> None:
        """Writes a note on a judgement; typing on is one undo step."""
        with self._project.action(
            "Note on a pair", coalesce=f"judgement.note:{judgement_id}", initiator=initiator
        ) as act:
            act.execute(
                "UPDATE preference_judgement SET note = ?, updated_at = ? WHERE id = ? AND note <> ?",
                (note, now(), judgement_id, note),
            )

    def adjudicate(
        self, cluster_id: str, pair: tuple[str, str], verdict: Verdict | None, *, initiator: object | None = None
    ) -> None:
        """Decides on a pair (the smaller key first) on which annotators differ; None takes the decision back."""
        first, second = sorted(pair)
        title = "Take adjudication back" if verdict is None else "Adjudicate a pair"
        with self._project.action(title, initiator=initiator) as act:
            if verdict is None:
                act.execute("DELETE FROM preference_adjudication WHERE first_id = ? AND second_id = ?", (first, second))
                return
            stamp = now()
            act.execute(
                "INSERT INTO preference_adjudication(id, cluster_id, first_id, second_id, verdict, annotator_id,"
                " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(first_id, second_id) DO UPDATE"
                " SET verdict = excluded.verdict, annotator_id = excluded.annotator_id,"
                " updated_at = excluded.updated_at WHERE verdict <> excluded.verdict",
                (new_id(), cluster_id, first, second, verdict, self._project.annotator_id, stamp, stamp),
            )

    # descriptions ---------------------------------------------------------------------------------------------------

    def describe(
        self, cluster_id: str, text: str, *, coalesce: str | None = None, initiator: object | None = None
    ) -> None:
        """Keeps the acting annotator's description of a cluster; an empty one takes it away."""
        with self._project.action("Describe cluster", coalesce=coalesce, initiator=initiator) as act:
            self._describe(act, cluster_id, text)

    def keep_extract(self, cluster_id: str, extract: Extract) -> None:
        """Keeps the most central sentence, in place of an earlier one."""
        with self._project.results("Extract description") as write:
            write.execute(
                "INSERT OR REPLACE INTO extracted_description(cluster_id, sentence_id, text, mean_cosine, sentences,"
                " origin, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    cluster_id, extract.sentence_id, extract.text, extract.mean_cosine, extract.sentences,
                    extract.origin, now(),
                ),
            )  # fmt: skip
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
        initiator: object | None = None,
    ) -> None:
        """Keeps which of two descriptions the acting annotator took; a later choice takes the place of an earlier."""
        stamp = now()
        with self._project.action("Choose a description", initiator=initiator) as act:
            act.execute(
                "INSERT INTO description_choice(id, cluster_id, written, extracted, left_kind, choice, milliseconds,"
                " annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT(cluster_id, annotator_id) DO UPDATE SET written = excluded.written,"
                " extracted = excluded.extracted, left_kind = excluded.left_kind, choice = excluded.choice,"
                " milliseconds = excluded.milliseconds, updated_at = excluded.updated_at",
                (
                    new_id(), cluster_id, written, extracted, left_kind, choice, milliseconds,
                    self._project.annotator_id, stamp, stamp,
                ),
            )  # fmt: skip

    # what verbs share -----------------------------------------------------------------------------------------------

    def _describe(self, act: Action, cluster_id: str, text: str) -> None:
        own = (cluster_id, self._project.annotator_id)
        if not text.strip():
            act.execute("DELETE FROM cluster_description WHERE cluster_id = ? AND annotator_id = ?", own)
            return
        act.execute(
            "INSERT INTO cluster_description(id, cluster_id, text, annotator_id, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(cluster_id, annotator_id) DO UPDATE SET text = excluded.text,"
            " updated_at = excluded.updated_at WHERE text <> excluded.text",
            (new_id(), cluster_id, text.strip(), self._project.annotator_id, now(), now()),
        )

    def _insert_judgement(self, act: Action, cluster_id: str, made: Judgement, origin: str) -> None:
        act.execute(
            "INSERT INTO preference_judgement(id, cluster_id, left_id, right_id, answer, note, milliseconds, repeat,"
            " origin, annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                made.id, cluster_id, made.left_id, made.right_id, made.answer, made.note, made.milliseconds,
                int(made.repeat), origin, made.annotator_id, made.created_at, made.created_at,
            ),
        )  # fmt: skip

    def _set(self, cluster_id: str, title: str, initiator: object | None, **values: str | float) -> None:
        columns = ", ".join(f"{name} = ?" for name in values)
        differs = " OR ".join(f"{name} <> ?" for name in values)
        with self._project.action(title, initiator=initiator) as act:
            act.execute(
                f"UPDATE preference_cluster SET {columns}, updated_at = ? WHERE id = ? AND ({differs})",
                (*values.values(), now(), cluster_id, *values.values()),
            )

    def _add(  # noqa: PLR0917 - what one statement needs
        self,
        cluster_id: str,
        table: str,
        title: str,
        sentences: Sequence[NewSentence],
        origin: str,
        initiator: object | None,
    ) -> None:
        with self._project.action(title, initiator=initiator) as act:
            known = {row[0] for row in act.execute(f"SELECT text FROM {table} WHERE cluster_id = ?", (cluster_id,))}
            fresh = {new.text.strip(): new for new in sentences if new.text.strip() not in known}
            self._copy(act, table, cluster_id, tuple(fresh.values()), origin)

    def _copy(self, act: Action, table: str, cluster_id: str, sentences: Sequence[NewSentence], origin: str) -> None:
        place = self._next(act, table, cluster_id)
        for number, new in enumerate(sentences):
            if not new.text.strip():
                raise BadInput("A sentence is empty.", "Nothing was added.", "Write it, or leave it out.")
            stamp, key = now(), new_id()
            act.execute(
                f"INSERT INTO {table}({_PLACE}, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key, cluster_id, new.text.strip(), new.source_id, new.start, new.end, place + number, origin,
                    self._project.annotator_id, stamp, stamp,
                ),
            )  # fmt: skip
            if new.decision is not None and table == "rebuttal_candidate":
                act.execute("UPDATE rebuttal_candidate SET decision = ? WHERE id = ?", (new.decision, key))

    def _next(self, act: Action, table: str, cluster_id: str) -> int:
        where, values = (" WHERE cluster_id = ?", (cluster_id,)) if cluster_id else ("", ())
        found = act.execute(f"SELECT coalesce(max(position), -1) + 1 FROM {table}{where}", values).fetchone()
        return int(found[0])
