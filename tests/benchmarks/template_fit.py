"""Whether the templates that are suggested for comments of real letters can be used, as readers judge them blind.

``python -m tests.benchmarks.template_fit sheet DATA SHEET KEY`` writes a shuffled sheet of comments with suggestions
(by the ranker, by chance, and of the rankers in ``--other NAME=FILE``: JSON, [template id, text] by
comment) and the key apart: comments of ``letters`` that request something, at most eight a letter, from the half of the
letters that no choice was made on (``--half development`` for the other). ``--comments FILE`` writes the comments
alone, for rankers outside. ``python -m tests.benchmarks.template_fit shares KEY JUDGEMENTS...`` prints what came of it;
several files are passes over the same sheet. The guideline is in docs/methods-rebuttal.md.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from engine.rebuttal.fitting import OPENINGS, Asked, TemplateRanker
from engine.rebuttal.templates import starter

COMMENTS, A_LETTER = 200, 8
VERDICTS = ("as is", "with edits", "not")
Offer = tuple[str, str]
"""A template's id and its text."""


def _order(*words: object) -> int:
    return int(sha256("-".join(map(str, words)).encode()).hexdigest()[:8], 16)


def comments(letters: Path, half: str) -> dict[str, str]:
    """Returns the comments of a half by their ids, in an arbitrary but fixed order."""
    found = []
    for folder in sorted(letters.iterdir()):
        gold = json.loads((folder / "gold.json").read_text())
        twice = gold.get("same_items_as") or gold.get("points_as_in")
        if twice or (_order("templates", gold["repo"]) % 2 == 1) != (half == "development"):
            continue
        items = [(f"{folder.name}/{n}", i["comment"]) for n, i in enumerate(gold["items"]) if i["asks"]]
        found += sorted(((_order(key), key, text) for key, text in items if text.strip()))[:A_LETTER]
    return {key: text for _, key, text in sorted(found)[:COMMENTS]}


def offers(texts: dict[str, str]) -> dict[str, dict[str, Offer]]:
    """Returns the first template for each comment by suggester; comments without one are missing."""
    ranker = TemplateRanker(starter())
    first = {key: ranker.rank(Asked(text))[:1] for key, text in texts.items()}
    shown = {key: (one[0].template.id, one[0].template.text) for key, one in first.items() if one}
    answers = [template for template in starter() if template.action not in OPENINGS]
    chance = {key: answers[_order("chance", key) % len(answers)] for key in texts}
    return {"ranker": shown, "chance": {key: (template.id, template.text) for key, template in chance.items()}}


def write_sheet(texts: dict[str, str], found: dict[str, dict[str, Offer]], sheet: Path, key: Path) -> None:
    """Writes the blind sheet, in which equal suggestions for a comment share a line, and the key."""
    by: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for name, offered in found.items():
        for comment, (template, text) in offered.items():
            by[comment, text].append((name, template))
    lines = list(by.items())
    random.Random(18).shuffle(lines)
    with sheet.open("w", encoding="utf-8") as file:
        for number, ((comment, text), _) in enumerate(lines):
            line = {"id": f"s{number:04}", "comment": texts[comment], "suggestion": text}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    items = {
        f"s{number:04}": {"comment": comment, "by": dict(names)} for number, ((comment, _), names) in enumerate(lines)
    }
    key.write_text(json.dumps({"comments": len(texts), "items": items}, indent=1))


def shares(key: Path, passes: Sequence[Path]) -> str:
    """Returns a line per suggester, the agreement of the passes and the templates that were never usable."""
    held = json.loads(key.read_text())
    said: dict[str, list[str]] = defaultdict(list)
    for path in passes:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                one = json.loads(line)
                assert one["verdict"] in VERDICTS, one
                said[one["id"]].append(one["verdict"])
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown: Counter[str] = Counter()
    used: dict[str, bool] = {}
    for item, entry in held["items"].items():
        for name, template in entry["by"].items():
            shown[name] += 1
            for verdict in said[item]:
                counts[name][verdict] += 1
            if name == "ranker":
                used[template] = used.get(template, False) or any(verdict != "not" for verdict in said[item])
    lines = [f"{held['comments']} comments, {len(passes)} passes, {sum(map(bool, said.values()))} items judged"]
    for name, own in counts.items():
        total = sum(own.values()) or 1
        parts_ = ", ".join(f"{verdict} {100 * own[verdict] / total:.1f} %" for verdict in VERDICTS)
        usable = 100 * (own["as is"] + own["with edits"]) / total
        lines.append(f"{name}: shown {100 * shown[name] / held['comments']:.1f} %; usable {usable:.1f} % ({parts_})")
    both = [own for own in said.values() if len(own) > 1]
    if both:
        same = sum(len(set(own)) == 1 for own in both) / len(both)
        usable_same = sum(len({verdict != "not" for verdict in own}) == 1 for own in both) / len(both)
        lines.append(
            f"passes agree on {100 * same:.1f} % of the verdicts, on {100 * usable_same:.1f} % of usable or not"
        )
    never = sorted(template for template, good in used.items() if not good)
    return "\n".join((*lines, f"suggested and never usable: {', '.join(never) or 'none'}"))


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("sheet")
    for name in ("data", "sheet", "key"):
        make.add_argument(name, type=Path)
    make.add_argument("--half", choices=("development", "outer"), default="outer")
    make.add_argument("--other", action="append", default=[])
    make.add_argument("--comments", type=Path)
    tell = commands.add_parser("shares")
    tell.add_argument("key", type=Path)
    tell.add_argument("judgements", type=Path, nargs="+")
    given = parser.parse_args()
    if given.command == "shares":
        print(shares(given.key, given.judgements))
        return
    texts = comments(given.data / "letters" / "dev", given.half)
    if given.comments:
        given.comments.write_text(json.dumps(texts, ensure_ascii=False))
    found = offers(texts)
    for name, _, file in (other.partition("=") for other in given.other):
        found[name] = {key: tuple(offer) for key, offer in json.loads(Path(file).read_text()).items() if key in texts}
    write_sheet(texts, found, given.sheet, given.key)
    print(f"{len(texts)} comments; " + ", ".join(f"{name} {len(offered)}" for name, offered in found.items()))


if __name__ == "__main__":
    main()
