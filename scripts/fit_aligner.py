"""Fits the heads of the fused aligner on annotated revisions and writes them, with their card, into the resources.

``python scripts/fit_aligner.py DIR`` where DIR is what ``rejoinder reproduce alignment --data`` reads.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine.models import load_encoder
from engine.research.alignment.corpus import read_papers
from engine.research.alignment.evaluation import fit_heads, gather, leave_one_out, measure
from engine.revision.aligners.head import RIDGE

TARGET = Path(__file__).resolve().parents[1] / "resources" / "aligners" / "fused.json"


def main() -> None:
    """Fits, judges by leaving one paper out, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    papers = read_papers(parser.parse_args().data)
    encoder = load_encoder(leave_free=0)
    gathered = [gather(paper, encoder) for paper in papers]
    heads = fit_heads(gathered)
    judged = {
        name: measure(leave_one_out(gathered, use_responses=use))
        for name, use in (("without_responses", False), ("with_responses", True))
    }
    card = {
        "what": "Logistic weights of the aligner 'fused': evidence of engine/revision/aligners/evidence.py, per unit.",
        "trained_on": "Three open manuscripts with reviews, replies and linked edits, CC BY 4.0 (Manubot: "
        "deep-review, iscb-diversity, rephetio); no text of them is in this file.",
        "licence": "CC BY 4.0",
        "encoder": encoder.fingerprint,
        "comments": sum(len(paper.queries) for paper in papers),
        "links": int(sum(paper.gold.sum() for paper in papers)),
        "ridge": RIDGE,
        "leave_one_paper_out": {
            name: {
                "micro_f1": round(100 * found.f1, 1),
                "micro_f1_95": [round(100 * end, 1) for end in (found.f1_low, found.f1_high)],
                "recall_at_5": round(100 * found.recall_at_5, 1),
            }
            for name, found in judged.items()
        },
        "limits": "82 comments of three papers, biomedical; the choice of evidence has seen all three.",
    }
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps({"card": card, "heads": heads.to_json()}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(card["leave_one_paper_out"]))


if __name__ == "__main__":
    main()
