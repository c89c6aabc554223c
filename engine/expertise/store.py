"""The survey's tables: studies, participants, their publications and ratings. Every verb is one undo step, but those
of measured time.

E-mail addresses are read and written by two functions of their own; no record and no export knows them.
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
"""What a pane of the survey watches."""

_STUDY_WORDS = {
    "title": "Rename study", "organiser": "Set study organiser", "contact": "Change study contact",
    "instructions": "Edit instructions", "consent": "Edit consent text", "released": "Edit released data",
    "withheld": "Edit withheld data",
}  # fmt: skip
T = TypeVar("T")
_PAPERS = "FROM {} r JOIN library_paper p ON p.id = r.paper_id JOIN participant a ON a.id = r.participant_id"


class SittingStore(Store):
    """How long participants were at it, by sitting; measured and not decided, so that nothing here is undone."""

    def active_seconds(self, participant_id: str) -> float:
        """How long the participant was at it, over all sittings of this file."""
        row = self._project.query_one(
            "SELECT coalesce(sum(active_seconds), 0.0) FROM survey_sitting WHERE participant_id = ?", (participant_id,)
        )
        return 0.0 if row is None else float(row[0])

    def begin(self, participant_id: str, idle_cutoff: float) -> str:
        """Begins to write down the time of a sitting; returns its key."""
        values = {"participant_id": participant_id, "started_at": now(), "active_seconds": 0.0}
        with self._project.results("Start session") as write:
            key = write.insert("survey_sitting", values | {"idle_cutoff_seconds": float(idle_cutoff)})
            write.touched("survey_sitting", [key])
        return key

    def set(self, sitting_id: str, active_seconds: float) -> None:
        """Writes down how long the sitting was active up to now; call it every half minute and at its end."""
        with self._project.results("Record time") as write:
            write.update("survey_sitting", sitting_id, {"active_seconds": float(active_seconds)})
            write.touched("survey_sitting", [sitting_id])

    def forget(self, participant_id: str) -> None:
        """Deletes the measured time of a participant for good."""
        with self._project.results("Delete time") as write:
            write.delete("survey_sitting", participant_id=participant_id)
            write.touched("survey_sitting", [participant_id])


class SurveyStore:
    """Readers and verbs of the survey. ``library`` is the store of the papers that the rows point at, ``time`` that of
    the measured time."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.library = LibraryStore(project)
        self.time = SittingStore(project)

    def studies(self, side: Side | None = None) -> tuple[Study, ...]:
        """All studies in the order in which they came, or those of one side."""
        return tuple(self._studies("? IS NULL OR side = ?", side, side))

    def study(self, study_id: str) -> Study:
        """One study. Raises KeyError."""
        return _only(self._studies("id = ?", study_id), study_id)

    def study_by_key(self, key: str, side: Side) -> Study | None:
        """The study that travels under ``key``, on one side; None where the project has none."""
        return next(iter(self._studies("study_key = ? AND side = ?", key, side)), None)

    def _studies(self, where: str, *values: str | None) -> list[Study]:
        sql = f"SELECT study_key AS key, * FROM study WHERE {where} ORDER BY position, id"  # noqa: S608 - named here
        return records(Study, self._project.query(sql, values))

    def participants(self, study_id: str) -> tuple[SurveyParticipant, ...]:
        """The participants of a study in the order in which they came (one, on the participant's side)."""
        return tuple(self._participants("study_id = ?", study_id))

    def participant(self, participant_id: str) -> SurveyParticipant:
        """One participant. Raises KeyError."""
        return _only(self._participants("id = ?", participant_id), participant_id)

    def _participants(self, where: str, value: str) -> list[SurveyParticipant]:
        sql = f"SELECT person_key AS key, * FROM participant WHERE {where} ORDER BY position, id"  # noqa: S608
        return records(SurveyParticipant, self._project.query(sql, (value,)))

    def rows(self, participant_id: str) -> tuple[SurveyRow, ...]:
        return tuple(self._rows("r.participant_id = ?", participant_id))

    def rows_of_study(self, study_id: str) -> dict[str, tuple[SurveyRow, ...]]:
        """``rows`` of all participants of a study at once; who has none is not among them."""
        found: dict[str, list[SurveyRow]] = {}
        for row in self._rows("a.study_id = ?", study_id):
            found.setdefault(row.participant_id, []).append(row)
        return {participant: tuple(rows) for participant, rows in found.items()}

    def row(self, row_id: str) -> SurveyRow:
        """One survey row. Raises KeyError."""
        return _only(self._rows("r.id = ?", row_id), row_id)

    def _rows(self, where: str, value: str) -> list[SurveyRow]:
        sql = f"SELECT r.*, p.* {_PAPERS.format('rating')} WHERE {where} ORDER BY r.position, r.id"
        return [record(SurveyRow, row, paper=_paper(row)) for row in self._project.query(sql, (value,))]

    def publications_of_study(self, study_id: str) -> dict[str, int]:
        """How many publications the profile of each participant of a study has; who has none is not among them."""
        found = self._project.query(
            "SELECT o.participant_id, count(*) FROM profile_paper o JOIN participant a ON a.id = o.participant_id"
            " WHERE a.study_id = ? AND o.kept = 1 GROUP BY o.participant_id",
            (study_id,),
        )
        return {row[0]: row[1] for row in found}

    def profile(self, participant_id: str, *, kept_only: bool = False) -> tuple[ProfileRow, ...]:
        """A participant's own publications in their order; with ``kept_only`` those of the profile."""
        sql = (
            f"SELECT r.*, p.* {_PAPERS.format('profile_paper')} WHERE r.participant_id = ? AND r.kept >= ?"
            " ORDER BY r.position, r.id"
        )
        rows = self._project.query(sql, (participant_id, kept_only))
        return tuple(record(ProfileRow, row, paper=_paper(row)) for row in rows)

    def email(self, participant_id: str) -> str:
        """The e-mail address, for its own field in the window and nothing else; empty where none was given."""
        row = self._project.query_one(
            "SELECT email FROM participant_contact WHERE participant_id = ?", (participant_id,)
        )
        return "" if row is None else str(row[0])

    def returned_files(self, study_id: str) -> tuple[ReturnedFile, ...]:
        """The answers files that were merged into a study, oldest first."""
        rows = self._project.query(
            "SELECT created_at AS merged_at, * FROM returned_file WHERE study_id = ? ORDER BY id", (study_id,)
        )
        return tuple(records(ReturnedFile, rows))

    def gold_standard(self, study_id: str, *, with_texts: bool = False, agreed_only: bool = False) -> GoldStandard:
        """The ratings of a study as the similarity algorithms read them; papers by their keys in this project, full
        texts only ``with_texts``. Rows without a rating are left out; of several ratings of one paper by one person the
        last counts. What leaves the project is made ``agreed_only``: without participants who did not agree, where the
        study asks."""
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

    def add_study(self, study: Study, *, origin: str = "person") -> str:
        """Adds a study as it is but for its key in the project, which is returned; a study without ``key`` gets one.
        Raises BadInput where the study is in the project already."""
        key = study.key or new_id()
        if self.study_by_key(key, study.side) is not None:
            raise BadInput("This study is already in the project.", "Nothing was added.", "Open it from the list.")
        with self._project.action(f"Add study “{study.title}”") as act:
            place = {"study_key": key, "origin": origin, "position": act.next_position("study")}
            return act.insert("study", _values(study) | place)

    def edit_study(self, study_id: str, **texts: str) -> None:
        """Changes texts of a study (those of ``_STUDY_WORDS``); typing on in one is one undo step. Raises BadInput for
        an empty title."""
        if not texts.get("title", "x").strip():
            raise BadInput("A study needs a title.", "It wasn't changed.", "Enter a name.")
        for name, text in texts.items():
            assert name in _STUDY_WORDS, name
            with self._project.action(_STUDY_WORDS[name], coalesce=f"study:{study_id}:{name}") as act:
                act.update("study", study_id, {name: text})

    def set_rules(self, study_id: str, min_papers: int, max_papers: int) -> None:
        """Sets how many papers a participant should rate; the standing instructions follow, in the same step. Raises
        BadInput unless 1 <= least <= most <= 50."""
        if not 1 <= min_papers <= max_papers <= 50:
            raise not_changed(
                f"From {min_papers} to {max_papers} papers can't be required.", "Require at least 1 and at most 50."
            )
        changed = with_rules(self.study(study_id), min_papers, max_papers)
        with self._project.action("Change number of papers", coalesce=f"study:{study_id}:rules") as act:
            rules = {"min_papers": min_papers, "max_papers": max_papers, "instructions": changed.instructions}
            act.update("study", study_id, rules)

    def set_questions(self, study_id: str, questions: Sequence[Question]) -> None:
        """The optional questions on the person. Raises BadInput for two with one key or one without words."""
        keys = [question.key for question in questions]
        if len(set(keys)) < len(keys) or not all(q.key and q.words.strip() for q in questions):
            raise not_changed("Each question needs text and a different key.")
        with self._project.action("Change study questions") as act:
            act.update("study", study_id, {"questions": tuple(questions)})

    def set_content_hash(self, study_id: str, content_hash: str) -> None:
        """Remembers which study file was written."""
        with self._project.action("Write study file") as act:
            act.update("study", study_id, {"content_hash": content_hash})

    def open_study(self, study: Study, *, filename: str) -> SurveyParticipant:
        """Begins the survey of a study file, or goes on with it where it was begun; returns the participant."""
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
        """Removes a participant from the study with all answers; undo brings them back."""
        name = self.participant(participant_id).name or "participant"
        with self._project.action(f"Remove {name}") as act:
            for table in ("returned_file", "rating", "profile_paper", "participant_contact"):
                act.delete(table, participant_id=participant_id)
            act.delete("participant", id=participant_id)

    def replace_participant(self, participant_id: str, given: SurveyParticipant) -> None:
        """Removes all rows and publications of a participant and writes what a newer answers file says of the person;
        the place in the study stays."""
        values = {name: value for name, value in _values(given).items() if name not in ("study_id", "origin")}
        with self._project.action(f"Replace answers of {given.name or 'participant'}") as act:
            for table in ("rating", "profile_paper"):
                act.delete(table, participant_id=participant_id)
            act.update("participant", participant_id, values)

    def set_name(self, participant_id: str, name: str) -> None:
        """The participant's name as it will be released; typing on is one undo step."""
        self._set_participant(participant_id, "name", name, "Enter name")

    def set_consent(self, participant_id: str, agreed: bool) -> None:
        title = "Agree to take part" if agreed else "Withdraw consent"
        if bool(self.participant(participant_id).consented_at) != agreed:
            self._set_participant(participant_id, "consented_at", now() if agreed else "", title)

    def set_answer(self, participant_id: str, question: str, answer: str) -> None:
        """Answers a question on the person; an empty answer takes it away."""
        answers = dict(self.participant(participant_id).answers)
        answers.pop(question, None)
        if answer:
            answers[question] = answer
        given = tuple(answers.items())
        self._set_participant(participant_id, "answers", given, "Answer a question", part=question)

    def set_email(self, participant_id: str, email: str) -> None:
        """Keeps the e-mail address, apart from all answers; empty takes it away."""
        with self._project.action("Enter e-mail", coalesce=f"email:{participant_id}") as act:
            if email.strip():
                act.keep("participant_contact", {"participant_id": participant_id}, {"email": email.strip()})
            else:
                act.delete("participant_contact", participant_id=participant_id)

    def finish(self, participant_id: str, written_at: str, content_hash: str) -> None:
        """Notes that the answers file with this date and hash was written; going on after that is allowed."""
        with self._project.action("Write answers file") as act:
            act.update("participant", participant_id, {"finished_at": written_at, "answers_hash": content_hash})

    def _set_participant(self, participant_id: str, column: str, value: Any, title: str, *, part: str = "") -> None:
        coalesce = f"participant:{participant_id}:{column}:{part}"
        with self._project.action(title, coalesce=coalesce) as act:
            act.update("participant", participant_id, {column: value})

    def add_row(self, participant_id: str, paper: LibraryPaper, value: float | None = None, **how: str) -> str:
        """Adds one paper to rate, as ``add_rows``; returns the row's key."""
        return self.add_rows(participant_id, [(paper, value)], **how)[0]

    def add_rows(
        self,
        participant_id: str,
        papers: Sequence[tuple[LibraryPaper, float | None]],
        *,
        note: str = "",
        origin: str = "person",
    ) -> list[str]:
        """Adds papers to rate with their ratings, at the end, and to the library where it lacks them, in one step;
        returns the rows' keys. Raises BadInput where a paper has neither a title nor an identifier nor a link, or a
        rating is none of the scale."""
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
        """Gives a rating, 1.0 to 5.0 in quarters; None removes it. Changes within a minute are one undo step. Raises
        BadInput for one that is not on the scale."""
        rating = None if value is None else check_rating(value)
        title = "Remove rating of" if rating is None else f"Rate {rating:g}:"
        with self._project.action(f"{title} {self._rated(row_id)}", coalesce=f"rate:{row_id}") as act:
            act.update("rating", row_id, {"value": rating})

    def remove_row(self, row_id: str) -> None:
        """Removes a row; its paper stays in the library."""
        with self._project.action(f"Remove {self._rated(row_id)}") as act:
            act.delete("rating", id=row_id)

    def _rated(self, row_id: str) -> str:
        """The paper of a row, as titles of steps name it."""
        sql = "SELECT p.title FROM rating r JOIN library_paper p ON p.id = r.paper_id WHERE r.id = ?"
        found = self._project.query_one(sql, (row_id,))
        return f"“{shortened(found[0], 40)}”" if found is not None and found[0] else "a paper"

    def add_publications(
        self, participant_id: str, papers: Sequence[LibraryPaper], *, origin: str = "person"
    ) -> tuple[ProfileRow, ...]:
        """Adds own publications, kept; those that are there already are passed over. Returns the new rows."""
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
        """Says of publications whether they are part of the profile."""
        words = "Keep" if kept else "Exclude publication"
        many = "publication" if len(profile_ids) == 1 else f"{len(profile_ids)} publications"
        with self._project.action(f"{words} {many}") as act:
            for key in profile_ids:
                act.update("profile_paper", key, {"kept": kept})

    def remove_publications(self, profile_ids: Sequence[str]) -> None:
        """Takes publications off the list; the papers stay in the library."""
        many = "publication" if len(profile_ids) == 1 else f"{len(profile_ids)} publications"
        with self._project.action(f"Remove {many}") as act:
            for key in profile_ids:
                act.delete("profile_paper", id=key)


def _only(found: Sequence[T], key: str) -> T:
    if not found:
        raise KeyError(key)
    return found[0]


def _paper(row: Any) -> LibraryPaper:
    """The paper of a row that has the columns of a survey row or publication first, and those of its paper after."""
    return record(LibraryPaper, row, id=row["paper_id"])


def _values(given: Study | SurveyParticipant) -> Row:
    """The columns of a record, but for its key in the project."""
    values = {name: value for name, value in asdict(given).items() if name not in ("id", "key")}
    return values if isinstance(given, Study) else values | {"person_key": given.key}
