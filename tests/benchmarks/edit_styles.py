"""How well edits are found in papers of many layouts: ``python -m tests.benchmarks.edit_styles DATA [options]``.

The pairs of versions are those of ``DATA/styles`` and ``DATA/links``; their paragraphs and edits come from the authors'
sources, aligned by rule, and the labels of ``links`` from language-model readers. What is counted:

- F1 of found edits as in ``edit_quality``, over the gold edits of kind added, deleted and major and the reported edits
  of these kinds; minor ones and pure moves are neither right nor wrong. "pairs" is the same over pairs of single
  paragraphs. Paragraphs of types that the truth has no edits of (code, formulas, references) are left out.
- Moved: gold edits that moved, reported ones, and those in common.
- Unchanged: pairs of equal text of which either side is in a reported edit of another kind than "moved"; then those in
  an edit of the group "text".
- None: edits listed in the group "text" none of whose paragraphs is in any gold edit or moved, and which do not add or
  remove a citation or formula that the truth knows of. Counted over the whole list, minor and moved ones included.
- Unconfirmed: the two counts before without edits whose changed words the whole text of the one file has and that of
  the other lacks, read without paragraphs (``confirmed``). The truth leaves out citations, spelling of names, keywords
  and footnotes of publishers, so that changes of these are none to it.

Papers are put in two halves by a hash of their name (all pairs of one repository together): rules were developed on one
half only, and later on two papers of the other (``_ALSO_READ``). ``--truth`` compares the true paragraphs instead of
those read from the PDFs.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import re
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.cli.edits import read_pair
from engine.documents.codec import decode, encode
from engine.documents.records import Paragraph, ParagraphKind, ParsedDocument
from engine.revision.edits import compare
from engine.revision.records import Edit, RevisionDiff
from tests.benchmarks.edit_quality import Gold, Key, by_pairs, by_text, lines_of, same_names, score

WORST_FROM = 30
"""Pairs with fewer edits (of any kind) are ignored when choosing the worst one."""
_DEVELOPED = 7  # of the 15 repositories, in order of hash
_ALSO_READ = frozenset({"rigid-nvt", "bempp"})
"""Papers of the other half whose mistakes were examined later, for raised citations and two-sided pages."""
_KINDS: Mapping[str, ParagraphKind] = {
    "heading": "heading",
    "caption": "caption",
    "figure_caption": "caption",
    "table_caption": "caption",
    "table": "table",
    "equation": "equation",
    "code": "code",
    "reference": "reference",
    "footnote": "footnote",
}
_SCOPE = frozenset(
    {"paragraph", "list_item", "abstract", "quote", "footnote", "caption", "figure_caption", "table_caption"}
)


@dataclass(frozen=True)
class Pair:
    """Two versions of a paper, and the known facts about their edits."""

    gold: Gold
    pdfs: tuple[Path, Path]
    out_of_scope: frozenset[str]
    also_changed: frozenset[str]
    moved: frozenset[Key]

    @property
    def name(self) -> str:
        return f"{self.gold.folder.parent.parent.name}/{self.gold.name}"


@dataclass
class Found:
    """The counts for one pair, or for several."""

    gold: int = 0
    found: int = 0
    reported: int = 0
    right: int = 0
    pairs: Counter[str] = field(default_factory=Counter)
    unchanged: int = 0
    unchanged_edited: int = 0
    unchanged_listed: int = 0
    unchanged_unconfirmed: int = 0
    listed: int = 0
    listed_none: int = 0
    none_unconfirmed: int = 0
    moved: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def __add__(self, other: Found) -> Found:
        return Found(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    @property
    def f1(self) -> float:
        return _f1(self.found, self.gold, self.right, self.reported)

    @property
    def pair_f1(self) -> float:
        return _f1(*(self.pairs[name] for name in ("found", "gold", "right", "reported")))


def _f1(found: int, gold: int, right: int, reported: int) -> float:
    recall, precision = found / max(gold, 1), right / max(reported, 1)
    return 2 * precision * recall / max(precision + recall, 1e-9)


def pairs_of(data: Path) -> tuple[Pair, ...]:
    """Returns all pairs of both corpora, those of ``styles`` first, by name."""
    folders = [p.parent for corpus in ("styles", "links") for p in sorted((data / corpus).glob("*/*/gold_edits.jsonl"))]
    return tuple(_pair(folder) for folder in folders)


def developed(pairs: Sequence[Pair]) -> frozenset[str]:
    """Returns the names of the papers that rules were developed on."""
    names = {pair.gold.name for pair in pairs}
    ranked = sorted(names, key=lambda n: hashlib.sha256(f"rejoinder-edits-{n}".encode()).hexdigest())
    return _ALSO_READ.union(ranked[:_DEVELOPED])


def _pair(folder: Path) -> Pair:
    links = (folder / "submitted.pdf").exists()
    texts = ("source_paragraphs", "target_paragraphs") if links else ("before_paragraphs", "paragraphs")
    pdfs = ("submitted.pdf", "revised.pdf") if links else ("before.pdf", "paper.pdf")
    rows = [lines_of(folder / f"{name}.jsonl") for name in texts]
    edits = lines_of(folder / "gold_edits.jsonl")
    keys = {id(e): (frozenset(e["source_ids"]), frozenset(e["target_ids"])) for e in edits}
    unchanged = tuple((p["source_id"], p["target_id"]) for p in lines_of(folder / "unchanged_pairs.jsonl"))
    markup = lines_of(folder / "markup_only_changes.jsonl") if links else []
    scope = _SCOPE | ({"table", "code"} if links else set())
    sides = [tuple(_paragraph(row, at) for at, row in enumerate(side)) for side in rows]
    gold = Gold(
        folder.name,
        folder,
        sides[0],
        sides[1],
        {keys[id(e)]: e["kind"] for e in edits if e["kind"] != "moved"},
        frozenset(),
        unchanged,
    )
    return Pair(
        gold,
        (folder / pdfs[0], folder / pdfs[1]),
        frozenset(row["id"] for side in rows for row in side if row["type"] not in scope),
        frozenset(name for change in markup for name in (change["source_id"], change["target_id"])),
        frozenset(keys[id(e)] for e in edits if e.get("moved") or e["kind"] == "moved"),
    )


def _paragraph(row: Mapping[str, Any], at: int) -> Paragraph:
    kind = _KINDS.get(row["type"], "body")
    return Paragraph(row["id"], at, row.get("section") or "", kind, row["text"], row["text"], (), 1, ())


def from_truth(pair: Pair) -> RevisionDiff:
    """Compares the true paragraphs."""
    return compare(pair.gold.source, pair.gold.target)


def from_pdfs(pair: Pair, cache: Path | None) -> RevisionDiff:
    """Compares the PDFs."""
    old, new = _parsed(pair, cache)
    return compare(old.paragraphs, new.paragraphs)


def _gist(text: str) -> list[str]:
    """Returns the words outside formulas, whose letters and digits are in the PDF only."""
    return re.findall(
        r"[^\W\d_]{3,}|\d{2,}", re.sub(r"⟨[ME]⟩", " ", text.lower().replace("ﬁ", "fi").replace("ﬂ", "fl"))
    )


def _parsed(pair: Pair, cache: Path | None) -> tuple[ParsedDocument, ParsedDocument]:
    kept = None if cache is None else [cache / f"{pair.name.replace('/', '-')}-{pdf.name}.json" for pdf in pair.pdfs]
    if kept and all(path.exists() for path in kept):
        return decode(kept[0].read_bytes()), decode(kept[1].read_bytes())
    both = read_pair(*pair.pdfs)
    if kept:
        for path, document in zip(kept, both, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encode(document))
    return both


Texts = tuple[str, ...]
"""Letters and digits of a file, in each order in which MuPDF returns its lines."""


def letters(text: str) -> str:
    """Returns lower-case letters and digits only, without accents; words broken at line ends are joined."""
    whole = re.sub(r"-\s*\n\s*", "", unicodedata.normalize("NFKD", text))
    return re.sub(r"[^a-z0-9]", "", whole.lower())


def texts_of(pdf: Path) -> Texts:
    """Returns the whole text of a file, extracted by MuPDF alone."""
    import pymupdf

    with pymupdf.open(pdf) as document:
        return tuple(letters("\n".join(p.get_text("text", sort=by) for p in document)) for by in (False, True))


def confirmed(edit: Edit, old: Texts, new: Texts) -> bool:
    """Returns whether words that an edit adds or deletes, with their neighbours, are in the whole text of that version
    and not in that of the other; for added or deleted paragraphs, half of their runs of 40 letters. False for moves."""

    def only(run: str, least: int, mine: Texts, other: Texts) -> bool:
        return len(run) >= least and any(run in text for text in mine) and not any(run in text for text in other)

    if edit.kind in ("added", "deleted"):
        mine, other = (old, new) if edit.kind == "deleted" else (new, old)
        text = letters(edit.source_text or edit.target_text)
        runs = [text[at : at + 40] for at in range(0, max(1, len(text) - 39), 20)]
        return 2 * sum(only(run, 1, mine, other) for run in runs) >= len(runs)
    if edit.kind == "moved":
        return False
    before, after = edit.source_text.split(), edit.target_text.split()
    for kind, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        was, now = before[i:j], after[k:m]
        if kind != "equal" and was and now and letters(" ".join(was)) == letters(" ".join(now)):
            return True  # different punctuation around the same letters, which the texts leave out
        sides = ((before, i, j, old, new), (after, k, m, new, old))
        for words, at, end, mine, other in sides if kind != "equal" else ():
            if only(letters(" ".join(words[max(0, at - 3) : end + 3])), 12, mine, other):
                return True
    return False


def evaluate(pair: Pair, diff: RevisionDiff, *, truth: bool) -> Found:
    """Returns the counts for one pair; ``truth`` means that the true paragraphs were compared."""
    gold, found = pair.gold, Found()
    texts = ((), ()) if truth else tuple(map(texts_of, pair.pdfs))
    if truth:
        names = same_names((*gold.source, *gold.target))
    else:
        diff, names = by_text(diff, gold, _gist)
    changed = {name for key in (*gold.edits, *pair.moved) for side in key for name in side} | pair.also_changed
    scored = []
    for edit in diff.edits:
        old, new = (frozenset(name for i in ids for name in names[i]) for ids in (edit.source_ids, edit.target_ids))
        found.groups[edit.group] += 1
        if edit.group == "text":
            found.listed += 1
            if not (old | new) & changed:
                sure = confirmed(edit, *texts)
                found.listed_none, found.none_unconfirmed = found.listed_none + 1, found.none_unconfirmed + (not sure)
                words = f"{edit.source_text[:90]!r} > {edit.target_text[:90]!r}"
                verdict = "none, confirmed" if sure else "none"
                found.misses.append(f"{verdict}: {edit.kind} {_shown((old, new))} {words}")
        if edit.kind != "moved" and old | new and not old | new <= pair.out_of_scope:
            scored.append(edit)
        if edit.moved:
            found.moved["reported"] += 1
            found.moved["both"] += (old, new) in pair.moved
    found.moved["gold"] += len(pair.moved)
    scoped = {key: named - pair.out_of_scope for key, named in names.items()}
    plain = RevisionDiff(tuple(scored), ())
    exact, single = score(gold, plain, scoped), by_pairs(gold, plain, scoped)
    found.gold, found.found, found.right, found.reported = exact.gold, exact.found, exact.right, exact.reported
    found.pairs.update({name: getattr(single, name) for name in ("gold", "found", "right", "reported")})
    found.unchanged, found.unchanged_edited = exact.unchanged, exact.edited_unchanged
    listed = RevisionDiff(tuple(edit for edit in scored if edit.group == "text"), ())
    found.unchanged_listed = score(gold, listed, scoped).edited_unchanged
    alone = {e.id for e in listed.edits if len(e.source_ids) == len(e.target_ids) == 1 and confirmed(e, *texts)}
    unsure = RevisionDiff(tuple(edit for edit in listed.edits if edit.id not in alone), ())
    found.unchanged_unconfirmed = score(gold, unsure, scoped).edited_unchanged
    found.misses += exact.misses
    return found


def _shown(key: Key) -> str:
    return f"{'+'.join(sorted(key[0])) or '-'} > {'+'.join(sorted(key[1])) or '-'}"


_HEAD = (
    "                          edits   F1    P     R     pairs  unchanged edited, in text, unconfirmed   "
    "none of listed, unconfirmed   moved: gold, reported, both"
)


def _row(name: str, edits: int, found: Found) -> str:
    precision, recall = found.right / max(found.reported, 1), found.found / max(found.gold, 1)
    listed = found.unchanged_listed / max(found.unchanged, 1)
    unchanged, none = found.unchanged_edited / max(found.unchanged, 1), found.listed_none / max(found.listed, 1)
    unsure, none_unsure = (
        found.unchanged_unconfirmed / max(found.unchanged, 1),
        found.none_unconfirmed / max(found.listed, 1),
    )
    return (
        f"{name:26}{edits:5}   {found.f1:.3f} {precision:.3f} {recall:.3f} {found.pair_f1:.3f}  "
        f"{found.unchanged_edited:3} {found.unchanged_listed:3}/{found.unchanged:<4} "
        f"{100 * unchanged:4.1f} {100 * listed:4.1f} {100 * unsure:4.1f} %  "
        f"{found.listed_none:3}/{found.listed:<4} {100 * none:4.1f} {100 * none_unsure:4.1f} %   "
        f"{found.moved['gold']:3} {found.moved['reported']:3} {found.moved['both']:3}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--truth", action="store_true", help="compare the true paragraphs instead of the PDFs")
    parser.add_argument("--half", choices=("developed", "unseen"), help="only one half of the papers")
    parser.add_argument("--only", help="names of papers, separated by commas")
    parser.add_argument("--misses", action="store_true", help="name what was missed")
    parser.add_argument("--cache", type=Path, help="folder that keeps what was read from the PDFs")
    options = parser.parse_args(arguments)
    pairs = pairs_of(options.data)
    seen = developed(pairs)
    halves: dict[bool, list[tuple[int, Found]]] = {True: [], False: []}
    started = time.perf_counter()
    print(f"{_HEAD}\n(truth: authors' sources, aligned by rule; labels of links by language-model readers)")
    for pair in pairs:
        in_developed = pair.gold.name in seen
        if options.half and in_developed != (options.half == "developed"):
            continue
        if options.only and pair.gold.name not in options.only.split(","):
            continue
        diff = from_truth(pair) if options.truth else from_pdfs(pair, options.cache)
        found = evaluate(pair, diff, truth=options.truth)
        halves[in_developed].append((len(pair.gold.edits), found))
        print(_row(f"{pair.name}{'' if in_developed else ' *'}", len(pair.gold.edits), found), flush=True)
        if options.misses:
            print(*(f"    {line}" for line in found.misses), sep="\n")
    for title, chosen in (
        ("developed on", halves[True]),
        ("* unseen", halves[False]),
        ("all", [*halves[True], *halves[False]]),
    ):
        if chosen:
            total = sum((found for _, found in chosen), Found())
            worst = min((found.f1 for edits, found in chosen if edits >= WORST_FROM), default=1.0)
            print(_row(title, sum(edits for edits, _ in chosen), total), f"  worst {worst:.3f}")
            print(f"    listed by group: {dict(total.groups)}")
    print(f"{time.perf_counter() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
