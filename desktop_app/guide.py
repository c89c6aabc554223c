"""The user guide for the window: pages, their sections as HTML, and search. All files are local."""

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.text_search import folded


def docs_in(root: Path) -> Path:
    """Returns the documentation folder: in the resources of an installed program, otherwise next to the source."""
    packed = root / "resources" / "docs"
    return packed if packed.is_dir() else root / "docs"


DOCS = docs_in(Path(__file__).resolve().parent.parent)
_PAGES = {"home": "start", "history": "projects", "settings": "start", "participant": "answering"}
"""Guide pages of panes whose page has a different name."""
_HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
_LINK = re.compile(r"^(?P<page>[^#:]*\.md)?(?:#(?P<section>.*))?$")
_WORD = re.compile(
    r"\b(?!(?:a|an|and|any|are|as|at|be|by|can|could|did|do|does|for|from|get|has|have|how|i|if|in|into|is|it|its|me|my|not|"
    r"of|on|one|or|so|that|the|their|there|this|to|was|we|what|when|where|which|who|why|will|with|you|your)\b)\w[\w+]*"
)
"""Matches words that can be searched for, i.e. all except stop words."""


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a page under one heading. ``page`` is the file below docs/, ``anchor`` the name that links use."""

    page: str
    anchor: str
    title: str
    text: str


def page_of(topic: str) -> str:
    page = f"guide/{_PAGES.get(topic, topic)}.md"
    return page if (DOCS / page).is_file() else "guide/README.md"


def linked(page: str, address: str) -> tuple[str, str]:
    """Returns page and section that a link on a page leads to; an empty page if it isn't part of the guide."""
    found = _LINK.match(address)
    if found is None:
        return "", ""
    target = (DOCS / page).parent.joinpath(found["page"]).resolve() if found["page"] else DOCS.resolve() / page
    inside = target.is_relative_to(DOCS.resolve()) and target.is_file()
    return (target.relative_to(DOCS.resolve()).as_posix() if inside else "", found["section"] or "")


@cache
def sections(page: str) -> tuple[Section, ...]:
    """Returns the sections of a page, split at headings; the first one has the page's title."""
    text = (DOCS / page).read_text(encoding="utf-8")
    starts = [found.start() for found in _HEADING.finditer(text) if not text.count("\n```", 0, found.start()) % 2]
    parts = (text[at:end].strip() for at, end in zip(starts, [*starts[1:], len(text)], strict=True))
    return tuple(_section(page, part) for part in parts)


def _section(page: str, text: str) -> Section:
    title = re.sub(r"[`*]", "", text.partition("\n")[0].lstrip("# "))
    return Section(page, re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-"), title, text)


@cache
def pages() -> tuple[str, ...]:
    listed = re.findall(r"\]\((\w[\w-]*\.md)", (DOCS / "guide" / "README.md").read_text(encoding="utf-8"))
    return ("guide/README.md", *dict.fromkeys(f"guide/{name}" for name in listed))


@cache
def _stem(word: str) -> str:
    from Stemmer import Stemmer

    return str(Stemmer("english").stemWord(word))


def _stems(text: str) -> list[str]:
    words = folded(text)
    joined = (word.replace("-", "") for word in re.findall(r"\w+(?:-\w+)+", words))  # "cut-off" is more than "cut"
    return [_stem(word) for word in (*_WORD.findall(words), *joined)]


@cache
def _counted() -> tuple[tuple[Section, Counter[str], list[str]], ...]:
    every = [(part, sections(page)[0].title) for page in pages() for part in sections(page)]
    return tuple((one, Counter(_stems(one.text)), _stems(f"{one.title} {of}")) for one, of in every)


def found(words: str) -> list[Section]:
    """Returns the sections that match a query, best first, by BM25 (Robertson & Zaragoza 2009) plus matches in titles.
    Implemented here because the library that ``engine.papers.retrieval`` uses takes a tenth of a second to load."""
    asked, every = _stems(words), _counted()
    mean = sum(counts.total() for _, counts, _ in every) / len(every)
    scores = [0.0] * len(every)
    for word in dict.fromkeys(asked):
        hits = [counts[word] for _, counts, _ in every]
        if word is asked[-1] and not any(hits):  # the last word may be incomplete
            hits = [sum(n for one, n in counts.items() if one.startswith(word)) for _, counts, _ in every]
        rare = math.log(1 + len(every) / (0.5 + sum(map(bool, hits))))
        for at, (number, (_, counts, title)) in enumerate(zip(hits, every, strict=True)):
            scores[at] += rare * (number / (number + 0.3 + 0.9 * counts.total() / mean) + (word in title))
    order = sorted((at for at in range(len(every)) if scores[at] > max(scores) / 3), key=lambda at: -scores[at])
    return [every[at][0] for at in order]


def html(page: str) -> str:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    made = "".join(f'<a name="{part.anchor}"></a>{reader.render(part.text)}' for part in sections(page))
    # By default Qt centres table headings, adds no padding to cells and doesn't wrap code.
    made = made.replace("<pre>", '<pre style="white-space: pre-wrap">')
    return made.replace("<th>", '<th align="left">').replace("<table>", '<table cellpadding="4">')
