"""The commands of the review pane, with their keys. Keys that also work while writing contain Alt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop_app import if_any, present
from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.review.choices import CARD_KEYS, PAGES, STANCES, Page, forms

if TYPE_CHECKING:
    from desktop_app.panes.review.pane import ReviewPane

    When = Callable[[ReviewPane], bool]


def commands() -> list[Command]:
    return [*_review_commands(), *_drawer_commands()]


def _ask_for_form(pane: ReviewPane) -> None:
    found = pane.context.files.open_file(pane, "Import review form", "OpenReview form (*.json)")
    if_any(found, pane.import_form)


def _can_edit(pane: ReviewPane) -> bool:
    return pane.state.can_edit


def _has_card(pane: ReviewPane) -> bool:
    return pane.state.can_edit and pane.evidence.card is not None


def _has_paper(pane: ReviewPane) -> bool:
    return pane.state.paper is not None


def _has_claim(pane: ReviewPane) -> bool:
    claim = pane.form_view.claim
    return pane.state.can_edit and claim is not None and claim.open


def _can_ask(pane: ReviewPane) -> bool:
    claim = pane.form_view.claim
    return _has_claim(pane) and claim is not None and claim.kind != "question"


def _review_commands() -> list[Command]:
    own: PaneCommands[ReviewPane] = PaneCommands("review", lambda pane: pane.state.draft is not None)
    offered = forms().items()
    return [
        own("import", "Add paper…", "Add the PDF that you review to the project.",
            lambda pane: pane.ask_for_paper(), "Ctrl+I", lambda pane: pane.state.can_write, "file-plus",
            words="open import pdf"),
        *(
            own(f"begin_{key}", f"New review: {title}", "Start a review of the paper on this form.",
                given(lambda pane, key: pane.begin(key), key),
                when=given(lambda pane, key: pane.state.can_begin and key in pane.forms, key), icon="note-pencil",
                words=key)
            for key, title in offered
        ),
        own("import_form", "Import form…", "Read an OpenReview form (JSON) and use it for the review.",
            _ask_for_form, when=lambda pane: pane.state.can_begin, icon="upload-simple"),
        *(
            own(f"form_{key}", f"Change to {title} form", "Change the review's form and keep what you wrote.",
                given(lambda pane, key: pane.change_form(key), key),
                when=given(lambda pane, key: key in pane.forms and pane.state.can_change_to(key), key),
                words=key)
            for key, title in offered
        ),
        own("forms_folder", "Open forms folder",
            "Open the folder for your own review forms. Restart Rejoinder after you add one.",
            lambda pane: pane.open_forms_folder(), when=lambda _pane: True, icon="folder-open"),
        own("rename", "Rename review…", "Rename this review.", lambda pane: pane.ask_for_title(), "F2", _can_edit),
        own("remove_draft", "Delete review", "Delete this review; undo restores it.",
            lambda pane: pane.session.act(pane.state.remove_draft), when=_can_edit, icon="trash"),
        own("read", "Read paper", "Put the caret in the paper.", lambda pane: pane.read_paper(), "Alt+P", _has_paper,
            "book-open"),
        own("write", "Write review", "Put the cursor in the form.", lambda pane: pane.write(), "Alt+W",
            icon="pencil-simple"),
        *own.steps("field", lambda pane, by: pane.form_view.step(by), "Alt+Down", "Alt+Up", verb="field"),
        own("card", "Add evidence card",
            "Create a card from the words selected in the paper, or from the sentence at the caret.",
            lambda pane: pane.make_card(), "C; Alt+C",
            lambda pane: pane.state.can_edit and pane.state.places is not None and pane.paper_view.has_selection(),
            "quotes"),
        own("insert", "Insert card", "Insert the selected card into the review as a sentence with its place.",
            lambda pane: pane.insert_card(pane.evidence.card), "Alt+I", _has_card),
        *(
            own(f"insert_{number + 1}", f"Insert card {number + 1}",
                f"Insert card {number + 1} into the review as a sentence.",
                given(lambda pane, at: pane.insert_card(pane.state.cards[at]), number), f"Alt+{number + 1}",
                given(lambda pane, at: pane.state.can_edit and at < len(pane.state.cards), number))
            for number in range(CARD_KEYS)
        ),
        *own.steps("card", lambda pane, by: pane.evidence.step(by), "J", "K", verb="card"),
        own("note", "Edit card note", "Edit the note of the selected card.", lambda pane: pane.evidence.edit_note(),
            "Alt+K", _has_card, "pencil-simple"),
        own("card_place", "Show card in paper", "Show where the card's words are in the paper.",
            lambda pane: pane.session.show(present(pane.evidence.card).boxes), "Space", _has_card),
        *(
            own(f"stance_{key}", f"Card: {title}", f"Mark the selected card as a {title.lower()}.",
                given(lambda pane, key: pane.evidence.set_stance(key), key), str(number), _has_card)
            for number, (key, title, _) in enumerate(STANCES, start=1)
        ),
        own("card_up", "Move card up", "Move the selected card up. Its key changes too.",
            lambda pane: pane.evidence.move_card(-1), "Ctrl+Up", _has_card),
        own("card_down", "Move card down", "Move the selected card down. Its key changes too.",
            lambda pane: pane.evidence.move_card(1), "Ctrl+Down", _has_card),
        own("remove_card", "Delete card", "Delete the selected card; undo restores it.",
            lambda pane: pane.remove_card(), "Delete", _has_card, "trash"),
        own("next_open", "Next sentence to check",
            "Go to the next sentence that is contradicted, not found or not fully checked.",
            lambda pane: pane.step_open(1), "Alt+N", icon="skip-forward"),
        own("previous_open", "Previous sentence to check", "Go to the previous sentence to check.",
            lambda pane: pane.step_open(-1), "Alt+Shift+N"),
        own("go", "Show cited place", "Show the place in the paper that the sentence cites; repeat for the next one.",
            lambda pane: pane.go_to_place(), "Alt+G", lambda pane: pane.sentence.has_place, "crosshair-simple"),
        own("ask", "Turn into question", "Turn the sentence into a question to the authors.",
            lambda pane: pane.form_view.decide("question"), "Alt+Q", _can_ask, "question"),
        own("drop", "Delete sentence", "Delete the sentence from the review.",
            lambda pane: pane.form_view.decide("drop"), "Alt+X", _has_claim, "x"),
        own("ask_model", "Ask model about undecided sentences",
            "Show the language model's judgement of each undecided sentence. States don't change.",
            lambda pane: pane.opinions.ask(pane.drawer.runs.chosen_model()), "Alt+J",
            lambda pane: pane.opinions.can_ask, "robot", words="entailment judge check language"),
        own("tone", "Improve tone", "Replace the next dismissive words with a neutral alternative.",
            lambda pane: pane.form_view.improve_tone(), "Alt+T",
            lambda pane: pane.state.can_edit and bool(pane.form_view.check.tone)),
        own("sees", "What the model sees", "Switch between the pages and the text that a language model would see.",
            lambda pane: pane.paper_view.toggle_model(), "Alt+M", _has_paper, "eye",
            lambda pane: "The pages as printed" if pane.paper_view.shows_model else "What the model sees"),
        own("finding", "Next hidden text", "Show the next place with hidden text or instructions to reviewers.",
            lambda pane: pane.paper_view.next_finding(), "F8", lambda pane: pane.paper_view.has_findings(), "warning"),
    ]  # fmt: skip


def _on(page: Page, further: When) -> When:
    return lambda pane: pane.drawer.shows(page) and further(pane)


def _on_prompt(pane: ReviewPane) -> bool:
    return pane.drawer.stages.on_prompt and pane.state.can_write


def _drawer_commands() -> list[Command]:
    """Returns the commands of the drawer; single letters work only on their page."""
    own: PaneCommands[ReviewPane] = PaneCommands("review", lambda pane: pane.state.draft is not None)

    def can_write(pane: ReviewPane) -> bool:
        return pane.state.can_write

    can_decide = _on("stages", lambda pane: pane.drawer.stages.can_decide)
    can_settle = _on("export", lambda pane: pane.drawer.export.can_settle)
    can_export = _on("export", lambda pane: pane.drawer.export.can_export)

    def write(pane: ReviewPane) -> None:
        """Opens the export page first, so that the user sees the issues and the text before exporting."""
        if pane.drawer.shows("export"):
            pane.drawer.export.ask_where()
        else:
            pane.drawer.open_page("export")

    return [
        own("drawer", "Show or hide tools", "Show or hide the tools below the form.",
            lambda pane: pane.drawer.toggle(), "Alt+D", icon="rows"),
        *(
            own(f"show_{page}", title, help_, given(lambda pane, page: pane.drawer.open_page(page), page), key)
            for page, (title, key, help_) in PAGES.items()
        ),
        own("run_stages", "Draft review", "Run the checked stages on the paper. You accept or reject each point.",
            lambda pane: pane.drawer.draft(), "Ctrl+R", lambda pane: pane.drawer.runs.can_run, "play",
            words="run stages generate suggest"),
        own("cancel_run", "Cancel run", "Stop the run; finished stages are kept.",
            lambda pane: pane.drawer.runs.cancel(), "Ctrl+.", lambda pane: pane.drawer.runs.can_cancel, "stop"),
        own("take_point", "Accept point", "Add the point to the review and go to the next one.",
            lambda pane: pane.drawer.stages.take(), "A", can_decide, "check"),
        own("refuse_point", "Reject point", "Reject the point and go to the next one; repeat to undo.",
            lambda pane: pane.drawer.stages.refuse(), "X", can_decide, "x"),
        own("show_place", "Go to place", "Show the place of this row in the paper or in the review.",
            lambda pane: pane.drawer.go(), "G", lambda pane: pane.drawer.can_go, "crosshair-simple"),
        own("edit_prompt", "Edit prompt", "Show the prompt of this stage.",
            lambda pane: pane.drawer.stages.edit_prompt(), "F4", lambda pane: pane.drawer.shows("stages"),
            "pencil-simple"),
        own("use_prompt", "Use prompt", "Use the text shown as the prompt for future runs.",
            lambda pane: pane.drawer.stages.prompt.use(), "Ctrl+Return",
            _on("stages", lambda pane: _on_prompt(pane) and pane.drawer.stages.prompt.changed)),
        own("ship_prompt", "Restore default prompt", "Use the default prompt again. Your versions are kept.",
            lambda pane: pane.drawer.stages.prompt.restore_default(), "",
            _on("stages", lambda pane: _on_prompt(pane) and pane.drawer.stages.prompt.edited)),
        own("insert_work", "Ask about paper", "Add a question about the selected paper to the review.",
            lambda pane: pane.drawer.literature.insert(), "I",
            _on("literature", lambda pane: pane.drawer.literature.work is not None and pane.state.can_write), "plus"),
        own("add_papers", "Add papers to library…",
            "Add PDFs, BibTeX, RIS, CSL-JSON or tables to the library that the stages search.",
            lambda pane: pane.drawer.ask_for_papers(folder=False), "", can_write, "files"),
        own("add_paper_folder", "Add folder of papers…", "Add all papers and lists in a folder to the library.",
            lambda pane: pane.drawer.ask_for_papers(folder=True), "", can_write, "folder-open"),
        own("search_catalogues", "Search catalogues",
            "Search the catalogues enabled in Settings. Only the search words leave this computer.",
            lambda pane: pane.drawer.search_catalogues(), "", lambda pane: pane.drawer.can_search(), "globe"),
        own("replay", "Repeat run", "Run the stages again with the same settings and texts.",
            lambda pane: pane.drawer.runs.replay(), "R", _on("runs", lambda pane: pane.drawer.runs.can_replay),
            "arrow-clockwise"),
        own("forget_run", "Delete run", "Delete the selected run. This can't be undone.",
            lambda pane: pane.drawer.kept.forget(), "", _on("runs", lambda pane: pane.drawer.kept.can_forget),
            "trash"),
        own("keep_version", "Save version", "Save the review as it is now, to compare with or restore later.",
            lambda pane: pane.drawer.history.keep(), "V; Alt+V", _can_edit, "clock-counter-clockwise"),
        own("restore_version", "Restore version", "Restore the selected version; undo reverts it.",
            lambda pane: pane.drawer.history.restore(), "B",
            _on("history", lambda pane: pane.drawer.history.can_restore), "arrow-counter-clockwise"),
        own("settle_drop", "Delete selected sentence", "Delete a sentence that is contradicted or not found.",
            lambda pane: pane.drawer.export.settle("drop"), "D", can_settle, "x"),
        own("settle_ask", "Turn selected sentence into question",
            "Turn a sentence that is contradicted or not found into a question to the authors.",
            lambda pane: pane.drawer.export.settle("question"), "Q", can_settle, "question"),
        own("write_review", "Export review…", "Write the review to a file in the chosen format.", write, "Ctrl+E",
            lambda pane: pane.state.draft is not None and (not pane.drawer.shows("export") or can_export(pane)),
            "export"),
        own("copy_review", "Copy review", "Copy the review in the chosen format.",
            lambda pane: pane.drawer.export.copy(), "Ctrl+Shift+C", can_export, "copy"),
    ]  # fmt: skip
