"""Finds the review sentences that each rebuttal sentence answers, by rules."""
