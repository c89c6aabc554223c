"""The tables of what the stages made: runs with their stages (results), and prompts as a person edited them."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass, replace

from engine.project import Project, new_id, now
from engine.review_drafting.pipeline import Run, RunSettings, RunState, StageRun
from engine.review_drafting.records import OUTPUTS, STAGES, StageId
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
        return tuple(PromptVersion(*row) for row in rows)

    def edited_prompts(self) -> dict[str, PromptVersion]:
        """The prompts that are in force in place of those that ship."""
        rows = self._project.query(
            "SELECT p.prompt, p.version, p.text, p.created_at FROM review_prompt p WHERE p.text <> '' AND p.version ="
            " (SELECT max(version) FROM review_prompt WHERE prompt = p.prompt)"
        )
        return {row["prompt"]: PromptVersion(*row) for row in rows}

    def edit_prompt(self, prompt: str, text: str, *, initiator: object | None = None) -> PromptVersion | None:
        """Puts a text in force as a new version; "" puts the prompt that ships back. None where nothing changes."""
        kept = self.prompt_versions(prompt)
        if text == (kept[0].text if kept else ""):
            return None
        moment, version = now(), (kept[0].version if kept else 0) + 1
        title = "Edit a prompt" if text else "Put a prompt back as it ships"
        with self._project.action(title, initiator=initiator) as act:
            act.execute(
                "INSERT INTO review_prompt(id, prompt, version, text, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (new_id(), prompt, version, text, self._project.annotator_id, moment, moment),
            )
        return PromptVersion(prompt, version, text, moment)

    # --- runs (results) -------------------------------------------------------------------------------------------
    def runs(self, *, document_sha256: str | None = None, draft_id: str | None = None) -> tuple[Run, ...]:
        """Runs, the newest first: of a document, or made for a draft; whatever their state."""
        rows = self._project.query(
            "SELECT * FROM review_run WHERE (? IS NULL OR document_sha256 = ?) AND (? IS NULL OR draft_id = ?)"
            " ORDER BY created_at DESC, id DESC",
            (document_sha256, document_sha256, draft_id, draft_id),
        )
        return tuple(self._run(row) for row in rows)

    def run(self, run_id: str) -> Run:
        """One run with its stages. Raises KeyError."""
        row = self._project.query_one("SELECT * FROM review_run WHERE id = ?", (run_id,))
        if row is None:
            raise KeyError(run_id)
        return self._run(row)

    def begin_run(self, run: Run, draft_id: str = "") -> Run:
        """Keeps a run before its first stage; returns it with its key."""
        kept = replace(run, id=new_id(), draft_id=draft_id, created_at=now(), state="running")
        with self._project.results("Begin a review run") as write:
            write.execute(
                "INSERT INTO review_run(id, draft_id, document_sha256, origin, model, settings, inputs, state, problem,"
                " seconds, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'running', '', 0, ?, ?)",
                (
                    kept.id,
                    draft_id,
                    kept.document_sha256,
                    kept.origin,
                    kept.model,
                    json.dumps(
                        {
                            **asdict(kept.settings),
                            "on": [stage for stage in STAGES if stage in kept.settings.on],
                            "own": dict(kept.own),
                        },
                        ensure_ascii=False,
                    ),
                    json.dumps(dict(kept.inputs)),
                    kept.created_at,
                    kept.created_at,
                ),
            )
            write.touched("review_run", [kept.id])
        return kept

    def save_stage(self, run_id: str, stage: StageRun) -> None:
        """Keeps a stage of a run as soon as it is done."""
        info = stage.info
        output = "" if stage.output is None else stage.output.model_dump_json()
        with self._project.results("Keep a stage of a review run") as write:
            write.execute(
                "INSERT OR REPLACE INTO review_stage_run(run_id, stage, position, way, version, prompt, prompt_version,"
                " prompt_text, input_hash, output, raw, problem, seconds)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run_id,
                    info.stage,
                    STAGES.index(info.stage),
                    info.way,
                    info.version,
                    info.prompt,
                    info.prompt_version,
                    info.prompt_text,
                    stage.input_hash,
                    output,
                    json.dumps(stage.raw, ensure_ascii=False),
                    stage.problem,
                    stage.seconds,
                ),
            )
            write.touched("review_run", [run_id])

    def end_run(self, run_id: str, state: RunState, seconds: float, problem: str = "") -> None:
        """Says how a run ended."""
        with self._project.results("End a review run") as write:
            write.execute(
                "UPDATE review_run SET state = ?, seconds = ?, problem = ?, updated_at = ? WHERE id = ?",
                (state, seconds, problem, now(), run_id),
            )
            write.touched("review_run", [run_id])

    def forget_run(self, run_id: str) -> None:
        """Removes a run with its stages."""
        with self._project.results("Remove a review run") as write:
            write.execute("DELETE FROM review_run WHERE id = ?", (run_id,))
            write.touched("review_run", [run_id])

    def _run(self, row: sqlite3.Row) -> Run:
        stages = self._project.query("SELECT * FROM review_stage_run WHERE run_id = ? ORDER BY position", (row["id"],))
        settings = json.loads(row["settings"])
        return Run(
            row["document_sha256"],
            row["origin"],
            row["model"],
            RunSettings(frozenset(settings["on"]), settings["seed"], settings["temperature"]),
            tuple(json.loads(row["inputs"]).items()),
            tuple(map(_stage, stages)),
            row["state"],
            row["problem"],
            row["seconds"],
            row["id"],
            row["draft_id"],
            row["created_at"],
            tuple(sorted(settings.get("own", {}).items())),
        )


def _stage(row: sqlite3.Row) -> StageRun:
    stage: StageId = row["stage"]
    info = StageInfo(
        stage, row["way"], row["version"], row["prompt"], row["prompt_version"], row["prompt_text"]
    )  # fmt: skip
    output = OUTPUTS[stage].model_validate_json(row["output"]) if row["output"] else None
    return StageRun(
        info, row["input_hash"], output, tuple(json.loads(row["raw"])), row["problem"], row["seconds"]
    )  # fmt: skip
