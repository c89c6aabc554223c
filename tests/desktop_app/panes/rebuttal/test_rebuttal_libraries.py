"""The libraries of templates in the window: use and outcome counted, copied, reworded, removed, own and team."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.rebuttal.libraries_dialog import COLUMNS, LibrariesDialog
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.panes.rebuttal.templates import TEAM
from engine.rebuttal.records import PERSONAL, STARTER
from engine.rebuttal.template_store import PersonalLibrary
from engine.rebuttal.templates import starter
from tests.desktop_app.pane_cases import assert_named


def opened(pane: RebuttalPane) -> LibrariesDialog:
    assert pane.context.commands.run("rebuttal.libraries")
    (dialog,) = pane.findChildren(LibrariesDialog)
    return dialog


def cell(dialog: LibrariesDialog, column: str) -> str:
    item = dialog.table.item(dialog.table.currentRow(), COLUMNS.index(column))
    assert item is not None
    return item.text()


def test_use_and_outcome_are_counted(pane: RebuttalPane) -> None:
    unused = opened(pane)
    assert unused.table.isColumnHidden(COLUMNS.index("Taken")) and not unused.table.isColumnHidden(2)
    assert unused.order.isHidden() and unused.used.isHidden()
    unused.reject()
    unused.setParent(None)
    assert pane.context.commands.run("rebuttal.template_1")
    pane.response.editor.setPlainText("Wholly other words stand here now.")
    pane.response.editor.finish()
    assert pane.context.commands.run("rebuttal.next_open")
    template = pane.templates.template(0)
    assert template is not None
    assert pane.context.commands.run("rebuttal.template_1")
    assert pane.context.commands.run("rebuttal.outcome_satisfied")
    dialog = opened(pane)
    assert_named(dialog)
    assert not dialog.table.isColumnHidden(COLUMNS.index("Taken"))
    dialog.used.setChecked(True)
    taken = {t.source: pane.state.reader.store.counts()[t.source] for t in dialog._shown} if pane.state.reader else {}
    assert sum(one.taken for one in taken.values()) == 2
    assert sum(one.dropped for one in taken.values()) == 1
    assert taken[template.source].kept == 1 and taken[template.source].satisfied == 1
    assert taken[dialog._shown[0].source].taken >= taken[dialog._shown[-1].source].taken
    dialog.order.setCurrentIndex(dialog.order.findData("Dropped"))
    assert taken[dialog._shown[0].source].dropped == 1
    dialog.table.horizontalHeader().sectionClicked.emit(COLUMNS.index("Satisfied"))
    assert dialog.order.currentText() == "Most often satisfied" and dialog._shown[0].source == template.source
    dialog.table.horizontalHeader().sectionClicked.emit(COLUMNS.index("Library"))
    assert dialog.order.currentText() == "Library order"
    row = next(n for n, t in enumerate(dialog._shown) if t.source == template.source)
    dialog.table.setCurrentCell(row, 0)
    assert cell(dialog, "Satisfied") == "1" and "written by Rejoinder" in dialog._details.text()
    assert cell(dialog, "Partly") == cell(dialog, "Unmoved") == "0"
    dialog.reject()
    assert pane.context.commands.run("rebuttal.outcome_unmoved")
    assert pane.state.reader is not None
    counted = pane.state.reader.store.counts()[template.source]
    assert (counted.satisfied, counted.unmoved) == (0, 1), "the outcome that stands is counted"


def test_a_template_is_copied_reworded_and_removed(pane: RebuttalPane) -> None:
    assert pane.state.reader is not None
    dialog = opened(pane)
    dialog.library.setCurrentIndex(dialog.library.findData(STARTER))
    assert dialog.table.rowCount() == len(starter())
    assert dialog.words.isReadOnly() and not dialog.remove.isEnabled() and not dialog.reword.isEnabled()
    chosen = dialog.chosen
    assert chosen is not None
    dialog.to_own.click()
    assert [t.id for t in PersonalLibrary().templates()] == [chosen.id]
    assert dialog._details.text() == "Copied to your own library."
    dialog.to_own.click()
    assert "already has this version" in dialog._details.text() and len(PersonalLibrary().templates()) == 1
    dialog.to_team.click()
    assert len(pane.state.reader.store.library.templates(TEAM)) == 1 and dialog._details.text() == "Copied to “Team”."

    dialog.library.setCurrentIndex(dialog.library.findData(PERSONAL))
    dialog.words.setPlainText("We have added {experiment} to {section}.")
    assert dialog.reword.isEnabled()
    dialog.reword.click()
    (own,) = PersonalLibrary().templates()
    assert own.text == "We have added {experiment} to {section}." and own.version == chosen.version + 1
    assert own.provenance.startswith("Rejoinder; changed by ")
    dialog.field.setText("experiment section")
    assert dialog.chosen is not None and dialog.chosen.library == PERSONAL
    dialog.remove.click()
    assert PersonalLibrary().templates() == ()
    dialog.field.setText("")
    dialog.library.setCurrentIndex(dialog.library.findData(TEAM))
    dialog.words.setPlainText("")
    dialog.reword.click()
    assert any("no text" in notice.what for notice in pane.banner.notices), (
        "what cannot be a template is refused, and said"
    )
    assert pane.state.reader.store.library.templates()[0].text == chosen.text
    dialog.remove.click()
    assert pane.state.reader.store.library.templates() == ()
    assert pane.project is not None
    pane.project.undo()
    assert len(pane.state.reader.store.library.templates(TEAM)) == 1
    dialog.reject()


def test_an_edited_text_is_kept_until_it_is_saved_or_discarded(pane: RebuttalPane) -> None:
    one, two = starter()[:2]
    for template in (one, two):
        pane.libraries.copy(template, PERSONAL)
    dialog = opened(pane)
    dialog.library.setCurrentIndex(dialog.library.findData(PERSONAL))
    dialog.words.setPlainText("We count the cyclists again in {section}.")
    dialog.table.setCurrentCell(1, 0)
    assert dialog.words.toPlainText() == two.text
    dialog.to_team.click()  # another change reads the libraries again
    dialog.field.setText("a word that no template has")
    dialog.field.setText("")
    dialog.table.setCurrentCell(0, 0)
    assert dialog.words.toPlainText() == "We count the cyclists again in {section}."
    assert cell(dialog, "Template") == "(not saved) We count the cyclists again in {section}."
    dialog.reject()
    (question,) = dialog.findChildren(QMessageBox)
    assert dialog.isVisible() and question.isVisible() and "Discard" in question.text()
    question.reject()
    dialog.words.appendPlainText("")
    dialog.reword.click()
    assert not dialog.unsaved, "it is stored without the last line end"
    assert PersonalLibrary().templates()[0].text == "We count the cyclists again in {section}."
    dialog.words.setPlainText("")
    dialog.reword.click()
    assert "no text" in dialog._details.text(), "a refusal is said where it can be seen"
    dialog.report("Nothing was changed. " * 40)
    assert dialog.minimumSizeHint().width() < 1280
    dialog.words.setPlainText(PersonalLibrary().templates()[0].text)
    dialog.reject()
    assert not dialog.isVisible()


@pytest.mark.parametrize("to", [PERSONAL, ""], ids=["own", "team"])
def test_a_removed_template_can_be_restored(pane: RebuttalPane, to: str) -> None:
    for template in starter()[:3]:
        pane.libraries.copy(template, to)
    before = [template for template in pane.libraries.templates.all() if template.library in (PERSONAL, TEAM)]
    dialog = opened(pane)
    dialog.library.setCurrentIndex(dialog.library.findData(to or TEAM))
    dialog.table.setCurrentCell(1, 0)
    assert dialog.undo.isHidden()
    dialog.remove.click()
    assert dialog.undo.isVisible() and dialog.table.rowCount() == 2
    dialog.undo.click()
    assert [one for one in pane.libraries.templates.all() if one.library in (PERSONAL, TEAM)] == before
    assert dialog.undo.isHidden() and dialog.table.rowCount() == 3
    dialog.remove.click()
    dialog.reject()
    undo = [act for notice in pane.banner.notices for words, act in notice.actions if words == "Undo"]
    assert len(undo) == (to == PERSONAL), "Ctrl+Z restores one of the project"
    undo[0]() if undo else pane.context.commands.run("edit.undo")
    assert len(pane.libraries.templates.all()) == len(starter()) + 3


def test_restoring_a_template_undoes_nothing_else(pane: RebuttalPane) -> None:
    pane.libraries.copy(starter()[0], "")
    dialog = opened(pane)
    dialog.library.setCurrentIndex(dialog.library.findData(TEAM))
    dialog.remove.click()
    store, project = present(pane.state.reader).store, present(pane.project)
    store.keep_labels(pane.state.rebuttal.paper_id, {"c0": "R9.9"})  # as an export does when it ends
    dialog.undo.click()
    assert "wasn't restored" in dialog._details.text() and project.undo_title == "Keep comment numbers as exported"
    dialog.reject()


def test_a_team_library_goes_to_another_project_by_a_folder(pane: RebuttalPane, tmp_path: Path, qtbot: QtBot) -> None:
    assert pane.state.reader is not None and pane.project is not None
    one, two = starter()[:2]
    pane.libraries.copy(one, "")
    pane.libraries.copy(two, PERSONAL)
    pane.libraries.export_to("jsonl", tmp_path)
    written = "2 files to the folder “templates”"
    qtbot.waitUntil(lambda: any(written in notice.what for notice in pane.banner.notices), timeout=20_000)
    folder = tmp_path / "templates"
    assert {file.name for file in folder.iterdir()} == {"Team.jsonl", "personal.jsonl"}
    (kept,) = pane.state.reader.store.library.templates(TEAM)
    pane.libraries.reword(kept, "Ours, for {section}.")
    words = (folder / "Team.jsonl").read_text(encoding="utf-8")
    (folder / "Team.jsonl").write_text(re.sub(r'"version": \d', '"version": 9', words), encoding="utf-8")
    pane.libraries.import_from(folder)
    heard = " ".join(f"{notice.what} {notice.means}" for notice in pane.banner.notices)
    assert "were changed on both sides" in heard and "“personal (imported)”: 1 template is new." in heard
    assert {t.text for t in pane.state.reader.store.library.templates(TEAM)} == {"Ours, for {section}.", one.text}
    pane.project.undo()
    assert len(pane.state.reader.store.library.templates(TEAM)) == 1, "a folder is taken in by one step"
