"""The marks on the revised PDF: what they mark, where they stand, and that no page hinders the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from engine.documents.records import Box, Mark, ParsedDocument
from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.revision.changes_report import marked_pdf, marks_of
from engine.revision.edits import compare
from engine.revision.records import RevisionDiff

SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample"


@pytest.fixture(scope="module")
def service() -> Iterator[DocumentService]:
    with DocumentService() as service:
        yield service


@pytest.fixture(scope="module")
def versions(service: DocumentService) -> tuple[ParsedDocument, ParsedDocument, RevisionDiff]:
    if not (SAMPLE / "revised.pdf").exists():
        pytest.skip("the sample project was not made yet: make sample")
    old, new = (service.parse(SAMPLE / f"{name}.pdf") for name in ("submitted", "revised"))
    return old, new, compare(old.paragraphs, new.paragraphs)


def annotations(pdf: bytes) -> list[tuple[int, str, str, pymupdf.Rect, str]]:
    """(page, type, content, place, author) of every annotation."""
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        return [
            (number, a.type[1], a.info["content"], a.rect, a.info["title"])
            for number, page in enumerate(document, start=1)
            for a in page.annots()
        ]


def test_every_edit_is_marked_and_nobody_is_named(
    versions: tuple[ParsedDocument, ParsedDocument, RevisionDiff], service: DocumentService
) -> None:
    old, new, diff = versions
    pdf = (SAMPLE / "revised.pdf").read_bytes()
    answers = {diff.edits[0].id: ["R1.1"]}
    made = marked_pdf(pdf, diff, old.paragraphs, new.paragraphs, service, title="Marked", answers=answers)
    found = annotations(made.content)
    assert made.left_out == 0
    assert {"Underline", "Square", "Caret", "FreeText"} <= {kind for _, kind, _, _, _ in found}
    labels = {content for _, kind, content, _, _ in found if kind == "FreeText"}
    assert labels == {edit.label or edit.id for edit in diff.edits}
    assert {author for *_, author in found} == {""}
    assert any("Answers R1.1." in content for _, _, content, _, _ in found)
    with pymupdf.open(stream=made.content, filetype="pdf") as document:
        assert document.metadata["author"] == "" and document.metadata["title"] == "Marked"
        assert document.page_count > len(new.pages)
        last = "".join(document[n].get_text() for n in range(len(new.pages), document.page_count))
        assert "Marks of the changes" in last and "What was deleted" in last
        assert document.get_toc()[-1][1] == "Marks of the changes"
    with pymupdf.open(stream=pdf, filetype="pdf") as plain, pymupdf.open(stream=made.content) as marked:
        assert all(marked[n].get_text().startswith(page.get_text()[:-1]) for n, page in enumerate(plain))


def test_underlines_stand_under_the_words_that_came(
    versions: tuple[ParsedDocument, ParsedDocument, RevisionDiff], service: DocumentService
) -> None:
    old, new, diff = versions
    added = next(edit for edit in diff.edits if edit.kind == "added" and len(edit.target_text) > 80)
    only = RevisionDiff((added,), diff.unchanged)
    made = marked_pdf((SAMPLE / "revised.pdf").read_bytes(), only, old.paragraphs, new.paragraphs, service)
    with pymupdf.open(stream=made.content, filetype="pdf") as document:
        under = ""
        for page in document:
            for a in page.annots(types=[pymupdf.PDF_ANNOT_UNDERLINE]):
                points = a.vertices
                for at in range(0, len(points), 4):
                    quad = pymupdf.Quad(points[at : at + 4]).rect
                    under += (
                        " "
                        + page.get_text(
                            "text", clip=pymupdf.Rect(quad.x0 - 1, quad.y0 + 1, quad.x1 + 1, quad.y1 - 1)
                        ).strip()
                    )
    words = [word for word in added.target_text.split() if word.isalpha() and len(word) > 3]
    assert sum(word in under for word in words) / len(words) > 0.9


def test_what_is_gone_has_its_place_after_what_stood_before_it(
    versions: tuple[ParsedDocument, ParsedDocument, RevisionDiff],
) -> None:
    old, new, diff = versions
    gone = next(edit for edit in diff.edits if edit.kind == "deleted")
    (mark,) = [m for m in marks_of(diff, old.paragraphs, new.paragraphs, {}) if m.label == (gone.label or gone.id)]
    assert mark.kind == "deleted" and mark.caret is not None and gone.source_text[:60] in mark.note
    doubted = marks_of(diff, old.paragraphs, new.paragraphs, {}, {gone.id: ("Page 2 is a scan.",)})
    assert [m.label for m in doubted if m.note.endswith("Page 2 is a scan.")] == [mark.label]
    place = {key: targets for sources, targets in diff.unchanged for key in sources}
    place |= {key: edit.target_ids for edit in diff.edits for key in edit.source_ids if edit.target_ids}
    at = next(n for n, p in enumerate(old.paragraphs) if p.id == gone.source_ids[0])
    before = next(p.id for p in reversed(old.paragraphs[:at]) if p.id in place)
    stands = next(p for p in new.paragraphs if p.id == place[before][-1])
    assert mark.page == stands.boxes[-1].page
    assert mark.caret[1] == pytest.approx(stands.boxes[-1].y1 + 3)


def test_nothing_in_common_still_gives_a_file(
    versions: tuple[ParsedDocument, ParsedDocument, RevisionDiff], service: DocumentService
) -> None:
    """All is new and all is gone; and, the other way, nothing changed at all."""
    old, new, _ = versions
    diff = compare(old.paragraphs[:3], ())
    pdf = (SAMPLE / "revised.pdf").read_bytes()
    made = marked_pdf(pdf, diff, old.paragraphs[:3], (), service)
    assert {page for page, *_ in annotations(made.content)} == {1}
    nothing = marked_pdf(pdf, RevisionDiff((), ()), new.paragraphs, new.paragraphs, service)
    assert annotations(nothing.content) == []


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_rotated_pages_are_marked_where_they_show_the_words(service: DocumentService, rotation: int) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=300)
        page.insert_text(
            (60, 100), "The split was made by paper, so that no paper stands on both sides of it.", fontsize=9
        )
        page.set_rotation(rotation)
        shown = page.search_for("by paper")[0] * page.rotation_matrix
        pdf = document.tobytes()
    line = Box(1, shown.x0, shown.y0, shown.x1, shown.y1)
    mark = Mark("added", 1, "e1", "n", (line,), line, (9, 9))
    made = service.mark(pdf, [mark], "t")
    assert (made.marks, made.left_out) == (1, 0)
    with pymupdf.open(stream=made.content, filetype="pdf") as document:
        page = document[0]
        (under,) = page.annots(types=[pymupdf.PDF_ANNOT_UNDERLINE])
        assert "by paper" in page.get_text("text", clip=under.rect)
        pixels = page.get_pixmap(alpha=False)
        blue = [
            (x, y)
            for y in range(pixels.height)
            for x in range(pixels.width)
            if pixels.pixel(x, y)[2] > 120 > pixels.pixel(x, y)[0]
        ]
        assert any(shown.x0 <= x <= shown.x1 and shown.y0 <= y <= shown.y1 + 2 for x, y in blue)


def test_marks_that_a_page_does_not_take_are_counted_and_what_is_no_pdf_is_refused(service: DocumentService) -> None:
    with pymupdf.open() as document:
        document.new_page()
        pdf = document.tobytes()
    mark = Mark("added", 7, "", "", bar=Box(7, 1, 1, 2, 2))
    made = service.mark(pdf, [mark, replace(mark, page=1)], "t")
    assert (made.marks, made.left_out) == (1, 1)
    with pytest.raises(BadInput):
        service.mark(b"no pdf", [], "t")


@pytest.mark.data
@pytest.mark.parametrize("name", ["deep-review", "iscb-diversity", "rephetio"])
def test_real_manuscripts_are_marked(data_folder: Path, service: DocumentService, name: str) -> None:
    folder = data_folder / "revisions" / name
    old, new = (service.parse(folder / f"{version}.pdf") for version in ("submitted", "revised"))
    diff = compare(old.paragraphs, new.paragraphs)
    made = marked_pdf((folder / "revised.pdf").read_bytes(), diff, old.paragraphs, new.paragraphs, service)
    assert made.left_out == 0
    labels = {content for _, kind, content, _, _ in annotations(made.content) if kind == "FreeText"}
    assert labels == {edit.label or edit.id for edit in diff.edits}
