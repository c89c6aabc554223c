"""Reviews on their way out: Markdown there and back, notes, the annotated PDF, and what needs confirmation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.places import Places
from engine.documents.records import Box, PageSize, Paragraph, ParsedDocument
from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange.review_form import STATEMENT, write_filled
from engine.exchange.review_leaving import FORMS, INFO, Form, Leaving, make, preview_text
from engine.exchange.review_markdown import read_review
from engine.review_drafting.forms import SHIPPED, shipped
from tests.engine.documents.typeset import Paper

TEXT = "The letters are long."
PAPER = Paragraph("p0", 0, "", "body", TEXT, TEXT, tuple(range(len(TEXT) + 1)), 1, (Box(1, 0, 0, 90, 9),), ())
PLACES = Places(ParsedDocument("0" * 64, (PageSize(1, 600, 800, 0),), (PAPER,), "", 0.0))
FORM = shipped("iclr")
VALUES = {
    "summary": "It parses letters.",
    "weaknesses": "- The writing is dense.\n- The share is low.",
    "rating": "6",
    "odd": "kept elsewhere",
}
PLAIN = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)


def _leaving(values: dict[str, str], statement: str = "", pdf: bytes = b"") -> Leaving:
    return Leaving("Review of letters", FORM, values, PLACES, lambda: pdf, statement)


@given(
    st.sampled_from(SHIPPED),
    st.lists(
        st.lists(
            st.one_of(PLAIN, st.sampled_from(["## Summary", "\\## Summary", "## What was assisted", "- a", "# x"])),
            max_size=4,
        )
    ),
    st.randoms(),
)
def test_no_words_of_a_field_are_taken_for_a_heading_of_the_form(
    key: str, texts: list[list[str]], random: Random
) -> None:
    form = shipped(key)
    values = {}
    for field, lines in zip(form.fields, texts, strict=False):
        if field.kind in ("text", "line"):
            value = "\n".join(lines).strip()
        else:
            value = random.choice(field.options).value if field.options else ""
        if value:
            values[field.key] = value
    text = write_filled(form, values, "A review", "By hand.")
    titles = [field.title for field in form.fields]
    headings = [line.removeprefix("## ").rstrip() for line in text.split("\n") if line.startswith("## ")]
    expected = [field.title for field in form.fields if field.key in values]
    assert [title for title in headings if title in titles or title == STATEMENT] == [*expected, STATEMENT]


def test_several_choices_are_a_list() -> None:
    form = FORM.model_copy(
        update={"fields": (*FORM.fields, FORM.fields[0].model_copy(update={"key": "topics", "title": "Topics",
                                                                          "kind": "choices"}))}
    )  # fmt: skip
    values = {"topics": "theory\ndata"}
    text = write_filled(form, values)
    assert text == "## Topics\n\n- theory\n- data\n"


def test_what_leaves_is_told_before_and_read_by_others() -> None:
    words = preview_text("markdown", _leaving(VALUES, "Drafted by hand.\n"))
    assert words.startswith("# Review of letters\n\n## Summary\n\nIt parses letters.\n")
    assert words.endswith("## What was assisted\n\nDrafted by hand.\n")
    review = read_review(preview_text("markdown", _leaving(VALUES)))
    assert review.weaknesses == ("The writing is dense.", "The share is low.") and review.scores.rating == 6
    assert json.loads(preview_text("note", _leaving(VALUES)))["content"]["rating"] == {"value": 6}
    assert preview_text("disclosure", _leaving(VALUES, "Alone.")) == "Alone."


def test_the_files_and_what_they_do_not_hold(documents_service: DocumentService) -> None:
    paper = Paper()
    paper.title("Letters", ["Ada Example"])
    paper.paragraph("The letters are long, and so are the answers to them.")
    leaving = _leaving(VALUES, "By hand.", paper.finish())
    for form in FORMS:
        made = make(form, leaving, f"review{INFO[form].ending}", documents_service)
        (file,) = made.files
        assert file.content and file.name == f"review{INFO[form].ending}"
        assert ("The form has no place for: Odd." in made.loss) == (form != "disclosure")
    note = make("note", leaving, "n.json", documents_service)
    assert any("statement" in sentence for sentence in note.loss)


@pytest.mark.parametrize("form", ["markdown", "note", "pdf"])
def test_what_is_not_found_leaves_only_confirmed(documents_service: DocumentService, form: Form) -> None:
    leaving = _leaving({**VALUES, "weaknesses": "Table 9 shows that the method fails."}, pdf=b"%PDF-1.4")
    with pytest.raises(BadInput, match="1 not found: Weaknesses"):
        make(form, leaving, "review", documents_service)
    if form != "pdf":
        assert make(form, replace(leaving, confirmed=True), "review", documents_service).files


@pytest.fixture(scope="module")
def documents_service() -> Iterator[DocumentService]:
    with DocumentService() as service:
        yield service
