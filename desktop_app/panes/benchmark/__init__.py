"""ReviewBench: sources of reviews side by side on the same papers, scored by rubrics."""
