"""The prompts that ship (``resources/prompts``), and how text from outside is handed to a language model: as data."""

from __future__ import annotations

import hashlib
from functools import cache

from engine.resource_files import resource_text
from engine.shown import without_orders

CHARACTERS_PER_TOKEN = 3.0
"""A careful guess: English prose has about four, formulas and names fewer."""


@cache
def shipped_prompt(name: str) -> str:
    """The text of ``resources/prompts/<name>.md``. Raises FileNotFoundError."""
    return resource_text(f"prompts/{name}.md").strip()


def fenced(title: str, text: str) -> str:
    """A text from outside between two marks that it cannot hold itself; ``fence_rule`` tells the model what they mean.

    The mark is made of the text, so that nothing in the text can close the fence. Sentences that try to instruct the
    model are left out; who shows what came of it says so (``engine.shown.orders``).
    """
    text = without_orders(text)
    mark = f"DATA-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    return f"{title}:\n<<<{mark}\n{text.replace(mark, '')}\n{mark}>>>"


def fence_rule() -> str:
    """What a system prompt says about fenced text; it ends every prompt that contains a document."""
    return shipped_prompt("fence")
