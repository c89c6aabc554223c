"""What rebuttal sentences do: heads over words, the encoder and the marks of structure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import BadInput
from engine.jobs import QuietReport
from engine.rebuttal.act_codes import ACTS, BY_CODE, BY_ID, stance_of
from engine.rebuttal.acts import TARGET, fit_acts, marked, read_acts
from engine.rebuttal.experiments import Exchanges
from engine.rebuttal.records import ACTIONS
from engine.reviews.labels.training import HeadSettings
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
    (pair,) = Exchanges.of([dialogue(0)], WordEmbedder(), QuietReport()).acts()
    texts = marked(pair.rebuttal, pair.evidence).texts
    assert texts[0].endswith("xxfirst xxlast xxgap") and "xxquotes" in texts[1]
    assert "xxafterquote" in texts[2] and "xxafterquote" not in texts[3]
    assert "xxinside" in texts[3] and texts[3].startswith("We have added a paragraph on it. ")


def test_heads_learn_actions_and_stances_follow() -> None:
    learn = Exchanges.of(dialogues(12), WordEmbedder(), QuietReport()).acts()
    judge = Exchanges.of(dialogues(4, 12), WordEmbedder(), QuietReport()).acts()
    heads = fit_acts(learn, QuietReport(), QUICK)
    said = read_acts(heads, [replace(pair, actions=()) for pair in judge])
    right = total = 0
    for acts, pair in zip(said, judge, strict=True):
        assert len(acts) == len(pair.rebuttal)
        for act, gold in zip(acts, pair.actions, strict=True):
            right += act.action == gold
            total += 1
            assert act.stance == stance_of(act.action) and 0 < act.confidence <= 1 and act.origin == heads.origin
    assert right / total >= 0.9
    assert [head.target for head in heads.heads] == [TARGET]


def test_unknown_actions_and_nothing_are_refused() -> None:
    (pair,) = Exchanges.of([dialogue(0)], WordEmbedder(), QuietReport()).acts()
    with pytest.raises(BadInput, match="shrug"):
        fit_acts([replace(pair, actions=("shrug",) * 6)], QuietReport(), QUICK)
    with pytest.raises(BadInput, match="no labelled"):
        fit_acts([replace(pair, actions=())], QuietReport(), QUICK)
