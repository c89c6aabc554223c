"""Frames have documented columns of fixed types, for the sample project and for an empty one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from engine import frames
from engine.errors import BadInput
from engine.exchange.framed import DTYPES
from engine.project import Project

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample" / "sample.rejoinder"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    path = tmp_path_factory.mktemp("frames") / "sample.rejoinder"
    shutil.copy(SAMPLE, path)
    with Project.open(path, read_only=True) as project:
        yield project


@pytest.mark.parametrize("name", frames.FRAMES)
def test_columns_are_documented_and_of_one_type(name: str, sample: Project, tmp_path: Path) -> None:
    made = frames.FRAMES[name]
    found = made(sample)
    assert len(found) and not found.duplicated().all()
    listed = dict(re.findall(r"^    (\w+) \(([a-z/]+)\) \S", made.__doc__ or "", re.MULTILINE))
    assert {column: DTYPES[kind] for column, kind in listed.items()} == found.dtypes.map(str).to_dict()
    with Project.create(tmp_path / "empty.rejoinder") as empty:
        pd.testing.assert_series_equal(made(empty).dtypes, found.dtypes)
        assert not len(made(empty))


def test_frames_hold_what_the_project_holds(sample: Project) -> None:
    def count(sql: str) -> int:
        row = sample.query_one(sql)
        assert row is not None
        return int(row[0])

    answers = frames.answers(sample)
    assert answers["rating"].notna().sum() == count("SELECT count(*) FROM rating WHERE value IS NOT NULL")
    assert set(frames.similarity(sample)["participant_id"]) <= set(answers["participant_id"])
    assert len(frames.scores(sample)) == count("SELECT count(*) FROM score_review")
    assert len(frames.comments(sample)) == count("SELECT count(*) FROM comment")
    links = frames.links(sample)
    assert links["edit_id"].notna().sum() == count("SELECT count(*) FROM edit_link")
    assert set(links["comment_id"]) <= set(frames.comments(sample)["comment_id"])
    assert set(links["edit_id"].dropna()) <= set(frames.edits(sample)["edit_id"])
    labels = frames.labels(sample)
    assert not labels["decided"].any() and labels["confidence"].between(0, 1).all()
    assert labels.iloc[0]["sentence"] == frames.reviews(sample).set_index("source_id").loc[
        labels.iloc[0]["source_id"], "text"
    ][labels.iloc[0]["start"] : labels.iloc[0]["end"]]  # fmt: skip
    ranking = frames.calibration(sample)
    assert (ranking["rank_low"] <= ranking["rank"]).all() and ranking["rank"].is_monotonic_increasing
    assert frames.benchmark(sample)["by_hand"].sum() == count("SELECT count(*) FROM rubric_rating")


def test_an_unknown_kind_of_decision_is_named(sample: Project) -> None:
    for frame in (frames.decisions, frames.coefficients):
        with pytest.raises(BadInput, match="“lables”"):
            frame(sample, of="lables")  # type: ignore[arg-type]


def test_work_of_others_is_hidden_until_both_are_done(sample: Project) -> None:
    first, second = (key for key, _ in sample.annotators())
    assert set(frames.links(sample)["annotator"]) == {"Sample annotator", "Second reader"}
    before = sample.annotator_id
    try:
        sample.annotator_id = "somebody else"
        assert (
            not len(frames.links(sample)) and not len(frames.preferences(sample)) and not len(frames.agreement(sample))
        )
    finally:
        sample.annotator_id = before
    assert {first, second} and len(frames.preferences(sample))


def test_the_examples_for_notebooks_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    before, names = SAMPLE.read_bytes(), dict[str, object]()
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"docs/notebook.md, example {number}", "exec"), names)
        said = capsys.readouterr().out
        assert {1: "loss 0.0", 2: "Columns: item =", 3: "requests led to an edit"}[number] in said
    assert SAMPLE.read_bytes() == before
    assert set(re.findall(r"`(\w+)`", page.partition("| --- |")[2].partition("\n\n")[0])) == set(frames.FRAMES)
