"""Pairwise preferences between candidate rebuttals: judging, scheduling, ranking, agreement."""
