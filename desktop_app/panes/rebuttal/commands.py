"""The commands of the Rebuttal pane, with their keys. Keys that also work while writing contain Alt."""

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.rebuttal.choices import GROUPINGS, OUTCOMES, PREVIEW, SEND, TEMPLATE_FORMS, TEMPLATE_KEYS, WRITE
from desktop_app.widgets.chips import LABELLED
from engine.rebuttal.records import ACTION_TITLES, ACTIONS

if TYPE_CHECKING:
    from desktop_app.panes.rebuttal.pane import RebuttalPane


def _can_suggest(pane: "RebuttalPane") -> bool:
    return pane.state.can_write() and not pane.label_jobs.busy and bool(pane.state.rebuttal.texts)


def commands() -> list[Command]:
    own: PaneCommands[RebuttalPane] = PaneCommands("rebuttal", lambda pane: pane.state.has_comments())

    return [
        *own.steps("comment", lambda pane, by: pane.step(by), "J; Alt+Down", "K; Alt+Up"),
        own("next_open", "Next unanswered comment", "Go to the next comment without a response.",
            lambda pane: pane.next_comment(unanswered=True), "Space; Alt+Return", icon="skip-forward"),
        own("next_todo", "Next issue",
            "Go to the next comment that lacks something: a response, a filled slot, a linked edit, a checked claim.",
            lambda pane: pane.next_comment(unanswered=False), "Shift+Space; Alt+Shift+Return"),
        own("edit", "Write response", "Move the caret into the response.", lambda pane: pane.edit(), "E; Return",
            lambda pane: pane.state.can_write(), "pencil-simple"),
        *(
            own(f"template_{number}", f"Insert template {number}",
                f"Insert template {number} of the list into the response. Its slots are tab stops.",
                given(lambda pane, at: pane.writing.put_in_number(at), number - 1), f"Alt+{number}",
                given(lambda pane, at: pane.writing.has_template(at), number - 1))
            for number in range(1, TEMPLATE_KEYS + 1)
        ),
        own("search_templates", "Search templates", "Find words in all templates.",
            lambda pane: pane.templates.search(), "Alt+S", lambda pane: pane.state.can_write(), "magnifying-glass"),
        own("next_slot", "Next slot", "Select the next open slot. In the response, Tab does the same.",
            lambda pane: pane.response.next_slot(), "Alt+N",
            lambda pane: pane.state.has_point() and pane.response.has_slot()),
        own("quote", "Quote comment", "Insert the comment, or the words selected in it, as a quotation.",
            lambda pane: pane.writing.quote(), "Alt+Q", lambda pane: pane.state.has_response(), "quotes"),
        own("quote_sentence", "Quote sentence",
            "Insert the current sentence of the comment as a quotation and go to the next sentence.",
            lambda pane: pane.quote_sentence(), "Alt+Shift+Q",
            lambda pane: pane.state.has_response() and bool(pane.sentences.all()), "quotes"),
        own("note", "Note to co-authors", "Start a line with %%. It isn't sent and doesn't count towards the limit.",
            lambda pane: pane.response.begin_note(), "Alt+Shift+N", lambda pane: pane.state.has_point(), "note-pencil"),
        own("action", "Action", "Choose what the response does, such as answering or rejecting.",
            lambda pane: pane.response.open_actions(pane.state.point.action), "Alt+R",
            lambda pane: pane.state.has_point(), title_now=lambda pane: pane.state.action_title()),
        *(
            own(f"action_{action}", f"Action: {ACTION_TITLES[action]}",
                f"Set the action of the response to “{ACTION_TITLES[action]}”.",
                given(lambda pane, key: pane.on_point(pane.state.store.choose_action, key), action),
                when=lambda pane: pane.state.has_point())
            for action in ACTIONS
        ),
        own("no_action", "Action: none", "Clear the action of the response.",
            lambda pane: pane.on_point(pane.state.store.choose_action, None),
            when=lambda pane: pane.state.has_action()),
        own("accept", "Accept generated text", "Accept the text that a template or a model wrote in this response.",
            lambda pane: pane.on_point(pane.state.store.accept), "Alt+A",
            lambda pane: pane.state.has_point() and bool(pane.state.point.generated),
            "check"),
        own("draft", "Draft response", "Draft the response with the chosen language model, or with a template.",
            lambda pane: pane.writing.draft(), "Alt+D", lambda pane: pane.writing.can_draft(), "sparkle"),
        own("stop_drafting", "Stop drafting", "Stop the language model.", lambda pane: pane.response.strip.stop(),
            when=lambda pane: pane.response.strip.busy, icon="stop"),
        own("take_draft", "Insert draft", "Insert the model's draft into the response.",
            lambda pane: pane.writing.take_draft(), "Alt+I", lambda pane: pane.writing.has_draft()),
        own("refuse_draft", "Reject draft", "Discard the model's draft.", lambda pane: pane.writing.refuse_draft(),
            "Alt+X", lambda pane: pane.writing.has_draft()),
        own("tone", "Improve tone", "Replace the next words whose tone should be reconsidered.",
            lambda pane: pane.response.use_note(pane.response.note("tone")), "Alt+T",
            lambda pane: pane.state.has_point() and pane.response.note("tone") is not None),
        own("confirm", "Confirm claim", "Confirm that you checked the first unsupported claim yourself.",
            lambda pane: pane.writing.confirm_claim(), "Alt+C",
            lambda pane: pane.state.has_response() and pane.response.note("claim") is not None),
        own("ask_model", "Ask model about undecided claims",
            "Show the language model's judgement of each undecided claim. States don't change.",
            lambda pane: pane.opinions.ask(), "Alt+Shift+J", lambda pane: pane.opinions.can_ask, "robot",
            words="entailment judge check language"),
        own("must_answer", "Needs a response",
            "Turn on or off whether the comment needs a response and has a row in the matrix.",
            lambda pane: pane.do(pane.state.toggle_needed), "U",
            lambda pane: pane.state.can_write() and pane.state.entry is not None,
            title_now=lambda pane: pane.state.needed_title()),
        own("share", "Same response as…", "Use another comment's response for this one. The two stay in sync.",
            lambda pane: pane.threads.open_responses(), "Alt+J", lambda pane: pane.state.can_share()),
        own("part", "Respond on its own", "Stop sharing a response with other comments. The text is kept.",
            lambda pane: pane.do(pane.state.part),
            when=lambda pane: pane.state.can_write() and bool(pane.state.sharing())),
        own("follow_up", "Add follow-up…", "Add what the reviewer wrote after your response under this comment.",
            lambda pane: pane.threads.ask_follow_up(), "Alt+F", lambda pane: pane.state.has_response()),
        own("suggest_labels", "Suggest labels", "Suggest themes, polarity and requests in all reviews. You decide.",
            lambda pane: pane.suggest_labels(), "L", _can_suggest, "tag"),
        own("learn_labels", "Learn from my labels", "Train heads on the labels of this project and suggest with them.",
            lambda pane: pane.label_jobs.learn(pane.state.project), when=_can_suggest),
        *own.steps("sentence", lambda pane, by: pane.step_sentence(by), "]", "[",
                   lambda pane: pane.sentences.can_label(), verb="sentence"),
        own("accept_labels", "Accept labels", "Accept the labels suggested for the current sentence.",
            lambda pane: pane.do(pane.sentences.accept), "Y", lambda pane: pane.sentences.has_suggestion()),
        own("refuse_labels", "Reject labels", "Reject the labels suggested for the current sentence.",
            lambda pane: pane.do(pane.sentences.reject), "N", lambda pane: pane.sentences.has_suggestion()),
        *(
            own(f"label_{name}", f"Label {words}", f"Label the current sentence: {words}.",
                given(lambda pane, layer: pane.open_labels(layer), name), key, lambda pane: pane.sentences.can_label())
            for name, words, key in LABELLED
        ),
        own("link_suggested", "Link suggested edit", "Link the first edit suggested for the comment.",
            lambda pane: pane.do(pane.state.link_suggested), "Alt+G", lambda pane: pane.state.can_link(), "link"),
        own("write", "Write", "Show the response and its templates.", lambda pane: pane.show_view(WRITE), "Alt+W"),
        own("preview", "Preview", "Show Markdown and formulas as OpenReview renders them. Choose again to go back.",
            lambda pane: pane.show_view(PREVIEW), "Alt+P", icon="eye"),
        own("send", "Check and send", "Show issues, what reveals the authors, and the text. Choose again to go back.",
            lambda pane: pane.show_view(SEND), "Alt+O", icon="paper-plane-tilt"),
        own("write_file", "Export rebuttal…", "Export the rebuttal in the format chosen under Send.",
            lambda pane: pane.outgoing.write_file(), "Ctrl+E", lambda pane: pane.outgoing.sending.can_send(), "export"),
        own("write_matrix", "Export response matrix (CSV)…",
            "Export a table of all comments with their responses, edits and claims in each state.",
            lambda pane: pane.outgoing.write_matrix(), when=lambda pane: pane.state.has_comments()),
        own("copy", "Copy answer", "Copy the answer to the current reviewer. Choose again to copy the next post.",
            lambda pane: pane.outgoing.copy(), "Ctrl+Shift+C", lambda pane: pane.outgoing.sending.can_send(), "copy"),
        own("take_names", "Add names from the PDFs", "Add authors named in the PDFs to the names that must not appear.",
            lambda pane: pane.outgoing.take_names(), when=lambda pane: pane.state.can_write()),
        own("import_letter", "Import responses from a letter…",
            "Import responses from a letter for comments that have none yet.", lambda pane: pane.letters.ask(),
            when=lambda pane: pane.state.can_write(), icon="download-simple"),
        own("swap_letter", "Swap comments and responses",
            "Read the last imported letter again, with comments and responses swapped.",
            lambda pane: pane.letters.swap and pane.letters.swap(),
            when=lambda pane: pane.state.can_write() and pane.letters.swap is not None),
        own("take_responses", "Use the letter's responses",
            "Use the responses from the letter that came with the comments, for comments that have none yet.",
            lambda pane: pane.letters.take(), when=lambda pane: pane.letters.can_take(), icon="download-simple"),
        own("limits", "Limits…", "Change individual limits, how they're counted and how comments are quoted.",
            lambda pane: pane.open_limits(), "Alt+M", lambda pane: pane.state.can_write(), "ruler"),
        own("spread_left", "Divide what's left",
            "Keep the length of written responses and divide what's left between the others.",
            lambda pane: pane.do(pane.state.spread_budget, False), "Alt+B", lambda pane: pane.state.can_write()),
        own("spread_evenly", "Divide the limit again",
            "Divide the limit between responses again, in proportion to comment length.",
            lambda pane: pane.do(pane.state.spread_budget, True), "Alt+Shift+B", lambda pane: pane.state.can_write()),
        own("outcome", "Outcome", "Record how the reviewer reacted to the response.",
            lambda pane: pane.response.open_outcomes(pane.state.point.outcome), "Alt+U",
            lambda pane: pane.state.has_response(), title_now=lambda pane: pane.state.outcome_title()),
        *(
            own(f"outcome_{key or 'open'}", f"Outcome: {words.lower()}",
                f"Record that the reviewer was {words.lower()}." if key else "Clear the outcome.",
                given(lambda pane, outcome: pane.on_point(pane.state.store.set_outcome, outcome), key),
                when=lambda pane: pane.state.has_response())
            for key, words in OUTCOMES
        ),
        own("keep_template", "Save as template", "Save the selection, or the whole response, to your own library.",
            lambda pane: pane.libraries.keep(pane.writing.selection), "Alt+K",
            lambda pane: pane.state.has_action() and bool(pane.response.editor.text.strip()), "bookmark-simple"),
        own("libraries", "Template libraries", "Show all templates, who wrote them and how they were used.",
            lambda pane: pane.libraries.open(), "Alt+Y", icon="books"),
        own("import_templates", "Import templates…", "Import a template library from JSON Lines, CSV or TOML.",
            lambda pane: pane.libraries.ask_for_import(folder=False), when=lambda pane: pane.state.can_write()),
        own("import_jitsupeer", "Import templates from a folder…", "Import a folder of libraries or of JitsuPeer.",
            lambda pane: pane.libraries.ask_for_import(folder=True), when=lambda pane: pane.state.can_write()),
        *(
            own(f"export_templates_{key}", f"Export templates: {words}…", f"Export your template libraries as {words}.",
                given(lambda pane, form: pane.libraries.ask_for_export(form), key))
            for words, key in TEMPLATE_FORMS
        ),
        *(
            own(f"group_{by}", f"Group {words.lower()}", f"Group the comments {words.lower()}.",
                given(lambda pane, grouping: pane.group_by(grouping), by))
            for words, by in GROUPINGS
        ),
        own("go", "Go to links", "Show the current comment in Linking, where edits are linked.",
            lambda pane: pane.go_to_linking(), "G; Alt+L", icon="link"),
        own("to_linking", "Add reviews and PDFs", "Open Linking, where reviews and both versions are added.",
            lambda pane: pane.context.show_pane("linking"), when=lambda _: True, icon="link"),
    ]  # fmt: skip
