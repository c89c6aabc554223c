"""How well response letters come apart, against hand-marked letters and against letters of many forms.

Run ``python -m tests.benchmarks.letter_quality FOLDER [--verbose]`` with the folder of either.

The hand-marked letters (per manuscript): ``response_letter.md``, ``review_comments.jsonl`` (actionable items:
comment_spans, block_span, response_spans, block_response_span) and ``non_actionable.jsonl`` (comment_spans,
block_span). A request is listed where the comment that holds most of it asks for something. A comment is what was
answered at once, so it may hold several items: an item is whole where one comment holds nine tenths of it, and a
comment is right where it says that it asks for something if and only if it holds a request.

The letters of many forms (``dev/*/gold.json``; ``README.md`` says how their items were made, by programs and readers
that are language models): an item is found where a comment has a token F1 of 0.8 with it, one to one, best first.
*Responses*: mean token F1 of the responses of found items. *Lost*: words of comments and responses in no comment read.
A form with one letter decides nothing. Six of the others are left out, those whose names have the smallest SHA-256;
with them go all letters of their repositories. Only names decide, but the rules for letters were written with all of
these letters in view, so until letters are added that nobody has read, "left out" is not a blind figure.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.documents.service import DocumentService
from engine.exchange.response_reading import read_letter_file
from engine.reviews.letter import read_letter
from engine.reviews.records import Comment, ReviewBundle, Span

Ranges = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Tally:
    """Counts over one or more letters."""

    blocks_gold: int = 0
    blocks_found: int = 0
    blocks_right: int = 0
    responses_gold: int = 0
    responses_right: int = 0
    requests: int = 0
    requests_listed: int = 0
    gold: int = 0
    items_whole: int = 0
    comments: int = 0
    actionable_right: int = 0
    reviewers_right: int = 0
    letters: list[str] = field(default_factory=list)


def f1(right: int, gold: int, found: int) -> float:
    """Returns the harmonic mean of precision and recall; 0 if both counts are 0."""
    return 2 * right / (gold + found) if gold + found else 0.0


def overlap(first: Ranges, second: Ranges) -> int:
    """Returns the number of characters in both sets of ranges."""
    return sum(max(0, min(b, d) - max(a, c)) for a, b in first for c, d in second)


def iou(first: Ranges, second: Ranges) -> float:
    """Returns the intersection over union of characters, 0 to 1."""
    both = overlap(first, second)
    union = sum(b - a for a, b in first) + sum(b - a for a, b in second) - both
    return both / union if union else 0.0


def _ranges(spans: Iterable[Span]) -> Ranges:
    return tuple((s.start, s.end) for s in spans)


def _gold(folder: Path) -> Iterator[tuple[dict[str, Any], bool]]:
    for name, actionable in (("review_comments.jsonl", True), ("non_actionable.jsonl", False)):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield json.loads(line), actionable


def score(folder: Path, tally: Tally, *, verbose: bool = False) -> ReviewBundle:
    """Reads the letter in ``folder`` and adds its counts to ``tally``."""
    text = (folder / "response_letter.md").read_text(encoding="utf-8")
    bundle = read_letter(text)
    gold = list(_gold(folder))
    tally.letters.append(folder.name)
    gold_blocks = {tuple(record["block_span"]) for record, _ in gold}
    found_blocks = {(s.start, s.end) for c in bundle.comments for s in c.context_spans}
    tally.blocks_gold += len(gold_blocks)
    tally.blocks_found += len(found_blocks)
    tally.blocks_right += len(gold_blocks & found_blocks)
    spans = [tuple(tuple(s) for s in record["comment_spans"]) for record, _ in gold]
    for comment in bundle.comments:
        asks = any(asked and overlap(g, _ranges(comment.spans)) for g, (_, asked) in zip(spans, gold, strict=True))
        tally.actionable_right += comment.actionable == asks
    tally.comments += len(bundle.comments)
    for i, (record, actionable) in enumerate(gold):
        nearest = max(bundle.comments, key=lambda c: overlap(spans[i], _ranges(c.spans)), default=None)
        _score_nearest(tally, record, actionable, spans[i], nearest, verbose)
    return bundle


def _score_nearest(
    tally: Tally, record: dict[str, Any], actionable: bool, spans: Ranges, nearest: Comment | None, verbose: bool
) -> None:
    tally.gold += 1
    tally.requests += actionable
    if nearest is None or not overlap(spans, _ranges(nearest.spans)):
        tally.responses_gold += bool(record.get("block_response_span"))
        return
    tally.requests_listed += actionable and nearest.actionable
    tally.items_whole += overlap(spans, _ranges(nearest.spans)) >= 0.9 * sum(end - start for start, end in spans)
    if verbose and actionable and not nearest.actionable:
        sys.stderr.write(f"  not listed: {record['comment_id']} {nearest.comment!r}\n")
    reviewer = record["reviewer"] if record["reviewer"][-1:].isdigit() else ""
    tally.reviewers_right += nearest.reviewer == reviewer
    answer = record.get("block_response_span")
    if answer:
        tally.responses_gold += 1
        tally.responses_right += iou((tuple(answer),), _ranges(nearest.response_spans)) >= 0.9


def evaluate(root: Path, *, verbose: bool = False) -> Tally:
    """Scores every letter under ``root``, the folder of the revision data."""
    tally = Tally()
    for letter in sorted(root.glob("*/response_letter.md")):
        if verbose:
            sys.stderr.write(f"{letter.parent.name}\n")
        score(letter.parent, tally, verbose=verbose)
    return tally


def quality(tally: Tally) -> dict[str, float]:
    """Returns the figures of a tally, each 0 to 1."""
    return {
        "block_f1": f1(tally.blocks_right, tally.blocks_gold, tally.blocks_found),
        "items_whole": tally.items_whole / max(1, tally.gold),
        "response_accuracy": tally.responses_right / max(1, tally.responses_gold),
        "requests_listed": tally.requests_listed / max(1, tally.requests),
        "actionable_accuracy": tally.actionable_right / max(1, tally.comments),
        "reviewer_accuracy": tally.reviewers_right / max(1, tally.gold),
    }


# --- letters of many forms -------------------------------------------------------------------------------------------

FORMS = {
    "narrative": "^narrative", "Word": "^docx", "PDF": "^pdf", "LaTeX style file": r"^latex.*\.sty",
    "LaTeX quotes": r"^latex.*(\bquote\b|quotation)", "LaTeX environments": "^latex.*environment",
    "LaTeX macros": "^latex.*macro", "LaTeX colours": r"^latex.*(color|\bred\b)", "LaTeX bold or italics": "^latex",
    "Markdown quotes": "^markdown.*>", "Markdown bold or italics": "^markdown.*(_|bold)",
    "Markdown headings or lists": "^r?markdown", "notes in a mail": "^text.*mail", "text quotes": "^text.*: (.*, )?>",
    "text labels": "^text", "reviews alone": "^reviews", "OpenReview": "^openreview", "Org": "^org", "HTML": "^html",
}  # fmt: skip
"""Forms of letters, with patterns for their styles; the first match is a letter's form."""
_WORD = re.compile(r"[a-z0-9]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W\d_]+")


@dataclass(frozen=True)
class Form:
    """The counts for one letter of a form."""

    name: str
    form: str
    repository: str
    gold: int
    found: int
    matched: int
    responses: tuple[float, ...]
    words: int
    lost: int

    @property
    def item_f1(self) -> float:
        """F1 of the items; 1 if a letter without items yields none."""
        return f1(self.matched, self.gold, self.found) if self.gold or self.found else 1.0


def _bag(text: str) -> Counter[str]:
    plain = re.sub(r"\[([^\]]*)\]\([^)\s]*\)", r"\1", unicodedata.normalize("NFKC", text).lower())
    return Counter(_WORD.findall(re.sub(r"(\w)-\s*\n\s*(\w)", r"\1\2", plain)))


def _token_f1(first: Counter[str], second: Counter[str]) -> float:
    return f1((first & second).total(), first.total(), second.total()) if first or second else 1.0


def _matched(gold: Sequence[Counter[str]], found: Sequence[Counter[str]]) -> dict[int, int]:
    pairs = ((_token_f1(g, f), -abs(i - j), i, j) for i, g in enumerate(gold) for j, f in enumerate(found) if g and f)
    chosen: dict[int, int] = {}
    for _, _, i, j in sorted((pair for pair in pairs if pair[0] >= 0.8), reverse=True):
        if i not in chosen and j not in chosen.values():
            chosen[i] = j
    return chosen


def _read_form(folder: Path, service: DocumentService) -> Form:
    known = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    comments = read_letter(read_letter_file(folder / known["file"], service), title=folder.name).comments
    gold = [(_bag(item["comment"]), _bag(item["response"])) for item in known["items"]]
    found = [(_bag(comment.comment), _bag(comment.response)) for comment in comments]
    matched = _matched([comment for comment, _ in gold], [comment for comment, _ in found])
    words, there = (sum((a + b for a, b in texts), Counter[str]()) for texts in (gold, found))
    return Form(
        name=folder.name,
        form=next(form for form, pattern in FORMS.items() if re.search(pattern, known["style"])),
        repository=known["repo"],
        gold=len(gold),
        found=len(found),
        matched=len(matched),
        responses=tuple(_token_f1(gold[i][1], found[j][1]) for i, j in matched.items() if gold[i][1] or found[j][1]),
        words=words.total(),
        lost=(words - there).total(),
    )


def left_out_forms(forms: Iterable[str]) -> frozenset[str]:
    """Returns the six forms whose letters are left out, chosen only by their names."""
    return frozenset(sorted(forms, key=lambda form: hashlib.sha256(form.encode()).hexdigest())[:6])


def _row(name: str, letters: Sequence[Form]) -> str:
    scores = [letter.item_f1 for letter in letters]
    responses = [sum(letter.responses) / len(letter.responses) for letter in letters if letter.responses]
    gold, found, matched, words, lost = (
        sum(getattr(letter, of) for letter in letters) for of in ("gold", "found", "matched", "words", "lost")
    )
    cells = [
        f"{sum(scores) / len(scores):.3f}", f"{f1(matched, gold, found):.3f}" if gold or found else "",
        f"{sum(score < 0.6 for score in scores)}/{len(scores)}", f"{min(scores):.2f}",
        f"{sum(responses) / len(responses):.3f}" if responses else "", f"{lost / words:.1%}" if words else "",
    ]  # fmt: skip
    return f"{name:28}" + "".join(f"{cell:>11}" for cell in cells)


def report_forms(root: Path) -> None:
    """Prints the tables: all letters, those that decide, left out or not, each form, and the worst letters."""
    with DocumentService() as service:
        letters = [_read_form(path.parent, service) for path in sorted(root.glob("dev/*/gold.json"))]
    by_form = defaultdict(list)
    for letter in letters:
        by_form[letter.form].append(letter)
    deciding = [letter for letter in letters if len(by_form[letter.form]) > 1]
    forms = left_out_forms({letter.form for letter in deciding})
    repositories = {letter.repository for letter in letters if letter.form in forms}
    left_out = [letter for letter in deciding if letter.repository in repositories]
    others = [letter for letter in deciding if letter.repository not in repositories]
    parts = {"all": letters, "of forms with two or more": deciding, "left out": left_out, "not left out": others}
    print(
        " " * 28 + "".join(f"{name:>11}" for name in ("item F1", "pooled", "below 0.6", "worst", "responses", "lost"))
    )
    for name, some in (*parts.items(), *sorted(by_form.items())):
        print(_row(f"{name} *" if name in forms else name, some))
    print("* left out. Worst letters:")
    for letter in sorted(letters, key=lambda letter: letter.item_f1)[:5]:
        print(f"  {letter.item_f1:.2f} {letter.name} ({letter.form}; {letter.gold} items, {letter.found} read)")


def main() -> None:
    """Runs the command."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("folder", type=Path, help="folder of hand-marked letters, or of letters of many forms")
    arguments.add_argument("--verbose", action="store_true", help="name the requests that are not listed")
    given = arguments.parse_args()
    if (given.folder / "dev").is_dir():
        report_forms(given.folder)
    else:
        print(json.dumps(quality(evaluate(given.folder, verbose=given.verbose)), indent=2))


if __name__ == "__main__":
    main()
