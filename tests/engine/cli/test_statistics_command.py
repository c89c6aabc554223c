"""statistics from the command line, and on real papers' gold links."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from engine.cli.main import rejoinder


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(rejoinder, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, str(done.exception or "")


def test_what_is_printed_is_what_was_linked(path: Path) -> None:
    code, out, _ = run("statistics", path, "--json")
    found = json.loads(out)
    assert code == 0 and found["papers"] == 1
    explain = next(row for row in found["actions"] if row["action"] == "explain")
    assert (explain["comments"], explain["addressed"], explain["guessed"]) == (3, 1, 3)
    assert {"kind": "added", "edits": 4, "linked": 2} in found["kinds"]
    assert found["links"][0]["links"] == 2 and found["silver"] == {"precision": None, "recall": 0.0}
    code, out, _ = run("statistics", path, "--annotator", "Ben", "--json")
    assert json.loads(out)["links"][0]["links"] == 1
    code, out, _ = run("statistics", path)
    assert code == 0 and "analysed: 0 complete" in out


def test_what_is_not_there_is_said(path: Path) -> None:
    assert "no annotator" in run("statistics", path, "--annotator", "Zoe")[2]
    assert "no compared paper" in run("statistics", path, "--paper", "Another")[2]


def test_generated_and_real_edits_beside_tables_5_and_6(path: Path) -> None:
    code, out, _ = run("reproduce", "edit-generation", "--data", path, "--json")
    document = json.loads(out)
    rows = {(row["table"], row["row"]): row for row in document["rows"]}
    assert code == 0 and document["complete"] == 0
    assert rows["5", "generated"]["published"] == {"answerable": 0.31, "not_answerable": 0.19, "all": 0.25}
    assert rows["6", "technical"]["published"] == {"real": 0.53, "generated": 0.38}
    assert rows["6", "compliance"]["generated"] is None and rows["6", "compliance"]["judged"] == 0
    code, out, _ = run("reproduce", "edit-generation", "--data", path)
    assert code == 0 and "Table 6: properties of both edits; 0 analyses" in out and "– (2.6)" in out
