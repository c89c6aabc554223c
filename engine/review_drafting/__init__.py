"""Drafting reviews in which every criticism refers to a place in the paper."""
