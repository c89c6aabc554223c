"""Names and texts of the Linking pane: states, actions, exports, menus and keys. Cheap to import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from engine.reviews.records import ActionClass
from engine.revision.records import MISTAKES, CommentState

if TYPE_CHECKING:
    from desktop_app.widgets.keys import Items

Mode = Literal["linking", "reviews", "coverage"]
"""The mode of the pane: both versions, the full reviews, or the coverage of comments."""
Format = Literal[
    "aries", "annotations", "csv", "letter", "changes_html", "changes_pdf", "summary_md", "summary_pdf", "marked",
    "requests_xlsx", "requests_csv", "requests_md", "requests_letter",
]  # fmt: skip
CHANGES: frozenset[Format] = frozenset({"changes_html", "changes_pdf", "marked"})
"""Formats that show the changes between both versions."""
ACTIONS: tuple[ActionClass, ...] = get_args(ActionClass)
STATES: Mapping[CommentState, str] = {
    "linked": "Linked", "answered": "Answered without an edit", "visual_only": "Visual change only",
    "not_addressed": "Not addressed", "no_edit_found": "No edit found", "undecided": "Undecided",
}  # fmt: skip
"""The states of a comment in the order of their keys, 1 to 6."""
SHORT_STATES: Mapping[CommentState, str] = {**STATES, "answered": "Answered", "visual_only": "Visual only"}
ICONS: Mapping[CommentState, str] = {
    "linked": "link", "answered": "chat-text", "visual_only": "image", "not_addressed": "prohibit",
    "no_edit_found": "magnifying-glass", "undecided": "circle-dashed",
}  # fmt: skip


class Kind(NamedTuple):
    """An export format: title of its command, help, and file suffix (empty: a folder)."""

    title: str
    help: str
    ending: str


KINDS: Mapping[Format, Kind] = {
    "aries": Kind("ARIES files…", "Export edits, comments and links as the three ARIES files, to a folder.", ""),
    "annotations": Kind("Web Annotations…", "Export links and states as W3C Web Annotations.", ".jsonld"),
    "csv": Kind("table of links (CSV)…", "Export a row for each link and each comment without a link.", ".csv"),
    "letter": Kind("comments and responses…", "Export comments and responses as a letter in Markdown.", ".md"),
    "changes_html": Kind("list of changes (HTML)…", "Export the edits that match the filter as a web page.", ".html"),
    "changes_pdf": Kind("list of changes (PDF)…", "Export the edits that match the filter as a PDF.", ".pdf"),
    "summary_md": Kind("summary (Markdown)…", "Export each comment with its response, edits and pages.", ".md"),
    "summary_pdf": Kind("summary (PDF)…", "Export each comment with its response, edits and pages.", ".pdf"),
    "marked": Kind("marked PDF…", "Export the revised PDF with the changes marked on its pages.", ".pdf"),
    "requests_xlsx": Kind(
        "table of requests (XLSX)…", "Export the outcome of each request, with the place and the reason.", ".xlsx"
    ),
    "requests_csv": Kind(
        "table of requests (CSV)…", "Export the outcome of each request, with the place and the reason.", ".csv"
    ),
    "requests_md": Kind(
        "table of requests (Markdown)…", "Export the outcome of each request, with the place and the reason.", ".md"
    ),
    "requests_letter": Kind("letter to the reviewers…", "Export a letter with the outcome of each request.", ".md"),
}
DEFAULT_STRATEGY = ("fused", "Words and meaning")
"""The initial strategy for suggestions, with its title; a test compares it with the aligners."""
EDIT_MENU = (
    "linking.link", "linking.unlink", "linking.reattach", "linking.dismiss_edit", "",
    "linking.accept", "linking.reject", "",
    *(f"linking.mistake_{name.replace('-', '_')}" for name in MISTAKES),
)  # fmt: skip
COMMENT_MENU = (
    *(f"linking.state_{state}" for state in STATES), "linking.toggle_request", "", "linking.propose", "linking.reviews",
)  # fmt: skip
KEYS: Mapping[Mode, Items] = {
    "linking": (
        (("next_comment", "previous_comment"), "comment"), (("previous_edit", "next_edit"), "edit"),
        (("link",), "link"), (("unlink",), "unlink"), (("accept", "reject"), "accept, reject"),
        (("state_linked", "state_undecided"), "state"), (("next_undecided",), "next undecided"),
        (("previous_page", "next_page"), "page"), (("find",), "search"), (("reviews",), "reviews"),
        (("link_passage",), "link passage"), (("dismiss_edit",), "dismiss edit"),
        (("propose",), "propose"), (("coverage",), "coverage"), (("guidelines",), "guidelines"),
    ),
    "coverage": (
        (("next_comment", "previous_comment"), "comment"), (("state_linked", "state_undecided"), "state"),
        (("next_undecided",), "next undecided"), (("export_summary_pdf",), "summary"),
        (("coverage",), "back to linking"),
    ),
    "reviews": (
        (("next_comment", "previous_comment"), "comment"), (("mark",), "mark sentences"),
        (("mark_words",), "mark words"), (("add_span",), "additional span"), (("set_context",), "context"),
        (("set_response",), "response"), (("toggle_request",), "request"),
        (("action_compare", "action_other"), "action"), (("split", "merge"), "split, merge"), (("delete",), "delete"),
        (("next_unassigned",), "not assigned"), (("reviews",), "back to linking"),
    ),
}  # fmt: skip
"""The items of the key bar in each mode."""


def keys_of(mode: Mode, *, hides_suggestions: bool) -> Items:
    """Returns the keys of a mode, without those for suggestions and proposals if the project hides them."""
    return tuple(one for one in KEYS[mode] if not (hides_suggestions and {"accept", "propose"} & {*one[0]}))
