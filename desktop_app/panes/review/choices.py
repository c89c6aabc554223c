"""Forms, stances and drawer pages as plain data, for listing the commands without loading anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.review_drafting.store import Stance

FORMS = {
    "iclr": "ICLR", "icml": "ICML", "neurips": "NeurIPS", "arr": "ACL Rolling Review",
    "public": "Public review (eLife style)", "journal": "Journal",
}  # fmt: skip
"""Titles of the review forms that come with the program; a test compares them with the forms."""
STANCES: tuple[tuple[Stance, str, str], ...] = (
    ("strength", "Strength", "+"), ("weakness", "Weakness", "−"), ("question", "Question", "?"), ("note", "Note", "·"),
)  # fmt: skip
"""What an evidence card supports: key, title, sign."""
CARD_KEYS = 9
"""The number of cards that have a key of their own."""

Page = Literal["stages", "literature", "runs", "history", "export"]
PAGES: dict[Page, tuple[str, str, str]] = {
    "stages": ("Stages", "Alt+S", "Shows the stages that read the paper and what each one found."),
    "literature": ("Literature", "Alt+L", "Shows papers in the library that are close to this one."),
    "runs": ("Runs", "Alt+R", "Shows earlier runs and compares two of them."),
    "history": ("History", "Alt+H", "Shows saved versions of the review, compares and restores them."),
    "export": ("Export", "Alt+E", "Checks the review before you export it, then exports it."),
}
"""Title, key and help of each page of the drawer."""

NEW_MENU = ("review.import", "", *(f"review.begin_{key}" for key in FORMS))
REVIEW_MENU = (
    "review.rename", "", *(f"review.form_{key}" for key in FORMS), "review.import_form", "", "review.ask_model", "",
    "review.remove_draft",
)  # fmt: skip
DRAWER_MENU = tuple(f"review.show_{page}" for page in PAGES)
"""The commands of the pane's menus; "" is a separator."""
