"""Labels: every sentence of every review, suggested by heads and decided by a person."""
