"""The forms in which a study is exported."""

EXPORTS = {
    "released": (
        "data set in the released layout…",
        "Export evaluations.csv and folders of participants and papers, without those who didn't consent.", "released",
    ),
    "texts": ("data set with full texts…", "Export the same with the full texts in the project.", "texts"),
    "openreview": (
        "data set for OpenReview…", "Export participants' publications as archives and rated papers as submissions.",
        "openreview",
    ),
    "summary": (
        "tables and figures…", "Export Tables 1 and 2 (CSV, LaTeX) and Figures 1a and 1b (PDF, SVG, PNG, CSV).",
        "figures",
    ),
}  # fmt: skip
"""Title and help of each format, and the suffix of its folder's name."""
