"""Of long stretches without a change only the ends are shown, cut between words."""

from __future__ import annotations

import re

from pytestqt.qtbot import QtBot

from desktop_app.widgets.tracked import tracked_html


def test_what_is_left_out_is_cut_between_words(qtbot: QtBot) -> None:
    words = " ".join(f"word{number}" for number in range(60))
    shown = re.sub(r"<[^>]+>", "", tracked_html(f"Old {words} was.", f"New {words} is.", context=40))
    assert " […] " in shown and len(shown) < 120
    before, after = shown.split(" […] ")
    assert all(word in words.split() for word in before.split()[1:] if word not in ("Old", "New", "OldNew"))
    assert all(word in words.split() for word in after.split() if not word.startswith(("was", "is")))


def test_only_what_is_beside_a_change_is_shown(qtbot: QtBot) -> None:
    first, last = (" ".join(f"{name}{number}" for number in range(60)) for name in ("a", "b"))
    shown = re.sub(r"<[^>]+>", "", tracked_html(f"{first} old {last}", f"{first} new {last}", context=40))
    assert shown.startswith("[…] a") and shown.endswith(" […]") and "a0 " not in shown and "b59" not in shown
    assert "a59 old new b0 b1" in shown.replace("oldnew", "old new")


def test_words_that_only_one_version_separates_are_apart(qtbot: QtBot) -> None:
    shown = re.sub(r"<[^>]+>", "", tracked_html("In two cities among many. End.", "In two cities, at random. End."))
    assert shown.startswith("In two cities among many, at random.")


def test_a_change_of_line_breaks_only_shows_the_text(qtbot: QtBot) -> None:
    words = [f"word{number}" for number in range(60)]
    shown = re.sub(r"<[^>]+>", "", tracked_html(" ".join(words), "\n".join(words), context=40))
    assert "[…]" not in shown and words[-1] in shown
