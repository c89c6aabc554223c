"""Places that comments and replies name, found in both versions, and what they do to the ranking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.documents.records import Box, MarginLine, PageSize, Paragraph, ParagraphKind, ParsedDocument, Word
from engine.jobs import QuietReport
from engine.revision.aligners import make_aligner
from engine.revision.candidates import candidates
from engine.revision.edits import compare
from engine.revision.named_places import NamedEdits
from engine.revision.records import Query

LINE = 12.0


class SameVectors:
    """All texts mean the same, so that only places tell edits apart."""

    fingerprint = "same"

    def encode(self, texts: list[str], report: object = None) -> NDArray[np.float32]:
        return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))


def document(*written: tuple[int, ParagraphKind, str], section: str = "") -> ParsedDocument:
    """Paragraphs of one line each, twenty lines a page, with numbers in the margin from 1."""
    paragraphs, lines = [], []
    for at, (page, kind, text) in enumerate(written):
        if kind == "heading":
            section = text
        box = Box(page, 72.0, 72.0 + 30 * at, 500.0, 72.0 + 30 * at + LINE)
        word = Word(0, len(text), box)
        key = f"p{at}"
        paragraphs.append(
            Paragraph(key, at, section, kind, text, text, tuple(range(len(text) + 1)), page, (box,), (word,))
        )
        lines.append(MarginLine(at + 1, box))
    pages = tuple(PageSize(n, 595.0, 842.0, 0) for n in sorted({page for page, _, _ in written}))
    return ParsedDocument("x", pages, tuple(paragraphs), "test", 0.0, (), "", tuple(lines))


OLD = document(
    (1, "heading", "1 Introduction"),
    (1, "body", "Counting cars is as old as traffic itself, and nobody agrees on how to do it well."),
    (1, "heading", "2 Method"),
    (2, "body", "Counters stood at forty junctions of the town during one week of the early spring."),
    (2, "caption", "Table 1: Junctions and the counters that stood at each of them in spring."),
    (3, "heading", "3 Results"),
    (3, "body", "The error falls with every counter that is added to the town until there are thirty."),
)
NEW = document(
    (1, "heading", "1 Introduction"),
    (1, "body", "Counting cars is as old as traffic itself, and few agree on how to do it well today."),
    (1, "heading", "2 Method"),
    (2, "body", "Counters stood at forty junctions of the town during two weeks of the early autumn."),
    (2, "body", "Rain was rare in both weeks, and no street was closed to traffic while we counted."),
    (2, "caption", "Table 1: Junctions and the counters that stood at each of them in autumn."),
    (3, "heading", "3 Results"),
    (3, "body", "The error falls with every counter that is added to the town until there are twenty."),
)
DIFF = compare(OLD.paragraphs, NEW.paragraphs)
NAMED = NamedEdits(OLD, NEW, DIFF.edits, DIFF.unchanged)


def texts(text: str, *, reply: bool = False) -> dict[str, list[str]]:
    """By label the beginnings of the edits there."""
    by_id = {edit.id: edit for edit in DIFF.edits}
    found = NAMED.of_reply(text) if reply else NAMED.of_comment(text)
    return {p.label: sorted((by_id[e].target_text or by_id[e].source_text)[:8] for e in p.edit_ids) for p in found}


@pytest.mark.parametrize(
    ("comment", "label", "edits"),
    [
        ("In line 4, why one week?", "Line 4", ["Counters", "Rain was"]),
        ("Lines 1-2 are vague.", "Lines 1–2", ["Counting"]),
        ("On page 3 the figure is unclear.", "Page 3", ["The erro"]),
        ("See p. 2.", "Page 2", ["Counters", "Rain was", "Table 1:"]),
        ("Section 2 needs detail.", "Section 2", ["Counters", "Rain was"]),
        ("Method: which streets?", "Section “Method”", ["Counters", "Rain was"]),
        ("The introduction is vague.", "Section “Introduction”", ["Counting"]),
        ("Why autumn in the first table?", "Table 1", ["Table 1:"]),
        ("The last paragraph of the introduction is vague.", "Section “Introduction”", ["Counting"]),
        ("Section 2, first paragraph: why one week?", "Section 2", ["Counters", "Rain was"]),
        ("Table 1 lacks units.", "Table 1", ["Table 1:"]),
        ("What does “nobody agrees on how to do it” mean?", "“nobody agrees on how to do it”", ["Counting"]),
    ],
)
def test_a_comment_names_places_of_the_submitted_version(comment: str, label: str, edits: list[str]) -> None:
    assert texts(comment) == {label: edits}


def test_a_reply_names_places_of_the_revised_version() -> None:
    # Line 5 of the revised version is new; line 5 of the submitted one is the caption.
    assert texts("See line 5.", reply=True) == {"Line 5": ["Rain was"]}
    assert texts("See line 5.") == {"Line 5": ["Table 1:"]}
    # The submitted version has no line 8: the revised one is asked.
    assert texts("See line 8.") == {"Line 8": ["The erro"]}


def test_places_that_are_not_there_name_nothing() -> None:
    assert texts("Line 120, page 7, Table 9 and Section 8 say “words that stand nowhere at all”.") == {}
    assert NAMED.of_comment("A “counter” is what?") == ()  # a term, not a place


def test_a_named_place_lifts_its_edits_and_says_why() -> None:
    found = candidates(DIFF)
    query = Query("c", "Please be precise in line 7.")
    placed = replace(query, named=NAMED.of_comment(query.comment))
    aligner = make_aligner("fused", embedder=SameVectors())
    plain = {s.edit_id: s for s in aligner.score([query], found, report=QuietReport())["c"]}
    first, *_ = aligner.score([placed], found, report=QuietReport())["c"]
    (edit,) = (e for p in placed.named for e in p.edit_ids)
    assert first.edit_id == edit and first.reasons[0] == "comment names Line 7"
    assert first.score > 2 * plain[edit].score and first.linked


def test_a_section_that_is_named_has_the_first_edit_and_only_that_one_is_lifted() -> None:
    found = candidates(DIFF)
    query = Query("c", "The counting of cars in the introduction, twenty or thirty? Section 2 is vague.")
    placed = replace(query, named=NAMED.of_comment("Section 2 is vague."))
    aligner = make_aligner("fused", embedder=SameVectors())
    plain = {s.edit_id: s.score for s in aligner.score([query], found, report=QuietReport())["c"]}
    first, second, *_ = aligner.score([placed], found, report=QuietReport())["c"]
    (place,) = placed.named
    assert max(plain, key=plain.__getitem__) not in place.edit_ids
    assert first.edit_id in place.edit_ids and first.reasons[0] == "comment names Section 2"
    assert second.edit_id not in place.edit_ids


def test_replies_lift_only_where_they_are_used() -> None:
    found = candidates(DIFF)
    query = Query("c", "Please be precise.", response="We changed it, see line 5.")
    placed = replace(query, reply_named=NAMED.of_reply(query.response))
    with_replies = make_aligner("fused", use_responses=True, embedder=SameVectors())
    (edit,) = (e for p in placed.reply_named for e in p.edit_ids)
    said = {s.edit_id: s.reasons for s in with_replies.score([placed], found, report=QuietReport())["c"]}
    assert "response names Line 5" in said[edit]
    without = make_aligner("fused", embedder=SameVectors()).score([placed], found, report=QuietReport())["c"]
    assert not any("response names" in reason for s in without for reason in s.reasons)


def test_a_paragraph_below_a_float_stands_at_the_text_before_and_own_headings_are_places() -> None:
    """Where a table is set says nothing of the paragraphs around it."""
    front: list[tuple[int, ParagraphKind, str]] = [
        (1, "heading", "1 Study design"),
        (1, "body", "Counters stood at forty junctions of the town during one week of the early spring."),
        (1, "caption", "Table 1: Junctions and the counters that stood at each of them in spring."),
    ]
    words = "Rain was rare in both weeks, and no street was closed to traffic while we counted."
    added: tuple[int, ParagraphKind, str] = (1, "body", words)
    end: list[tuple[int, ParagraphKind, str]] = [
        (1, "heading", "2 Results"), (1, "body", "The error falls with every counter that is added to the town."),
    ]  # fmt: skip
    old, new = document(*front, *end), document(*front, added, *end)
    diff = compare(old.paragraphs, new.paragraphs)
    named = NamedEdits(old, new, diff.edits, diff.unchanged)
    assert [edit.kind for edit in diff.edits] == ["added"]
    assert not named.of_comment("Table 1 needs another column.")
    for reply in ("A sentence was added under Study design.", "See the Study design section."):
        assert [(p.label, p.edit_ids) for p in named.of_reply(reply)] == [
            ("Section “Study design”", frozenset({diff.edits[0].id}))
        ]
    assert not named.of_reply("Study design matters to us.")
