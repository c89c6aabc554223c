"""The Review pane: a paper on the left, the venue's form on the right, and evidence that connects them."""
