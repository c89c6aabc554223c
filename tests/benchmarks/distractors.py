"""Reviews that a judge should reject: pasted sentences of the paper, fabricated or vague ones.

They are as long as a real review (same numbers of weaknesses and questions), so that length gives no hint. Fabricated
reviews read fluently and are full of specifics that the paper doesn't contain: methods, data, numbers, tables,
quotations. About half of them mention the paper's own keyphrases. All wording is made up for this benchmark.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from engine.review_drafting.records import PaperReading, Review
from engine.review_drafting.stages.keyphrases import keyphrases

_FIRST = ("Hyper", "Deep", "Meta", "Neo", "Poly", "Omni", "Quanta", "Strato", "Vari", "Iso", "Crypto", "Holo")
_LAST = ("Former", "Graph", "Flow", "Prox", "Cast", "Splat", "Boost", "Fold", "Mesh", "Trace", "Lens", "Sieve")
_DATA = ("Corpus", "Bench", "Panel", "Cohort", "Archive", "Census", "Atlas", "Suite")
_TERMS = (
    "gradient reservoir", "spectral damping", "the residual prior", "curriculum annealing", "the attention budget",
    "phase unwrapping", "the contrastive buffer", "adaptive quantisation", "the Kalman stage", "entropy clipping",
    "the harmonic kernel", "stochastic pruning",
)  # fmt: skip
_SUMMARIES = (
    "The paper proposes {name}, a method for {topic} that combines {term} with {term2}. On {data} it reaches {pct},"
    " {points} points above {name2}, at {factor} times lower cost.",
    "This manuscript studies {topic} with {name}. The authors train on {count} examples of {data}, and report an error"
    " of {small} against {small2} for {name2} (Table {table}).",
    "The authors present {name}, which replaces {term} by {term2} for {topic}. A study with {count} participants and"
    " the {data} data shows a gain of {pct}.",
)
_STRENGTHS = (
    "The gain of {points} points over {name2} on {data} is large for {topic}.",
    "Figure {figure} shows convincingly that {term} scales to {count} samples.",
    "The proof in Section {section} that {name} converges at rate {small} is elegant.",
)
_WEAKNESSES = (
    "Table {table} reports {pct} for {name} on {data}, but {name2} was run with its default settings, so the comparison"
    " is not fair.",
    "The claim that {term} reduces the error from {small2} to {small} rests on one seed of {data}.",
    "In Section {section} the authors state that “{name} is robust to every choice of {bare}”, which Figure {figure}"
    " contradicts: at a setting of {small} the accuracy falls to {pct}.",
    "The experiments on {topic} use only {count} samples of {data}; with {name2} the same gain of {points} points was"
    " obtained years ago.",
    "Equation {equation} assumes that {term} is constant, yet Table {table} lists values between {small} and {small2}.",
    "The ablation removes {term} but keeps {term2}, and the drop of {points} points on {data} is never explained.",
    "The authors chose {count} for {topic} by looking at the test part of {data}, which inflates the {pct} that the"
    " abstract claims.",
    "{name} needs {count} GPU hours, {factor} times more than {name2}, and the paper is silent about this in Section"
    " {section}.",
    "For {topic} the authors drop the {pct} of {data} on which {name} fails, as the caption of Figure {figure} admits.",
    "The human study with {count} annotators has a kappa of {small}, too low to support a preference for {name}.",
    "Algorithm {table} calls {term} twice, so the reported run time of {small2} seconds cannot be right.",
    "The authors say “we could not reproduce {name2} on {data}”, and compare with it all the same in Table {table}.",
)
_QUESTIONS = (
    "Why does {name} lose {points} points on {data} when {term} is switched off, although Table {table} shows none?",
    "How was the threshold of {small} for {term} in Section {section} chosen?",
    "Does the {pct} of Figure {figure} include the {count} items of {data} that were filtered?",
    "Have you tried {name2} with {term2} for {topic}, given that Table {table} ranks it first with {pct}?",
    "Is the variance of {small2} across the {count} runs on {data} due to {term}?",
)
_VAGUE = (
    "The experiments are weak and should be improved.", "The novelty of this work is limited.",
    "The writing could be better in several places.", "Some parts of the paper are hard to follow.",
    "More baselines should be compared with.", "The related work is not discussed in enough depth.",
    "The method is not motivated well.", "The results are not convincing.", "More details are needed.",
    "The evaluation is not sufficient to support the claims.", "There are some typos and grammatical errors.",
    "The contribution is incremental compared with existing work.", "The figures could be improved.",
    "The assumptions are strong and not discussed.", "The limitations are not addressed.",
    "The paper would benefit from more analysis.", "The presentation is confusing at times.",
    "Some claims are not supported by evidence.", "The notation is not consistent.", "The data sets are too small.",
    "The discussion is rather short.", "It is unclear whether the results generalise.",
    "The introduction should explain the problem better.", "The conclusions are too strong.",
)  # fmt: skip
_VAGUE_QUESTIONS = (
    "Can the authors provide more details?", "How does this compare with other methods?",
    "What are the limitations of the approach?", "Why was this method chosen?", "Would this work on other data?",
    "How sensitive is the method to its parameters?", "What is the computational cost?",
    "Can the authors comment on the novelty?",
)  # fmt: skip


def pasted(paper: PaperReading, like: Review, rng: random.Random) -> Review:
    """Returns a review of verbatim sentences of the paper."""
    held = [s.text for s in paper.sentences if len(s.text.split()) >= 8]
    return _shaped(like, lambda _: rng.choice(held))


def fabricated(paper: PaperReading, like: Review, rng: random.Random) -> Review:
    """Returns a fluent, specific and invented review, half of the time about the paper's own keyphrases."""
    topics = list(keyphrases(paper)) if rng.random() < 0.5 else list(_TERMS)

    def made(field: str) -> str:
        return fabrication(_BANK[field], topics, paper, rng)

    return _shaped(like, made)


def fabrication(bank: Sequence[str], topics: Sequence[str], paper: PaperReading, rng: random.Random) -> str:
    """Returns a sentence of ``bank`` with invented specifics; places in it may exist by chance."""

    def name() -> str:
        return rng.choice(_FIRST) + rng.choice(_LAST) + rng.choice(("", "", "-2", "++", "-XL"))

    term, term2 = rng.sample(_TERMS, 2)
    return rng.choice(bank).format(
        name=name(), name2=name(), data=f"{rng.choice(_FIRST)}{rng.choice(_DATA)}", topic=rng.choice(topics),
        term=term, term2=term2, bare=term.removeprefix("the "), pct=f"{rng.uniform(40, 99):.1f} %",
        points=f"{rng.uniform(0.4, 12):.1f}", small=f"{rng.uniform(0.01, 0.9):.3f}",
        small2=f"{rng.uniform(0.9, 9):.2f}", factor=rng.randint(2, 40), count=rng.randint(101, 98_000),
        table=rng.randint(1, 9), figure=rng.randint(1, 12), equation=rng.randint(1, 25),
        section=f"{rng.randint(2, 7)}.{rng.randint(1, 5)}",
    )  # fmt: skip


def vague(_: PaperReading, like: Review, rng: random.Random) -> Review:
    """Returns a review that fits any paper."""
    return _shaped(like, lambda field: rng.choice(_VAGUE_QUESTIONS if field == "questions" else _VAGUE))


KINDS: Mapping[str, Callable[[PaperReading, Review, random.Random], Review]] = {
    "pasted": pasted, "fabricated": fabricated, "vague": vague,
}  # fmt: skip
_BANK = {"summary": _SUMMARIES, "strengths": _STRENGTHS, "weaknesses": _WEAKNESSES, "questions": _QUESTIONS}


def _shaped(like: Review, sentence: Callable[[str], str]) -> Review:
    """Returns as many points as ``like`` has in each field, each with about as many sentences."""

    def of(field: str, text: str) -> str:
        words, made = len(text.split()), sentence(field)
        while len(made.split()) < 0.7 * words:
            made = f"{made} {sentence(field)}"
        return made

    fields = {f: tuple(of(f, text) for text in getattr(like, f)) for f in ("strengths", "weaknesses", "questions")}
    return Review(summary=of("summary", like.summary) if like.summary else "", **fields)
