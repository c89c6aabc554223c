"""Similarity algorithms, all available through one registry."""
