"""Runs algorithms on a gold standard: which participants and profiles are scored (section 5.2 of Stelmakh et al. 2023),
and published scores for the same people."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from engine.expertise.algorithms.base import Scorer
from engine.expertise.evaluation import Predictions
from engine.expertise.records import GoldStandard, PaperText, Participant, Representation
from engine.jobs import Report

Profiles = Mapping[str, Sequence[str]]
SUFFIXES: Mapping[Representation, str] = {"title": "t", "title+abstract": "ta", "full text": "f"}
"""The suffixes of published predictions for what was read of a paper."""
PUBLISHED_LENGTH = 20
DRAWS = 10


def has_abstract(paper: PaperText) -> bool:
    """Returns whether title, abstract and year are known, as for all papers in the published profiles."""
    return bool(paper.title and paper.abstract and paper.year)


def has_title(paper: PaperText) -> bool:
    return bool(paper.title)


def own_papers(gold: GoldStandard, participant: Participant, *usable: Callable[[PaperText], bool]) -> list[str]:
    """Returns the participant's papers that the first of these conditions accepts for which there are any."""
    papers = [key for key in dict.fromkeys(participant.papers) if key in gold.papers]
    found = ([key for key in papers if fits(gold.papers[key])] for fits in usable)
    return next(filter(None, found), [])


def draw_profiles(
    gold: GoldStandard, length: int, generator: np.random.Generator, *usable: Callable[[PaperText], bool]
) -> Mapping[str, tuple[str, ...]]:
    """Returns the ``length`` most recent ``own_papers`` of each participant (possibly none), in random order within a
    year. By default, titles alone count for participants without a paper with abstract and year."""
    profiles = {}
    for participant in gold.participants:
        papers = own_papers(gold, participant, *(usable or (has_abstract, has_title)))
        chance = generator.random(len(papers))
        order = sorted(range(len(papers)), key=lambda at: (-gold.papers[papers[at]].year, chance[at]))
        profiles[participant.id] = tuple(papers[at] for at in order[:length])
    return profiles


def draws(
    gold: GoldStandard, length: int = PUBLISHED_LENGTH, *, count: int = DRAWS, seed: int = 0
) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Returns named profile draws: the data's own if available and long enough (shorter profiles are their first
    papers, the same over a whole curve), otherwise ``count`` new ones."""
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
    """Returns the papers to score, each once: all rated papers with at least a title."""
    return tuple(dict.fromkeys(rating.paper for rating in gold.ratings if gold.papers[rating.paper].title))


def papers_to_read(gold: GoldStandard, draws: Iterable[Profiles]) -> Mapping[str, PaperText]:
    """Returns all papers that an algorithm needs for these profiles: those in the profiles, and the rated ones."""
    keys = [key for profiles in draws for papers in profiles.values() for key in papers]
    return {key: gold.papers[key] for key in dict.fromkeys((*rated_papers(gold), *keys)) if key in gold.papers}


def predict(scorer: Scorer, gold: GoldStandard, draws: Sequence[Profiles], report: Report) -> list[Predictions]:
    """Returns every participant's scores for the rated papers, one set per draw; no scores for an empty profile."""
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
    """Yields scores with profiles cut to their first (most recent) papers; ``scorer`` has read all of them."""
    for number, length in enumerate(lengths):
        cut = [{person: papers[:length] for person, papers in profiles.items()} for profiles in draws]
        part = report.part(number / len(lengths), (number + 1) / len(lengths))
        yield length, predict(scorer, gold, cut, part)


def published(
    predictions: Mapping[str, Predictions], algorithm: str, representation: Representation, draws: str = ""
) -> list[Predictions]:
    """Returns the published scores of an algorithm (by this program's name), one set per draw, in order; empty if there
    are none. ``predictions`` are by their published names ("tpms_d_20_1_ta"); ``draws`` is "d_20" or "d_full_20", by
    default the first of these that exists."""
    for prefix in (draws,) if draws else ("d_20", "d_full_20"):
        name = re.escape(f"{algorithm.replace('+', '_')}_{prefix}_") + rf"(\d+)_{SUFFIXES[representation]}"
        found = sorted((int(match[1]), key) for key in predictions if (match := re.fullmatch(name, key)))
        if found:
            return [predictions[key] for _, key in found]
    return []


def published_algorithms(predictions: Mapping[str, Predictions]) -> tuple[str, ...]:
    """Returns the algorithms with published scores, by this program's names."""
    names = (match[1] for key in predictions if (match := re.fullmatch(r"(.+?)_d_(?:full_)?\d+_\d+_(?:t|ta|f)", key)))
    return tuple(dict.fromkeys(name.replace("specter_mfr", "specter+mfr") for name in names))
