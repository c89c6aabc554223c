"""The commands of the review pane, with their keys. Keys that work while one writes have Alt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command
from desktop_app.panes.review.evidence import KEYS, STANCES
from desktop_app.widgets.key_bar import Items
from engine.review_drafting.forms import SHIPPED, shipped

if TYPE_CHECKING:
    from desktop_app.panes.review.pane import ReviewPane

NEW_MENU = ("review.import", "", *(f"review.begin_{key}" for key in SHIPPED))
REVIEW_MENU = (
    "review.rename", "", *(f"review.form_{key}" for key in SHIPPED), "review.import_form", "", "review.remove_draft",
)  # fmt: skip

KEYS_SHOWN: Items = (
    (("read",), "paper"),
    (("write",), "review"),
    (("card",), "card from the selection"),
    (("note",), "its note"),
    (("insert_1",), "insert card 1"),
    (("next_open",), "next to look at"),
    (("go",), "its place"),
    (("ask", "drop"), "ask instead, drop"),
    (("previous_field", "next_field"), "field"),
    (("sees",), "what the model sees"),
    (("drawer",), "drawer"),
)
"""The keys that stand at the foot of the pane."""


def review_commands(pane: ReviewPane) -> list[Command]:
    """All commands, in the order of the key overview."""

    def own(  # noqa: PLR0917 - a table of records reads best by position
        name: str,
        title: str,
        words: str,
        handler: Callable[[], object],
        shortcut: str = "",
        enabled: Callable[[], bool] = pane.has_draft,
        icon: str = "",
        title_now: Callable[[], str] | None = None,
    ) -> Command:
        return Command(
            f"review.{name}", title, words, handler, shortcut, scope=pane.pane_id, enabled=enabled, icon=icon,
            title_now=title_now,
        )  # fmt: skip

    write, at_hand, claim = pane.can_edit, pane.has_card, pane.has_claim
    return [
        own("import", "Add a paper…", "Takes the PDF that you review into the project.", pane.ask_for_paper, "Ctrl+I",
            pane.can_write, "file-plus"),
        *(
            own(f"begin_{key}", f"New review for {shipped(key).title}", "Begins a review of the paper on this form.",
                partial(pane.begin, key), "", pane.can_begin, "note-pencil")
            for key in SHIPPED
        ),
        own("import_form", "Take a form from a file…", "Reads an OpenReview form (JSON) and puts the review on it.",
            pane.ask_for_form, "", pane.can_begin, "upload-simple"),
        *(
            own(f"form_{key}", f"Change to the {shipped(key).title} form",
                "Puts the review on this form; what you wrote goes along.", partial(pane.change_form, key), "", write)
            for key in SHIPPED
        ),
        own("rename", "Rename the review…", "Gives the review at hand another title.", pane.ask_for_title, "F2", write),
        own("remove_draft", "Remove the review", "Takes the review at hand out; undo brings it back.",
            pane.desk.remove, "", write, "trash"),
        own("read", "Read the paper", "Puts the caret into the paper.", pane.read_paper, "Alt+P", pane.has_paper,
            "book-open"),
        own("write", "Write the review", "Puts the cursor into the form.", pane.write, "Alt+W",
            icon="pencil-simple"),
        own("next_field", "Next field", "Goes to the next field of the form.", partial(pane.step_field, 1), "Alt+Down"),
        own("previous_field", "Previous field", "Goes to the previous field of the form.",
            partial(pane.step_field, -1), "Alt+Up"),
        own("card", "Make an evidence card", "Makes a card of the words that are selected in the paper, or of the "
            "sentence at the caret.", pane.make_card, "C; Alt+C", pane.can_make_card, "quotes"),
        own("insert", "Insert the card", "Puts the card at hand into the review, as a sentence that points at its "
            "place.", pane.insert_card, "Alt+I", at_hand),
        *(
            own(f"insert_{number}", f"Insert card {number}", f"Puts card {number} into the review, as a sentence.",
                partial(pane.insert_number, number - 1), f"Alt+{number}", partial(pane.has_number, number - 1))
            for number in range(1, KEYS + 1)
        ),
        own("next_card", "Next card", "Brings the next evidence card to hand.", partial(pane.step_card, 1), "J"),
        own("previous_card", "Previous card", "Brings the previous evidence card to hand.",
            partial(pane.step_card, -1), "K"),
        own("note", "Note on the card", "Puts the cursor into what the card at hand shows, in your words.",
            pane.edit_note, "Alt+K", at_hand, "pencil-simple"),
        own("card_place", "Show the card's place", "Shows where the card's words stand in the paper.",
            pane.show_card_place, "Space", at_hand),
        *(
            own(f"stance_{key}", f"Card: {words}", f"Says that the card at hand is for a {words.lower()}.",
                partial(pane.set_stance, key), str(number), at_hand)
            for number, (key, words, _) in enumerate(STANCES, start=1)
        ),
        own("card_up", "Move the card up", "Moves the card at hand up; its key changes with it.",
            partial(pane.move_card, -1), "Ctrl+Up", at_hand),
        own("card_down", "Move the card down", "Moves the card at hand down; its key changes with it.",
            partial(pane.move_card, 1), "Ctrl+Down", at_hand),
        own("remove_card", "Remove the card", "Takes the card at hand out; undo brings it back.", pane.remove_card,
            "Delete", at_hand, "trash"),
        own("next_open", "Next sentence to look at", "Goes to the next sentence that names no place or one that is "
            "not there.", partial(pane.step_open, 1), "Alt+N", icon="skip-forward"),
        own("previous_open", "Previous sentence to look at", "Goes to the previous sentence that wants a look.",
            partial(pane.step_open, -1), "Alt+Shift+N"),
        own("go", "Go to the place", "Shows what the sentence at hand points at in the paper; again the next place.",
            pane.go_to_place, "Alt+G", pane.has_place, "crosshair-simple"),
        own("ask", "Make it a question", "Turns the sentence at hand into a question to the authors.",
            partial(pane.decide, "question"), "Alt+Q", pane.can_ask, "question"),
        own("drop", "Drop the sentence", "Takes the sentence at hand out of the review.",
            partial(pane.decide, "drop"), "Alt+X", claim, "x"),
        own("mend", "Mend the tone", "Puts the alternative in the place of the next words of doubtful tone.",
            pane.mend_tone, "Alt+T", pane.has_tone),
        own("sees", "What the model sees", "Shows the text that a language model would get; again shows the pages.",
            pane.toggle_model, "Alt+M", pane.has_paper, "eye", pane.model_words),
        own("finding", "Next hidden text", "Shows the next place where the file hides text or speaks to reviewers.",
            pane.next_finding, "F8", pane.has_findings, "warning"),
    ]  # fmt: skip
