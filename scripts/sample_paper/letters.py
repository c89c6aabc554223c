"""The reviews and the response letter, and the ground truth about their comments."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OPENING = """# Response to the reviewers

Dear editors, dear reviewers,

Thank you for reading our paper "How Few Counters Suffice?" so carefully. Below we quote each comment and respond to it.
Section, table and figure numbers in our responses refer to the revised version.
"""
CLOSING = """
---

Kind regards,
The authors
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A comment with its response, or a remark (empty response, no state)."""

    id: str
    kind: str
    text: str
    response: str
    paragraphs: tuple[str, ...]
    action: str
    joined: bool


@dataclass(frozen=True, slots=True)
class Review:
    """One reviewer's entries in order; ``style`` is how the comments are marked."""

    reviewer: str
    style: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Letters:
    """All reviews, from which the texts are generated."""

    all_reviews: tuple[Review, ...]

    def reviews(self) -> list[str]:
        """Returns the Markdown text of each review."""
        return [_review_text(review) for review in self.all_reviews]

    def letter(self) -> str:
        """Returns the response letter: every comment as a block quotation, followed by the response."""
        parts = [OPENING]
        for review in self.all_reviews:
            parts.append(f"\n## {review.reviewer}\n")
            number = 0
            for entry in review.entries:
                if entry.kind == "remark":
                    parts.append(f"\n> {entry.text}\n")
                    if entry is review.entries[0]:
                        parts.append("\nWe thank the reviewer.\n")
                    else:
                        parts.append("\nThank you.\n")
                    continue
                number += 1
                parts.append(f"\n> {_mark(review.style, number)}{entry.text}\n\n{entry.response}\n")
        return "".join(parts) + CLOSING

    def comments(self, edits: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns each comment with its state, its edits, and its position in the letter and in its review.

        Raises ValueError if a comment names a paragraph that no edit touches.
        """
        letter = self.letter()
        found: list[dict[str, Any]] = []
        for number, (review, text) in enumerate(zip(self.all_reviews, self.reviews(), strict=True), start=1):
            for entry in review.entries:
                if entry.kind == "remark":
                    continue
                links = [_edit_of(paragraph, edits) for paragraph in entry.paragraphs]
                if (entry.kind == "linked") != bool(links):
                    raise ValueError(f"{entry.id} is {entry.kind} but names {len(links)} edits.")
                in_letter, in_review = letter.index(entry.text), text.index(entry.text)
                answer = letter.index(entry.response, in_letter)
                found.append(
                    {
                        "id": entry.id,
                        "reviewer": review.reviewer,
                        "comment": entry.text,
                        "response": entry.response,
                        "state": entry.kind,
                        "action": entry.action,
                        "edit_ids": sorted(set(links)),
                        "review": f"review-{number}.md",
                        "review_span": [in_review, in_review + len(entry.text)],
                        "letter_span": [in_letter, in_letter + len(entry.text)],
                        "response_span": [answer, answer + len(entry.response)],
                    }
                )
        return found

    def remarks(self) -> list[dict[str, str]]:
        """Returns what the reviewers wrote besides requests."""
        return [
            {"reviewer": review.reviewer, "kind": entry.id, "text": entry.text}
            for review in self.all_reviews
            for entry in review.entries
            if entry.kind == "remark"
        ]


def _edit_of(paragraph: str, edits: list[dict[str, Any]]) -> str:
    for edit in edits:
        if paragraph in edit["source_ids"] or paragraph in edit["target_ids"]:
            return str(edit["id"])
    raise ValueError(f"A comment names {paragraph}, which no edit touches.")


def _mark(style: str, number: int) -> str:
    return {"numbered": f"{number}. ", "comments": f"Comment {number}: ", "prose": ""}[style]


def _review_text(review: Review) -> str:
    parts = [f"# {review.reviewer}\n"]
    number = 0
    open_paragraph = False
    for entry in review.entries:
        mark = ""
        if entry.kind != "remark":
            number += 1
            mark = _mark(review.style, number)
        parts.append(f" {entry.text}" if open_paragraph and entry.joined else f"\n\n{mark}{entry.text}")
        open_paragraph = review.style == "prose"
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)) + "\n"


def read_letters(path: Path) -> Letters:
    """Reads reviews.txt."""
    reviews: list[Review] = []
    entries: list[Entry] = []
    head: list[str] = []
    body: list[str] = []

    def close() -> None:
        if not head:
            return
        parted = "\n".join(body).split("\n--\n")
        text, response = " ".join(parted[0].split()), " ".join(parted[1].split()) if len(parted) > 1 else ""
        joined = "joined" in head
        action = next((word.removeprefix("action=") for word in head if word.startswith("action=")), "")
        names = tuple(word for word in head[2:] if word != "joined" and not word.startswith("action="))
        if head[0] == "remark":
            entries.append(Entry(head[1], "remark", text, "", (), "", joined))
        else:
            entries.append(Entry(head[0], head[1], text, response, names, action, joined))
        head.clear()
        body.clear()

    name, style = "", ""

    def close_review() -> None:
        close()
        if entries:
            reviews.append(Review(name, style, tuple(entries)))
            entries.clear()

    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            close_review()
            *words, style = line[2:].split()
            name = " ".join(words)
        elif line.startswith("@ "):
            close()
            head = line[2:].split()
        elif head and line.strip():
            body.append(line.strip())
    close_review()
    return Letters(tuple(reviews))
