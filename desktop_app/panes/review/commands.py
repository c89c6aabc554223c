"""The commands of the review pane, with their keys. Keys that work while one writes have Alt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.review.drawer_commands import drawer_commands
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


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""

    own: PaneCommands[ReviewPane] = PaneCommands("review", lambda pane: pane.has_draft())

    def write(pane: ReviewPane) -> bool:
        return pane.can_edit()

    def at_hand(pane: ReviewPane) -> bool:
        return pane.has_card()

    return [
        own(
            "import", "Add a paper…", "Takes the PDF that you review into the project.",
            lambda pane: pane.ask_for_paper(), "Ctrl+I", lambda pane: pane.can_write(), "file-plus",
        ),
        *(
            own(
                f"begin_{key}", f"New review for {shipped(key).title}", "Begins a review of the paper on this form.",
                given(lambda pane, key: pane.begin(key), key), when=lambda pane: pane.can_begin(), icon="note-pencil",
            )
            for key in SHIPPED
        ),
        own(
            "import_form", "Take a form from a file…", "Reads an OpenReview form (JSON) and puts the review on it.",
            lambda pane: pane.ask_for_form(), when=lambda pane: pane.can_begin(), icon="upload-simple",
        ),
        *(
            own(
                f"form_{key}", f"Change to the {shipped(key).title} form",
                "Puts the review on this form; what you wrote goes along.",
                given(lambda pane, key: pane.change_form(key), key), when=write,
            )
            for key in SHIPPED
        ),
        own(
            "rename", "Rename the review…", "Gives the review at hand another title.",
            lambda pane: pane.ask_for_title(), "F2", write,
        ),
        own(
            "remove_draft", "Remove the review", "Takes the review at hand out; undo brings it back.",
            lambda pane: pane.desk.remove(), when=write, icon="trash",
        ),
        own(
            "read", "Read the paper", "Puts the caret into the paper.", lambda pane: pane.read_paper(), "Alt+P",
            lambda pane: pane.has_paper(), "book-open",
        ),
        own(
            "write", "Write the review", "Puts the cursor into the form.", lambda pane: pane.write(), "Alt+W",
            icon="pencil-simple",
        ),
        own(
            "next_field", "Next field", "Goes to the next field of the form.", lambda pane: pane.step_field(1),
            "Alt+Down",
        ),
        own(
            "previous_field", "Previous field", "Goes to the previous field of the form.",
            given(lambda pane, arg: pane.step_field(arg), -1), "Alt+Up",
        ),
        own(
            "card", "Make an evidence card",
            "Makes a card of the words that are selected in the paper, or of the sentence at the caret.",
            lambda pane: pane.make_card(), "C; Alt+C", lambda pane: pane.can_make_card(), "quotes",
        ),
        own(
            "insert", "Insert the card",
            "Puts the card at hand into the review, as a sentence that points at its place.",
            lambda pane: pane.insert_card(), "Alt+I", at_hand,
        ),
        *(
            own(
                f"insert_{number}", f"Insert card {number}", f"Puts card {number} into the review, as a sentence.",
                given(lambda pane, arg: pane.insert_number(arg), number - 1), f"Alt+{number}",
                given(lambda pane, arg: pane.has_number(arg), number - 1),
            )
            for number in range(1, KEYS + 1)
        ),
        own("next_card", "Next card", "Brings the next evidence card to hand.", lambda pane: pane.step_card(1), "J"),
        own(
            "previous_card", "Previous card", "Brings the previous evidence card to hand.",
            given(lambda pane, arg: pane.step_card(arg), -1), "K",
        ),
        own(
            "note", "Note on the card", "Puts the cursor into what the card at hand shows, in your words.",
            lambda pane: pane.edit_note(), "Alt+K", at_hand, "pencil-simple",
        ),
        own(
            "card_place", "Show the card's place", "Shows where the card's words stand in the paper.",
            lambda pane: pane.show_card_place(), "Space", at_hand,
        ),
        *(
            own(
                f"stance_{key}", f"Card: {words}", f"Says that the card at hand is for a {words.lower()}.",
                given(lambda pane, key: pane.set_stance(key), key), str(number), at_hand,
            )
            for number, (key, words, _) in enumerate(STANCES, start=1)
        ),
        own(
            "card_up", "Move the card up", "Moves the card at hand up; its key changes with it.",
            given(lambda pane, arg: pane.move_card(arg), -1), "Ctrl+Up", at_hand,
        ),
        own(
            "card_down", "Move the card down", "Moves the card at hand down; its key changes with it.",
            lambda pane: pane.move_card(1), "Ctrl+Down", at_hand,
        ),
        own(
            "remove_card", "Remove the card", "Takes the card at hand out; undo brings it back.",
            lambda pane: pane.remove_card(), "Delete", at_hand, "trash",
        ),
        own(
            "next_open", "Next sentence to look at",
            "Goes to the next sentence that names no place or one that is not there.", lambda pane: pane.step_open(1),
            "Alt+N", icon="skip-forward",
        ),
        own(
            "previous_open", "Previous sentence to look at", "Goes to the previous sentence that wants a look.",
            given(lambda pane, arg: pane.step_open(arg), -1), "Alt+Shift+N",
        ),
        own(
            "go", "Go to the place", "Shows what the sentence at hand points at in the paper; again the next place.",
            lambda pane: pane.go_to_place(), "Alt+G", lambda pane: pane.has_place(), "crosshair-simple",
        ),
        own(
            "ask", "Make it a question", "Turns the sentence at hand into a question to the authors.",
            lambda pane: pane.decide("question"), "Alt+Q", lambda pane: pane.can_ask(), "question",
        ),
        own(
            "drop", "Drop the sentence", "Takes the sentence at hand out of the review.",
            lambda pane: pane.decide("drop"), "Alt+X", lambda pane: pane.has_claim(), "x",
        ),
        own(
            "mend", "Mend the tone", "Puts the alternative in the place of the next words of doubtful tone.",
            lambda pane: pane.mend_tone(), "Alt+T", lambda pane: pane.has_tone(),
        ),
        own(
            "sees", "What the model sees", "Shows the text that a language model would get; again shows the pages.",
            lambda pane: pane.toggle_model(), "Alt+M", lambda pane: pane.has_paper(), "eye",
            lambda pane: pane.model_words(),
        ),
        own(
            "finding", "Next hidden text", "Shows the next place where the file hides text or speaks to reviewers.",
            lambda pane: pane.next_finding(), "F8", lambda pane: pane.has_findings(), "warning",
        ),
        *drawer_commands(),
    ]  # fmt: skip
