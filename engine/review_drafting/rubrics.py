"""The general meta-rubrics (``resources/rubrics/meta.toml``), the only ones that drafting knows."""

from functools import cache

from engine.resource_files import resource_table
from engine.review_drafting.records import MetaRubric


@cache
def meta_rubrics() -> tuple[MetaRubric, ...]:
    return tuple(
        MetaRubric.model_validate({"id": key} | content) for key, content in resource_table("rubrics/meta.toml").items()
    )
