"""The views beside the matrix: title, help and synonyms of each."""

VIEWS = {
    "ranking": ("Ranking", "Show the rank of every item with its interval.", ""),
    "decisions": ("Decisions", "Show which decisions at the cut-off are safe.", "accept reject borderline cutoff"),
    "bias": ("Bias", "Show how lenient or strict referees are.", "harsh"),
    "trust": ("Trust", "Show how much the scores of each referee count.", "weight noisy"),
    "residuals": ("Residuals", "Show how far each score is from what the model expects.", "outliers"),
    "raw": ("Raw and calibrated", "Show calibrated scores beside the plain means.", "average"),
    "trace": ("Likelihood", "Show how the fit converged.", ""),
    "attention": ("To check", "List noisy referees, doubtful rows and items whose reviews disagree.", "disagreement"),
    "methods": ("Methods", "Compare every method on these reviews.", ""),
    "scenarios": ("Scenarios", "Show the ranks of all scenarios side by side.", "what if"),
}
