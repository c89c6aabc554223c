"""Runs every benchmark module and writes bench.json: ``{"machine": {...}, "figures": {"<domain>.<name>": {...}}}``.

A module defines ``figures(data_folder) -> {name: {"value", "unit", "better", "target"}}``. Modules run one after the
other in separate processes, so that none warms up another. The exit code is 1 if a figure misses its target or a module
fails.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    "project",
    "survival",
    "documents",
    "edits",
    "reviews",
    "alignment",
    "second_round",
    "calibration",
    "similarity_quality",
    "similarity_scale",
    "survey",
    "survey_pane",
    "laboratory_pane",
    "responsiveness",
    "job_lanes",
    "search",
    "agreement",
    "work_packages",
    "analysis",
    "linking_pane",
    "many_papers",
    "long_use",
    "pane_keys",
    "labels",
    "preferences",
    "rebuttal",
    "rebuttal_tasks",
    "language_models",
    "grounding",
    "statement_states",
    "concealment_rates",
    "review_drafting",
    "review_pane",
    "review_bench",
    "rule_judge",
    "substantiation",
    "startup",
    "mutations",
    "fuzzing",
)

RUN_ONE = """
import importlib, json, os, sys
from pathlib import Path
module = importlib.import_module("tests.benchmarks." + sys.argv[1])
data = Path(sys.argv[2]) if sys.argv[2] else None
with open(sys.argv[3], "w") as out:
    json.dump(module.figures(data), out)
sys.stdout.flush()
"""


def machine() -> dict[str, Any]:
    """Describes the machine that the figures were measured on."""
    import PySide6
    import torch

    return {
        "system": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "python": platform.python_version(),
        "qt": PySide6.__version__,
        "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name(0) if torch.cuda.is_available() else None,
    }


def main(chosen: list[str]) -> int:
    """Runs the chosen modules, or all if none are chosen."""
    sys.path.insert(0, str(ROOT / "tests"))
    from conftest import find_data_folder

    data = find_data_folder()
    if data is None:
        print("The measuring data isn't available; figures that need it are left out.", file=sys.stderr)
    result: dict[str, Any] = {"machine": machine(), "figures": {}}
    failed: list[str] = []
    target = ROOT / "bench.json"
    part = Path(tempfile.mkdtemp()) / "figures.json"
    for name in chosen or MODULES:
        print(f"— {name}", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, "-c", RUN_ONE, name, str(data or ""), str(part)],
            cwd=ROOT,
            check=False,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "HF_HUB_OFFLINE": "1"},
        )
        if done.returncode != 0:
            failed.append(f"{name} ended with {done.returncode}")
            continue
        for figure, entry in json.loads(part.read_text()).items():
            result["figures"][f"{name}.{figure}"] = entry
    shutil.rmtree(part.parent)
    target.write_text(json.dumps(result, indent=1) + "\n")
    for figure, entry in result["figures"].items():
        value, goal = entry["value"], entry.get("target")
        missed = goal is not None and (value > goal if entry["better"] == "lower" else value < goal)
        sign = {"lower": "≤", "higher": "≥"}[entry["better"]]
        goal_text = "" if goal is None else f"   (target {sign} {goal:g}{', MISSED' if missed else ''})"
        print(f"{figure:58} {value:10.4g} {entry['unit']}{goal_text}")
        if missed:
            failed.append(f"{figure} missed its target")
    print(f"\nWritten to {target.name}.")
    for sentence in failed:
        print(sentence, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
