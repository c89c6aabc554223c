"""Algorithms on a gold standard: who is scored, over which profiles (section 5.2 of Stelmakh et al. 2023), and what was
published on the same people."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from engine.expertise.algorithms.base import Scorer
from engine.expertise.evaluation import Predictions
from engine.expertise.records import GoldStandard, PaperText, Representation
from engine.jobs import Report

Profiles = Mapping[str, Sequence[str]]
SUFFIXES: Mapping[Representation, str] = {"title": "t", "title+abstract": "ta", "full text": "f"}
"""How the published predictions call what was read of a paper."""
PUBLISHED_LENGTH = 20
DRAWS = 10


def has_abstract(paper: PaperText) -> bool:
    """The published profiles hold papers with title, abstract and year only."""
    return bool(paper.title and paper.abstract and paper.year)


def draw_profiles(
    gold: GoldStandard, length: int, generator: np.random.Generator, usable: Callable[[PaperText], bool] = has_abstract
) -> Mapping[str, tuple[str, ...]]:
    """The ``length`` most recent usable papers of each participant (none: an empty profile); among equal years chance
    decides."""
    profiles = {}
    for participant in gold.participants:
        papers = [key for key in dict.fromkeys(participant.papers) if key in gold.papers and usable(gold.papers[key])]
        chance = generator.random(len(papers))
        order = sorted(range(len(papers)), key=lambda at: (-gold.papers[papers[at]].year, chance[at]))
        profiles[participant.id] = tuple(papers[at] for at in order[:length])
    return profiles


def draws(
    gold: GoldStandard, length: int = PUBLISHED_LENGTH, *, count: int = DRAWS, seed: int = 0
) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Named profile draws: the data's own where they are there and have the wanted length (shorter ones are their first
    papers, the same over a whole curve), else ``count`` new ones."""
    if gold.draws and length <= PUBLISHED_LENGTH:
        return {
            name: {person: papers[:length] for person, papers in profiles.items()}
            for name, profiles in list(gold.draws.items())[:count]
        }
    return {
        f"d_{length}_{number + 1}": draw_profiles(gold, length, np.random.default_rng([seed, number]))
        for number in range(count)
    }


def rated_papers(gold: GoldStandard) -> tuple[str, ...]:
    """The papers to score, each once: all that were rated and of which at least the title is known."""
    return tuple(dict.fromkeys(rating.paper for rating in gold.ratings if gold.papers[rating.paper].title))


def papers_to_read(gold: GoldStandard, draws: Iterable[Profiles]) -> Mapping[str, PaperText]:
    """All that an algorithm needs for these profiles: the papers in them, and those that were rated."""
    keys = [key for profiles in draws for papers in profiles.values() for key in papers]
    return {key: gold.papers[key] for key in dict.fromkeys((*rated_papers(gold), *keys)) if key in gold.papers}


def predict(scorer: Scorer, gold: GoldStandard, draws: Sequence[Profiles], report: Report) -> list[Predictions]:
    """Scores of every participant for the rated papers, one set a draw; none for who has an empty profile."""
    papers = rated_papers(gold)
    found: list[Predictions] = []
    for number, profiles in enumerate(draws):
        known = {person: [key for key in own if key in gold.papers] for person, own in profiles.items()}
        scores = scorer.score(known, papers, report=report.part(number / len(draws), (number + 1) / len(draws)))
        found.append(
            {
                person: {
                    key: float(value) for key, value in zip(papers, scores[row], strict=True) if not np.isnan(value)
                }
                for row, person in enumerate(known)
            }
        )
    return found


def by_length(
    scorer: Scorer, gold: GoldStandard, draws: Sequence[Profiles], lengths: Sequence[int], report: Report
) -> Iterator[tuple[int, list[Predictions]]]:
    """Scores with profiles cut to their first (most recent) papers; ``scorer`` has read all of them."""
    for number, length in enumerate(lengths):
        cut = [{person: papers[:length] for person, papers in profiles.items()} for profiles in draws]
        part = report.part(number / len(lengths), (number + 1) / len(lengths))
        yield length, predict(scorer, gold, cut, part)


def published(
    predictions: Mapping[str, Predictions], algorithm: str, representation: Representation, draws: str = ""
) -> list[Predictions]:
    """The published scores of an algorithm (by this program's name), one set a draw, in the order of the draws; empty
    where there are none. ``predictions`` are by their published names ("tpms_d_20_1_ta"); ``draws`` is "d_20" or
    "d_full_20", without it the first of the two that is there."""
    for prefix in (draws,) if draws else ("d_20", "d_full_20"):
        name = re.escape(f"{algorithm.replace('+', '_')}_{prefix}_") + rf"(\d+)_{SUFFIXES[representation]}"
        found = sorted((int(match[1]), key) for key in predictions if (match := re.fullmatch(name, key)))
        if found:
            return [predictions[key] for _, key in found]
    return []


def published_algorithms(predictions: Mapping[str, Predictions]) -> tuple[str, ...]:
    """The algorithms that published scores are there of, by this program's names."""
    names = (match[1] for key in predictions if (match := re.fullmatch(r"(.+?)_d_(?:full_)?\d+_\d+_(?:t|ta|f)", key)))
    return tuple(dict.fromkeys(name.replace("specter_mfr", "specter+mfr") for name in names))
