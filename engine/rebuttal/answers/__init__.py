"""Which review sentences a rebuttal sentence answers, by rules."""
