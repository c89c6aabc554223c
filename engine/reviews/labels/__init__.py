"""Labels of review sentences: polarity, attitude root, themes, review action, whether and what they request."""
