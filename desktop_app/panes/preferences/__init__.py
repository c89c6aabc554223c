"""The Preferences pane: judging which of two rebuttals is the better answer, with one key per pair."""
