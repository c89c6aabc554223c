"""Names in letters: labels of paragraphs ("Comment 1.2:"), reviewers named in titles, lines that are fields."""

import re
from dataclasses import dataclass
from typing import Literal

LabelKind = Literal["comment", "response", "code", "reviewer"]


@dataclass(frozen=True, slots=True)
class Label:
    """A paragraph's label ("Comment 1.2:", "Response", "R2:"); ``reviewer`` is the speaker that it names, if any.

    ``code`` is a bare letter with a number (Q3:, R1:, C2:, A:), whose meaning depends on the whole letter; for other
    labels, ``word`` is the number. ``end`` is the offset where the labelled text starts.
    """

    kind: LabelKind
    end: int
    word: str = ""
    reviewer: str = ""


FIELD = re.compile(
    r"[ \t>*_#-]*+(?P<name>rating|(?:overall |total )?score|(?:overall )?confidence(?: score)?|"
    r"(?:overall )?recommendation|decision|"
    r"soundness|presentation|contribution|originality|significance|clarity|quality|"
    r"overall (?:merit|evaluation|rating|score)|"
    r"(?:reviewer )?expertise|submission|paper(?: (?:id|number|title))?|title|authors?|track|"
    r"review(?:er)?(?:'s)? (?:id|name)|masked reviewer id|"
    r"manuscript (?:id|number|title)|corresponding author|date|subject|from|to|cc|"
    r"flag for ethics review|details of ethics concerns|code of conduct(?: acknowledgement)?|"
    r"(?P<capitals>(?-i:[A-Z][A-Z /-]{2,40}))|"
    r"(?-i:[A-Z][a-z]+(?: [\w-]+){0,3})(?=:[ \t]*\d[ \t]*[(/][^\r\n]{1,60}$))"
    r"[ \t*_]*+[:：][ \t*_]*+(?P<value>\S[^\r\n]{0,160}?)[ \t*_]*+$",
    re.IGNORECASE,
)

_NUMBER_WORDS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5",
}  # fmt: skip
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ORDINAL = re.compile(
    rf"\b(?:({'|'.join(_ORDINALS)})|([1-9])(?:st|nd|rd|th))[ \t]+(?:anonymous[ \t]+)?(reviewer|referee)\b",
    re.IGNORECASE,
)
_PERSON = (
    r"(?:reviewer|referee|review|rev\.|(?:reviewing|handling|associate|academic|senior|guest) editor|"
    r"(?:chief )?editor(?:[- ]in[- ]chief)?|area chair|meta[- ]?review(?:er)?|AC|AE|SAC|"
    r"gutachter(?:in)?|rezensent(?:in)?|rapporteur|relecteur|évaluateur|revisor(?:/?a)?|evaluador(?:/?a)?|revisore|recenzent|"
    r"рецензент|hakem|审稿人|评审人|審稿人|査読者|심사자)"
)


def _who(suffix: str = "", *, numbered: bool = False) -> str:
    """Returns a pattern for a reviewer's name with groups ``person`` and ``number``, each with ``suffix``."""
    optional = "" if numbered else "?"
    return (
        rf"(?P<person{suffix}>{_PERSON})(?:['’]s?)?[ \t]*(?:no\.?|number|num\.?|nr\.?|nº|id)?[ \t]*[#:№]?[ \t]*"
        rf"(?P<number{suffix}>\d{{1,4}}[A-Z]|\d{{1,2}}|(?<=[\s#:№])(?:one|two|three|four|five|six|seven|eight|I{{1,3}}|IV|V|[A-Z]|[A-Z0-9]{{4}}))"
        rf"{optional}(?![\w])"
    )


_OPEN = r"[ \t]*[*_`\[({<]*+[ \t]*"
_NUMBERED = rf"{_OPEN}(?:(?<=[*_])\d[\d,. ]{{0,20}}[.):]?[ \t]+)?"
"""Emphasised labels may start with the number ("**1. Response:**"); before others a number is a list mark."""
_CLOSE = r"(?:[*_`\])}>])*"
_ASK = (
    r"(?:general|major|minor|specific|main|additional|other|detailed|overall|"
    r"technical)?[ \t]*(?:comments?|points?|questions?|concerns?|"
    r"issues?|remarks?|quer(?:y|ies)|critiques?|weakness(?:es)?|suggestions?|requests?|criticisms?|quote|"
    r"kommentare?|anmerkung(?:en)?|hinweise?|commentaires?|remarques?|coment[aá]rios?|observaci[oó]n(?:es)?|comment[oi]|uwagi?|"
    r"opmerking(?:en)?|замечани[ея]|комментари[йи]|вопрос|yorum|意见|意見|问|問|评论|问题|コメント|의견)"
)
_COUNT = (
    r"[ \t]*[#№]?[ \t]*(?:no\.?[ \t]*)?(?!no\b)(?:[A-Z]{0,2}\d{1,3}|[IVXivx]{1,5}|"
    r"[a-z])(?:[.\-–][A-Z]{0,2}\d{1,3})*[a-z]?(?![\w])"
)
_SEPARATOR = (
    # After a number, a capital is enough: "Point 2.1 The authors ..."
    rf"(?:(?<=\d)(?=[ \t]+(?-i:[A-Z“]))|"
    rf"[ \t]*{_CLOSE}[ \t]*(?:(?:[:.)\]–—]|-{{1,2}}(?=[ \t]|$))+{_CLOSE}(?=\s|$|[*_\"“‘'(A-Z])|：|$|"
    # and text after italics must not continue in lower case.
    rf"(?<=[*_\]])(?:(?<=\*\*)|(?<=__)|(?<=\])|(?=[ \t]+(?-i:[^a-z\s])))(?=[ \t])))"
)
_RESPONSE_LABEL = re.compile(
    rf"{_NUMBERED}(?:(?:our|my|the|an)[ \t]+)?(?:authors?['’]?s?['’]?[ \t]+)?(?:response|reply|replies|answer|"
    rf"rebuttal|repsonse|reponse|resp\.?|ans\.?|antwort|antwoord|erwiderung|réponse|respuesta|resposta|risposta|odpowiedź|ответ|yanıt|cevap|回复|回覆|답변|答复|回答|答)s?"
    rf"(?:[ \t]*(?:to|for|from)(?:[ \t]+(?:the|this|all|both|of|above|these|"
    rf"authors?))*(?:[ \t]+{_who('1')})?[,:;. \t\-–]*(?:{_ASK}|R\d|)(?:{_COUNT})?)?(?:{_COUNT})?"
    rf"(?:[ \t]*\([^()\n]{{1,40}}\))?{_SEPARATOR}|[ \t]*(?:-+>|=+>|[→➔⇒➜]|\$\\(?:long)?rightarrow\$|>>>)[ \t]*(?=\S)"
    rf"|{_OPEN}(?:authors?['’]?|au|AR|AU)(?:{_COUNT})?[ \t]*{_CLOSE}[ \t]*:{_CLOSE}"
    rf"|{_OPEN}(?:action(?:s)?(?: taken)?|changes?(?: made)?(?: in the (?:manuscript|paper))?|"
    rf"revision)[ \t]*{_CLOSE}:{_CLOSE}(?=\s|$)",
    re.IGNORECASE,
)
_COMMENT_LABEL = re.compile(
    rf"{_NUMBERED}(?:{_who()}['’]?s?[ \t]*{_CLOSE}[ \t]*[,:;.\-–—]*[ \t]*{_OPEN})?(?:the[ \t]+)?{_ASK}(?:{_COUNT})?"
    rf"(?:[ \t]*(?:from|by|of)[ \t]+(?:the[ \t]+)?{_who('1')})?[ \t]*(?:\([^()\n]{{1,60}}\))?{_SEPARATOR}"
    rf"|{_OPEN}{_who('2', numbered=True)}[ \t]*{_CLOSE}(?:[ \t]*[,:;.\-–—]+[ \t]*|[ \t]+){_OPEN}"
    rf"[#]?[CQP]?\d{{1,3}}(?:\.\d{{1,3}})*[a-z]?{_SEPARATOR}"
    rf"|{_OPEN}(?:R|Rev|Ref)[ \t]?(?P<number3>\d{{1,2}})[ \t]*(?:[.,:/\-–_ ]{{0,2}}(?:C|Q|P|comment|point)?"
    rf"[ \t#]*\d{{1,3}}[a-z]?)(?:\.\d{{1,3}})*(?:{_SEPARATOR}|(?<=\.\d)(?=[ \t])|(?<=\.\d\d)(?=[ \t]))"
    rf"|{_OPEN}(?P<person3>(?-i:AE|AC|SAC))[ .\-–][CQP]?\d{{1,3}}{_SEPARATOR}",
    re.IGNORECASE,
)
_CODE_LABEL = re.compile(
    rf"{_OPEN}(?![WPE]\.[ \t])(?P<letter>[QACRWPE])(?P<count>(?:\d{{1,3}}(?:\.\d{{1,3}})*)?)[ \t]*"
    rf"{_CLOSE}(?:[:.)]{_CLOSE}(?=\s|$)|：|(?<=\])(?=[ \t]))"
)
_SPEAKER_LABEL = re.compile(
    rf"{_OPEN}(?:(?:comments?|remarks?|review)[ \t]+(?:from|by|"
    rf"of)[ \t]+(?:the[ \t]+)?)?{_who()}[ \t]*(?:wrote|writes|said|says|asks|comments?|"
    rf"\([^()\n]{{1,60}}\))?[ \t]*{_CLOSE}[ \t]*:{_CLOSE}(?=\s|$)",
    re.IGNORECASE,
)
_REVIEWER_TITLE = re.compile(
    # Possessive quantifier (*+): avoids backtracking on lines that aren't titles.
    r"(?:[\W_]|(?:our|the|authors?|point|by|detailed|letters?|responses?|reply|replies|rebuttal|answers?|comments?|reviews?|"
    r"report|remarks|feedback|concerns|points|questions|raised|made|to|from|of|for|and|on|evaluations?|anonymous|"
    r"changes|requested|antwort(?:en)?|an|auf|den|die|réponses?|aux?|du|respuestas?|al|a|del|de|la|comentarios|"
    r"commentaires)\b(?!\s*\d)"
    r"(?!\W*$))*?"
    rf"{_who()}(?:['’]?s?\b)?(?:\((?:[^()]|\([^()]{{0,40}}\)){{0,80}}\)|[\W_]|\d|(?:comments?|remarks?|reviews?|report|evaluation|general|major|"
    r"minor|specific|response|for|to|the|authors?|public|confidential|suggestions?|points?|questions?|concerns?|reply|"
    r"rebuttal|overall|summary|and|rating|score|confidence|our|answers|round|revisions?)\b)*+$",
    re.IGNORECASE,
)

_OWN_COMMENT = re.compile(
    r"\W*(?P<person>reviewer|referee)['’]?s? (?:comment|point|question|remark|concern|issue) ?#?"
    r"(?:(?P<number>\d{1,2})[.-])?\d{1,3}[a-z]?\W*",
    re.IGNORECASE,
)
"""Matches "Reviewer comment 2.13": the thirteenth of reviewer 2; without a dot, the number is only the comment's."""

_REVIEW_BY = re.compile(
    rf"\W*(?:[\w-]+ ){{0,2}}(?:reviews?|report|comments?|evaluation|assessment) (?:of|on|for)\b.{{1,160}}\W"
    rf"by (?:anonymous )?{_who(numbered=True)}\W*",
    re.IGNORECASE,
)
"""Matches the title of a review that names the paper first: "Official Review of Paper 12 by Reviewer 2A"."""


def normal_number(number: str) -> str:
    """Normalises reviewer numbers: 'two' and 'II' become '2'."""
    return _NUMBER_WORDS.get(number.lower(), number)


def reviewer_name(title: str) -> str | None:
    """Returns the reviewer named by a heading or short line ("Response to Referee #2" -> "Referee 2"), or None."""
    text = _ORDINAL.sub(lambda m: f"{m[3]} {m[2] or _ORDINALS.index(m[1].lower()) + 1}", " ".join(title.split()))
    if len(text) <= 220 and (by := _REVIEW_BY.fullmatch(text)):
        return _named(by["person"], by["number"])
    if len(text) > 110:
        return None
    code = re.fullmatch(
        r"[\W_]*(?:(?:response[s]?|reply|replies) to |comments (?:from|by) )?R(?:ev|ef)?[ #.-]{0,2}(\d{1,2})[\W_]*",
        text,
        re.IGNORECASE,
    )
    if code:
        return f"Reviewer {code[1]}"
    if comment := _OWN_COMMENT.fullmatch(text):
        return _named(comment["person"], comment["number"]) if comment["number"] else None
    match = _REVIEWER_TITLE.match(text)
    if not match:
        return None
    return _named(match["person"], match["number"])


_IN_HEAD = re.compile(
    r"\b(?P<person>(?i:reviewer|referee)) ?[#:]? ?"
    r"(?P<number>\d{1,3}[A-Z]|\d{1,2}|(?=\w*[\dA-Z])(?![A-Z](?:[a-z]{3}|[A-Z]{3})\b)\w{4})\b(?!\.\d)"
)
_HEAD_LINES = 12


def head_name(text: str) -> str:
    """Returns the only reviewer named by the short lines above a review ("Subject: ... Reviewer #2"), or ""."""
    lines = [line.strip() for line in text.splitlines() if line.strip()][:_HEAD_LINES]
    heads = [line for line in lines if len(line) <= 120 and not line.endswith((".", "?", "!"))]
    found = {_named(m["person"], m["number"]) for line in heads for m in _IN_HEAD.finditer(line)}
    return found.pop() if len(found) == 1 else ""


def _named(person: str | None, number: str | None) -> str:
    if not person:
        return ""
    word = person.strip().rstrip(".")
    word = {"ac": "Area Chair", "ae": "Associate Editor", "sac": "Senior Area Chair", "rev": "Reviewer"}.get(
        word.lower(), word
    )
    word = word[:1].upper() + word[1:].lower() if word.isupper() or word.islower() else word
    # Four characters are an anonymous name (VZ5q), unless they are just the following word.
    word_like = number and len(number) == 4 and number.isalpha() and (number.islower() or number.istitle())
    if number and word_like and number.lower() not in _NUMBER_WORDS:
        number = ""
    return f"{word} {normal_number(number)}" if number else word


_LABEL_LENGTH = 200
LINE_END = re.compile(r"[\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029]")


def find_label(text: str, start: int, end: int) -> Label | None:
    """Returns the label at the start of [start, end), or None; only its first line is considered."""
    # No label is longer; the limit keeps the patterns fast on lines that aren't prose.
    line = LINE_END.split(text[start : min(end, start + _LABEL_LENGTH)], maxsplit=1)[0]
    stop = len(line)
    for pattern, kind in ((_RESPONSE_LABEL, "response"), (_COMMENT_LABEL, "comment")):
        match = pattern.match(line)
        if match and match.end():
            groups = match.groupdict()
            person = groups.get("person") or groups.get("person2") or groups.get("person1")
            number = groups.get("number") or groups.get("number2") or groups.get("number1")
            who = _named(person, number) if kind == "comment" and number else ""
            if groups.get("number3"):
                who = f"Reviewer {groups['number3']}"
            elif groups.get("person3"):
                who = _named(groups["person3"], None)
            number = re.sub(r"\D", "", match[0])
            return Label("response" if kind == "response" else "comment", start + _skip(line, match.end()), number, who)
    match = _CODE_LABEL.match(line)
    if match:
        return Label(
            "code", start + _skip(line, match.end()), match["letter"] + ("#" if match["count"] else ""), match["count"]
        )
    match = _SPEAKER_LABEL.match(line)
    if match and match.end() < stop:
        return Label("reviewer", start + _skip(line, match.end()), "", _named(match["person"], match["number"]))
    return None


def _skip(line: str, position: int) -> int:
    while position < len(line) and line[position] in " \t":
        position += 1
    return position
