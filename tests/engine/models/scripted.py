"""A language model that says what the test wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.jobs import Report
from engine.models.language import Completion, LanguageModelInfo, OnText, Prompt


@dataclass
class Scripted:
    """Gives the answers one after the other, word by word, and keeps what it was asked."""

    answers: list[str]
    asked: list[Prompt] = field(default_factory=list)
    info = LanguageModelInfo("scripted", "Scripted", "server", "1", 8000)

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report | None = None) -> Completion:
        self.asked.append(prompt)
        text = self.answers[len(self.asked) - 1]
        if on_text is not None:
            for word in re.findall(r"\S+\s*", text):
                on_text(word)
        return Completion(text, "stop", None, None, 0.0)
