"""Encoder-decoders made on the spot: real tokenizers and architectures of three families, with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Family = Literal["bart", "pegasus", "t5"]
FAMILIES: tuple[Family, ...] = ("bart", "pegasus", "t5")


def make_tiny_seq2seq(folder: Path, family: Family, seed: int = 1) -> Path:
    """Writes a transformers folder: byte-level BPE, two layers of 32 units on each side."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import (
        BartConfig,
        BartForConditionalGeneration,
        PegasusConfig,
        PegasusForConditionalGeneration,
        PreTrainedTokenizerFast,
        T5Config,
        T5ForConditionalGeneration,
    )

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<pad>", "</s>", "<s>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    inner.train_from_iterator(["we will clarify the part on data and training that is not clear"] * 3, trainer)
    inner.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", bos_token="<s>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    common = {"vocab_size": len(tokenizer), "pad_token_id": 0, "eos_token_id": 1, "d_model": 32}
    layers = {
        "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
        "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 96,
    }  # fmt: skip
    if family == "bart":
        config = BartConfig(**common, **layers, bos_token_id=2, decoder_start_token_id=1, forced_eos_token_id=1)
        BartForConditionalGeneration(config).save_pretrained(folder)
    elif family == "pegasus":
        PegasusForConditionalGeneration(
            PegasusConfig(**common, **layers, decoder_start_token_id=0, forced_eos_token_id=1)
        ).save_pretrained(folder)
    else:
        T5ForConditionalGeneration(
            T5Config(**common, d_kv=16, d_ff=64, num_layers=2, num_heads=2, decoder_start_token_id=0)
        ).save_pretrained(folder)
    return folder
