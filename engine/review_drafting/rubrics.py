"""The general meta-rubrics (``resources/rubrics/meta.toml``). Drafting knows these, and no rubric of a single paper."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from engine.review_drafting.records import MetaRubric


@cache
def meta_rubrics() -> tuple[MetaRubric, ...]:
    """The eight dimensions, in their order."""
    text = (resources.files("resources") / "rubrics" / "meta.toml").read_text(encoding="utf-8")
    return tuple(MetaRubric(id=key, **{**content, **_tuples(content)}) for key, content in tomllib.loads(text).items())


def _tuples(content: dict[str, object]) -> dict[str, tuple[object, ...]]:
    return {key: tuple(value) for key, value in content.items() if isinstance(value, list)}
