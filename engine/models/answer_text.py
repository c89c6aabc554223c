"""What a language model wrote, taken apart: its reasoning, its answer, and the JSON in the answer."""

import json
import re
from collections.abc import Callable

_NAMES = r"(?:\w+:)?(?:think|thinking|thought|reasoning)"
_OPEN = re.compile(rf"<{_NAMES}\b[^<>]*>|\[THINK\]|◁think▷|<\|channel>thought\b", re.IGNORECASE)
"""Of DeepSeek, Qwen and many more, of Seed (a prefix), Mistral, Kimi and Gemma."""
_CLOSE = re.compile(rf"</{_NAMES}>|\[/THINK\]|◁/think▷|<channel\|>", re.IGNORECASE)
_BLOCK = re.compile(rf"(?:{_OPEN.pattern})(.*?)(?:{_CLOSE.pattern})", re.IGNORECASE | re.DOTALL)
_LONGEST_TAG = 24
_FINAL = "<|channel|>final<|message|>"
"""Where the answer of a model begins that divides its output into channels (gpt-oss)."""
_MARK = re.compile(r"<\|\w+\|>(?:analysis)?")


def split_reasoning(text: str) -> tuple[str, str]:
    """The reasoning in a text, and the answer without it.

    A block that is not closed has no answer after it. Chat templates may open the block in the prompt, so a text may
    have only its end. JSON stays whole, whatever its strings hold.
    """
    if _objects(text.strip(), whole=True):
        return "", text
    before, final, after = text.rpartition(_FINAL)
    if final:
        return _MARK.sub("", before).strip(), _MARK.split(after, maxsplit=1)[0].strip()
    thoughts = [block[1] for block in _BLOCK.finditer(text)]
    rest = _BLOCK.sub("", text)
    for end in list(_CLOSE.finditer(rest))[-1:]:
        thoughts.append(_CLOSE.sub("", rest[: end.start()]))
        rest = rest[end.end() :]
    if begun := _OPEN.search(rest):
        thoughts.append(rest[begun.end() :])
        rest = rest[: begun.start()]
    return ("\n\n".join(thought.strip() for thought in thoughts), rest.strip()) if thoughts else ("", text)


class AnswerStream:
    """Passes on the pieces of an answer as they come, and keeps back a reasoning block at its beginning."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._held, self._answering = "", False

    def feed(self, piece: str) -> None:
        """The next piece of what a model writes."""
        if self._answering:
            self._on_text(piece)
            return
        self._held += piece
        begun = self._held.lstrip()
        if _OPEN.match(begun):
            end = _CLOSE.search(begun)
            if end is not None:
                self._held = ""
                self.feed(begun[end.end() :])
            return
        # A text that begins like a tag is kept until it is known to be none.
        if begun and not (begun[0] in "<[◁" and len(begun) < _LONGEST_TAG and " " not in begun):
            self._answering = True
            self._on_text(begun)


def json_parts(text: str) -> list[str]:
    """The JSON objects in an answer, without fences or words around them, the last one first.

    Where none can be read: from the first brace to the last, or the whole text.
    """
    start, end = text.find("{"), text.rfind("}")
    return _objects(text)[::-1] or [text[start : end + 1] if 0 <= start < end else text]


def _objects(text: str, *, whole: bool = False) -> list[str]:
    """The JSON objects in a text, the outermost only; ``whole``: only the one that is all of it."""
    decoder = json.JSONDecoder()
    found, at = [], text.find("{")
    while at >= 0 and not (whole and at > 0):
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if not whole or end == len(text):
            found.append(text[at:end])
        at = text.find("{", end)
    return found
