"""Statements about passages of the papers in ``styles``, as a reviewer would put them, true and false, by seed.

``statements(folder, seed)`` yields a thousand, half of them false. A true one is a sentence of the paper in other words
(``paraphrases.reworded``), with its place: "Section 3.2 says that ...". A false one is made in the same way and then
changed: another number or name, a comparative turned round, subject and object swapped, a negation; or it is a sentence
of another paper, or invented about a term of the passage. Sentences come from paragraphs of the product's parser whose
words and section are exactly those of the authors' source, without formulas and citations; the place is the parser's.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from engine.documents.records import Paragraph, ParsedDocument
from engine.reviews.sentences import split_sentences
from tests.benchmarks.judge_rates import rates
from tests.benchmarks.paraphrases import CORRUPTIONS, NAME, names_in, reworded, usable

__all__ = ["FALSE_KINDS", "PassageStatement", "passage_statements", "rates", "read_paper", "statements"]

FALSE_KINDS = (*CORRUPTIONS, "other paper", "invented")
_FRAMES = (
    "{place} says that {s}", "{place} states that {s}", "according to {place}, {s}",
    "in {place}, the authors write that {s}",
    "the authors state in {place} that {s}", "as stated in {place}, {s}", "the paper says that {s} ({place})",
    "{place} claims that {s}", "in {place} we read that {s}", "the authors note in {place} that {s}", "{s} ({place})",
    "{place} explains that {s}", "{s}, as {place} says",
)  # fmt: skip
_INVENTED = (
    ("a survey of {n} practitioners confirmed the usefulness of {t}", "practitioner"),
    ("{t} was tested on {n} volunteers", "volunteer"),
    ("the source code for {t} is withheld for commercial reasons", "commercial withheld"),
    ("the annotators reached a kappa of 0.{n} when they labelled {t}", "kappa annotator"),
    ("ethical approval for the work on {t} was granted by the university", "ethic"),
    ("interviews with {n} stakeholders motivated the work on {t}", "stakeholder interview"),
    ("the energy consumption of {t} was {n} kilowatt hours", "kilowatt consumption"),
    ("a Bonferroni correction was applied to all comparisons that involve {t}", "bonferroni"),
    ("missing values of {t} were imputed with the median", "imput"),
    ("the analysis of {t} was preregistered before the data were collected", "preregist pre-regist"),
    ("{t} was discussed with {n} industrial partners", "industrial partner"),
    ("a panel of {n} experts validated {t}", "panel"),
    ("{t} was compared with {n} commercial products", "commercial"),
    ("a workshop with {n} students was held to test {t}", "workshop"),
    ("{t} infringes a patent of a competitor", "patent infring"),
    ("the results for {t} were replicated by an independent laboratory", "replicat laborator"),
    ("the learning rate for {t} was tuned by Bayesian optimisation", "learning bayesian"),
    ("{t} failed in {n} percent of the clinical trials", "clinical trial"),
    ("the questionnaire about {t} was answered by {n} teachers", "questionnaire teacher"),
    ("{t} was run for {n} days on a rented cloud cluster", "cloud rented"),
    ("the authors apologise that {t} could not be blinded", "blinded apolog"),
    ("a licence fee of {n} dollars has to be paid for {t}", "dollar licence"),
    ("the funding agency asked the authors to leave out {t}", "funding agency"),
    ("{t} was translated into {n} languages by professional translators", "translator translated"),
)  # fmt: skip
"""Claims about a term, with word stems that must not occur anywhere in the paper."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph with its usable sentences and its position."""

    paragraph_id: str
    page: int
    section: str
    text: str
    sentences: tuple[str, ...]

    @property
    def place(self) -> str:
        """How a reviewer names the place: "Section 3.2", "the abstract", "the section "Methods""."""
        number, name = _numbered(self.section)
        if name.lower() == "abstract":
            return "the abstract"
        return f"Section {number}" if number else f'the section "{name.rstrip(".:")}"'


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper's usable passages, the text of each section, its names, and its words."""

    name: str
    pdf: Path
    passages: tuple[Passage, ...]
    sections: dict[str, str] = field(hash=False)
    names: tuple[str, ...]
    words: frozenset[str] = field(repr=False)
    plain: frozenset[str] = field(repr=False)
    """Words that the paper has in lower case, and never capitalised within a sentence."""

    @property
    def text(self) -> str:
        return " ".join(self.sections.values()).lower()


@dataclass(frozen=True, slots=True)
class PassageStatement:
    """A statement about a passage. ``section`` is the heading with its number, ``page`` counts from 1, ``paragraph_id``
    is the parser's, ``source`` the sentence it is based on ("" for an invented one)."""

    paper: str
    pdf: Path
    section: str
    page: int
    paragraph_id: str
    text: str
    true: bool
    kind: str
    source: str = ""


Reader = Callable[[Path], ParsedDocument]


def parse(pdf: Path) -> ParsedDocument:
    """Parses a PDF with this program."""
    import pymupdf

    from engine.documents.parsing import parse_document

    return parse_document(pymupdf.open(pdf), pdf.parent.name, lambda _share, _what: None)


def statements(styles_folder: Path, seed: int, count: int = 1000, read: Reader = parse) -> Iterator[PassageStatement]:
    """Yields ``count`` statements, half of them false, about the papers under ``styles_folder``; reproducible by seed.

    ``read`` parses a PDF; pass one that caches results if papers are read repeatedly.
    """
    folders = sorted(path.parent for path in Path(styles_folder).rglob("paper.pdf"))
    papers = [read_paper(folder, read) for folder in folders]
    yield from passage_statements([p for p in papers if p.passages], seed, count)


def read_paper(folder: Path, read: Reader = parse) -> Paper:
    """Reads a paper's passages: sentences that the parser and the authors' source have in the same section."""
    document = read(folder / "paper.pdf")
    whole = " ".join(p.text for p in document.paragraphs)
    truth: dict[str, set[str]] = defaultdict(set)
    with (folder / "paragraphs.jsonl").open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["type"] in ("paragraph", "abstract", "list_item"):
                for sentence in _sentences(record["text"]):
                    truth[_letters(sentence)].add(_letters(record["section"].split(" > ")[-1]))
    body = [p for p in document.paragraphs if p.kind == "body"]
    named = Counter(p.section for p in body)
    return Paper(
        folder.name,
        folder / "paper.pdf",
        tuple(passage for p in body if named[p.section] and (passage := _passage(p, truth))),
        _by_section(body),
        names_in(p.text for p in body),
        frozenset(re.findall(r"[a-z]{5,}", whole.lower())),
        frozenset(re.findall(r"(?<![\w-])[a-z][a-z-]*", whole))
        - {word.lower() for word in re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", whole)},
    )


def passage_statements(papers: Sequence[Paper], seed: int, count: int = 1000) -> Iterator[PassageStatement]:
    """Yields statements about ``papers``, with alternating kinds and papers, using no sentence twice."""
    rng = random.Random(f"{seed} passages")
    used: set[str] = set()
    wanted = {True: count // 2, False: count - count // 2}
    makers: dict[str, Callable[[Paper, Passage, str, random.Random], PassageStatement | None]]
    makers = {kind: partial(_corrupted, kind) for kind in CORRUPTIONS}
    makers |= {"other paper": partial(_from_another, papers), "invented": _invented}
    for truth, number in wanted.items():
        kinds = ["true"] if truth else list(FALSE_KINDS)
        queues = {paper.name: _shuffled(paper, rng) for paper in papers}
        made, turn, idle = 0, 0, 0
        while made < number and kinds:
            for paper in rng.sample(list(papers), len(papers)):
                kind = kinds[turn % len(kinds)]
                statement = _next(queues[paper.name], used, paper, makers.get(kind, _true), rng)
                idle = 0 if statement else idle + 1
                if statement:
                    made, turn = made + 1, turn + 1
                    yield statement
                elif idle >= 2 * len(papers):
                    # No paper yields this kind any more.
                    kinds.remove(kind)
                    idle = 0
                if made == number or not kinds:
                    break


def _next(
    queue: list[tuple[Passage, str]],
    used: set[str],
    paper: Paper,
    maker: Callable[[Paper, Passage, str, random.Random], PassageStatement | None],
    rng: random.Random,
) -> PassageStatement | None:
    """Returns a statement from the first sentence that yields one, and removes it from the queue."""
    for at, (passage, sentence) in enumerate(queue):
        if _letters(sentence) in used:
            continue
        statement = maker(paper, passage, sentence, rng)
        if statement and _letters(statement.source or statement.text) not in used:
            used.update((_letters(sentence), _letters(statement.source or statement.text)))
            del queue[at]
            return statement
    return None


def _shuffled(paper: Paper, rng: random.Random) -> list[tuple[Passage, str]]:
    queue = [(passage, sentence) for passage in paper.passages for sentence in passage.sentences]
    rng.shuffle(queue)
    return queue


def _true(paper: Paper, passage: Passage, sentence: str, rng: random.Random) -> PassageStatement | None:
    said = reworded(sentence, rng)
    return said and _statement(paper, passage, said[0], True, said[1], sentence, rng)


def _corrupted(kind: str, paper: Paper, passage: Passage, sentence: str, rng: random.Random) -> PassageStatement | None:
    said = reworded(sentence, rng)
    changed = said and CORRUPTIONS[kind](said[0], paper.sections[passage.section], paper.names, rng)
    return _statement(paper, passage, changed, False, kind, sentence, rng) if changed else None


def _from_another(
    papers: Sequence[Paper], paper: Paper, passage: Passage, _: str, rng: random.Random
) -> PassageStatement | None:
    """Uses a sentence of a dissimilar paper: at least four of its longer words don't occur in this paper."""
    for other in rng.sample(list(papers), len(papers)):
        if len(other.words & paper.words) > 0.6 * min(len(other.words), len(paper.words)):
            continue
        for _passage, sentence in _shuffled(other, rng)[:20]:
            said = reworded(sentence, rng)
            foreign = set(re.findall(r"[a-z]{5,}", sentence.lower())) - paper.words
            if said and len(foreign) >= 4:
                return _statement(paper, passage, said[0], False, "other paper", sentence, rng)
    return None


def _invented(paper: Paper, passage: Passage, sentence: str, rng: random.Random) -> PassageStatement | None:
    terms = [m[0] for m in NAME.finditer(sentence) if m[0] in paper.names]
    terms += [
        f"the {m[1]}"
        for m in re.finditer(r"\b(?:the|The) ((?:[a-z-]{4,} )?[a-z]{5,}) (?:is|are|was|were|of|and)\b", sentence)
    ]
    terms = [term for term in terms if not term.endswith("s")]
    forms = [form for form, absent in _INVENTED if not any(stem in paper.text for stem in absent.split())]
    if not terms or not forms:
        return None
    said = rng.choice(forms).format(t=rng.choice(terms), n=rng.randint(13, 97))
    return _statement(paper, passage, said, False, "invented", "", rng)


def _statement(
    paper: Paper, passage: Passage, said: str, truth: bool, kind: str, source: str, rng: random.Random
) -> PassageStatement:
    first = said.split(" ", 1)[0]
    if first.istitle() and first.lower() in paper.plain:
        said = said[0].lower() + said[1:]
    text = rng.choice(_FRAMES).format(place=passage.place, s=said)
    text = f"{text[0].upper()}{text[1:]}."
    return PassageStatement(
        paper.name,
        paper.pdf,
        passage.section.split(" > ")[-1],
        passage.page,
        passage.paragraph_id,
        text,
        truth,
        kind,
        source,
    )


# --- passages ---------------------------------------------------------------------------------------------------------


def _passage(paragraph: Paragraph, truth: dict[str, set[str]]) -> Passage | None:
    number, name = _numbered(paragraph.section)
    heading = _letters(name)
    found = [s for s in _sentences(paragraph.text) if usable(s) and heading in truth.get(_letters(s), ())]
    if re.match(r"acknowledg|author|contribut|fund|conflict|compet|data avail|software|notation", name, re.IGNORECASE):
        return None
    if not found or not heading or (not number and len(name.split()) > 9):
        return None
    return Passage(paragraph.id, paragraph.page, paragraph.section, paragraph.text, tuple(found))


def _by_section(paragraphs: Sequence[Paragraph]) -> dict[str, str]:
    sections: dict[str, str] = {}
    for paragraph in paragraphs:
        sections[paragraph.section] = f"{sections.get(paragraph.section, '')} {paragraph.text}"
    return sections


def _numbered(section: str) -> tuple[str, str]:
    """Returns number and name of the innermost heading: "3.2", "Results"."""
    last = section.rsplit(" > ", 1)[-1].strip()
    found = re.fullmatch(r"((?:\d+|[A-Z])(?:\.\d+)*|[IVX]+)(\.?)\s+(.+)", last)
    if found is None or not (found[2] or found[1][0].isdigit() or "." in found[1]):
        return "", last
    # A single letter or Roman numeral may be an appendix, or part of one of several sections.
    return (found[1] if re.search(r"\d", found[1]) else ""), found[3]


def _sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def main() -> None:
    """Prints the statements of one seed for visual inspection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("styles", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for s in statements(given.styles, given.seed):
        print(s.paper, s.paragraph_id, s.kind, s.true, s.text, s.source, sep="\t")


if __name__ == "__main__":
    main()
