"""Export formats as plain data, for listing the commands without loading anything else."""

FORMATS = (
    ("csv", "Tables (CSV)…"),
    ("xlsx", "Tables (XLSX)…"),
    ("figures", "Figures (PDF, SVG, PNG)…"),
    ("html", "Report (HTML)…"),
    ("pdf", "Report (PDF)…"),
)
