"""Invented reviews and rebuttals of several papers, in which it is known what answers what and what each sentence does;
and invented clusters, descriptions and canonical rebuttals.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from engine.rebuttal.answers.evidence import Passage
from engine.rebuttal.canonical.records import AnsweredReview, DescribedReview, ScoredCandidate
from engine.rebuttal.records import BY_ID
from engine.research.rebuttal.experiments import ExchangePair
from tests.engine.rebuttal.jitsupeer_files import write_answers, write_descriptions, write_scoring

TOPICS = (
    ("the learning rate", "the optimiser", "training"),
    ("the second dataset", "the annotation", "data"),
    ("the proof of the lemma", "the bound", "theory"),
    ("the notation of the figure", "the caption", "drawing"),
    ("the comparison with trees", "the baseline", "evaluation"),
    ("the running time", "the hardware", "speed"),
    ("the ablation of attention", "the module", "architecture"),
    ("the related survey", "the citation", "literature"),
)


def dialogue(number: int) -> ExchangePair:
    """A review of five sentences, and a rebuttal that answers four of them in order: the first topic is quoted."""
    rng = random.Random(number)
    chosen = rng.sample(TOPICS, 3)
    (one, one_more, field), (two, two_more, _), (three, three_more, _) = chosen
    review = (
        Passage(f"This paper is about {field} and is well written.", "\n\n"),
        Passage(f"I do not understand {one}, since {one_more} is never explained.", "\n"),
        Passage(f"Why was {two} left out?", "\n"),
        Passage(f"Please report {three} as well.", "\n"),
        Passage("I lean towards acceptance.", ""),
    )
    rebuttal = (
        Passage("We thank the reviewer for the careful reading.", "\n\n"),
        Passage(f"> I do not understand {one}, since {one_more} is never explained.", "\n"),
        Passage(f"We agree that {one_more} deserved an explanation.", " "),
        Passage("We have added a paragraph on it.", "\n\n"),
        Passage(f"The reason is that {two} does not change {two_more}.", "\n\n"),
        Passage(f"We will report {three} with {three_more} in the final version.", ""),
    )
    return ExchangePair(
        f"paper-{number // 2}",
        review,
        rebuttal,
        ("thanks", "structuring", "concede_criticism", "task_done", "answer", "task_will_be_done"),
        ((), (1,), (1,), (1,), (2,), (3,)),
    )


def dialogues(count: int, start: int = 0) -> list[ExchangePair]:
    """Dialogues of half as many papers."""
    return [dialogue(number) for number in range(start, start + count)]


def candidates(start: int, clusters: int) -> list[ScoredCandidate]:
    """Candidates by falling canonicity, as the released files have them: short general ones were ranked, long specific
    ones were not."""
    found = []
    for number in range(start, start + clusters):
        subject, other, field = TOPICS[number % len(TOPICS)]
        description = f"{subject} is not clear in case {number}"
        for action, verb in (("task_done", "have revised"), ("task_will_be_done", "will revise")):
            texts = [
                (f"We {verb} it.", 0.1),
                (f"We {verb} this part of the paper.", 0.2),
                (f"As Table {number} shows, with 0.9{number} we {verb} {other} for {field} of net_{number}.", 1.0),
                (f"In Eq. ({number}) of [1{number}], {other} and {subject} are what we {verb} at 7{number} %.", 1.0),
            ]
            found += [ScoredCandidate(description, action, text, score) for text, score in texts]
    return found


def described(start: int, count: int) -> list[DescribedReview]:
    """Review sentences of as many descriptions as there are topics."""
    found = []
    for number in range(start, start + count):
        subject, other, field = TOPICS[number % len(TOPICS)]
        way = ("I could not follow", "It is hard to see", "Please explain")[number % 3]
        found.append(DescribedReview(f"{way} {subject} or {other}.", f"The {field} part is hard to follow."))
    return found


def answered(start: int, count: int) -> list[AnsweredReview]:
    """Review sentences with an action and its canonical rebuttal."""
    found = []
    for number in range(start, start + count):
        subject, _, field = TOPICS[number % len(TOPICS)]
        action, verb = (("task_done", "have clarified"), ("task_will_be_done", "will clarify"))[number % 2]
        found.append(AnsweredReview(f"I do not see {subject}.", action, f"We {verb} the part on {field}."))
    return found


def write_data(folder: Path) -> Path:
    """A folder of both data sets in their released layouts; ``dev`` shares no paper and no cluster with ``train``."""
    for part, pairs in (("train", dialogues(12)), ("dev", dialogues(4, 12))):
        place = folder / "disapere" / part
        place.mkdir(parents=True)
        for number, pair in enumerate(pairs):
            (place / f"{number:02}.json").write_text(json.dumps(_file(pair, f"{part}-{number}")), encoding="utf-8")
    jitsupeer = folder / "jitsupeer"
    jitsupeer.mkdir()
    for part, start, clusters, sentences in (("train", 0, 12, 48), ("dev", 12, 4, 16)):
        for name, text in (
            ("scoring", write_scoring(candidates(start, clusters))),
            ("descriptions", write_descriptions(described(start, sentences))),
            ("canonical_rebuttals", write_answers(answered(start, sentences))),
        ):
            (jitsupeer / f"{name}_{part}.csv").write_text(text, encoding="utf-8")
    return folder


def _file(pair: ExchangePair, name: str) -> dict[str, Any]:
    return {
        "metadata": {"forum_id": pair.paper, "review_id": name, "title": "", "reviewer": "R1", "annotator": "a"},
        "review_sentences": [
            {"text": one.text, "suffix": one.suffix, "review_action": "none", "aspect": "none", "polarity": "none"}
            for one in pair.review
        ],
        "rebuttal_sentences": [
            {
                "text": one.text,
                "suffix": one.suffix,
                "rebuttal_stance": BY_ID[action].stance,
                "rebuttal_action": BY_ID[action].code,
                "alignment": ["context_sentences", list(places)] if places else ["context_global", None],
            }
            for one, action, places in zip(pair.rebuttal, pair.actions, pair.answered, strict=True)
        ],
    }
