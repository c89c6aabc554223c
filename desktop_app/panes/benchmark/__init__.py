"""The Benchmark pane (ReviewBench): compares sources of reviews on the same papers, scored by rubrics."""
