"""brat, WebAnno TSV and UIMA CAS: what is marked comes back, what the formats lose is known, bad files are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.brat import read_brat, write_brat
from engine.exchange.marked_texts import FEATURES, Mark, MarkedDocument
from engine.exchange.uima_cas import Form, read_cas, write_cas
from engine.exchange.webanno_tsv import read_tsv, write_tsv
from engine.reviews.records import Span

CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from("ab \n\t\\|[]_*;->🚲é")
WORDS = st.text(CHARACTERS, max_size=12)


@st.composite
def documents(draw: st.DrawFn) -> MarkedDocument:
    """Marks of our layers and others, over one or several spans that don't touch, some over line ends."""
    text = draw(st.text(CHARACTERS, min_size=1, max_size=60))
    marks = []
    for number in range(draw(st.integers(0, 5))):
        layer = draw(st.sampled_from([*FEATURES, "Claim"]))
        cuts = sorted(draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=6)))
        spans = tuple(Span(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False))
        names = FEATURES.get(layer, ("weight",))
        values = tuple((name, value) for name in names if (value := draw(WORDS)))
        marks.append(Mark(f"m{number}{draw(WORDS)}", layer, spans, values))
    return MarkedDocument("d", text, tuple(marks))


def lines_of(document: MarkedDocument) -> MarkedDocument:
    """As brat can have it: no span begins or ends with a line end, and none has line ends alone."""
    marks = []
    for mark in document.marks:
        words = [re.compile(r"[^\r\n]+").finditer(document.text, span.start, span.end) for span in mark.spans]
        found = [list(pieces) for pieces in words]
        spans: list[Span] = []
        for piece in (piece for pieces in found for piece in pieces):
            between = document.text[spans[-1].end : piece.start()] if spans else "-"
            if between and not between.strip("\r\n"):
                spans[-1] = Span(spans[-1].start, piece.end())
            else:
                spans.append(Span(*piece.span()))
        if spans:
            marks.append(replace(mark, spans=tuple(spans)))
    return replace(document, marks=tuple(marks))


def tight(document: MarkedDocument) -> list[Mark]:
    """The marks without blanks around their spans, those of one id as one."""
    found = []
    for mark in document.marks:
        spans = []
        for span in mark.spans:
            words = document.text[span.start : span.end]
            if words.strip():
                start = span.start + len(words) - len(words.lstrip())
                spans.append(Span(start, start + len(words.strip())))
        if spans:
            found.append(replace(mark, spans=tuple(spans)))
    return by_id(found)


def by_id(marks: Sequence[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: (mark.layer, mark.id))


def blank(text: str) -> str:
    return re.sub(r"\s", " ", text).rstrip()


@given(documents())
@settings(deadline=None)
def test_brat_brings_every_mark_back(document: MarkedDocument) -> None:
    _, text, annotations = write_brat([document])
    read = read_brat("d", text.content.decode(), annotations.content.decode())
    assert read.warnings == () and read.documents == (lines_of(document),)


@given(documents())
@example(MarkedDocument("d", "0", (Mark("m\\", "Comment", (Span(0, 1),), ()),)))
@settings(deadline=None)
def test_webanno_tsv_brings_every_mark_back(document: MarkedDocument) -> None:
    (file,) = write_tsv([document])
    assert file.content.decode().startswith("#FORMAT=WebAnno TSV 3.3\n")
    (read,) = read_tsv("d", file.content.decode()).documents
    assert blank(read.text) == blank(document.text)
    assert by_id(read.marks) == tight(document)


@pytest.mark.parametrize("form", ["json", "xmi"])
@given(document=documents())
@settings(deadline=None, max_examples=40)
def test_uima_cas_brings_every_mark_back(form: Form, document: MarkedDocument) -> None:
    pytest.importorskip("cassis")
    file, *types = write_cas([document], form)
    (read,) = read_cas("d", file.content, form, types[0].content if types else None).documents
    if form == "xmi":  # XML has no control characters
        document = replace(document, text=_printable(document.text), marks=tuple(map(_printed, document.marks)))
    assert read.text == document.text
    assert by_id(read.marks) == by_id(document.marks)


def _printable(text: str) -> str:
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def _printed(mark: Mark) -> Mark:
    values = tuple((name, _printable(value)) for name, value in mark.features)
    return replace(mark, id=_printable(mark.id), features=values)


def test_files_of_others_are_understood() -> None:
    brat = "T1\tProtein 0 3\tabc\nT2\tSite 4 5;6 7\td f\nR1\tPart Arg1:T1 Arg2:T2\nA1\tNegation T1\n"
    brat += "#1\tAnnotatorNotes T2\tsure?\n"
    read = read_brat("d", "abc d f", brat)
    assert read.warnings == ("d.ann: 1 line of another kind left out.",)
    assert read.documents[0].marks == (
        Mark("", "Protein", (Span(0, 3),), (("negation", "yes"),)),
        Mark("", "Site", (Span(4, 5), Span(6, 7)), (("note", "sure?"),)),
    )
    tsv = (
        "#FORMAT=WebAnno TSV 3.2\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n"
        "#T_RL=webanno.custom.Rel|kind|BT_de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity\n\n\n"
        "#Text=🚲 in New York.\n1-1\t0-2\t🚲\t_\t_\t_\t_\t\n1-2\t3-5\tin\t_\t_\t_\t_\t\n"
        "1-3\t6-9\tNew\t*[1]\tLOC[1]\t_\t_\t\n1-4\t10-14\tYork\t*[1]|*[2]\tLOC[1]|P\\|ER[2]\tx\t1-3\t\n"
        "1-4.1\t10-12\tYo\t*\tORG\t_\t_\t\n1-5\t14-15\t.\t_\t_\t_\t_\t\n"
    )
    found = read_tsv("d", tsv)
    assert found.documents[0].text == "🚲 in New York."
    assert found.documents[0].marks == (
        Mark("", "NamedEntity", (Span(5, 13),), (("value", "LOC"),)),
        Mark("", "NamedEntity", (Span(9, 13),), (("value", "P|ER"),)),
        Mark("", "NamedEntity", (Span(9, 11),), (("value", "ORG"),)),
    )
    assert "1 layers of relations" in found.warnings[0]


@pytest.mark.parametrize(
    ("annotations", "said"),
    [
        ("T1\tA 0 9\tabc", "outside the text|isn.t in the text"), ("T1\tA 3 3\t", "outside the text"),
        ("T1\tA 0 3\txyz", "has “abc” there"),
        ("T1 A 0 3 abc", "isn't a brat mark"), ("T1\tA 0 99999999999999\tabc", "isn't a brat mark"),
    ],
)  # fmt: skip
def test_bad_brat_is_refused(annotations: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_brat("d", "abc", annotations)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "isn't WebAnno TSV"), ("#FORMAT=WebAnno TSV 3.3\n\n#Text=a\nx\t0-1\ta\t", "isn.t a token"),
        ("#FORMAT=WebAnno TSV 3.3\n\n#Text=a\n1-1\t0-9\ta\t", "outside the text|isn.t in the text"),
        ("#FORMAT=WebAnno TSV 3.3\n\n#Text=a\n1-1\t999999999-1000000000\ta\t", "out of order"),
        ("#FORMAT=WebAnno TSV 3.3\n\n1-1\t0-1\ta\t", "outside the text|isn.t in the text"),
        ("#FORMAT=WebAnno TSV 3.3\n\n#Text=🚲\n1-1\t1-2\ta\t", "outside the text|isn.t in the text"),
    ],
)  # fmt: skip
def test_bad_tsv_is_refused(content: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_tsv("d", content)


BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><xmi:XMI>&a;</xmi:XMI>'


@pytest.mark.parametrize(
    ("content", "form", "said"),
    [
        (b"{", "json", "read as UIMA CAS JSON"), (b"[1]", "json", "read as UIMA CAS JSON"),
        (b"<a/>", "xmi", "read as UIMA CAS XMI"),
        (b"", "xmi", "read as UIMA CAS XMI"), (BOMB, "xmi", "its own document type"),
        (BOMB.decode().encode("utf-16"), "xmi", "its own document type"),
    ],
)  # fmt: skip
def test_bad_cas_is_refused(content: bytes, form: Form, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cassis")
    with pytest.raises(BadInput, match=said):
        read_cas("d", content, form)
    monkeypatch.setattr(limits, "FILE_BYTES", 10)
    with pytest.raises(BadInput, match="too large"):
        read_cas("d", b" " * 11, form)
