"""The tables of review drafting: drafts, fields, versions, evidence cards, decisions and edited prompts (human work),
and runs with their stages' results."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from engine.documents.records import Box
from engine.project import Store, keyed, record, records, row_of
from engine.review_drafting.pipeline import Run, RunState, StageRun
from engine.review_drafting.records import OUTPUTS, STAGES, AnchorKind, Draft, Point, StageInfo
from engine.reviews.store import quoted

Stance = Literal["strength", "weakness", "question", "note"]
Decision = Literal["accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """A review that a person writes of one document. ``form_content`` is an imported form's JSON, "" for a bundled
    one."""

    id: str
    document_id: str
    title: str
    form: str
    form_content: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class DraftVersion:
    """All fields at one time; ``fields`` are (field, value) ordered by name."""

    id: str
    draft_id: str
    reason: str
    fields: tuple[tuple[str, str], ...]
    created_at: str


@dataclass(frozen=True, slots=True)
class EvidenceCard:
    """A place in the paper with the reviewer's note; ``field`` is the one that it was inserted into, "" if none."""

    kind: AnchorKind
    ref: str = ""
    quote: str = ""
    prefix: str = ""
    suffix: str = ""
    paragraph_id: str = ""
    start: int = 0
    end: int = 0
    page: int = 0
    boxes: tuple[Box, ...] = ()
    stance: Stance = "note"
    note: str = ""
    field: str = ""
    origin: str = "person"
    id: str = ""
    draft_id: str = ""


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """A prompt as edited by a person; an empty ``text`` restored the bundled one."""

    prompt: str
    version: int
    text: str
    created_at: str


class ReviewDraftStore(Store):
    """Reads and writes drafts. Never reads the benchmark's tables: drafting has no access to a paper's rubrics."""

    def drafts(self) -> tuple[ReviewDraft, ...]:
        """Returns all drafts in the order they were started."""
        return tuple(records(ReviewDraft, self._project.query("SELECT * FROM review_draft ORDER BY position, id")))

    def draft(self, draft_id: str) -> ReviewDraft:
        """Returns one draft. Raises KeyError."""
        return keyed(ReviewDraft, self._project.db, "review_draft", draft_id)

    def begin_draft(
        self,
        document_id: str,
        title: str,
        form: str,
        *,
        form_content: str = "",
        fields: Mapping[str, str] | None = None,
    ) -> ReviewDraft:
        values = {"document_id": document_id, "title": title, "form": form, "form_content": form_content}
        with self._project.action(f"Start review “{title}”") as act:
            place = {"position": act.next_position("review_draft"), "origin": "person"}
            key = act.insert("review_draft", values | place)
            for name, value in (fields or {}).items():
                self.set_field(key, name, value)
        return self.draft(key)

    def rename_draft(self, draft_id: str, title: str) -> None:
        """Renames a draft; continued typing is one undo step."""
        with self._project.action("Rename review", coalesce=f"review-title:{draft_id}") as act:
            act.update("review_draft", draft_id, {"title": title})

    def set_form(self, draft_id: str, form: str, form_content: str = "") -> None:
        """Changes a draft's venue form; all fields are kept, even those that the form doesn't show."""
        with self._project.action("Change the review form") as act:
            act.update("review_draft", draft_id, {"form": form, "form_content": form_content})

    def remove_draft(self, draft_id: str) -> None:
        """Removes a draft with everything in it in one undo step. Runs are kept."""
        with self._project.action("Remove review") as act:
            for table in ("review_field", "review_version", "evidence_card", "review_suggestion_decision"):
                act.delete(table, draft_id=draft_id)
            act.delete("review_draft", id=draft_id)

    def fields(self, draft_id: str) -> dict[str, str]:
        """Returns a draft's fields, without those never edited."""
        rows = self._project.query(
            "SELECT field, value FROM review_field WHERE draft_id = ? ORDER BY field", (draft_id,)
        )
        return {row["field"]: row["value"] for row in rows}

    def set_field(self, draft_id: str, field: str, value: str, *, coalesce: str = "") -> None:
        """Stores a field; continued typing in the same field, or under the same ``coalesce``, is one undo step."""
        key = coalesce or f"review-field:{draft_id}:{field}"
        with self._project.action(f"Write {field.replace('_', ' ')}", coalesce=key) as act:
            act.keep("review_field", {"draft_id": draft_id, "field": field}, {"value": value})

    def versions(self, draft_id: str) -> tuple[DraftVersion, ...]:
        """Returns a draft's versions, newest first."""
        rows = self._project.query(
            "SELECT * FROM review_version WHERE draft_id = ? ORDER BY created_at DESC, id DESC", (draft_id,)
        )
        return tuple(_version(dict(row)) for row in rows)

    def keep_version(self, draft_id: str, reason: str) -> DraftVersion | None:
        """Stores the current fields as a version; returns None if they equal the newest version."""
        fields = tuple(sorted(self.fields(draft_id).items()))
        kept = self.versions(draft_id)
        if kept and kept[0].fields == fields:
            return None
        values = {"draft_id": draft_id, "reason": reason, "content": dict(fields)}
        with self._project.action(f"Save a version of {quoted(self.draft(draft_id).title)}") as act:
            key = act.insert("review_version", values)
        return self.version(key)

    def version(self, version_id: str) -> DraftVersion:
        """Returns one version. Raises KeyError."""
        return _version(row_of(self._project.db, "review_version", version_id))

    def restore_version(self, version_id: str, only: Collection[str] | None = None) -> None:
        """Restores a version's fields, or those in ``only``; the current fields are stored as a version first.

        Raises KeyError.
        """
        version = self.version(version_id)
        with self._project.action(f"Restore a version of {quoted(self.draft(version.draft_id).title)}"):
            self.keep_version(version.draft_id, "before restoring")
            now_there = self.fields(version.draft_id)
            for name, value in {**dict.fromkeys(now_there, ""), **dict(version.fields)}.items():
                if now_there.get(name) != value and (only is None or name in only):
                    self.set_field(version.draft_id, name, value)

    def cards(self, draft_id: str) -> tuple[EvidenceCard, ...]:
        """Returns the evidence cards of a draft, in order."""
        rows = self._project.query("SELECT * FROM evidence_card WHERE draft_id = ? ORDER BY position, id", (draft_id,))
        return tuple(_card(dict(row)) for row in rows)

    def card(self, card_id: str) -> EvidenceCard:
        """Returns one card. Raises KeyError."""
        return _card(row_of(self._project.db, "evidence_card", card_id))

    def add_card(self, draft_id: str, card: EvidenceCard) -> EvidenceCard:
        """Adds a card at the end; returns it with its key."""
        with self._project.action(f"Add evidence: {_words_of(card)}") as act:
            place = {"draft_id": draft_id, "position": act.next_position("evidence_card", draft_id=draft_id)}
            key = act.insert("evidence_card", _card_values(card) | place)
        return replace(card, id=key, draft_id=draft_id)

    def update_card(self, card: EvidenceCard) -> None:
        """Stores changes to a card (note, stance, field, place); continued typing is one undo step. Raises KeyError."""
        with self._project.action(f"Edit evidence: {_words_of(card)}", coalesce=f"evidence:{card.id}") as act:
            act.update("evidence_card", card.id, _card_values(card))

    def move_card(self, card_id: str, before: str | None) -> None:
        """Moves a card before another one of its draft, or to the end. Raises KeyError."""
        card = self.card(card_id)
        order = [other.id for other in self.cards(card.draft_id) if other.id != card_id]
        order.insert(len(order) if before is None else order.index(self.card(before).id), card_id)
        with self._project.action(f"Move evidence: {_words_of(card)}") as act:
            act.arrange("evidence_card", order)

    def remove_card(self, card_id: str) -> None:
        with self._project.action(f"Remove evidence: {_words_of(self.card(card_id))}") as act:
            act.delete("evidence_card", id=card_id)

    def decisions(self, draft_id: str, run_id: str) -> dict[str, Decision]:
        """Returns the acting annotator's decisions on a run, by the point's id."""
        rows = self._project.query(
            "SELECT point_id, decision FROM review_suggestion_decision"
            " WHERE draft_id = ? AND run_id = ? AND annotator_id = ?",
            (draft_id, run_id, self._project.annotator_id),
        )
        return {row["point_id"]: row["decision"] for row in rows}

    def decisions_on(self, draft_id: str, run: Run) -> dict[str, Decision]:
        """Returns the decisions on a run's points. What was rejected in another run stays rejected while its words are
        the same."""
        rows = self._project.query(
            "SELECT text FROM review_suggestion_decision WHERE draft_id = ? AND annotator_id = ?"
            " GROUP BY text HAVING min(decision) = 'rejected'",
            (draft_id, self._project.annotator_id),
        )
        texts = {row["text"] for row in rows}
        drafts = [stage.output for stage in run.stages if isinstance(stage.output, Draft)]
        again: dict[str, Decision] = {p.id: "rejected" for made in drafts for _, p in made.points() if p.text in texts}
        return again | self.decisions(draft_id, run.id)

    def decide(self, draft_id: str, run_id: str, point: Point, decision: Decision | None) -> None:
        """Stores the decision on a point of a run; None removes it, and rejections of the same words in other runs."""
        place = {
            "draft_id": draft_id, "run_id": run_id, "point_id": point.id, "annotator_id": self._project.annotator_id,
        }  # fmt: skip
        verb = {"accepted": "Accept", "rejected": "Reject", None: "Reopen"}[decision]
        with self._project.action(f"{verb} suggestion: {quoted(point.text)}") as act:
            if decision is None:
                act.delete("review_suggestion_decision", **place)
                del place["run_id"], place["point_id"]
                act.delete("review_suggestion_decision", **place, text=point.text, decision="rejected")
            else:
                values = {"stage": point.origin, "text": point.text, "decision": decision}
                act.keep("review_suggestion_decision", place, values)

    def prompt_versions(self, prompt: str) -> tuple[PromptVersion, ...]:
        """Returns the edited versions of a prompt in this project, newest first."""
        rows = self._project.query(
            "SELECT prompt, version, text, created_at FROM review_prompt WHERE prompt = ? ORDER BY version DESC",
            (prompt,),
        )
        return tuple(records(PromptVersion, rows))

    def edited_prompts(self) -> dict[str, PromptVersion]:
        """Returns the edited prompts that replace bundled ones."""
        rows = self._project.query(
            "SELECT p.prompt, p.version, p.text, p.created_at FROM review_prompt p WHERE p.text <> '' AND p.version ="
            " (SELECT max(version) FROM review_prompt WHERE prompt = p.prompt)"
        )
        return {prompt.prompt: prompt for prompt in records(PromptVersion, rows)}

    def edit_prompt(self, prompt: str, text: str) -> PromptVersion | None:
        """Stores a text as the new version of a prompt; "" restores the bundled one. Returns None if nothing
        changes."""
        kept = self.prompt_versions(prompt)
        if text == (kept[0].text if kept else ""):
            return None
        version = (kept[0].version if kept else 0) + 1
        title = "Edit a prompt" if text else "Restore a default prompt"
        with self._project.action(title) as act:
            key = act.insert("review_prompt", {"prompt": prompt, "version": version, "text": text})
        return keyed(PromptVersion, self._project.db, "review_prompt", key)

    def runs(self, *, draft_id: str | None = None) -> tuple[Run, ...]:
        """Returns runs in any state, newest first: all, or those of a draft."""
        rows = self._project.query(
            "SELECT * FROM review_run WHERE ? IS NULL OR draft_id = ? ORDER BY created_at DESC, id DESC",
            (draft_id, draft_id),
        )
        return tuple(self._run(dict(row)) for row in rows)

    def begin_run(self, run: Run, draft_id: str = "") -> Run:
        """Stores a run before its first stage; returns it with its key."""
        on = [stage for stage in STAGES if stage in run.settings.on]
        values = {
            "draft_id": draft_id, "document_sha256": run.document_sha256, "origin": run.origin, "model": run.model,
            "settings": asdict(run.settings) | {"on": on, "own": dict(run.own)}, "inputs": dict(run.inputs),
            "state": "running",
        }  # fmt: skip
        with self._project.results("Start a review run") as write:
            key = write.insert("review_run", values)
            write.touched("review_run", [key])
        created_at = row_of(self._project.db, "review_run", key)["created_at"]
        return replace(run, id=key, draft_id=draft_id, created_at=created_at, state="running")

    def save_stage(self, run_id: str, stage: StageRun) -> None:
        """Stores a stage of a run as soon as it is done."""
        output = "" if stage.output is None else stage.output.model_dump_json()
        place = {"run_id": run_id, "stage": stage.stage}
        values = {
            "position": STAGES.index(stage.stage), "input_hash": stage.input_hash, "output": output, "raw": stage.raw,
            "problem": stage.problem, "seconds": stage.seconds, "device": stage.device,
        }  # fmt: skip
        with self._project.results("Save a stage of a review run") as write:
            write.delete("review_stage_run", **place)
            write.insert("review_stage_run", place | asdict(stage.info) | values)
            write.touched("review_run", [run_id])

    def end_run(self, run_id: str, state: RunState, seconds: float, problem: str = "") -> None:
        with self._project.results("End a review run") as write:
            write.update("review_run", run_id, {"state": state, "seconds": seconds, "problem": problem})
            write.touched("review_run", [run_id])

    def forget_run(self, run_id: str) -> None:
        with self._project.results("Remove a review run") as write:
            write.delete("review_run", id=run_id)
            write.touched("review_run", [run_id])

    def _run(self, row: Mapping[str, Any]) -> Run:
        stages = self._project.query("SELECT * FROM review_stage_run WHERE run_id = ? ORDER BY position", (row["id"],))
        return record(
            Run,
            row,
            stages=tuple(_stage(dict(stage)) for stage in stages),
            own=tuple(sorted(json.loads(row["settings"]).get("own", {}).items())),
        )


def _version(row: dict[str, Any]) -> DraftVersion:
    return record(DraftVersion, {**row, "fields": row["content"]})


def _words_of(card: EvidenceCard) -> str:
    return quoted(card.quote or card.ref)


def _card(row: dict[str, Any]) -> EvidenceCard:
    return record(EvidenceCard, row, boxes=tuple(Box(int(page), *rest) for page, *rest in json.loads(row["boxes"])))


def _card_values(card: EvidenceCard) -> dict[str, Any]:
    return {name: value for name, value in asdict(card).items() if name not in ("id", "draft_id")}


def _stage(row: Mapping[str, Any]) -> StageRun:
    # Earlier versions of Rejoinder wrote "ships" for bundled prompts.
    info = record(StageInfo, {**row, "prompt_version": row["prompt_version"].replace("ships ", "bundled ")})
    output = OUTPUTS[info.stage].model_validate_json(row["output"]) if row["output"] else None
    return record(StageRun, row, info=info, output=output)
