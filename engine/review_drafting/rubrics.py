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
    return tuple(MetaRubric.model_validate({"id": key} | content) for key, content in tomllib.loads(text).items())
