"""The review scores of the sample's invented symposium, drawn from the calibration model on a rating scale."""

from engine.calibration.synthetic import Design, draw
from engine.exchange.io import csv_text

ITEMS, REFEREES, PER_ITEM, SEED = 48, 20, 3, 20261121


def scores_csv() -> str:
    """Returns a table of paper, reviewer, rating (1 to 10) and confidence (1 to 5)."""
    import numpy as np

    design = Design(items=ITEMS, referees=REFEREES, per_item=PER_ITEM)
    reviews = draw(design, np.random.default_rng(SEED)).reviews
    steps = np.argsort(np.argsort(reviews.confidence)) * 5 // reviews.confidence.size + 1
    rows = []
    for item, referee, score, confidence in zip(reviews.item, reviews.referee, reviews.score, steps, strict=True):
        rating = int(np.clip(round(5.5 + 0.6 * score), 1, 10))
        rows.append([f"Submission {item + 1:02d}", f"Referee {chr(65 + referee)}", rating, int(confidence)])
    return csv_text(rows, ("paper", "reviewer", "rating", "confidence"))
