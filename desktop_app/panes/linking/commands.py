"""The commands of the linking pane, with their keys."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command
from desktop_app.panes.linking.exporting import KINDS
from desktop_app.panes.linking.reviews_view import ACTIONS
from desktop_app.panes.linking.study import ICONS, STATES
from engine.papers.store import REVISED, SUBMITTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from desktop_app.panes.linking.pane import LinkingPane
    from engine.revision.records import CommentState

SCOPE = "linking"
EDIT_MENU = ("linking.link", "linking.unlink", "linking.reattach", "", "linking.accept", "linking.reject")
COMMENT_MENU = (*(f"linking.state_{state}" for state in STATES), "", "linking.propose", "linking.reviews")


def linking_commands(pane: LinkingPane) -> Sequence[Command]:
    """All commands, in the order of the key overview."""
    return (*_walking(pane), *_deciding(pane), *_looking(pane), *_proposing(pane), *_marking(pane), *_files(pane))


def _command(  # noqa: PLR0917 - a table reads best in columns
    name: str,
    title: str,
    help_: str,
    handler: Callable[[], object],
    key: str = "",
    icon: str = "",
    enabled: Callable[[], bool] = lambda: True,
) -> Command:
    return Command(f"{SCOPE}.{name}", title, help_, handler, key, scope=SCOPE, icon=icon, enabled=enabled)


def _walking(pane: LinkingPane) -> Sequence[Command]:
    comments, edits = pane.has_comments, pane.has_edits
    return (
        _command(
            "next_comment", "Next comment", "Brings the next comment to hand.",
            lambda: pane.step_comment(1), "J", "caret-down", comments,
        ),
        _command(
            "previous_comment", "Previous comment", "Brings the previous comment to hand.",
            lambda: pane.step_comment(-1), "K", "caret-up", comments,
        ),
        _command(
            "next_edit", "Next edit", "Brings the next edit to hand and shows it on both pages.",
            lambda: pane.step_edit(1), "Down", "arrow-down", edits,
        ),
        _command(
            "previous_edit", "Previous edit", "Brings the previous edit to hand and shows it on both pages.",
            lambda: pane.step_edit(-1), "Up", "arrow-up", edits,
        ),
        _command(
            "next_undecided", "Next undecided comment", "Goes to the next comment that nobody decided on.",
            pane.next_undecided, "Space", "skip-forward", comments,
        ),
        _command(
            "next_page", "Next page", "Turns the page; the other version follows.",
            lambda: pane.side.step_page(1), "]", "caret-right",
        ),
        _command(
            "previous_page", "Previous page", "Turns the page back; the other version follows.",
            lambda: pane.side.step_page(-1), "[", "caret-left",
        ),
    )  # fmt: skip


def _deciding(pane: LinkingPane) -> Sequence[Command]:
    def state(name: CommentState, key: int) -> Command:
        words = STATES[name]
        return _command(
            f"state_{name}", words, f"Decides on the comment at hand: {words.lower()}.",
            lambda: pane.set_state(name), str(key), ICONS[name], pane.can_decide,
        )  # fmt: skip

    return (
        _command(
            "link", "Link edit to comment", "Says that the edit at hand was made for the comment at hand.",
            pane.link, "L", "link", pane.can_link,
        ),
        _command(
            "unlink", "Unlink edit from comment", "Takes the link between comment and edit away.",
            pane.unlink, "U", "link-break", pane.can_unlink,
        ),
        _command(
            "reattach", "Move the lost link here",
            "A link of this comment whose edit is no longer found goes over to the edit at hand.",
            pane.reattach, "H", "link-simple-horizontal", pane.can_reattach,
        ),
        _command(
            "accept", "Accept suggestion", "Links the suggested edit, and goes on to the next suggestion.",
            pane.accept, "A", "check", pane.has_suggestion,
        ),
        _command(
            "reject", "Reject suggestion", "Takes the suggestion off the list, and goes on to the next one.",
            pane.reject, "R", "x", pane.has_suggestion,
        ),
        *(state(name, key) for key, name in enumerate(STATES, start=1)),
    )  # fmt: skip


def _looking(pane: LinkingPane) -> Sequence[Command]:
    return (
        _command(
            "find", "Search both versions", "Finds words in the submitted and the revised version.",
            pane.start_search, "F", "magnifying-glass",
        ),
        _command(
            "caret", "Caret in the revised version",
            "Puts a caret into the text of the page, to read and select by keyboard; Escape leaves it.",
            pane.start_caret, "C", "text-aa",
        ),
        _command(
            "caret_submitted", "Caret in the submitted version",
            "Puts a caret into the text of the submitted version; Escape leaves it.",
            pane.side.source.start_caret, "Shift+C", "text-aa",
        ),
        _command(
            "guidelines", "Guidelines", "Shows or hides the rules of linking beside the edits.",
            pane.toggle_guidelines, "G", "book-open",
        ),
        _command(
            "reviews", "Reviews and comments",
            "Shows the reviews in full, to mark comments and to correct comments and responses.",
            pane.toggle_reviews, "V", "chats",
        ),
        _command(
            "coverage", "Coverage",
            "Shows which comments are answered and which are not, and the edits that answer none.",
            pane.toggle_coverage, "O", "checks",
        ),
        _command(
            "done", "Done with this paper",
            "Says that you are done with the paper: once another annotator is, too, you see each other's work.",
            pane.toggle_done, "Shift+D", "user-circle", pane.can_write,
        ),
        _command(
            "couple", "Scroll both versions together", "Couples the two pages, or lets each scroll alone.",
            pane.toggle_coupling, "S", "link-simple",
        ),
        _command(
            "comments_list", "Go to the comments", "Gives the keyboard to the list of comments.",
            pane.comments.list.setFocus, "Shift+J",
        ),
        _command(
            "edits_list", "Go to the edits", "Gives the keyboard to the list of edits.",
            pane.edits.list.setFocus, "Shift+E",
        ),
        _command(
            "look", "Look of the pages", "Turns the pages from paper to sepia to light on dark.",
            pane.next_look, "P", "moon",
        ),
        _command(
            "fit_text", "Fit text to the width",
            "Margins are cut off; where two columns would be too small to read, one is shown.",
            lambda: pane.side.set_zoom("text"), "W", "text-align-justify",
        ),
        _command(
            "fit_column", "Fit a column to the width",
            "One column of the text takes the width there is; the column of the edit at hand is shown.",
            lambda: pane.side.set_zoom("column"), "E", "columns",
        ),
        _command(
            "fit_width", "Fit pages to the width", "Pages take the width there is.",
            lambda: pane.side.set_zoom("width"), "Alt+W", "arrows-out-line-horizontal",
        ),
        _command(
            "fit_page", "Fit whole pages", "Pages are shown whole.",
            lambda: pane.side.set_zoom("page"), "Shift+W", "corners-out",
        ),
        _command(
            "zoom_in", "Enlarge pages", "Shows the pages larger.",
            lambda: pane.side.step_zoom(1), ".", "magnifying-glass-plus",
        ),
        _command(
            "zoom_out", "Shrink pages", "Shows the pages smaller.",
            lambda: pane.side.step_zoom(-1), ",", "magnifying-glass-minus",
        ),
    )  # fmt: skip


def _proposing(pane: LinkingPane) -> Sequence[Command]:
    return (
        _command(
            "propose", "Propose an edit",
            "Shows what one could answer and change for the comment at hand, and has it proposed where nothing is yet.",
            pane.toggle_proposal, "D", "note-pencil", pane.has_comments,
        ),
        _command(
            "propose_again", "Propose another edit",
            "Has a response, a place and an edit proposed for the comment at hand: by sentence frames, and by the "
            "language model if one is chosen.",
            pane.propose, "Shift+P", "sparkle", pane.can_propose,
        ),
        _command(
            "propose_all", "Propose for all open comments",
            "Has a response, a place and an edit proposed for every comment that is undecided or not addressed.",
            pane.propose_all, "", "sparkle", pane.can_propose_all,
        ),
        _command(
            "stop_proposing", "Stop proposing", "Stops what writes proposals; what is there stays.",
            pane.proposing.stop, "", "stop", pane.is_proposing,
        ),
        _command(
            "copy_response", "Copy proposed response", "Copies the proposed response to the reviewer.",
            lambda: pane.proposal.copy(response=True), "", "copy", pane.has_proposal,
        ),
        _command(
            "copy_edit", "Copy proposed edit", "Copies the proposed new text.",
            lambda: pane.proposal.copy(response=False), "", "copy", pane.has_proposal,
        ),
    )  # fmt: skip


def _marking(pane: LinkingPane) -> Sequence[Command]:
    view = pane.reviews
    return (
        _command(
            "mark", "Mark as comment", "The selected sentences, or the one at the caret, become a comment.",
            view.mark, "M", "highlighter-circle", pane.can_mark,
        ),
        _command(
            "mark_words", "Mark the words as comment", "The selected words, and no more, become a comment.",
            view.mark_words, "Shift+M", "", pane.can_mark,
        ),
        _command(
            "add_span", "Add to the comment", "The selected sentences belong to the comment at hand, too.",
            view.add_span, "N", "plus", pane.can_relabel,
        ),
        _command(
            "set_context", "Set as context", "The selected sentences explain the comment at hand.",
            view.set_context, "X", "quotes", pane.can_relabel,
        ),
        _command(
            "set_response", "Set as response", "The selected sentences are what the authors answered.",
            view.set_response, "Y", "arrow-bend-up-left", pane.can_relabel,
        ),
        _command(
            "toggle_request", "Request, or none", "Says whether the comment at hand asks for something.",
            view.toggle_request, "T", "question", pane.can_relabel,
        ),
        _command(
            "split", "Split comment", "Cuts the comment at hand in two at the caret.",
            view.split, "B", "scissors", pane.can_relabel,
        ),
        _command(
            "merge", "Merge with the comment before", "Joins the comment at hand with the one before it.",
            view.merge, "Shift+B", "git-merge", pane.can_relabel,
        ),
        _command(
            "delete", "Delete comment", "Takes the comment at hand away, with its links; undo brings them back.",
            view.delete, "Del", "trash", pane.can_relabel,
        ),
        *(
            _command(
                f"action_{name}", f"Action: {name}", f"Says that the comment at hand asks to {name} something."
                if name != "other" else "Says that the comment at hand asks for something else.",
                partial(view.set_action, name), f"Alt+{number}", "", pane.can_relabel,
            )
            for number, name in enumerate(ACTIONS, start=1)
        ),
    )  # fmt: skip


def _files(pane: LinkingPane) -> Sequence[Command]:
    return (
        _command(
            "import", "Add files…",
            "Adds PDFs of the submitted and revised version, reviews, a response letter; dropping them does the same.",
            pane.ask_for_files, "I", "file-plus", pane.can_import,
        ),
        *(
            _command(
                f"export_{name}", f"Export {kind.title}", kind.help,
                partial(pane.export, name), "", "export", pane.has_something_to_export,
            )
            for name, kind in KINDS.items()
        ),
        _command(
            "replace_submitted", "Choose another submitted version…",
            "Puts another PDF in the place of the submitted version; links stay with the edits that are found again.",
            lambda: pane.ask_for_version(SUBMITTED), "", "file-pdf", pane.can_replace,
        ),
        _command(
            "replace_revised", "Choose another revised version…",
            "Puts another PDF in the place of the revised version; links stay with the edits that are found again.",
            lambda: pane.ask_for_version(REVISED), "", "file-pdf", pane.can_replace,
        ),
        *(
            _command(
                f"versions_{label}", f"Compare another {label} version",
                f"Chooses which version is compared as the {label} one; links stay with the versions they belong to.",
                header.open_versions, "", "files", pane.has_more_versions,
            )
            for label, header in ((SUBMITTED, pane.side.source_header), (REVISED, pane.side.target_header))
        ),
        _command(
            "suggest", "Suggest again", "Asks the engine for suggestions anew, with the responses as they are now.",
            pane.suggest_again, "", "sparkle", pane.can_suggest,
        ),
        _command(
            "compare", "Compare again", "Compares both versions anew; links stay with the edits they belong to.",
            pane.compare_again, "", "arrows-clockwise", pane.can_suggest,
        ),
    )  # fmt: skip
