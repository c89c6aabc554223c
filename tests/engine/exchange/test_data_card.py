"""Parquet with a data card: every table comes back with its types, and the card says what is in it."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.exchange.data_card import DescribedFrame, described, write_dataset
from engine.exchange.framed import DTYPES
from engine.formats import WRITERS, Wanted
from engine.frames import FRAMES
from engine.project import Project
from tests.hostile import SAMPLE, hostile_project

yaml = pytest.importorskip("yaml")


def front_matter(card: str) -> Any:
    return yaml.safe_load(card.split("---\n")[1])


def test_every_table_of_a_project_comes_back_with_its_types(tmp_path: Path) -> None:
    with Project.open(SAMPLE, read_only=True) as project:
        export = WRITERS["parquet"].make(project, Wanted("out"))
        expected = {name: make(project) for name, make in FRAMES.items()}
    files = {file.name: file.content for file in export.files}
    card = files["README.md"].decode()
    configs = {config["config_name"]: config["data_files"] for config in front_matter(card)["configs"]}
    assert set(configs) == {name for name, frame in expected.items() if len(frame)} and len(configs) > 10
    for name, pattern in configs.items():
        (path,) = [file for file in files if re.fullmatch(pattern.replace("*", "[^/]*"), file)]
        pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(files[path])), expected[name])
        section = card.split(f"\n## {name}\n")[1].split("\n## ")[0]
        for column in expected[name].columns:
            assert re.search(rf"\| `{column}` \| \w+ \| \w", section), f"{name}.{column} has no meaning"
    assert "open bundle contains everything" in export.loss[0]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
CELLS = {
    "text": TEXT, "number": st.floats(allow_nan=False), "count": st.integers(-(2**63), 2**63 - 1),
    "yes/no": st.booleans(),
}  # fmt: skip


@given(title=TEXT, rows=st.lists(st.tuples(*(st.none() | cells for cells in CELLS.values())), max_size=5))
@settings(deadline=None)
def test_any_rows_and_any_title_come_back(title: str, rows: list[tuple[Any, ...]]) -> None:
    columns = dict(zip(CELLS, zip(*rows, strict=True) if rows else [()] * 4, strict=True))
    frame = pd.DataFrame({name: pd.array(list(cells), dtype=DTYPES[name]) for name, cells in columns.items()})
    card, *files = write_dataset(title, {"t": DescribedFrame(frame, "A table.", {})}).files
    matter = front_matter(card.content.decode())
    assert matter["pretty_name"] == title
    assert [config["config_name"] for config in matter["configs"]] == ["t"] * bool(rows) and len(files) == bool(rows)
    for file in files:
        pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(file.content)), frame)


def test_the_meaning_of_columns_is_that_of_the_frames() -> None:
    found = described(pd.DataFrame(), FRAMES["links"].__doc__ or "")
    assert found.columns["comment_id"] == "key of the comment" and found.meaning.startswith("Links of comments")


def test_texts_of_others_do_nothing_in_the_card(tmp_path: Path) -> None:
    with Project.open(hostile_project(tmp_path), annotator="Ada") as project:
        card = WRITERS["parquet"].make(project, Wanted("out")).files[0].content.decode()
        assert front_matter(card)["pretty_name"] == project.title
    assert not re.search(r"(?<!\\)(<img|!\[)", card.split("---\n", 2)[2])
