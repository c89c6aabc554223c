"""Writes tables as Parquet files with a data card, in the layout that Hugging Face ``datasets`` loads: one folder per
table, and a ``README.md`` with a YAML header. https://huggingface.co/docs/hub/datasets-manual-configuration"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.exchange.io import frame_file
from engine.exchange.records import Export, ExportFile
from engine.shown import counted, escaped_markdown, inert_line

if TYPE_CHECKING:
    import pandas as pd

README = "README.md"
LEFT_OUT = (
    "Documents, histories, drafts and anything without a table are left out. An open bundle contains everything.",
    "Annotators are identified by keys and names.",
)
"""What the tables don't contain, as sentences for the user."""


@dataclass(frozen=True, slots=True)
class DescribedFrame:
    """A table with descriptions of the table and its columns."""

    frame: "pd.DataFrame"
    meaning: str
    columns: Mapping[str, str]


_ESCAPED = re.compile("[<!\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_COLUMN = re.compile(r"^    (\w+) \([^)]*\) (.*)$", re.MULTILINE)


def described(frame: "pd.DataFrame", documentation: str) -> DescribedFrame:
    """Combines a frame with the descriptions parsed from its function's docstring (see ``engine.frames``)."""
    meaning, _, columns = documentation.partition("\n\n    Columns:")
    return DescribedFrame(frame, " ".join(meaning.split()), dict(_COLUMN.findall(columns)))


def write_dataset(title: str, frames: Mapping[str, DescribedFrame]) -> Export:
    """Returns the non-empty tables as Parquet files, and the data card."""
    held = {name: one for name, one in frames.items() if len(one.frame)}
    files = []
    for name, one in held.items():
        made = frame_file(f"{name}.parquet", one.frame)
        files.append(ExportFile(f"data/{name}/train-00000-of-00001.parquet", made.content))
    card = ExportFile(README, _card(title, held).encode("utf-8", "replace"))
    return Export((card, *files), LEFT_OUT)


def _card(title: str, held: Mapping[str, DescribedFrame]) -> str:
    rows = sum(len(one.frame) for one in held.values())
    size = next(words for most, words in _SIZES if rows < most)
    # JSON strings are valid YAML, except that YAML allows no lone surrogates or control characters. Viewers without
    # YAML support show the header as Markdown, so nothing in it may load.
    name = _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(title, ensure_ascii=False))
    lines = ["---", f"pretty_name: {name}", "license: unknown", f"size_categories:\n- {size}"]
    lines += ["tags:\n- peer-review", "configs:" if held else "configs: []"]
    for number, name in enumerate(held):
        lines += [f"- config_name: {name}", f"  data_files: data/{name}/*.parquet"]
        lines += ["  default: true"] * (number == 0)
    lines += ["---", "", f"# {inert_line(title)}", ""]
    lines += [
        "Written by Rejoinder from a project on peer review. Each row is one record of its table. Keys",
        "(`..._id`) are the project's, so tables can be joined. Empty cells are unknown.",
        "",
        "**Before you publish it:** state the licence above, who annotated, how, and with whose consent. Reviews and",
        "unpublished papers may be confidential, and tables name annotators and reviewers as the project does.",
        "",
        "```python",
        "from datasets import load_dataset",
        f'load_dataset("path/of/this/folder", "{next(iter(held), "comments")}")',
        "```",
        "",
    ]
    for name, one in held.items():
        lines += [
            f"## {name}",
            "",
            f"{inert_line(one.meaning)} {counted(len(one.frame), 'row')}.",
            "",
            "| column | type | meaning |",
        ]
        lines += ["| --- | --- | --- |"]
        lines += [
            f"| `{column}` | {one.frame[column].dtype} | {escaped_markdown(one.columns.get(column, ''))} |"
            for column in one.frame.columns
        ]
        lines.append("")
    return "\n".join(lines)


_SIZES = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (float("inf"), "1M<n<10M"),
)  # fmt: skip
