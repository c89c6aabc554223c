"""What measures and trains: reproductions, training, corpora; only the command line and ``tasks`` lead in here."""
