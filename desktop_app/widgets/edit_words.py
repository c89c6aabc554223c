"""How edits are written: their kinds as signs and words, and the words that they change. No Qt."""

from collections.abc import Mapping
from functools import lru_cache

from engine.revision.differences import word_changes
from engine.revision.records import WordChange

SIGNS: Mapping[str, str] = {"added": "+", "deleted": "−", "minor": "~", "major": "≠", "moved": "↕", "passage": "¶"}
WORDS: Mapping[str, str] = {
    "added": "added", "deleted": "deleted", "minor": "small change", "major": "changed", "moved": "moved",
    "passage": "passage",
}  # fmt: skip


@lru_cache(maxsize=2048)
def changes_of(source_text: str, target_text: str) -> tuple[WordChange, ...]:
    """The word differences of an edit's two texts, kept for the pages and lists that show the same ones."""
    return word_changes(source_text, target_text)
