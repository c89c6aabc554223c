"""How letters are read when they are added: the choice in the dialog, doubts, and roles swapped afterwards."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtWidgets import QLabel, QScrollBar
from pytestqt.qtbot import QtBot

from desktop_app import present
from tests.desktop_app.panes.linking.conftest import PATIENCE_MS, OpenPane, add
from tests.desktop_app.panes.linking.test_linking_pane import undo


def test_comments_and_responses_of_a_letter_are_swapped_in_one_step(
    open_pane: OpenPane, bare: Path, folder: Path, qtbot: QtBot
) -> None:
    pane = open_pane(bare)
    pane.work.set_reader(None)
    add(pane, qtbot, [folder / "response_letter.md"])
    asked = [comment.comment for comment in pane.study.comments]
    notice = next(notice for notice in pane.banner.notices if notice.what.startswith("response_letter.md: "))
    assert notice.what.endswith("Text after “>” is a comment, the rest is responses.")
    ((title, swap),) = notice.actions
    assert title == "Swap comments and responses"
    add(pane, qtbot, [folder / "submitted.pdf"])
    assert notice in pane.banner.notices, "the letter can still be corrected after another file"
    with qtbot.waitSignal(pane.files.added, timeout=PATIENCE_MS):
        swap()
    every = [*pane.study.comments, *pane.study.remarks]
    assert {comment.comment for comment in every} == {"We explain it now.", "We did."}
    marked = pane.state.marking
    assert marked.comment is not None and marked.comment.id == marked.comments[0].id, "a new comment is current"
    undo(pane)
    assert [comment.comment for comment in pane.study.comments] == asked


def test_the_dialog_says_how_a_letter_is_read(open_pane: OpenPane, bare: Path, folder: Path, qtbot: QtBot) -> None:
    from desktop_app.panes.linking.files import PlacesDialog
    from engine.operations.incoming import propose

    pane = open_pane(bare)
    project = pane.state.project
    assert project is not None
    letter = folder / "response_letter.md"
    dialog = PlacesDialog(propose(project, [letter]), pane)
    qtbot.addWidget(dialog)
    dialog.show()
    box = dialog.readings[letter]
    edge = box.mapTo(dialog, box.rect().bottomRight()).x()
    assert box.width() >= box.minimumSizeHint().width() and edge <= dialog.width() - 16, "no choice is cut off"
    assert box.currentText() == "Text after “>” is a comment, the rest is responses."
    box.setCurrentIndex(box.count() - 1)
    (file,) = dialog.proposal.files
    assert file.reading is not None
    assert file.reading.sentence() == "Text after “>” is a response, the rest is comments."


def test_the_dialog_shows_the_choices_of_a_few_letters_without_scrolling(
    open_pane: OpenPane, bare: Path, folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    from desktop_app.panes.linking.files import PlacesDialog
    from engine.operations.incoming import propose

    pane = open_pane(bare)
    pane.window().resize(1280, 800)
    letters = [shutil.copy(folder / "response_letter.md", tmp_path / f"{n}.md") for n in range(4)]
    dialog = PlacesDialog(propose(present(pane.state.project), [Path(one) for one in letters]), pane)
    qtbot.addWidget(dialog)
    dialog.show()
    assert len(dialog.readings) == 4
    assert max(bar.maximum() for bar in dialog.findChildren(QScrollBar)) == 0


def test_a_doubtful_reading_is_said_in_the_dialog_and_in_its_notice(
    open_pane: OpenPane, bare: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    from desktop_app.panes.linking.files import PlacesDialog
    from engine.operations.incoming import propose
    from engine.reviews.marks import DOUBT

    pane = open_pane(bare)
    pane.work.set_reader(None)
    project = pane.state.project
    assert project is not None
    said = "\n\n".join(
        f"The split of {n} is unclear.\n\nWe split it by basin.\n\nThis is done elsewhere." for n in "123"
    )
    sure, unsure = tmp_path / "sure.md", tmp_path / "unsure.md"
    sure.write_text("\n\n".join(f"> The depth of {n} is unclear.\n\nWe describe it on page {n}." for n in "123"))
    unsure.write_text(said)
    for path, times in ((sure, 0), (unsure, 1)):
        dialog = PlacesDialog(propose(project, [path]), pane)
        qtbot.addWidget(dialog)
        assert [label.text() for label in dialog.findChildren(QLabel)].count(DOUBT) == times
        add(pane, qtbot, [path])
        notice = next(notice for notice in pane.banner.notices if notice.what.startswith(f"{path.name}: "))
        assert (notice.what.endswith(DOUBT), notice.kind) == ((True, "attention") if times else (False, "note"))


def test_a_text_that_may_be_a_letter_is_asked_about(
    open_pane: OpenPane, bare: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    from desktop_app.panes.linking.files import PlacesDialog
    from engine.operations.incoming import propose

    pane = open_pane(bare)
    project = pane.state.project
    assert project is not None
    points = ("the loss", "the split", "the third survey", "the seed", "the units")
    path = tmp_path / "points.md"
    path.write_text("\n\n".join(f"- I find {p} hard.\n\n  I would explain {p}." for p in points))
    dialog = PlacesDialog(propose(project, [path]), pane)
    qtbot.addWidget(dialog)
    box = dialog.readings[path]
    ways = [box.itemText(n) for n in range(box.count())]
    assert (
        ways[0].startswith("Each paragraph is a comment")
        and "Each item with “-” is a comment, the rest is responses." in ways
    )
    box.setCurrentIndex(1)
    reading = dialog.proposal.files[0].reading
    assert reading is not None and reading.rest != "review"
