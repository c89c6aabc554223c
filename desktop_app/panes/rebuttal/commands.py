"""The commands of the rebuttal pane, with their keys. Keys that work while one writes have Alt."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands
from desktop_app.panes.rebuttal.entries import GROUPINGS
from desktop_app.panes.rebuttal.keeping import TEMPLATE_FORMS
from desktop_app.panes.rebuttal.replying import OUTCOMES
from desktop_app.panes.rebuttal.templates_view import KEYS
from desktop_app.widgets.label_chips import LABELLED
from engine.rebuttal.records import ACTION_TITLES, ACTIONS

if TYPE_CHECKING:
    from desktop_app.panes.rebuttal.pane import RebuttalPane


def rebuttal_commands(pane: RebuttalPane) -> list[Command]:
    """All commands, in the order of the key overview."""

    own = PaneCommands(pane.pane_id, pane.has_comments)

    write = pane.can_write
    return [
        own("next", "Next point", "Brings the next point to hand.", lambda: pane.step(1), "J; Alt+Down"),
        own("previous", "Previous point", "Brings the previous point to hand.", lambda: pane.step(-1), "K; Alt+Up"),
        own(
            "next_open", "Next unanswered", "Goes to the next comment without a reply.", pane.next_open,
            "Space; Alt+Return", icon="skip-forward",
        ),
        own("next_todo", "Next to mend", "Goes to the next comment that lacks something: a reply, words for a slot, a "
            "linked edit, a claim that holds.", pane.next_todo, "Shift+Space; Alt+Shift+Return"),
        own(
            "edit", "Write the reply", "Puts the cursor into the reply.", pane.edit, "E; Return", write,
            "pencil-simple",
        ),
        *(
            own(
                f"template_{number}", f"Put template {number} in",
                f"Puts template {number} of the list into the reply; its slots are tab stops.",
                partial(pane.put_in_number, number - 1), f"Alt+{number}", partial(pane.has_template, number - 1),
            )
            for number in range(1, KEYS + 1)
        ),
        own(
            "search_templates", "Search templates", "Looks for words in all templates.", pane.search_templates,
            "Alt+S", write, "magnifying-glass",
        ),
        own("next_slot", "Next slot", "Selects the next slot that is open; Tab does the same in the reply.",
            pane.next_slot, "Alt+N", pane.has_slot),
        own(
            "quote", "Quote the reviewer", "Puts the reviewer's words into the reply, as a quotation.", pane.quote,
            "Alt+Q", pane.has_reply, "quotes",
        ),
        own("quote_sentence", "Quote the sentence", "Puts the sentence at hand into the reply, as a quotation; again "
            "the next one.", pane.quote_sentence, "Alt+Shift+Q", pane.can_quote_sentence, "quotes"),
        own("note", "Note to co-authors", "Begins a line with %%: it stays here when the rebuttal leaves, and takes no "
            "room.", pane.note, "Alt+Shift+N", pane.has_point, "note-pencil"),
        own(
            "action", "Action", "Chooses what the reply does: answer, reject and others.", pane.open_actions, "Alt+R",
            pane.has_point, title_now=pane.action_words,
        ),
        *(
            own(
                f"action_{action}", f"Action: {ACTION_TITLES[action]}",
                f"Says that the reply does this: {ACTION_TITLES[action].lower()}.",
                partial(pane.choose_action, action), "", pane.has_point,
            )
            for action in ACTIONS
        ),
        own("no_action", "Action: open", "Takes the choice of an action back.", partial(pane.choose_action, None), "",
            pane.has_action),
        own(
            "accept", "Accept generated text", "You stand by what a template or a model wrote here.", pane.accept,
            "Alt+A", pane.has_generated, "check",
        ),
        own(
            "draft", "Draft the reply", "Has the reply drafted by the language model that you chose, or by a template.",
            pane.draft, "Alt+D", pane.can_draft, "sparkle",
        ),
        own("stop_drafting", "Stop drafting", "Stops the language model.", pane.stop_drafting, "", pane.is_drafting,
            "stop"),
        own("take_draft", "Put the draft in", "Puts the model's draft into the reply.", pane.take_draft, "Alt+I",
            pane.has_draft),
        own("refuse_draft", "Refuse the draft", "Puts the model's draft aside.", pane.refuse_draft, "Alt+X",
            pane.has_draft),
        own(
            "tone", "Mend the tone", "Puts the alternative in the place of the next words of doubtful tone.",
            pane.mend_tone, "Alt+T", pane.has_tone,
        ),
        own(
            "confirm", "Confirm a claim", "You looked: the first claim of the reply that could not be verified holds.",
            pane.confirm_claim, "Alt+C", pane.has_claim,
        ),
        own("must_answer", "Must be answered", "Says whether the comment at hand must be answered: then it is a row "
            "of the matrix, else a remark.", pane.toggle_must, "U", pane.has_entry, title_now=pane.must_words),
        own("suggest_labels", "Suggest labels", "Reads roots, themes and polarity in all reviews; you decide.",
            pane.suggest_labels, "L", pane.can_suggest, "tag"),
        own("learn_labels", "Learn from my labels", "Trains heads on the labels of this project, to suggest with.",
            pane.learn_labels, "", pane.can_suggest),
        own("next_sentence", "Next sentence", "The next sentence of the comment at hand.",
            lambda: pane.step_sentence(1), "]", pane.can_label),
        own("previous_sentence", "Previous sentence", "The sentence before, of the comment at hand.",
            lambda: pane.step_sentence(-1), "[", pane.can_label),
        own("accept_labels", "Accept labels", "Takes what is suggested for the sentence at hand.", pane.accept_labels,
            "Y", pane.has_suggestion),
        own("refuse_labels", "Refuse labels", "Refuses what is suggested for the sentence at hand.",
            pane.refuse_labels, "N", pane.has_suggestion),
        *(
            own(f"label_{name}", f"Label {words}", f"Chooses the {words} of the sentence at hand.",
                partial(pane.open_labels, name), key, pane.can_label)
            for name, words, key in LABELLED
        ),
        own("write", "Write", "Shows the reply and its templates.", lambda: pane.show_view(0), "Alt+W"),
        own("preview", "Preview", "Shows Markdown and formulas as OpenReview shows them; again goes back.",
            lambda: pane.show_view(1), "Alt+P", icon="eye"),
        own("send", "Check and send", "Shows what is missing, what gives you away, and what leaves; again goes back.",
            lambda: pane.show_view(2), "Alt+O", icon="paper-plane-tilt"),
        own("write_file", "Write the rebuttal…", "Writes the form that is chosen under Send.", pane.write_file,
            "Ctrl+E", pane.can_leave, "export"),
        own("copy", "Copy the answer", "Copies what goes to the reviewer at hand, ready for the form; again the next "
            "post.", pane.copy, "Ctrl+Shift+C", pane.can_leave, "copy"),
        own("take_names", "Names from the PDFs", "Adds the authors that the PDFs name to those that must not leave.",
            pane.take_names, "", pane.can_write),
        own("import_letter", "Take replies from a letter…", "Reads a response letter (Markdown, Word, LaTeX, PDF, "
            "OpenReview notes) and fills replies that are empty.", pane.ask_for_letter, "", pane.can_write,
            "download-simple"),
        own("take_responses", "Take the letter's responses", "Takes the responses of the letter that came with the "
            "comments over, where nothing is written yet.", pane.take_responses, "", pane.can_take_responses,
            "download-simple"),
        own("limits", "Limits…", "Changes single limits, how they are counted, and how comments are quoted.",
            pane.open_limits, "Alt+M", pane.can_write, "ruler"),
        own("spread_left", "Spread what is left", "Written replies get what they take; the others share the rest.",
            pane.spread_left, "Alt+B", pane.can_write),
        own("spread_evenly", "Spread the budget evenly", "Every reply gets its share by its comment's length again.",
            pane.spread_evenly, "Alt+Shift+B", pane.can_write),
        own("outcome", "Outcome", "Notes what the reviewer made of the reply: satisfied, partly, unmoved.",
            pane.open_outcomes, "Alt+U", pane.has_reply, title_now=pane.outcome_words),
        *(
            own(f"outcome_{key or 'open'}", f"Outcome: {words}", f"Notes that the reviewer was {words} with the reply."
                if key else "Takes the outcome back.", partial(pane.set_outcome, key), "", pane.has_reply)
            for key, words in OUTCOMES
        ),
        own("keep_template", "Keep as template", "Keeps the selection, or the reply, in your own library.",
            pane.keep_template, "Alt+K", pane.can_keep, "bookmark-simple"),
        own("libraries", "Libraries", "Shows all templates: who wrote them, how often they were used, what came "
            "of it.", pane.open_libraries, "Alt+Y", pane.has_comments, "books"),
        own("import_templates", "Import templates…", "Takes a library over from JSON Lines, CSV or TOML.",
            lambda: pane.ask_for_templates(folder=False), "", pane.can_write),
        own("import_jitsupeer", "Import templates from a folder…", "Takes over a folder of libraries, or of JitsuPeer.",
            lambda: pane.ask_for_templates(folder=True), "", pane.can_write),
        *(
            own(f"export_templates_{key}", f"Export templates: {words}…", f"Writes your libraries as {words}.",
                partial(pane.export_templates, key), "", pane.has_comments)
            for words, key in TEMPLATE_FORMS
        ),
        *(
            own(f"group_{by}", words, f"Lists the comments {words.lower()}.", partial(pane.group_by, by))
            for words, by in GROUPINGS
        ),
        own("go", "Go to the links", "Shows the comment at hand in Linking, where edits are linked.",
            pane.go_to_linking, "G; Alt+L", pane.has_comments, "link"),
        own(
            "to_linking", "Add reviews and PDFs", "Opens Linking, where reviews and both versions are added.",
            lambda: pane.context.show_pane("linking"), "", lambda: True, "link",
        ),
    ]  # fmt: skip
