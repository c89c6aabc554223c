"""The survey's tables: studies, participants, their publications and ratings. Every verb is one undo step.

E-mail addresses are read and written by two functions of their own; no record and no export knows them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import BadInput
from engine.expertise.answer_store import AnswerStore
from engine.expertise.records import (
    Question,
    Study,
    SurveyParticipant,
)
from engine.expertise.study_texts import with_rules
from engine.project import Action, new_id, now

TABLES = frozenset(
    {
        "library_paper", "study", "participant", "participant_contact", "profile_paper", "rating", "returned_file",
        "survey_sitting",
    }
)  # fmt: skip
"""What a pane of the survey watches."""

_STUDY_TEXTS = ("title", "organiser", "contact", "instructions", "consent", "released", "withheld")
_STUDY_WORDS = {
    "title": "Rename study", "organiser": "Say who runs the study", "contact": "Change contact of study",
    "instructions": "Edit instructions", "consent": "Edit consent text", "released": "Edit what is released",
    "withheld": "Edit what is withheld",
}  # fmt: skip


class SurveyStore(AnswerStore):
    """Readers and verbs of the survey: studies and participants here, answers and readers from the classes below."""

    # --- studies --------------------------------------------------------------------------------------------------
    def add_study(self, study: Study, *, origin: str = "person", initiator: object | None = None) -> str:
        """Adds a study as it is but for its key in the project, which is returned; a study without ``key`` gets one.

        Raises:
            BadInput: the study is in the project already.
        """
        key = study.key or new_id()
        if self.study_by_key(key, study.side) is not None:
            raise BadInput("This study is in the project already.", "Nothing was added.", "Open it from the list.")
        study_id, moment = new_id(), now()
        with self._project.action(f"Add study “{study.title}”", initiator=initiator) as act:
            act.execute(
                "INSERT INTO study(id, study_key, side, title, organiser, contact, instructions, consent, released,"
                " withheld, min_papers, max_papers, questions, content_hash, position, origin, annotator_id,"
                " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                " (SELECT coalesce(max(position), 0) + 1 FROM study), ?, ?, ?, ?)",
                (
                    study_id,
                    key,
                    study.side,
                    *(getattr(study, name) for name in _STUDY_TEXTS),
                    study.min_papers,
                    study.max_papers,
                    _questions_json(study.questions),
                    study.content_hash,
                    origin,
                    self._project.annotator_id,
                    moment,
                    moment,
                ),
            )
        return study_id

    def edit_study(self, study_id: str, *, initiator: object | None = None, **texts: str) -> None:
        """Changes texts of a study (``title``, ``organiser``, ``contact``, ``instructions``, ``consent``,
        ``released``, ``withheld``); typing on in one is one undo step.

        Raises:
            BadInput: the title is empty.
        """
        if not texts.get("title", "x").strip():
            raise BadInput("A study needs a title.", "It was left as it was.", "Give it one.")
        for name, text in texts.items():
            assert name in _STUDY_WORDS, name
            with self._project.action(
                _STUDY_WORDS[name], coalesce=f"study:{study_id}:{name}", initiator=initiator
            ) as act:
                act.execute(
                    f"UPDATE study SET {name} = ?, updated_at = ? WHERE id = ? AND {name} <> ?",  # noqa: S608
                    (text, now(), study_id, text),
                )

    def set_rules(self, study_id: str, min_papers: int, max_papers: int, *, initiator: object | None = None) -> None:
        """How many papers a participant is asked for; the standing instructions follow, in the same step.

        Raises:
            BadInput: unless 1 <= least <= most <= 50.
        """
        if not 1 <= min_papers <= max_papers <= 50:
            raise BadInput(
                f"From {min_papers} to {max_papers} papers cannot be asked for.",
                "Nothing was changed.",
                "Ask for at least 1 and at most 50.",
            )
        changed = with_rules(self.study(study_id), min_papers, max_papers)
        with self._project.action(
            "Change number of papers", coalesce=f"study:{study_id}:rules", initiator=initiator
        ) as act:
            act.execute(
                "UPDATE study SET min_papers = ?, max_papers = ?, instructions = ?, updated_at = ?"
                " WHERE id = ? AND (min_papers, max_papers) IS NOT (?, ?)",
                (min_papers, max_papers, changed.instructions, now(), study_id, min_papers, max_papers),
            )

    def set_questions(
        self, study_id: str, questions: Sequence[Question], *, initiator: object | None = None
    ) -> None:  # fmt: skip
        """The optional questions on the person. Raises BadInput for two with one key or one without words."""
        keys = [question.key for question in questions]
        if len(set(keys)) < len(keys) or not all(q.key and q.words.strip() for q in questions):
            raise BadInput("Each question needs words and a key of its own.", "Nothing was changed.")
        with self._project.action("Change questions of study", initiator=initiator) as act:
            act.execute(
                "UPDATE study SET questions = ?, updated_at = ? WHERE id = ?",
                (_questions_json(questions), now(), study_id),
            )

    def set_content_hash(self, study_id: str, content_hash: str, *, initiator: object | None = None) -> None:
        """Remembers which study file was written."""
        with self._project.action("Write study file", initiator=initiator) as act:
            act.execute(
                "UPDATE study SET content_hash = ?, updated_at = ? WHERE id = ? AND content_hash <> ?",
                (content_hash, now(), study_id, content_hash),
            )

    def open_study(self, study: Study, *, filename: str, initiator: object | None = None) -> SurveyParticipant:
        """Begins the survey of a study file, or goes on with it where it was begun; returns the participant."""
        there = self.study_by_key(study.key, "participant")
        if there is not None:
            return self.participants(there.id)[0]
        with self._project.action(f"Open study “{study.title}”", initiator=initiator):
            study_id = self.add_study(replace(study, side="participant"), origin=f"import:{filename}")
            return self.participant(self.add_participant(study_id, SurveyParticipant("", study_id, new_id())))

    # --- participants ---------------------------------------------------------------------------------------------
    def add_participant(
        self, study_id: str, participant: SurveyParticipant, *, initiator: object | None = None
    ) -> str:  # fmt: skip
        """Adds a participant as given but for the key in the project, which is returned. Raises BadInput for a known
        ``key``."""
        if any(other.key == participant.key for other in self.participants(study_id)):
            raise BadInput("This participant is in the study already.", "Nothing was added.")
        key, moment = new_id(), now()
        with self._project.action("Add participant", initiator=initiator) as act:
            act.execute(
                "INSERT INTO participant(id, study_id, person_key, name, consented_at, answers, finished_at,"
                " answers_hash, position, origin, annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?,"
                " (SELECT coalesce(max(position), 0) + 1 FROM participant WHERE study_id = ?), ?, ?, ?, ?)",
                (
                    key,
                    study_id,
                    participant.key,
                    participant.name,
                    participant.consented_at,
                    _json(participant.answers),
                    participant.finished_at,
                    participant.answers_hash,
                    study_id,
                    participant.origin,
                    self._project.annotator_id,
                    moment,
                    moment,
                ),
            )
        return key

    def remove_participant(self, participant_id: str, *, initiator: object | None = None) -> None:
        """Takes a participant out of the study with all answers; undo brings them back."""
        name = self.participant(participant_id).name or "participant"
        with self._project.action(f"Remove {name}", initiator=initiator) as act:
            self._clear(act, [participant_id])

    def replace_participant(
        self, participant_id: str, given: SurveyParticipant, *, initiator: object | None = None
    ) -> None:
        """Writes what a newer answers file says of a participant; the place in the study stays."""
        with self._project.action("Replace participant", initiator=initiator) as act:
            act.execute(
                "UPDATE participant SET person_key = ?, name = ?, consented_at = ?, answers = ?, finished_at = ?,"
                " answers_hash = ?, updated_at = ? WHERE id = ?",
                (
                    given.key,
                    given.name,
                    given.consented_at,
                    _json(given.answers),
                    given.finished_at,
                    given.answers_hash,
                    now(),
                    participant_id,
                ),
            )

    def clear_answers(self, participant_id: str, *, initiator: object | None = None) -> None:
        """Takes all rows and publications of a participant away."""
        with self._project.action("Clear answers", initiator=initiator) as act:
            for table in ("rating", "profile_paper"):
                act.execute(f"DELETE FROM {table} WHERE participant_id = ?", (participant_id,))  # noqa: S608

    def set_name(self, participant_id: str, name: str, *, initiator: object | None = None) -> None:
        """The participant's name as it will be released; typing on is one undo step."""
        self._set_participant(participant_id, "name", name, "Enter name", initiator)

    def set_consent(self, participant_id: str, agreed: bool, *, initiator: object | None = None) -> None:
        """Gives the consent, with the moment, or takes it back."""
        title = "Agree to take part" if agreed else "Take consent back"
        if bool(self.participant(participant_id).consented_at) != agreed:
            self._set_participant(participant_id, "consented_at", now() if agreed else "", title, initiator)

    def set_answer(
        self, participant_id: str, question: str, answer: str, *, initiator: object | None = None
    ) -> None:  # fmt: skip
        """Answers a question on the person; an empty answer takes it away."""
        answers = dict(self.participant(participant_id).answers)
        answers.pop(question, None)
        if answer:
            answers[question] = answer
        self._set_participant(
            participant_id, "answers", _json(list(answers.items())), "Answer a question", initiator, part=question
        )

    def set_email(self, participant_id: str, email: str, *, initiator: object | None = None) -> None:
        """Keeps the e-mail address, apart from all answers; empty takes it away."""
        with self._project.action("Enter e-mail", coalesce=f"email:{participant_id}", initiator=initiator) as act:
            moment = now()
            if not email.strip():
                act.execute("DELETE FROM participant_contact WHERE participant_id = ?", (participant_id,))
            elif act.execute(
                "UPDATE participant_contact SET email = ?, updated_at = ? WHERE participant_id = ?",
                (email.strip(), moment, participant_id),
            ).rowcount == 0:  # fmt: skip
                act.execute(
                    "INSERT INTO participant_contact(id, participant_id, email, annotator_id, created_at, updated_at)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (new_id(), participant_id, email.strip(), self._project.annotator_id, moment, moment),
                )

    def finish(self, participant_id: str, content_hash: str, *, initiator: object | None = None) -> None:
        """Notes that the answers file was written; going on after that is allowed."""
        with self._project.action("Write answers file", initiator=initiator) as act:
            act.execute(
                "UPDATE participant SET finished_at = ?, answers_hash = ?, updated_at = ? WHERE id = ?",
                (now(), content_hash, now(), participant_id),
            )

    def _set_participant(
        self, participant_id: str, column: str, value: str, title: str, initiator: object | None, *, part: str = ""
    ) -> None:
        coalesce = f"participant:{participant_id}:{column}:{part}"
        with self._project.action(title, coalesce=coalesce, initiator=initiator) as act:
            act.execute(
                f"UPDATE participant SET {column} = ?, updated_at = ? WHERE id = ? AND {column} <> ?",  # noqa: S608
                (value, now(), participant_id, value),
            )

    def _clear(self, act: Action, participant_ids: Iterable[str]) -> None:
        for key in participant_ids:
            for table in ("returned_file", "rating", "profile_paper", "participant_contact"):
                act.execute(f"DELETE FROM {table} WHERE participant_id = ?", (key,))  # noqa: S608 - named here
            act.execute("DELETE FROM participant WHERE id = ?", (key,))


def _questions_json(questions: Sequence[Question]) -> str:
    return _json([[q.key, q.words, list(q.choices)] for q in questions])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
