"""Measurement and training: reproductions, trainings, corpora. Only the command line and ``tasks`` import it."""
