"""Fits the heads of the fused aligner on annotated revisions and writes them, with their card, into the resources.

``python -m scripts.fit_aligner DIR`` where DIR holds ``revisions`` and ``links`` (tests.benchmarks.annotated_papers).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine.models import load_encoder
from engine.research.alignment.evaluation import fit_heads, gather, leave_one_out, measure
from engine.revision.aligners.head import RIDGE
from tests.benchmarks.annotated_papers import annotated_papers

TARGET = Path(__file__).resolve().parents[1] / "resources" / "aligners" / "fused.json"


def main() -> None:
    """Fits, judges by leaving one paper out, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    papers = annotated_papers(parser.parse_args().data)
    encoder = load_encoder(leave_free=0)
    gathered = [gather(paper, encoder) for paper in papers]
    heads = fit_heads(gathered)
    judged = {
        name: measure(leave_one_out(gathered, use_responses=use))
        for name, use in (("without_responses", False), ("with_responses", True))
    }
    card = {
        "what": "Logistic weights of the aligner 'fused': evidence of engine/revision/aligners/evidence.py, per unit.",
        "trained_on": "Twelve revised papers with reviews, responses and linked edits: three open manuscripts under "
        "CC BY 4.0 (Manubot: deep-review, iscb-diversity, rephetio) and nine public repositories, most of which "
        "state no licence (bempp, centc, cloud-repro, metric-learn, nymphalidae, qss, rigid-nvt, serial, zoon). "
        "No text of them is in this file: it holds a few dozen numbers, checked by leaving whole papers out. "
        "The links were made by language-model readers, not by people.",
        "licence": "that of the program; the numbers are parameters, not an excerpt of the papers",
        "encoder": encoder.fingerprint,
        "comments": sum(len(paper.queries) for paper in papers),
        "links": int(sum(paper.gold.sum() for paper in papers)),
        "ridge": RIDGE,
        "leave_one_paper_out": {
            name: {
                "micro_f1": round(100 * found.f1, 1),
                "micro_f1_95_over_papers": [
                    round(100 * end, 1) for end in (found.f1_low_over_papers, found.f1_high_over_papers)
                ],
                "recall_at_5": round(100 * found.recall_at_5, 1),
            }
            for name, found in judged.items()
        },
        "limits": f"{len(papers)} papers; the choice of evidence has seen all of them.",
    }
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps({"card": card, "heads": heads.to_json()}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(card["leave_one_paper_out"]))


if __name__ == "__main__":
    main()
