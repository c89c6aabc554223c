"""What the survey's tables hold: studies, participants, their publications and ratings."""

from __future__ import annotations

import json
import sqlite3

from engine.expertise.records import (
    GoldStandard,
    PaperText,
    Participant,
    ProfileRow,
    Question,
    Rating,
    ReturnedFile,
    Side,
    Study,
    SurveyParticipant,
    SurveyRow,
)
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore, library_record
from engine.project import Project


class SurveyReader:
    """Readers of the survey. ``library`` is the store of the papers that the rows point at."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.library = LibraryStore(project)

    def studies(self, side: Side | None = None) -> tuple[Study, ...]:
        """All studies in the order in which they came, or those of one side."""
        rows = self._project.query("SELECT * FROM study ORDER BY position, id")
        return tuple(study for study in map(_study, rows) if side in (None, study.side))

    def study(self, study_id: str) -> Study:
        """One study. Raises KeyError."""
        return _study(self._row("study", study_id))

    def study_by_key(self, key: str, side: Side) -> Study | None:
        """The study that travels under ``key``, on one side; None where the project has none."""
        row = self._project.query_one("SELECT * FROM study WHERE study_key = ? AND side = ?", (key, side))
        return None if row is None else _study(row)

    def participants(self, study_id: str) -> tuple[SurveyParticipant, ...]:
        """The participants of a study in the order in which they came (one, on the participant's side)."""
        rows = self._project.query("SELECT * FROM participant WHERE study_id = ? ORDER BY position, id", (study_id,))
        return tuple(map(_participant, rows))

    def participant(self, participant_id: str) -> SurveyParticipant:
        """One participant. Raises KeyError."""
        return _participant(self._row("participant", participant_id))

    def rows(self, participant_id: str) -> tuple[SurveyRow, ...]:
        """The survey rows of a participant in their order."""
        found = self._project.query(
            "SELECT p.*, r.id AS row_id, r.value, r.note FROM rating r JOIN library_paper p ON p.id = r.paper_id"
            " WHERE r.participant_id = ? ORDER BY r.position, r.id",
            (participant_id,),
        )
        return tuple(SurveyRow(r["row_id"], participant_id, library_record(r), r["value"], r["note"]) for r in found)

    def rows_of_study(self, study_id: str) -> dict[str, tuple[SurveyRow, ...]]:
        """``rows`` of all participants of a study at once; who has none is not among them."""
        found: dict[str, list[SurveyRow]] = {}
        for r in self._project.query(
            "SELECT p.*, r.id AS row_id, r.participant_id, r.value, r.note FROM rating r"
            " JOIN library_paper p ON p.id = r.paper_id JOIN participant a ON a.id = r.participant_id"
            " WHERE a.study_id = ? ORDER BY r.position, r.id",
            (study_id,),
        ):
            row = SurveyRow(r["row_id"], r["participant_id"], library_record(r), r["value"], r["note"])
            found.setdefault(row.participant_id, []).append(row)
        return {participant: tuple(rows) for participant, rows in found.items()}

    def publications_of_study(self, study_id: str) -> dict[str, int]:
        """How many publications the profile of each participant of a study has; who has none is not among them."""
        found = self._project.query(
            "SELECT o.participant_id, count(*) FROM profile_paper o JOIN participant a ON a.id = o.participant_id"
            " WHERE a.study_id = ? AND o.kept = 1 GROUP BY o.participant_id",
            (study_id,),
        )
        return {row[0]: row[1] for row in found}

    def row(self, row_id: str) -> SurveyRow:
        """One survey row. Raises KeyError."""
        found = self._row("rating", row_id)
        paper = self.library.paper(found["paper_id"])
        return SurveyRow(row_id, found["participant_id"], paper, found["value"], found["note"])

    def profile(self, participant_id: str, *, kept_only: bool = False) -> tuple[ProfileRow, ...]:
        """A participant's own publications in their order; with ``kept_only`` those of the profile."""
        found = self._project.query(
            "SELECT p.*, o.id AS row_id, o.kept, o.origin AS row_origin FROM profile_paper o"
            " JOIN library_paper p ON p.id = o.paper_id WHERE o.participant_id = ? ORDER BY o.position, o.id",
            (participant_id,),
        )
        rows = (
            ProfileRow(r["row_id"], participant_id, library_record(r), bool(r["kept"]), r["row_origin"]) for r in found
        )
        return tuple(row for row in rows if row.kept or not kept_only)

    def email(self, participant_id: str) -> str:
        """The e-mail address, for its own field in the window and nothing else; empty where none was given."""
        row = self._project.query_one(
            "SELECT email FROM participant_contact WHERE participant_id = ?", (participant_id,)
        )
        return "" if row is None else str(row[0])

    def active_seconds(self, participant_id: str) -> float:
        """How long the participant was at it, over all sittings of this file."""
        row = self._project.query_one(
            "SELECT coalesce(sum(active_seconds), 0.0) FROM survey_sitting WHERE participant_id = ?", (participant_id,)
        )
        return 0.0 if row is None else float(row[0])

    def returned_files(self, study_id: str) -> tuple[ReturnedFile, ...]:
        """The answers files that were merged into a study, oldest first."""
        rows = self._project.query("SELECT * FROM returned_file WHERE study_id = ? ORDER BY id", (study_id,))
        return tuple(
            ReturnedFile(
                r["id"],
                r["study_id"],
                r["participant_id"],
                r["content_hash"],
                r["filename"],
                r["written_at"],
                r["outcome"],
                r["created_at"],
            )
            for r in rows
        )

    def gold_standard(
        self, study_id: str, *, with_texts: bool = False, agreed_only: bool = False
    ) -> GoldStandard:  # fmt: skip
        """The ratings of a study as the similarity algorithms read them; papers by their keys in this project.

        Rows without a rating are left out; of several ratings of one paper by one person the last counts. Full texts
        are read only ``with_texts``. What leaves the project is made ``agreed_only``: without participants who did not
        agree, where the study asks for it.
        """
        asks = bool(self.study(study_id).consent.strip())
        people: list[Participant] = []
        ratings: list[Rating] = []
        papers: dict[str, LibraryPaper] = {}
        for participant in self.participants(study_id):
            if agreed_only and asks and not participant.consented_at:
                continue
            own = [row.paper for row in self.profile(participant.id, kept_only=True)]
            rated = {row.paper.id: row for row in self.rows(participant.id) if row.value is not None}
            papers |= {paper.id: paper for paper in [*own, *(row.paper for row in rated.values())]}
            people.append(Participant(participant.key, participant.name, tuple(paper.id for paper in own)))
            ratings.extend(Rating(participant.key, key, row.value or 0.0) for key, row in rated.items())
        texts = {
            key: PaperText(
                key, p.title, p.abstract, self.library.text(key) if with_texts else "", p.year, p.authors
            )
            for key, p in papers.items()
        }  # fmt: skip
        return GoldStandard(tuple(people), tuple(ratings), texts, {})

    def _row(self, table: str, key: str) -> sqlite3.Row:
        row = self._project.query_one(f"SELECT * FROM {table} WHERE id = ?", (key,))  # noqa: S608 - named here
        if row is None:
            raise KeyError(key)
        return row


def _study(row: sqlite3.Row) -> Study:
    questions = tuple(Question(key, words, tuple(choices)) for key, words, choices in json.loads(row["questions"]))
    return Study(
        id=row["id"],
        key=row["study_key"],
        side=row["side"],
        title=row["title"],
        organiser=row["organiser"],
        contact=row["contact"],
        instructions=row["instructions"],
        consent=row["consent"],
        released=row["released"],
        withheld=row["withheld"],
        min_papers=row["min_papers"],
        max_papers=row["max_papers"],
        questions=questions,
        content_hash=row["content_hash"],
    )


def _participant(row: sqlite3.Row) -> SurveyParticipant:
    return SurveyParticipant(
        id=row["id"],
        study_id=row["study_id"],
        key=row["person_key"],
        name=row["name"],
        consented_at=row["consented_at"],
        answers=tuple((question, answer) for question, answer in json.loads(row["answers"])),
        finished_at=row["finished_at"],
        answers_hash=row["answers_hash"],
        origin=row["origin"],
    )
