"""What the papers report on the tasks of rebuttals, by task and metric: system to value, as shares of 1."""

from collections.abc import Iterator, Mapping

_SCORING = """\
random 1.0 13.86 13.90
BERT 24.1 33.56 35.59
RoBERTa 44.7 35.41 35.40
SciBERT 47.0 36.73 36.72
BERT_ds_neg 38.3 39.20 39.13
RoBERTa_ds_neg 45.4 36.21 36.21
SciBERT_ds_neg 46.8 36.67 36.68
BERT_ds_all 48.8 38.37 38.37
RoBERTa_ds_all 32.3 37.82 37.67
SciBERT_ds_all 49.1 35.98 36.00"""
"""Purkayastha et al. (2023), Table 4; the paper writes r as a share of 1, MAP and MRR in percent."""
_RANKING = """\
BM25 20.9 21.1
allmini-lm 21.8 21.9
paraphrase-albert 19.5 19.6
bi-encoder-BERT 22.7 22.9
bi-encoder-RoBERTa 22.6 22.7
bi-encoder-SciBERT 20.9 20.9
bi-encoder-BERT_ds_neg 23.1 23.2
bi-encoder-RoBERTa_ds_neg 22.0 22.1
bi-encoder-SciBERT_ds_neg 22.0 22.2
bi-encoder-BERT_ds_all 22.9 23.0
bi-encoder-RoBERTa_ds_all 19.3 19.5
bi-encoder-SciBERT_ds_all 19.3 19.5"""
"""Table 10, MRR before MAP as there."""
_DESCRIPTIONS = """\
BART-0-shot 10.75 2.43 9.31 16
Pegasus-0-shot 10.28 2.30 8.96 16
T5-0-shot 5.29 0.93 4.87 -5
BART-1-shot 21.49 5.70 19.87 35.9
Pegasus-1-shot 17.26 6.06 16.58 31.4
T5-1-shot 16.79 4.21 15.94 26.0
BART-2-shot 19.11 5.26 18.42 34.2
Pegasus-2-shot 17.94 6.55 17.33 32.2
T5-2-shot 18.36 6.14 17.50 27.6
BART-full 42.36 33.64 42.17 49.6
Pegasus-full 45.73 37.83 46.36 51.6
T5-full 46.47 37.85 45.95 52.0"""
"""Table 11. BERTScore is that of roberta-large, so ours cannot be compared with it."""
_GENERATION = """\
BART-0-shot 11.53 0.87 9.20 0.5
Pegasus-0-shot 10.97 0.16 2.73 -32
T5-0-shot 3.08 0.79 8.88 -0.2
BART-1-shot 13.43 2.40 11.01 13.2
Pegasus-1-shot 20.64 4.36 16.48 24.9
T5-1-shot 19.93 3.63 15.09 20.3
BART-2-shot 22.04 3.42 16.90 25.6
Pegasus-2-shot 23.26 4.94 18.18 27.0
T5-2-shot 20.23 3.59 16.27 22.4
BART-full 22.14 3.88 15.67 21.8
Pegasus-full 21.52 3.87 15.69 19.3
T5-full 21.58 3.86 15.98 19.5"""
"""Table 12."""
_TEXTS = ("rouge_1", "rouge_2", "rouge_l", "bert_score")


def _read() -> Iterator[tuple[str, str, float]]:
    for task, metrics, table in (
        ("scoring", ("pearson", "map", "mrr"), _SCORING),
        ("scoring", ("mrr", "map"), _RANKING),
        ("descriptions", _TEXTS, _DESCRIPTIONS),
        ("generation", _TEXTS, _GENERATION),
        ("rebuttal-action", ("macro_f1",), "BERT (Kennard et al. 2022) 31.2"),
        ("rebuttal-stance", ("macro_f1",), "BERT (Kennard et al. 2022) 43.5"),
    ):
        for line in table.splitlines():
            system, *values = line.rsplit(maxsplit=len(metrics))
            for metric, value in zip(metrics, values, strict=True):
                yield f"{task}/{metric}", system, float(value) / 100


def _tables() -> Mapping[str, Mapping[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for key, system, value in _read():
        found.setdefault(key, {})[system] = round(value, 6)
    return found


PUBLISHED = _tables()
"""By "task/metric", on the test parts of the data sets."""
