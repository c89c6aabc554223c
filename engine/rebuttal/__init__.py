"""Rebuttals: what to answer, canonical answers, and the rebuttal as an outline that covers every comment."""
