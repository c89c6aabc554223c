"""The commands of the rebuttal pane, with their keys. Keys that work while one writes have Alt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.rebuttal.entries import GROUPINGS
from desktop_app.panes.rebuttal.keeping import TEMPLATE_FORMS
from desktop_app.panes.rebuttal.replying import OUTCOMES
from desktop_app.panes.rebuttal.templates_view import KEYS
from desktop_app.widgets.label_chips import LABELLED
from engine.rebuttal.records import ACTION_TITLES, ACTIONS

if TYPE_CHECKING:
    from desktop_app.panes.rebuttal.pane import RebuttalPane


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""

    own: PaneCommands[RebuttalPane] = PaneCommands("rebuttal", lambda pane: pane.has_comments())

    return [
        own("next", "Next point", "Brings the next point to hand.", lambda pane: pane.step(1), "J; Alt+Down"),
        own(
            "previous", "Previous point", "Brings the previous point to hand.", lambda pane: pane.step(-1),
            "K; Alt+Up",
        ),
        own(
            "next_open", "Next unanswered", "Goes to the next comment without a reply.", lambda pane: pane.next_open(),
            "Space; Alt+Return", icon="skip-forward",
        ),
        own(
            "next_todo", "Next to mend",
            "Goes to the next comment that lacks something: a reply, words for a slot, a linked edit, a claim that "
            "holds.", lambda pane: pane.next_todo(), "Shift+Space; Alt+Shift+Return",
        ),
        own(
            "edit", "Write the reply", "Puts the cursor into the reply.", lambda pane: pane.edit(), "E; Return",
            lambda pane: pane.can_write(), "pencil-simple",
        ),
        *(
            own(
                f"template_{number}", f"Put template {number} in",
                f"Puts template {number} of the list into the reply; its slots are tab stops.",
                given(lambda pane, arg: pane.put_in_number(arg), number - 1), f"Alt+{number}",
                given(lambda pane, arg: pane.has_template(arg), number - 1),
            )
            for number in range(1, KEYS + 1)
        ),
        own(
            "search_templates", "Search templates", "Looks for words in all templates.",
            lambda pane: pane.search_templates(), "Alt+S", lambda pane: pane.can_write(), "magnifying-glass",
        ),
        own(
            "next_slot", "Next slot", "Selects the next slot that is open; Tab does the same in the reply.",
            lambda pane: pane.next_slot(), "Alt+N", lambda pane: pane.has_slot(),
        ),
        own(
            "quote", "Quote the reviewer", "Puts the reviewer's words into the reply, as a quotation.",
            lambda pane: pane.quote(), "Alt+Q", lambda pane: pane.has_reply(), "quotes",
        ),
        own(
            "quote_sentence", "Quote the sentence",
            "Puts the sentence at hand into the reply, as a quotation; again the next one.",
            lambda pane: pane.quote_sentence(), "Alt+Shift+Q", lambda pane: pane.can_quote_sentence(), "quotes",
        ),
        own(
            "note", "Note to co-authors",
            "Begins a line with %%: it stays here when the rebuttal leaves, and takes no room.",
            lambda pane: pane.note(), "Alt+Shift+N", lambda pane: pane.has_point(), "note-pencil",
        ),
        own(
            "action", "Action", "Chooses what the reply does: answer, reject and others.",
            lambda pane: pane.open_actions(), "Alt+R", lambda pane: pane.has_point(),
            title_now=lambda pane: pane.action_words(),
        ),
        *(
            own(
                f"action_{action}", f"Action: {ACTION_TITLES[action]}",
                f"Says that the reply does this: {ACTION_TITLES[action].lower()}.",
                given(lambda pane, action: pane.choose_action(action), action), when=lambda pane: pane.has_point(),
            )
            for action in ACTIONS
        ),
        own(
            "no_action", "Action: open", "Takes the choice of an action back.", lambda pane: pane.choose_action(None),
            when=lambda pane: pane.has_action(),
        ),
        own(
            "accept", "Accept generated text", "You stand by what a template or a model wrote here.",
            lambda pane: pane.accept(), "Alt+A", lambda pane: pane.has_generated(), "check",
        ),
        own(
            "draft", "Draft the reply",
            "Has the reply drafted by the language model that you chose, or by a template.", lambda pane: pane.draft(),
            "Alt+D", lambda pane: pane.can_draft(), "sparkle",
        ),
        own(
            "stop_drafting", "Stop drafting", "Stops the language model.", lambda pane: pane.stop_drafting(),
            when=lambda pane: pane.is_drafting(), icon="stop",
        ),
        own(
            "take_draft", "Put the draft in", "Puts the model's draft into the reply.", lambda pane: pane.take_draft(),
            "Alt+I", lambda pane: pane.has_draft(),
        ),
        own(
            "refuse_draft", "Refuse the draft", "Puts the model's draft aside.", lambda pane: pane.refuse_draft(),
            "Alt+X", lambda pane: pane.has_draft(),
        ),
        own(
            "tone", "Mend the tone", "Puts the alternative in the place of the next words of doubtful tone.",
            lambda pane: pane.mend_tone(), "Alt+T", lambda pane: pane.has_tone(),
        ),
        own(
            "confirm", "Confirm a claim", "You looked: the first claim of the reply that could not be verified holds.",
            lambda pane: pane.confirm_claim(), "Alt+C", lambda pane: pane.has_claim(),
        ),
        own(
            "must_answer", "Must be answered",
            "Says whether the comment at hand must be answered: then it is a row of the matrix, else a remark.",
            lambda pane: pane.toggle_must(), "U", lambda pane: pane.has_entry(),
            title_now=lambda pane: pane.must_words(),
        ),
        own(
            "suggest_labels", "Suggest labels", "Reads roots, themes and polarity in all reviews; you decide.",
            lambda pane: pane.suggest_labels(), "L", lambda pane: pane.can_suggest(), "tag",
        ),
        own(
            "learn_labels", "Learn from my labels", "Trains heads on the labels of this project, to suggest with.",
            lambda pane: pane.learn_labels(), when=lambda pane: pane.can_suggest(),
        ),
        own(
            "next_sentence", "Next sentence", "The next sentence of the comment at hand.",
            lambda pane: pane.step_sentence(1), "]", lambda pane: pane.can_label(),
        ),
        own(
            "previous_sentence", "Previous sentence", "The sentence before, of the comment at hand.",
            lambda pane: pane.step_sentence(-1), "[", lambda pane: pane.can_label(),
        ),
        own(
            "accept_labels", "Accept labels", "Takes what is suggested for the sentence at hand.",
            lambda pane: pane.accept_labels(), "Y", lambda pane: pane.has_suggestion(),
        ),
        own(
            "refuse_labels", "Refuse labels", "Refuses what is suggested for the sentence at hand.",
            lambda pane: pane.refuse_labels(), "N", lambda pane: pane.has_suggestion(),
        ),
        *(
            own(
                f"label_{name}", f"Label {words}", f"Chooses the {words} of the sentence at hand.",
                given(lambda pane, name: pane.open_labels(name), name), key, lambda pane: pane.can_label(),
            )
            for name, words, key in LABELLED
        ),
        own("write", "Write", "Shows the reply and its templates.", lambda pane: pane.show_view(0), "Alt+W"),
        own(
            "preview", "Preview", "Shows Markdown and formulas as OpenReview shows them; again goes back.",
            lambda pane: pane.show_view(1), "Alt+P", icon="eye",
        ),
        own(
            "send", "Check and send", "Shows what is missing, what gives you away, and what leaves; again goes back.",
            lambda pane: pane.show_view(2), "Alt+O", icon="paper-plane-tilt",
        ),
        own(
            "write_file", "Write the rebuttal…", "Writes the form that is chosen under Send.",
            lambda pane: pane.write_file(), "Ctrl+E", lambda pane: pane.can_leave(), "export",
        ),
        own(
            "copy", "Copy the answer",
            "Copies what goes to the reviewer at hand, ready for the form; again the next post.",
            lambda pane: pane.copy(), "Ctrl+Shift+C", lambda pane: pane.can_leave(), "copy",
        ),
        own(
            "take_names", "Names from the PDFs", "Adds the authors that the PDFs name to those that must not leave.",
            lambda pane: pane.take_names(), when=lambda pane: pane.can_write(),
        ),
        own(
            "import_letter", "Take replies from a letter…",
            "Reads a response letter (Markdown, Word, LaTeX, PDF, OpenReview notes) and fills replies that are empty.",
            lambda pane: pane.ask_for_letter(), when=lambda pane: pane.can_write(), icon="download-simple",
        ),
        own(
            "take_responses", "Take the letter's responses",
            "Takes the responses of the letter that came with the comments over, where nothing is written yet.",
            lambda pane: pane.take_responses(), when=lambda pane: pane.can_take_responses(), icon="download-simple",
        ),
        own(
            "limits", "Limits…", "Changes single limits, how they are counted, and how comments are quoted.",
            lambda pane: pane.open_limits(), "Alt+M", lambda pane: pane.can_write(), "ruler",
        ),
        own(
            "spread_left", "Spread what is left", "Written replies get what they take; the others share the rest.",
            lambda pane: pane.spread_left(), "Alt+B", lambda pane: pane.can_write(),
        ),
        own(
            "spread_evenly", "Spread the budget evenly", "Every reply gets its share by its comment's length again.",
            lambda pane: pane.spread_evenly(), "Alt+Shift+B", lambda pane: pane.can_write(),
        ),
        own(
            "outcome", "Outcome", "Notes what the reviewer made of the reply: satisfied, partly, unmoved.",
            lambda pane: pane.open_outcomes(), "Alt+U", lambda pane: pane.has_reply(),
            title_now=lambda pane: pane.outcome_words(),
        ),
        *(
            own(
                f"outcome_{key or 'open'}", f"Outcome: {words}",
                f"Notes that the reviewer was {words} with the reply." if key else "Takes the outcome back.",
                given(lambda pane, key: pane.set_outcome(key), key), when=lambda pane: pane.has_reply(),
            )
            for key, words in OUTCOMES
        ),
        own(
            "keep_template", "Keep as template", "Keeps the selection, or the reply, in your own library.",
            lambda pane: pane.keep_template(), "Alt+K", lambda pane: pane.can_keep(), "bookmark-simple",
        ),
        own(
            "libraries", "Libraries",
            "Shows all templates: who wrote them, how often they were used, what came of it.",
            lambda pane: pane.open_libraries(), "Alt+Y", lambda pane: pane.has_comments(), "books",
        ),
        own(
            "import_templates", "Import templates…", "Takes a library over from JSON Lines, CSV or TOML.",
            lambda pane: pane.ask_for_templates(folder=False), when=lambda pane: pane.can_write(),
        ),
        own(
            "import_jitsupeer", "Import templates from a folder…",
            "Takes over a folder of libraries, or of JitsuPeer.", lambda pane: pane.ask_for_templates(folder=True),
            when=lambda pane: pane.can_write(),
        ),
        *(
            own(
                f"export_templates_{key}", f"Export templates: {words}…", f"Writes your libraries as {words}.",
                given(lambda pane, key: pane.export_templates(key), key), when=lambda pane: pane.has_comments(),
            )
            for words, key in TEMPLATE_FORMS
        ),
        *(
            own(f"group_{by}", words, f"Lists the comments {words.lower()}.",
                given(lambda pane, by: pane.group_by(by), by))
            for words, by in GROUPINGS
        ),
        own(
            "go", "Go to the links", "Shows the comment at hand in Linking, where edits are linked.",
            lambda pane: pane.go_to_linking(), "G; Alt+L", lambda pane: pane.has_comments(), "link",
        ),
        own(
            "to_linking", "Add reviews and PDFs", "Opens Linking, where reviews and both versions are added.",
            lambda pane: pane.context.show_pane("linking"), when=lambda _: True, icon="link",
        ),
    ]  # fmt: skip
