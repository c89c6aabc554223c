"""How edits are displayed: signs and names of their kinds, and word differences. No Qt."""

from collections.abc import Mapping
from functools import lru_cache

from engine.revision.differences import word_changes
from engine.revision.records import KIND_WORDS, WordChange

SIGNS: Mapping[str, str] = {"added": "+", "deleted": "−", "minor": "~", "major": "≠", "moved": "↕", "passage": "¶"}
WORDS: Mapping[str, str] = {**{str(kind): words for kind, words in KIND_WORDS.items()}, "passage": "passage"}


@lru_cache(maxsize=2048)
def changes_of(source_text: str, target_text: str) -> tuple[WordChange, ...]:
    """Returns the word differences of an edit's two texts; cached because pages and lists show the same ones."""
    return word_changes(source_text, target_text)
