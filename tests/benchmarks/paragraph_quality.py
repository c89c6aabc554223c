"""Measures how well paragraphs are found, against known paragraphs.

Run ``python -m tests.benchmarks.paragraph_quality DATA_FOLDER [-v]``.

*Found whole*: a known body paragraph (types in ``BODY``, text of 100 characters or more) is found whole if one parsed
body paragraph has a token F1 of at least 0.9 with it; a parsed paragraph counts for one known paragraph only. Tokens
are runs of letters or digits, lower case, counted with multiplicity.

*Spurious*: a parsed body paragraph of 100 characters or more that counts for no known one, unless at least 80 % of its
tokens (as a multiset) are in the known *body* record that shares most with it (then it is a piece, and that record
counts as missed). Spurious are therefore captions, tables, footnotes, references or running heads parsed as body, front
matter (which the known records leave out), and two known paragraphs merged into one.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.documents.records import Paragraph, ParsedDocument
from engine.documents.service import DocumentService

BODY = frozenset({"paragraph", "list_item", "blockquote"})
MANUSCRIPTS = ("deep-review", "iscb-diversity", "rephetio")
VERSIONS = (("submitted.pdf", "source_paragraphs.jsonl"), ("revised.pdf", "target_paragraphs.jsonl"))


@dataclass(frozen=True, slots=True)
class Quality:
    """Counts for one document; ``missed`` are ids of known paragraphs, ``spurious`` ids of parsed ones."""

    known: int
    found: int
    parsed: int
    missed: tuple[str, ...]
    spurious: tuple[str, ...]
    sections_right: int

    @property
    def found_share(self) -> float:
        return self.found / self.known if self.known else 1.0

    @property
    def spurious_share(self) -> float:
        return len(self.spurious) / self.parsed if self.parsed else 0.0


def tokens(text: str) -> Counter[str]:
    """Returns the number of occurrences of each run of letters or digits, in lower case."""
    return Counter(re.findall(r"[^\W_]+", text.lower()))


def f1(a: Counter[str], b: Counter[str]) -> float:
    """Returns the token F1 of two multisets."""
    shared = (a & b).total()
    return 2 * shared / (a.total() + b.total()) if shared else 0.0


def evaluate(parsed: ParsedDocument, gold: Sequence[Mapping[str, Any]]) -> Quality:
    """Compares a parsed document with known paragraph records (``id``, ``type``, ``text``, ``section``)."""
    body = [p for p in parsed.paragraphs if p.kind == "body" and len(p.text) >= 100]
    bags = {p.id: tokens(p.text) for p in body}
    known = [g for g in gold if g["type"] in BODY and len(g["text"]) >= 100]
    known_bags = {g["id"]: tokens(g["text"]) for g in gold}
    pairs = sorted(
        ((score, g["id"], p.id) for g in known for p in body if (score := f1(known_bags[g["id"]], bags[p.id])) >= 0.9),
        reverse=True,
    )
    match: dict[str, str] = {}
    used: set[str] = set()
    for _, gold_id, parsed_id in pairs:
        if gold_id not in match and parsed_id not in used:
            match[gold_id] = parsed_id
            used.add(parsed_id)
    spurious = [p.id for p in body if p.id not in used and not _explained(bags[p.id], gold, known_bags)]
    by_id: dict[str, Paragraph] = {p.id: p for p in body}
    right = sum(_same_section(by_id[match[g["id"]]].section, str(g["section"])) for g in known if g["id"] in match)
    return Quality(
        len(known), len(match), len(body), tuple(g["id"] for g in known if g["id"] not in match), tuple(spurious), right
    )


def _explained(bag: Counter[str], gold: Iterable[Mapping[str, Any]], bags: Mapping[str, Counter[str]]) -> bool:
    best = max(gold, key=lambda g: (bag & bags[g["id"]]).total(), default=None)
    if best is None or best["type"] not in BODY:
        return False
    return (bag & bags[best["id"]]).total() >= 0.8 * bag.total()


def _same_section(found: str, known: str) -> bool:
    def plain(path: str) -> str:
        return re.sub(r"[\W_]+", "", path.lower())

    return plain(found) == plain(known)


def read_gold(path: Path) -> list[dict[str, Any]]:
    """Returns the records of a ``*_paragraphs.jsonl`` file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def measure(
    data_folder: Path, service: DocumentService, manuscripts: Sequence[str] = MANUSCRIPTS
) -> dict[str, Quality]:
    """Returns the quality of each PDF of the revision data, by ``manuscript/file``."""
    results: dict[str, Quality] = {}
    for manuscript in manuscripts:
        for pdf, gold in VERSIONS:
            folder = data_folder / "revisions" / manuscript
            results[f"{manuscript}/{pdf}"] = evaluate(service.parse(folder / pdf), read_gold(folder / gold))
    return results


def main() -> None:
    folder = Path(sys.argv[1])
    with DocumentService() as service:
        results = measure(folder, service)
    for name, q in results.items():
        print(
            f"{name:28} found {q.found:3}/{q.known:3} {q.found_share:6.1%}   spurious {len(q.spurious):2}/{q.parsed:3}"
            f" {q.spurious_share:5.1%}   sections {q.sections_right}/{q.found}"
        )
        if "-v" in sys.argv:
            print("   missed", *q.missed)
            print("   spurious", *q.spurious)
    found, known = sum(q.found for q in results.values()), sum(q.known for q in results.values())
    extra, parsed = sum(len(q.spurious) for q in results.values()), sum(q.parsed for q in results.values())
    print(f"{'together':28} found {found}/{known} {found / known:.1%}   spurious {extra}/{parsed} {extra / parsed:.1%}")


if __name__ == "__main__":
    main()
