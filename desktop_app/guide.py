"""The user guide as the window shows it: its pages, their sections as HTML, and a search. It is on this machine."""

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path


def docs_in(root: Path) -> Path:
    """Where the documentation is: in the resources of an installed program, else beside the source."""
    packed = root / "resources" / "docs"
    return packed if packed.is_dir() else root / "docs"


DOCS = docs_in(Path(__file__).resolve().parent.parent)
_PAGES = {"home": "start", "history": "projects", "settings": "start", "participant": "answering"}
"""The pages of panes that have none of their own name."""
_HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
_LINK = re.compile(r"^(?P<page>[^#:]*\.md)?(?:#(?P<section>.*))?$")
_WORD = re.compile(
    r"\b(?!(?:a|an|and|any|are|as|at|be|by|can|could|did|do|does|for|from|get|has|have|how|i|if|in|into|is|it|its|me|my|not|"
    r"of|on|one|or|so|that|the|their|there|this|to|was|we|what|when|where|which|who|why|will|with|you|your)\b)\w[\w+]*"
)
"""What a question may be about."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page below one heading. ``page`` is the file below docs/, ``anchor`` what links name it by."""

    page: str
    anchor: str
    title: str
    text: str


def page_of(topic: str) -> str:
    page = f"guide/{_PAGES.get(topic, topic)}.md"
    return page if (DOCS / page).is_file() else "guide/README.md"


def linked(page: str, address: str) -> tuple[str, str]:
    """The page and section that a link on a page leads to; an empty page for what is not part of the guide."""
    found = _LINK.match(address)
    if found is None:
        return "", ""
    target = (DOCS / page).parent.joinpath(found["page"]).resolve() if found["page"] else DOCS.resolve() / page
    inside = target.is_relative_to(DOCS.resolve()) and target.is_file()
    return (target.relative_to(DOCS.resolve()).as_posix() if inside else "", found["section"] or "")


@cache
def sections(page: str) -> tuple[Section, ...]:
    """The parts of a page, from heading to heading; the first has the page's title."""
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
    return [_stem(word) for word in _WORD.findall(text.casefold())]


@cache
def _counted() -> tuple[tuple[Section, Counter[str], list[str]], ...]:
    every = [(part, sections(page)[0].title) for page in pages() for part in sections(page)]
    return tuple((one, Counter(_stems(one.text)), _stems(f"{one.title} {of}")) for one, of in every)


def found(words: str) -> list[Section]:
    """The sections about a question, the best first: by BM25 (Robertson & Zaragoza 2009), and by titles as much. Summed
    up here, since the library that ``engine.papers.retrieval`` uses takes a tenth of a second to load."""
    asked, every = _stems(words), _counted()
    mean = sum(counts.total() for _, counts, _ in every) / len(every)
    scores = [0.0] * len(every)
    for word in dict.fromkeys(asked):
        hits = [counts[word] for _, counts, _ in every]
        if word is asked[-1] and not any(hits):  # it is still being typed
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
    # Qt centres headings and lets cells touch.
    return made.replace("<th>", '<th align="left">').replace("<table>", '<table cellpadding="4">')
