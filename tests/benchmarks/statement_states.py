"""Evaluates the judge of statements on generated statements about passages of real papers, true and false.

``python -m tests.benchmarks.statement_states STYLES [--seed N]`` prints the shares by kind and the worst papers.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Any

from engine.documents.places import Places
from engine.documents.records import ParsedDocument
from engine.statements.judge import judge
from tests.benchmarks.judge_rates import Rates, rates
from tests.benchmarks.passage_statements import PassageStatement, parse, statements

SEED = 1


def measured(styles: Path, seed: int) -> Rates:
    """Returns the verdicts on a thousand statements of a seed."""
    parsed = cache(parse)
    places: dict[str, Places] = {}

    def read(pdf: Path) -> ParsedDocument:
        document = parsed(pdf)
        places[pdf.parent.name] = Places(document)
        return document

    def verdict(statement: PassageStatement) -> str:
        return judge(statement.text, places[statement.paper]).verdict

    return rates(verdict, statements(styles, seed, read=read))


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns shares of true and false statements judged supported; {} without the data."""
    if data_folder is None:
        return {}
    found = measured(data_folder / "styles", SEED).by_truth
    return {
        "true_supported": _figure(100 * found[True].share("supported"), "higher", 40),
        "false_supported": _figure(100 * found[False].share("supported"), "lower", 3),
    }


def _figure(value: float, better: str, target: float) -> dict[str, Any]:
    return {"value": round(value, 2), "unit": "%", "better": better, "target": target}


def main() -> None:
    """Prints the shares of one seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("styles", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    print("\n".join(measured(given.styles, given.seed).lines()))


if __name__ == "__main__":
    main()
