"""The ARIES files: the same bytes back, and nothing made up where a field is empty."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.records import Paragraph
from engine.errors import BadInput
from engine.exchange.aries import (
    comment_line,
    edit_labels,
    outside_links,
    paper_edits,
    read_file,
    read_s2orc,
    review_comments,
    write_linking,
    write_linkings,
)
from engine.exchange.links_csv import resolve_links
from engine.exchange.records import Linking, Version
from engine.research.alignment.corpus import read_papers
from engine.reviews.records import Comment, SourceText, Span
from engine.revision.records import CommentJudgement, Edit, Link

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
EXTRA = st.dictionaries(
    st.text(min_size=1).filter(lambda k: k not in {"doc_id", "comment_id", "comment"}), VALUES, max_size=4
)


@st.composite
def comment_files(draw: st.DrawFn) -> bytes:
    lines = []
    for number in range(draw(st.integers(0, 4))):
        record: dict[str, Any] = {"doc_id": draw(st.sampled_from("ab")), "comment_id": number, **draw(EXTRA)}
        record["comment"] = draw(st.text())
        separators = draw(st.sampled_from([None, (",", ":"), (" , ", " : ")]))
        lines.append(json.dumps(record, ensure_ascii=draw(st.booleans()), separators=separators))
    ending = draw(st.sampled_from(["", "\n", "\n\n", "\r\n"]))
    joined = draw(st.sampled_from(["\n", "\r\n"])).join(lines) + ending
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + joined.encode()


@given(comment_files())
def test_reading_and_writing_gives_the_same_bytes(data: bytes) -> None:
    file = read_file(data, "review_comments.jsonl")
    assert file.content() == data
    bundle = review_comments(file)
    written = [comment_line(c, c.source_id).raw for c in bundle.comments]
    assert sorted(written) == sorted(line.raw for line in file.lines if line.values is not None)
    for comment in bundle.comments:
        text = next(t.text for t in bundle.texts if t.id == comment.source_id)
        assert all(text[s.start : s.end] in comment.comment for s in comment.spans)


def test_a_changed_comment_keeps_its_other_fields_in_place() -> None:
    raw = '{"doc_id":"d","comment":"Old","z":[1,2],"comment_id":"c","comment_context":"Old and more","ä":"\\u00e4"}'
    bundle = review_comments(read_file(raw.encode(), "f"))
    changed = replace(bundle.comments[0], comment="New")
    line = json.loads(comment_line(changed, "d").raw)
    assert list(line) == list(json.loads(raw))
    assert line == {**json.loads(raw), "comment": "New"}


def test_comments_are_placed_in_their_contexts() -> None:
    lines = [
        {
            "doc_id": "d",
            "comment_id": 1,
            "comment": "A is unclear. [...] B too.",
            "comment_context": "A is unclear. Or not. B too.",
        },
        {"doc_id": "d", "comment_id": 2, "comment": "Or not.", "comment_context": "A is unclear. Or not. B too."},
        {"doc_id": "e", "comment_id": 1, "comment": "Alone.", "comment_context": ""},
    ]
    bundle = review_comments(read_file("\n".join(map(json.dumps, lines)).encode(), "f"))
    assert [t.text for t in bundle.texts] == ["A is unclear. Or not. B too.", "Alone."]
    assert [c.id for c in bundle.comments] == ["d/1", "2", "e/1"]
    assert [c.spans for c in bundle.comments] == [(Span(0, 13), Span(22, 28)), (Span(14, 21),), (Span(0, 6),)]
    assert [
        c.external_id for c in review_comments(read_file(json.dumps(lines[0]).encode(), "f"), doc_id="d").comments
    ] == ["1"]


def test_empty_negatives_mean_unknown() -> None:
    lines = [
        '{"doc_id": "d", "comment_id": "a", "positive_edits": ["e1"], "negative_edits": []}',
        '{"doc_id": "d", "comment_id": "b", "positive_edits": [], "negative_edits": ["e1"], "state": "response_only"}',
        '{"doc_id": "d", "comment_id": "c", "positive_edits": []}',
    ]
    labels = edit_labels(read_file("\n".join(lines).encode(), "edit_labels.jsonl"))
    assert [label.negatives for label in labels] == [None, ("e1",), None]
    assert [label.state for label in labels] == ["linked", "answered", None]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"doc_id": 1}\n{"broken', "line 2 isn't valid JSON"),
        (b"[1]", "f, line 1 isn't a JSON object"),
        (b"\xff\xff", "isn't UTF-8"),
    ],
)
def test_damage_is_named(content: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_file(content, "f")


def test_missing_fields_are_named() -> None:
    with pytest.raises(BadInput, match="“source_pdf_id” is missing"):
        paper_edits(read_file(b'{"doc_id": "d", "edits": []}', "f"))


def paragraph(key: str, index: int, text: str) -> Paragraph:
    return Paragraph(key, index, "Methods", "body", text, text, tuple(range(len(text) + 1)), 1, ())


def linking() -> Linking:
    source = Version("old", (paragraph("S0", 0, "Old one."), paragraph("S1", 1, "Gone.")))
    target = Version("new", (paragraph("T0", 0, "New one."), paragraph("T1", 1, "Added.")))
    edits = (
        Edit("k0", "minor", "edit", False, ("S0",), ("T0",), "Old one.", "New one.", "Methods", 1, 1, "e000"),
        Edit("k1", "added", "add", False, (), ("T1",), "", "Added.", "Methods", 0, 1, "e001"),
        Edit("k2", "deleted", "delete", False, ("S1",), (), "Gone.", "", "Methods", 1, 0, "e002"),
    )
    text = SourceText("t", "Review", "Say why. Add it. Nice.")
    comments = (
        Comment("c0", "t", "R1", "Say why.", "Say why. Add it.", "We do.", (Span(0, 8),)),
        Comment("c1", "t", "R1", "Add it.", "", "", (Span(9, 16),)),
        Comment("c2", "t", "R2", "Nice.", "", "", (Span(17, 22),), actionable=False),
    )
    links = (
        Link("l0", "c0", "k1", "ann", "person", 0.5, "certain"),
        Link("l1", "c0", "k0", "ann", "person"),
        Link("l2", "c1", "k2", "ann", "person"),
    )
    states = (CommentJudgement("c0", "linked"),)
    return Linking("paper", source, target, (text,), comments, edits, links, states, (("ann", "Ann"),))


def test_a_project_goes_out_and_its_links_come_back() -> None:
    given_linking = linking()
    export = write_linking(given_linking)
    files = {f.name: read_file(f.content, f.name) for f in export.files if f.name.endswith(".jsonl")}
    (paper,) = paper_edits(files["paper_edits.jsonl"])
    assert [(e.edit_id, e.source_idxs, e.target_idxs) for e in paper.edits] == [
        ("e000", (0,), (0,)),
        ("e001", (), (1,)),
        ("e002", (1,), ()),
    ]
    labels = edit_labels(files["edit_labels.jsonl"])
    assert [(label.comment_id, label.positives, label.negatives) for label in labels] == [
        ("c0", ("e000", "e001"), ("e002",)),
        ("c1", ("e002",), None),
    ]
    resolved = resolve_links(outside_links(labels).links, given_linking.comments, given_linking.edits)
    assert {(n.comment_id, n.edit_id) for n in resolved.links} == {("c0", "k0"), ("c0", "k1"), ("c1", "k2")}
    assert {s.comment_id: s.state for s in resolved.states} == {"c0": "linked", "c1": "linked"}
    assert resolved.warnings == ()
    comments = review_comments(files["review_comments.jsonl"]).comments
    assert [(c.comment, c.context, c.response, c.reviewer) for c in comments] == [
        (c.comment, c.context, c.response, c.reviewer) for c in given_linking.comments
    ]
    loss = " ".join(export.loss)
    for word in ("full reviews", "Confidence", "Notes", "1 undecided", "1 comment requests nothing"):
        assert word in loss


def test_papers_come_back_with_their_paragraphs_and_ids_do_not_collide(tmp_path: Path) -> None:
    """Three papers of one title, whose PDFs have the same names; two comments of one paper have the same outside id."""
    one = linking()
    same = tuple(replace(c, external_id="letter-1") for c in one.comments[:2]) + one.comments[2:]
    given = [
        replace(
            one, comments=same, source=replace(one.source, sha256=f"{n}a" * 32), target=replace(one.target, name="old",
            sha256=f"{n}b" * 32),
        )
        for n in range(3)
    ]  # fmt: skip
    for file in write_linkings(given).files:
        path = tmp_path / file.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file.content)
    assert len(list((tmp_path / "s2orc").iterdir())) == 6
    found = read_papers(tmp_path)
    assert len({paper.id for paper in found}) == 3
    for paper in found:
        assert [(query.comment_id, query.comment) for query in paper.queries] == [("c0", "Say why."), ("c1", "Add it.")]
        assert paper.positives == (frozenset({"e000", "e001"}), frozenset({"e002"}))
        assert [text for _, _, text in paper.paragraphs] == ["Old one.", "Gone."]
        assert {(c.edit_id, c.deleted, c.added) for c in paper.candidates} >= {
            ("e001", "", "Added."),
            ("e002", "Gone.", ""),
        }


def test_a_line_of_another_paper_gets_the_id_of_this_one() -> None:
    """Else the comments would not be found again by the ids of the other files."""
    raw = b'{"doc_id": "their", "comment_id": "1", "comment": "Say why."}'
    (comment,) = review_comments(read_file(raw, "f")).comments
    assert comment_line(comment, "their").raw == raw.decode()
    assert json.loads(comment_line(comment, "ours").raw)["doc_id"] == "ours"


@pytest.mark.parametrize("name", ["../../evil", "a/b", ".hidden", "x" * 300, "", "CON:"])
def test_names_of_pdfs_stay_in_the_folder(name: str) -> None:
    given = replace(linking(), source=Version(name, sha256="ab" * 32), target=Version(name, sha256="cd" * 32))
    parsed = [file.name for file in write_linking(given).files if "s2orc" in file.name]
    assert len(parsed) == 2
    assert all(re.fullmatch(r"s2orc/[\w-][\w. -]{0,120}\.json", file) and ".." not in file for file in parsed), parsed


def test_paragraph_indices_run_on_into_the_back_matter() -> None:
    parse = {"body_text": [{"text": "a", "section": "1"}], "back_matter": [{"text": "b", "section": None}]}
    for record in ({"paper_id": "p", "pdf_parse": parse}, {"paper_id": "p", **parse}):
        document = read_s2orc(json.dumps(record), "p.json")
        assert [(p.index, p.text, p.section) for p in document.paragraphs] == [(0, "a", "1"), (1, "b", "")]
    with pytest.raises(BadInput, match="no body_text"):
        read_s2orc("{}", "p.json")


@pytest.mark.data
def test_real_files_come_back_byte_for_byte(data_folder: Path) -> None:
    for name in ("paper_edits", "review_comments", "edit_labels"):
        data = (data_folder / "revisions" / f"{name}.jsonl").read_bytes()
        file = read_file(data, name)
        assert file.content() == data
        if name == "review_comments":
            lines = [line.raw for line in file.lines if line.values is not None]
            assert [comment_line(c, c.source_id).raw for c in review_comments(file).comments] == lines
