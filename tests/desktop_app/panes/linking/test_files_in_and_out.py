"""Files added to the pane and written from it; the guidelines; what every pane must bear."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.comments_panel import StateButton
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.panes.linking.terms import CHANGES, KINDS, Format
from desktop_app.widgets.file_dialogs import FileDialogs
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from tests.desktop_app.pane_cases import PaneCases, assert_named
from tests.desktop_app.panes.linking.conftest import PATIENCE_MS, OpenPane, add
from tests.desktop_app.panes.linking.studies import SOURCE_PDF, TARGET_PDF, add_comments
from tests.desktop_app.panes.linking.test_linking_pane import Key, press, undo
from tests.desktop_app.shell_helpers import assert_cancelling_ends_it


class TestLinkingPane(PaneCases):
    pane_id = "linking"


def test_dropping_two_pdfs_and_a_letter_makes_a_paper_in_one_step(
    open_pane: OpenPane, bare: Path, folder: Path, qtbot: QtBot
) -> None:
    pane = open_pane(bare)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in sorted(folder.iterdir())])
    held = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(QPoint(5, 5), *held)
    QApplication.sendEvent(pane, entered)
    assert entered.isAccepted()
    pane.work.set_reader(None)  # what is computed afterwards is another test's matter
    with qtbot.waitSignal(pane.files.added, timeout=PATIENCE_MS):
        QApplication.sendEvent(pane, QDropEvent(QPointF(5, 5), *held))
        assert [one.what for one in pane.banner.notices] == ["Reading 3 files…"], "meanwhile"
    assert "Reading" not in " ".join(one.what for one in pane.banner.notices)
    study = pane.study
    assert study.paper is not None
    assert study.paper.title.startswith("Paragraph 0 begins here."), "what its first page begins with"
    assert (study.source and study.source.filename, study.target and study.target.filename) == (
        "submitted.pdf",
        "revised.pdf",
    )
    assert [comment.response for comment in study.comments] == ["We explain it now.", "We did."]
    undo(pane)
    assert pane.is_empty()
    assert not pane.body.isVisible()
    assert not pane.state.can_decide()


def test_what_is_missing_is_read_and_compared_by_jobs_with_skeleton_rows_meanwhile(
    open_pane: OpenPane, bare: Path, folder: Path, qtbot: QtBot
) -> None:
    pane = open_pane(bare)
    phases: list[tuple[str, bool]] = []
    pane.work.moved.connect(lambda: phases.append((pane.work.phase, pane.edits.list._skeleton > 0)))
    add(pane, qtbot, [folder / "submitted.pdf", folder / "revised.pdf"])
    done = lambda: len(pane.study.edits) == 4 and pane.work.phase == "" and ("comparing", True) in phases  # noqa: E731
    qtbot.waitUntil(done, timeout=PATIENCE_MS)
    assert phases[0] == ("comparing", True), "they were read to see which paper they are of"
    assert phases[-1] == ("", False)
    assert pane.status_text == "0 of 0 comments decided · 4 edits without a comment"
    qtbot.waitUntil(lambda: pane.side.source.pages > 0 and pane.side.target.pages > 0, timeout=PATIENCE_MS)
    press(pane, Key.Key_Down)
    qtbot.waitUntil(lambda: pane.side.current == pane.study.edits[0].id)


def test_a_file_that_cannot_be_used_is_told_and_the_others_are_taken(
    open_pane: OpenPane, bare: Path, folder: Path, qtbot: QtBot
) -> None:
    (folder / "broken.json").write_text("{not json", encoding="utf-8")
    pane = open_pane(bare)
    add(pane, qtbot, [folder / "broken.json", folder / "response_letter.md", folder / "gone.md"])
    assert len(pane.study.comments) == 2
    said = " ".join(notice.what for notice in pane.banner.notices)
    assert "broken.json" in said
    assert "gone.md" in said
    add(pane, qtbot, [folder / "submitted.pdf"])
    said = " ".join(notice.what for notice in pane.banner.notices)
    assert "broken.json" not in said, "“nothing was imported” isn't true of the files added next"
    assert "gone.md" not in said


@pytest.mark.qt_log_ignore("This plugin does not support")  # of a menu that pops up, on the offscreen platform
def test_a_third_version_is_kept_and_compared_when_it_is_chosen(pane: LinkingPane, folder: Path, qtbot: QtBot) -> None:
    (folder / "camera.pdf").write_bytes(SOURCE_PDF + b" once more")
    first, header = pane.study.target, pane.side.target_header
    assert first is not None
    assert not header._others.isVisible()
    press(pane, Key.Key_L)
    assert len(pane.study.links) == 1
    add(pane, qtbot, [folder / "camera.pdf"])
    (notice,) = pane.banner.notices
    assert "camera.pdf was added as another version" in notice.what
    assert pane.study.target == first
    assert [version.label for version in pane.study.versions] == ["submitted", "revised", "version 3"]
    assert header._others.isVisible()
    pane.context.commands.run("linking.versions_revised")
    (menu,) = header.findChildren(QMenu)
    entries = {action.text(): action for action in menu.actions()}
    assert [name for name, action in entries.items() if action.isChecked()] == ["new.pdf (revised)"]
    entries["camera.pdf (version 3)"].trigger()
    menu.close()
    assert pane.study.target is not None
    assert pane.study.target.filename == "camera.pdf"
    assert pane.study.source is not None
    assert pane.study.source.filename == "old.pdf"
    assert not pane.study.links
    qtbot.waitUntil(lambda: pane.study.revision is not None and bool(pane.study.edits))
    qtbot.waitUntil(lambda: pane.work.phase == "")
    pane.files.compare_version("revised", first.id)
    assert pane.study.target.filename == "new.pdf"
    assert len(pane.study.links) == 1


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_versions_without_a_difference_leave_no_marks_of_others(pane: LinkingPane, folder: Path, qtbot: QtBot) -> None:
    pane.search("sentence")
    assert pane.side.target.has_hits
    lit = pane.state.edit_id
    assert pane.side.current == lit != ""
    (folder / "camera.pdf").write_bytes(TARGET_PDF + b" once more")  # reads as the revised one does
    add(pane, qtbot, [folder / "camera.pdf"])
    assert pane.study.target is not None
    third = pane.study.versions[2]
    pane.files.compare_version("submitted", third.id)
    qtbot.waitUntil(lambda: pane.study.revision is not None and pane.work.phase == "")
    assert pane.study.edits == ()
    assert pane.side.current == "" and not pane.side._edits
    assert "There are no edits" in pane.edits.list._message
    assert not pane.side.source.has_hits
    assert pane.side.source_header._hits.text() == ""
    qtbot.waitUntil(lambda: len(pane.side._pairs) > 0)  # and both scroll together


def test_replacing_a_pdf_says_beforehand_what_happens_to_the_links(
    pane: LinkingPane, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    press(pane, Key.Key_L)
    (folder / "camera.pdf").write_bytes(SOURCE_PDF + b" once more")
    monkeypatch.setattr(FileDialogs, "open_file", lambda *_: folder / "camera.pdf")
    pane.work.set_reader(None)  # what is computed afterwards is another test's matter
    pane.context.commands.run("linking.replace_revised")
    (box,) = pane.findChildren(QMessageBox)
    assert box.text() == "Replace the PDF of the revised version?"
    assert box.informativeText().startswith("1 link, ") and "made with new.pdf stay with it" in box.informativeText()
    assert [version.filename for version in pane.study.versions] == ["old.pdf", "new.pdf"], "nothing happened yet"
    next(button for button in box.buttons() if button.text() == "Replace").click()
    assert [(v.label, v.filename) for v in pane.study.versions] == [
        ("submitted", "old.pdf"), ("revised", "camera.pdf"), ("revised, before", "new.pdf"),
    ]  # fmt: skip
    assert not pane.study.links
    undo(pane)
    assert len(pane.study.versions) == 2 and len(pane.study.links) == 1


def test_where_files_belong_is_asked_if_several_papers_could_be_meant(
    pane: LinkingPane, folder: Path, qtbot: QtBot
) -> None:
    project, shown = pane.project, pane.paper_id
    assert project is not None
    other = PaperStore(project).add_paper("A paper about something else")
    notes = folder / "notes.md"
    notes.write_text("It is unclear how the samples were taken.\n", encoding="utf-8")
    pane.files.add_files([notes])
    qtbot.waitUntil(lambda: pane.files.dialog is not None, timeout=PATIENCE_MS)
    dialog = pane.files.dialog
    assert dialog is not None and dialog.isVisible()
    assert_named(dialog)
    (box,) = dialog.boxes.values()
    words = [box.itemText(n) for n in range(box.count())]
    assert words[0] == "study" and "A paper about something else" in words and words[-1].startswith("New paper: ")
    dialog.reject()
    assert len(pane.study.texts) == 1, "nothing was imported"
    pane.files.add_files([notes])
    qtbot.waitUntil(lambda: pane.files.dialog not in (None, dialog), timeout=PATIENCE_MS)
    again = pane.files.dialog
    assert again is not None
    again.boxes[notes].setCurrentIndex(words.index("A paper about something else"))
    with qtbot.waitSignal(pane.files.added, timeout=PATIENCE_MS):
        again.accept()
    assert [text.title for text in ReviewStore(project).texts(other)] == ["notes"]
    assert pane.paper_id == shown and len(pane.study.texts) == 1
    assert any("was added to “A paper about something else”" in notice.what for notice in pane.banner.notices)
    said = pane.banner.notices
    for notice in said:
        pane.banner.dismiss(notice.key)
    assert not pane.banner.notices and pane.files.has_report
    pane.files.show_report()
    assert pane.banner.notices == said
    pane.banner.clear()
    pane.files._last = (None, [])  # as after the next start
    assert pane.files.has_report
    pane.files.show_report()
    assert pane.banner.notices == said


def test_the_same_pdf_is_no_further_version(pane: LinkingPane, folder: Path, qtbot: QtBot) -> None:
    (folder / "again.pdf").write_bytes(TARGET_PDF)
    add(pane, qtbot, [folder / "again.pdf"])
    (notice,) = pane.banner.notices
    assert "again.pdf is already in the project as new.pdf" in notice.what
    assert len(pane.study.versions) == 2


def test_a_review_beside_a_letter_brings_its_text_but_not_its_comments_twice(
    pane: LinkingPane, tmp_path: Path, qtbot: QtBot
) -> None:
    review = tmp_path / "review-3.md"
    review.write_text("It is unclear how the split was made.\n\nPlease add a baseline.\n", encoding="utf-8")
    before = [comment.comment for comment in pane.study.comments]
    add(pane, qtbot, [review])
    assert len(pane.study.texts) == 2
    assert [comment.comment for comment in pane.study.comments] == [*before, "Please add a baseline."], (
        "not in the letter"
    )
    said = "1 comment of review-3.md is also in the response letter."
    assert any(notice.what == said for notice in pane.banner.notices)


@pytest.mark.parametrize("name", sorted(KINDS.keys() - {"marked", "summary_md", "summary_pdf"}))
def test_each_format_is_written_by_a_job(pane: LinkingPane, tmp_path: Path, qtbot: QtBot, name: str) -> None:
    press(pane, Key.Key_L)
    ending = KINDS[name].ending  # type: ignore[index]
    target = tmp_path / f"out{ending}" if ending else tmp_path
    pane.files.export_to(name, target)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: any(notice.key == "export" for notice in pane.banner.notices), timeout=20_000)
    notice = next(notice for notice in pane.banner.notices if notice.key == "export")
    written = {path.name: path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()}
    if name == "aries":
        assert notice.what == f"Exported 5 files to the folder “{tmp_path.name}”."
    else:
        assert all(written[part] > 0 for part in notice.what.removeprefix("Saved: ").removesuffix(".").split(", "))
    assert (name == "aries") == (tmp_path / "s2orc").is_dir()
    assert not list(tmp_path.glob(".*unfinished"))


@pytest.mark.parametrize("name", ["changes_pdf", "summary_pdf", "marked"])
def test_cancelling_an_export_ends_the_making_of_the_pdf(
    pane: LinkingPane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: Format
) -> None:
    assert_cancelling_ends_it(pane, lambda: pane.files.export_to(name, tmp_path / "out.pdf"), monkeypatch)


def test_links_written_as_aries_come_back_after_they_were_taken_away(
    pane: LinkingPane, tmp_path: Path, qtbot: QtBot
) -> None:
    press(pane, Key.Key_L, Key.Key_J, Key.Key_4)
    pane.files.export_to("aries", tmp_path)
    qtbot.waitUntil((tmp_path / "edit_labels.jsonl").exists)
    labels = [json.loads(line) for line in (tmp_path / "edit_labels.jsonl").read_text().splitlines()]
    assert len(labels) == 2
    undo(pane)
    undo(pane)
    assert pane.study.decided == 0
    add(pane, qtbot, [tmp_path / "edit_labels.jsonl"])
    assert [link.origin for link in pane.study.links] == ["import:edit_labels.jsonl"]
    assert pane.study.decided >= 1


def test_a_folder_that_refuses_is_told(pane: LinkingPane, tmp_path: Path, qtbot: QtBot) -> None:
    pane.files.export_to("csv", tmp_path / "missing" / "links.csv")
    qtbot.waitUntil(lambda: bool(pane.banner.notices))
    assert "couldn't be written" in pane.banner.notices[0].what


def test_the_list_of_changes_obeys_the_filter(pane: LinkingPane, tmp_path: Path, qtbot: QtBot) -> None:
    pane.edits.kind.setCurrentIndex(pane.edits.kind.findData("added"))
    target = tmp_path / "changes.html"
    pane.files.export_to("changes_html", target)
    qtbot.waitUntil(target.exists)
    said = target.read_text(encoding="utf-8")
    assert "Wholly new text" in said
    assert "much clearer" not in said


def test_guidelines_open_at_the_rule_of_the_state_and_can_be_searched(pane: LinkingPane) -> None:
    press(pane, Key.Key_5, Key.Key_K)
    press(pane, Key.Key_G)
    guidelines = pane.guidelines
    assert guidelines.isVisible()
    assert guidelines.page.verticalScrollBar().value() > 0
    QTest.keyClicks(guidelines.field, "may be broken")
    assert guidelines.matches() == 1
    press(pane, Key.Key_G) if not guidelines.field.hasFocus() else guidelines.close_button.click()
    assert not guidelines.isVisible()


def test_a_version_that_is_missing_is_named(open_pane: OpenPane, bare: Path, folder: Path, qtbot: QtBot) -> None:
    pane = open_pane(bare)
    add(pane, qtbot, [folder / "revised.pdf"])
    assert pane.edits.list._message == "There is no submitted version yet. Add its PDF to see the edits."
    add(pane, qtbot, [folder / "response_letter.md"])
    commands, states = pane.context.commands, pane.findChildren(StateButton)
    assert not any(button.isEnabled() for button in states), "without edits, nothing can be decided"
    assert not commands.enabled("linking.propose")
    assert {name for name in KINDS if not commands.enabled(f"linking.export_{name}")} == CHANGES
    add(pane, qtbot, [folder / "submitted.pdf"])
    assert "version yet" not in pane.edits.list._message
    qtbot.waitUntil(lambda: all(button.isEnabled() for button in states))
    assert all(commands.enabled(f"linking.export_{name}") for name in KINDS)


def test_reviews_and_copied_files_are_pasted(open_pane: OpenPane, bare: Path, folder: Path, qtbot: QtBot) -> None:
    pane, clipboard = open_pane(bare), QApplication.clipboard()

    def paste() -> None:
        with qtbot.waitSignal(pane.files.added, timeout=PATIENCE_MS):
            QTest.keyClick(
                pane.comments.list if pane.study.comments else pane, Key.Key_V, Qt.KeyboardModifier.ControlModifier
            )

    for reviewer in ("mX3d", "2"):
        clipboard.setText(f"Official Review by Reviewer {reviewer}\n\nPlease report the depth in part {reviewer}.")
        paste()
    qtbot.waitUntil(lambda: len(pane.study.comments) == 2, timeout=PATIENCE_MS)
    assert [(one.reviewer, one.actionable) for one in pane.study.comments] == [
        ("Reviewer mX3d", True), ("Reviewer 2", True),
    ]  # fmt: skip
    assert pane.project is not None and pane.project.undo_title == "Add Reviewer 2 (pasted)", "it is no file"
    paste()
    already = "Reviewer 2 (pasted) is already in the project, so it wasn't added again."
    assert pane.banner.notices[-1].what == already
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(folder / "submitted.pdf"))])
    clipboard.setMimeData(files)
    paste()
    with Project.open(bare) as project:
        (paper,) = PaperStore(project).papers()
        assert paper.title != "Pasted text" and len(PaperStore(project).versions(paper.id)) == 1
    for text, what in (("", "no text"), ("https://example.org/forum?id=x", "only a link")):
        clipboard.setText(text)
        QTest.keyClick(pane.comments.list, Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert pane.banner.notices[-1].what == f"The clipboard contains {what}."


def test_reviews_pasted_while_another_is_read_are_all_added_to_one_paper(
    open_pane: OpenPane, bare: Path, qtbot: QtBot
) -> None:
    pane, clipboard = open_pane(bare), QApplication.clipboard()
    for reviewer in "123":
        clipboard.setText(f"Official Review by Reviewer {reviewer}\n\nPlease report the depth in part {reviewer}.")
        pane.files.paste()
        assert pane.banner.notices[-1].what == "Reading the pasted text…"
    qtbot.waitUntil(lambda: len(pane.study.comments) == 3, timeout=PATIENCE_MS)
    with Project.open(bare) as project:
        assert len(PaperStore(project).papers()) == 1


def test_comments_without_pdfs_can_be_read(open_pane: OpenPane, bare: Path) -> None:
    with Project.open(bare) as project:
        add_comments(project, paper=_paper(project))
    pane = open_pane(bare)
    assert len(pane.state.selection.comment_rows) == 6
    press(pane, Key.Key_J, Key.Key_L, Key.Key_2)
    assert pane.study.decided == 0
    assert_named(pane)


def _paper(project: Project) -> str:
    return PaperStore(project).add_paper("bare")


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # of a menu, on the offscreen platform
def test_the_formats_open_by_key(pane: LinkingPane) -> None:
    assert pane.context.commands.shortcut("linking.export") == "Ctrl+E"
    assert pane.context.commands.run("linking.export")
    (menu,) = pane.tools.findChildren(QMenu)
    assert len([entry for entry in menu.actions() if entry.text()]) >= len(KINDS)
    menu.close()
