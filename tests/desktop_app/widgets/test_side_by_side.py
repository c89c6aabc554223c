"""Two versions side by side: they scroll together through the alignment, and a chosen edit stands level on both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop_app.widgets.side_by_side import BESIDE, SideBySideView, Standing
from engine.documents.records import Box, Paragraph, ParsedDocument
from engine.revision.edits import compare
from engine.revision.groups import aligned_pairs
from engine.revision.records import Edit, RevisionDiff
from tests.desktop_app.widgets.pages import FlatRenderer, column_text, paragraph, sizes

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"]


def versions() -> tuple[tuple[Paragraph, ...], tuple[Paragraph, ...]]:
    """Eight pages, one paragraph each half; in the revision one is new on page 2, so the rest moves down by a half."""

    def said(number: int) -> str:
        return " ".join(f"{word}{number}" for word in WORDS)

    def placed(texts: list[str], prefix: str) -> tuple[Paragraph, ...]:
        return tuple(
            paragraph(at, text, [(at // 2 + 1, 60.0, 60.0 + 370 * (at % 2), 460.0)], prefix)
            for at, text in enumerate(texts)
        )

    old = [said(number) for number in range(16)]
    new = [*old[:3], "wholly new words stand here in a paragraph that nobody has seen before", *old[3:]]
    new[6] = new[6].replace("gamma5", "changed").replace("delta5", "wording")
    del new[12]
    return placed(old, "s"), placed(new, "t")


def parsed(paragraphs: tuple[Paragraph, ...]) -> ParsedDocument:
    return ParsedDocument("", (), paragraphs, "", 0.0)


@pytest.fixture
def diff() -> RevisionDiff:
    source, target = versions()
    return compare(source, target)


@pytest.fixture
def view(qtbot: QtBot, diff: RevisionDiff) -> Iterator[SideBySideView]:
    source, target = versions()
    widget = SideBySideView()
    qtbot.addWidget(widget)
    widget.resize(1200, 700)
    widget.show_side(widget.source, FlatRenderer(), "a", sizes(8), "old.pdf")
    widget.show_side(widget.target, FlatRenderer(), "b", sizes(9), "new.pdf")
    widget.set_texts(parsed(source), parsed(target))
    widget.set_edits(diff.edits, aligned_pairs(diff, source, target))
    widget.show()
    yield widget
    widget.clear()


def of_kind(diff: RevisionDiff, kind: str) -> Edit:
    return next(edit for edit in diff.edits if edit.kind == kind)


def height_on_screen(view: SideBySideView, side: str, paragraph_id: str) -> float:
    page = view.source if side == "source" else view.target
    box = page.text.paragraphs[page.text.position[paragraph_id]].boxes[0]
    return page.page_layout.rect(box).top() - page.top


def test_a_narrow_view_has_one_version_above_the_other(view: SideBySideView) -> None:
    view.resize(BESIDE, 700)
    assert view.source.y() == view.target.y() and view.ribbon.isVisible()
    view.resize(BESIDE - 1, 700)
    view.layout().activate()  # type: ignore[union-attr]
    assert view.target.y() > view.source.y() + view.source.height() and not view.ribbon.isVisible()
    assert view.source.width() == view.width()


def test_scrolling_one_side_carries_the_other_through_the_alignment(view: SideBySideView) -> None:
    for old, new in (("s8", "t9"), ("s9", "t10")):
        view.source.reveal(view.source.text.paragraphs[view.source.text.position[old]].boxes[0], 0.3)
        assert height_on_screen(view, "source", old) == pytest.approx(height_on_screen(view, "target", new), abs=2)
    view.target.go_to_page(2)
    assert view.source.page in (1, 2)


def test_both_begin_and_end_together(view: SideBySideView) -> None:
    assert (view.source.top, view.target.top) == (0, 0)
    view.source.scroll_to(1e9)
    assert view.target.top == view.target.verticalScrollBar().maximum()
    view.target.scroll_to(0)
    assert view.source.top == 0


def test_it_can_be_switched_off(view: SideBySideView) -> None:
    view.set_coupled(False)
    view.source.go_to_page(5)
    assert view.target.top == 0
    view.set_coupled(True)
    assert view.target.top > 0


def test_a_chosen_edit_stands_level_on_both_sides_with_its_words_marked(
    view: SideBySideView, diff: RevisionDiff
) -> None:
    edit = of_kind(diff, "minor")
    view.choose(edit.id)
    left = height_on_screen(view, "source", edit.source_ids[0])
    right = height_on_screen(view, "target", edit.target_ids[0])
    assert left == pytest.approx(right, abs=2)
    assert 0 < left < view.source.viewport().height()
    marked = [mark for mark, _ in view.target.marks_of("words")]
    assert [(mark.shape, mark.key) for mark in marked] == [("underline", edit.id)]
    text = view.target.text
    word = text.paragraphs[text.position[edit.target_ids[0]]].words[2]
    assert marked[0].boxes[0].x0 == pytest.approx(word.box.x0)
    assert "changed wording" in view.target.accessibleDescription()


def test_an_added_paragraph_brings_the_source_to_where_it_would_stand(view: SideBySideView, diff: RevisionDiff) -> None:
    edit = of_kind(diff, "added")
    view.choose(edit.id)
    neighbour = height_on_screen(view, "source", "s3")
    assert -300 < neighbour < view.source.viewport().height()
    assert 0 < height_on_screen(view, "target", edit.target_ids[0]) < view.target.viewport().height()


def test_the_ribbon_joins_what_is_on_the_screen(view: SideBySideView, diff: RevisionDiff, qtbot: QtBot) -> None:
    edit = of_kind(diff, "added")
    view.choose(edit.id)
    qtbot.waitUntil(lambda: any(band.key == edit.id for band in view.ribbon.bands))
    band = next(band for band in view.ribbon.bands if band.key == edit.id)
    assert band.left[0] == band.left[1]
    assert band.right[1] > band.right[0]
    middle = QPointF(view.ribbon.width() - 2, (band.right[0] + band.right[1]) / 2).toPoint()
    with qtbot.waitSignal(view.edit_chosen) as heard:
        QTest.mouseClick(view.ribbon, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, middle)
    assert heard.args == [edit.id]
    view.grab()


def test_links_and_suggestions_have_their_own_shapes(view: SideBySideView, diff: RevisionDiff) -> None:
    linked, suggested, elsewhere = (edit.id for edit in diff.edits[:3])
    view.set_standing(Standing(frozenset({linked}), frozenset({suggested}), frozenset({elsewhere})))
    shapes = {
        mark.key: (mark.shape, mark.meaning)
        for page in (view.source, view.target)
        for mark, _ in page.marks_of("links")
    }
    assert shapes[linked] == ("frame", "linked")
    assert shapes[suggested] == ("frame", "suggested")
    assert shapes[elsewhere] == ("dot", "linked")
    view.grab()


def test_search_goes_through_both_sides(view: SideBySideView) -> None:
    assert view.find_text("beta5") == (1, 1)
    assert view.find_text("changed wording") == (0, 1)


def test_edits_are_kept_in_view_when_they_already_are(view: SideBySideView, diff: RevisionDiff) -> None:
    edit = of_kind(diff, "minor")
    view.choose(edit.id)
    top = view.target.top
    view.choose(edit.id)
    assert view.target.top == top
    view.choose("")
    assert view.current == ""


def test_an_edit_over_two_paragraphs_marks_words_in_both(qtbot: QtBot) -> None:
    first, second = column_text(1)[:2]
    widget = SideBySideView()
    qtbot.addWidget(widget)
    widget.show_side(widget.target, FlatRenderer(), "b", sizes(1), "new.pdf")
    widget.set_texts(None, parsed((first, second)))
    edit = Edit("e1", "added", "add", False, (), (first.id, second.id), "", f"{first.text}\n{second.text}", "", 0, 9)
    widget.set_edits([edit], aligned_pairs(RevisionDiff((edit,), ()), (), (first, second)))
    widget.choose("e1")
    boxes = [box for mark, box in widget.target.marks_of("words")]
    assert {round(box.y0) // 200 for box in boxes} == {0, 2}
    assert isinstance(boxes[0], Box)
    assert boxes[0].page == 1
    widget.clear()


def test_both_sides_stay_where_they_are_when_a_message_makes_them_lower(
    view: SideBySideView, diff: RevisionDiff
) -> None:
    view.choose(of_kind(diff, "added").id)
    tops = view.source.top, view.target.top
    view.resize(1200, 600)
    assert (view.source.top, view.target.top) == tops
    view.source.scroll_to(view.source.top + 200)
    assert view.target.top != tops[1], "they still scroll together"
