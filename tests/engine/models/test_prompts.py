"""How many tokens a text is taken to have: of every kind, hardly ever fewer than a real vocabulary makes of it."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from engine.models.prompts import beginning, cut, tokens_in
from engine.models.registry import bundled_encoder

TEXTS = {
    "English": "The gauge at the pier was read twice a day by the same observer, who wrote down the time as well. " * 9,
    "numbers": "| 12.75 | 0.03 | 918,204 | 7.1e-5 | 46.20 |\n" * 20,
    "formulas": r"\sum_{i=1}^{n} \frac{\alpha_i^2}{2\sigma} \leq \int_0^\infty e^{-\lambda t}\,dt, \quad x_k \in S "
    * 9,
    "hex": " ".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(12)),
    "Chinese": "码头的水位计每天由同一名观测者读两次，并同时记录时间。" * 20,
    "Japanese": "桟橋の水位計は、同じ観測者によって一日に二回読み取られ、時刻も記録された。" * 20,
    "Korean": "부두의 수위계는 같은 관측자가 하루에 두 번 읽고 시각도 함께 적었다. " * 20,
    "Arabic": "كان المراقب نفسه يقرأ مقياس الماء عند الرصيف مرتين في اليوم ويسجل الوقت أيضا. " * 20,
    "Russian": "Показания уровнемера у причала дважды в день снимал один и тот же наблюдатель. " * 20,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_no_kind_of_text_is_taken_for_a_shorter_one(kind: str) -> None:
    vocabulary = Tokenizer.from_file(str(bundled_encoder().folder / "tokenizer.json"))
    vocabulary.no_truncation()
    vocabulary.no_padding()
    real = len(vocabulary.encode(TEXTS[kind], add_special_tokens=False).ids)
    assert 0.9 * real < tokens_in(TEXTS[kind]) < 2.2 * real


@given(st.text(max_size=200), st.integers(0, 60))
def test_a_beginning_is_the_longest_that_fits(text: str, tokens: int) -> None:
    begun = beginning(text, tokens)
    assert text.startswith(begun) and tokens_in(begun) <= tokens
    assert begun == text or tokens_in(text[: len(begun) + 1]) > tokens


def test_what_is_cut_says_so() -> None:
    said = cut(TEXTS["Chinese"], 100)
    assert tokens_in(said) <= 100 and said.endswith(" [the rest is left out]") and said.startswith("码头的水位计")
    assert cut("Short.", 100) == "Short."
