"""Preferences: which of two rebuttals is the better answer, one key a pair."""
