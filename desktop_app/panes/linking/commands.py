"""The commands of the Linking pane, with their keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.linking.terms import ACTIONS, ICONS, KINDS, STATES
from engine.revision.records import MISTAKES, CommentState, Mistake

if TYPE_CHECKING:
    from desktop_app.panes.linking.pane import LinkingPane


def _toggle_done(pane: LinkingPane) -> None:
    pane.do(pane.annotator.toggle_done)
    pane.show_open()


def _toggle_coupling(pane: LinkingPane) -> None:
    pane.side.set_coupled(not pane.side.coupled)
    pane.tools.show_state(couple=pane.side.coupled)


def commands() -> list[Command]:
    return [*_navigating(), *_deciding(), *_viewing(), *_proposing(), *_marking(), *_files()]


own: PaneCommands[LinkingPane] = PaneCommands("linking")


def _navigating() -> Sequence[Command]:
    def comments(pane: LinkingPane) -> bool:
        return bool(pane.study.comments)

    def edits(pane: LinkingPane) -> bool:
        return bool(pane.study.edits)

    return (
        own("next_comment", "Next comment", "Go to the next comment.", lambda pane: pane.step_comment(1), "J", comments,
            "caret-down"),
        own("previous_comment", "Previous comment", "Go to the previous comment.", lambda pane: pane.step_comment(-1),
            "K", comments, "caret-up"),
        own("next_edit", "Next edit", "Go to the next edit and show it on both pages.", lambda pane: pane.step_edit(1),
            "Down", edits, "arrow-down"),
        own("previous_edit", "Previous edit", "Go to the previous edit and show it on both pages.",
            lambda pane: pane.step_edit(-1), "Up", edits, "arrow-up"),
        own("next_undecided", "Next undecided comment", "Go to the next comment without a decision.",
            lambda pane: pane.next_undecided(), "Space", comments, "skip-forward"),
        own("next_page", "Next page", "Turn the page; the other version follows.", lambda pane: pane.side.step_page(1),
            "]", icon="caret-right"),
        own("previous_page", "Previous page", "Turn the page back; the other version follows.",
            lambda pane: pane.side.step_page(-1), "[", icon="caret-left"),
    )  # fmt: skip


def _deciding() -> Sequence[Command]:
    def state(name: CommentState, key: int) -> Command:
        words = STATES[name]
        return own(f"state_{name}", words, f"Decide on the current comment: {words.lower()}.",
            lambda pane: pane.set_state(name), str(key), lambda pane: pane.state.can_decide(),
            ICONS[name])  # fmt: skip

    def mistake(name: Mistake, title: str, meaning: str) -> Command:
        words = f"Reject: {title.lower()}"

        def now(pane: LinkingPane) -> str:
            given_before = pane.state.offered is not None and name in pane.state.offered.mistakes
            return f"✓ {words}" if given_before else words

        return own(f"mistake_{name.replace('-', '_')}", words,
            f"Reject the suggestion and record the reason: {meaning} Choose it again to remove the reason.",
            lambda pane: pane.do(partial(pane.state.toggle_mistake, name)),
            when=lambda pane: pane.state.can_pair() and pane.state.offered is not None, title_now=now)  # fmt: skip

    return (
        own("link", "Link edit to comment", "Link the current edit to the current comment.", lambda pane: pane.link(),
            "L", lambda pane: pane.state.can_link(), "link"),
        own("unlink", "Unlink edit from comment", "Remove the link between the current comment and edit.",
            lambda pane: pane.do(pane.state.unlink), "U", lambda pane: pane.state.can_unlink(), "link-break"),
        own("link_passage", "Link the selected passage",
            "Link the words selected in the revised version to the current comment, for places where no edit was "
            "found.",
            lambda pane: pane.link_passage(), "Shift+L",
            lambda pane: pane.state.can_pair() and bool(pane.side.target.selected_text), "text-t"),
        own("dismiss_edit", "Dismiss edit",
            "Mark the current edit as not a real edit, for example because the two PDFs were read differently. It "
            "disappears from lists, suggestions and counts. To restore it, use the filter “Dismissed”.",
            lambda pane: pane.do_and_say(pane.state.toggle_dismissed), "Shift+R",
            lambda pane: pane.state.can_dismiss_edit(), "eraser",
            title_now=lambda pane: "Restore edit" if pane.state.can_restore_edit() else "Dismiss edit",
            words="false hide"),
        own("reattach", "Move the lost link here",
            "Move the comment's link whose edit is no longer found to the current edit.",
            lambda pane: pane.do(pane.state.reattach), "H",
            lambda pane: pane.state.can_link() and pane.state.lost_link is not None,
            "link-simple-horizontal"),
        own("accept", "Accept suggestion", "Link the suggested edit and go to the next suggestion.",
            lambda pane: pane.link_by("accept", lambda: pane.do(pane.state.accept)), "A",
            lambda pane: pane.state.has_suggestion(), "check"),
        own("reject", "Reject suggestion", "Remove the suggestion from the list and go to the next one.",
            lambda pane: pane.do(pane.state.reject), "R", lambda pane: pane.state.has_suggestion(), "x"),
        *(mistake(name, title, meaning) for name, (title, meaning, _) in MISTAKES.items()),
        *(state(name, key) for key, name in enumerate(STATES, start=1)),
    )  # fmt: skip


def _viewing() -> Sequence[Command]:
    return (
        own("find", "Search both versions", "Find words in the submitted and the revised version.",
            lambda pane: pane.context.commands.run("edit.search"), "F", icon="magnifying-glass"),
        own("caret", "Caret in the revised version",
            "Place a caret in the page text to read and select by keyboard. Press Escape to leave.",
            lambda pane: pane.side.target.start_caret(), "C", icon="text-aa"),
        own("caret_submitted", "Caret in the submitted version",
            "Place a caret in the text of the submitted version. Press Escape to leave.",
            lambda pane: pane.side.source.start_caret(), "Shift+C", icon="text-aa"),
        own("guidelines", "Guidelines", "Show or hide the linking guidelines beside the edits.",
            lambda pane: pane.toggle_guidelines(), "G", icon="book-open"),
        own("reviews", "Reviews and comments",
            "Show the full reviews to mark comments and correct comments and responses.",
            lambda pane: pane.toggle_mode("reviews"), "V", icon="chats"),
        own("coverage", "Coverage",
            "Show which comments are answered, which aren't, and which edits answer no comment.",
            lambda pane: pane.toggle_mode("coverage"), "O", icon="checks"),
        own("done", "Done with this paper",
            "Mark the paper as done. Once another annotator is done too, you see each other's work.",
            _toggle_done, "Shift+D", lambda pane: pane.state.can_write(),
            "user-circle"),
        own("couple", "Scroll both versions together", "Scroll the two versions together, or each on its own.",
            _toggle_coupling, "S", icon="link-simple"),
        own("comments_list", "Go to the comments", "Move the keyboard focus to the list of comments.",
            lambda pane: pane.comments.list.setFocus(), "Shift+J", lambda pane: pane.comments.list.isVisible()),
        own("edits_list", "Go to the edits", "Move the keyboard focus to the list of edits.",
            lambda pane: pane.edits.list.setFocus(), "Shift+E", lambda pane: pane.edits.list.isVisible()),
        own("look", "Page colours", "Switch the pages between paper, sepia, and light on dark.",
            lambda pane: pane.pages.next_look(), "P", icon="moon"),
        own("fit_text", "Fit text to the width",
            "Hide the margins. Where two columns would be too small to read, show one.",
            lambda pane: pane.side.set_zoom("text"), "W", icon="text-align-justify"),
        own("fit_column", "Fit a column to the width",
            "Show one column of text at full width: the one with the current edit.",
            lambda pane: pane.side.set_zoom("column"), "E", icon="columns"),
        own("fit_width", "Fit pages to the width", "Show the pages at full width.",
            lambda pane: pane.side.set_zoom("width"), "Alt+W", icon="arrows-out-line-horizontal"),
        own("fit_page", "Fit whole pages", "Show whole pages.", lambda pane: pane.side.set_zoom("page"), "Shift+W",
            icon="corners-out"),
        own("zoom_in", "Enlarge pages", "Show the pages larger.", lambda pane: pane.side.step_zoom(1), ".",
            icon="magnifying-glass-plus"),
        own("zoom_out", "Shrink pages", "Show the pages smaller.", lambda pane: pane.side.step_zoom(-1), ",",
            icon="magnifying-glass-minus"),
    )  # fmt: skip


def _proposing() -> Sequence[Command]:
    def proposed(pane: LinkingPane) -> bool:
        return pane.proposal.isVisibleTo(pane) and pane.proposal.proposal is not None

    return (
        own("propose", "Propose an edit",
            "Show a response and an edit for the current comment; propose them if there are none yet.",
            lambda pane: pane.toggle_proposal(), "D", lambda pane: pane.state.can_propose(), "note-pencil"),
        own("propose_again", "Propose another edit",
            "Propose a response, a place and an edit for the comment, using sentence frames and the chosen model, if "
            "any.",
            lambda pane: pane.propose((pane.state.comment_id,)), "Shift+P",
            lambda pane: pane.state.can_decide() and pane.state.can_propose(),
            "sparkle"),
        own("propose_all", "Propose for all open comments",
            "Propose a response, a place and an edit for every comment that is undecided or not addressed.",
            lambda pane: pane.propose(pane.state.open_comments), when=lambda pane: pane.state.can_propose_all(),
            icon="sparkle"),
        own("stop_proposing", "Stop proposing", "Stop proposing; finished proposals are kept.",
            lambda pane: pane.proposing.stop(), when=lambda pane: pane.proposing.busy, icon="stop"),
        own("copy_response", "Copy proposed response", "Copy the proposed response to the reviewer.",
            lambda pane: pane.proposal.copy(response=True), when=proposed, icon="copy"),
        own("copy_edit", "Copy proposed edit", "Copy the proposed new text.",
            lambda pane: pane.proposal.copy(response=False), when=proposed, icon="copy"),
    )  # fmt: skip


def _marking() -> Sequence[Command]:
    def marks(pane: LinkingPane) -> bool:
        return pane.state.can_mark()

    def labels(pane: LinkingPane) -> bool:
        return pane.state.can_relabel()

    return (
        own("mark", "Mark as comment", "Turn the selected sentences, or the one at the caret, into a comment.",
            lambda pane: pane.on_span(pane.state.marking.mark), "M", marks, "highlighter-circle"),
        own("mark_words", "Mark words as comment", "Turn only the selected words into a comment.",
            lambda pane: pane.on_span(pane.state.marking.mark, words=True), "Shift+M", marks),
        own("add_span", "Add to the comment", "Add the selected sentences to the current comment.",
            lambda pane: pane.on_span(pane.state.marking.add_span), "N", labels, "plus"),
        own("set_context", "Set as context", "Use the selected sentences as the context of the current comment.",
            lambda pane: pane.on_span(pane.state.marking.set_context), "X", labels, "quotes"),
        own("set_response", "Set as response", "Use the selected sentences as the authors' response to the comment.",
            lambda pane: pane.on_span(pane.state.marking.set_response), "Y", labels, "arrow-bend-up-left"),
        own("next_unassigned", "Next unassigned text",
            "Select the next part of the review that isn't in any comment, context or response.",
            lambda pane: pane.reviews.next_unassigned(), "Shift+U",
            lambda pane: marks(pane) and bool(pane.reviews.left)),
        own("toggle_request", "Request or not",
            "Mark whether the comment is a request. A doubtful one, or criticism, is removed from the list.",
            lambda pane: pane.do(pane.state.toggle_request), "T",
            lambda pane: labels(pane) or pane.state.can_dismiss(), "question",
            title_now=lambda pane: "Not a request" if pane.state.can_dismiss() else "Request or not"),
        own("split", "Split comment", "Cut the current comment in two at the caret.",
            lambda pane: pane.do(partial(pane.state.marking.split, pane.reviews.editor.place)), "B", labels,
            "scissors"),
        own("merge", "Merge with the previous comment", "Merge the current comment with the previous one.",
            lambda pane: pane.do(pane.state.marking.merge), "Shift+B", labels, "git-merge"),
        own("delete", "Delete comment", "Delete the current comment with its links; undo restores them.",
            lambda pane: pane.do(pane.state.marking.delete), "Del", labels, "trash"),
        *(
            own(f"action_{name}", f"Action: {name}", f"Set the action that the comment requests: {name}.",
                given(lambda pane, name: pane.do(partial(pane.state.marking.toggle_action, name)), name),
                f"Alt+{number}", labels)
            for number, name in enumerate(ACTIONS, start=1)
        ),
    )  # fmt: skip


def _files() -> Sequence[Command]:
    return (
        own("import", "Add files…",
            "Add PDFs of the submitted and revised version, reviews, or a response letter. You can also drop files "
            "on the window.",
            lambda pane: pane.files.ask_for_files(), "I", lambda pane: pane.state.can_import(), "file-plus",
            words="import open load upload pdfs reviews"),
        own("paste", "Paste review or letter", "Add the text in the clipboard as a review or response letter.",
            lambda pane: pane.files.paste(), "Ctrl+V", lambda pane: pane.state.can_import(), "clipboard-text",
            words="clipboard insert text openreview mail"),
        own("export", "Export links and comments…", "Export links, comments, changes or requests to files.",
            lambda pane: pane.tools.open_exports(), "Ctrl+E",
            lambda pane: bool(pane.study.comments or pane.study.edits), "export"),
        *(
            own(f"export_{name}", f"Export {kind.title}", kind.help,
                given(lambda pane, name: pane.files.export(name), name),
                when=given(lambda pane, name: pane.state.can_export(name), name), icon="export")
            for name, kind in KINDS.items()
        ),
        *(
            own(f"replace_{label}", f"Choose another {label} version…",
                f"Replace the PDF of the {label} version. You choose what happens to the links made with it.",
                given(lambda pane, label: pane.paper_actions.ask_for_pdf(label), label),
                when=lambda pane: pane.state.can_replace(), icon="file-pdf")
            for label in ("submitted", "revised")
        ),
        *(
            own(f"versions_{label}", f"Compare another {label} version",
                f"Choose which version to compare as the {label} one. Links stay with their versions.",
                header, icon="files",
                when=lambda pane: pane.state.can_replace() and len(pane.study.versions) > 2)
            for label, header in (
                ("submitted", lambda pane: pane.side.source_header.open_versions()),
                ("revised", lambda pane: pane.side.target_header.open_versions()),
            )
        ),
        own("suggest", "Suggest again", "Suggest links again, using the current responses.",
            lambda pane: pane.work.suggest_again(pane.study), when=lambda pane: pane.state.can_suggest(),
            icon="sparkle"),
        own("hide_suggestions", "Hide suggestions",
            "Hide suggestions, scores and proposals from everybody who works in this project or a shared copy of it, "
            "or show them again. They can't be shown in a shared copy.",
            lambda pane: pane.do(pane.state.hide_suggestions), when=lambda pane: pane.state.can_show_suggestions(),
            icon="eye-slash", words="blind study",
            title_now=lambda pane: "Show suggestions" if pane.study.hides_suggestions else "Hide suggestions"),
        own("report", "Show last import report", "Show the messages about the last files that were added again.",
            lambda pane: pane.files.show_report(), when=lambda pane: pane.files.has_report, icon="file-text"),
        own("compare", "Compare again", "Compare both versions again. Links stay with their edits.",
            lambda pane: pane.work.compare_again(pane.study), when=lambda pane: pane.state.can_compare(),
            icon="arrows-clockwise"),
    )  # fmt: skip
