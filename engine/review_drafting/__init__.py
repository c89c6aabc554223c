"""Drafting reviews whose every criticism points at a place in the paper."""
