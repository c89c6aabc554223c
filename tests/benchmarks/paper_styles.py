"""Paragraphs, headings, references and reading order on papers of many styles, by family, beside other readers.

Run ``python -m tests.benchmarks.paper_styles DATA_FOLDER [--set chosen|left-out|all] [--only ID,ID] [--peers]``.

The truth is read from the authors' sources by programs and language-model readers, not people (``styles/README.md``).
The families in ``LEFT_OUT`` were drawn by the hash of their names and nothing is tuned on them. Papers of which less
than 96 % of the truth is in the PDF, or with fewer than 25 scored paragraphs, decide nothing.

*Whole*: a running paragraph (100 characters or more, at most a third formulas) for which one paragraph of the reader
has a token F1 of 0.85, formulas left out. *Joined*: also two to four paragraphs one after the other. *Spurious*: body
paragraphs of which less than half of the words, or no truth paragraph to 40 %, are in the running text. *Order*: of
neighbouring truth paragraphs that are found, those of which the second comes after the first. *Section*: of whole
paragraphs, those under the same heading, and those under the same headings of all levels (where the truth has them: the
sources of theses have no chapters), numbers left out.

The other readers run in a process of their own without a network; one that is not installed is left out.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

Bag = Counter[str]
FAMILIES = {
    "AASTeX": "AASTeX", "PLOS": "PLOS", "plain article": "plain article", "ACM": "ACM", "elsarticle": "elsarticle",
    "wlscirep": "wlscirep", "RevTeX": "RevTeX", "PNAS": "PNAS", "LiveCoMS": "LiveCoMS", "NeurIPS": "NIPS|NeurIPS",
    "ICML": "ICML", "ICLR": "ICLR", "Quarto": "Quarto", "thesis": "PhD", "SIAM": "SIAM", "Typst": "Typst",
    "JMLR": "JMLR", "IEEEtran": "IEEEtran", "LNCS": "LNCS", "Springer Nature": "Springer", "JOSS": "JOSS", "ACL": "ACL",
    "JSS": "JSS", "AAAI": "AAAI", "CVPR": "CVPR",
}  # fmt: skip
LEFT_OUT = frozenset({"Typst", "JMLR", "IEEEtran", "LNCS", "Springer Nature", "JOSS", "ACL", "JSS", "AAAI", "CVPR"})
RUNNING = ("paragraph", "list_item", "abstract", "quote")
PEERS = {
    "PyMuPDF blocks": "import sys,json,pymupdf\nprint(json.dumps([b[4] for p in pymupdf.open(sys.argv[1])"
    " for b in p.get_text('blocks') if b[6]==0]))",
    "pymupdf4llm": "import os,sys,json,contextlib\nos.environ['ORT_DISABLE_TELEMETRY']='1'\nimport pymupdf4llm\n"
    "with contextlib.redirect_stdout(sys.stderr): t=pymupdf4llm.to_markdown(sys.argv[1])\n"
    "print(json.dumps(t.split('\\n\\n')))",
    "pdfminer.six": "import sys,json\nfrom pdfminer.high_level import extract_pages\n"
    "from pdfminer.layout import LTTextBox\n"
    "print(json.dumps([b.get_text() for p in extract_pages(sys.argv[1]) for b in p if isinstance(b,LTTextBox)]))",
}
"""Programs that print the paragraphs of a PDF as a list of texts."""


def tokens(text: str) -> Bag:
    """Returns runs of letters or digits, in lower case, without accents and with ligatures split.

    Formulas and parentheses with a year are left out: the truth has no citations.
    """
    plain = unicodedata.normalize("NFKD", re.sub(r"⟨[ME]⟩|\([^()]*\b(?:1[89]|20)\d\d[a-z]?\b[^()]*\)", " ", text))
    return Counter(re.findall(r"[^\W_]+", "".join(c for c in plain if not unicodedata.combining(c)).lower()))


class Reader:
    """The paragraphs of one reader, with an index of their words."""

    def __init__(self, paragraphs: Sequence[tuple[str, str, str]]) -> None:
        self.kinds = [kind for kind, _, _ in paragraphs]
        self.bags = [tokens(text) for _, text, _ in paragraphs]
        self.lengths = [len(text) for _, text, _ in paragraphs]
        self.plain = [" ".join(re.findall(r"[^\W_]+", text.lower())) for _, text, _ in paragraphs]
        self.sections = [_bare_path(section) for _, _, section in paragraphs]
        self.where: dict[str, set[int]] = defaultdict(set)
        for index, bag in enumerate(self.bags):
            for word in bag:
                self.where[word].add(index)

    def near(self, bag: Bag, most: int = 12) -> list[int]:
        votes: Counter[int] = Counter()
        for word in bag:
            if len(self.where[word]) < 250:
                votes.update(self.where[word])
        return [index for index, _ in votes.most_common(most)]


def _bare_path(section: str) -> list[str]:
    names = (re.sub(r"^(?:appendix\s+)?(?:[A-Z\d]\w?(?:\.\d+)*|[IVX]+)[.:)]?\s", "", x) for x in section.split(" > "))
    return ["".join(re.findall(r"[^\W_]+", name.lower())) for name in names]


def _f1(known: Bag, bag: Bag, formulas: int) -> float:
    shared = (known & bag).total()
    # Letters and digits of formulas, which the truth leaves out, don't count as errors.
    extra = sum(n for w, n in (bag - known).items() if len(w) <= 2 or w.isdigit()) if formulas else 0
    return 2 * shared / (known.total() + bag.total() - min(extra, 6 * formulas)) if shared else 0.0


def evaluate(paragraphs: Sequence[tuple[str, str, str]], truth: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Returns the counts for one paper; ``paragraphs`` are (kind, text, section) in reading order."""
    reader, counts = Reader(paragraphs), Counter[str]()
    places: list[int | None] = []
    for record in truth:
        formulas = record["text"].count("⟨M⟩") + 3 * record["text"].count("⟨E⟩")
        known = tokens(record["text"])
        if record["type"] not in RUNNING or len(record["text"]) < 100 or not known or 3 * formulas > known.total():
            continue
        near = reader.near(known)
        scores = {i: _f1(known, reader.bags[i], formulas) for i in near}
        whole = max(scores.values(), default=0.0) >= 0.85
        runs = (sum(reader.bags[i : i + k], Bag()) for i in near for k in (2, 3, 4))
        counts["paragraphs"] += 1
        counts["whole"] += whole
        if whole and any(reader.sections) and "⟨" not in (section := str(record.get("section") or "")):
            own, path = reader.sections[max(scores, key=lambda i: scores[i])], _bare_path(section)
            counts["placed"] += 1
            counts["under its heading"] += own[-1] == path[-1]
            counts["under its headings"] += own == path
        counts["joined"] += whole or any(_f1(known, run, formulas) >= 0.85 for run in runs)
        best = max(near, key=lambda i: (known & reader.bags[i]).total(), default=None)
        found = best is not None and (known & reader.bags[best]).total() >= 0.5 * known.total()
        places.append(best if found else None)
    for a, b in pairwise(places):
        if a is not None and b is not None and a != b:
            counts["pairs"] += 1
            counts["in order"] += a < b
    _headings(reader, truth, counts)
    _body_and_references(reader, truth, counts)
    return counts


def _headings(reader: Reader, truth: Sequence[Mapping[str, Any]], counts: Counter[str]) -> None:
    bare = [re.sub(r"^((?:\d+|[ivx]+|[a-h]|appendix|chapter|section|si|s\d+) )+", "", text) for text in reader.plain]
    typed = {x.replace(" ", "") for x, k in zip(reader.plain, reader.kinds, strict=True) if k == "heading"}
    typed |= {x.replace(" ", "") for x, k in zip(bare, reader.kinds, strict=True) if k == "heading"}
    for record in truth:
        name = "".join(tokens(record["text"])) and "".join(re.findall(r"[^\W_]+", record["text"].lower()))
        if record["type"] == "heading" and name and "⟨" not in record["text"]:
            counts["headings"] += 1
            counts["headings typed"] += name in typed


def _body_and_references(reader: Reader, truth: Sequence[Mapping[str, Any]], counts: Counter[str]) -> None:
    known = [tokens(t["text"]) for t in truth if t["type"] not in ("reference", "code", "equation")]
    words = Counter[str]()
    for record in truth:
        if record["type"] != "reference":
            words += tokens(record["text"])
    for kind, bag, length in zip(reader.kinds, reader.bags, reader.lengths, strict=True):
        if kind != "body" or length < 100:
            continue
        counts["body"] += 1
        shared = sum(min(n, words[w]) for w, n in bag.items())
        best = max(((bag & k).total() for k in known), default=0)
        counts["spurious"] += shared < 0.5 * bag.total() or best < 0.4 * bag.total()
    for record in truth:
        entry = tokens(record["text"])
        if record["type"] != "reference" or entry.total() < 6:
            continue
        counts["references"] += 1
        best_share, kind = max(
            (((entry & reader.bags[i]).total() / entry.total(), reader.kinds[i]) for i in reader.near(entry, 6)),
            default=(0.0, ""),
        )
        counts["references as body"] += best_share >= 0.7 and kind == "body"
        counts["references found"] += best_share >= 0.7 and kind != "body"


def family(style: str) -> str:
    """Returns the layout family of a style in the data."""
    return next(name for name, pattern in FAMILIES.items() if re.search(pattern, style))


def read(path: Path) -> list[tuple[str, str, str]]:
    """Parses a PDF with this program, in this process."""
    import pymupdf

    from engine.documents.parsing import parse_document

    with pymupdf.open(path) as document:
        parsed = parse_document(document, "", lambda _done, _what: None)
    return [(p.kind, p.text, p.section) for p in parsed.paragraphs]


def read_by_peer(program: str, path: Path) -> list[tuple[str, str, str]] | None:
    """Returns another reader's paragraphs, all of kind "body"; None if it isn't installed or fails."""
    command = ["unshare", "--user", "--map-root-user", "--net", sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        return None
    return [("body", text, "") for text in json.loads(done.stdout.splitlines()[-1]) if text.strip()]


def row(name: str, c: Mapping[str, int], seconds: float | None = None) -> str:
    """Returns a line of the table."""

    def share(part: str, whole: str) -> str:
        return f"{c[part]:4}/{c[whole]:<4} {c[part] / c[whole]:6.1%}" if c[whole] else " " * 16

    cells = [
        share("whole", "paragraphs"), f"{c['joined'] / max(1, c['paragraphs']):6.1%}", share("spurious", "body"),
        share("references as body", "references"), share("headings typed", "headings"), share("in order", "pairs"),
        share("under its heading", "placed"), share("under its headings", "placed"),
    ]  # fmt: skip
    return f"{name[:26]:26} " + "  ".join(cells) + (f"  {seconds:.2f} s" if seconds is not None else "")


def report(folder: Path, chosen: str, peers: Iterable[str] = (), only: Sequence[str] = ()) -> None:
    """Prints the tables by paper, by family and pooled, with the peers' pooled figures in the same run."""
    families: dict[str, Counter[str]] = defaultdict(Counter)
    others: dict[str, Counter[str]] = {name: Counter() for name in peers}
    deciding, everything, ranked = Counter[str](), Counter[str](), []
    heads = "whole            joined spurious          references=body  headings typed   in order         section"
    print(f"{'':26} {heads}          sections")
    for paper in sorted(p.parent for p in (folder / "dev").glob("*/style.json")):
        if only and paper.name not in only:
            continue
        about = json.loads((paper / "style.json").read_text("utf-8"))
        name = family(about["style"])
        if (chosen == "chosen" and name in LEFT_OUT) or (chosen == "left-out" and name not in LEFT_OUT):
            continue
        truth = [json.loads(line) for line in (paper / "paragraphs.jsonl").read_text("utf-8").splitlines()]
        started = time.perf_counter()
        found = read(paper / "paper.pdf")
        seconds = time.perf_counter() - started
        counts = evaluate(found, truth)
        decides = about["truth_in_pdf"] >= 0.96 and counts["paragraphs"] >= 25
        print(row(paper.name + ("" if decides else " *"), counts, seconds), flush=True)
        families[name] += counts
        everything += counts
        if decides:
            deciding += counts
            ranked.append((counts["whole"] / counts["paragraphs"], counts["joined"] / counts["paragraphs"], paper.name))
        for peer in others:
            if (theirs := read_by_peer(PEERS[peer], paper / "paper.pdf")) is not None:
                others[peer] += evaluate(theirs, truth) + Counter(papers=1)
    print("\nby family")
    for name, counts in families.items():
        print(row(name, counts))
    print("\npooled (* decides nothing)")
    print(row("deciding papers", deciding))
    print(row("all papers", everything))
    for peer, total in others.items():
        print(row(peer, total) if total["papers"] else f"{peer}: not installed", f"({total['papers']} papers)")
    if ranked:
        print("worst whole:", "{0:.1%} {2}".format(*min(ranked)), " worst joined:", min((j, n) for _, j, n in ranked))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--set", choices=["chosen", "left-out", "all"], default="all", dest="chosen")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--peers", action="store_true")
    given = arguments.parse_args()
    report(given.data / "styles", given.chosen, PEERS if given.peers else (), [*filter(None, given.only.split(","))])


if __name__ == "__main__":
    main()
