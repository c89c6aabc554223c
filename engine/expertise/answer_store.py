"""What a participant enters: ratings, publications, and the time that it took. Every verb but those of time is one undo
step."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import BadInput
from engine.expertise.reading_store import SurveyReader
from engine.expertise.records import ProfileRow
from engine.expertise.survey import check_rating
from engine.papers.records import LibraryPaper
from engine.project import Action, new_id, now


class AnswerStore(SurveyReader):
    """Readers of the survey, and the verbs of one participant's answers."""

    # --- ratings --------------------------------------------------------------------------------------------------
    def add_row(
        self,
        participant_id: str,
        paper: LibraryPaper,
        value: float | None = None,
        *,
        note: str = "",
        origin: str = "person",
        initiator: object | None = None,
    ) -> str:
        """Adds a paper to rate, at the end; returns the row's key. A paper that the library lacks is added to it, in
        the same step.

        Raises:
            BadInput: the paper has neither a title nor an identifier nor a link, or the rating is none.
        """
        if not (paper.id or paper.title.strip() or paper.doi or paper.arxiv_id or paper.link):
            raise BadInput("No paper was entered.", "Nothing was added.", "Enter a title, a link, or an identifier.")
        rating = None if value is None else check_rating(value)
        with self._project.action("Add paper to rate", initiator=initiator) as act:
            stored = paper if paper.id else self.library.add(paper, origin=origin)
            return self._insert_row(act, participant_id, stored.id, rating, note=note, origin=origin)

    def rate(self, row_id: str, value: float | None, *, initiator: object | None = None) -> None:
        """Gives a rating, 1.0 to 5.0 in quarters; None takes it away. One undo step for moving on within a minute.

        Raises:
            BadInput: the rating is out of range or between the quarters.
        """
        rating = None if value is None else check_rating(value)
        title = "Take rating back" if rating is None else f"Rate {rating:g}"
        with self._project.action(title, coalesce=f"rate:{row_id}", initiator=initiator) as act:
            act.execute(
                "UPDATE rating SET value = ?, updated_at = ? WHERE id = ? AND value IS NOT ?",
                (rating, now(), row_id, rating),
            )

    def set_note(self, row_id: str, note: str, *, initiator: object | None = None) -> None:
        """A note of the participant on a row; typing on is one undo step."""
        with self._project.action("Write note", coalesce=f"note:{row_id}", initiator=initiator) as act:
            act.execute(
                "UPDATE rating SET note = ?, updated_at = ? WHERE id = ? AND note <> ?", (note, now(), row_id, note)
            )

    def set_paper(self, row_id: str, paper: LibraryPaper, *, initiator: object | None = None) -> None:
        """Puts another paper into a row, as when a link turns out to be one that the library knows."""
        with self._project.action("Change paper", initiator=initiator) as act:
            stored = paper if paper.id else self.library.add(paper)
            act.execute("UPDATE rating SET paper_id = ?, updated_at = ? WHERE id = ?", (stored.id, now(), row_id))

    def move_row(self, row_id: str, place: int, *, initiator: object | None = None) -> None:
        """Moves a row to a place in its list, counted from 0."""
        participant_id = self._row("rating", row_id)["participant_id"]
        order = [row.id for row in self.rows(participant_id) if row.id != row_id]
        order.insert(max(0, place), row_id)
        with self._project.action("Move paper", initiator=initiator) as act:
            for position, key in enumerate(order, start=1):
                act.execute(
                    "UPDATE rating SET position = ?, updated_at = ? WHERE id = ? AND position <> ?",
                    (position, now(), key, position),
                )

    def remove_row(self, row_id: str, *, initiator: object | None = None) -> None:
        """Takes a row away; its paper stays in the library."""
        with self._project.action("Remove paper from the survey", initiator=initiator) as act:
            act.execute("DELETE FROM rating WHERE id = ?", (row_id,))

    def _insert_row(
        self, act: Action, participant_id: str, paper_id: str, value: float | None, *, note: str, origin: str
    ) -> str:
        key, moment = new_id(), now()
        act.execute(
            "INSERT INTO rating(id, participant_id, paper_id, value, note, position, origin, annotator_id, created_at,"
            " updated_at) VALUES (?, ?, ?, ?, ?,"
            " (SELECT coalesce(max(position), 0) + 1 FROM rating WHERE participant_id = ?), ?, ?, ?, ?)",
            (
                key, participant_id, paper_id, value, note, participant_id, origin, self._project.annotator_id,
                moment, moment,
            ),
        )  # fmt: skip
        return key

    # --- the profile ----------------------------------------------------------------------------------------------
    def add_publications(
        self,
        participant_id: str,
        papers: Sequence[LibraryPaper],
        *,
        origin: str = "person",
        initiator: object | None = None,
    ) -> tuple[ProfileRow, ...]:
        """Adds own publications, kept; those that are there already are passed over. Returns the new rows."""
        known = {row.paper.id for row in self.profile(participant_id)}
        made: set[str] = set()
        title = "Add publication" if len(papers) == 1 else f"Add {len(papers)} publications"
        with self._project.action(title, initiator=initiator) as act:
            new = [paper for paper in papers if not paper.id]
            stored = iter(self.library.add_all(new, origin=origin) if new else ())
            for paper in (paper if paper.id else next(stored) for paper in papers):
                if paper.id in known:
                    continue
                known.add(paper.id)
                made.add(self._insert_publication(act, participant_id, paper.id, True, origin))
        return tuple(row for row in self.profile(participant_id) if row.id in made)

    def keep(self, profile_ids: Sequence[str], kept: bool, *, initiator: object | None = None) -> None:
        """Says of publications whether they are part of the profile."""
        words = "Keep" if kept else "Leave out"
        many = "publication" if len(profile_ids) == 1 else f"{len(profile_ids)} publications"
        with self._project.action(f"{words} {many}", initiator=initiator) as act:
            for key in profile_ids:
                act.execute(
                    "UPDATE profile_paper SET kept = ?, updated_at = ? WHERE id = ? AND kept <> ?",
                    (int(kept), now(), key, int(kept)),
                )

    def remove_publications(self, profile_ids: Sequence[str], *, initiator: object | None = None) -> None:
        """Takes publications off the list; the papers stay in the library."""
        many = "publication" if len(profile_ids) == 1 else f"{len(profile_ids)} publications"
        with self._project.action(f"Remove {many}", initiator=initiator) as act:
            act.executemany("DELETE FROM profile_paper WHERE id = ?", [(key,) for key in profile_ids])

    def _insert_publication(self, act: Action, participant_id: str, paper_id: str, kept: bool, origin: str) -> str:
        key, moment = new_id(), now()
        act.execute(
            "INSERT INTO profile_paper(id, participant_id, paper_id, kept, position, origin, annotator_id, created_at,"
            " updated_at) VALUES (?, ?, ?, ?,"
            " (SELECT coalesce(max(position), 0) + 1 FROM profile_paper WHERE participant_id = ?), ?, ?, ?, ?)",
            (
                key, participant_id, paper_id, int(kept), participant_id, origin, self._project.annotator_id,
                moment, moment,
            ),
        )  # fmt: skip
        return key

    # --- time -----------------------------------------------------------------------------------------------------
    def begin_sitting(self, participant_id: str, idle_cutoff: float) -> str:
        """Begins to write down the time of a sitting; returns its key. No undo step: it is measured, not decided."""
        key, moment = new_id(), now()
        with self._project.results("Begin sitting") as write:
            write.execute(
                "INSERT INTO survey_sitting(id, participant_id, started_at, active_seconds, idle_cutoff_seconds,"
                " updated_at) VALUES (?, ?, ?, 0.0, ?, ?)",
                (key, participant_id, moment, float(idle_cutoff), moment),
            )
            write.touched("survey_sitting", [key])
        return key

    def set_sitting(self, sitting_id: str, active_seconds: float) -> None:
        """Writes down how long the sitting was active so far; call it every half minute and at its end."""
        with self._project.results("Measure time") as write:
            write.execute(
                "UPDATE survey_sitting SET active_seconds = ?, updated_at = ? WHERE id = ?",
                (float(active_seconds), now(), sitting_id),
            )
            write.touched("survey_sitting", [sitting_id])

    def forget_time(self, participant_id: str) -> None:
        """Takes the measured time of a participant away for good."""
        with self._project.results("Forget time") as write:
            write.execute("DELETE FROM survey_sitting WHERE participant_id = ?", (participant_id,))
            write.touched("survey_sitting", [participant_id])


# --- rows and records ---------------------------------------------------------------------------------------------
