"""What rebuttal sentences do: heads over words, the encoder and the marks of structure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import BadInput
from engine.jobs import QuietReport
from engine.rebuttal.answers.evidence import ROLES, Passage
from engine.rebuttal.records import ACTIONS, ACTS, BY_CODE, BY_ID, stance_of
from engine.research.labels.heads import HeadSettings
from engine.research.rebuttal.acts import TARGET, fit_acts, marked, read_acts, what_is_answered
from engine.research.rebuttal.experiments import ExchangePair, exchanges
from tests.engine.expertise.word_embedder import WordEmbedder
from tests.engine.rebuttal.invented_dialogues import dialogue, dialogues

QUICK = HeadSettings(hidden=8, own_rounds=3, around_rounds=3, folds=2)


def test_seventeen_actions_of_which_thirteen_have_templates() -> None:
    assert len(ACTS) == len(BY_ID) == len(BY_CODE) == 17
    assert set(ACTIONS) <= set(BY_ID)
    assert [act.id for act in ACTS if act.id not in ACTIONS] == ["accept_praise", "follow_up", "other", "none"]
    assert {act.stance for act in ACTS} == {"concur", "dispute", "none-arguing", "other"}
    assert stance_of("reject_request") == "dispute"
    with pytest.raises(KeyError):
        stance_of("shrug")


def test_marks_say_what_quotes_and_what_begins() -> None:
    (pair,) = exchanges([dialogue(0)], WordEmbedder(), QuietReport())
    texts = marked(pair.rebuttal, pair.evidence).texts
    assert texts[0].endswith("xxfirst xxlast xxgap") and "xxquotes" in texts[1]
    assert "xxafterquote" in texts[2] and "xxafterquote" not in texts[3]
    assert "xxinside" in texts[3] and texts[3].startswith("We have added a paragraph on it. ")


def test_heads_learn_actions_and_stances_follow() -> None:
    learn = exchanges(dialogues(12), WordEmbedder(), QuietReport())
    judge = exchanges(dialogues(4, 12), WordEmbedder(), QuietReport())
    fitted = fit_acts(learn, QuietReport(), QUICK)
    said = read_acts(fitted, [replace(pair, actions=()) for pair in judge])
    right = total = 0
    for acts, pair in zip(said, judge, strict=True):
        assert len(acts) == len(pair.rebuttal)
        for act, gold in zip(acts, pair.actions, strict=True):
            right += act == gold
            total += 1
    assert right / total >= 0.9
    assert [head.target for head in fitted.heads.heads] == [TARGET]


def test_unknown_actions_and_nothing_are_refused() -> None:
    (pair,) = exchanges([dialogue(0)], WordEmbedder(), QuietReport())
    with pytest.raises(BadInput, match="shrug"):
        fit_acts([replace(pair, actions=("shrug",) * 6)], QuietReport(), QUICK)
    with pytest.raises(BadInput, match="no labelled"):
        fit_acts([replace(pair, actions=())], QuietReport(), QUICK)


def test_what_is_answered_is_a_mean_over_the_review() -> None:
    pair = dialogue(0)
    (known,) = exchanges([pair], WordEmbedder(), QuietReport())
    chances = np.zeros((len(pair.review), 1), np.float32)
    chances[3] = 1.0
    heard = what_is_answered(known.evidence, pair.review, chances)
    assert heard.shape == (len(pair.rebuttal), len(ROLES) + 4)
    request, question = ROLES.index("request"), ROLES.index("question")
    assert heard[5, request] > heard[4, request] and heard[4, question] > heard[5, question]
    assert heard[5, -2] == heard[:, -2].max() > 0.5, "the last sentence answers the request"
    assert np.allclose(heard[:, : len(ROLES)].sum(axis=1), 1, atol=1e-5)


def test_what_is_answered_tells_apart_what_words_cannot() -> None:
    learn, judge = (exchanges(_same_words(at, 40), WordEmbedder(), QuietReport()) for at in (0, 40))
    quick = replace(QUICK, softmax_cost=1.0)
    fitted = fit_acts(learn, QuietReport(), quick)
    said = [act for acts in read_acts(fitted, judge) for act in acts]
    gold = [action for pair in judge for action in pair.actions]
    assert np.mean([one == other for one, other in zip(said, gold, strict=True)]) >= 0.9
    blind = [replace(pair, answered=np.zeros_like(pair.answered)) for pair in judge]
    guessed = [act for acts in read_acts(fitted, blind) for act in acts]
    assert np.mean([one == other for one, other in zip(guessed, gold, strict=True)]) <= 0.6


def _same_words(start: int, count: int) -> list[ExchangePair]:
    """Exchanges in which the same words reject a request or a criticism."""
    return [
        ExchangePair(
            f"paper-{number}",
            (Passage("Please add a second dataset." if number % 2 else "The second dataset is unclear and weak."),),
            (Passage("The second dataset would not change this."),),
            ("reject_request" if number % 2 else "reject_criticism",),
            ((0,),),
        )
        for number in range(start, start + count)
    ]
