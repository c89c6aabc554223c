"""Fits the heads of the fused aligner on annotated revisions and writes them, with their card, into the resources.

``python -m scripts.fit_aligner DIR`` where DIR holds ``revisions`` and ``links`` (tests.benchmarks.annotated_papers).
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.models import load_encoder
from engine.research.alignment.evaluation import Judged, fit_heads, gather, judged, measure
from engine.revision.aligners.head import RIDGE, Heads
from tests.benchmarks.annotated_papers import annotated_papers

LICENSED = ("deep-review", "iscb-diversity", "rephetio", "cloud-repro")
"""The papers whose licence allows distributing weights trained on them."""
TARGET = Path(__file__).resolve().parents[1] / "resources" / "aligners" / "fused.json"


def main() -> None:
    """Fits on the papers whose licence allows it, evaluates on the others, and writes the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    papers = annotated_papers(parser.parse_args().data)
    encoder = load_encoder(leave_free=0)
    gathered = [gather(paper, encoder) for paper in papers]
    heads = fit_heads([one for one in gathered if one.paper.id in LICENSED])
    others = [one for one in gathered if one.paper.id not in LICENSED]
    card = {
        "what": "Weights of the aligner 'fused': evidence of engine/revision/aligners/evidence.py, per unit.",
        "trained_on": f"Four revised papers with reviews, responses and linked edits, all CC BY: "
        f"{', '.join(LICENSED)}. The links were made by language-model readers, not by people.",
        "licence": "that of the program",
        "encoder": encoder.fingerprint,
        "comments": sum(len(one.paper.queries) for one in gathered if one.paper.id in LICENSED),
        "links": int(sum(one.paper.gold.sum() for one in gathered if one.paper.id in LICENSED)),
        "ridge": RIDGE,
        "on_papers_not_trained_on": {
            name: _figures(judged(heads, others, use_responses=use))
            for name, use in (("without_responses", False), ("with_responses", True))
        },
        "limits": f"{len(others)} such papers ({', '.join(one.paper.id for one in others)}), which state no licence "
        "that allows training. The choice of evidence has seen all papers.",
    }
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps({"card": card, "heads": to_json(heads)}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(card["on_papers_not_trained_on"]))


def to_json(heads: Heads) -> dict[str, Any]:
    """Converts heads to the form that ``heads_from_json`` reads."""
    return {name: {**head, "weights": dict(head["weights"])} for name, head in asdict(heads).items()}


def _figures(found: Sequence[Judged]) -> dict[str, float | list[float]]:
    of = measure(found)
    return {
        "micro_f1": round(100 * of.f1, 1),
        "micro_f1_95_over_papers": [round(100 * end, 1) for end in (of.f1_low_over_papers, of.f1_high_over_papers)],
        "recall_at_5": round(100 * of.recall_at_5, 1),
    }


if __name__ == "__main__":
    main()
