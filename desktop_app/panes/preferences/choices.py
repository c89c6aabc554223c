"""Views and export formats as plain data, so that commands can be listed without importing anything else."""

JUDGING, CANDIDATES, RANKING, ANNOTATORS = range(4)
"""The views of a cluster."""
EXPORTS = {
    "clusters": (
        "Export clusters…", "Export all clusters with their sentences, candidates and descriptions as CSV.",
        "Judgements and judging settings are left out.",
    ),
    "jitsupeer": (
        "Export a folder as JitsuPeer…",
        "Export clusters, descriptions, canonical rebuttals and PageRanks in the JitsuPeer layout.",
    ),
    "judgements": ("Export judgements…", "Export every judgement you can see as CSV."),
    "crowd-kit": (
        "Export for crowd-kit…", "Export preferences and ties as the two tables that crowd-kit reads.",
        "Times, notes, repetitions, skipped and unsuitable pairs are left out.",
    ),
    "ranking": ("Export tables…", "Export ranking, annotators and kappa as CSV."),
    "figures": ("Export figures…", "Export the ranking with its intervals as PDF, SVG and PNG, and its data as CSV."),
}  # fmt: skip
"""Title and help of each format and, optionally, what its files leave out."""
VIEWS = (
    ("judging", "Judge", "Show the pair to be judged."),
    ("candidates", "Candidates", "Show candidates, review sentences, description and judging settings."),
    ("ranking", "Ranking", "Show the ranking with its intervals."),
    ("annotators", "Annotators", "Show who judged, how well they agree, and where they differ."),
)
"""Key, title and help of each view."""
