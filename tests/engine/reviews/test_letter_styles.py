"""Response letters in the styles that authors use, each written here for the purpose."""

from __future__ import annotations

import pytest

from engine.errors import BadInput
from engine.reviews.layout import unassigned
from engine.reviews.letter import read_letter
from engine.reviews.records import Comment

SAMPLE = "The sampling depth is never stated. Please report it for every lake."
SPLIT = "It is unclear how the validation split was drawn."
AXES = "The axes of Figure 2 need units."
DEPTH_REPLY = "We thank the reviewer for this. The depth now stands in Table 1."
SPLIT_REPLY = "We agree and have clarified the split in Section 3."
AXES_REPLY = "Units were added to both axes."

STYLES = {
    "quote marks on every line": f"""# Response

Dear editor, we thank everyone for the care taken.

## Reviewer 1

> The sampling depth is never stated. Please report
> it for every lake.

{DEPTH_REPLY}

> {SPLIT}

{SPLIT_REPLY}

## Reviewer 2

> {AXES}

{AXES_REPLY}
""",
    "quote mark on the first line only": f"""## Reviewer 1

> The sampling depth is never stated.
Please report it for every lake.

{DEPTH_REPLY}

> It is unclear how
the validation split was drawn.

{SPLIT_REPLY}

## Reviewer 2

> {AXES}

{AXES_REPLY}
""",
    "e-mail quoting without blank lines": f"""Reviewer 1

> The sampling depth is never stated. Please report
> it for every lake.
{DEPTH_REPLY}
> {SPLIT}
{SPLIT_REPLY}

Reviewer 2

> {AXES}
{AXES_REPLY}
""",
    "labels in bold": f"""### Reviewer #1

**Comment 1:** {SAMPLE}

**Response:** {DEPTH_REPLY}

**Comment 2:** {SPLIT}

**Response:** {SPLIT_REPLY}

### Reviewer #2

**Comment 1:** {AXES}

**Response:** {AXES_REPLY}
""",
    "labels on lines of their own": f"""REVIEWER 1

Point 1.1
{SAMPLE}

Reply
{DEPTH_REPLY}

Point 1.2
{SPLIT}

Reply
{SPLIT_REPLY}

REVIEWER 2

Point 2.1
{AXES}

Reply
{AXES_REPLY}
""",
    "question and answer letters": f"""Reviewer 1

Q1: {SAMPLE}
A1: {DEPTH_REPLY}

Q2: {SPLIT}
A2: {SPLIT_REPLY}

Reviewer 2

Q1: {AXES}
A1: {AXES_REPLY}
""",
    "numbered by reviewer": f"""R1.1: {SAMPLE}

Response: {DEPTH_REPLY}

R1.2: {SPLIT}

Response: {SPLIT_REPLY}

R2.1: {AXES}

Response: {AXES_REPLY}
""",
    "comment codes with R for response": f"""Referee 1

C1. {SAMPLE}

R1. {DEPTH_REPLY}

C2. {SPLIT}

R2. {SPLIT_REPLY}

Referee 2

C1. {AXES}

R1. {AXES_REPLY}
""",
    "comments in italics": f"""## Reviewer 1

*{SAMPLE}*

{DEPTH_REPLY}

*{SPLIT}*

{SPLIT_REPLY}

## Reviewer 2

_{AXES}_

{AXES_REPLY}
""",
    "comments in bold": f"""**Reviewer 1**

**{SAMPLE}**

{DEPTH_REPLY}

**{SPLIT}**

{SPLIT_REPLY}

**Reviewer 2**

**{AXES}**

{AXES_REPLY}
""",
    "responses in bold": f"""Reviewer 1

{SAMPLE}

**{DEPTH_REPLY}**

{SPLIT}

**{SPLIT_REPLY}**

Reviewer 2

{AXES}

**{AXES_REPLY}**
""",
    "typographic quotes": f"""Reviewer 1

“{SAMPLE}”

{DEPTH_REPLY}

“{SPLIT}”

{SPLIT_REPLY}

Reviewer 2

“{AXES}”

{AXES_REPLY}
""",
    "indented comments": f"""Reviewer 1:

    The sampling depth is never stated.
    Please report it for every lake.

{DEPTH_REPLY}

    {SPLIT}

{SPLIT_REPLY}

Reviewer 2:

    {AXES}

{AXES_REPLY}
""",
    "indented quotes under bullets": f"""Reviewer 1

  > {SAMPLE}

  {DEPTH_REPLY}

  > {SPLIT}

  {SPLIT_REPLY}

Reviewer 2

  > {AXES}

  {AXES_REPLY}
""",
    "plain numbered text": f"""Response to Reviewer 1

1. {SAMPLE}

{DEPTH_REPLY}

2. {SPLIT}

{SPLIT_REPLY}

Response to Reviewer 2

1. {AXES}

{AXES_REPLY}
""",
    "dialogue": f"""Reviewer 1: {SAMPLE}

Authors: {DEPTH_REPLY}

Reviewer 1: {SPLIT}

Authors: {SPLIT_REPLY}

Reviewer 2: {AXES}

Authors: {AXES_REPLY}
""",
    "headings for everything": f"""# Reviewer 1

## Comment 1

{SAMPLE}

### Response

{DEPTH_REPLY}

## Comment 2

{SPLIT}

### Response

{SPLIT_REPLY}

# Reviewer 2

## Comment 1

{AXES}

### Response

{AXES_REPLY}
""",
    "responses in quotes": f"""## Reviewer 1

{SAMPLE}

> {DEPTH_REPLY}

{SPLIT}

> {SPLIT_REPLY}

## Reviewer 2

{AXES}

> {AXES_REPLY}
""",
    "nothing but the wording": f"""Reviewer 1

{SAMPLE}

{DEPTH_REPLY}

{SPLIT}

{SPLIT_REPLY}

Reviewer 2

{AXES}

{AXES_REPLY}
""",
    "full labels in one line": f"""Reviewer 1, Comment 1: {SAMPLE}
Our response: {DEPTH_REPLY}

Reviewer 1, Comment 2: {SPLIT}
Our response: {SPLIT_REPLY}

Reviewer 2, Comment 1: {AXES}
Our response: {AXES_REPLY}
""",
    "quotes with labelled responses": f"""## Review 1

> **R1.1** {SAMPLE}

**Authors:** {DEPTH_REPLY}

> **R1.2** {SPLIT}

**Authors:** {SPLIT_REPLY}

## Review 2

> **R2.1** {AXES}

**Authors:** {AXES_REPLY}
""",
    "a quote that goes on after a line wrapped without a mark": f"""Reviewer 1

> The sampling depth is never stated. Please report it for
every
> lake.

{DEPTH_REPLY}

> {SPLIT}
{SPLIT_REPLY}

Reviewer 2
> {AXES}
{AXES_REPLY}
""",
    "a letter quoted as a whole": f"""> Reviewer 1
>
> > {SAMPLE}
>
> We thank the reviewer for this.
> The depth now stands in Table 1.
>
> > {SPLIT}
>
> {SPLIT_REPLY}
>
> Reviewer 2
>
> > {AXES}
>
> {AXES_REPLY}
""",
    "responses in colour": f"""Reviewer 1

{SAMPLE}

<span style="color:blue">{DEPTH_REPLY}</span>

{SPLIT}

<span style="color:blue">{SPLIT_REPLY}</span>

Reviewer 2

{AXES}

<span style="color:blue">{AXES_REPLY}</span>
""",
}
TITLES = {
    "headings with numbers": ("### Comment {}\n\n", "### Response {}\n\n"),
    "headings that say what is answered": ("### Comment {}\n\n", "### Response to comment {}\n\n"),
    "numbers before bold titles": ("**{}. Reviewer's comment:**\n\n", "**{}. Response:**\n\n"),
    "numbers before bold labels": ("**{}. Comment:** ", "**{}. Response:** "),
    "titles that say whose words follow": ("**Reviewer's comment:**\n\n", "**Authors' response:**\n\n"),
    "headings that say whose words follow": ("## Referee comment\n\n", "## Response of the authors\n\n"),
    "headings with several numbers": ("## 2, {}) Comment\n\n", "## 2, {}) Our reply\n\n"),
}


def titled(comment: str, response: str) -> str:
    """A letter whose comments and responses have only titles that tell them apart."""
    said = ((1, SAMPLE, DEPTH_REPLY), (2, SPLIT, SPLIT_REPLY), (3, AXES, AXES_REPLY))
    parts = [f"{comment.format(n)}{asked}\n\n{response.format(n)}{reply}\n\n" for n, asked, reply in said]
    return f"# Reviewer 1\n\n{parts[0]}{parts[1]}# Reviewer 2\n\n{parts[2]}"


STYLES |= {name: titled(*titles) for name, titles in TITLES.items()}


def bare(text: str) -> str:
    return " ".join(text.split()).strip('*_“”"').removesuffix("</span>").removeprefix('<span style="color:blue">')


def blocks(comments: tuple[Comment, ...]) -> list[tuple[str, str, str]]:
    """Reviewer's number, context and response of each block, in order."""
    seen: dict[tuple[int, int], tuple[str, str, str]] = {}
    for comment in comments:
        span = comment.context_spans[0]
        seen.setdefault((span.start, span.end), (comment.reviewer[-1:], bare(comment.context), bare(comment.response)))
    return [seen[key] for key in sorted(seen)]


@pytest.mark.parametrize("style", STYLES)
def test_style_comes_apart(style: str) -> None:
    text = STYLES[style]
    bundle = read_letter(text)
    assert blocks(bundle.comments) == [("1", SAMPLE, DEPTH_REPLY), ("1", SPLIT, SPLIT_REPLY), ("2", AXES, AXES_REPLY)]
    assert all(c.actionable for c in bundle.comments)
    assert bundle.warnings == ()
    assert bundle.texts[0].text == text


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_other_line_ends_change_nothing_but_offsets(style: str, ending: str) -> None:
    plain = read_letter(STYLES[style])
    other = read_letter(STYLES[style].replace("\n", ending))
    assert [(c.reviewer, c.comment, c.context) for c in other.comments] == [
        (c.reviewer, c.comment, c.context) for c in plain.comments
    ]


def test_several_authors_who_answer_with_their_initials() -> None:
    more = [
        "Please add the code.",
        "The title is too long.",
        "Why two sites?",
        "Figure 3 lacks a legend.",
        "Cite Bell.",
    ]
    asked = [SAMPLE, SPLIT, AXES, *more]
    said = [f"{'AB' if n % 2 else 'KLM'} {'to do' if n % 3 else 'see above'}" for n in range(len(asked))]
    text = "Reviewer 1\n\n" + "".join(f"{one}\n\n{other}\n\n" for one, other in zip(asked, said, strict=True))
    bundle = read_letter(text)
    assert [(comment.comment, comment.response) for comment in bundle.comments] == list(zip(asked, said, strict=True))
    assert bundle.reading is not None and bundle.reading.sentence() == (
        "What begins with “AB” and what begins with “KLM” is a response, the rest is comments."
    )


def test_underscores_within_words_end_no_italics() -> None:
    replies = ["It is t_max.", "We report t_max_2 and x_i now.", "See line_2 of both parts."]
    asked = [SAMPLE, SPLIT, AXES]
    text = "".join(f"{one}\n\n_{said}_\n\n" for one, said in zip(asked, replies, strict=True))
    found = [(comment.comment, bare(comment.response)) for comment in read_letter(text).comments]
    assert found == list(zip(asked, replies, strict=True))


def test_a_placeholder_is_no_response() -> None:
    text = f"> {SAMPLE}\n\nXXX XXX\n\n> {SPLIT}\n\n**TODO** (TBD)\n\n> {AXES}\n\nUnits are TODO here.\n"
    bundle = read_letter(text)
    assert [comment.response for comment in bundle.comments] == ["", "", "Units are TODO here."]
    assert bundle.warnings == ("2 of 3 comment blocks have no response in the letter.",)
    assert [text[s.start : s.end] for s in unassigned(text, bundle.comments)] == ["XXX XXX", "**TODO** (TBD)"]


def test_empty_letter_is_refused() -> None:
    with pytest.raises(BadInput, match="empty"):
        read_letter(" \n\n ")
