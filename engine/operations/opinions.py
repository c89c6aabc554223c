"""A language model's opinions of sentences about a paper, and the cache that keeps them for the next time the paper is
shown. *Erase permanently* deletes it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Literal

from engine.models.caches import AnswerCache
from engine.models.language import Completion, LanguageModelInfo, Message, Prompt

_KEPT = LanguageModelInfo("opinions", "", "server", "1")
"""The name under which the cache of answers has all opinions about a document, whichever model they are from."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A model's ``judgement`` of a sentence given its passages, with its ``reason``."""

    sentence: str
    judgement: Literal["says this", "says otherwise", "does not say"]
    reason: str
    model: str

    @property
    def words(self) -> str:
        said = {"says this": "The paper says this", "says otherwise": "The paper says otherwise"}
        return f"{said.get(self.judgement, 'The passages leave this open')}. {self.reason}"


def kept_opinions(document_id: str) -> dict[str, Opinion]:
    """Returns the latest opinion of each sentence, by sentence."""
    found = AnswerCache().get(_KEPT, [_about(document_id)])
    return {one["sentence"]: Opinion(**one) for said in found.values() for one in json.loads(said.text)}


@contextmanager
def keeping_opinions(document_id: str) -> Iterator[Callable[[Opinion], None]]:
    """Yields a function that adds an opinion to those about a document."""
    found = kept_opinions(document_id)
    with AnswerCache().keeping(_KEPT) as keep:

        def add(one: Opinion) -> None:
            found[one.sentence] = one
            text = json.dumps([asdict(each) for each in found.values()])
            keep(_about(document_id), Completion(text, "stop", None, None, 0.0))

        yield add


def _about(document_id: str) -> Prompt:
    return Prompt((Message("user", document_id),), 1)
