"""Rebuttals: what to answer, canonical answers, and the rebuttal as an outline in which no point is missed."""
