"""``rejoinder project tables``, ``rows`` and ``query``: formats, what is refused, and that nothing is written."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.papers.store import PaperStore
from engine.project import Project

TITLES = ("Counting bicycles", "\x1b[2Jüber\u202efdp", "=1+1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "study.rejoinder"
    with Project.create(path, annotator="Ada") as project:
        for title in TITLES:
            PaperStore(project).add_paper(title, external_id="line one\nline two")
        project.put_blob(b"\x00" * 2000, "text/plain")
    return path


def run(*arguments: object) -> str:
    done = CliRunner().invoke(rejoinder, ["project", *map(str, arguments)])
    if done.exception is not None:
        raise done.exception
    return done.stdout


def found(*arguments: object) -> Any:
    return json.loads(run(*arguments, "--json"))


def test_what_a_project_holds_is_printed(path: Path) -> None:
    before = path.read_bytes()
    listed = {entry["table"]: entry for entry in found("tables", path)}
    assert listed["paper"]["rows"] == len(TITLES) and listed["paper"]["columns"][:2] == ["id", "title"]
    assert [row["title"] for row in found("rows", path, "paper", "--where", "position > 1")] == list(TITLES[1:])
    assert len(found("rows", path, "paper", "--limit", 2)) == 2
    assert found("query", path, "SELECT count(*) AS n, max(position) AS last FROM paper") == [{"n": 3, "last": 3}]
    assert path.read_bytes() == before
    (line,) = (line for line in run("tables", path).splitlines() if line.startswith("paper "))
    assert line.split() == ["paper", "3", *listed["paper"]["columns"]]


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "parquet", "XLSX"])
def test_every_kind_of_frame_file(path: Path, tmp_path: Path, ending: str) -> None:
    run("frame", path, "comments", tmp_path / f"out.{ending}")
    assert (tmp_path / f"out.{ending}").stat().st_size > 0


def test_a_frame_has_a_known_ending_and_replaces_no_project(path: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="isn't a supported kind"):
        run("frame", path, "comments", tmp_path / "out.ods")
    other = Path(shutil.copy(path, tmp_path / "other.csv"))
    with pytest.raises(BadInput, match="is a Rejoinder project"):
        run("frame", path, "comments", other)
    run("frame", path, "comments", Path("/dev/null"))
    assert other.read_bytes() == path.read_bytes() and not (tmp_path / "out.ods").exists()


def test_a_frame_is_written_and_read_back(path: Path, tmp_path: Path) -> None:
    import pandas as pd

    run("frame", path, "comments", tmp_path / "out.parquet")
    assert list(pd.read_parquet(tmp_path / "out.parquet").columns)[:1] == ["comment_id"]


def test_each_format(path: Path) -> None:
    select = "SELECT title, position, external_id, NULL AS empty FROM paper ORDER BY position"
    plain = ["Counting bicycles", "\ufffd[2Jüber\ufffdfdp"]
    for style, delimiter in (("csv", ","), ("tsv", "\t")):
        header, *rows = csv.reader(io.StringIO(run("query", path, select, "--format", style)), delimiter=delimiter)
        assert header == ["title", "position", "external_id", "empty"]
        assert [row[0] for row in rows] == [*plain, "'=1+1"] and rows[0][1:] == ["1", "line one\nline two", ""]
    lines = run("query", path, select, "--format", "jsonl").splitlines()
    assert [json.loads(line)["title"] for line in lines] == list(TITLES)
    table = run("query", path, select)
    assert [line.split("  ")[0] for line in table.splitlines()] == ["title", *plain, "=1+1"]
    assert "line one line two" in table and "None" not in table
    assert run("query", path, f"{select} LIMIT 0", "--format", "jsonl") == ""
    assert run("query", path, f"{select} LIMIT 0").split() == ["title", "position", "external_id", "empty"]


def test_a_number_that_json_cannot_spell_is_null(path: Path) -> None:
    for style in ("json", "jsonl"):
        found = json.loads(run("query", path, "SELECT 9e999 AS big, 0.5 AS half", "--format", style))
        assert (found[0] if style == "json" else found) == {"big": None, "half": 0.5}


@pytest.mark.parametrize("style", ["table", "csv", "tsv", "json", "jsonl"])
def test_no_text_commands_the_terminal(path: Path, style: str) -> None:
    for arguments in (("rows", path, "paper"), ("query", path, "SELECT title, title AS '\x9b2J' FROM paper")):
        assert not set(run(*arguments, "--format", style)) & {"\x1b", "\u202e", "\x9b"}


def test_long_cells_are_cut_for_people_only_and_of_files_the_size_is_printed(path: Path) -> None:
    select = "SELECT replace(hex(zeroblob(100)), '00', 'long') AS text"
    assert run("query", path, select).splitlines()[1] == "long" * 14 + "lon…"
    assert found("query", path, select) == [{"text": "long" * 100}]
    assert [row["bytes"] for row in found("rows", path, "blob")] == ["(2,000 bytes)"]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM paper", "UPDATE paper SET title = ''", "INSERT INTO project_info VALUES ('a', 'b')",
        "DROP TABLE paper", "CREATE TABLE more (a)", "CREATE TEMP TABLE more (a)", "PRAGMA query_only = OFF",
        "PRAGMA user_version = 1",
        "ATTACH ':memory:' AS more", "VACUUM INTO '{folder}/more'", "BEGIN", "EXPLAIN DELETE FROM paper",
        "WITH gone AS (SELECT 1) DELETE FROM paper",
    ],
)  # fmt: skip
def test_anything_but_reading_is_refused(path: Path, sql: str) -> None:
    before = path.read_bytes()
    with pytest.raises(BadInput, match="isn't a plain query"):
        run("query", path, sql.format(folder=path.parent))
    assert path.read_bytes() == before and not path.with_name("more").exists()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("query", "SELECT * FROM nowhere"), "no such table: nowhere"),
        (("query", "SELEC 1"), "syntax error"),
        (("query", "SELECT 1; DELETE FROM paper"), "one statement"),
        (("query", "SELECT ?"), "binding"),
        (("query", ""), "empty"),
        (("query", "SELECT 1 AS one, 2 AS one", "--json"), "Two columns"),
        (("query", "SELECT load_extension('x')"), "not authorized|no such function"),
        (("rows", "nothing"), "no table “nothing”"),
        (("rows", "paper", "--where", "1) UNION SELECT (1"), "can't be run"),
        (("rows", "paper", "--where", "1; DELETE FROM paper"), "one statement"),
    ],
)
def test_wrong_calls_say_what_is_wrong(path: Path, arguments: tuple[str, ...], what: str) -> None:
    verb, *rest = arguments
    with pytest.raises(BadInput, match=what) as caught:
        run(verb, path, *rest)
    assert caught.value.means and caught.value.do
