"""Agreement between annotators: coefficients with intervals, comments they marked, and adjudication."""
