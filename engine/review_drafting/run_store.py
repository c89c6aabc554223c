"""The tables of what the stages made: runs with their stages (results), and prompts as a person edited them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.project import Project, keyed, record, records, row_of
from engine.review_drafting.pipeline import Run, RunState, StageRun
from engine.review_drafting.records import OUTPUTS, STAGES
from engine.review_drafting.stages.base import StageInfo


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """A prompt as a person edited it; an empty ``text`` put the one that ships back in force."""

    prompt: str
    version: int
    text: str
    created_at: str


class ReviewRunStore:
    """Runs and prompts of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project

    # --- prompts --------------------------------------------------------------------------------------------------
    def prompt_versions(self, prompt: str) -> tuple[PromptVersion, ...]:
        """How a prompt was edited in this project, the newest first."""
        rows = self._project.query(
            "SELECT prompt, version, text, created_at FROM review_prompt WHERE prompt = ? ORDER BY version DESC",
            (prompt,),
        )
        return tuple(records(PromptVersion, rows))

    def edited_prompts(self) -> dict[str, PromptVersion]:
        """The prompts that are in force in place of those that ship."""
        rows = self._project.query(
            "SELECT p.prompt, p.version, p.text, p.created_at FROM review_prompt p WHERE p.text <> '' AND p.version ="
            " (SELECT max(version) FROM review_prompt WHERE prompt = p.prompt)"
        )
        return {prompt.prompt: prompt for prompt in records(PromptVersion, rows)}

    def edit_prompt(self, prompt: str, text: str, *, initiator: object | None = None) -> PromptVersion | None:
        """Puts a text in force as a new version; "" puts the prompt that ships back. None where nothing changes."""
        kept = self.prompt_versions(prompt)
        if text == (kept[0].text if kept else ""):
            return None
        version = (kept[0].version if kept else 0) + 1
        title = "Edit a prompt" if text else "Put a prompt back as it ships"
        with self._project.action(title, initiator=initiator) as act:
            key = act.insert("review_prompt", {"prompt": prompt, "version": version, "text": text})
        return keyed(PromptVersion, self._project.db, "review_prompt", key)

    # --- runs (results) -------------------------------------------------------------------------------------------
    def runs(self, *, document_sha256: str | None = None, draft_id: str | None = None) -> tuple[Run, ...]:
        """Runs, the newest first: of a document, or made for a draft; whatever their state."""
        rows = self._project.query(
            "SELECT * FROM review_run WHERE (? IS NULL OR document_sha256 = ?) AND (? IS NULL OR draft_id = ?)"
            " ORDER BY created_at DESC, id DESC",
            (document_sha256, document_sha256, draft_id, draft_id),
        )
        return tuple(self._run(dict(row)) for row in rows)

    def run(self, run_id: str) -> Run:
        """One run with its stages. Raises KeyError."""
        return self._run(row_of(self._project.db, "review_run", run_id))

    def begin_run(self, run: Run, draft_id: str = "") -> Run:
        """Keeps a run before its first stage; returns it with its key."""
        on = [stage for stage in STAGES if stage in run.settings.on]
        values = {
            "draft_id": draft_id, "document_sha256": run.document_sha256, "origin": run.origin, "model": run.model,
            "settings": asdict(run.settings) | {"on": on, "own": dict(run.own)}, "inputs": dict(run.inputs),
            "state": "running",
        }  # fmt: skip
        with self._project.results("Begin a review run") as write:
            key = write.insert("review_run", values)
            write.touched("review_run", [key])
        created_at = row_of(self._project.db, "review_run", key)["created_at"]
        return replace(run, id=key, draft_id=draft_id, created_at=created_at, state="running")

    def save_stage(self, run_id: str, stage: StageRun) -> None:
        """Keeps a stage of a run as soon as it is done."""
        output = "" if stage.output is None else stage.output.model_dump_json()
        place = {"run_id": run_id, "stage": stage.stage}
        values = {
            "position": STAGES.index(stage.stage), "input_hash": stage.input_hash, "output": output, "raw": stage.raw,
            "problem": stage.problem, "seconds": stage.seconds,
        }  # fmt: skip
        with self._project.results("Keep a stage of a review run") as write:
            write.delete("review_stage_run", **place)
            write.insert("review_stage_run", place | asdict(stage.info) | values)
            write.touched("review_run", [run_id])

    def end_run(self, run_id: str, state: RunState, seconds: float, problem: str = "") -> None:
        """Says how a run ended."""
        with self._project.results("End a review run") as write:
            write.update("review_run", run_id, {"state": state, "seconds": seconds, "problem": problem})
            write.touched("review_run", [run_id])

    def forget_run(self, run_id: str) -> None:
        """Removes a run with its stages."""
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


def _stage(row: Mapping[str, Any]) -> StageRun:
    info = record(StageInfo, row)
    output = OUTPUTS[info.stage].model_validate_json(row["output"]) if row["output"] else None
    return record(StageRun, row, info=info, output=output)
