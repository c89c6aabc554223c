"""Foreign files: number of mutated inputs given to each importer, findings, and time for the worst bomb.

``REJOINDER_FUZZ_SECONDS`` sets the duration (at most an hour; default 50 minutes), ``REJOINDER_FUZZ_SEED`` the inputs.
Findings are written to ``fuzz-findings``, to be fixed and kept in ``tests/fuzz/cases``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tests.fuzz.bombs import BOMBS
from tests.fuzz.harness import ROOT, Reader, run, save
from tests.fuzz.seeds import Files
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

SECONDS = 3000.0
MOST_SEEDS = 20


def _further(target: Target, data: Path | None) -> Iterator[Files]:
    """Yields small files of the measuring data as further valid inputs."""
    if data is not None:
        for pattern in target.data:
            small = (path for path in sorted(data.glob(pattern)) if path.is_file() and path.stat().st_size < 300_000)
            yield from ({path.name: path.read_bytes()} for path in islice(small, MOST_SEEDS))


def figures(data: Path | None) -> dict[str, Any]:
    """Returns inputs and findings by target and in total, and seconds of the slowest bomb."""
    seconds = min(3600.0, float(os.environ.get("REJOINDER_FUZZ_SECONDS", SECONDS)))
    seed = int(os.environ.get("REJOINDER_FUZZ_SEED", "0"))
    found: dict[str, Any] = {}
    slowest, failed = 0.0, 0
    with Reader() as reader:
        for name, (target, make) in BOMBS.items():
            files = make()
            reader.read(target, TARGETS[target].make()[0])  # imports
            started = time.perf_counter()
            words = reader.read(target, files)
            slowest = max(slowest, time.perf_counter() - started)
            if words:
                failed += 1
                print(f"{name}: {words.splitlines()[0]}")
    found["bombs.slowest"] = {"value": slowest, "unit": "s", "better": "lower", "target": 10.0}
    found["bombs.failed"] = {"value": failed, "unit": "bombs", "better": "lower", "target": 0}
    total = causes = 0
    for target in TARGETS.values():
        count, findings = run(target, seconds / len(TARGETS), seed, _further(target, data))
        total, causes = total + count, causes + len(findings)
        found[f"inputs.{target.name}"] = {"value": count, "unit": "inputs", "better": "higher", "target": None}
        for finding in findings:
            print(f"{target.name}: {finding.place}: {save(finding, ROOT / 'fuzz-findings')}")
    found["inputs"] = {"value": total, "unit": "inputs", "better": "higher", "target": None}
    found["findings"] = {"value": causes, "unit": "causes", "better": "lower", "target": 0}
    return found
