"""The Linking pane: review comments on the left, both versions in the middle, edits on the right."""
