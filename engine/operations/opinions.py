"""A language model's opinions of sentences about a paper, and the cache that keeps them for the next time the paper is
shown. *Erase permanently* deletes it."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, cast

from engine.models.caches import AnswerCache
from engine.models.language import Completion, LanguageModelInfo, Message, Prompt

Judged = Literal["says this", "says otherwise", "does not say"]
_KEPT = LanguageModelInfo("opinions", "", "server", "2")
"""The name under which the cache of answers has all opinions about a document, whichever model they are from."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A model's ``judgement`` of a sentence given its passages, with its ``reason``."""

    sentence: str
    judgement: Judged
    reason: str
    model: str

    @property
    def words(self) -> str:
        said = {"says this": "The paper says this", "says otherwise": "The paper says otherwise"}
        return f"{said.get(self.judgement, 'The passages leave this open')}. {self.reason}"


@dataclass(frozen=True, slots=True)
class KeptOpinions:
    """The latest opinions about a document, by the hash of the sentence: the cache has no text of reviews."""

    said: Mapping[str, Mapping[str, str]]

    def of(self, sentence: str) -> Opinion | None:
        found = self.said.get(_key(sentence))
        return Opinion(sentence, cast("Judged", found["judgement"]), found["reason"], found["model"]) if found else None


def kept_opinions(document_id: str) -> KeptOpinions:
    found = AnswerCache().get(_KEPT, [_about(document_id)])
    return KeptOpinions({key: one for said in found.values() for key, one in json.loads(said.text).items()})


@contextmanager
def keeping_opinions(document_id: str) -> Iterator[Callable[[Opinion], None]]:
    """Yields a function that adds an opinion to those about a document."""
    found = {**kept_opinions(document_id).said}
    with AnswerCache().keeping(_KEPT) as keep:

        def add(one: Opinion) -> None:
            found[_key(one.sentence)] = {"judgement": one.judgement, "reason": one.reason, "model": one.model}
            keep(_about(document_id), Completion(json.dumps(found), "stop", None, None, 0.0))

        yield add


def _key(sentence: str) -> str:
    return sha256(sentence.encode()).hexdigest()


def _about(document_id: str) -> Prompt:
    return Prompt((Message("user", document_id),), 1)
