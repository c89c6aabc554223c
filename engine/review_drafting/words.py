"""Lists of words that ship (``resources/stop_words.toml``)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Literal


@cache
def stop_words(which: Literal["content", "phrases"]) -> frozenset[str]:
    """Words without matter of their own: "content" where texts are compared, "phrases" that no keyphrase holds."""
    text = (resources.files("resources") / "stop_words.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[which].split())
