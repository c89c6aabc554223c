"""State of the Agreement pane for two annotators' links, its operations and jobs. No Qt."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from desktop_app import present
from desktop_app.panes.agreement.units_state import DecisionRow
from desktop_app.writing import Written, write_export
from engine.agreement.linking import agreement
from engine.agreement.records import Adjudication, Agreement, Disagreement, Figures, Verdict
from engine.exchange.agreement import AgreementExport, export_files
from engine.exchange.records import Export
from engine.exchange.studies import Standing, Studies
from engine.jobs import DuplicatePolicy, Report, Task, task
from engine.project import Project
from engine.project.merge import MergeReport, merge_into
from engine.reviews.records import Comment
from engine.revision.records import GROUP_TITLES, Edit
from engine.shown import counted

WORK = frozenset(
    {"edit_link", "comment_state", "comment", "comment_span", "annotation_done", "annotator", "edit", "dismissed_edit"}
)
"""The tables whose changes require a new comparison."""
Pair = tuple[str, str]
"""The keys of two annotators."""
GROUP_CHOICES = (*((title, str(group)) for group, title in GROUP_TITLES.items()), ("All groups", ""))
"""Groups of edits, with their titles; "" for all."""
GROUPS_BOX = "Count only pairs with edits in this group"


@dataclass(frozen=True)
class Dispute:
    found: Disagreement
    pair: Pair
    names: tuple[str, str]
    comments: tuple[Comment | None, Comment | None]
    ruling: Adjudication | None
    edit_id: str
    """The disputed edit that is decided on singly; "" if only the states differ."""
    edits: Mapping[str, Edit] = field(default_factory=dict)
    party: bool = False
    """Whether the acting annotator decided on it and therefore can't adjudicate it."""


class AgreementState:
    """A comparison of two annotators: their disagreements, the current one, and the adjudications."""

    def __init__(self, project: Project | None = None) -> None:
        self.project = project
        self.studies = Studies(project) if project is not None else None
        self.standings: tuple[Standing, ...] = ()
        self.found: Agreement | None = None
        self.people: tuple[tuple[str, str], ...] = ()
        """Key and name of the annotators whose work may be compared: they are done, and their work is visible."""
        self.pair: Pair = ("", "")
        self.group = "text"
        """The group of edits that is counted, besides edits that one of the two linked; "" for all."""
        self.scope = ""
        """The paper whose figures and disagreements are shown; "" for all."""
        self.decided: dict[str, Adjudication] = {}
        self.comment_id = ""
        self._edit_at = 0
        self._comments: dict[str, Comment] = {}
        self._edits: dict[str, Edit] = {}
        self._stale = True

    @property
    def verbs(self) -> Studies:
        return present(self.studies)

    def mark_stale(self, tables: Collection[str]) -> None:
        self._stale |= bool(WORK & set(tables))

    def read(self) -> None:
        self.standings = () if self.studies is None else self.studies.standings()

    @property
    def somebody_worked(self) -> bool:
        return any(standing.worked for standing in self.standings)

    @property
    def calculating(self) -> bool:
        return all(self.pair) and self.found is None and not self._stale

    def refresh(self) -> bool:
        """Reads annotators and adjudications; returns whether the pair has to be compared again."""
        self.people = tuple(
            (key, name)
            for key, name in present(self.project).annotators()
            if any(key in s.worked and key in s.done & s.visible for s in self.standings)
        )
        keys = [key for key, _ in self.people]
        first, second = (key if key in keys else "" for key in self.pair)
        first = first or next((key for key in keys if key != second), "")
        second = second or next((key for key in keys if key != first), "")
        self._compare_next((first, second), self.group)
        self._read_decided()
        stale, self._stale = self._stale, False
        if stale and not all(self.pair):
            self.found = None
        self._settle()
        return stale and all(self.pair)

    def choose_pair(self, first: str, second: str) -> None:
        keys = [key for key, _ in self.people]
        if first == second and len(keys) > 1:
            second = keys[(keys.index(first) + 1) % len(keys)]
        self._compare_next((first, second), self.group)
        self.comment_id = ""

    def choose_group(self, group: str) -> None:
        """Counts the edits of another group; "" for all."""
        self._compare_next(self.pair, group)

    def _compare_next(self, pair: Pair, group: str) -> None:
        if (pair, group) != (self.pair, self.group):
            self.pair, self.group = pair, group
            self.outdated()

    def outdated(self) -> None:
        """Clears the figures: something else was chosen, or they weren't recalculated after a change."""
        self.found, self._stale = None, True

    def compared(self, found: Agreement) -> None:
        self.found = found
        self._comments = {comment.id: comment for comment in self.verbs.reviews.comments()}
        revisions = {one.revision_id for one in found.disagreements}
        self._edits = {edit.id: edit for key in revisions for edit in self.verbs.linkable(key)}
        self._read_decided()
        self._settle()

    def choose_scope(self, paper_id: str) -> None:
        """Shows one paper; "" for all."""
        self.scope = paper_id
        self._settle()

    def _read_decided(self) -> None:
        self.decided = {}
        for standing in self.standings:
            self.decided |= self.verbs.agreement.adjudications(standing.revision.id)

    def _settle(self) -> None:
        """Goes to the first open disagreement if the current one no longer exists."""
        keys = [one.comment.first_id for one in self.disagreements]
        if self.comment_id not in keys:
            self.choose(next((key for key in keys if not self._is_settled(key)), keys[0] if keys else ""))

    @property
    def names(self) -> tuple[str, str]:
        names = dict(self.people)
        return names.get(self.pair[0], ""), names.get(self.pair[1], "")

    @property
    def group_title(self) -> str:
        return next(title for title, group in GROUP_CHOICES if group == self.group)

    @property
    def figures(self) -> Figures | None:
        if self.found is None:
            return None
        return next((figures for figures in self.found.papers if figures.paper_id == self.scope), self.found.overall)

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        figures = self.figures
        if self.found is None or figures is None:
            return ()
        return tuple(d for d in self.found.disagreements if not figures.paper_id or d.paper_id == figures.paper_id)

    @property
    def rows(self) -> tuple[DecisionRow, ...]:
        return tuple(self._row(one) for one in self.disagreements)

    def _row(self, found: Disagreement) -> DecisionRow:
        key, count = found.comment.first_id, len(found.disputed)
        head = f"{counted(count, 'edit')} disputed" if count else "states differ"
        ruling = self.decided.get(key)
        who = dict(zip(("first", "second"), self.names, strict=True))
        verdict = ruling.verdict if ruling is not None else None
        sign = "open" if verdict is None else f"✓ {who.get(verdict, verdict)}"
        comment = self._comments.get(key)
        return DecisionRow(key, f"{sign} · {head}", comment.comment if comment else "", verdict is not None)

    @property
    def at(self) -> int:
        """Row of the current disagreement; -1 if there is none."""
        keys = [one.comment.first_id for one in self.disagreements]
        return keys.index(self.comment_id) if self.comment_id in keys else -1

    @property
    def disagreement(self) -> Disagreement | None:
        return self.disagreements[self.at] if self.at >= 0 else None

    @property
    def edit_id(self) -> str:
        """The current disputed edit; "" if there is none."""
        found = self.disagreement
        return found.disputed[min(self._edit_at, len(found.disputed) - 1)] if found and found.disputed else ""

    @property
    def dispute(self) -> Dispute | None:
        found = self.disagreement
        if found is None:
            return None
        ruling = self.decided.get(self.comment_id)
        keys = (*found.agreed, *found.disputed, *(ruling.edit_ids if ruling else ()))
        comments = self._comments.get(found.comment.first_id), self._comments.get(found.comment.second_id)
        edits = {key: self._edits[key] for key in keys if key in self._edits}
        return Dispute(found, self.pair, self.names, comments, ruling, self.edit_id, edits, self.is_party())

    def progress(self) -> str:
        names = dict(self.project.annotators()) if self.project is not None else {}
        parts = []
        for standing in self.standings:
            people = [f"{names[key]}{' ✓ done' if key in standing.done else ' not done'}" for key in standing.worked]
            parts.append(f"{standing.paper.title or 'Untitled paper'}: {', '.join(people) or 'nobody yet'}")
        words = "Other annotators' work is hidden until you and they are done."
        return " · ".join(parts) + (f". {words}" if self.hides else "")

    @property
    def hides(self) -> bool:
        """Whether others' work on a paper is hidden from the acting annotator."""
        return any(len(s.worked) > 1 and not set(s.worked) <= s.visible for s in self.standings)

    def can_merge(self) -> bool:
        return self.project is not None and not self.project.read_only

    def can_decide(self) -> bool:
        return self.can_merge() and self.disagreement is not None and not self.is_party()

    def is_party(self) -> bool:
        found = self.disagreement
        if found is None or self.project is None:
            return False
        comments = {found.comment.first_id, found.comment.second_id}
        parties = self.verbs.agreement.parties(found.revision_id, comments) | set(self.pair)
        return self.project.annotator_id in parties

    def is_decided(self) -> bool:
        return self.can_decide() and self.comment_id in self.decided

    def _is_settled(self, comment_id: str) -> bool:
        ruling = self.decided.get(comment_id)
        return ruling is not None and ruling.verdict is not None

    def choose(self, comment_id: str) -> None:
        if comment_id != self.comment_id:
            self.comment_id, self._edit_at = comment_id, 0

    def step_edit(self, by: int) -> None:
        if self.disagreement is not None and self.disagreement.disputed:
            self._edit_at = min(max(self._edit_at + by, 0), len(self.disagreement.disputed) - 1)

    def next_open(self) -> bool:
        """Goes to the next open disagreement, wrapping around. Returns whether all are decided."""
        keys, at = [one.comment.first_id for one in self.disagreements], self.at
        open_ = [key for key in (*keys[at + 1 :], *keys[: at + 1]) if not self._is_settled(key)]
        self.choose(next((key for key in open_ if key != self.comment_id), self.comment_id))
        return bool(keys) and not open_

    def decide(self, verdict: Verdict, edit_ids: Collection[str] | None = None) -> None:
        """Decides the current disagreement by a verdict or, if given, by the edits to keep."""
        chosen = None if edit_ids is None else sorted(edit_ids)
        self.verbs.agreement.adjudicate(present(self.disagreement), self.pair, verdict, edit_ids=chosen)

    def toggle_edit(self) -> None:
        """Toggles whether the current edit answers the comment; the decisions on other edits stay the same."""
        found, ruling = self.disagreement, self.decided.get(self.comment_id)
        assert found is not None
        held = set(ruling.edit_ids) & set(found.disputed) if ruling and ruling.verdict else set()
        held ^= {self.edit_id}
        sides: Mapping[Verdict, Collection[str]] = {
            "both": found.disputed, "second": found.only_second, "first": found.only_first
        }  # fmt: skip
        self.decide(next((side for side, edits in sides.items() if held and held == set(edits)), "neither"), held)

    def note(self, text: str, disagreement: Disagreement, pair: Pair) -> None:
        if self.can_merge():
            self.verbs.agreement.note(disagreement, pair, text)

    def reopen(self) -> None:
        self.verbs.agreement.reopen(self.decided[self.comment_id])

    def compare_task(self) -> Task[Agreement]:
        return _compare(present(self.project), self.pair, self.group)

    def merge_task(self, path: Path) -> Task[MergeReport]:
        return _merge(present(self.project), path)

    def export_task(self, format_: str, path: Path) -> Task[Written]:
        """Returns the job that writes files of a format into the folder of ``path``, named after it."""
        export = AgreementExport(present(self.found), self._comments, self._edits, self.decided, self.group_title)
        make = partial(_files, export, format_, path.stem)
        return write_export("agreement.export", path.parent, make, path.name)


@task("agreement.compare", "Compute agreement", DuplicatePolicy.REPLACE, "agreement")
def _compare(report: Report, project: Project, pair: Pair, group: str) -> Agreement:
    report.progress(0.1, "Reading both annotators' work")
    works = Studies(project).paper_works(*pair, (group or "all",))
    report.progress(0.3, "Computing intervals")
    return agreement(works)


@task("agreement.merge", "Merge {path.name}", DuplicatePolicy.DISCARD, "{path}")
def _merge(report: Report, project: Project, path: Path) -> MergeReport:
    return merge_into(project, path, progress=report.progress)


def _files(export: AgreementExport, format_: str, stem: str, _report: Report) -> Export:
    return Export(export_files(export, format_, stem))
