"""A clock that goes backwards or jumps: typing, order and backups follow what happened, not the clock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

CLOCK = """
import datetime, sys, time
from pathlib import Path

wall, ticks = 1_800_000_000.0, 1_000.0  # seconds: what the clock on the wall shows, and what really passed

def passes(seconds, clock=None):
    global wall, ticks
    ticks += seconds
    wall += seconds if clock is None else clock

class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(wall, tz)
    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(wall, datetime.UTC).replace(tzinfo=None)

datetime.datetime = Clock
time.time, time.time_ns = (lambda: wall), (lambda: int(wall * 1e9))
time.monotonic, time.monotonic_ns = (lambda: ticks), (lambda: int(ticks * 1e9))

from engine.papers.store import PaperStore
from engine.project import Project, backups, last_good_backup, restore

HOUR, DAY = 3_600, 86_400
path = Path(sys.argv[1])
project = Project.create(path, annotator="First")
store = PaperStore(project)
paper = store.add_paper("first")

def rename_paper(key, title):
    with project.action('Rename paper', coalesce='paper-title:' + key) as act:
        act.update('paper', key, {'title': title})

def typing(*pauses):
    'Types once, and again after each pause (seconds, clock); returns how many steps that made.'
    before = len(project.history())
    rename_paper(paper, "typed")
    for number, (seconds, clock) in enumerate(pauses):
        passes(seconds, clock)
        rename_paper(paper, f"typed {number}")
    found = len(project.history()) - before
    store.add_paper("ends the typing")
    return found
"""

CASES = {
    "typing coalesces for a minute": """
assert typing((1, 1), (30, 30)) == 1 and typing((61, 61)) == 2
""",
    "typing while the clock stands still": """
assert typing(*[(10, 0)] * 5) == 1 and typing((61, 0)) == 2
""",
    "typing while the clock goes back": """
assert typing((61, -DAY)) == 2, 'a pause of a minute ends it'
assert typing(*[(1, -HOUR)] * 5) == 1, 'without a pause it is one step'
""",
    "typing on after the clock went back": """
passes(1, -DAY)
assert typing(*[(600, 600)] * 5) == 6
""",
    "typing while the clock jumps ahead": """
assert typing((1, DAY), (1, DAY)) == 1
""",
    "typing in the next session with the clock behind": """
rename_paper(paper, 'a')
before = len(project.history())
project.close()
passes(DAY, -DAY)
project = Project.open(path, annotator='First')
rename_paper(paper, 'b')
assert len(project.history()) == before + 1
""",
    "history is in the order of the acts": """
for number in range(6):
    passes(1, -HOUR)
    store.add_paper(f'act {number}')
assert [entry.title for entry in reversed(project.history())][1:] == [f'Add paper “act {n}”' for n in range(6)]
project.undo()
assert [p.title for p in store.papers()][-1] == 'act 4'
project.redo()
assert [p.title for p in store.papers()][-1] == 'act 5'
""",
    "the newest backup is the one made last": """
store.add_paper('one')
passes(1, DAY)
project.back_up()
passes(1, -2 * DAY)
store.add_paper('two')
last = project.back_up()
assert backups(path)[0].path == last.path
assert last_good_backup(path).path == last.path
project.close()
restore(path, last_good_backup(path).path)
assert [p.title for p in PaperStore(Project.open(path)).papers()] == ['first', 'one', 'two']
""",
    "two backups at the same time by the clock": """
made = [project.back_up() for _ in range(3)]
assert len({one.path for one in made}) == 3
assert [one.path for one in backups(path)] == [one.path for one in reversed(made)]
""",
    "thinning keeps the five made last when the clock went back": """
passes(1, 400 * DAY)
for _ in range(7):
    passes(1)
    project.back_up()
passes(1, -400 * DAY)
last = []
for _ in range(7):
    passes(1)
    last.append(project.back_up())
assert [one.path for one in backups(path)][:5] == [one.path for one in reversed(last)][:5]
assert len(backups(path)) < 14, 'older ones were thinned'
""",
    "thinning after the clock was wrong for a moment": """
made = []
for _ in range(8):
    passes(2 * HOUR)
    made.append(project.back_up())
passes(1, 20 * 365 * DAY)
made.append(project.back_up())
passes(1, -20 * 365 * DAY)
passes(1)
made.append(project.back_up())
kept = [one.path for one in backups(path)]
assert kept[:5] == [one.path for one in reversed(made)][:5]
""",
    "creation, compaction and merging need no clock that goes on": """
passes(1, -DAY)
project.save_copy(path.with_name('b.rejoinder'))
from engine.project.merge import merge_files
project.close()
with Project.open(path.with_name('b.rejoinder'), annotator='Second') as other:
    passes(1, -DAY)
    PaperStore(other).add_paper('theirs')
    other.compact()
out = path.with_name('out.rejoinder')
merge_files(path, path.with_name('b.rejoinder'), out)
with Project.open(out) as merged:
    assert [p.title for p in PaperStore(merged).papers()] == ['first', 'theirs'] and not merged.check()
""",
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Every case in a process of its own, since the clock must be changed before anything is imported."""
    started: dict[str, subprocess.Popen[str]] = {}
    found: dict[str, tuple[int, str]] = {}
    waiting = list(CASES)
    while waiting or started:
        while waiting and len(started) < (os.cpu_count() or 1):
            name = waiting.pop(0)
            path = tmp_path_factory.mktemp("clock") / "mine.rejoinder"
            command = [sys.executable, "-c", CLOCK + CASES[name], str(path)]
            started[name] = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        name = next(iter(started))
        process = started.pop(name)
        _, problems = process.communicate()
        found[name] = process.returncode, problems
    return found


@pytest.mark.parametrize("case", CASES)
def test_the_clock_decides_nothing(case: str, outcomes: dict[str, tuple[int, str]]) -> None:
    code, problems = outcomes[case]
    assert code == 0, problems
