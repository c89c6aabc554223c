"""The figures that ReviewGrounder and ReviewBench print (``resources/published/review_bench.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def published() -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Table ("table-1"...) to row to column, as printed."""
    text = (resources.files("resources") / "published" / "review_bench.toml").read_text(encoding="utf-8")
    return {
        table: {
            name: dict(zip(content["columns"], row, strict=True)) for name, row in content.items() if name != "columns"
        }
        for table, content in tomllib.loads(text).items()
    }
