"""Sentence splitting and the rules for requests, against hand-marked sentences (in DISAPERE's layout).

Boundaries: each review is reassembled from its sentences and the text between them; the ends of the sentences must be
found. Requests: how well the wording alone separates requests and negative judgements from all other sentences.
Listed: how many comments that are listed as requests hold one, and how many requests are listed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.exchange.disapere import joined, read_disapere
from engine.reviews.cues import ASKING, sentence_role
from engine.reviews.items import asks
from engine.reviews.letter import review_comments
from engine.reviews.marks import MarkedText
from engine.reviews.records import Span
from engine.reviews.sentences import split_sentences
from tests.benchmarks.letter_quality import f1


def _reviews(folder: Path) -> Iterator[list[dict[str, Any]]]:
    for path in sorted(folder.glob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))["review_sentences"]


def boundaries(folder: Path, *, compare: bool = True) -> dict[str, float]:
    """Returns F1 of sentence ends and code points per second, for this program and, with ``compare``, for pysbd."""
    import pysbd

    other = pysbd.Segmenter(language="en", clean=False, char_span=True)
    right = {"own": 0, "pysbd": 0}
    found = {"own": 0, "pysbd": 0}
    seconds = {"own": 0.0, "pysbd": 0.0}
    gold = characters = 0
    for sentences in _reviews(folder):
        text = ""
        ends = set()
        for sentence in sentences:
            text += sentence["text"]
            ends.add(len(text))
            text += sentence["suffix"] or " "
        gold += len(ends)
        characters += len(text)
        for name in ("own", "pysbd") if compare else ("own",):
            started = time.perf_counter()
            if name == "own":
                got = {s.end for s in split_sentences(text)}
            else:
                got = {s.start + len(s.sent.rstrip()) for s in other.segment(text)}
            seconds[name] += time.perf_counter() - started
            right[name] += len(got & ends)
            found[name] += len(got)
    return {
        "f1": f1(right["own"], gold, found["own"]),
        "pysbd_f1": f1(right["pysbd"], gold, found["pysbd"]),
        "characters_per_second": characters / seconds["own"],
        "pysbd_characters_per_second": characters / seconds["pysbd"] if compare else 0.0,
    }


def requests(folder: Path) -> dict[str, float]:
    """Returns the recall of requests and of negative judgements, and the share of all other labelled sentences that
    aren't classified as either."""
    counts = {"request": [0, 0], "negative": [0, 0], "other": [0, 0]}
    for sentences in _reviews(folder):
        for sentence in sentences:
            action = sentence["review_action"]
            if action in {"none", "arg_other"}:
                continue
            negative = action == "arg_evaluative" and sentence.get("polarity") == "pol_negative"
            kind = "request" if action == "arg_request" else "negative" if negative else "other"
            asks = sentence_role(sentence["text"]) in ASKING
            counts[kind][0] += asks == (kind != "other")
            counts[kind][1] += 1
    return {f"{kind}_share_right": right / max(1, number) for kind, (right, number) in counts.items()}


def listed(folder: Path) -> dict[str, float]:
    """Returns the share of the listed comments that hold a request, or a request or negative judgement, and the share
    of requests that are in a listed comment; the same without comments listed as criticism; and of these, the share
    that hold a negative judgement and no request."""
    rows: list[tuple[bool, bool, bool]] = []
    found = asked = wanted = 0
    for pair in read_disapere(folder):
        text, spans = joined([(s.text, s.suffix) for s in pair.review])
        kinds: dict[str, list[Span]] = {"request": [], "negative": []}
        for span, sentence in zip(spans, pair.review, strict=True):
            if "request" in sentence.review_action:
                kinds["request"].append(span)
            elif "evaluative" in sentence.review_action and "negative" in sentence.polarity:
                kinds["negative"].append(span)
        wanted += len(kinds["request"])
        for comment in review_comments(MarkedText(text), "review")[0]:
            if comment.actionable:
                request, negative = (sum(_inside(s, comment.spans) for s in own) for own in kinds.values())
                critical = asks(comment.comment) == "criticism"
                found += request
                asked += 0 if critical else request
                rows.append((request > 0, request + negative > 0, critical))
    as_requests = [row for row in rows if not row[2]]
    return {
        "listed": len(rows),
        "listed_with_a_request": _share(request for request, _, _ in rows),
        "listed_with_a_request_or_criticism": _share(both for _, both, _ in rows),
        "requests_listed": found / max(1, wanted),
        "listed_as_requests": len(as_requests),
        "of_these_with_a_request": _share(request for request, _, _ in as_requests),
        "requests_listed_as_requests": asked / max(1, wanted),
        "criticism_that_only_criticises": _share(both and not request for request, both, critical in rows if critical),
    }


def _share(held: Iterable[bool]) -> float:
    found = list(held)
    return sum(found) / max(1, len(found))


def _inside(span: Span, others: Sequence[Span]) -> bool:
    return any(2 * (min(span.end, o.end) - max(span.start, o.start)) > span.end - span.start for o in others)


if __name__ == "__main__":
    chosen = Path(sys.argv[1])
    sys.stdout.write(json.dumps({**boundaries(chosen), **requests(chosen), **listed(chosen)}, indent=2) + "\n")
