from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pymupdf
import pytest

from engine.documents.records import Paragraph
from engine.documents.service import DocumentService
from engine.revision.changes_report import CONTEXT_WORDS, ChangeList, changes_html, changes_pdf
from engine.revision.edits import compare
from engine.revision.records import Edit, RevisionDiff

FIRST = "The passages were drawn by lot from <all> papers & every reading was made twice."
SECOND = "A reviewer who had seen a paper before was not asked about it again in the same year."
LONG = " ".join(f"word{at}" for at in range(200)) + "."


def paper(*texts: str, page: int = 1) -> list[Paragraph]:
    return [
        Paragraph(f"p{at}", at, "Methods > Sampling", "body", text, text, (), page + at, ())
        for at, text in enumerate(texts)
    ]


OLD = paper(FIRST, SECOND, LONG)
NEW = paper(
    FIRST.replace("by lot", "at random"), LONG + " And an end.", "Quite new is this paragraph of the paper.", page=2
)


@pytest.fixture
def diff() -> RevisionDiff:
    return compare(OLD, NEW)


class Marked(HTMLParser):
    """Collects the text inside each kind of tag, and every address that a page could load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "data", "action")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.text.setdefault(tag, []).append(data)


def test_the_page_says_what_changed_and_where(diff: RevisionDiff) -> None:
    page = changes_html(ChangeList(diff.edits, OLD, NEW, made="2026-05-01", answers={"e001": ["R1.2", "R2.7"]}))
    marked = Marked(page)
    assert marked.open == []
    assert "at random" in marked.text["ins"]
    assert "by lot" in marked.text["del"]
    assert SECOND in marked.text["del"]
    shown = " ".join("".join(marked.text["body"]).split())
    assert "from <all> papers & every" in shown
    assert "Methods › Sampling" in shown
    assert "page 1 before, 2 now" in shown
    assert "Answers R1.2, R2.7" in shown
    assert "2026-05-01" in shown
    assert "e001 · Small change" in shown


def test_the_page_loads_nothing(diff: RevisionDiff) -> None:
    page = changes_html(ChangeList(diff.edits, OLD, NEW))
    assert Marked(page).addresses == []
    assert "url(" not in page
    assert "@import" not in page
    assert "http" not in page


def test_long_unchanged_text_is_left_out_unless_wanted(diff: RevisionDiff) -> None:
    page = changes_html(ChangeList(diff.edits, OLD, NEW))
    assert "word0 " not in page
    assert f"word{200 - CONTEXT_WORDS} " in page
    assert "[…]" in page.split("</p>", 3)[-1]
    assert "word0 " in changes_html(ChangeList(diff.edits, OLD, NEW, context_words=None))


def test_only_the_edits_given_are_listed_and_counted(diff: RevisionDiff) -> None:
    chosen = [edit for edit in diff.edits if edit.kind == "added"]
    page = changes_html(ChangeList(chosen, OLD, NEW, of=len(diff.edits)))
    assert f"1 of {len(diff.edits)} changes are listed." in page
    assert "by lot" not in page
    numbers = re.findall(r'class="number">(\d+)<', page)
    assert [int(number) for number in numbers] == [1, 0, 0, 0, 0]


def test_no_changes_is_a_page_too() -> None:
    assert "No changes to list." in changes_html(ChangeList((), OLD, NEW))


def test_what_was_in_a_section_that_is_gone_stays_where_it_was() -> None:
    old = [*paper(FIRST), replace(OLD[1], section="Old matters"), replace(OLD[2], section="Methods > Sampling")]
    new = paper(FIRST + " So it was.", LONG + " And an end.")
    page = changes_html(ChangeList(compare(old, new).edits, old, new))
    assert page.count("<h2>") == 1
    assert "page 2 before, in “Old matters”" in page


def test_words_and_marks_do_not_run_together() -> None:
    old, new = paper("We used two of the models. Then more"), paper("We used three of the models. Then more")
    page = changes_html(ChangeList(compare(old, new).edits, old, new))
    assert "We used <del>two</del> <ins>three</ins> of the models." in page


def test_paragraphs_of_a_split_stand_on_their_own_lines() -> None:
    old, new = paper(FIRST + " " + SECOND), paper(FIRST + " Indeed, it was so.", SECOND)
    (edit,) = compare(old, new).edits
    page = changes_html(ChangeList((edit,), old, new))
    assert page.count('<p class="text">') == 2
    assert "Small change, split" in page


def test_a_moved_paragraph_has_its_bar(diff: RevisionDiff) -> None:
    old, new = paper(FIRST, SECOND, LONG), paper(SECOND, LONG, FIRST)
    page = changes_html(ChangeList(compare(old, new).edits, old, new))
    assert '<div class="edit moved moved"' in page


def test_the_pdf_holds_the_same_words_and_numbers_its_pages(diff: RevisionDiff) -> None:
    many: list[Edit] = [diff.edits[0]] * 60
    with DocumentService() as service:
        made = changes_pdf(ChangeList(many, OLD, NEW, title="Changes"), service)
    with pymupdf.open(stream=made, filetype="pdf") as document:
        assert document.metadata["title"] == "Changes"
        assert document.page_count > 1
        text = " ".join(document[0].get_text().split())
        assert "at random" in text
        assert "page 1 before, 2 now" in text
        for number, page in enumerate(document, start=1):
            assert f"{number} / {document.page_count}" in page.get_text()
            assert all(page.rect.contains(pymupdf.Rect(block[:4])) for block in page.get_text("blocks"))
