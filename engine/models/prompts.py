"""The prompts that ship (``resources/prompts``), and how text from outside is handed to a language model: as data."""

import hashlib
import re
from bisect import bisect_right
from functools import cache

from engine.resource_files import resource_text
from engine.shown import without_orders

FENCE_TOKENS = 60
"""What ``fenced`` adds to a text."""
_PIECE = re.compile(r"[A-Z]?[a-z]{1,4}|[A-Z]{1,2}|[!-~]")
_ASCII = re.compile(r"[\x00-\x7f]+")


def tokens_in(text: str) -> int:
    """A careful guess at the number of tokens of a text, for any model.

    Digits and signs are tokens of their own for many models, and letters beyond ASCII up to one token a byte. English
    prose gets 1.7 times what it has; formulas, tables, hex and other scripts 0.8 to 2 times what the least economical
    of four vocabularies makes of them (Llama 2, Gemma 3, cl100k, o200k).
    """
    other = len(_ASCII.sub("", text).encode("utf-8", "surrogatepass"))
    return int(1.2 * len(_PIECE.findall(text)) + 0.55 * other)


def beginning(text: str, tokens: int) -> str:
    if tokens_in(text) <= tokens:
        return text
    return text[: bisect_right(range(len(text) + 1), max(0, tokens), key=lambda end: tokens_in(text[:end])) - 1]


def cut(text: str, tokens: int) -> str:
    """A text in at most so many tokens, which says so where it is cut."""
    note = " [the rest is left out]"
    return text if tokens_in(text) <= tokens else beginning(text, tokens - tokens_in(note)) + note


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
