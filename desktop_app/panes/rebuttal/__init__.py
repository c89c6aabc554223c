"""The Rebuttal pane: reviews on the left, the current response in the middle, the response matrix on the right."""
