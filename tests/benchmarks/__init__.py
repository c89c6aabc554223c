"""Speed, memory and quality on this machine; ``make bench`` runs all benchmarks and writes bench.json."""

import engine  # noqa: F401 - before any library: it blocks what could use the network
