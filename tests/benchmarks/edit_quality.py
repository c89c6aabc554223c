"""How well edits are found: against the edits of the revision corpus, from its paragraphs and from its PDFs.

``python -m tests.benchmarks.edit_quality [--pdf | --cut] [--choose] [--misses]`` prints a table. What is counted:

- F1 of found edits: an edit is found when an edit with exactly its source and target paragraphs is reported. Counted
  are the gold edits of kind added, deleted, major and moved, and the reported edits of these kinds; a reported edit
  that has the paragraphs of a gold minor edit is neither right nor wrong. "with kind" asks for the same kind as well.
- "lenient": the same over pairs of one source and one target paragraph (or one and none).
- Where the gold data says that an added and a deleted paragraph are related, reporting them as a pair is neither right
  nor wrong, and finds both.
- Unchanged: pairs of equal text of which either side stands in any reported edit.
- From PDFs, reported paragraphs are mapped to the gold paragraphs that they cover for the most part, or that cover
  them. What maps to nothing (author lists, furniture) is counted apart.
- "cut": the gold paragraphs with three in ten cut in two on each side, as pages and columns do.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from engine.cli.edits import read_pair
from engine.documents.records import Paragraph, ParagraphKind, ParsedDocument
from engine.revision.edits import SEPARATOR, compare
from engine.revision.matching import Settings
from engine.revision.records import Edit, RevisionDiff
from engine.revision.words import counted_words
from tests.conftest import find_data_folder

COUNTED = ("added", "deleted", "major", "moved")
_KINDS: dict[str, ParagraphKind] = {
    "figure_caption": "caption",
    "table_caption": "caption",
    "table": "table",
    "equation": "equation",
}

Key = tuple[frozenset[str], frozenset[str]]


@dataclass(frozen=True)
class Gold:
    """A manuscript of the revision corpus."""

    name: str
    folder: Path
    source: tuple[Paragraph, ...]
    target: tuple[Paragraph, ...]
    edits: Mapping[Key, str]
    related: frozenset[Key]
    unchanged: tuple[tuple[str, str], ...]


@dataclass
class Counts:
    """Hits and misses, which can be summed over manuscripts."""

    found: int = 0
    gold: int = 0
    right: int = 0
    reported: int = 0
    edited_unchanged: int = 0
    unchanged: int = 0
    outside: int = 0
    by_kind: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    @property
    def recall(self) -> float:
        """Share of the gold edits that are found."""
        return self.found / self.gold if self.gold else 1.0

    @property
    def precision(self) -> float:
        """Share of the reported edits that are right."""
        return self.right / self.reported if self.reported else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def manuscripts(data_folder: Path) -> tuple[Gold, ...]:
    """Returns all manuscripts of the corpus, by name."""
    folders = sorted(path.parent for path in (data_folder / "revisions").glob("*/gold_edits.jsonl"))
    return tuple(_manuscript(folder) for folder in folders)


def _manuscript(folder: Path) -> Gold:
    edits, related = {}, set()
    for edit in lines_of(folder / "gold_edits.jsonl"):
        edits[frozenset(edit["source_ids"]), frozenset(edit["target_ids"])] = edit["kind"]
        for other in edit.get("related_ids") or ():
            for own in edit["source_ids"]:
                related.add((frozenset({own}), frozenset({other})))
            for own in edit["target_ids"]:
                related.add((frozenset({other}), frozenset({own})))
    return Gold(
        folder.name,
        folder,
        tuple(_paragraph(p) for p in lines_of(folder / "source_paragraphs.jsonl")),
        tuple(_paragraph(p) for p in lines_of(folder / "target_paragraphs.jsonl")),
        edits,
        frozenset(related),
        tuple((pair["source_id"], pair["target_id"]) for pair in lines_of(folder / "unchanged_pairs.jsonl")),
    )


def _paragraph(row: dict[str, Any]) -> Paragraph:
    kind = _KINDS.get(row["type"], "body")
    return Paragraph(row["id"], row["idx"], row["section"] or "", kind, row["text"], row["text"], (), 1, ())


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def score(gold: Gold, diff: RevisionDiff, names: Mapping[str, frozenset[str]], *, with_kind: bool = False) -> Counts:
    """Returns one manuscript's counts; ``names`` maps reported paragraph ids to the gold paragraphs they represent."""
    reported: dict[Key, set[str]] = defaultdict(set)
    outside = 0
    for edit in diff.edits:
        key = _named(edit.source_ids, names), _named(edit.target_ids, names)
        if key == (frozenset(), frozenset()):
            outside += 1
        else:
            reported[key].add(edit.kind)

    def agrees(kind: str, kinds: Iterable[str]) -> bool:
        return not with_kind or kind in kinds

    forgiven = {key for key in reported if key in gold.related and key not in gold.edits}
    kin = {name for key in forgiven for side in key for name in side}
    counts = Counts(outside=outside)
    for key, kind in gold.edits.items():
        if kind not in COUNTED:
            counts.by_kind[f"{kind} {'found' if key in reported else 'missed'}"] += 1
        else:
            found = (key in reported and agrees(kind, reported[key])) or (
                kind in ("added", "deleted") and (key[0] | key[1]) <= kin
            )
            counts.gold += 1
            counts.found += found
            counts.by_kind[f"{kind} {'found' if found else 'missed'}"] += 1
            if not found:
                counts.misses.append(f"{gold.name}: missed {kind} {_read(key)}")
    for key, kinds in reported.items():
        if not kinds & set(COUNTED) or key in forgiven or (gold.edits.get(key) == "minor" and not with_kind):
            continue
        right = key in gold.edits and agrees(gold.edits[key], kinds)
        counts.reported += 1
        counts.right += right
        if not right:
            counts.misses.append(f"{gold.name}: reported {'/'.join(sorted(kinds))} {_read(key)}")
    touched = {name for key in reported for side in key for name in side}
    for pair in gold.unchanged:
        edited = bool(touched & set(pair))
        counts.unchanged += 1
        counts.edited_unchanged += edited
        if edited:
            counts.misses.append(f"{gold.name}: unchanged pair {pair[0]} {pair[1]} reported as edited")
    return counts


def by_pairs(gold: Gold, diff: RevisionDiff, names: Mapping[str, frozenset[str]]) -> Counts:
    """Counts like ``score``, over pairs of single paragraphs."""

    def pairs(key: Key) -> set[tuple[str, str]]:
        return {(old, new) for old in key[0] or {""} for new in key[1] or {""}}

    truth = {pair: kind for key, kind in gold.edits.items() for pair in pairs(key)}
    related = {pair for key in gold.related for pair in pairs(key)}
    said: dict[tuple[str, str], set[str]] = defaultdict(set)
    for edit in diff.edits:
        key = _named(edit.source_ids, names), _named(edit.target_ids, names)
        if key != (frozenset(), frozenset()):
            for pair in pairs(key):
                said[pair].add(edit.kind)
    kin = {name for pair in said if pair in related for name in pair}
    counted = {pair for pair, kind in truth.items() if kind in COUNTED}
    claimed = {
        pair
        for pair, kinds in said.items()
        if kinds & set(COUNTED) and pair not in related and truth.get(pair) != "minor"
    }
    found = sum(pair in said or ("" in pair and set(pair) - {""} <= kin) for pair in counted)
    return Counts(found, len(counted), sum(pair in truth for pair in claimed), len(claimed))


def _named(ids: Sequence[str], names: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset(name for i in ids for name in names.get(i, ()))


def _read(key: Key) -> str:
    return f"{'+'.join(sorted(key[0])) or '-'} > {'+'.join(sorted(key[1])) or '-'}"


def same_names(paragraphs: Iterable[Paragraph]) -> dict[str, frozenset[str]]:
    """Returns the names of paragraphs that are the gold paragraphs themselves."""
    return {paragraph.id: frozenset({paragraph.id}) for paragraph in paragraphs}


def counted(text: str) -> list[str]:
    """Returns the words that count as changed, in lower case."""
    return [word.lower() for word in counted_words(text)]


def mapped(
    parsed: Sequence[Paragraph], gold: Sequence[Paragraph], words_of: Callable[[str], Sequence[str]]
) -> dict[str, frozenset[str]]:
    """Returns the gold paragraphs that each parsed one represents: the one it shares most with, then those in its rest.

    Shared are word bigrams, each position of the text used once; it must be half of one of the two.
    """
    grams = [_bigrams(words_of(paragraph.text)) for paragraph in gold]
    where: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, held in enumerate(grams):
        for gram in held:
            where[gram].append(at)
    names = {}
    taken: Counter[int] = Counter()
    for paragraph in parsed:
        rest = _bigrams(words_of(paragraph.text))
        found: set[str] = set()
        while rest:
            shared: Counter[int] = Counter()
            for gram, times in rest.items():
                for at in where.get(gram, ()):
                    shared[at] += min(times, grams[at][gram])
            likely = [
                (count / (rest.total() + grams[at].total()), -taken[at], -at)
                for at, count in shared.items()
                if gold[at].id not in found
                and (count >= 0.5 * grams[at].total() or (count >= 0.5 * rest.total() and not found))
            ]
            if not likely:
                break
            best = -max(likely)[2]
            taken[best] += 1
            found.add(gold[best].id)
            rest -= grams[best]
        names[paragraph.id] = frozenset(found)
    return names


def _bigrams(words: Sequence[str]) -> Counter[tuple[str, str]]:
    return Counter(pairwise(["", *words, ""])) if words else Counter()


@dataclass(frozen=True)
class Result:
    """The results for one manuscript."""

    gold: Gold
    exact: Counts
    kinds: Counts
    lenient: Counts
    seconds: float
    pages: tuple[int, int] = (0, 0)


def from_paragraphs(gold: Gold, settings: Settings | None = None) -> Result:
    """Compares the gold paragraphs themselves."""
    diff = compare(gold.source, gold.target, settings=settings)
    return _result(gold, diff, same_names((*gold.source, *gold.target)), diff.seconds)


def from_cut_paragraphs(gold: Gold, settings: Settings | None = None, *, share: float = 0.3) -> Result:
    """Compares the gold paragraphs after splitting a ``share`` of them on both sides in two at a random word."""
    generator = random.Random(f"{gold.name} {share}")
    names: dict[str, frozenset[str]] = {}
    sides = []
    for side, paragraphs in (("s", gold.source), ("t", gold.target)):
        pieces: list[Paragraph] = []
        for paragraph in paragraphs:
            words = paragraph.text.split()
            borders = [0, len(words)]
            if len(words) > 8 and generator.random() < share:
                borders.insert(1, generator.randrange(3, len(words) - 3))
            for start, end in pairwise(borders):
                piece = replace(paragraph, id=f"{side}{len(pieces)}", text=" ".join(words[start:end]))
                names[piece.id] = frozenset({paragraph.id})
                pieces.append(piece)
        sides.append(pieces)
    diff = compare(*sides, settings=settings)
    return _result(gold, diff, names, diff.seconds)


def from_pdfs(gold: Gold, settings: Settings | None = None) -> Result:
    """Compares the parsed PDFs, mapped to the gold paragraphs; seconds include parsing."""
    old, new, reading = _parsed(gold.folder)
    diff = compare(old.paragraphs, new.paragraphs, settings=settings)
    apart, names = by_text(diff, gold, counted)
    return _result(gold, apart, names, reading + diff.seconds, (len(old.pages), len(new.pages)))


def by_text(
    diff: RevisionDiff, gold: Gold, words_of: Callable[[str], Sequence[str]]
) -> tuple[RevisionDiff, dict[str, frozenset[str]]]:
    """Returns the edits with separate ids for each text of an edit, and the gold paragraphs of each text, since an edit
    may concern a part of a paragraph."""
    edits: list[Edit] = []
    parts: tuple[list[Paragraph], list[Paragraph]] = ([], [])
    for edit in diff.edits:
        ids = []
        for side, of, text, found in zip(
            "st", (edit.source_ids, edit.target_ids), (edit.source_text, edit.target_text), parts, strict=True
        ):
            # The lines of a table are rows, not paragraphs.
            pieces = ([text] if edit.group == "tables" else text.split(SEPARATOR)) if of else []
            ids.append(tuple(f"{side}{edit.id}.{at}" for at in range(len(pieces))))
            found += [
                Paragraph(name, 0, "", "body", piece, piece, (), 1, ())
                for name, piece in zip(ids[-1], pieces, strict=True)
            ]
        edits.append(replace(edit, source_ids=ids[0], target_ids=ids[1]))
    names = mapped(parts[0], gold.source, words_of) | mapped(parts[1], gold.target, words_of)
    return replace(diff, edits=tuple(edits)), names


@lru_cache
def _parsed(folder: Path) -> tuple[ParsedDocument, ParsedDocument, float]:
    started = time.perf_counter()
    old, new = read_pair(folder / "submitted.pdf", folder / "revised.pdf")
    return old, new, time.perf_counter() - started


def _result(
    gold: Gold, diff: RevisionDiff, names: Mapping[str, frozenset[str]], seconds: float, pages: tuple[int, int] = (0, 0)
) -> Result:
    exact, kinds = score(gold, diff, names), score(gold, diff, names, with_kind=True)
    return Result(gold, exact, kinds, by_pairs(gold, diff, names), seconds, pages)


def total(results: Iterable[Counts]) -> Counts:
    """Returns the sum of all counts."""
    whole = Counts()
    for counts in results:
        whole = whole + counts
    return whole


GRID: dict[str, Sequence[float]] = {
    "threshold": (0.09, 0.11, 0.13, 0.15, 0.17, 0.2),
    "containment": (0.0, 0.15, 0.3, 0.45),
    "nearness": (0.0, 0.025, 0.05, 0.1),
    "piece": (0.25, 0.3, 0.35, 0.4, 0.5),
    "better_piece": (0.1, 0.15, 0.2, 0.3, 1.0),
}


def choose(golds: Sequence[Gold], run: Callable[[Gold, Settings], Result], out: Any) -> None:
    """Leaves one manuscript out: varies each setting alone, chooses on the others, measures on the one left out."""
    for name, values in GRID.items():
        table = {value: [run(gold, Settings(**{name: value})).exact for gold in golds] for value in values}
        print(f"{name}: " + "  ".join(f"{v}: {total(row).f1:.3f}" for v, row in table.items()), file=out)
        for left, gold in enumerate(golds):
            rest = {value: total([c for at, c in enumerate(row) if at != left]).f1 for value, row in table.items()}
            best = [value for value, f1 in rest.items() if f1 == max(rest.values())]
            middle = best[len(best) // 2]
            print(f"  without {gold.name}: {middle} -> {table[middle][left].f1:.3f} on it", file=out)


def report(results: Sequence[Result], out: Any, *, misses: bool) -> None:
    """Prints a table of results."""
    print("manuscript            F1    P     R     with kind  lenient  unchanged edited  outside  seconds", file=out)
    for result in results:
        _row(result.gold.name, result.exact, result.kinds, result.lenient, f"{result.seconds:.2f}", out)
    exact, kinds = total(r.exact for r in results), total(r.kinds for r in results)
    _row("all", exact, kinds, total(r.lenient for r in results), "", out)
    for kind in (*COUNTED, "minor"):
        found, missed = exact.by_kind[f"{kind} found"], exact.by_kind[f"{kind} missed"]
        print(f"  {kind}: {found} of {found + missed} found", file=out)
    if misses:
        print(*exact.misses, sep="\n", file=out)


def _row(name: str, exact: Counts, kinds: Counts, lenient: Counts, seconds: str, out: Any) -> None:
    print(
        f"{name:20}  {exact.f1:.3f} {exact.precision:.3f} {exact.recall:.3f}  {kinds.f1:.3f}      {lenient.f1:.3f}    "
        f"{exact.edited_unchanged:3} of {exact.unchanged:3}       {exact.outside:4}     {seconds}",
        file=out,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--pdf", action="store_true", help="from the PDFs instead of the gold paragraphs")
    parser.add_argument("--cut", action="store_true", help="from gold paragraphs cut in two at random")
    parser.add_argument("--choose", action="store_true", help="leave-one-out choice of each setting")
    parser.add_argument("--misses", action="store_true", help="name what was missed")
    options = parser.parse_args(arguments)
    data = find_data_folder()
    if data is None:
        print("The measuring data isn't available.", file=sys.stderr)
        return 2
    golds = manuscripts(data)
    run = from_pdfs if options.pdf else from_cut_paragraphs if options.cut else from_paragraphs
    if options.choose:
        choose(golds, run, sys.stdout)
    else:
        report([run(gold) for gold in golds], sys.stdout, misses=options.misses)
    return 0


if __name__ == "__main__":
    sys.exit(main())
