"""The commands of the linking pane, with their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.linking.exporting import KINDS
from desktop_app.panes.linking.reviews_view import ACTIONS
from desktop_app.panes.linking.study import ICONS, STATES
from engine.papers.store import REVISED, SUBMITTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from desktop_app.panes.linking.pane import LinkingPane
    from engine.revision.records import CommentState

EDIT_MENU = ("linking.link", "linking.unlink", "linking.reattach", "", "linking.accept", "linking.reject")
COMMENT_MENU = (*(f"linking.state_{state}" for state in STATES), "", "linking.propose", "linking.reviews")


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""
    return [*_walking(), *_deciding(), *_looking(), *_proposing(), *_marking(), *_files()]


own: PaneCommands[LinkingPane] = PaneCommands("linking")


def _walking() -> Sequence[Command]:
    def comments(pane: LinkingPane) -> bool:
        return pane.has_comments()

    return (
        own(
            "next_comment", "Next comment", "Brings the next comment to hand.", lambda pane: pane.step_comment(1), "J",
            comments, "caret-down",
        ),
        own(
            "previous_comment", "Previous comment", "Brings the previous comment to hand.",
            lambda pane: pane.step_comment(-1), "K", comments, "caret-up",
        ),
        own(
            "next_edit", "Next edit", "Brings the next edit to hand and shows it on both pages.",
            lambda pane: pane.step_edit(1), "Down", lambda pane: pane.has_edits(), "arrow-down",
        ),
        own(
            "previous_edit", "Previous edit", "Brings the previous edit to hand and shows it on both pages.",
            lambda pane: pane.step_edit(-1), "Up", lambda pane: pane.has_edits(), "arrow-up",
        ),
        own(
            "next_undecided", "Next undecided comment", "Goes to the next comment that nobody decided on.",
            lambda pane: pane.next_undecided(), "Space", comments, "skip-forward",
        ),
        own(
            "next_page", "Next page", "Turns the page; the other version follows.",
            lambda pane: pane.side.step_page(1), "]", icon="caret-right",
        ),
        own(
            "previous_page", "Previous page", "Turns the page back; the other version follows.",
            lambda pane: pane.side.step_page(-1), "[", icon="caret-left",
        ),
    )  # fmt: skip


def _deciding() -> Sequence[Command]:
    def state(name: CommentState, key: int) -> Command:
        words = STATES[name]
        return own(
            f"state_{name}", words, f"Decides on the comment at hand: {words.lower()}.",
            lambda pane: pane.set_state(name), str(key), lambda pane: pane.can_decide(), ICONS[name],
        )  # fmt: skip

    return (
        own(
            "link", "Link edit to comment", "Says that the edit at hand was made for the comment at hand.",
            lambda pane: pane.link(), "L", lambda pane: pane.can_link(), "link",
        ),
        own(
            "unlink", "Unlink edit from comment", "Takes the link between comment and edit away.",
            lambda pane: pane.unlink(), "U", lambda pane: pane.can_unlink(), "link-break",
        ),
        own(
            "reattach", "Move the lost link here",
            "A link of this comment whose edit is no longer found goes over to the edit at hand.",
            lambda pane: pane.reattach(), "H", lambda pane: pane.can_reattach(), "link-simple-horizontal",
        ),
        own(
            "accept", "Accept suggestion", "Links the suggested edit, and goes on to the next suggestion.",
            lambda pane: pane.accept(), "A", lambda pane: pane.has_suggestion(), "check",
        ),
        own(
            "reject", "Reject suggestion", "Takes the suggestion off the list, and goes on to the next one.",
            lambda pane: pane.reject(), "R", lambda pane: pane.has_suggestion(), "x",
        ),
        *(state(name, key) for key, name in enumerate(STATES, start=1)),
    )  # fmt: skip


def _looking() -> Sequence[Command]:
    return (
        own(
            "find", "Search both versions", "Finds words in the submitted and the revised version.",
            lambda pane: pane.start_search(), "F", icon="magnifying-glass",
        ),
        own(
            "caret", "Caret in the revised version",
            "Puts a caret into the text of the page, to read and select by keyboard; Escape leaves it.",
            lambda pane: pane.start_caret(), "C", icon="text-aa",
        ),
        own(
            "caret_submitted", "Caret in the submitted version",
            "Puts a caret into the text of the submitted version; Escape leaves it.",
            lambda pane: pane.side.source.start_caret(), "Shift+C", icon="text-aa",
        ),
        own(
            "guidelines", "Guidelines", "Shows or hides the rules of linking beside the edits.",
            lambda pane: pane.toggle_guidelines(), "G", icon="book-open",
        ),
        own(
            "reviews", "Reviews and comments",
            "Shows the reviews in full, to mark comments and to correct comments and responses.",
            lambda pane: pane.toggle_reviews(), "V", icon="chats",
        ),
        own(
            "coverage", "Coverage",
            "Shows which comments are answered and which are not, and the edits that answer none.",
            lambda pane: pane.toggle_coverage(), "O", icon="checks",
        ),
        own(
            "done", "Done with this paper",
            "Says that you are done with the paper: once another annotator is, too, you see each other's work.",
            lambda pane: pane.toggle_done(), "Shift+D", lambda pane: pane.can_write(), "user-circle",
        ),
        own(
            "couple", "Scroll both versions together", "Couples the two pages, or lets each scroll alone.",
            lambda pane: pane.toggle_coupling(), "S", icon="link-simple",
        ),
        own(
            "comments_list", "Go to the comments", "Gives the keyboard to the list of comments.",
            lambda pane: pane.comments.list.setFocus(), "Shift+J",
        ),
        own(
            "edits_list", "Go to the edits", "Gives the keyboard to the list of edits.",
            lambda pane: pane.edits.list.setFocus(), "Shift+E",
        ),
        own(
            "look", "Look of the pages", "Turns the pages from paper to sepia to light on dark.",
            lambda pane: pane.next_look(), "P", icon="moon",
        ),
        own(
            "fit_text", "Fit text to the width",
            "Margins are cut off; where two columns would be too small to read, one is shown.",
            lambda pane: pane.side.set_zoom("text"), "W", icon="text-align-justify",
        ),
        own(
            "fit_column", "Fit a column to the width",
            "One column of the text takes the width there is; the column of the edit at hand is shown.",
            lambda pane: pane.side.set_zoom("column"), "E", icon="columns",
        ),
        own(
            "fit_width", "Fit pages to the width", "Pages take the width there is.",
            lambda pane: pane.side.set_zoom("width"), "Alt+W", icon="arrows-out-line-horizontal",
        ),
        own(
            "fit_page", "Fit whole pages", "Pages are shown whole.", lambda pane: pane.side.set_zoom("page"),
            "Shift+W", icon="corners-out",
        ),
        own(
            "zoom_in", "Enlarge pages", "Shows the pages larger.", lambda pane: pane.side.step_zoom(1), ".",
            icon="magnifying-glass-plus",
        ),
        own(
            "zoom_out", "Shrink pages", "Shows the pages smaller.", lambda pane: pane.side.step_zoom(-1), ",",
            icon="magnifying-glass-minus",
        ),
    )  # fmt: skip


def _proposing() -> Sequence[Command]:
    return (
        own(
            "propose", "Propose an edit",
            "Shows what one could answer and change for the comment at hand, and has it proposed where nothing is "
            "yet.", lambda pane: pane.toggle_proposal(), "D", lambda pane: pane.has_comments(), "note-pencil",
        ),
        own(
            "propose_again", "Propose another edit",
            "Has a response, a place and an edit proposed for the comment at hand: by sentence frames, and by the "
            "language model if one is chosen.", lambda pane: pane.propose(), "Shift+P",
            lambda pane: pane.can_propose(), "sparkle",
        ),
        own(
            "propose_all", "Propose for all open comments",
            "Has a response, a place and an edit proposed for every comment that is undecided or not addressed.",
            lambda pane: pane.propose_all(), when=lambda pane: pane.can_propose_all(), icon="sparkle",
        ),
        own(
            "stop_proposing", "Stop proposing", "Stops what writes proposals; what is there stays.",
            lambda pane: pane.proposing.stop(), when=lambda pane: pane.is_proposing(), icon="stop",
        ),
        own(
            "copy_response", "Copy proposed response", "Copies the proposed response to the reviewer.",
            lambda pane: pane.proposal.copy(response=True), when=lambda pane: pane.has_proposal(), icon="copy",
        ),
        own(
            "copy_edit", "Copy proposed edit", "Copies the proposed new text.",
            lambda pane: pane.proposal.copy(response=False), when=lambda pane: pane.has_proposal(), icon="copy",
        ),
    )  # fmt: skip


def _marking() -> Sequence[Command]:
    return (
        own(
            "mark", "Mark as comment", "The selected sentences, or the one at the caret, become a comment.",
            lambda pane: pane.reviews.mark(), "M", lambda pane: pane.can_mark(), "highlighter-circle",
        ),
        own(
            "mark_words", "Mark the words as comment", "The selected words, and no more, become a comment.",
            lambda pane: pane.reviews.mark_words(), "Shift+M", lambda pane: pane.can_mark(),
        ),
        own(
            "add_span", "Add to the comment", "The selected sentences belong to the comment at hand, too.",
            lambda pane: pane.reviews.add_span(), "N", lambda pane: pane.can_relabel(), "plus",
        ),
        own(
            "set_context", "Set as context", "The selected sentences explain the comment at hand.",
            lambda pane: pane.reviews.set_context(), "X", lambda pane: pane.can_relabel(), "quotes",
        ),
        own(
            "set_response", "Set as response", "The selected sentences are what the authors answered.",
            lambda pane: pane.reviews.set_response(), "Y", lambda pane: pane.can_relabel(), "arrow-bend-up-left",
        ),
        own(
            "toggle_request", "Request, or none", "Says whether the comment at hand asks for something.",
            lambda pane: pane.reviews.toggle_request(), "T", lambda pane: pane.can_relabel(), "question",
        ),
        own(
            "split", "Split comment", "Cuts the comment at hand in two at the caret.",
            lambda pane: pane.reviews.split(), "B", lambda pane: pane.can_relabel(), "scissors",
        ),
        own(
            "merge", "Merge with the comment before", "Joins the comment at hand with the one before it.",
            lambda pane: pane.reviews.merge(), "Shift+B", lambda pane: pane.can_relabel(), "git-merge",
        ),
        own(
            "delete", "Delete comment", "Takes the comment at hand away, with its links; undo brings them back.",
            lambda pane: pane.reviews.delete(), "Del", lambda pane: pane.can_relabel(), "trash",
        ),
        *(
            own(
                f"action_{name}", f"Action: {name}",
                f"Sets the action that the comment requests: {name}.",
                given(lambda pane, name: pane.reviews.set_action(name), name), f"Alt+{number}",
                lambda pane: pane.can_relabel(),
            )
            for number, name in enumerate(ACTIONS, start=1)
        ),
    )  # fmt: skip


def _files() -> Sequence[Command]:
    return (
        own(
            "import", "Add files…",
            "Adds PDFs of the submitted and revised version, reviews, a response letter; dropping them does the same.",
            lambda pane: pane.ask_for_files(), "I", lambda pane: pane.can_import(), "file-plus",
        ),
        *(
            own(
                f"export_{name}", f"Export {kind.title}", kind.help, given(lambda pane, name: pane.export(name), name),
                when=lambda pane: pane.has_something_to_export(), icon="export",
            )
            for name, kind in KINDS.items()
        ),
        own(
            "replace_submitted", "Choose another submitted version…",
            "Puts another PDF in the place of the submitted version; links stay with the edits that are found again.",
            lambda pane: pane.ask_for_version(SUBMITTED), when=lambda pane: pane.can_replace(), icon="file-pdf",
        ),
        own(
            "replace_revised", "Choose another revised version…",
            "Puts another PDF in the place of the revised version; links stay with the edits that are found again.",
            lambda pane: pane.ask_for_version(REVISED), when=lambda pane: pane.can_replace(), icon="file-pdf",
        ),
        *(
            own(
                f"versions_{label}", f"Compare another {label} version",
                f"Chooses which version is compared as the {label} one; links stay with the versions they belong to.",
                header, when=lambda pane: pane.has_more_versions(), icon="files",
            )
            for label, header in (
                (SUBMITTED, lambda pane: pane.side.source_header.open_versions()),
                (REVISED, lambda pane: pane.side.target_header.open_versions()),
            )
        ),
        own(
            "suggest", "Suggest again", "Asks the engine for suggestions anew, with the responses as they are now.",
            lambda pane: pane.suggest_again(), when=lambda pane: pane.can_suggest(), icon="sparkle",
        ),
        own(
            "compare", "Compare again", "Compares both versions anew; links stay with the edits they belong to.",
            lambda pane: pane.compare_again(), when=lambda pane: pane.can_suggest(), icon="arrows-clockwise",
        ),
    )  # fmt: skip
