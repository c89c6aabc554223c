"""The paper's figures and tables, drawn from the study's results."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sample_paper.pages import COLUMN, Pen
from sample_paper.simulation import CLASSES, COUNTERS, Cell, Study

Colour = tuple[float, float, float]
COLOURS: dict[str, Colour] = {  # Okabe and Ito's set, readable with any colour sight
    "plain": (0.35, 0.35, 0.35),
    "pooled": (0.90, 0.62, 0.0),
    "grouped": (0.0, 0.62, 0.45),
    "blended": (0.0, 0.45, 0.70),
    "commuter": (0.0, 0.45, 0.70),
    "mixed": (0.35, 0.35, 0.35),
    "leisure": (0.84, 0.37, 0.0),
}
TITLES = {"plain": "weekly mean", "pooled": "pooled", "grouped": "grouped", "blended": "blended"}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing: its height in points, and how to draw it at a top left corner."""

    height: float
    draw: Callable[[Pen, float, float], None]


@dataclass(frozen=True, slots=True)
class Axes:
    """A plotting area on the page; ``x`` and ``y`` map values to points."""

    left: float
    top: float
    right: float
    bottom: float
    low_x: float
    high_x: float
    low_y: float
    high_y: float

    def x(self, value: float) -> float:
        """Returns the page x of a value."""
        return self.left + (value - self.low_x) / (self.high_x - self.low_x) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Returns the page y of a value."""
        return self.bottom - (value - self.low_y) / (self.high_y - self.low_y) * (self.bottom - self.top)


def _stroke(pen: Pen, points: Sequence[tuple[float, float]], colour: Colour, width: float = 1.1) -> None:
    rounded = [(round(x, 2), round(y, 2)) for x, y in points]
    pen.page.draw_polyline(rounded, color=colour, width=width, lineJoin=1)


def _dot(pen: Pen, x: float, y: float, colour: Colour, radius: float = 2.0) -> None:
    pen.page.draw_circle((round(x, 2), round(y, 2)), radius, color=colour, fill=colour, width=0.3)


def _frame(
    pen: Pen, axes: Axes, x_ticks: Sequence[tuple[float, str]], y_ticks: Sequence[float], *, x_title: str, y_title: str
) -> None:
    for value in y_ticks:
        pen.page.draw_line((axes.left, axes.y(value)), (axes.right, axes.y(value)), color=(0.88,) * 3, width=0.3)
        pen.right(axes.left - 4, axes.y(value) + 2.3, f"{value:,.0f}", "h", 6.5)
    pen.rule(axes.left, axes.bottom, axes.right, axes.bottom, 0.6)
    for value, label in x_ticks:
        pen.rule(axes.x(value), axes.bottom, axes.x(value), axes.bottom + 2.5, 0.6)
        pen.centred(axes.x(value), axes.bottom + 9.5, label, "h", 6.5)
    pen.centred((axes.left + axes.right) / 2, axes.bottom + 19, x_title, "h", 7)
    pen.text(axes.left - 16, axes.top - 7, y_title, "h", 7)


def _axes(x: float, y: float, low_x: float, high_x: float, high_y: float) -> Axes:
    return Axes(x + 24, y + 14, x + COLUMN - 46, y + 130, low_x, high_x, 0, high_y)


def _end_labels(pen: Pen, axes: Axes, ends: dict[str, float], colours: Mapping[str, Colour] = COLOURS) -> None:
    """Writes names at the right ends of curves, moved apart so that none overlap."""
    places = sorted((axes.y(value), name) for name, value in ends.items())
    last = -math.inf
    for y, name in places:
        last = max(y, last + 8)
        pen.text(axes.right + 5, last + 2.2, TITLES.get(name, name), "h", 6.5, color=colours[name])


def year(study: Study) -> Drawing:
    """Draws weekly means over the year for one street of each class."""
    shown = {}
    for group in CLASSES:
        members = sorted((street for street in study.streets if street.group == group.name), key=lambda s: s.mean)
        shown[group.name] = members[len(members) // 2 + 3]
    weekly = {name: [sum(street.week(week)) / 7 for week in range(52)] for name, street in shown.items()}
    top = math.ceil(max(max(values) for values in weekly.values()) / 500) * 500

    def draw(pen: Pen, x: float, y: float) -> None:
        axes = _axes(x, y, 0, 51, top)
        ticks = [(week, label) for week, label in zip((2, 15, 28, 41), ("Jan", "Apr", "Jul", "Oct"), strict=True)]
        _frame(pen, axes, ticks, range(0, top + 1, 500), x_title="month", y_title="bicycles per day")
        for name, values in weekly.items():
            _stroke(pen, [(axes.x(week), axes.y(value)) for week, value in enumerate(values)], COLOURS[name], 0.9)
        _end_labels(pen, axes, {name: values[-1] for name, values in weekly.items()})

    return Drawing(156, draw)


def counters(study: Study, methods: Sequence[str], *, revised: bool) -> Drawing:
    """Draws the error by number of permanent counters; the revised version has a logarithmic axis and intervals."""
    place: Callable[[float], float] = math.log2 if revised else float

    def draw(pen: Pen, x: float, y: float) -> None:
        axes = _axes(x, y, place(1) - 0.15, place(12) + 0.15, 30)
        ticks = [(place(k), str(k)) for k in COUNTERS]
        _frame(pen, axes, ticks, range(0, 31, 10), x_title="permanent counters", y_title="mean absolute error, percent")
        for method in methods:
            cells = [(axes.x(place(k)), study.by_counters[method, k]) for k in COUNTERS]
            _stroke(pen, [(px, axes.y(cell.mean)) for px, cell in cells], COLOURS[method])
            for px, cell in cells:
                _dot(pen, px, axes.y(cell.mean), COLOURS[method], 1.7)
                if revised:
                    ends = [(px, axes.y(cell.mean + side * cell.half_width)) for side in (-1, 1)]
                    _stroke(pen, ends, COLOURS[method], 0.8)
        _end_labels(pen, axes, {method: study.by_counters[method, 12].mean for method in methods})

    return Drawing(156, draw)


def period(study: Study, methods: Sequence[str], *, revised: bool) -> Drawing:
    """Draws the error by four-week period of the short count; the submitted version uses greys hard to tell apart."""
    greys = {"plain": (0.45,) * 3, "pooled": (0.55,) * 3, "blended": (0.65,) * 3}
    colours = COLOURS if revised else greys

    def draw(pen: Pen, x: float, y: float) -> None:
        axes = _axes(x, y, -0.3, 12.3, 60)
        ticks = [(value, str(value + 1)) for value in range(13)]
        _frame(
            pen,
            axes,
            ticks,
            range(0, 61, 20),
            x_title="four-week period of the year",
            y_title="mean absolute error, percent",
        )
        for method in methods:
            values = [study.by_period[method, value].mean for value in range(13)]
            _stroke(pen, [(axes.x(i), axes.y(value)) for i, value in enumerate(values)], colours[method])
        _end_labels(pen, axes, {method: study.by_period[method, 12].mean for method in methods}, colours)

    return Drawing(156, draw)


def classes_figure(study: Study, methods: Sequence[str]) -> Drawing:
    """Draws the error by class of street: one row of dots per class, with intervals."""

    def draw(pen: Pen, x: float, y: float) -> None:
        axes = Axes(x + 48, y + 24, x + COLUMN - 10, y + 104, 0, 50, -0.5, 2.5)
        for position, method in enumerate(methods):
            px = axes.left + (0, 52, 90, 132)[position]
            _dot(pen, px, y + 8, COLOURS[method], 2.0)
            pen.text(px + 5, y + 10.4, TITLES[method], "h", 6.5, color=COLOURS[method])
        for value in range(0, 51, 10):
            pen.page.draw_line((axes.x(value), axes.top), (axes.x(value), axes.bottom), color=(0.88,) * 3, width=0.3)
            pen.centred(axes.x(value), axes.bottom + 9.5, str(value), "h", 6.5)
        pen.rule(axes.left, axes.bottom, axes.right, axes.bottom, 0.6)
        pen.centred((axes.left + axes.right) / 2, axes.bottom + 19, "mean absolute error, percent", "h", 7)
        for row, group in enumerate(reversed(CLASSES)):
            pen.right(axes.left - 6, axes.y(row) + 2.4, group.name, "h", 7)
            for position, method in enumerate(methods):
                cell = study.by_class[method, group.name]
                py = axes.y(row + 0.27 - 0.18 * position)
                ends = [(axes.x(cell.mean - cell.half_width), py), (axes.x(cell.mean + cell.half_width), py)]
                _stroke(pen, ends, COLOURS[method], 0.8)
                _dot(pen, axes.x(cell.mean), py, COLOURS[method], 1.8)

    return Drawing(128, draw)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[float]) -> Drawing:
    step = 11.5

    def draw(pen: Pen, x: float, y: float) -> None:
        left = x + (COLUMN - sum(widths)) / 2
        right = left + sum(widths)

        def row(cells: Sequence[str], base: float, style: str) -> None:
            edge = left
            for position, (cell, width) in enumerate(zip(cells, widths, strict=True)):
                if position == 0:
                    pen.text(edge + 2, base, cell, style, 8.8)
                else:
                    pen.right(edge + width - 4, base, cell, style, 8.8)
                edge += width

        pen.rule(left, y + 2, right, y + 2, 0.8)
        row(header, y + 12, "b")
        pen.rule(left, y + 16, right, y + 16, 0.5)
        for position, cells in enumerate(rows):
            row(cells, y + 26 + position * step, "r")
        pen.rule(left, y + 30 + (len(rows) - 1) * step, right, y + 30 + (len(rows) - 1) * step, 0.8)

    return Drawing(32 + (len(rows) - 1) * step, draw)


def _with_interval(cell: Cell) -> str:
    return f"{cell.mean:.1f} ±{cell.half_width:.1f}"


def classes_table(study: Study) -> Drawing:
    """Draws the table of parameters of the three classes."""
    rows = [
        [g.name, str(g.streets), f"{g.weekend:.2f}", f"{g.season:.2f}", f"{g.weather:.1f}"]
        for g in CLASSES
        if any(street.group == g.name for street in study.streets)
    ]
    return _table(["class", "streets", "weekend", "season", "weather"], rows, [52, 42, 46, 42, 46])


def results_table(study: Study, methods: Sequence[str], *, revised: bool) -> Drawing:
    """Draws the table of errors by number of counters and method; the revised version has intervals."""
    rows = []
    for k in COUNTERS:
        cells = [study.by_counters[method, k] for method in methods]
        rows.append([str(k), *(_with_interval(cell) if revised else f"{cell.mean:.1f}" for cell in cells)])
    widths = [37, *([47] * len(methods))] if revised else [52, *([52] * len(methods))]
    return _table(["counters", *("weekly" if m == "plain" else TITLES[m] for m in methods)], rows, widths)


def faults_table(study: Study, methods: Sequence[str]) -> Drawing:
    """Draws the table of errors by share of missing days."""
    rows = [
        [f"{share} percent", *(_with_interval(study.by_fault[method, share]) for method in methods)]
        for share in (0, 10, 20, 30)
    ]
    return _table(["days missing", *(TITLES[method] for method in methods)], rows, [60, 54, 54, 54])


def drawing_for(name: str, kind: str, study: Study, *, revised: bool) -> Drawing:
    """Returns the drawing named in the source. Grouped factors occur only in the revised version."""
    methods = ("plain", "pooled", "grouped", "blended") if revised else ("plain", "pooled", "blended")
    makers: dict[tuple[str, str], Callable[[], Drawing]] = {
        ("figure", "year"): lambda: year(study),
        ("figure", "counters"): lambda: counters(study, methods, revised=revised),
        ("figure", "period"): lambda: period(study, methods, revised=revised),
        ("figure", "classes"): lambda: classes_figure(study, methods),
        ("table", "classes"): lambda: classes_table(study),
        ("table", "results"): lambda: results_table(study, methods, revised=revised),
        ("table", "faults"): lambda: faults_table(study, ("pooled", "grouped", "blended")),
    }
    return makers[kind, name]()
