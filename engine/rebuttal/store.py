"""The tables of rebuttal drafting: plans, points and uses (human work), and drafts (results)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from engine.project import Action, Project, keyed, record, records
from engine.rebuttal.records import Action as RebuttalAction
from engine.rebuttal.records import Counted, Draft, Generated, Outcome, Plan, Point, Use
from engine.rebuttal.slots import words_between
from engine.rebuttal.template_store import TemplateStore
from engine.reviews.records import SAME_RESPONSE
from engine.reviews.store import ReviewStore, named_comment

_IN_STEP = ("text", "generated", "confirmed", "action")
"""The columns that comments sharing one response have in common."""
_SHARING = (
    "WITH one AS (SELECT c.id, t.paper_id, own.value AS same, coalesce(p.text, '') AS reply"
    " FROM comment c JOIN source_text t ON t.id = c.source_id JOIN json_each(c.extra) own"
    " LEFT JOIN rebuttal_point p ON p.comment_id = c.id AND p.annotator_id = ?2"
    " WHERE json_extract(own.value, '$[0]') = ?3)"
    " SELECT other.id FROM one JOIN one other ON other.same = one.same AND other.reply = one.reply"
    " AND other.paper_id IS one.paper_id WHERE one.id = ?1 AND other.id <> one.id"
)
"""Finds comments of a paper that share one response and have the same text; after merging or importing, texts may
differ."""
_COUNTED = ("taken", "kept", "changed", "dropped", "satisfied", "partly", "unmoved")


class RebuttalStore:
    """Reads and writes rebuttals. Points and plans are the acting annotator's own; ``library`` contains the project's
    templates, which everyone shares.

    A point is identified by the comment it answers (``Point.comment_id``) or by its kind and reviewer; it gets a row
    with its first text or choice. Methods take a point as it was read.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self.library = TemplateStore(project)

    def plan(self, paper_id: str | None) -> Plan:
        """Returns the settings of a paper's rebuttal, or the defaults."""
        row = self._project.query_one(
            "SELECT * FROM rebuttal_plan WHERE paper_id IS ? AND annotator_id = ? ORDER BY id LIMIT 1",
            (paper_id, self._project.annotator_id),
        )
        return Plan() if row is None else record(Plan, row)

    def set_plan(self, paper_id: str | None, plan: Plan) -> Plan:
        own = {"paper_id": paper_id, "annotator_id": self._project.annotator_id}
        values = {
            "preset": plan.preset, "own_limits": dict(sorted(plan.own_limits)), "quoting": plan.quoting,
            "names": plan.names,
        }  # fmt: skip
        with self._project.action("Set rebuttal limits") as act:
            act.keep("rebuttal_plan", own, values)
        return self.plan(paper_id)

    def keep_labels(self, paper_id: str | None, labels: Mapping[str, str]) -> None:
        """Stores the labels of comments in an export; writes nothing if they are already stored."""
        plan = self.plan(paper_id)
        sent = {**dict(plan.sent), **labels}
        if sent != dict(plan.sent):
            own = {"paper_id": paper_id, "annotator_id": self._project.annotator_id}
            with self._project.action("Keep comment numbers as exported") as act:
                act.keep("rebuttal_plan", own, {"preset": plan.preset, "sent": dict(sorted(sent.items()))})

    def replies(self, to: Iterable[str] | None = None) -> dict[str, Point]:
        """Returns the replies by comment: to the given comments, or all of the project."""
        of_these = (
            "kind = 'reply' AND annotator_id = ?1 AND (?2 IS NULL OR comment_id IN (SELECT value FROM json_each(?2)))"
        )
        found = self._points(of_these, self._project.annotator_id, None if to is None else json.dumps([*to]))
        return {point.comment_id: point for point in found}

    def words(self, paper_id: str | None) -> tuple[Point, ...]:
        """Returns openings and closings of a paper's rebuttal, in the order they were started."""
        own = self._project.annotator_id
        return tuple(self._points("kind <> 'reply' AND paper_id IS ? AND annotator_id = ?", paper_id, own))

    def point(self, point_id: str) -> Point:
        """Raises KeyError if there is none."""
        for point in self._points("id = ?", point_id):
            return point
        raise KeyError(point_id)

    def _points(self, where: str, *values: str | None) -> list[Point]:
        sql = f"SELECT coalesce(comment_id, '') AS comment_id, * FROM rebuttal_point WHERE {where} ORDER BY id"  # noqa: S608
        return records(Point, self._project.query(sql, values))

    def write(self, paper_id: str | None, point: Point, text: str, *, coalesce: str | None = None) -> Point:
        """Writes a point's text; continued typing is one undo step. Marks of generated sentences that were edited are
        removed."""
        kept = tuple(mark for mark in point.generated if mark.sentence in text)
        title = "Write response" if point.kind == "reply" else f"Write {point.kind}"
        with self._project.action(self._titled(title, point), coalesce=coalesce) as act:
            return self._change(act, paper_id, point, text=text, generated=kept)

    def put_in(
        self,
        paper_id: str | None,
        point: Point,
        text: str,
        *,
        piece: str,
        sentences: Sequence[str],
        source: str,
        action: RebuttalAction | None = None,
    ) -> Point:
        """Stores a text after ``piece`` of a template or draft (``source``) was inserted, in one step: marks its
        ``sentences`` as generated and counts the use. ``action`` applies if none was chosen."""
        marks = (*point.generated, *(Generated(sentence, source) for sentence in sentences))
        kept = dict.fromkeys(mark for mark in marks if mark.sentence in text)
        what = "template" if source.startswith("template:") else "draft"
        with self._project.action(self._titled(f"Insert {what}", point)) as act:
            made = self._change(act, paper_id, point, text=text, generated=tuple(kept), action=point.action or action)
            self._use(act, made, source, "taken", piece)
        return made

    def refuse(self, point: Point, source: str, text: str) -> None:
        """Records that a suggested text was rejected."""
        with self._project.action(self._titled("Reject draft", point)) as act:
            self._use(act, point, source, "refused", text)

    def share(self, paper_id: str | None, point: Point, other: Point) -> Point:
        """Makes a comment share the response of another; later changes to either apply to both."""
        with self._project.action(self._titled("Share response", point)) as act:
            ReviewStore(self._project).share_response(point.comment_id, other.comment_id)
            return self._change_one(act, paper_id, point, **{name: getattr(other, name) for name in _IN_STEP})

    def choose_action(self, paper_id: str | None, point: Point, action: RebuttalAction | None) -> Point:
        """Sets the action of the reply; None leaves it open."""
        with self._project.action(self._titled("Choose rebuttal action", point)) as act:
            return self._change(act, paper_id, point, action=action)

    def set_budgets(self, paper_id: str | None, budgets: Sequence[tuple[Point, int | None]]) -> None:
        """Sets the length budget of points in one step; None gives a point its share again."""
        title = self._titled("Set limit", budgets[0][0]) if len(budgets) == 1 else "Divide limit"
        with self._project.action(title) as act:
            for point, budget in budgets:
                if budget != point.budget:
                    self._change(act, paper_id, point, budget=budget)

    def accept(self, paper_id: str | None, point: Point, sentences: Sequence[str] | None = None) -> Point:
        """Accepts generated sentences: all of the point, or those given."""
        left = () if sentences is None else tuple(m for m in point.generated if m.sentence not in sentences)
        with self._project.action(self._titled("Accept generated text", point)) as act:
            return self._change(act, paper_id, point, generated=left)

    def confirm(self, paper_id: str | None, point: Point, claim: str, holds: bool) -> Point:
        """Records that the user confirmed a claim of the reply, or reopens it."""
        claims = tuple(c for c in point.confirmed if c != claim) + ((claim,) if holds else ())
        title = self._titled("Confirm claim" if holds else "Reopen claim", point)
        with self._project.action(title) as act:
            return self._change(act, paper_id, point, confirmed=claims)

    def set_outcome(self, paper_id: str | None, point: Point, outcome: Outcome) -> Point:
        """Records the reviewer's reaction to the reply, as far as the user knows it."""
        with self._project.action(self._titled("Record outcome", point)) as act:
            return self._change(act, paper_id, point, outcome=outcome)

    def import_replies(
        self, paper_id: str | None, replies: Sequence[tuple[Point, str]], filename: str, *, over: bool = False
    ) -> int:
        """Writes the texts of a letter into points without text, in one step; returns how many. ``over`` also replaces
        existing texts; marks of generated sentences that are gone are removed. Comments that share a response get what
        the letter says to each."""
        taken = [(point, text) for point, text in replies if text.strip() and (over or not point.text.strip())]
        with self._project.action(f"Import responses from {filename}") as act:
            for point, text in taken:
                kept = tuple(mark for mark in point.generated if mark.sentence in text)
                self._change_one(act, paper_id, point, text=text, generated=kept)
        return len(taken)

    def uses(self) -> tuple[Use, ...]:
        """Returns everyone's insertions and rejections, oldest first."""
        rows = self._project.query(
            "SELECT coalesce(comment_id, '') AS comment_id, * FROM rebuttal_use ORDER BY created_at, id"
        )
        return tuple(records(Use, rows))

    def counts(self) -> dict[str, Counted]:
        """Returns usage counts of each template and model, by source."""
        used = "id IN (SELECT point_id FROM rebuttal_use WHERE verdict = 'taken')"
        points = {point.id: point for point in self._points(used)}
        found: dict[str, dict[str, int]] = {}
        for use in self.uses():
            if use.verdict != "taken":
                continue
            own = found.setdefault(use.source, dict.fromkeys(_COUNTED, 0))
            point = points.get(use.point_id)
            own["taken"] += 1
            own[_fate(use.text, point.text if point else "")] += 1
            if point is not None and point.outcome:
                own[point.outcome] += 1
        return {source: Counted(**own) for source, own in found.items()}

    def _titled(self, title: str, point: Point) -> str:
        """Returns the title of an action on a point, with its comment or reviewer."""
        return f"{title}: {named_comment(self._project, point.comment_id) if point.comment_id else point.reviewer}"

    def save_draft(self, draft: Draft) -> Draft:
        """Stores a model's draft; returns it with its key."""
        values = {name: value for name, value in asdict(draft).items() if name not in ("id", "created_at")}
        with self._project.results("Draft a response") as write:
            key = write.insert("rebuttal_draft", values)
            write.touched("rebuttal_draft", {draft.comment_id})
        return keyed(Draft, self._project.db, "rebuttal_draft", key)

    def drafts(self, comment_id: str) -> tuple[Draft, ...]:
        """Returns the models' drafts for a comment, newest first."""
        rows = self._project.query(
            "SELECT * FROM rebuttal_draft WHERE comment_id = ? ORDER BY created_at DESC, id DESC", (comment_id,)
        )
        return tuple(records(Draft, rows))

    def _change(self, act: Action, paper_id: str | None, point: Point, **values: Any) -> Point:
        """Updates columns of a point, and of those that share its response."""
        same = {name: values[name] for name in _IN_STEP if name in values and point.kind == "reply"}
        whose = (point.comment_id, self._project.annotator_id, SAME_RESPONSE)
        for row in self._project.query(_SHARING, whose) if same else ():
            self._change_one(act, paper_id, Point("reply", row["id"]), **same)
        return self._change_one(act, paper_id, point, **values)

    def _change_one(self, act: Action, paper_id: str | None, point: Point, **values: Any) -> Point:
        """Updates columns of a point, creating its row if needed."""
        own = {"kind": point.kind, "annotator_id": self._project.annotator_id}
        words = {"reviewer": point.reviewer, "paper_id": paper_id}
        place = {"comment_id": point.comment_id} if point.kind == "reply" else words
        return self.point(act.keep("rebuttal_point", own | place, {"paper_id": paper_id} | values))

    def _use(self, act: Action, point: Point, source: str, verdict: str, text: str) -> None:
        place = {"comment_id": point.comment_id or None, "point_id": point.id}
        act.insert("rebuttal_use", place | {"source": source, "verdict": verdict, "text": text})


def _fate(piece: str, text: str) -> str:
    """Returns what became of an inserted text: "kept" (all its words between slots are in the text in order), "changed"
    (at least half of its longer words are) or "dropped"."""
    parts = words_between(piece)
    place = 0
    for part in parts:
        at = text.find(part, place)
        if at < 0:
            break
        place = at + len(part)
    else:
        return "kept"
    words = {word.casefold() for part in parts for word in part.split() if len(word) > 3}
    standing = {word.casefold() for word in text.split()}
    return "changed" if words and len(words & standing) * 2 >= len(words) else "dropped"
