"""State of the list of units: filter, current unit, and adjudication. No Qt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from desktop_app.panes.agreement.choices import MOST_VALUES
from desktop_app.panes.linking.terms import STATES
from engine.agreement.records import BETWEEN, Subject, Where
from engine.agreement.units import Order, Shown, Unit, listed, proposed
from engine.operations.adjudicating import adjudicate, choices, party, passage
from engine.operations.decisions import adjudicated
from engine.project import Project
from engine.reviews.labels.records import Layer
from engine.reviews.labels.taxonomy import layer
from engine.shown import counted


def part_title(of: Subject, part: str) -> str:
    """Returns the title of a layer of labels, or the name of a scale unchanged."""
    return layer(cast("Layer", part)).title.lower() if of == "labels" and part else part


def value_words(of: Subject, part: str, value: str) -> str:
    """Returns a value with the names of the Linking and Labels panes, if it is a state or labels of the layer
    ``part``."""
    known = _names(of, part)
    return BETWEEN.join(known.get(one, one) for one in value.split(BETWEEN))


def value_of(of: Subject, part: str, words: str) -> str:
    """Returns the value that a person named in the words of ``value_words`` or by its keys."""
    known = {name.casefold(): key for key, name in _names(of, part).items()}
    return BETWEEN.join(known.get(one.strip().casefold(), one.strip()) for one in words.split(BETWEEN.strip()))


def _names(of: Subject, part: str) -> Mapping[str, str]:
    if of == "labels":
        return {option.id: option.title.lower() for option in layer(cast("Layer", part)).labels}
    return {key: name.lower() for key, name in STATES.items()} if of == "states" else {}


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A row for a unit or for a comment on which two annotators differ; ``head`` says what they differ in, or the
    decision."""

    key: str
    head: str
    words: str
    decided: bool


@dataclass(frozen=True)
class ShownUnit:
    of: Subject
    unit: Unit
    title: str
    """The title of its layer or scale."""
    names: Mapping[str, str]
    passage: tuple[str, str, str]
    values: tuple[str, ...]
    choices: tuple[str, ...]
    party: bool
    in_text: bool
    """Whether the text before and after it is from the same text; otherwise it is what the unit is compared with."""

    def said(self) -> tuple[tuple[str, str], ...]:
        return tuple((self.names.get(who, who), self.words(value)) for who, value in self.unit.said)

    def proposals(self) -> tuple[tuple[str, str], ...]:
        found = self.unit.proposals
        return tuple(proposed(method, self.words(value) if value else "", doubt) for method, value, doubt in found)

    def words(self, value: str) -> str:
        return value_words(self.of, self.unit.part, value)


class UnitsState:
    def __init__(self) -> None:
        self.project: Project | None = None
        self.of: Subject = "labels"
        self.all: tuple[Unit, ...] = ()
        self.names: Mapping[str, str] = {}
        self.shown: Shown = "open"
        self.order: Order = "text"
        self.part = ""
        self.key = ""
        self._kept = ""
        """A unit that was just decided and stays listed until another is chosen."""
        self._read: ShownUnit | None = None

    def show(self, project: Project | None, of: Subject, units: tuple[Unit, ...], names: Mapping[str, str]) -> None:
        if of != self.of:
            self.part = self.key = self._kept = ""
        self.project, self.of, self.all, self.names, self._read = project, of, units, names, None
        if self.part not in {one.part for one in units}:
            self.part = ""
        self._settle()

    def read_adjudications(self) -> None:
        """Updates the adjudications of the units; nothing else about them changed."""
        assert self.project is not None
        held = adjudicated(self.project, self.of) if self.all else {}
        self.all = tuple(_with(one, held) for one in self.all)
        self._settle()

    def _settle(self) -> None:
        keys = [one.key for one in self.listed]
        if self.key not in keys:
            self.choose(next(iter(keys), ""))

    @property
    def listed(self) -> tuple[Unit, ...]:
        found = listed(self.all, self.shown, self.order, self.part)
        if self._kept and self._kept not in {one.key for one in found}:
            everything = listed(self.all, "all", self.order, self.part)
            wanted = {self._kept, *(one.key for one in found)}
            found = tuple(one for one in everything if one.key in wanted)
        return found

    @property
    def rows(self) -> tuple[DecisionRow, ...]:
        return tuple(self._row(one) for one in self.listed)

    def _row(self, unit: Unit) -> DecisionRow:
        part = f"{part_title(self.of, unit.part)} · " if unit.part else ""
        decided = unit.how == "adjudicated"
        said = [value_words(self.of, unit.part, value) for value in (unit.value, *unit.values)]
        sign = f"✓ {said[0]}" if decided else said[0] if unit.how == "agreed" else "open"
        return DecisionRow(unit.key, f"{sign} · {part}{' / '.join(said[1:])}", unit.words, unit.how != "open")

    @property
    def at(self) -> int:
        """Row of the current unit; -1 if there is none."""
        keys = [one.key for one in self.listed]
        return keys.index(self.key) if self.key in keys else -1

    @property
    def unit(self) -> Unit | None:
        return next((one for one in self.all if one.key == self.key), None)

    @property
    def parts(self) -> tuple[str, ...]:
        """The layers or scales present."""
        return tuple(dict.fromkeys(one.part for one in self.all))

    def current(self) -> ShownUnit | None:
        unit = self.unit
        if unit is None or self.project is None:
            return None
        if self._read is None or self._read.unit != unit:
            self._read = self._shown_unit(self.project, unit)
        return self._read

    def _shown_unit(self, project: Project, unit: Unit) -> ShownUnit:
        known = choices(self.of, unit.where[0][1], unit)
        values = tuple(dict.fromkeys((*unit.values, *known)))
        return ShownUnit(
            self.of, unit, part_title(self.of, unit.part), self.names, passage(project, self.of, unit),
            values[:MOST_VALUES], values, party(project, self.of, unit), self.of in ("labels", "spans"),
        )  # fmt: skip

    def progress(self) -> str:
        if not self.all:
            return ""
        differing = sum(one.differs for one in self.all)
        open_ = sum(one.how == "open" for one in self.all)
        return f"{differing:,} of {counted(len(self.all), 'unit')} with disagreement · {open_:,} open"

    def can_decide(self) -> bool:
        found, project = self.current(), self.project
        return found is not None and project is not None and not project.read_only and not found.party

    def value(self, number: int) -> str:
        """Returns the value with a number, counted from 0; "" if there is none."""
        found = self.current()
        return found.values[number] if found is not None and number < len(found.values) else ""

    def words(self, number: int) -> str:
        """Returns the value with a number as it is shown; "" if there is none."""
        found, value = self.current(), self.value(number)
        return found.words(value) if found is not None and value else ""

    def value_of(self, words: str) -> str:
        """Returns the value that a person typed for the current unit."""
        return value_of(self.of, self.unit.part, words) if self.unit is not None else words

    def can_reopen(self) -> bool:
        return self.can_decide() and self.unit is not None and self.unit.how == "adjudicated"

    def choose(self, key: str) -> None:
        if key != self.key:
            self.key, self._kept = key, ""

    def choose_shown(self, shown: Shown, order: Order, part: str) -> None:
        self.shown, self.order, self.part, self._kept = shown, order, part, ""
        self._settle()

    def take(self, value: str | None) -> None:
        """Adjudicates the current unit; None removes the adjudication."""
        unit = self.unit
        assert unit is not None and self.project is not None
        self._kept = unit.key
        adjudicate(self.project, self.of, unit.where, value)
        self.read_adjudications()

    def next_open(self) -> bool:
        """Goes to the next open unit, wrapping around. Returns whether none is left."""
        rows, at = self.listed, self.at
        left = [one.key for one in (*rows[at + 1 :], *rows[: at + 1]) if one.how == "open"]
        if found := next((key for key in left if key != self.key), ""):
            self.choose(found)
        return bool(rows) and not left


def _with(unit: Unit, held: Mapping[Where, str]) -> Unit:
    values = {held.get(place) for place in unit.where}
    if len(values) == 1 and (value := next(iter(values))) is not None:
        return (
            unit if unit.value == value and unit.how == "adjudicated" else replace(unit, value=value, how="adjudicated")
        )
    if unit.how != "adjudicated":
        return unit
    return replace(unit, value="", how="open") if unit.differs else replace(unit, value=unit.said[0][1], how="agreed")
