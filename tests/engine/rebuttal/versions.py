"""A small paper in two versions, and the edits between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from engine.documents.records import ParagraphKind, ParsedDocument
from engine.revision.records import Edit
from tests.engine.documents.pages import document

Parts = Sequence[tuple[ParagraphKind, str]]
SUBMITTED: Parts = (
    ("heading", "1 Introduction"),
    ("body", "Tides rise and fall, as Table 1 shows."),
    ("heading", "2 Method"),
    ("body", "We set the margin by hand."),
    ("caption", "Table 1: Tides of two bays."),
    ("table", "bay high low north 4.12 1.3"),
)
REVISED: Parts = (
    ("heading", "1 Introduction"),
    ("body", "Tides rise and fall, as Table 1 shows."),
    ("heading", "2 Method"),
    ("body", "We set the margin by cross-validation over five bays, because it drifts."),
    ("caption", "Table 1: Tides of two bays."),
    ("table", "bay high low north 4.12 1.3"),
    ("caption", "Table 2: An ablation of the second stage."),
    ("table", "stage error full 0.31 without 0.44"),
    ("heading", "A Further bays"),
    ("body", "More bays were measured in summer."),
    ("heading", "B Data"),
    ("body", "The data are open."),
)


def make_document(parts: Parts) -> ParsedDocument:
    plain = document(*(text for _, text in parts))
    section, made = "", []
    for paragraph, (kind, text) in zip(plain.paragraphs, parts, strict=True):
        section = text if kind == "heading" else section
        made.append(dataclasses.replace(paragraph, kind=kind, section=section))
    return dataclasses.replace(plain, paragraphs=tuple(made))


def make_edits() -> tuple[Edit, ...]:
    """What became of the submitted version: a sentence changed, a table and an appendix added."""
    old, new = SUBMITTED, REVISED

    def edit(key: str, source: Sequence[int], target: Sequence[int], section: str) -> Edit:
        kind = "added" if not source else "major"
        return Edit(
            key, kind, "edit" if source else "add", False, tuple(f"p{n:04d}" for n in source),
            tuple(f"p{n:04d}" for n in target), " ".join(old[n][1] for n in source),
            " ".join(new[n][1] for n in target), section, 4, 9, key,
        )  # type: ignore[arg-type]  # fmt: skip

    return (edit("e1", [3], [3], "2 Method"), edit("e2", [], [6, 7], "2 Method"), edit("e3", [], [9], "A Further bays"))
