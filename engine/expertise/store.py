"""The survey's tables: studies, participants, their publications and ratings. Every change is one undo step, except
measured time.

E-mail addresses are only read and written by ``email`` and ``set_email``; they are in no record or export.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

from engine.errors import BadInput, not_changed
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
from engine.expertise.survey import check_rating, with_rules
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore
from engine.project import Project, Store, new_id, now, record, records
from engine.project.tables import Row
from engine.shown import shortened

TABLES = frozenset(
    {
        "library_paper", "study", "participant", "participant_contact", "profile_paper", "rating", "returned_file",
        "survey_sitting",
    }
)  # fmt: skip
"""The tables that the survey pane watches."""

_STUDY_WORDS = {
    "title": "Rename study", "organiser": "Set study organiser", "contact": "Change study contact",
    "instructions": "Edit instructions", "consent": "Edit consent text", "released": "Edit released data",
    "withheld": "Edit withheld data",
}  # fmt: skip
T = TypeVar("T")
_PAPERS = "FROM {} r JOIN library_paper p ON p.id = r.paper_id JOIN participant a ON a.id = r.participant_id"


class SittingStore(Store):
    """Active time of participants by session. It is measured rather than decided, so it isn't undone."""

    def active_seconds(self, participant_id: str) -> float:
        """Returns the participant's active seconds over all sessions in this file."""
        row = self._project.query_one(
            "SELECT coalesce(sum(active_seconds), 0.0) FROM survey_sitting WHERE participant_id = ?", (participant_id,)
        )
        return 0.0 if row is None else float(row[0])

    def begin(self, participant_id: str, idle_cutoff: float) -> str:
        """Starts recording a session's time; returns its key."""
        values = {"participant_id": participant_id, "started_at": now(), "active_seconds": 0.0}
        with self._project.results("Start session") as write:
            key = write.insert("survey_sitting", values | {"idle_cutoff_seconds": float(idle_cutoff)})
            write.touched("survey_sitting", [key])
        return key

    def set(self, sitting_id: str, active_seconds: float) -> None:
        """Records the session's active seconds so far. Call it every half minute and at the end."""
        with self._project.results("Record time") as write:
            write.update("survey_sitting", sitting_id, {"active_seconds": float(active_seconds)})
            write.touched("survey_sitting", [sitting_id])

    def forget(self, participant_id: str) -> None:
        """Permanently deletes a participant's measured time."""
        with self._project.results("Delete time") as write:
            write.delete("survey_sitting", participant_id=participant_id)
            write.touched("survey_sitting", [participant_id])


class SurveyStore:
    """Reads and writes the survey. ``library`` is the store of the papers that rows refer to, ``time`` that of measured
    time."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.library = LibraryStore(project)
        self.time = SittingStore(project)

    def studies(self, side: Side | None = None) -> tuple[Study, ...]:
        """Returns all studies in the order in which they were added, or those of one side."""
        return tuple(self._studies("? IS NULL OR side = ?", side, side))

    def study(self, study_id: str) -> Study:
        """Returns one study. Raises KeyError."""
        return _only(self._studies("id = ?", study_id), study_id)

    def study_by_key(self, key: str, side: Side) -> Study | None:
        """Returns the study with this ``key`` on one side, or None."""
        return next(iter(self._studies("study_key = ? AND side = ?", key, side)), None)

    def _studies(self, where: str, *values: str | None) -> list[Study]:
        sql = f"SELECT study_key AS key, * FROM study WHERE {where} ORDER BY position, id"  # noqa: S608 - named here
        return records(Study, self._project.query(sql, values))

    def participants(self, study_id: str) -> tuple[SurveyParticipant, ...]:
        """Returns the participants of a study in the order in which they were added (one on the participant's side)."""
        return tuple(self._participants("study_id = ?", study_id))

    def participant(self, participant_id: str) -> SurveyParticipant:
        """Returns one participant. Raises KeyError."""
        return _only(self._participants("id = ?", participant_id), participant_id)

    def _participants(self, where: str, value: str) -> list[SurveyParticipant]:
        sql = f"SELECT person_key AS key, * FROM participant WHERE {where} ORDER BY position, id"  # noqa: S608
        return records(SurveyParticipant, self._project.query(sql, (value,)))

    def rows(self, participant_id: str) -> tuple[SurveyRow, ...]:
        return tuple(self._rows("r.participant_id = ?", participant_id))

    def rows_of_study(self, study_id: str) -> dict[str, tuple[SurveyRow, ...]]:
        """Returns ``rows`` of all participants of a study; participants without rows are omitted."""
        found: dict[str, list[SurveyRow]] = {}
        for row in self._rows("a.study_id = ?", study_id):
            found.setdefault(row.participant_id, []).append(row)
        return {participant: tuple(rows) for participant, rows in found.items()}

    def row(self, row_id: str) -> SurveyRow:
        """Returns one survey row. Raises KeyError."""
        return _only(self._rows("r.id = ?", row_id), row_id)

    def _rows(self, where: str, value: str) -> list[SurveyRow]:
        sql = f"SELECT r.*, p.* {_PAPERS.format('rating')} WHERE {where} ORDER BY r.position, r.id"
        return [record(SurveyRow, row, paper=_paper(row)) for row in self._project.query(sql, (value,))]

    def publications_of_study(self, study_id: str) -> dict[str, int]:
        """Returns the number of publications in each participant's profile; participants without any are omitted."""
        found = self._project.query(
            "SELECT o.participant_id, count(*) FROM profile_paper o JOIN participant a ON a.id = o.participant_id"
            " WHERE a.study_id = ? AND o.kept = 1 GROUP BY o.participant_id",
            (study_id,),
        )
        return {row[0]: row[1] for row in found}

    def profile(self, participant_id: str, *, kept_only: bool = False) -> tuple[ProfileRow, ...]:
        """Returns a participant's own publications in order; with ``kept_only``, those of the profile."""
        sql = (
            f"SELECT r.*, p.* {_PAPERS.format('profile_paper')} WHERE r.participant_id = ? AND r.kept >= ?"
            " ORDER BY r.position, r.id"
        )
        rows = self._project.query(sql, (participant_id, kept_only))
        return tuple(record(ProfileRow, row, paper=_paper(row)) for row in rows)

    def email(self, participant_id: str) -> str:
        """Returns the e-mail address, only for its field in the window; "" if there is none."""
        row = self._project.query_one(
            "SELECT email FROM participant_contact WHERE participant_id = ?", (participant_id,)
        )
        return "" if row is None else str(row[0])

    def returned_files(self, study_id: str) -> tuple[ReturnedFile, ...]:
        """Returns the answers files merged into a study, oldest first."""
        rows = self._project.query(
            "SELECT created_at AS merged_at, * FROM returned_file WHERE study_id = ? ORDER BY id", (study_id,)
        )
        return tuple(records(ReturnedFile, rows))

    def gold_standard(self, study_id: str, *, with_texts: bool = False, agreed_only: bool = False) -> GoldStandard:
        """Returns the ratings of a study for the similarity algorithms; papers have their keys in this project, and
        full texts only ``with_texts``.

        Rows without a rating are omitted; if a person rated a paper several times, the last rating counts. Use
        ``agreed_only`` for exports: it excludes participants who didn't consent, if the study asks for consent.
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
            key: PaperText(key, p.title, p.abstract, self.library.text(key) if with_texts else "", p.year, p.authors)
            for key, p in papers.items()
        }
        return GoldStandard(tuple(people), tuple(ratings), texts, {})

    def add_study(self, study: Study, *, origin: str = "person") -> str:
        """Adds a study and returns its key in the project; a study without ``key`` gets one. Raises BadInput if the
        project already contains it."""
        key = study.key or new_id()
        if self.study_by_key(key, study.side) is not None:
            raise BadInput("This study is already in the project.", "Nothing was added.", "Open it from the list.")
        with self._project.action(f"Add study “{study.title}”") as act:
            place = {"study_key": key, "origin": origin, "position": act.next_position("study")}
            return act.insert("study", _values(study) | place)

    def edit_study(self, study_id: str, **texts: str) -> None:
        """Changes texts of a study (those in ``_STUDY_WORDS``); continued typing in one is one undo step. Raises
        BadInput for an empty title."""
        if not texts.get("title", "x").strip():
            raise BadInput("A study needs a title.", "It wasn't changed.", "Enter a name.")
        for name, text in texts.items():
            assert name in _STUDY_WORDS, name
            with self._project.action(_STUDY_WORDS[name], coalesce=f"study:{study_id}:{name}") as act:
                act.update("study", study_id, {name: text})

    def set_rules(self, study_id: str, min_papers: int, max_papers: int) -> None:
        """Sets how many papers a participant should rate, and updates the standard instructions in the same step.
        Raises BadInput unless 1 <= least <= most <= 50."""
        if not 1 <= min_papers <= max_papers <= 50:
            raise not_changed(
                f"From {min_papers} to {max_papers} papers can't be required.", "Require at least 1 and at most 50."
            )
        changed = with_rules(self.study(study_id), min_papers, max_papers)
        with self._project.action("Change number of papers", coalesce=f"study:{study_id}:rules") as act:
            rules = {"min_papers": min_papers, "max_papers": max_papers, "instructions": changed.instructions}
            act.update("study", study_id, rules)

    def set_questions(self, study_id: str, questions: Sequence[Question]) -> None:
        """Sets the optional questions about the person. Raises BadInput for duplicate keys or a
        question without text."""
        keys = [question.key for question in questions]
        if len(set(keys)) < len(keys) or not all(q.key and q.words.strip() for q in questions):
            raise not_changed("Each question needs text and a different key.")
        with self._project.action("Change study questions") as act:
            act.update("study", study_id, {"questions": tuple(questions)})

    def set_content_hash(self, study_id: str, content_hash: str) -> None:
        """Records which study file was written."""
        with self._project.action("Write study file") as act:
            act.update("study", study_id, {"content_hash": content_hash})

    def open_study(self, study: Study, *, filename: str) -> SurveyParticipant:
        """Starts the survey of a study file, or continues it; returns the participant."""
        there = self.study_by_key(study.key, "participant")
        if there is not None:
            return self.participants(there.id)[0]
        with self._project.action(f"Open study “{study.title}”"):
            study_id = self.add_study(replace(study, side="participant"), origin=f"import:{filename}")
            return self.participant(self.add_participant(study_id, SurveyParticipant("", study_id, new_id())))

    def add_participant(self, study_id: str, participant: SurveyParticipant) -> str:
        if any(other.key == participant.key for other in self.participants(study_id)):
            raise BadInput("This participant is already in the study.", "Nothing was added.")
        with self._project.action(f"Add {participant.name or 'participant'}") as act:
            place = {"study_id": study_id, "position": act.next_position("participant", study_id=study_id)}
            return act.insert("participant", _values(participant) | place)

    def remove_participant(self, participant_id: str) -> None:
        """Removes a participant from the study with all answers; this can be undone."""
        name = self.participant(participant_id).name or "participant"
        with self._project.action(f"Remove {name}") as act:
            for table in ("returned_file", "rating", "profile_paper", "participant_contact"):
                act.delete(table, participant_id=participant_id)
            act.delete("participant", id=participant_id)

    def replace_participant(self, participant_id: str, given: SurveyParticipant) -> None:
        """Removes a participant's rows and publications and stores the personal data from a newer answers file; the
        position in the study is kept."""
        values = {name: value for name, value in _values(given).items() if name not in ("study_id", "origin")}
        with self._project.action(f"Replace answers of {given.name or 'participant'}") as act:
            for table in ("rating", "profile_paper"):
                act.delete(table, participant_id=participant_id)
            act.update("participant", participant_id, values)

    def set_name(self, participant_id: str, name: str) -> None:
        """Sets the participant's name as it will be released; continued typing is one undo step."""
        self._set_participant(participant_id, "name", name, "Enter name")

    def set_consent(self, participant_id: str, agreed: bool) -> None:
        title = "Agree to take part" if agreed else "Withdraw consent"
        if bool(self.participant(participant_id).consented_at) != agreed:
            self._set_participant(participant_id, "consented_at", now() if agreed else "", title)

    def set_answer(self, participant_id: str, question: str, answer: str) -> None:
        """Answers a question about the person; an empty answer removes it."""
        answers = dict(self.participant(participant_id).answers)
        answers.pop(question, None)
        if answer:
            answers[question] = answer
        given = tuple(answers.items())
        self._set_participant(participant_id, "answers", given, "Answer a question", part=question)

    def set_email(self, participant_id: str, email: str) -> None:
        """Stores the e-mail address separately from all answers; an empty one removes it."""
        with self._project.action("Enter e-mail", coalesce=f"email:{participant_id}") as act:
            if email.strip():
                act.keep("participant_contact", {"participant_id": participant_id}, {"email": email.strip()})
            else:
                act.delete("participant_contact", participant_id=participant_id)

    def finish(self, participant_id: str, written_at: str, content_hash: str) -> None:
        """Records that the answers file with this date and hash was written; work can continue afterwards."""
        with self._project.action("Write answers file") as act:
            act.update("participant", participant_id, {"finished_at": written_at, "answers_hash": content_hash})

    def _set_participant(self, participant_id: str, column: str, value: Any, title: str, *, part: str = "") -> None:
        coalesce = f"participant:{participant_id}:{column}:{part}"
        with self._project.action(title, coalesce=coalesce) as act:
            act.update("participant", participant_id, {column: value})

    def add_row(self, participant_id: str, paper: LibraryPaper, value: float | None = None, **how: str) -> str:
        """Adds one paper to rate, like ``add_rows``; returns the row's key."""
        return self.add_rows(participant_id, [(paper, value)], **how)[0]

    def add_rows(
        self,
        participant_id: str,
        papers: Sequence[tuple[LibraryPaper, float | None]],
        *,
        note: str = "",
        origin: str = "person",
    ) -> list[str]:
        """Appends papers with their ratings, adding new papers to the library, in one step; returns the rows' keys.
        Raises BadInput if a paper has no title, identifier or link, or a rating isn't on the scale."""
        if not all(paper.id or paper.title.strip() or paper.doi or paper.arxiv_id or paper.link for paper, _ in papers):
            raise BadInput("No paper was entered.", "Nothing was added.", "Enter a title, a link, or an identifier.")
        ratings = [None if value is None else check_rating(value) for _, value in papers]
        title = "Add paper to rate" if len(papers) == 1 else f"Add {len(papers)} papers to rate"
        with self._project.action(title) as act:
            stored = [paper if paper.id else self.library.add(paper, origin=origin) for paper, _ in papers]
            common: Row = {"participant_id": participant_id, "note": note, "origin": origin}
            first = act.next_position("rating", participant_id=participant_id)
            rows = [
                common | {"paper_id": paper.id, "value": value, "position": place}
                for place, (paper, value) in enumerate(zip(stored, ratings, strict=True), start=first)
            ]
            return act.insert_all("rating", rows)

    def rate(self, row_id: str, value: float | None) -> None:
        """Sets a rating, 1.0 to 5.0 in quarters; None removes it. Changes within a minute are one undo step. Raises
        BadInput for a value that isn't on the scale."""
        rating = None if value is None else check_rating(value)
        title = "Remove rating of" if rating is None else f"Rate {rating:g}:"
        with self._project.action(f"{title} {self._rated(row_id)}", coalesce=f"rate:{row_id}") as act:
            act.update("rating", row_id, {"value": rating})

    def remove_row(self, row_id: str) -> None:
        """Removes a row; its paper stays in the library."""
        with self._project.action(f"Remove {self._rated(row_id)}") as act:
            act.delete("rating", id=row_id)

    def _rated(self, row_id: str) -> str:
        """Returns the name of a row's paper for titles of steps."""
        sql = "SELECT p.title FROM rating r JOIN library_paper p ON p.id = r.paper_id WHERE r.id = ?"
        found = self._project.query_one(sql, (row_id,))
        return f"“{shortened(found[0], 40)}”" if found is not None and found[0] else "a paper"

    def add_publications(
        self, participant_id: str, papers: Sequence[LibraryPaper], *, origin: str = "person"
    ) -> tuple[ProfileRow, ...]:
        """Adds own publications as kept, skipping existing ones. Returns the new rows."""
        known = {row.paper.id for row in self.profile(participant_id)}
        title = "Add publication" if len(papers) == 1 else f"Add {len(papers)} publications"
        with self._project.action(title) as act:
            new = [paper for paper in papers if not paper.id]
            stored = iter(self.library.add_all(new, origin=origin) if new else ())
            keys = dict.fromkeys(paper.id if paper.id else next(stored).id for paper in papers)
            common = {"participant_id": participant_id, "origin": origin}
            first = act.next_position("profile_paper", participant_id=participant_id)
            added = enumerate((key for key in keys if key not in known), start=first)
            rows = [common | {"paper_id": key, "position": place} for place, key in added]
            made = set(act.insert_all("profile_paper", rows))
        return tuple(row for row in self.profile(participant_id) if row.id in made)

    def keep(self, profile_ids: Sequence[str], kept: bool) -> None:
        """Sets whether publications are part of the profile."""
        words = "Keep" if kept else "Exclude publication"
        many = "publication" if len(profile_ids) == 1 else f"{len(profile_ids)} publications"
        with self._project.action(f"{words} {many}") as act:
            for key in profile_ids:
                act.update("profile_paper", key, {"kept": kept})

    def remove_publications(self, profile_ids: Sequence[str]) -> None:
        """Removes publications from the list; the papers stay in the library."""
        many = "publication" if len(profile_ids) == 1 else f"{len(profile_ids)} publications"
        with self._project.action(f"Remove {many}") as act:
            for key in profile_ids:
                act.delete("profile_paper", id=key)


def _only(found: Sequence[T], key: str) -> T:
    if not found:
        raise KeyError(key)
    return found[0]


def _paper(row: Any) -> LibraryPaper:
    """Returns the paper of a joined row, in which the columns of the survey row or publication come first."""
    return record(LibraryPaper, row, id=row["paper_id"])


def _values(given: Study | SurveyParticipant) -> Row:
    """Returns the columns of a record except its key in the project."""
    values = {name: value for name, value in asdict(given).items() if name not in ("id", "key")}
    return values if isinstance(given, Study) else values | {"person_key": given.key}
