"""The rebuttal as OpenReview notes (API version 2), a note for each post; they are read back by ``openreview``.

See https://docs.openreview.net/reference/api-v2/entities/note. Nothing is sent: the file is for a script.
"""

from __future__ import annotations

import json
import re
from typing import Any

from engine.exchange.records import Export, ExportFile, LossReport
from engine.exchange.response_letter import loss
from engine.rebuttal.letter import posts
from engine.rebuttal.points import Outline, Section
from engine.rebuttal.records import Quoting
from engine.reviews.limits import Limit

_ID = re.compile(r"([\w-]{8,12})-\d+")
FIELD = "rebuttal"


def write_notes(outline: Outline, limit: Limit, quoting: Quoting, name: str = "rebuttal-notes.json") -> Export:
    """The notes as one file. ``replyto`` is the review's id where the reviews came from OpenReview."""
    notes: list[dict[str, Any]] = []
    unknown = 0
    for section in outline:
        reply_to = review_id(section)
        for post in posts(section, limit, quoting):
            number = f" ({post.number}/{post.of})" if post.of > 1 else ""
            unknown += not reply_to
            notes.append(
                {
                    "replyto": reply_to,
                    "signatures": ["Authors"],
                    "content": {
                        "title": {"value": f"Rebuttal to {section.reviewer}{number}"},
                        FIELD: {"value": post.text},
                    },
                }
            )
    sentences = loss(outline).sentences
    if unknown:
        many = (
            "1 note does not know which review it answers"
            if unknown == 1
            else f"{unknown} notes do not know which review they answer"
        )
        sentences = (*sentences, f"{many}: write its id into “replyto”.")
    sentences = (
        *sentences,
        "Forum, invitation and signatures are the venue's: fill them in before the notes are sent.",
    )
    content = (json.dumps({"notes": notes}, ensure_ascii=False, indent=2) + "\n").encode()
    return Export((ExportFile(name, content, "application/json"),), LossReport(sentences))


def review_id(section: Section) -> str:
    """The note that a reviewer's comments came from; "" where they came from elsewhere."""
    ids = {match[1] for row in section.rows if (match := _ID.fullmatch(row.comment.external_id))}
    return ids.pop() if len(ids) == 1 else ""
