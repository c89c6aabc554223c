"""Participants with their ratings; and the results: Tables 1 and 2 beside Figures 1a and 1b of the paper."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from desktop_app.panes.survey.ruler import Mark, Ruler
from desktop_app.panes.survey.state import Person, heading
from desktop_app.theme import theme
from desktop_app.widgets.bars import Axes
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import hairline, named, text_label
from desktop_app.widgets.layouts import at_least, column, fix_width, row, splitter
from desktop_app.widgets.painted import Painted
from engine.expertise.summary import GAPS, SummaryRow, SurveySummary
from engine.expertise.survey import GRID, STEP
from engine.shown import counted, local_time, percent
from engine.text_search import folded, next_match

_COLUMNS = ("Participant", "Papers", "Rated", "Range", "Publications")
OUTCOMES = {"added": "added", "replaced": "replaced older answers", "kept": "set aside; older answers kept"}


class PeopleView(QWidget):
    """A table of participants, with the ratings of the selected one on the ruler."""

    current_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Answers")
        self._arrived: tuple[Person, ...] = ()
        self._people: tuple[Person, ...] = ()
        self._rising = True
        self.summary = text_label("", "muted", wrap=True)
        self.table = FactTable("Participants", _COLUMNS)
        orders = [(f"Sorted by {title.lower()}", column) for column, title in enumerate(_COLUMNS)]
        self.order = ChoiceBox("Order of the participants", [("In order of arrival", -1), *orders], letters=16)
        self.order.picked.connect(self._sort)
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._header_clicked)
        self.table.currentCellChanged.connect(lambda *_cells: self._show_current())
        self.ruler = named(Ruler(), "Ratings of the selected participant")
        self.name = text_label("", "section", wrap=True)
        self.facts = text_label("", "muted", wrap=True)
        left = column(row((self.summary, 1), self.order, margins=(16, 10, 16, 8)), (self.table, 1))
        right = column(self.name, self.facts, (self.ruler, 1), margins=(16, 10, 8, 12), spacing=4)
        row((left, 1), hairline(vertical=True), right, of=self, spacing=0)
        fix_width(self.ruler, 280)

    def _header_clicked(self, column: int) -> None:
        """Sorts by the column; a second click reverses the order."""
        again = self.order.value == column
        self.order.show_value(column)
        self._sort(column, rising=not self._rising if again else None)

    def _sort(self, column: int, *, rising: bool | None = None) -> None:
        """Sorts names from A to Z and figures in descending order, unless ``rising`` says otherwise."""
        self._rising = column <= 0 if rising is None else rising
        arrows = [("▴" if self._rising else "▾") if at == column else "" for at in range(len(_COLUMNS))]
        self.table.setHorizontalHeaderLabels(
            [f"{title} {arrow}".strip() for title, arrow in zip(_COLUMNS, arrows, strict=True)]
        )
        self.show_people(self._arrived)

    def _sorted(self) -> tuple[Person, ...]:
        column = self.order.value
        if column < 0:
            return self._arrived
        return tuple(sorted(self._arrived, key=lambda person: _sort_key(person)[column], reverse=not self._rising))

    def show_people(self, people: Sequence[Person]) -> None:
        before, place = self.current, self.table.currentRow()
        self._arrived = tuple(people)
        self._people = self._sorted()
        self.summary.setText(
            f"{counted(len(people), 'participant')}. To add more, drop answers files here or choose “Merge answers”."
            if people
            else "No answers yet. Send the study file to your participants; each sends back one answers file. Drop"
            " those files here or choose “Merge answers”."
        )
        self.table.show_rows([_person_cells(person) for person in self._people])
        keys = [person.participant.id for person in self._people]
        wanted = before.participant.id if before is not None else ""
        if keys:
            self.table.selectRow(keys.index(wanted) if wanted in keys else min(max(place, 0), len(keys) - 1))
        self._show_current()

    @property
    def current(self) -> Person | None:
        row = self.table.currentRow()
        return self._people[row] if 0 <= row < len(self._people) else None

    def find_person(self, text: str, by: int) -> bool:
        """Selects a participant by name, as ``next_match``; returns whether there is one."""
        people = self._people
        at = next_match(text, len(people), max(0, self.table.currentRow()), by, lambda row: _name(people[row]))
        if at is not None:
            self.table.selectRow(at)
        return at is not None

    def _show_current(self) -> None:
        person = self.current
        self.name.setText(_name(person) if person is not None else "")
        marks = [Mark(r.id, heading(r.paper), r.value) for r in (person.rows if person else ()) if r.value is not None]
        self.ruler.show_marks(marks)
        origin = person.participant.origin if person is not None and not person.files else ""
        facts = [f"From {origin.removeprefix('import:')}"] if origin.startswith("import:") else []
        for file in person.files if person is not None else ():
            facts.append(f"{file.filename}, {local_time(file.merged_at)}: {OUTCOMES[file.outcome]}")
        self.facts.setText("\n".join(facts))
        self.current_changed.emit()


def _name(person: Person) -> str:
    return person.participant.name or f"Participant {person.participant.key[-6:]}"


def _sort_key(person: Person) -> tuple[str | float | tuple[float, ...], ...]:
    """Returns the sort key for each column; a range is sorted by its upper end."""
    values = [row.value for row in person.rows if row.value is not None]
    span = (max(values), min(values)) if values else ()
    return (folded(_name(person)), len(person.rows), len(values), span, person.publications)


def _person_cells(person: Person) -> tuple[str, ...]:
    values = [row.value for row in person.rows if row.value is not None]
    span = " to ".join(f"{value:g}" for value in dict.fromkeys((min(values), max(values)))) if values else "–"
    return _name(person), str(len(person.rows)), str(len(values)), span, str(person.publications)


_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 12, 22, 40


class BarChart(Painted):
    """Counts per point of a quarter scale."""

    def __init__(self, title: str, x_label: str, y_label: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._x_label, self._y_label = x_label, y_label
        self._points: tuple[float, ...] = ()
        self._counts: tuple[int, ...] = ()
        self._marked: tuple[int, str] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        return QSize(420, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(260), theme().px(190))

    def show_counts(
        self, points: Sequence[float], counts: Sequence[int], marked: tuple[int, str] | None = None
    ) -> None:
        """``marked``: the index of a highlighted bar and the word beside it."""
        self._points, self._counts, self._marked = tuple(points), tuple(counts), marked
        summary = ", ".join(f"{point:g}: {count}" for point, count in zip(points, counts, strict=True) if count)
        self.setAccessibleDescription(summary or "No ratings yet.")
        self.update()

    def _axes(self) -> Axes:
        px, half = theme().px, STEP / 2
        area = QRectF(self.rect()).adjusted(px(_LEFT), px(_TOP), -px(_RIGHT), -px(_BOTTOM))
        return Axes(area, (self._points[0] - half, self._points[-1] + half), (0, max(self._counts)))

    def bar(self, place: int) -> QRectF:
        axes, point = self._axes(), self._points[place]
        return QRectF(axes.at(point - 0.4 * STEP, self._counts[place]), axes.at(point + 0.4 * STEP, 0))

    def labels(self) -> list[tuple[QRectF, str]]:
        """Returns the counts above the bars with their areas in pixels, without those that would overlap another."""
        px, metrics = theme().px, QFontMetrics(theme().font("small", tabular=True))
        found: list[tuple[QRectF, str]] = []
        for place, count in enumerate(self._counts):
            width, bar = metrics.horizontalAdvance(f"{count}") + 2, self.bar(place)
            area = QRectF(bar.center().x() - width / 2, bar.top() - px(16), width, px(15))
            if count and not (found and found[-1][0].intersects(area)):
                found.append((area, f"{count}"))
        return found

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place, count, tip = event.position(), len(self._points), ""
        if any(self._counts) and (area := self._axes().area).contains(place):
            at = min(int((place.x() - area.left()) / area.width() * count), count - 1)
            tip = f"{self._points[at]:g}: {self._counts[at]} {self._y_label}"
        self.setToolTip(tip)

    def paint(self, painter: QPainter) -> None:
        t = theme().tokens
        painter.setFont(theme().font("small", tabular=True))
        if not any(self._counts):
            painter.setPen(QColor(t.muted))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), "No ratings yet")
            return
        axes, (special, word) = self._axes(), self._marked or (-1, "")
        for place in range(len(self._counts)):
            painter.fillRect(self.bar(place), QColor(theme().data("attention" if place == special else "added").mark))
        painter.setPen(QColor(t.muted))
        for label, count in self.labels():
            painter.drawText(label, int(Qt.AlignmentFlag.AlignCenter), count)
        names = [f"{point:g} {word if place == special else ''}".strip() for place, point in enumerate(self._points)]
        whole = [(point, name) for point, name in zip(self._points, names, strict=True) if float(point).is_integer()]
        axes.paint(painter, (self._x_label, self._y_label), whole)
        painter.setPen(QPen(QColor(t.control_border), 1))
        painter.drawLine(axes.area.bottomLeft(), axes.area.bottomRight())


class ResultsView(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Results")
        self.table_1, self.table_2 = (
            FactTable(f"{title}: {what}", (what.capitalize(), "Number", "Share"), self)
            for title, what in (("Table 1", "who took part"), ("Table 2", "which papers were rated"))
        )
        self.ratings = BarChart("Figure 1a: distribution of the ratings", "expertise, as rated", "ratings", self)
        self.gaps = BarChart(
            "Figure 1b: distances between ratings of one participant",
            "distance between two ratings of one participant", "pairs of papers", self,
        )  # fmt: skip
        tables, figures = QWidget(self), QWidget(self)
        first, second = _titled("Table 1", self.table_1), _titled("Table 2", self.table_2)
        row((first, 1), hairline(True), (second, 1), spacing=0, of=tables)
        first = _titled("Figure 1a   Distribution of the ratings", self.ratings)
        second = _titled("Figure 1b   Distances between ratings", self.gaps)
        column((first, 1), hairline(), (second, 1), of=figures)
        for table in (self.table_1, self.table_2):
            at_least(table, 0, 300)
        at_least(tables, 560)
        at_least(figures, 300)
        self._parts = splitter((tables, 740, 12), (figures, 380, 7), folding=True, parent=self)
        column(self._parts, of=self)

    def show_summary(self, summary: SurveySummary | None) -> None:
        self._parts.setVisible(summary is not None)
        if summary is None:
            return
        for table, rows in ((self.table_1, summary.table_1), (self.table_2, summary.table_2)):
            cells = _cells(rows)
            table.clearSpans()
            table.show_rows(cells)
            for place, (_name, value, _share) in enumerate(cells):
                if not value:
                    table.setSpan(place, 0, 1, 3)  # a group heading spans the whole row
        self.ratings.show_counts(GRID, summary.ratings)
        self.gaps.show_counts(GAPS, summary.gaps, (0, "ties") if summary.ties else None)


def _titled(title: str, widget: QWidget) -> QBoxLayout:
    label = text_label(title, "section", wrap=True)
    label.setContentsMargins(12, 0, 12, 0)
    return column(label, (widget, 1), margins=(0, 8, 0, 0), spacing=4)


def _cells(rows: Sequence[SummaryRow]) -> list[tuple[str, str, str]]:
    """A row for each group, and its entries indented below it."""
    found, group = [], ""
    for one in rows:
        if one.group != group:
            group = one.group
            found.append((group[:1].upper() + group[1:], "", ""))
        value = f"{one.value:,.0f}" if float(one.value).is_integer() else f"{one.value:,.1f}"
        found.append((f"    {one.name}", value, "" if one.share is None else percent(one.share)))
    return found
