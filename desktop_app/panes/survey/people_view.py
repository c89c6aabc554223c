"""Who answered: one row per participant, and the ratings of the selected one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.panes.survey.ruler import Mark, Ruler
from desktop_app.panes.survey.state import Person, heading
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import hairline, named, text_label
from desktop_app.widgets.layouts import column, fix_width, row
from engine.shown import counted

OUTCOMES = {"added": "added", "replaced": "replaced older answers", "kept": "set aside; older answers kept"}


class PeopleView(QWidget):
    """A table of participants, with the ratings of the selected one on the ruler."""

    current_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Answers")
        self._people: tuple[Person, ...] = ()
        self.summary = text_label("", "muted", wrap=True)
        columns = ("Participant", "Papers", "Rated", "Range", "Publications", "File")
        self.table = FactTable("Participants", columns)
        self.table.currentCellChanged.connect(lambda *_cells: self._show_current())
        self.ruler = named(Ruler(), "Ratings of the selected participant")
        self.name = text_label("", "section", wrap=True)
        self.facts = text_label("", "muted", wrap=True)
        left = column(row(self.summary, margins=(16, 10, 16, 8)), (self.table, 1))
        right = column(self.name, self.facts, (self.ruler, 1), margins=(16, 10, 8, 12), spacing=4)
        row((left, 1), hairline(vertical=True), right, of=self, spacing=0)
        fix_width(self.ruler, 340)

    def show_people(self, people: Sequence[Person]) -> None:
        before = self.current
        self._people = tuple(people)
        self.summary.setText(
            f"{counted(len(people), 'participant')}. To add more, drop answers files here or choose “Merge answers”."
            if people
            else "No answers yet. Send the study file to your participants; each sends back one answers file. Drop"
            " those files here or choose “Merge answers”."
        )
        self.table.show_rows([_cells(person) for person in people])
        keys = [person.participant.id for person in people]
        wanted = before.participant.id if before is not None else ""
        if keys:
            self.table.selectRow(keys.index(wanted) if wanted in keys else 0)
        self._show_current()

    @property
    def current(self) -> Person | None:
        row = self.table.currentRow()
        return self._people[row] if 0 <= row < len(self._people) else None

    def find_person(self, text: str, step: int) -> None:
        """Selects the next participant whose name contains the text; ``step``: 1 forwards, -1 backwards, 0 to
        stay on a match."""
        wanted = text.strip().casefold()
        fits = [n for n, person in enumerate(self._people) if wanted in _name(person).casefold()]
        if wanted and fits:
            now = self.table.currentRow()
            after = [n for n in fits if (n - now) * (step or 1) > 0 or (step == 0 and n == now)]
            self.table.selectRow((after or fits)[0 if step >= 0 else -1])

    def _show_current(self) -> None:
        person = self.current
        self.name.setText(_name(person) if person is not None else "")
        marks = [Mark(r.id, heading(r.paper), r.value) for r in (person.rows if person else ()) if r.value is not None]
        self.ruler.show_marks(marks)
        facts = []
        for file in person.files if person is not None else ():
            when = f"{datetime.fromisoformat(file.merged_at).astimezone():%d %b %Y, %H:%M}"
            facts.append(f"{file.filename}, {when}: {OUTCOMES[file.outcome]}")
        self.facts.setText("\n".join(facts))
        self.current_changed.emit()


def _name(person: Person) -> str:
    return person.participant.name or f"Participant {person.participant.key[-6:]}"


def _cells(person: Person) -> tuple[str, ...]:
    values = [row.value for row in person.rows if row.value is not None]
    span = f"{min(values):g} to {max(values):g}" if values else "–"
    file = person.files[-1].filename if person.files else person.participant.origin.removeprefix("import:")
    return _name(person), str(len(person.rows)), str(len(values)), span, str(person.publications), file
