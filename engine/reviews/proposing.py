"""Proposes the reading of a letter: tries all readings that its marks allow and ranks them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from engine.reviews.blocks import Block, blocks_of
from engine.reviews.layout import Unit, read_units
from engine.reviews.marks import MarkedText, Reading, Role
from engine.reviews.roles import LONG, Letter, Proposal

_MOST = 16
"""Maximum number of a letter's marks to try."""

_ASKS = re.compile(
    r"comment|\bcom\b|point|concern|question|remark|critique|query|review|referee|\brc\b|\brev|\bref|quote|issue|said",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"reply|respon|answer|rebut|author|\b(?:ar|au|resp|ans|we)\b|\bour", re.IGNORECASE)


def _kind(mark: str) -> str:
    """Returns the kind of a mark."""
    kind = mark.partition(" ")[0]
    if mark == "quoted twice":
        return mark
    kinds = {"quoted", "indented", "heading", "bullet", "numbered", "column", "begins"}
    if mark.startswith(("in quotation", "in the margin")) or kind in kinds:
        return kind if kind != "in" else mark
    return "named" if kind in ("in", "by") else "style"


def features(letter: Letter, reading: Reading) -> tuple[dict[str, float], tuple[Role | None, ...]]:
    """Returns the features for and against a reading, and every paragraph's role under it."""
    placed = letter.placed(reading, LONG)
    weight = {"comment": 0.0, "response": 0.0}
    said = {"comment": 0.0, "response": 0.0}
    total = unplaced = first = 0.0
    started = False
    blocks = answered = turns = units = foreign = labelled = led = titled = against = 0
    quoting = any(mark.startswith("quoted") for mark in reading.response)
    before = turn = None
    colours: dict[str, Counter[Role]] = {}
    for place, p in zip(letter.places, placed, strict=False):
        role = p.role
        started = started or role is not None or bool(place.name)
        if not started and place.voice < -0.2 and place.unit.kind == "text":
            total += place.weight  # a reviewer's text that the reading leaves out
            unplaced += place.weight
        if not started or place.unit.kind == "rule" or place.field or (place.title and role is None):
            turn = place.turns if place.title else turn
            continue
        total += place.weight
        units += 1
        if turn:
            titled += 1
            against += role is not None and role != turn
        turn = None
        if role is None:
            unplaced += place.weight
            continue
        weight[role] += place.weight
        for mark in place.colours:
            colours.setdefault(mark, Counter())[role] += 1
        said[role] += place.weight * place.voice
        if role == "comment" and (before != "comment" or p.opens):
            blocks += 1
        elif role == "response" and before == "comment":
            answered += 1
            first += place.voice
            foreign += bool(p.unit.depth) and not quoting
        turns += role != before
        if place.answers and not place.title:
            labelled += 1
            led += role == "response" and before == "comment"
        before = role
    roles = tuple(p.role for p in placed)
    if not weight["response"] or not weight["comment"] or not answered:
        return {}, roles
    theirs, ours = said["comment"] / weight["comment"], said["response"] / weight["response"]
    if reading.comment and len(letter.labelled) > 2 and not any(reading.comment & marks for marks in letter.labelled):
        return {}, roles  # what the letter itself labels as comments has other marks
    found = {
        "ours": ours, "theirs": -theirs, "unplaced": unplaced / total, "answered": answered / blocks,
        "against": against / max(3, titled),
        "foreign": foreign / answered, "unled": 1 - 2 * led / (labelled + answered) if labelled > 1 else 0.0,
        "first": first / answered, "few": 1.0 / answered, "turns": turns / (units + 6),
        "share": abs(weight["comment"] / (weight["comment"] + weight["response"]) - 0.45),
        "marks": float(bool(reading.comment)) + bool(reading.response), f"rest {reading.rest}": 1.0,
    }  # fmt: skip
    found["collected"] = float(reading == Reading(rest="comment") and any(place.collects for place in letter.places))
    found["stated"] = float(reading == letter.stated)
    found["mixed"] = max(
        (min(of["comment"], of["response"]) / of.total() for of in colours.values() if of.total() > 3), default=0.0
    )
    begins = next((at for at, place in enumerate(letter.places[:LONG]) if place.name), 0)
    firsts = {next((role for role in some if role), None) for some in (roles, roles[begins:])}
    found["backwards"] = float(firsts == {"response"})
    if letter.turned and reading.rest == "same" and not reading.comment | reading.response:
        found["turned"] = 1.0
    for role, marks, right, wrong in (
        ("comment", reading.comment, _ASKS, _ANSWERS),
        ("response", reading.response, _ANSWERS, _ASKS),
    ):
        for mark in marks:
            kind = _kind(mark)
            found[f"{role} {kind}"] = 1.0
            if kind in ("named", "begins") or mark.startswith("style "):
                name = mark.partition(" ")[2]
                said_by = float(bool(right.search(name))) - bool(wrong.search(name))
                found["name"] = max(-1.0, min(2.0, found.get("name", 0.0) + said_by / len(marks)))
    return found, roles


# fmt: off
_WEIGHTS: dict[str, float] = {
    "against": -2.0, "answered": 1.56, "backwards": -0.8, "collected": 6.0, "comment indented": -0.84,
    "comment named": 0.09, "comment quoted": 1.53, "comment style": 0.79, "few": -1.52, "first": 0.5, "foreign": -3.0,
    "marks": -0.65, "mixed": -4.0, "name": 0.45, "ours": 0.9, "response begins": -0.28, "response indented": 0.42,
    "response named": 0.45, "response numbered": 0.42, "response style": 0.6, "rest comment": -0.08,
    "rest response": 0.68, "rest same": 0.35, "rest wording": -0.78, "share": -0.58, "stated": 4.0, "theirs": 4.57,
    "turned": 3.0, "turns": 6.39, "unled": -4.0, "unplaced": -2.38,
}
# fmt: on
"""Fitted so that the reading with the most correct comments is proposed: softmax over a letter's readings. Set by hand:
"against" (what follows a title that says whose turn it is belongs to them), "backwards" (responses rarely precede what
they answer), "collected" (all points are answered further down, by number), "foreign" (responses don't begin with a
quotation unless quotations are the responses), "mixed" (text of one colour isn't on both sides), "stated" (the letter
says so), "turned" (titles say whose turn it is), and "unled" (if responses have labels, each begins with one)."""


def _scored(letter: Letter, reading: Reading) -> tuple[float, tuple[Role | None, ...]]:
    found, roles = features(letter, reading)
    return (sum(_WEIGHTS.get(name, 0.0) * value for name, value in found.items()) if found else -100.0), roles


def _candidates(letter: Letter) -> Iterator[Reading]:
    """Yields all readings that the letter's own marks allow."""
    units = [place.unit for place in letter.places[:LONG] if place.unit.kind != "rule" and place.name is None]
    counts = Counter(mark for unit in units for mark in sorted(unit.marks))
    marks = [mark for mark, count in counts.most_common(_MOST) if count < len(units)]
    yield Reading()
    yield Reading(rest="wording")
    if letter.labels_responses:
        yield Reading(rest="comment")
    for mark in marks:
        one = frozenset({mark})
        for rest in ("response", "same", "wording"):
            yield Reading(comment=one, rest=rest)
        for rest in () if mark.startswith("heading") else ("comment", "same", "wording"):
            yield Reading(response=one, rest=rest)  # type: ignore[arg-type]
    for ours, theirs in permutations(marks, 2):
        if ours.startswith("heading"):
            continue  # a title isn't a response
        yield Reading(frozenset({theirs}), frozenset({ours}))
    initials = frozenset(mark for mark in marks if re.fullmatch(r"begins [A-Z]+", mark) and not _ASKS.search(mark))
    if len(initials) > 1:  # several authors answer
        yield Reading(response=initials, rest="comment")
    if letter.stated is not None:
        yield letter.stated
    # Several commands or styles may have names that say whose text they contain.
    named = [mark for mark in counts if _kind(mark) == "named" or mark.startswith("style ")]
    theirs_all = frozenset(mark for mark in named if _ASKS.search(mark) and not _ANSWERS.search(mark[3:]))
    ours_all = frozenset(mark for mark in named if _ANSWERS.search(mark[3:]) and not _ASKS.search(mark))
    if len(theirs_all) > 1 or len(ours_all) > 1:
        for rest in ("same", "comment", "response"):
            yield Reading(theirs_all, ours_all, rest)  # type: ignore[arg-type]


def propose(marked: MarkedText) -> tuple[Letter, Proposal]:
    """Returns the letter's paragraphs and the readings that fit it, best first; one per assignment of roles."""
    best: tuple[float, Letter, list[tuple[float, Reading]]] | None = None
    first: Letter | None = None
    variants = [(True, False), *([(False, False)] if _GOES_ON.search(marked.text) else [])]
    variants += [(True, True)] if 4 * len(_TURNS.findall(marked.text)) > len(_BREAKS.findall(marked.text)) else []
    for lazy, turns in variants:
        units = read_units(marked, lazy=lazy, turns=turns)
        if first is not None and units == first.read:
            continue
        letter = Letter(marked, known=units)
        first = first or letter
        seen: dict[tuple[Role | None, ...], tuple[float, Reading]] = {}
        for reading in _candidates(letter):
            score, roles = _scored(letter, reading)
            if score > seen.get(roles, (0.0, reading))[0]:
                seen[roles] = (score, reading)
        found = sorted(seen.values(), key=lambda one: -one[0])
        top = found[0][0] if found else 0.0
        if best is None or top > best[0]:
            best = (top, letter, found)
    assert best is not None
    _, letter, found = best
    readings = tuple(reading for _, reading in found[:6])
    if readings and _is_answered(letter, readings[0], found[0][0]):
        proposed = replace(readings[0], doubtful=found[0][0] < _CERTAIN)
        return letter, Proposal((proposed, *readings[1:]), answers=True)
    review = as_review(marked, first.read if first else ())
    opening = review.places[:LONG]
    prose = [place for place in opening if place.unit.kind == "text"]
    said = sum(place.voice * place.weight for place in prose) / max(1, sum(place.weight for place in prose))
    greeted = [_GREETS.match(marked.text, place.unit.start) for place in opening if place.greeting]
    greets = any(greeted)
    # Reviewers write to editors, too, but not in the voice of authors.
    by_authors = any(found and (found[1].lower() != "editor" or said > _REVIEWERS_VOICE) for found in greeted)
    titles = [place.turns for place in opening if place.name]
    to_them = titles.count("response") > 0.5 * len(titles)
    least = -0.02 if letter.named else -0.06
    for at, (score, reading) in enumerate(found[:6] if greets or to_them else ()):
        by, _ = features(letter, reading)
        likely = score >= _LIKELY or (score >= _LEAST and min(by["ours"], by["first"]) > 0.25)
        if reading.comment | reading.response and by["theirs"] > 0.1 and likely:
            others = (*readings[:at], *readings[at + 1 :])
            return letter, Proposal((replace(reading, doubtful=True), *others), answers=True)
    unnamed = not any(place.name or place.part or place.unit.list_mark for place in opening)
    mail = unnamed and any(place.greeting for place in opening[:2]) and any(place.closing for place in opening)
    if by_authors or to_them or (mail and said > -0.2) or (_is_latin(marked.text) and said > least):
        return letter, Proposal((), answers=by_authors or to_them or mail or said > 0)  # neutral text may be either's
    doubtful = bool(found) and found[0][0] >= _LIKELY
    return review, Proposal((replace(REVIEW, doubtful=doubtful), *readings), answers=False)


_GOES_ON = re.compile(r"(?:^|[\r\n])[ \t]{0,3}>[^\r\n]*(?:\r\n?|\n)(?![ \t]*(?:[>\r\n]|$))")
"""An unmarked line directly below a quoted one."""
_TURNS = re.compile(r"[.?!][ \t]*(?:\r\n?|\n)[ \t]*(?=[A-Z])")
_BREAKS = re.compile(r"\S[ \t]*(?:\r\n?|\n)[ \t]*(?=\S)")
_GREETS = re.compile(r"\W*dear (?:[\w-]+,? ){0,4}(reviewer|referee|editor)s?\b", re.IGNORECASE)
"""A greeting that authors use."""
_REVIEWERS_VOICE = -0.45
"""From here down, a text to an editor speaks about the authors, not as they do."""
REVIEW = Reading(rest="review")
"""A review without responses."""


def as_review(marked: MarkedText, known: tuple[Unit, ...] = ()) -> Letter:
    """Reads a text's paragraphs as those of a review, in which intended line ends also end paragraphs. ``known``: the
    paragraphs, if they were already read."""
    return Letter(marked, split=not marked.converted, known=known)


def _is_latin(text: str) -> bool:
    words = re.findall(r"[a-zA-Z]+|[^\W\d_]", text[:5000])
    return 2 * sum(map(str.isascii, words)) > len(words)


def _is_answered(letter: Letter, reading: Reading, score: float) -> bool:
    """Returns whether the responses of a reading really are responses: its score is high, its marks are those of
    quotations, or the responses are in the authors' voice. Its comments must not be in the authors' voice."""
    found, _ = features(letter, reading)
    theirs, ours = -found["theirs"], found["ours"]
    if score < _LEAST or not any(block.response for block in blocks_of(letter.placed(reading))):
        return False
    quoted = any(mark.startswith("quoted") for mark in reading.comment | reading.response)
    said = quoted or found.get("name", 0.0) > 0 or letter.labels_responses
    in_turn = found["few"] <= 0.25 and found["turns"] >= 0.5 and found["answered"] > 0.9
    named, in_turn = in_turn and found.get("name", 0) > 0, in_turn and theirs < ours
    least = -0.6 if named else -0.35 if score >= _CERTAIN else -0.3 if quoted or in_turn else -0.1
    if ours < least and not letter.turned:
        return False
    foreign = not theirs and not (ours and _is_latin(letter.text))  # a language without voice patterns
    # In short comments, a response that lacks its label weighs more than all of them.
    taking_turns = letter.labels_responses and in_turn
    if not (foreign or taking_turns) and theirs > (
        0.2 if said else 0.03 if (letter.named or letter.labelled) and ours > 0.25 else -0.03
    ):
        return False
    foreign = foreign and any(_kind(mark) in ("named", "style") for mark in reading.comment)
    return (
        score >= _CERTAIN
        or said
        or in_turn
        or foreign
        or (score > _LIKELY and ours > 0.02 and found["first"] > 0.02 and ours - theirs > 0.15)
    )


_LEAST = 3.0
"""The minimum score of all correct readings of letters."""
_LIKELY = 4.5
"""Below this score a reviewer's "we" or "thank you" may have been taken for an answer."""
_CERTAIN = 6.3
"""A score that no reading of a review and few wrong readings reach."""


def text_readings(marked: MarkedText) -> tuple[Reading, ...]:
    """Returns how a letter or review may be read, best first; first as a review if most comments aren't answered."""
    letter, proposal = propose(marked)
    if not proposal.answers:
        return proposal.readings or (REVIEW,)
    if not proposal.readings:
        return ()
    blocks = list(blocks_of(letter.placed(proposal.readings[0])))
    answered = sum(bool(block.response) for block in blocks) > 0.5 * len(blocks)
    return proposal.readings if answered else (replace(REVIEW, doubtful=True), *proposal.readings)


def letter_readings(marked: MarkedText) -> tuple[Reading, ...]:
    """Returns how a response letter may be read, best first; () for a review."""
    readings = text_readings(marked)
    return readings if readings and readings[0].rest != "review" else ()


def blocks_in(text: str) -> tuple[Block, ...]:
    """Returns the comments of a text with their responses, under the best reading; () if there is none."""
    letter, proposal = propose(MarkedText(text))
    return tuple(blocks_of(letter.placed(proposal.readings[0]))) if proposal.readings else ()
