"""Losses after 1,000 kills in operations on the project file, and after power cuts replayed from system calls."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from tests.engine.project import kills, power_loss

KILLS = 1_000
CUTS = 200
SEED = 20261121


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns violations by kind; kills come at random times and, where strace is available, at random system calls."""
    if not hasattr(os, "fork"):
        return {}
    strace = shutil.which("strace") is not None
    found = kills.run(KILLS, SEED, calls=0.5 if strace else 0.0)
    verbs = {verb: count for verb, count in found["interrupted"].items() if verb != "between verbs"}
    result = {
        "kills": _figure(found["kills"], "kills", "higher", KILLS),
        "kills_inside_a_verb": _figure(sum(verbs.values()), "kills", "higher", KILLS // 4),
        "verbs_interrupted": _figure(len(verbs), "verbs", "higher", 15),
        "kills_per_second": _figure(found["kills"] / found["seconds"], "1/s", "higher", None),
        "acknowledged_verbs": _figure(found["acknowledged"], "verbs", "higher", None),
        **_violations("kill", found),
    }
    if strace:
        cut = power_loss.run(CUTS, SEED)
        result |= {"power_cuts": _figure(cut["cuts"], "cuts", "higher", CUTS), **_violations("power_cut", cut)}
    return result


def _violations(cause: str, found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {f"{cause}_{kind}": _figure(count, "findings", "lower", 0) for kind, count in found["violations"].items()}


def _figure(value: float, unit: str, better: str, target: float | None) -> dict[str, Any]:
    return {"value": value, "unit": unit, "better": better, "target": target}
