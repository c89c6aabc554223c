"""Splits the output of a language model into its reasoning, its answer and the JSON in the answer."""

import json
import re
from collections.abc import Callable
from typing import Any

_NAMES = r"(?:\w+:)?(?:think|thinking|thought|reasoning)"
_OPEN = re.compile(rf"<{_NAMES}\b[^<>]*>|\[THINK\]|◁think▷|<\|channel>thought\b", re.IGNORECASE)
"""Used by DeepSeek, Qwen and many others, Seed (with a prefix), Mistral, Kimi and Gemma."""
_CLOSE = re.compile(rf"</{_NAMES}>|\[/THINK\]|◁/think▷|<channel\|>", re.IGNORECASE)
_BLOCK = re.compile(rf"(?:{_OPEN.pattern})(.*?)(?:{_CLOSE.pattern})", re.IGNORECASE | re.DOTALL)
_UNFINISHED = re.compile(r"[<\[◁]\S*\Z")
_LONGEST_TAG = 24
_FINAL = "<|channel|>final<|message|>"
"""Starts the answer of a model that writes to separate channels (gpt-oss)."""
_MARK = re.compile(r"<\|\w+\|>(?:analysis)?")


def split_reasoning(text: str) -> tuple[str, str]:
    """Returns the reasoning in a text, and the answer without it.

    An unclosed block has no answer after it. Since chat templates may open the block in the prompt, a text may contain
    only its end tag. A text that is one JSON object is returned unchanged, even if its strings contain tags.
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
    """Forwards the pieces of an answer as they arrive, but withholds a reasoning block at the beginning."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._held, self._reasoning, self._answering = "", False, False

    def feed(self, piece: str) -> None:
        """Takes the next piece of the model's output."""
        if self._answering:
            self._on_text(piece)
            return
        self._held += piece
        begun = self._held.lstrip()
        if not self._reasoning and (opened := _OPEN.match(begun)):
            if opened.end() == len(begun):
                return  # the tag's word may go on
            self._reasoning, begun = True, begun[opened.end() :]
        if self._reasoning:
            end, unfinished = _CLOSE.search(begun), _UNFINISHED.search(begun)
            self._held = unfinished[0] if unfinished else ""
            if end is not None:
                self._held, self._reasoning = "", False
                self.feed(begun[end.end() :])
            return
        # Text that could be the start of a tag is held back until it turns out not to be one.
        if begun and not (begun[0] in "<[◁" and len(begun) < _LONGEST_TAG and " " not in begun):
            self._answering = True
            self._on_text(begun)


def json_parts(text: str) -> list[str]:
    """Returns the JSON objects in an answer, without fences or surrounding text, the last one first.

    If none can be parsed, returns the text from the first to the last brace, or the whole text.
    """
    start, end = text.find("{"), text.rfind("}")
    return _objects(text)[::-1] or [text[start : end + 1] if 0 <= start < end else text]


def _objects(text: str, *, whole: bool = False) -> list[str]:
    """Returns the outermost JSON objects in a text; with ``whole``, only one that spans the whole text."""
    decoder = json.JSONDecoder()
    found, at = [], text.find("{")
    while at >= 0 and not (whole and at > 0):
        try:
            _, end = decoder.raw_decode(text, at)
        except RecursionError:
            break
        except ValueError:
            at = text.find("{", at + 1)
            continue
        if not whole or end == len(text):
            found.append(text[at:end])
        at = text.find("{", end)
    return found


def said_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Makes a JSON object of its pairs. Raises ValueError if a key has several values that differ."""
    found = dict(pairs)
    if any(found[name] != value for name, value in pairs):
        raise ValueError("it has several answers that differ")
    return found
