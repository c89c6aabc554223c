"""Agreement of all annotators on any kind of decision: state of the pane's view, and its jobs. No Qt."""

from collections.abc import Collection, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Literal

from desktop_app.panes.agreement.units_state import UnitsState, part_title, value_words
from desktop_app.widgets.origin_words import origin_words
from desktop_app.writing import Written, free_folder, write_export
from engine.agreement.compared import Followed, Taken
from engine.agreement.records import METHODS, NO_COMPETENCE, SHOWN, SUBJECTS, Subject
from engine.agreement.units import Unit
from engine.exchange.adjudicated import Decided, data_set, edits_counted
from engine.exchange.records import Export
from engine.jobs import DuplicatePolicy, Report, Task, task
from engine.measures.estimate import COEFFICIENTS, Estimate
from engine.operations.adjudicating import units_of
from engine.operations.decisions import compared, first_subject, set_done
from engine.packages.store import WorkStore
from engine.project import Project
from engine.revision.aligners import STRATEGIES
from engine.shown import counted, model_name, shortened

CHOICES: tuple[tuple[str, Subject | Literal[""]], ...] = (
    ("Links: two annotators", ""),
    *((kind.title if of != "links" else "Links: everybody", of) for of, kind in SUBJECTS.items()),
)
"""What can be compared, as (title, kind); "" for the links of two annotators."""
TABLES = frozenset({
    "annotation_done", "annotator", "edit_link", "comment_state", "comment", "comment_span", "edit", "sentence_label",
    "sentence_label_decision", "suggestion_decision", "preference_judgement", "rating", "score_review",
    "rubric_rating",
})  # fmt: skip
"""The tables whose changes require a new comparison."""
ADJUDICATIONS = frozenset({"adjudication", "unit_adjudication", "preference_adjudication"})
"""The tables whose changes affect only the adjudicated values."""
NOT_YET = "Not calculated yet"
MARKED_HERE: tuple[Subject, ...] = ("labels", "preferences", "scores")
COLUMNS = ("Measure", "Value", "95 % interval", "Units")
HIDDEN = (
    "Nothing to compare yet: no two annotators who are done decided on the same units. Others' work is "
    "hidden until you and they are done. If you only adjudicate here, choose “{}” once the others are done."
)


class EverybodyState:
    """A kind of decision and the agreement of all annotators on it."""

    def __init__(self, project: Project | None = None) -> None:
        self.project = project
        self.of: Subject | Literal[""] = ""
        self.group = "text"
        """The group of edits that is counted for links, besides edits that anyone linked; "" for all."""
        self.found: Decided | None = None
        self.units = UnitsState()
        self._stale = True
        self._decided_anew = False

    def mark_stale(self, tables: Collection[str]) -> None:
        self._stale |= bool(TABLES & set(tables))
        self._decided_anew |= bool(ADJUDICATIONS & set(tables))

    def choose(self, of: Subject | Literal[""], group: str = "text") -> None:
        self._stale |= of != self.of or (of == "links" and group != self.group)
        self.of, self.group = of, group

    def refresh(self) -> bool:
        """Returns whether to compare again. If so, earlier results are cleared, since they may have become hidden."""
        if not self._stale:
            if self._decided_anew and self.found is not None:
                self.units.read_adjudications()
            self._decided_anew = False
            return False
        self._stale, self._decided_anew, self.found = False, False, None
        if self.of:
            self.units.show(self.project, self.of, (), {})
        return bool(self.of)

    def compared(self, made: tuple[Decided, tuple[Unit, ...]]) -> None:
        """Stores the result of a comparison, unless another kind or group was chosen in the meantime."""
        found, units = made
        if found.of == self.of and (not found.groups or found.groups == (self.group or "all",)):
            self.found = found
            self.units.show(self.project, found.of, units, found.names)

    def first_subject(self) -> Subject | Literal[""]:
        """Returns the kind of decision, other than links, that people made; "" for none."""
        return (first_subject(self.project) if self.project is not None else None) or ""

    def rows(self) -> tuple[tuple[str, str, str, str], ...]:
        return tuple(self._rows(self.found)) if self.found is not None else ((NOT_YET, "", "", ""),)

    def _rows(self, found: Decided) -> Iterator[tuple[str, str, str, str]]:
        competence = {one.part: one.competence for one in found.proposals}
        kind = SUBJECTS[found.of]
        for part in found.parts:
            groups = counted(part.papers, kind.group) if part.units else ""
            yield part_title(found.of, part.part) or kind.title, "", groups, f"{part.units:,}"
            for name, one in part.coefficients.items():
                yield _cells(COEFFICIENTS[name], one)
            for key, (specific, alpha) in part.classes.items():
                label = value_words(found.of, part.part, key)
                yield _cells(f"“{label}”, specific agreement", specific)
                yield _cells(f"“{label}” against the rest, alpha", alpha)
            for person in part.people:
                who = found.names.get(person.annotator, person.annotator)
                yield f"{who}, decided", "", "", f"{person.decided:,}"
                for words, one in (
                    ("same as others", person.with_others),
                    ("Cohen's kappa with others", person.kappa),
                    ("repeated units decided the same way", person.repeated),
                    ("first half, same as others", person.early),
                    ("second half, same as others", person.late),
                ):
                    if one.known:
                        yield _cells(f"{who}, {words}", one)
                for method, known in competence.get(part.part, {}).items():
                    if person.annotator in known and known[person.annotator].known:
                        yield _cells(f"{who}, competence by {METHODS[method]}", known[person.annotator])
        for taken in found.taken:
            said = f"{_whose(found, taken)}, accepted suggestions from {suggested_by(taken.origin)}"
            yield said, f"{taken.accepted} of {taken.accepted + taken.refused}", "", ""
        for followed in found.followed:
            yield _cells(f"{_whose(found, followed)}, decided as suggested: {SHOWN[followed.shown]}", followed.share)

    def summary(self) -> str:
        found = self.found
        if found is None:
            return ""
        if not any(part.coefficients for part in found.parts):
            return HIDDEN.format("Mark as done" if self.of in MARKED_HERE else "Done with this paper")
        kind = SUBJECTS[found.of]
        parts = [
            f"Each unit is {kind.unit}.",
            *([f"Edits counted: {edits_counted(found.groups)}."] if found.groups else []),
            f"Intervals are resampled by {kind.group} and need at least six {kind.group}s.",
            f"{counted(self._count('agreed'), 'unit')} agreed, {self._count('adjudicated'):,} adjudicated,"
            f" {self._count('open'):,} open, {found.count('one annotator'):,} by one annotator only.",
        ]
        if kind.scale == "nominal" and not any(one.competence for one in found.proposals):
            parts.append(NO_COMPETENCE)
        return " ".join(parts)

    def _count(self, how: str) -> int:
        """Returns the number of units with this current outcome; a marked passage counts once per word."""
        return sum(len(one.where) for one in self.units.all if one.how == how)

    def can_export(self) -> bool:
        return bool(self.of) and self.found is not None and bool(self.found.decisions)

    def can_set_done(self) -> bool:
        """Whether the acting annotator can be marked as done; Linking has its own mark, surveys need none."""
        return self.of in MARKED_HERE and self.can_write()

    def can_write(self) -> bool:
        return self.project is not None and not self.project.read_only

    def set_done(self) -> int:
        """Marks all that the acting annotator decided of this kind as done; returns how many more are done now."""
        assert self.project is not None and self.of
        return set_done(self.project, self.of)

    def compare_task(self) -> Task[tuple[Decided, tuple[Unit, ...]]]:
        assert self.project is not None and self.of
        return _compare(self.project, self.of, self.group or "all")

    def export_task(self, parent: Path) -> Task[Written]:
        """Returns the job that writes the data set into a new folder in ``parent``."""
        assert self.project is not None and self.of
        folder = free_folder(parent, f"decisions-{self.of}")
        return write_export("agreement.data", folder, partial(_data_set, self.project, self.of, self.group or "all"))


def to_adjudicate(project: Project) -> Subject | Literal[""]:
    """Returns the kind of decision in an adjudicator's work package; "" for links and outside of a package."""
    own = WorkStore(project).own()
    if own is None or own[1].role != "adjudicator":
        return ""
    of: dict[str, Subject] = {"sentences": "labels", "pairs": "preferences", "survey": "ratings"}
    return of.get(own[0].task, "")


def _whose(found: Decided, of: Taken | Followed) -> str:
    """Returns whose decisions they are, and the layer."""
    title = part_title(found.of, of.part)
    return f"{found.names.get(of.annotator, of.annotator)}{title and f', {title}'}"


def suggested_by(origin: str) -> str:
    """Returns the source of suggestions as the Linking and Labels panes name it, with its version."""
    strategy = STRATEGIES.get(name := model_name(origin))
    version = origin.rpartition("@")[2].partition("+")[0]
    words = f"“{strategy.title}”" if strategy else origin_words(origin) if ":" in origin else name
    return f"{words}, version {shortened(version, 8)}" if version != origin else words


def _cells(words: str, estimate: Estimate) -> tuple[str, str, str, str]:
    return words, estimate.shown(), estimate.span("{:.2f} to {:.2f}"), f"{estimate.n:,}"


@task("agreement.everybody", "Compute agreement", DuplicatePolicy.REPLACE, "everybody")
def _compare(report: Report, project: Project, of: Subject, group: str) -> tuple[Decided, tuple[Unit, ...]]:
    report.progress(0.1, "Reading decisions")
    found = compared(project, of, (group,))
    return found, units_of(found)


def _data_set(project: Project, of: Subject, group: str, report: Report) -> Export:
    report.progress(0.1, "Reading decisions")
    return data_set(compared(project, of, (group,)), version=metadata.version("rejoinder"))
