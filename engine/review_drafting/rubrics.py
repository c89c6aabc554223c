"""The general meta-rubrics (``resources/rubrics/meta.toml``). Drafting knows these, and no rubric of a single paper."""

from functools import cache

from engine.resource_files import resource_table
from engine.review_drafting.records import MetaRubric


@cache
def meta_rubrics() -> tuple[MetaRubric, ...]:
    return tuple(
        MetaRubric.model_validate({"id": key} | content) for key, content in resource_table("rubrics/meta.toml").items()
    )
