"""``rejoinder reproduce all``: one report on small data, resumed, and with parts that cannot be computed."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.cli import reproduce
from engine.cli.main import rejoinder
from engine.research.report import PARTS, Outcome, Part, render
from tests.engine.cli import test_alignment_commands, test_reproduce_similarity_command
from tests.engine.expertise.word_embedder import WordEmbedder
from tests.engine.rebuttal.invented_dialogues import write_data

similarity_data = test_reproduce_similarity_command.data
alignment_data = test_alignment_commands.corpus
QUICK = Part("calibration", "A paper", "Table 1", ("calibration-table-1", "--seeds", "1"))
SCORING = replace(next(part for part in PARTS if part.name == "rebuttal-scoring"), reads=("jitsupeer",))


def run(data: Path, out: Path) -> Result:
    return CliRunner().invoke(rejoinder, ["reproduce", "all", "--data", str(data), "--out", str(out), "--json"])


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data for two parts; calls are made in this process, where encoders can be small."""
    monkeypatch.setattr(reproduce, "PARTS", (QUICK, SCORING))
    return write_data(tmp_path / "data")


def _called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the parts that are computed from now on, each in a process of its own, once."""
    called: list[str] = []
    computed = cache(reproduce._computed)

    def watched(part: Part, data: Path) -> Any:
        called.append(part.name)
        return computed(part, data)

    monkeypatch.setattr(reproduce, "_computed", watched)
    return called


def test_the_report_has_ours_beside_the_published_and_is_resumed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called, out = _called(monkeypatch), tmp_path / "out"
    first = run(data, out)
    assert first.exit_code == 0, first.output
    assert called == ["calibration", "rebuttal-scoring"]
    page = html.unescape((out / "report.html").read_text(encoding="utf-8"))
    table = json.loads((out / "calibration.json").read_text(encoding="utf-8"))["document"]["rows"]
    ours = next(row for row in table if row["strategy"] == "d" and row["generator"] == "none")
    assert f"<td>{ours['mean']:.1f} ± 0.0</td><td>82.9</td>" in page
    for words in ("published: BERT_ds_neg", "39.2", "rejoinder reproduce calibration-table-1 --seeds 1", "data:image"):
        assert words in page
    assert str(tmp_path) not in page and "http" not in page.replace("http://www.w3.org", "")

    again = run(data, out)
    states = {row["part"]: row["state"] for row in json.loads(again.stdout)["parts"]}
    assert again.exit_code == 0 and len(called) == 2 and set(states.values()) == {"kept"}

    (out / "calibration.json").write_text("{", encoding="utf-8")  # a file that cannot be read is computed again
    assert run(data, out).exit_code == 0 and called[2:] == ["calibration"]


def test_a_result_belongs_to_its_data_and_version(data: Path) -> None:
    scoring = data / "jitsupeer" / "scoring_train.csv"
    before = SCORING.state(data, "1.0")
    assert SCORING.state(data, "1.0") == before != SCORING.state(data, "1.1")
    scoring.write_text(scoring.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert SCORING.state(data, "1.0") != before


def test_a_part_that_fails_is_named_and_the_others_are_there(data: Path, tmp_path: Path) -> None:
    for file in (data / "jitsupeer").iterdir():
        file.unlink()
    result = run(data, tmp_path / "out")
    problems = {row["part"]: row["problem"] for row in json.loads(result.stdout)["parts"]}
    assert result.exit_code == 1 and not problems["calibration"]
    said = problems["rebuttal-scoring"]
    assert (
        said.startswith("the command ended with exit 2. Its last output: ")
        and "DIR/jitsupeer/scoring_train.csv" in said
    )
    assert str(tmp_path) not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    (data / "jitsupeer").rmdir()
    result = run(data, tmp_path / "out")
    problems = {row["part"]: row["problem"] for row in json.loads(result.stdout)["parts"]}
    assert result.exit_code == 1 and problems["rebuttal-scoring"] == "the data folder has no jitsupeer."
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Not computed: the data folder has no jitsupeer." in page and "118.6" in page


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    result = run(tmp_path / "none", tmp_path / "out")
    assert "does not exist" in str(result.exception) and not (tmp_path / "out").exists()


def test_tables_of_similarity_and_alignment(
    similarity_data: Path, alignment_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {part.name: part for part in PARTS}
    arguments = ["--algorithms", "tpms,trivial", "--lengths", "--samples", "20"]
    monkeypatch.setattr("engine.models.load_encoder", lambda *_, **__: WordEmbedder())
    monkeypatch.setattr("engine.expertise.evaluation.FEWEST", 2)
    found = []
    for name, where, more in (("similarity", similarity_data, arguments), ("alignment", alignment_data, [])):
        call = ["reproduce", name, "--data", str(where), *more, "--json"]
        result = CliRunner().invoke(rejoinder, call)
        assert result.exit_code == 0, result.output
        found.append(Outcome(parts[name], json.loads(result.stdout), 1.0))
    page = html.unescape(render(found, {"Python": "3.11"}, "2026-01-01").decode())
    rows = [row for row in found[0].document["rows"] if row["algorithm"] == "tpms"]  # type: ignore[index]
    assert f"<td>{rows[0]['loss']:.3f}</td>" in page, "no interval where all samples give the same"
    loss = next(row for row in rows if row["loss_low"] is not None)
    assert f"<td>{loss['loss']:.3f} [{loss['loss_low']:.3f}, {loss['loss_high']:.3f}]</td>" in page
    assert "0.280 [0.230, 0.330]" in page, "what the paper prints of TPMS in table 3"
    assert "Figure 2: loss by length of the profile" in page and "<th>20</th>" in page
    bm25 = next(row for row in found[1].document["rows"] if row["strategy"] == "bm25")  # type: ignore[index]
    f1 = f"{100 * bm25['f1']:.1f} [{100 * bm25['f1_low']:.1f}, {100 * bm25['f1_high']:.1f}]"
    assert f"<td>{f1}</td>" in page and "<td>11.3 [6.7, 17.1]</td>" in page, "F1 beside table 2 of ARIES"


def test_every_part_is_a_call_that_exists() -> None:
    commands = rejoinder.get_command(None, "reproduce").commands  # type: ignore[union-attr, arg-type]
    for part in PARTS:
        command = commands[part.arguments[0]]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in part.call("DIR") if word.startswith("--")} <= known
