"""The line above a document: the file's name keeps its room, and further versions are offered."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.theme import theme
from desktop_app.widgets.pdf_view import PageHeader, PdfView


@pytest.fixture
def header(qtbot: QtBot) -> PageHeader:
    view = PdfView("Revised version")
    made = PageHeader("Revised", view)
    qtbot.addWidget(view)
    qtbot.addWidget(made)
    made.resize(theme().px(700), made.sizeHint().height())
    made.show()
    qtbot.waitExposed(made)
    return made


def test_a_narrow_header_shortens_what_was_found(header: PageHeader) -> None:
    header._show_hits("3 of 12 found")
    assert header._hits.text() == "3 of 12 found"
    header.resize(theme().px(300), header.height())
    assert (header._hits.text(), header._hits.toolTip()) == ("3 of 12", "3 of 12 found")
    header._show_hits("")
    assert header._hits.text() == ""


def test_versions_are_offered_where_there_are_more_than_are_shown(header: PageHeader) -> None:
    header.set_versions([("a", "old.pdf"), ("b", "new.pdf")], "b")
    assert not header._others.isVisible()
    header.set_versions([("a", "old.pdf"), ("b", "new.pdf"), ("c", "last.pdf")], "b")
    assert header._others.isVisible()
