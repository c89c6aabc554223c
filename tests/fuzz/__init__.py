"""One fuzz harness over everything that reads foreign files; see ``harness`` for how it judges."""
