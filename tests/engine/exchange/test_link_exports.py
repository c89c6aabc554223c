"""Links as CSV and as Web Annotations: what goes out comes back, and what does not is said."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.records import DoubtfulPage, Paragraph
from engine.errors import BadInput
from engine.exchange import aries, links_csv, web_annotation
from engine.exchange.io import bare, guarded, parse_table
from engine.exchange.links_csv import resolve_links
from engine.exchange.records import Linking, OutsideLink, Version
from engine.reviews.records import Comment, SourceText, Span
from engine.revision.records import CommentJudgement, Edit, Link

# Text that a file can hold: no half surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
WORDS = TEXT.filter(lambda t: bool(t.strip()))


def paragraph(key: str, text: str, page: int = 1) -> Paragraph:
    return Paragraph(key, 0, "Methods", "body", text, text, tuple(range(len(text) + 1)), page, ())


@st.composite
def linkings(draw: st.DrawFn) -> Linking:
    words = draw(st.lists(WORDS, min_size=1, max_size=4))
    text = SourceText("t", "Review", "\n".join(words))
    comments, position = [], 0
    for number, word in enumerate(words):
        span = Span(position, position + len(word))
        comments.append(Comment(f"c{number}", "t", draw(TEXT), word, response=draw(TEXT), spans=(span,)))
        position += len(word) + 1
    old = tuple(paragraph(f"S{n}", draw(WORDS)) for n in range(3))
    new = tuple(paragraph(f"T{n}", draw(WORDS), n + 1) for n in range(3))
    edits = (
        Edit("e0", "major", "edit", False, ("S0",), ("T0",), old[0].text, new[0].text, draw(TEXT), 9, 9, "1"),
        Edit("e1", "added", "add", False, (), ("T1", "T2"), "", f"{new[1].text}\n\n{new[2].text}", "", 0, 5, "2"),
        Edit("e2", "deleted", "delete", False, ("S1",), (), old[1].text, "", "", 5, 0, "3"),
    )
    pairs = draw(
        st.sets(st.tuples(st.sampled_from(comments), st.sampled_from(edits)).map(lambda p: (p[0].id, p[1].id)))
    )
    confidence = st.none() | st.floats(0, 1)
    links = tuple(
        Link(f"l{n}", c, e, "a", "person", draw(confidence), draw(TEXT)) for n, (c, e) in enumerate(sorted(pairs))
    )
    state = st.sampled_from(["linked", "answered", "not_addressed"])
    states = tuple(CommentJudgement(c.id, draw(state)) for c in comments if draw(st.booleans()))
    return Linking(
        "paper", Version("old.pdf", old), Version("new.pdf", new), (text,), tuple(comments), edits, links, states,
        (("a", "Ann"),),
    )  # fmt: skip


def said(linking: Linking) -> set[tuple[str, str, float | None, str]]:
    return {(link.comment_id, link.edit_id, link.confidence, link.note) for link in linking.links}


def heard(links: tuple[OutsideLink, ...]) -> set[tuple[str, str, float | None, str]]:
    return {(x.comment_id, x.edit_id, x.confidence, x.note) for x in links if x.edit_id}


@given(linkings())
def test_csv_brings_every_link_and_state_back(linking: Linking) -> None:
    export = links_csv.write_links(linking)
    content = export.files[0].content
    read = links_csv.read_links(content.decode("utf-8-sig"), "links.csv")
    whose = [row["annotator"] for _, row in parse_table(content.decode("utf-8-sig"), "x").records() if row["edit_id"]]
    assert whose == ["Ann"] * len(whose)
    assert read.warnings == ()
    assert heard(read.links) == said(linking)
    states = {s.comment_id: s.state for s in linking.states}
    assert {x.comment_id: x.state for x in read.links} == {
        c.id: states.get(c.id, "undecided") for c in linking.comments
    }
    assert {x.comment_id: x.comment_quote for x in read.links} == {c.id: c.comment for c in linking.comments}
    for row in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")):
        assert all(guarded(bare(cell)) == cell for cell in row)


@given(linkings())
def test_annotations_bring_every_link_and_state_back(linking: Linking) -> None:
    export = web_annotation.write_links(linking)
    text = export.files[0].content.decode()
    read = web_annotation.read_links(text, "links.jsonld")
    assert read.warnings == ()
    assert heard(read.links) == said(linking)
    assert {x.comment_id: x.state for x in read.links if x.state} == {s.comment_id: s.state for s in linking.states}
    targets = {f"urn:rejoinder:document:{version.name}": version for version in (linking.source, linking.target)}
    edits = {edit.id: edit for edit in linking.edits}
    for item in json.loads(text)["items"]:
        if item["motivation"] == "linking":
            edit = edits[item["target"][1]["id"].split(":")[3]]
            sides = [side for side, ids in (("submitted", edit.source_ids), ("revised", edit.target_ids)) if ids]
            assert [target["id"].split(":")[-1] for target in item["target"][1:]] == sides
        for target in item["target"] if isinstance(item["target"], list) else [item["target"]]:
            version = targets.get(target["source"])
            whole = "\n\n".join(p.text for p in version.paragraphs) if version else linking.texts[0].text
            quote, position = target["selector"][:2]
            assert whole[position["start"] : position["end"]] == quote["exact"]
            assert whole[: position["start"]].endswith(quote["prefix"])
            assert whole[position["end"] :].startswith(quote["suffix"])


@given(linkings())
def test_links_are_found_again_by_their_words(linking: Linking) -> None:
    read = links_csv.read_links(links_csv.write_links(linking).files[0].content.decode("utf-8-sig"), "links.csv").links
    words = tuple(replace(x, comment_id="", edit_id="") for x in read)
    resolved = resolve_links(words, linking.comments, linking.edits)
    assert {(n.comment_id, n.edit_id) for n in resolved.links} <= {(x.comment_id, x.edit_id) for x in linking.links}


def small() -> Linking:
    text = SourceText("t", "Review", "Please say how the depth was measured.")
    comment = Comment("c", "t", "R1", text.text, spans=(Span(0, 38),))
    other = Comment("d", "t", "R1", "Nice.", response="Thanks.")
    new = (paragraph("T0", "First."), paragraph("T1", "Second."), paragraph("T2", "Third.", 7))
    edit = Edit("e", "major", "split", False, ("S",), ("T0", "T2"), "Old", "First.\n\nThird.", "", 9, 9, "1")
    return Linking(
        "paper", Version("old.pdf"), Version("new.pdf", new), (text,), (comment, other), (edit,),
        (Link("l", "c", "e", "a", "person"),),
    )  # fmt: skip


def test_losses_are_said() -> None:
    loss = " ".join(web_annotation.write_links(small()).loss)
    assert "1 edit covers several places" in loss
    assert "1 comment without a link" in loss
    assert "Responses are left out" in loss
    assert "Positions in reviews" in links_csv.write_links(small()).loss[0]


def test_edits_from_doubtful_pages_are_named() -> None:
    def rows(linking: Linking) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(links_csv.write_links(linking).files[0].content.decode("utf-8-sig"))))

    linking = small()
    assert not any(row["doubt"] for row in rows(linking))
    doubted = replace(linking, target=replace(linking.target, doubtful=(DoubtfulPage(7, "scan", 1.0),)))
    assert [(row["edit_id"], "page 7" in row["doubt"].casefold()) for row in rows(doubted)] == [
        ("e", True),
        ("", False),
    ]
    said = [sentence for sentence in aries.write_linking(doubted).loss if "doubtful" in sentence]
    assert said == ["1 edit was read from doubtful pages, which the files don't say: 1."]


def test_page_of_the_edit_is_a_fragment() -> None:
    moved = replace(small(), edits=(replace(small().edits[0], target_ids=("T2",)),))
    (item,) = json.loads(web_annotation.write_links(moved).files[0].content)["items"]
    assert item["motivation"] == "linking"
    fragment = item["target"][2]["selector"][-1]
    assert (fragment["type"], fragment["value"]) == ("FragmentSelector", "page=7")


@given(linkings(), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8))
def test_everything_is_named_by_an_iri(linking: Linking, odd: str) -> None:
    """RFC 3987: no blanks, no control characters, nothing that needs to be escaped. Ids with such come back, too."""
    comments = tuple(replace(c, id=f"{odd}{c.id}") for c in linking.comments)
    links = tuple(replace(link, comment_id=f"{odd}{link.comment_id}") for link in linking.links)
    states = tuple(replace(state, comment_id=f"{odd}{state.comment_id}") for state in linking.states)
    linking = replace(linking, comments=comments, links=links, states=states, source=Version(f"{odd}.pdf"))
    text = web_annotation.write_links(linking).files[0].content.decode()
    whose = [item["creator"]["name"] for item in json.loads(text)["items"] if "creator" in item]
    assert whose == ["Ann"] * len(whose) and len(whose) >= len(linking.links)
    iris = [
        value
        for item in json.loads(text)["items"]
        for one in (item, *(item["target"] if isinstance(item["target"], list) else [item["target"]]))
        for key, value in one.items()
        if key in {"id", "source"}
    ]
    assert all(re.fullmatch(r"urn:[a-z0-9-]+:[A-Za-z0-9._~%:-]+", iri) for iri in iris), iris
    assert heard(web_annotation.read_links(text, "f").links) == said(linking)


def test_versions_are_named_by_the_hash_of_their_file() -> None:
    linking = replace(small(), target=replace(small().target, sha256="ab" * 32))
    (item,) = json.loads(web_annotation.write_links(linking).files[0].content)["items"]
    assert item["target"][2]["source"] == f"urn:rejoinder:document:{'ab' * 32}"


def test_annotations_of_others_are_understood() -> None:
    link = {
        "type": "Annotation",
        "motivation": ["linking"],
        "target": [
            {
                "source": "a",
                "selector": {"type": "TextQuoteSelector", "exact": "Please say how the depth was measured."},
            },
            {"source": "b", "selector": [{"type": "TextQuoteSelector", "exact": "First. Third."}]},
        ],
    }
    highlight = {"type": "Annotation", "motivation": "highlighting", "target": "urn:x"}
    for document in (
        [link, highlight],
        {"type": "AnnotationCollection", "first": {"type": "AnnotationPage", "items": [link, highlight]}},
    ):
        read = web_annotation.read_links(json.dumps(document), "f")
        assert read.warnings == ("1 annotation without two places left out.",)
        resolved = resolve_links(read.links, small().comments, small().edits)
        assert [(n.comment_id, n.edit_id) for n in resolved.links] == [("c", "e")]
    with pytest.raises(BadInput, match="no Web Annotations"):
        web_annotation.read_links('{"type": "Note"}', "f")


def test_tables_of_others_are_understood() -> None:
    table = "Comment ID;Edit ID;Confidence;State\nc;1;high;linked\nc;zz;0.5;linked\nq;1;;funny\n\n"
    read = links_csv.read_links(table, "f.csv")
    assert [(x.comment_id, x.edit_id, x.confidence) for x in read.links] == [
        ("c", "1", None),
        ("c", "zz", 0.5),
        ("q", "1", None),
    ]
    assert ["isn't a number" in read.warnings[0], "unknown state" in read.warnings[1]] == [True, True]
    resolved = resolve_links(read.links, small().comments, small().edits)
    assert [(n.comment_id, n.edit_id) for n in resolved.links] == [("c", "e")]
    assert resolved.warnings == (
        "1 of 3 rows name a comment that isn't in this project.",
        "1 of 3 rows name an edit that isn't in this comparison.",
    )
    with pytest.raises(BadInput, match="no columns comment_id and edit_id"):
        links_csv.read_links("a,b\n1,2\n", "f.csv")
