"""Speed, memory and quality on this machine; ``make bench`` runs them all and writes bench.json."""
