"""The user guide as the window shows it: its pages, their sections as HTML, and a search. It is on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    """The pages of the guide in the order of its contents."""
    listed = re.findall(r"\]\((\w[\w-]*\.md)", (DOCS / "guide" / "README.md").read_text(encoding="utf-8"))
    return ("guide/README.md", *dict.fromkeys(f"guide/{name}" for name in listed))


def found(words: str) -> Iterator[Section]:
    """The sections that have all the words: those with them in the title come first, then those with
    the phrase."""
    wanted = words.casefold().split()
    every = [section for page in pages() for section in sections(page)]
    hits = [section for section in every if all(word in section.text.casefold() for word in wanted)]

    def rank(section: Section) -> tuple[bool, bool]:
        phrase = " ".join(wanted) in " ".join(section.text.casefold().split())
        return not all(word in section.title.casefold() for word in wanted), not phrase

    yield from sorted(hits, key=rank)


def html(page: str) -> str:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    made = "".join(f'<a name="{part.anchor}"></a>{reader.render(part.text)}' for part in sections(page))
    # Qt centres headings and lets cells touch.
    return made.replace("<th>", '<th align="left">').replace("<table>", '<table cellpadding="4">')
