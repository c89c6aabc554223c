"""Reviews and letters: their comments, the authors' responses, and the positions of both in the text."""
