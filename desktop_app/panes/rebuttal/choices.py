"""Choices in the Rebuttal pane, shared by its commands and widgets. No Qt."""

from typing import TYPE_CHECKING, Literal

from engine.rebuttal.records import Outcome

if TYPE_CHECKING:
    from engine.exchange.template_files import TemplateFormat

Grouping = Literal["reviewer", "root", "theme"]
GROUPINGS: tuple[tuple[str, Grouping], ...] = (
    ("By reviewer", "reviewer"), ("By aspect", "root"), ("By theme", "theme"),
)  # fmt: skip
OUTCOMES: tuple[tuple[Outcome, str], ...] = (
    ("satisfied", "Satisfied"), ("partly", "Partly satisfied"), ("unmoved", "Unmoved"), ("", "Unknown"),
)  # fmt: skip
TEMPLATE_FORMS: "tuple[tuple[str, TemplateFormat], ...]" = (
    ("JSON Lines", "jsonl"), ("CSV", "csv"), ("TOML", "toml"), ("JitsuPeer folder", "jitsupeer"),
)  # fmt: skip
TEMPLATE_KEYS = 9
"""Number of templates that have a key."""
WRITE, PREVIEW, SEND = range(3)
"""The views in the middle."""
