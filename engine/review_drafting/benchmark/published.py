"""The published figures of ReviewGrounder and ReviewBench (``resources/published/review_bench.toml``)."""

from collections.abc import Mapping
from functools import cache

from engine.resource_files import resource_table


@cache
def published() -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Returns the printed figures by table ("table-1"...), row and column."""
    return {
        table: {
            name: dict(zip(content["columns"], row, strict=True)) for name, row in content.items() if name != "columns"
        }
        for table, content in resource_table("published/review_bench.toml").items()
    }
