"""A project in which every text that may come from others tries to be more than text.

Columns are found in the schema, so that a new one is covered unless it is named as the program's own words.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import zlib
from pathlib import Path
from typing import Any

from engine.project import Project

SAMPLE = Path(__file__).resolve().parent.parent / "resources" / "sample" / "sample.rejoinder"
MARK = "Zyxgate"
"""In every hostile text, so that tests find what is shown of it."""
PICTURE = "probe-picture.png"
COLOUR = (254, 1, 252)
"""Of the whole picture: nothing else on screen or paper has it."""
OVERRIDE, ESCAPE = "\u202e", "\x1b[31m"


def hostile(folder: Path) -> str:
    """One text with everything: tags that load the picture in ``folder``, markup of every format, overrides."""
    picture = folder / PICTURE
    return (
        f" {MARK}<b>{MARK} & &amp; {{{{7*7}}}} %s {{0}}</b><img src='file://{picture}'><img src=\"{picture}\">"
        f"![x]({picture})<a href='file://{picture}'>y</a><style>*{{color:red}}</style><script>z</script>"
        f"]]> $ % _ # ^ ~ \\input{{{picture}}} \\write18{{x}} {OVERRIDE}fdp.exe\u202c {ESCAPE}\r\n=cmd|' /C calc'!A0 "
    )


def write_picture(folder: Path) -> Path:
    """The picture that nothing may load, 40 by 40 pixels of one colour."""
    rows = b"".join(b"\0" + bytes(COLOUR) * 40 for _ in range(40))
    chunks = (("IHDR", struct.pack(">IIBBBBB", 40, 40, 8, 2, 0, 0, 0)), ("IDAT", zlib.compress(rows)), ("IEND", b""))
    parts = [
        struct.pack(">I", len(body)) + name.encode() + body + struct.pack(">I", zlib.crc32(name.encode() + body))
        for name, body in chunks
    ]
    path = folder / PICTURE
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    return path


OWN_WORDS = {
    "adjudication.edit_ids", "anchor.boxes", "anchor.origin", "anchor.owner_table", "annotation_done.task",
    "benchmark_review.reviewer", "benchmark_review.role", "benchmark_review.source", "benchmark_rubric.dimension",
    "blob.media_type", "calibration_change.kind", "calibration_change.score_name", "calibration_scenario.method",
    "calibration_scenario.score_name",
    "cluster_description.written", "comment.action", "comment_span.role", "description_choice.choice",
    "description_choice.left_kind", "document.media_type", "document.sha256", "edit.kind", "edit.operation",
    "edit_analysis.comprehensive", "edit_analysis.technicality", "evidence_card.field", "evidence_card.kind",
    "evidence_card.stance", "library_paper.text_sha256", "paper_version.label", "participant.answers_hash",
    "participant.person_key", "preference_cluster.action", "preference_cluster.basis", "preference_cluster.root",
    "preference_cluster.schedule", "preference_cluster.theme", "preference_judgement.answer", "proposal.action",
    "proposal.placement", "rebuttal_candidate.decision", "rebuttal_plan.preset", "rebuttal_plan.quoting",
    "rebuttal_point.action", "rebuttal_point.kind", "rebuttal_point.outcome", "rebuttal_use.source",
    "rebuttal_use.verdict", "returned_file.content_hash", "returned_file.outcome", "review_draft.form",
    "review_draft.form_content", "review_field.field", "review_field.value", "review_run.document_sha256",
    "review_run.state", "review_stage_run.input_hash", "review_stage_run.way", "rubric_rating.dimension",
    "silver_label.kind", "similarity_run.algorithm", "similarity_run.representation", "source_text.kind",
    "source_text.media_type", "study.content_hash", "study.side", "study.study_key", "suggestion_decision.decision",
    "suggestion_run.strategy",
}  # fmt: skip
"""Words, keys and hashes of the program's own, which no person or model writes. Columns of keys, times and JSON are
left out anyway, and so are those whose values the schema lists."""
JSON_TEXTS = {
    "benchmark_review.content", "benchmark_rubric.key_points", "library_paper.areas", "library_paper.authors",
    "preference_cluster.team", "proposal.more", "proposal.reasons", "score_table.problems", "suggestion.reasons",
}  # fmt: skip
"""Columns of JSON whose words come from people, papers and models."""
_TABLES_OF_THE_FILE = {
    "action", "blob", "journal", "journal_context", "journal_real", "journalled_table", "merge_conflict",
    "parsed_document", "project_info",
}  # fmt: skip


def hostile_project(folder: Path) -> Path:
    """The sample project with ``hostile`` texts appended to what is there, and the picture beside it."""
    path = folder / f"{MARK} & Co.rejoinder"
    shutil.copyfile(SAMPLE, path)
    write_picture(folder)
    words = hostile(folder)
    with Project.open(path) as project:
        project.set_title(f"{project.title}{words}")
        with project.action(f"Change everything{words}") as act:
            for table, column in _columns(path):
                _append(act, table, column, words)
    return path


def _columns(path: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as reader:
        tables = [row[0] for row in reader.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = []
        for table in sorted(set(tables) - _TABLES_OF_THE_FILE):
            if table.startswith("sqlite_"):
                continue
            keys = {row[3] for row in reader.execute(f'PRAGMA foreign_key_list("{table}")')}
            for _, column, kind, _, _, primary in reader.execute(f'PRAGMA table_info("{table}")'):
                if kind == "TEXT" and not primary and column not in keys and not column.endswith(("_id", "_at")):
                    found.append((table, column))
    reader.close()
    return [pair for pair in found if ".".join(pair) not in OWN_WORDS]


def _append(act: Any, table: str, column: str, words: str) -> None:
    keys = [row[1] for row in act.execute(f'PRAGMA table_info("{table}")') if row[5]]
    found = " AND ".join(f'"{key}" = ?' for key in keys)
    for value, *key in act.execute(f'SELECT "{column}", {", ".join(keys)} FROM "{table}"').fetchall():
        if value is None or (column == "origin" and not str(value).startswith("import:")):
            continue
        try:
            inside = json.loads(value)
        except ValueError:
            inside = None
        if isinstance(inside, (list, dict)):
            if f"{table}.{column}" not in JSON_TEXTS:
                continue
            made = json.dumps(_in_json(inside, words))
        else:
            made = f"{value}{words}"
        try:
            act.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {found}', (made, *key))
        except sqlite3.IntegrityError as refused:
            if "CHECK" not in str(refused):
                raise


def _in_json(value: Any, words: str, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _in_json(inner, words, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_in_json(inner, words, key) for inner in value]
    return f"{value}{words}" if isinstance(value, str) and " " in value and key != "test" else value
