"""The bundled prompts (``resources/prompts``), and how external text is passed to a language model as data."""

import hashlib
import re
from bisect import bisect_right
from functools import cache

from engine.resource_files import resource_text
from engine.shown import without_orders

FENCE_TOKENS = 60
"""The estimated number of tokens that ``fenced`` adds to a text."""
_PIECE = re.compile(r"[A-Z]?[a-z]{1,4}|[A-Z]{1,2}|[!-~]")
_ASCII = re.compile(r"[\x00-\x7f]+")


def tokens_in(text: str) -> int:
    """Returns a conservative estimate of the number of tokens in a text, for any model.

    In many models digits and symbols are separate tokens, and letters beyond ASCII take up to one token per byte. For
    English prose the estimate is 1.7 times the actual number; for formulas, tables, hex and other scripts 0.8 to 2
    times that of the least economical of four vocabularies (Llama 2, Gemma 3, cl100k, o200k).
    """
    other = len(_ASCII.sub("", text).encode("utf-8", "surrogatepass"))
    return int(1.2 * len(_PIECE.findall(text)) + 0.55 * other)


def beginning(text: str, tokens: int) -> str:
    if tokens_in(text) <= tokens:
        return text
    return text[: bisect_right(range(len(text) + 1), max(0, tokens), key=lambda end: tokens_in(text[:end])) - 1]


def cut(text: str, tokens: int) -> str:
    """Truncates a text to at most ``tokens`` and says so at the cut."""
    note = " [the rest is left out]"
    return text if tokens_in(text) <= tokens else beginning(text, tokens - tokens_in(note)) + note


@cache
def shipped_prompt(name: str) -> str:
    """Returns the text of ``resources/prompts/<name>.md``. Raises FileNotFoundError."""
    return resource_text(f"prompts/{name}.md").strip()


def fenced(title: str, text: str, *, said_by_reviewer: bool = False) -> str:
    """Puts an external text between two marks that it can't contain; ``fence_rule`` explains them to the model.

    The mark is derived from the text and removed from it, so nothing in the text can close the fence. Sentences that
    try to instruct the model are left out; the code that displays the result reports that (``engine.shown.orders``).
    """
    text = without_orders(text, said_by_reviewer=said_by_reviewer)
    mark = f"DATA-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    return f"{title}:\n<<<{mark}\n{text.replace(mark, '')}\n{mark}>>>"


def fence_rule() -> str:
    """Returns the part of the system prompt about fenced text; it ends every prompt that contains a document."""
    return shipped_prompt("fence")
