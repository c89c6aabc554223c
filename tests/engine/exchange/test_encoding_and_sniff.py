"""What a file is: told from its bytes, with plain sentences where it is nothing that can be imported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.exchange.encoding import decode, read_text
from engine.exchange.sniff import TITLES, sniff

REVIEW = "The paper proposes a sampler. It is unclear how the depth was measured. Please report the split.\n"
LETTER = f"> {REVIEW}\nWe thank the reviewer; the split now stands in Section 3.\n"
FILES = {
    "pdf": b"junk before\n%PDF-1.7\n",
    "letter": LETTER.encode(),
    "review": REVIEW.encode(),
    "openreview": json.dumps([{"id": "a", "forum": "f", "content": {"review": REVIEW}}]).encode(),
    "aries-edits": b'{"doc_id": "d", "source_pdf_id": "a", "target_pdf_id": "b", "edits": []}\n' * 2,
    "aries-comments": b'{"doc_id": "d", "comment_id": 1, "comment": "c", "comment_context": ""}\n',
    "aries-labels": b'{"doc_id": "d", "comment_id": 1, "positive_edits": [], "negative_edits": []}\n',
    "web-annotation": b'{"@context": "http://www.w3.org/ns/anno.jsonld", "type": "AnnotationPage", "items": []}',
    "links-csv": b"comment_id,edit_id\r\nc,e\r\n",
    "s2orc": b'{"paper_id": "p", "pdf_parse": {"body_text": [], "back_matter": []}}',
}


@pytest.mark.parametrize("kind", FILES)
def test_each_kind_is_told(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(FILES[kind])
    assert sniff(path).kind == kind
    assert set(TITLES) == set(FILES)


def test_markdown_is_told_by_the_name(tmp_path: Path) -> None:
    for name, markdown in (("r.md", True), ("r.txt", False)):
        (tmp_path / name).write_text(REVIEW, encoding="utf-8")
        assert sniff(tmp_path / name).markdown is markdown


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n\t ", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "isn't a text file"),
        (b"PK\x03\x04\x14\x00\x06\x00", r"unsupported format.*Save it as Word \(\.docx\)"),
        (b"{\\rtf1 A letter.}", r"unsupported format.*Save it as Word \(\.docx\)"),
        (b'{"a": 1, ', "looks like JSON"),
        (b'{"a": 1}', "unsupported format"),
        (b"[1, 2, 3]", "unsupported format"),
        (b"\xff\xfea", "breaks off at byte"),
    ],
)
def test_what_cannot_be_imported_is_said(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=message):
        sniff(path)


@pytest.mark.parametrize("content", [b"PK\x03\x04\x14\x00\x06\x00", b"\xd0\xcf\x11\xe0" + bytes(600)])
def test_a_word_document_that_cannot_be_read_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "response.docx"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"save it again as Word \(\.docx\) without a password"):
        sniff(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no file"):
        sniff(tmp_path / "missing.txt")
    with pytest.raises(BadInput, match="is a folder"):
        read_text(tmp_path)


def test_a_letter_may_begin_with_a_bracket(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text(f"[R1.1] {REVIEW}\nResponse: We agree and added it.\n", encoding="utf-8")
    assert sniff(path).kind == "letter"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_with_and_without_mark(encoding: str) -> None:
    decoded = decode("Ä “quote” 𝒙".encode(encoding), "f")
    assert decoded.text == "Ä “quote” 𝒙"
    assert decoded.warnings == ()


@pytest.mark.parametrize(("encoding", "text"), [("latin-1", "Größe für"), ("cp1252", "“Größe” – für")])
def test_western_european_text_comes_with_a_warning(encoding: str, text: str) -> None:
    decoded = decode(text.encode(encoding), "r.txt")
    assert decoded.text == text
    assert "Western European" in decoded.warnings[0]


def test_a_text_that_calls_itself_a_pdf_is_no_review(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_text("The paper is clear. Please add a table.")
    with pytest.raises(BadInput, match=r"paper\.pdf isn't a PDF"):
        sniff(path)
    assert sniff(path.rename(tmp_path / "review.txt")).kind == "review"
