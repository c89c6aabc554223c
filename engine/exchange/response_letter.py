"""Writes a rebuttal as Markdown, as a letter that quotes each comment or one file per post; reads letters as replies.

Written letters are read by ``engine.reviews.letter``; replies are matched to comments by the label in the quotation
("R2.3"), otherwise by the quoted words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from rapidfuzz import fuzz

from engine.exchange.markdown_tokens import formulas_in
from engine.exchange.records import Export, ExportFile
from engine.rebuttal.letter import labelled, letter, posts
from engine.rebuttal.points import LABEL, Outline, Row, Section
from engine.rebuttal.records import Point, Quoting
from engine.rebuttal.slots import find_slots
from engine.reviews.letter import read_letter
from engine.reviews.limits import Limit
from engine.reviews.marks import MarkedText, Reading
from engine.reviews.roles import Letter
from engine.shown import counted

SAME = 80.0
"""Minimum partial similarity (0 to 100) at which quoted words match a comment."""
_COPIED = 90.0
"""That at which words are copied, so that usual phrases don't count."""
_TELLING = 20
_MOST = 0.6
_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Matched:
    """A reply of a letter and the comment that it answers, ``row``, or None if there is no match. ``word`` is set for
    an opening or closing."""

    row: Row | None
    quoted: str
    reply: str
    word: Point | None = None

    @property
    def point(self) -> Point | None:
        """Returns its place in the outline; None if it has none."""
        return self.row.point if self.row is not None else self.word


def write_letter(outline: Outline, name: str = "response.md") -> Export:
    """Returns the whole rebuttal as one letter with fully quoted comments."""
    content = letter(outline).encode()
    return Export((ExportFile(name, content),), loss(outline))


def write_posts(outline: Outline, limit: Limit, quoting: Quoting) -> Export:
    """Returns one file per post, exactly as it is pasted into the venue's form."""
    files = []
    for section in outline:
        for post in posts(section, limit, quoting):
            number = f"-{post.number}" if post.of > 1 else ""
            files.append(ExportFile(f"{slug(section.reviewer)}{number}.md", post.text.encode()))
    return Export(tuple(files), loss(outline))


def slug(name: str) -> str:
    return _SLUG.sub("-", name.casefold()).strip("-") or "reviewer"


def loss(outline: Outline, *, raw_formulas: bool = False) -> tuple[str, ...]:
    """Returns sentences on what is missing or unfinished: comments without a reply, open slots, unaccepted sentences.
    ``raw_formulas`` is for formats that can't typeset formulas."""
    missing = sum(not row.point.text.strip() for row in outline.rows)
    points = [point for section in outline for point in section.points]
    slots = sum(len(find_slots(point.text)) for point in points)
    generated = sum(len(point.generated) for point in points)
    sentences = []
    if missing:
        sentences.append(f"{counted(missing, 'unanswered comment is', 'unanswered comments are')} left out.")
    if slots:
        sentences.append(f"{counted(slots, 'slot is', 'slots are')} still open.")
    if generated:
        sentences.append(f"{counted(generated, 'generated sentence is', 'generated sentences are')} not accepted yet.")
    if raw_formulas and any(formulas_in(point.text) for point in points):
        sentences.append("Formulas are written as LaTeX between dollar signs.")
    return tuple(sentences)


def read_replies(letter: MarkedText | str, outline: Outline, reading: Reading | None = None) -> tuple[Matched, ...]:
    """Returns the replies of a letter with their comments, in order of the letter, and openings and closings if they
    can be identified. ``reading`` says which text is a reply; labels are then ignored.

    If the comments have labels, as in letters written by Rejoinder, a reply is all text up to the next one. Otherwise a
    quotation matches the most similar comment not matched yet; comments of the reviewer named in the letter get a bonus
    of 5. A row without a label is a comment outside of the outline. Raises BadInput for an empty letter.
    """
    marked = MarkedText(letter) if isinstance(letter, str) else letter
    return (() if reading else _by_labels(marked.text, outline)) or _by_words(marked, outline, reading)


def recalls_labels(letter: MarkedText, outline: Outline) -> bool:
    """Returns whether a letter refers to the comments by label, as letters written by Rejoinder do."""
    return bool(_by_labels(letter.text, outline))


_LABELLED = re.compile(
    rf"^(?P<quoted>>[ \t]?)?\*\*(?P<label>{LABEL})(?(quoted)(?:\*\*|(?=[ \t]))|\*\*)[ \t]*"
    r"(?P<rest>.*\n?(?:(?<=\n)>.*\n?)*)",
    re.MULTILINE,
)
_HEADING = re.compile(r"^#{1,3} (?P<name>.+?)[ \t]*$", re.MULTILINE)
_BREAK = re.compile(r"^(?:\*[ \t]*){3}$", re.MULTILINE)
_COUNTED = re.compile(r"^\(\d+/\d+\)\s+", re.MULTILINE)


def _by_labels(text: str, outline: Outline) -> tuple[Matched, ...]:
    """Matches replies by labels at the start of lines; () if most labels don't match the outline."""
    text = text.replace("\r\n", "\n")
    starts = list(_LABELLED.finditer(text))
    if any(match["quoted"] for match in starts):
        starts = [match for match in starts if match["quoted"]]
    places = {row.label: (section, row) for section in outline for row in section.rows}
    believed = [m for m in starts if m["label"] in places and _recalls(m, places[m["label"]][1])]
    if not believed or len(believed) < len(starts) / 2:
        return ()
    # A response may begin by quoting another comment's label.
    exact = {
        m.start(): _letters(places[m["label"]][1].words).startswith(_letters(_shown(m, places[m["label"]][1])))
        for m in believed
    }
    certain = {m["label"] for m in believed if exact[m.start()]}
    believed = [m for m in believed if exact[m.start()] or m["label"] not in certain]
    names = {_letters(section.reviewer) or section.reviewer for section in outline}  # ignores escapes
    heads = [m for m in _HEADING.finditer(text) if (_letters(m["name"]) or m["name"]) in names]
    found: list[Matched] = []
    begun: Section | None = None
    sharing: list[tuple[Row, str]] = []
    for at, match in enumerate(believed):
        section, row = places[match["label"]]
        if section is not begun:
            head = next((h for h in reversed(heads) if h.start() < match.start()), None)
            start = head.end() if head is not None else 0 if begun is None else match.start()
            opening = _COUNTED.sub("", re.sub(r"\A\s*# .*", "", text[start : match.start()])).strip()
            if opening:
                found.append(Matched(None, "", opening, section.opening))
            begun = section
        following = believed[at + 1] if at + 1 < len(believed) else None
        end = following.start() if following is not None else len(text)
        stop = next((h.start() for h in heads if match.end() <= h.start() < end), end)
        quoted, start = _quotation(match, row, text, stop)
        reply, closing = text[start:stop], ""
        if following is None or stop < end or places[following["label"]][0] is not section:
            reply, closing = _closed(reply if following else _unsigned(reply))
        sharing.append((row, quoted))
        if words := _EMPTY_QUOTE.sub("", _COUNTED.sub("", reply).strip()):
            found += [Matched(one, said, words) for one, said in sharing]
        if words or not (following and _shares(row, places[following["label"]][1])):
            sharing = []
        if closing:
            found.append(Matched(None, "", closing, section.closing))
    return tuple(found)


def _shares(row: Row, other: Row) -> bool:
    same = row.comment.same_response
    return bool(same) and same == other.comment.same_response


_EMPTY_QUOTE = re.compile(r"\A(?:>[ \t]*\n)+")
"""Separates the quoted comment from a reply that starts with a quotation."""


def _unsigned(reply: str) -> str:
    """Returns the last reply of a letter without a closing phrase and the names below it."""
    last = list(takewhile(lambda place: place.ends or not place.words, reversed(Letter(MarkedText(reply)).places)))
    signed = next((place for place in reversed(last) if place.closing), None)
    return reply[: signed.unit.outer] if signed is not None else reply


def _closed(reply: str) -> tuple[str, str]:
    """Splits the last reply to a reviewer from the closing after the last horizontal rule."""
    breaks = list(_BREAK.finditer(reply))
    if not breaks or not (reply[: breaks[-1].start()].strip() and reply[breaks[-1].end() :].strip()):
        return reply, ""
    return reply[: breaks[-1].start()], reply[breaks[-1].end() :].strip()


def _recalls(match: re.Match[str], row: Row) -> bool:
    """Returns whether the text after a label matches its comment; assumed if unquoted or under 20 letters."""
    return not match["quoted"] or len(_plain(match["rest"]).rstrip(" …")) < 20 or _says(_shown(match, row), row)


def _shown(match: re.Match[str], row: Row) -> str:
    """Returns the quoted words. In a PDF the reply may directly follow a shortened comment ("How …")."""
    words = match["rest"].partition("…")[0]
    return words if _letters(row.words).startswith(_letters(words)) else match["rest"]


def _quotation(match: re.Match[str], row: Row, text: str, stop: int) -> tuple[str, int]:
    """Returns the text quoted after a label, and where the reply starts. A comment may continue in unquoted paragraphs,
    as in a PDF, or the reply may be in the same paragraph; the comment's letters determine where it ends."""
    if not match["quoted"]:
        return "", match.start("rest")
    said, end = _letters(row.words), match.end()
    shown = _shown(match, row)
    if shown != match["rest"]:
        end = match.start("rest") + len(shown) + 1
        return text[match.start("rest") : end], end + (text[end : end + 1] == "*")
    quoted = _letters(match["rest"])
    if said.startswith(quoted) and len(quoted) < len(said):
        rest = said[len(quoted) :]
        if _letters(text[end:stop]).startswith(rest):
            end = _after(text, end, len(rest))
    elif quoted.startswith(said) and len(quoted) > len(said):
        end = _after(text, match.start("rest"), len(said))
    return text[match.start("rest") : end].strip(), end


def _letters(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def _after(text: str, start: int, letters: int) -> int:
    """Returns the position after the given number of letters from ``start``, extended to the end of the word."""
    at = start
    while letters > 0 and at < len(text):
        letters -= len(_letters(text[at]))
        at += 1
    while at < len(text) and not text[at].isspace():
        at += 1
    return at


def _by_words(letter: MarkedText, outline: Outline, reading: Reading | None) -> tuple[Matched, ...]:
    quoted: dict[tuple[int, int], dict[str, str]] = {}  # by response position: comment → reviewer
    replies: dict[tuple[int, int], str] = {}
    for comment in read_letter(letter, reading=reading).comments:
        if not comment.response_spans or not comment.response.strip():
            continue
        place = (comment.response_spans[0].start, comment.response_spans[-1].end)
        quoted.setdefault(place, {}).setdefault(comment.context or comment.comment, comment.reviewer)
        replies[place] = comment.response.strip()
    rows = [*outline.rows]
    silent = [Row(one, "", Point("reply", one.id)) for one in outline.silent]
    names = {one.id: one.reviewer for one in outline.silent}
    names |= {row.comment.id: section.reviewer for section in outline for row in section.rows}
    outstanding = all(_wrapped(reply) for reply in replies.values())
    found: list[Matched] = []
    for place, reply in replies.items():
        said = _unwrapped(reply) if outstanding else reply
        answered: list[Matched] = []
        for block, reviewer in quoted[place].items():
            words = labelled(block)[1]
            for among in (rows, silent):
                row = _quoted_row(block, [(r, names[r.comment.id] == reviewer) for r in among])
                same = [r for r in among if row is not None and (r is row or (_shares(row, r) and _says(words, r)))]
                for one in same:
                    among.remove(one)
                    answered.append(Matched(one, words, said))
                if same:
                    break
        first = labelled(next(iter(quoted[place])))[1]
        at = None if answered else _also_quoted(first, found)
        if at is not None:
            found[at] = replace(found[at], reply=f"{found[at].reply}\n\n{said}")
        else:
            found += answered or [Matched(None, first, said)]
    return tuple(found)


def _also_quoted(quote: str, found: Sequence[Matched]) -> int | None:
    """Returns which match has the comment of which the letter quotes another part; None if none."""
    rows = [(at, one.row.words) for at, one in enumerate(found) if one.row is not None]
    same = quoted_comments(quote, [words for _, words in rows])
    return rows[same[0]][0] if len(same) == 1 else None


def _quoted_row(block: str, rows: Sequence[tuple[Row, bool]]) -> Row | None:
    """Returns the row that a letter quotes, by label or words. ``rows`` say if the letter names their reviewer."""
    label, words = labelled(block)
    plain = _plain(words.rstrip(" …"))
    row = next((row for row, _ in rows if label and row.label == label), None)
    if row is not None and (len(plain) < 20 or _says(words, row)):
        return row
    scored = [(fuzz.partial_ratio(plain, _plain(row.words)), own, -n, row) for n, (row, own) in enumerate(rows)]
    good = [entry for entry in scored if entry[0] >= SAME]
    return max(good, key=lambda entry: (entry[0] + 5 * entry[1], entry[2]))[3] if good else None


def _says(words: str, row: Row) -> bool:
    """Returns whether quoted words are similar to a comment or a part of it, or contain it."""
    return fuzz.partial_ratio(_plain(words.rstrip(" …")), _plain(row.words)) >= SAME


def quoted_comments(quote: str, comments: Sequence[str]) -> tuple[int, ...]:
    """Returns which comments a letter quotes: the one that has these words, almost word for word, or several that make
    up most of them. Quotations and comments of fewer than 20 letters count as no quotation."""
    words, plain = _plain(labelled(quote)[1].rstrip(" …")), [_plain(one) for one in comments]
    if len(words) < _TELLING:
        return ()
    scored = [
        (fuzz.partial_ratio(words, one, score_cutoff=_COPIED), -n)
        for n, one in enumerate(plain)
        if len(one) >= len(words)
    ]
    if scored and max(scored)[0]:
        return (-max(scored)[1],)
    parts = [n for n, one in enumerate(plain) if _TELLING <= len(one) < len(words)]
    parts = [n for n in parts if fuzz.partial_ratio(plain[n], words, score_cutoff=_COPIED)]
    return tuple(parts) if sum(len(plain[n]) for n in parts) >= _MOST * len(words) else ()


_WRAPPED = re.compile(r"(\*{1,3})(?=[^\s*])(?P<inner>[^*]+?)(?<=\S)\1")


def _wrapped(reply: str) -> bool:
    return all(_WRAPPED.fullmatch(paragraph.strip()) for paragraph in reply.split("\n\n"))


def _unwrapped(reply: str) -> str:
    """Removes emphasis; for letters in which it marks all replies."""
    return "\n\n".join(_WRAPPED.sub(r"\g<inner>", paragraph.strip()) for paragraph in reply.split("\n\n"))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_>`\\]", " ", text).split()).casefold()


def same_words(one: str, other: str) -> bool:
    """Returns whether two replies have the same letters and digits, ignoring markup."""
    return _letters(one) == _letters(other)
