"""Every search field finds a word with or without accents."""

from __future__ import annotations

import unicodedata

import pytest
from PySide6.QtGui import QImage

from desktop_app.headless import settle
from desktop_app.panes import PANES
from desktop_app.widgets.pdf_view import PdfView
from desktop_app.window import MainWindow

WORDS = {
    "history": "import", "rebuttal": "baseline", "review": "baseline", "labels": "the",
    "linking": "baseline", "survey": "a", "settings": "palette", "preferences": "clarity", "calibration": "referee s",
}  # fmt: skip
NONE = "qqzz"


@pytest.fixture
def window(sample_window: MainWindow) -> MainWindow:
    return sample_window


def accented(word: str) -> str:
    return unicodedata.normalize("NFC", "".join(f"{c}\u0301" if c in "aeiou" else c for c in word))


def outcome(window: MainWindow, text: str) -> tuple[QImage | list[object], bool]:
    """What the pane shows for a search, and whether a message says that nothing was found."""
    window.header.search.setText(text)
    settle(window)
    assert window.pane is not None
    missed = any(one.what.startswith("No results") for one in window.pane.banner.notices)
    pages = [view._hits for view in window.pane.findChildren(PdfView)]  # drawn later
    found = pages or window.pane.body.grab().toImage(), missed
    window.header.search.clear()
    settle(window)
    return found


def test_the_search_of_every_pane_ignores_accents(window: MainWindow) -> None:
    """In one test, as building a window takes most of the time."""
    tried = {}
    for spec in PANES:
        window.show_pane(spec.id)
        settle(window)
        if window.can_search() and spec.id != "agreement":  # without disagreements; searched like Preferences
            word = WORDS[spec.id]
            nothing, plain, marked = (outcome(window, text) for text in (NONE, word, accented(word)))
            tried[spec.id] = (plain == marked, plain == nothing)
    assert tried == dict.fromkeys(WORDS, (True, False))
