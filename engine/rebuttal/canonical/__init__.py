"""Canonical rebuttals: how good a candidate is, what a cluster of reviews is about, and an answer to a review.

The tasks of Purkayastha, Lauscher and Gurevych (2023), section 5, each with its strategies.
"""
