"""Writes a copy of a project to share: selected content, without history, private notes and traces of this machine."""

import json
import os
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from engine.errors import not_written
from engine.project import Project
from engine.project.excerpt import Changed, Excerpt, write_excerpt
from engine.project.lock import user
from engine.rebuttal.points import said
from engine.shown import counted

ALWAYS = frozenset(
    {
        "annotator", "paper", "document", "paper_version", "parsed_document", "anchor", "revision", "edit", "blob",
        "annotation_done",
    }
)  # fmt: skip
"""Tables included in every copy, as far as they belong to its papers."""
NEVER = frozenset(
    {"project_info", "action", "journal", "journal_real", "journal_context", "journalled_table", "merge_conflict"}
)
"""Tables with history and data about the file itself."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that can be left out: its name on the command line, its title, and its tables."""

    id: str
    title: str
    tables: tuple[str, ...] = ()
    default: bool = True


PARTS = (
    Part("pdfs", "PDF files"),
    Part(
        "reviews",
        "Reviews, letters, comments, links and labels",
        ("source_text", "comment", "comment_span", "edit_link", "dismissed_edit", "comment_state", "adjudication",
         "unit_adjudication", "sentence_label", "edit_analysis"),
    ),
    Part("others", "Other annotators' work"),
    Part("rebuttal", "The rebuttal draft", ("rebuttal_plan", "rebuttal_point", "rebuttal_use")),
    Part("templates", "Rebuttal templates", ("rebuttal_template",)),
    Part(
        "review-drafts",
        "Review drafts, with evidence and runs",
        ("review_draft", "review_field", "review_version", "evidence_card", "review_suggestion_decision",
         "review_prompt", "review_run", "review_stage_run"),
        default=False,
    ),
    Part("notes", "Private notes", default=False),
    Part(
        "suggestions",
        "Suggestions, and decisions on them",
        ("suggestion_run", "suggestion", "suggestion_decision", "silver_label", "silver_decision", "proposal",
         "sentence_suggestion", "sentence_label_decision", "trained_heads", "rebuttal_draft"),
        default=False,
    ),
    Part(
        "preferences",
        "Preference clusters and judgements",
        ("preference_cluster", "cluster_sentence", "rebuttal_candidate", "preference_judgement",
         "preference_adjudication", "cluster_description", "description_choice", "extracted_description"),
        default=False,
    ),
    Part(
        "survey",
        "Expertise surveys and their answers",
        ("study", "participant", "profile_paper", "rating", "returned_file", "survey_sitting", "similarity_run",
         "similarity_result"),
        default=False,
    ),
    Part("packages", "Work packages", ("work_round", "work_package", "work_return"), default=False),
    Part("library", "The library of published papers", ("library_paper",), default=False),
    Part("emails", "E-mail addresses of participants", ("participant_contact",), default=False),
    Part(
        "scores",
        "Score tables",
        ("score_table", "score_review", "calibration_scenario", "calibration_change"),
        default=False,
    ),
    Part(
        "benchmark",
        "Benchmarks of reviews",
        ("benchmark", "benchmark_paper", "benchmark_review", "benchmark_rubric", "rubric_rating", "judge_run",
         "judge_score"),
        default=False,
    ),
)  # fmt: skip
"""The parts that can be left out; the defaults are what a co-author needs."""
NOTES = (
    ("anchor", "note"), ("edit_link", "note"), ("comment_state", "note"), ("adjudication", "note"),
    ("edit_analysis", "note"), ("evidence_card", "note"), ("preference_judgement", "note"), ("rating", "note"),
    ("rebuttal_template", "note"), ("rubric_rating", "note"),
)  # fmt: skip
"""Columns with private notes. Lines with %% in responses are private notes too."""
_MACHINE = (
    "origin", "filename", "parameters", "settings", "inputs", "card", "model", "columns", "problem", "problems", "raw",
)  # fmt: skip
"""Columns that may contain file paths from programs and imports; paths are shortened to the file name."""
_PATH = re.compile(
    r"(?<![\w.])(?:[A-Za-z]:[\\/]+|~?/|\\\\)(?:[^\\/\s\"'<>|:][^\\/\n\"'<>|:]*[\\/]+)+(?=[^\\/\s\"'<>|:])"
)
_ADDRESS = re.compile(r"https?://[^\s\"'<>]*[^\s\"'<>.,:;]")
"""Address of a language-model server, in error messages and in model names written by earlier versions."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a copy contains: ``papers`` (None: all), the ids of ``parts``, and whether annotators are numbered."""

    papers: tuple[str, ...] | None = None
    parts: frozenset[str] = frozenset(part.id for part in PARTS if part.default)
    anonymous: bool = False


def default_choice(project: Project) -> Choice:
    """Returns what a co-author needs, of all papers; annotators are numbered if a rebuttal lists names to hide or a
    review is being written."""
    row = project.query_one(
        "SELECT EXISTS (SELECT 1 FROM rebuttal_plan WHERE names <> '[]') OR EXISTS (SELECT 1 FROM review_draft)"
    )
    return Choice(anonymous=row is not None and bool(row[0]))


def share(
    project: Project, target: Path, choice: Choice, progress: Callable[[float], None] | None = None
) -> dict[str, int]:
    """Writes the copy; returns its number of rows by table.

    Raises:
        BadInput: the target exists, or a part is unknown.
        EnvironmentProblem: the disk is full or the folder can't be written.
    """
    known = {part.id for part in PARTS}
    if unknown := sorted(choice.parts - known):
        raise not_written(f"There's no part named {unknown[0]}.", f"The parts are: {', '.join(known)}.")
    if os.path.lexists(target):
        raise not_written(f"{target.name} already exists.", "Choose another name.")
    # the survey's ratings refer to papers in the library
    parts = choice.parts | ({"library"} if "survey" in choice.parts else set())
    left_out = [part for part in PARTS if part.id not in parts]
    excerpt = Excerpt(
        project.annotator_id,
        choice.papers,
        tuple(table for part in left_out for table in part.tables),
        others="others" in choice.parts,
        files="pdfs" in choice.parts,
        changed=_changes(project, choice),
        rename=lambda names: _names(names, anonymous=choice.anonymous),
    )
    return write_excerpt(project.path, target, excerpt, progress)


def _names(names: Mapping[str, str], *, anonymous: bool) -> dict[str, str]:
    """Returns annotators' names in the copy, which never include the name of the account or the machine."""
    traces, found = {user(), platform.node()}, {}
    free = (name for number in count(1) if (name := f"Annotator {number}") not in names.values())
    for key, name in names.items():
        found[key] = next(free) if anonymous or name in traces else name
    return found


def _changes(project: Project, choice: Choice) -> dict[tuple[str, str], Changed]:
    changed: dict[tuple[str, str], Changed] = {("*", column): without_paths for column in _MACHINE}
    changed |= {("*", column): without_addresses for column in ("origin", "model", "problem")}
    if "notes" not in choice.parts:
        changed |= {place: lambda _note: "" for place in NOTES}
        changed["rebuttal_point", "text"] = said
        changed["rebuttal_use", "text"] = said
    names = dict(project.annotators())
    renamed = {names[key]: name for key, name in _names(names, anonymous=choice.anonymous).items()}

    def team(text: str) -> str:
        return json.dumps([renamed.get(name, name) for name in json.loads(text)], ensure_ascii=False)

    changed["preference_cluster", "team"] = team
    changed["preference_cluster", "basis"] = lambda name: renamed.get(name, name)
    if choice.anonymous:
        changed["rebuttal_plan", "names"] = lambda _names: "[]"
        changed |= {("participant", "name"): lambda _name: "", ("study", "organiser"): lambda _name: ""}
        changed["study", "contact"] = lambda _contact: ""
    return changed


def without_paths(value: object) -> object:
    """Returns a text with paths shortened to the name of the file or folder."""
    return _PATH.sub("", value) if isinstance(value, str) else value


def without_addresses(value: object) -> object:
    """Returns a text without paths and server addresses."""
    return _ADDRESS.sub("…", found) if isinstance(found := without_paths(value), str) else found


def described(written: Mapping[str, int], choice: Choice) -> tuple[str, ...]:
    """Describes in sentences what a copy contains and lacks."""
    words = {"paper": ("paper",), "source_text": ("review or letter", "reviews and letters"), "comment": ("comment",)}
    held = [counted(n, *words[table]) for table in words if (n := written.get(table, 0))]
    lacks = "; ".join(part.title for part in PARTS if part.id not in choice.parts)
    holds = f"The copy contains {', '.join(held) or 'no papers'} and no history."
    return (holds, f"Left out: {lacks}.") if lacks else (holds,)
