"""Rebuttal tasks on the annotated data sets: the figures of ``rejoinder reproduce rebuttal`` on ``dev``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from engine.cli.main import rejoinder

TASKS = "rebuttal-action,answers,scoring,descriptions,generation"
TARGETS = {
    ("rebuttal-action", "heads", "macro_f1"): 39.0,
    ("rebuttal-stance", "heads", "macro_f1"): 51.0,
    ("answers", "untrained", "map"): 75.0,
    ("answers", "untrained", "mrr"): 83.0,
    ("answers", "trained", "map"): 84.0,
    ("answers", "trained", "mrr"): 88.0,
    ("scoring", "own-text", "pearson"): 52.0,
    ("descriptions", "consensus", "rouge_1"): 47.0,
    ("generation", "constant", "rouge_1"): 21.2,
    ("generation", "consensus", "rouge_1"): 23.5,
}
"""Targets in percent for the kept-back parts; for the constant answer, its result in a first trial."""


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the figures with a target; {} without the data."""
    if data_folder is None or not (data_folder / "jitsupeer").is_dir():
        return {}
    said = CliRunner().invoke(
        rejoinder, ["reproduce", "rebuttal", "--data", str(data_folder), "--tasks", TASKS, "--json"]
    )
    assert said.exit_code == 0, said.output
    found = {}
    for row in json.loads(said.stdout)["rows"]:
        key = (row["task"], row["strategy"], row["metric"])
        if key in TARGETS:
            name = "_".join(key).replace("-", "_")
            value = round(100 * row["value"], 2)
            found[name] = {"value": value, "unit": "%", "better": "higher", "target": TARGETS[key]}
    return found
