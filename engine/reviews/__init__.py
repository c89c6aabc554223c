"""Reviews and letters: the comments in them, the authors' responses, and where they stand."""
