"""A sentence encoder made on the spot: the real file layout and the real code path, with random weights."""

from __future__ import annotations

import json
from pathlib import Path

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,-?!'"
WIDTH = 16


def make_tiny_encoder(folder: Path, seed: int = 1) -> Path:
    """Writes a sentence-transformers folder: two layers of 16 units over single letters, mean pooling."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer = BertTokenizerFast(vocab={piece: at for at, piece in enumerate(pieces)}, model_max_length=64)
    tokenizer.save_pretrained(folder)
    parts = {
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
        "sentence_bert_config.json": {"max_seq_length": 64, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": WIDTH, "pooling_mode_mean_tokens": True},
    }
    (folder / "1_Pooling").mkdir()
    for name, content in parts.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder
