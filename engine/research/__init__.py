"""Measurement and training: reproductions, trainings, corpora. Used only by the command line, and by the window through
``tasks``."""
