"""Response letters in the rebuttal pane: offered, imported, swapped and refused."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.panes.rebuttal.sending import responses
from engine.exchange.rebuttal_forms import write_docx
from engine.papers.store import PaperStore
from engine.reviews.marks import DOUBT
from tests.desktop_app.panes.rebuttal.steps import press

Key = Qt.Key


def test_a_letter_of_another_paper_is_not_offered(pane: RebuttalPane) -> None:
    assert any("response letter answers" in one.what for one in pane.banner.notices)
    assert pane.project is not None
    pane.context.papers.choose(PaperStore(pane.project).add_paper("A paper without reviews"))
    assert not any("response letter answers" in one.what for one in pane.banner.notices)


def test_the_responses_of_a_letter_are_offered_and_taken(pane: RebuttalPane) -> None:
    (notice,) = [one for one in pane.banner.notices if "response letter answers" in one.what]
    (_, take) = notice.actions[0]
    wanted = {point.comment_id: text for point, text in responses(pane.state)}
    assert wanted
    take()
    assert pane.state.reader is not None
    assert {key: point.text for key, point in pane.state.reader.store.replies().items()} == wanted
    assert not [one for one in pane.banner.notices if "response letter answers" in one.what]
    assert not pane.letters.can_take()
    press(pane, Key.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert pane.state.reader.store.replies() == {}, "one step of undo"


def test_a_letter_comes_back_from_word_and_what_differs_waits(pane: RebuttalPane, qtbot: QtBot, tmp_path: Path) -> None:
    assert pane.state.reader is not None
    store, paper = pane.state.reader.store, pane.state.rebuttal.paper_id
    first, second, *_ = (line.row.point for line in pane.state.matrix.rows)
    store.import_replies(paper, [(first, "We did **this**."), (second, "We did that.")], "x")
    (file,) = write_docx(pane.state.rebuttal.outline).files
    path = tmp_path / "from my co-author.docx"
    path.write_bytes(file.content)
    first, second, *_ = (line.row.point for line in pane.state.matrix.rows)
    store.write(paper, first, "")
    store.write(paper, second, "Mine.")
    with qtbot.waitSignal(pane.fetcher.fetched, check_params_cb=lambda name, _found: name == "letter file"):
        pane.letters.read(path)
    assert store.replies()[first.comment_id].text == "We did **this**."
    assert store.replies()[second.comment_id].text == "Mine."
    (notice,) = [one for one in pane.banner.notices if "imported from" in one.what]
    assert "1 differs" in notice.means
    (_, take) = notice.actions[0]
    take()
    assert store.replies()[second.comment_id].text == "We did that."
    press(pane, Key.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert store.replies()[second.comment_id].text == "Mine."


def test_the_roles_of_an_imported_letter_are_swapped_by_its_notice(
    pane: RebuttalPane, qtbot: QtBot, tmp_path: Path
) -> None:
    assert pane.state.reader is not None
    store, rows = pane.state.reader.store, pane.state.matrix.rows
    path = tmp_path / "letter.md"
    asked = (" ".join(line.row.comment.comment.split()) for line in rows)
    path.write_text("\n\n".join(f"> {words}\n\nWe now explain this in Section {n}." for n, words in enumerate(asked)))
    with qtbot.waitSignal(pane.fetcher.fetched, check_params_cb=lambda name, _found: name == "letter file"):
        pane.letters.read(path)
    before = {key: point.text for key, point in store.replies().items()}
    assert len(before) > 1
    (notice,) = [one for one in pane.banner.notices if "imported from" in one.what]
    assert "comment" in notice.means and notice.actions[-1][0] == "Swap comments and responses"
    notice.actions[-1][1]()
    assert not any(point.text.startswith("We now") for point in store.replies().values())
    (notice,) = [one for one in pane.banner.notices if "imported from" in one.what]
    notice.actions[-1][1]()
    assert {key: point.text for key, point in store.replies().items()} == before, "and back"
    press(pane, Key.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier)
    press(pane, Key.Key_Z, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert {key: point.text for key, point in store.replies().items()} == before, "each swap is one step"


def test_what_is_written_while_a_letter_is_read_stays_and_its_paper_is_that_of_the_start(
    pane: RebuttalPane, qtbot: QtBot, tmp_path: Path
) -> None:
    store, rows = present(pane.state.reader).store, pane.state.matrix.rows
    paper, path = pane.state.rebuttal.paper_id, tmp_path / "letter.md"
    asked = [" ".join(line.row.comment.comment.split()) for line in rows]
    path.write_text("\n\n".join(f"> {words}\n\nWe now explain this in Section {n}." for n, words in enumerate(asked)))
    with qtbot.waitSignal(pane.fetcher.fetched, check_params_cb=lambda name, _found: name == "letter file"):
        pane.letters.read(path)
        pane.context.show_pane("home")
        store.write(paper, rows[0].row.point, "Mine.")
    texts = {key: point.text for key, point in store.replies().items()}
    assert texts[rows[0].row.comment.id] == "Mine." and texts[rows[1].row.comment.id].startswith("We now")
    pane.context.papers.choose(PaperStore(present(pane.project)).add_paper("other"))
    pane.context.show_pane("rebuttal")
    present(pane.letters.swap)()
    texts = {key: point.text for key, point in store.replies().items()}
    assert not any(text.startswith("We now") for text in texts.values()), "those of the letter's paper are swapped"


def test_a_doubtful_reading_of_a_letter_is_said_in_its_notice(pane: RebuttalPane, qtbot: QtBot, tmp_path: Path) -> None:
    asked = [" ".join(line.row.comment.comment.split()) for line in pane.state.matrix.rows]
    for name, mark, doubtful in (("quoted.md", "> ", False), ("plain.md", "", True)):
        path = tmp_path / name
        path.write_text(
            "\n\n".join(f"{mark}{words}\n\nResponse: We split it so.\n\nOthers do this." for words in asked)
        )
        with qtbot.waitSignal(pane.fetcher.fetched, check_params_cb=lambda name, _found: name == "letter file"):
            pane.letters.read(path)
        (notice,) = [one for one in pane.banner.notices if f"imported from {name}" in one.what]
        assert notice.means.endswith(DOUBT) is doubtful


def test_a_letter_to_others_and_a_file_that_is_no_letter_are_refused_plainly(
    pane: RebuttalPane, qtbot: QtBot, tmp_path: Path
) -> None:
    for name, text, said in (
        ("other.md", "> Why is the sea salt?\n\nWe now say why.", "Nothing was imported from other.md"),
        ("letter.pdf", "no PDF", "letter.pdf isn't a PDF"),
    ):
        path = tmp_path / name
        path.write_text(text)
        pane.letters.read(path)
        qtbot.waitUntil(lambda said=said: any(said in one.what for one in pane.banner.notices))
    assert pane.state.reader is not None and not pane.state.reader.store.replies()
