"""Phrases that read like a translation stay out of texts on screen, docstrings, comments and documentation."""

from __future__ import annotations

import ast
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
FOREIGN = re.compile(
    r"\b(?:is|are|was|were) (?:here|there) already\b|\bof (?:its|their) own accord\b|\bin the place of\b|\bby hand\b"
    r"|\bmay be given several times\b|\bdivided by commas\b|\bexit (?:code )?1 where\b|\bnobody answers\b|\bbroke off\b"
    r"|\bnot as it was written\b|\bfor reading only\b|\bmake room\b|\bcode of its own\b|\btake(?:s|n)? back\b"
    r"|\btaken over from\b|\bit is not clear what to\b|\bthe ones? that ships?\b|\bcan only be read\b"
    r"|(?<!there )\bis no (?!longer\b)|\bholds (?:no|several|only)\b|\bNothing was (?:made|drawn|taken over)\b"
    r"|\bin place of\b|\b(?:held|holds?) against\b|\bgo(?:es)? on (?:where|with)\b"
    r"|\bnothing (?:speaks|points) (?:of|to|at)\b|\bmade papers?\b|\bsaid to be\b"
    r"|\bstood (?:left|right|there|around|before)\b|\bexits? (?:with )?[12] (?:if|where|while)\b"
    r"|\ban own\b|\bresponses? give away\b|\b(?:heads|weights|library|templates) that ships?\b|\bless the default\b"
    r"|\bweights absent\b|\b(?:is|are) not here\b|\bour reading\b|\bbeside (?:ours|yours|the (?:published|printed))\b"
    r"|\b(?:was|were) taken out\b|\btaken in again\b|\basks for (?:something|nothing)\b|\bcan(?:'t|not) be had\b"
    r"|\b(?:one|a) (?:row|line|file|folder|question|value|mark|text)"
    r" an? (?:paper|review|post|root|letter|dimension|comment)\b",
    re.IGNORECASE,
)
"""What also reads like a translation; looked for where people read: texts on screen, help, errors and pages."""
STORED = {"by hand", "saved by hand"}
"""Values in project files and exported tables, which stay as they are."""
PYTHON = ("engine", "desktop_app", "scripts")
TEXTS = {".md", ".toml", ".html", ".j2", ".jinja", ".txt"}
DATA = ("resources/sample/", "resources/expertise/", "resources/edit_frames.toml")
"""Texts of others and material: not our words."""
ALLOWED: dict[str, int] = {"engine/review_drafting": 1, "resources": 1}  # patterns that look for the words in papers
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


def shown_texts(source: str) -> Iterator[tuple[int, str]]:
    """Strings of Python code that aren't docstrings, by line; the fixed parts of f-strings are joined."""
    nodes = [*ast.walk(ast.parse(source))]
    docstrings = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
    parts = {id(v) for n in nodes if isinstance(n, ast.JoinedStr) for v in n.values}
    for node in nodes:
        if id(node) in docstrings or id(node) in parts:
            continue
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(v.value) if isinstance(v, ast.Constant) else "…" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def foreign(path: Path, root: Path = ROOT) -> list[str]:
    """The places of foreign phrases in what a person reads."""
    text = path.read_text(encoding="utf-8")
    texts = shown_texts(text) if path.suffix == ".py" else [(0, " ".join(text.split()))]
    place = path.relative_to(root).as_posix()
    read = ((line, words) for line, words in texts if words not in STORED)
    return [f"{place}:{line}: {match[0]}" for line, words in read for match in FOREIGN.finditer(words)]


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


def test_what_is_shown_does_not_read_like_a_translation() -> None:
    python = [file for folder in ("engine", "desktop_app") for file in (ROOT / folder).rglob("*.py")]
    pages = [page for page in (*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")) if page.name != "bundle.md"]
    assert [hit for file in [*python, *pages] for hit in foreign(file)] == []


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('x = f"{name} is no JSON."', 1),
        ('x = "The file is no longer there; there is no other."', 0),
        ('x = "Opened for "\n"reading only"\n', 0),
        ('x = ("Opened for "\n"reading only. Make room.")\n', 2),
        ('"""Written by hand."""\nx = "It is there already."', 1),
        ('x = "The weights that ship are held against " "one row a paper."', 3),
        ('x = "Exit code 1 if a file a user chose is not found; the paper says otherwise."', 0),
    ],
)
def test_the_check_reads_what_is_shown(tmp_path: Path, source: str, count: int) -> None:
    file = tmp_path / "code.py"
    file.write_text(source, encoding="utf-8")
    assert len(foreign(file, tmp_path)) == count


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
