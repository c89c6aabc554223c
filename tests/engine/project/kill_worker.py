"""Writes acts as fast as it can and prints, after each commit, how many it made. Killed from outside."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.papers.store import PaperStore
from engine.project import Project


def main(path: Path, acts: int) -> None:
    """Adds papers until ``acts`` are there; each line is the count of acts known to be committed."""
    with Project.open(path) as project:
        store = PaperStore(project)
        done = len(store.papers())
        print(f"open {done}", flush=True)
        while done < acts:
            store.add_paper(f"paper {done}")
            done += 1
            print(done, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
