"""What is stored of a document comes back exactly."""

from __future__ import annotations

import json
import zlib
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.codec import decode, encode
from engine.documents.records import DOUBTS, Box, DoubtfulPage, MarginLine, PageSize, Paragraph, ParsedDocument, Word
from engine.errors import BadInput

numbers = st.floats(0, 5000, allow_nan=False).map(lambda x: round(x, 2))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
boxes = st.builds(Box, st.integers(1, 2000), numbers, numbers, numbers, numbers)


@st.composite
def paragraphs(draw: st.DrawFn) -> Paragraph:
    text = draw(texts)
    steps = draw(st.lists(st.integers(0, 3), min_size=len(text) + 1, max_size=len(text) + 1))
    offsets = tuple(sum(steps[: i + 1]) for i in range(len(steps)))
    words = draw(st.lists(st.builds(Word, st.integers(0, 40), st.integers(0, 40), boxes), max_size=4))
    raw = draw(st.one_of(st.just(text), texts))
    kind = draw(
        st.sampled_from(["body", "caption", "heading", "reference", "footnote", "table", "equation", "code", "other"])
    )
    return Paragraph(
        draw(texts), draw(st.integers(0, 9)), draw(texts), kind, text, raw, offsets, 1,
        tuple(draw(st.lists(boxes, max_size=3))), tuple(words),
    )  # fmt: skip


documents = st.builds(
    ParsedDocument,
    sha256=texts,
    pages=st.lists(st.builds(PageSize, st.integers(1, 9), numbers, numbers, st.sampled_from([0, 90])), max_size=3).map(
        tuple
    ),
    paragraphs=st.lists(paragraphs(), max_size=4).map(tuple),
    parser=texts,
    seconds=numbers,
    warnings=st.lists(texts, max_size=2).map(tuple),
    title=texts,
    lines=st.lists(st.builds(MarginLine, st.integers(0, 9999), boxes), max_size=3).map(tuple),
    doubtful=st.lists(st.builds(DoubtfulPage, st.integers(1, 9), st.sampled_from([*DOUBTS]), numbers), max_size=2).map(
        tuple
    ),
)


@given(documents)
def test_every_document_comes_back_equal(document: ParsedDocument) -> None:
    assert decode(encode(document)) == document


@given(documents, st.integers(0, 60))
def test_cut_off_bytes_are_said_to_be_damaged(document: ParsedDocument, kept: int) -> None:
    with pytest.raises(BadInput, match="damaged"):
        decode(encode(document)[:kept])


def test_a_later_format_is_said_to_be_newer() -> None:
    with pytest.raises(BadInput, match="newer"):
        decode(zlib.compress(json.dumps({"format": 99}).encode()))


def test_documents_that_were_stored_without_line_numbers_and_doubts_are_read() -> None:
    box = Box(1, 10.0, 20.0, 90.0, 32.0)
    paragraph = Paragraph("p1", 0, "", "body", '"paragraphs":[', '"paragraphs":[', tuple(range(15)), 1, (box,))
    document = ParsedDocument("hash", (PageSize(1, 595, 842, 0),), (paragraph,), "parser", 1.0, title='"paragraphs":[')
    stored = json.loads(zlib.decompress(encode(document)))
    stored = {name: value for name, value in stored.items() if name not in ("lines", "doubtful", "rules", "bold")}
    assert [*stored][-1] == "paragraphs"
    assert decode(zlib.compress(json.dumps(stored, separators=(",", ":")).encode())) == document


class Reader(json.JSONDecoder):
    """Notes the length of each piece of JSON that is read at once."""

    lengths: ClassVar[list[int]] = []

    def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
        found, end = super().raw_decode(s, idx)
        self.lengths.append(end - idx)
        return found, end


def test_pythons_lock_is_never_held_for_more_than_a_paragraph(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read at once holds the window still, from whichever thread."""
    monkeypatch.setattr(json, "JSONDecoder", Reader)
    monkeypatch.setattr(json, "loads", Reader().decode)
    text = "many words of a paragraph " * 20
    paragraph = Paragraph("p1", 0, "", "body", text, text, tuple(range(len(text) + 1)), 1, ())
    document = ParsedDocument("hash", (PageSize(1, 595, 842, 0),), (paragraph,) * 50, "parser", 1.0)
    assert decode(encode(document)) == document
    assert len(Reader.lengths) > 50
    assert max(Reader.lengths) < 2 * len(text)
