"""The review pane: a paper on the left, the venue's form on the right, and evidence that ties one to the other."""
