"""Who answered: one row a participant, and beside it what the one at hand said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.panes.survey.ruler import Mark, Ruler
from desktop_app.panes.survey.state import counted, heading
from desktop_app.theme import theme
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import hairline, text_label
from engine.expertise.records import ReturnedFile, SurveyParticipant, SurveyRow

OUTCOMES = {"added": "added", "replaced": "took the place of older answers", "kept": "set aside: older answers stayed"}


@dataclass(frozen=True, slots=True)
class Person:
    """A participant with the answers; ``publications`` are those of the profile."""

    participant: SurveyParticipant
    rows: tuple[SurveyRow, ...]
    publications: int
    files: tuple[ReturnedFile, ...]


class PeopleView(QWidget):
    """A table of people; the ratings of the one at hand on the ruler."""

    came_to_hand = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Answers")
        self._people: tuple[Person, ...] = ()
        self.words = text_label("", "muted", wrap=True, parent=self)
        columns = ("participant", "papers", "rated", "range", "publications", "file")
        self.table = FactTable("Participants", columns, self)
        self.table.currentCellChanged.connect(lambda *_cells: self._came_to_hand())
        self.ruler = Ruler(self)
        self.ruler.setAccessibleName("Ratings of the participant at hand")
        self.name = text_label("", "section", wrap=True, parent=self)
        self.facts = text_label("", "muted", wrap=True, parent=self)
        left = QVBoxLayout()
        left.setSpacing(0)
        told = QHBoxLayout()
        told.setContentsMargins(16, 10, 16, 8)
        told.addWidget(self.words)
        left.addLayout(told)
        left.addWidget(self.table, 1)
        right = QVBoxLayout()
        right.setContentsMargins(16, 10, 8, 12)
        right.setSpacing(4)
        right.addWidget(self.name)
        right.addWidget(self.facts)
        right.addWidget(self.ruler, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(left, 1)
        layout.addWidget(hairline(vertical=True, parent=self))
        layout.addLayout(right)
        theme().changed.connect(self._resize)
        self._resize()

    def _resize(self) -> None:
        self.ruler.setFixedWidth(theme().px(340))

    def show_people(self, people: Sequence[Person]) -> None:
        """Shows participants; the one at hand stays."""
        before = self.at_hand
        self._people = tuple(people)
        if people:
            many = counted(len(people), "participant", "participants")
            self.words.setText(f"{many}. Drop further answers files here, or choose “Merge answers”.")
        else:
            self.words.setText(
                "Nobody answered yet. Send the study file to your participants; each sends back one answers file. Drop"
                " those files here, or choose “Merge answers”."
            )
        self.table.show_rows([_cells(person) for person in people])
        keys = [person.participant.id for person in people]
        wanted = before.participant.id if before is not None else ""
        if keys:
            self.table.selectRow(keys.index(wanted) if wanted in keys else 0)
        self._came_to_hand()

    @property
    def at_hand(self) -> Person | None:
        row = self.table.currentRow()
        return self._people[row] if 0 <= row < len(self._people) else None

    def find_person(self, text: str, step: int) -> None:
        """To the next participant whose name holds the words."""
        wanted = text.strip().casefold()
        fits = [n for n, person in enumerate(self._people) if wanted in _name(person).casefold()]
        if wanted and fits:
            now = self.table.currentRow()
            after = [n for n in fits if (n - now) * (step or 1) > 0 or (step == 0 and n == now)]
            self.table.selectRow((after or fits)[0 if step >= 0 else -1])

    def _came_to_hand(self) -> None:
        person = self.at_hand
        self.name.setText(_name(person) if person is not None else "")
        marks = [Mark(r.id, heading(r.paper), r.value) for r in (person.rows if person else ()) if r.value is not None]
        self.ruler.show_marks(marks)
        facts = []
        for file in person.files if person is not None else ():
            when = f"{datetime.fromisoformat(file.merged_at).astimezone():%d %b %Y, %H:%M}"
            facts.append(f"{file.filename}, {when}: {OUTCOMES[file.outcome]}")
        self.facts.setText("\n".join(facts))
        self.came_to_hand.emit()

    def take_focus(self) -> None:
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)


def _name(person: Person) -> str:
    return person.participant.name or f"Participant {person.participant.key[-6:]}"


def _cells(person: Person) -> tuple[str, ...]:
    values = [row.value for row in person.rows if row.value is not None]
    span = f"{min(values):g} to {max(values):g}" if values else "–"
    file = person.files[-1].filename if person.files else person.participant.origin.removeprefix("import:")
    return (
        _name(person),
        str(len(person.rows)),
        str(len(values)),
        span,
        str(person.publications),
        file,
    )
