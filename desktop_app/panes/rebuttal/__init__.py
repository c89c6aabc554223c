"""The rebuttal pane: reviews at the left, the reply at hand in the middle, the response matrix at the right."""
