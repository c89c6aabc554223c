"""Word differences inside an edit: whole words, cleaned up so that they read as a person would mark them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from engine.revision.records import WordChange
from engine.revision.words import CITATION, NUMBER, SPACE, Token, tokens

ADDED = ("[+", "+]")
DELETED = ("[-", "-]")
"""The marks of the diff form (ARIES, section 5)."""

_OPERATIONS: dict[int, Literal["equal", "delete", "insert"]] = {0: "equal", -1: "delete", 1: "insert"}
_WORD_PLANES = ((0x4E00, 0x9FFF), (0x20000, 0x2A6DF))
_SIGN_PLANE = 0xE000


def word_changes(source_text: str, target_text: str) -> tuple[WordChange, ...]:
    """The runs that lead from ``source_text`` to ``target_text``, in order, whole words and signs only.

    Source ranges of equal and deleted runs tile the source text, target ranges of equal and inserted runs the target
    text. Equal runs say the same but may be set differently (white space, quotes, dashes, ligatures, automatic
    numbers); their ``text`` is that of the target. Minimal by the longest common subsequence, then semantic clean-up by
    diff-match-patch, in which a word is one character.
    """
    from diff_match_patch import diff_match_patch
    from rapidfuzz.distance import LCSseq

    old, new = _units(source_text), _units(target_text)
    old_code, new_code = _encode(old, new)
    script: list[tuple[int, str]] = []
    for run in LCSseq.opcodes(old_code, new_code):
        if run.tag == "equal":
            script.append((0, old_code[run.src_start : run.src_end]))
        else:
            if run.src_end > run.src_start:
                script.append((-1, old_code[run.src_start : run.src_end]))
            if run.dest_end > run.dest_start:
                script.append((1, new_code[run.dest_start : run.dest_end]))
    cleaner = diff_match_patch()
    cleaner.diff_cleanupMerge(script)
    cleaner.diff_cleanupSemantic(script)
    return tuple(_changes(script, source_text, target_text, old, new))


def diff_form(changes: Sequence[WordChange]) -> str:
    """The difference as one line of text: ``kept [- deleted -] [+ added +] kept``."""
    parts: list[str] = []
    for change in changes:
        text = " ".join(change.text.split())
        if not text:
            continue
        if change.operation == "equal":
            parts.append(text)
        else:
            opening, closing = ADDED if change.operation == "insert" else DELETED
            parts.append(f"{opening} {text} {closing}")
    return " ".join(parts)


def added_text(changes: Sequence[WordChange]) -> str:
    """What was inserted, run by run, one space between runs."""
    return _joined(changes, "insert")


def deleted_text(changes: Sequence[WordChange]) -> str:
    """What was deleted, run by run, one space between runs."""
    return _joined(changes, "delete")


def _joined(changes: Sequence[WordChange], operation: str) -> str:
    return " ".join(" ".join(c.text.split()) for c in changes if c.operation == operation and c.text.strip())


def _units(text: str) -> list[Token]:
    """Words and signs, each with the white space that follows it (the first one also with what precedes it)."""
    units: list[Token] = []
    lead = 0
    for token in tokens(text):
        if token.key != SPACE:
            units.append(Token(0 if not units else token.start, token.end, token.key))
        elif units:
            last = units[-1]
            units[-1] = Token(last.start, token.end, last.key)
        else:
            lead = token.end
    if not units and lead:
        units.append(Token(0, lead, SPACE))
    return units


def _encode(old: Sequence[Token], new: Sequence[Token]) -> tuple[str, str]:
    """Both texts with one character for each distinct key: letters for words, non-letters for punctuation.

    The semantic clean-up prefers to begin and end a run beside a character that is no letter.
    """
    letters = (chr(code) for first, last in _WORD_PLANES for code in range(first, last + 1))
    code: dict[str, str] = {}
    signs = 0
    for unit in (*old, *new):
        if unit.key in code:
            continue
        if any(ch.isalnum() for ch in unit.key) or unit.key[:1] in (CITATION, NUMBER) or signs > 6000:
            code[unit.key] = next(letters)
        else:
            code[unit.key] = chr(_SIGN_PLANE + signs)
            signs += 1
    return "".join(code[unit.key] for unit in old), "".join(code[unit.key] for unit in new)


def _changes(
    script: Sequence[tuple[int, str]], source_text: str, target_text: str, old: Sequence[Token], new: Sequence[Token]
) -> Iterator[WordChange]:
    i = j = 0

    def place(units: Sequence[Token], at: int, text: str) -> int:
        return units[at].start if at < len(units) else len(text)

    for operation, run in script:
        i_end = i + len(run) if operation <= 0 else i
        j_end = j + len(run) if operation >= 0 else j
        source = (place(old, i, source_text), place(old, i_end, source_text))
        target = (place(new, j, target_text), place(new, j_end, target_text))
        text = source_text[slice(*source)] if operation < 0 else target_text[slice(*target)]
        yield WordChange(_OPERATIONS[operation], text, source, target)
        i, j = i_end, j_end
