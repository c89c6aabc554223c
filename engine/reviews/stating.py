"""What a letter itself states about its looks ("our responses are in blue")."""

import re
from collections.abc import Collection

from engine.reviews.marks import Reading, Rest, describe

_SAID = re.compile(
    r"\b(?P<response>(?:response|repl(?:y|ie)|answer)s?\b"
    r"(?: to [^.,;:]{0,40}?(?:comment|reviewer|referee|report)s?\b)?)|"
    r"\b(?P<comment>(?:comment|report|review|remark|reviewer|referee)s?)\b|"
    r"\b(?P<change>(?:change|edit|revision|modification|manuscript|paper)s?)\b|"
    r"\b(?:in|are|is) (?:\w+ ){0,2}?(?P<look>blue|red|green|purple|italic|bold|underlined)|(?P<end>[.!?]\s)",
    re.IGNORECASE,
)


def stated(text: str, marks: Collection[str]) -> tuple[Reading | None, int]:
    """Returns the reading that the letter itself states ("our responses are in blue"), if it has such text, and where
    it has said so."""
    found: dict[str, set[str]] = {"comment": set(), "response": set(), "change": set()}
    whose, end = "", 0
    for match in _SAID.finditer(text, 0, 3000):
        if match.lastgroup != "look":
            whose = "" if match.lastgroup == "end" else match.lastgroup or ""
        elif whose:
            looks = {match["look"].lower(), *_ALSO.get(match["look"].lower(), ())}
            found[whose] |= {m for m in marks if (m if " " not in m else describe(m)[:-5]) in looks}
            end = match.end()
    ours, theirs = (found["response"] and found["response"] | found["change"]), found["comment"]
    rest: Rest = "same" if ours and theirs else "comment" if ours else "response"
    return (Reading(frozenset(theirs), frozenset(ours), rest), end) if ours or theirs else (None, 0)


_ALSO = {"blue": ("cyan", "dark blue"), "red": ("dark red",), "purple": ("magenta",)}
