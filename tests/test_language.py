"""Phrases that read like a translation stay out of texts on screen, docstrings, comments and documentation."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BANNED = re.compile(
    r"\bat hand\b|\banew\b|\bwhoever\b|\bmend(?:s|ed|ing)?\b|\bto hand\b(?! (?:in|out|over)\b)"
    r"|\bthat asks\b(?! for\b)|\bits doubt\b|\bgives? (?:\w+ ){0,3}free\b|\b(?:takes|lets) (?:\w+ ){0,3}out\b"
    r"|\bbefore anything leaves\b|(?<!\ball )(?<!\bunless )\btold\b(?! apart\b)|\berrands?\b"
    r"|\bstands\b(?! (?:for|out|in for|alone|on its own)\b)",
    re.IGNORECASE,
)
"""Ordinary uses are left alone: told apart, to hand over, stands for. “So” for “like this” needs a reader."""
PYTHON = ("engine", "desktop_app", "scripts")
TEXTS = {".md", ".toml", ".html", ".j2", ".jinja", ".txt"}
DATA = ("resources/sample/", "resources/expertise/", "resources/edit_frames.toml")
"""Texts of others and material: not our words."""
ALLOWED: dict[str, int] = {"engine/review_drafting": 1}  # a pattern that looks for the word in papers
"""Hits by room; a room that is not named has none."""


def words_of(source: str) -> Iterator[tuple[int, str]]:
    """Strings (docstrings and the fixed parts of f-strings included) and comments of Python code, by line."""
    wanted = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in wanted:
            for offset, line in enumerate(token.string.split("\n")):
                yield token.start[0] + offset, line


def hits(path: Path, root: Path = ROOT) -> list[str]:
    """The places of banned phrases in a file, also where a phrase goes over the end of a line."""
    text = path.read_text(encoding="utf-8")
    lines = list(words_of(text)) if path.suffix == ".py" else list(enumerate(text.split("\n"), 1))
    place = path.relative_to(root).as_posix()
    found = {}
    joined, starts = "", []
    for number, line in lines:
        starts.append((len(joined), number))
        joined += re.sub(r"^\s*#?\s*", "", line) + "\n"
    for match in BANNED.finditer(joined.replace("\n", " ")):
        number = max(line for start, line in starts if start <= match.start())
        found[f"{place}:{number}: {match[0].strip()}"] = None
    return list(found)


def files() -> list[Path]:
    """Everything that is checked."""
    python = [file for folder in PYTHON for file in (ROOT / folder).rglob("*.py")]
    texts = [
        file
        for folder in ("resources", "docs", "packaging")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in TEXTS
    ]
    # docs/bundle.md repeats the comments of released migrations, which stay as they are.
    checked = [*python, *(file for file in texts if file.name != "bundle.md"), *ROOT.glob("*.md")]
    return sorted(f for f in checked if not f.relative_to(ROOT).as_posix().startswith(DATA))


def room(place: str) -> str:
    """The package that a file belongs to: ``engine/jobs``, ``desktop_app/panes``, ``docs``."""
    parts = place.split("/")
    return "/".join(parts[:2]) if parts[0] in {"engine", "desktop_app"} and len(parts) > 2 else parts[0]


def test_no_banned_phrase_is_used() -> None:
    found = [hit for file in files() for hit in hits(file)]
    rooms = Counter(room(hit.partition(":")[0]) for hit in found)
    over = {name for name, count in rooms.items() if count > ALLOWED.get(name, 0)}
    shown = [hit for hit in found if room(hit.partition(":")[0]) in over]
    assert over == set(), "\n".join(shown)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('"""Take the comment at hand."""', 1),
        ("x = 1  # whoever calls it\n", 1),
        ("x = 1  # the one at\n# hand\n", 1),
        ('x = f"{x} is computed anew"', 1),
        ('x = "at" "hand"\nat_hand = told = 2\n', 0),
        ('"""Names that are told apart; NA stands for no answer; to hand over."""', 0),
        ('"""It stands there, and the error is told."""', 2),
    ],
)
def test_the_check_reads_strings_and_comments(tmp_path: Path, source: str, count: int) -> None:
    file = tmp_path / "code.py"
    file.write_text(source, encoding="utf-8")
    assert len(hits(file, tmp_path)) == count


def test_percents_are_written_in_one_way() -> None:
    """ "48 %", by ``engine.shown.percent``; Python's own format would write "48%"."""
    rooms = (ROOT / "desktop_app", ROOT / "engine")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for room_ in rooms
        for path in room_.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if "research" not in path.parts and re.search(r":[+,]?\.\d%\}", line)
    ]
    assert found == []
