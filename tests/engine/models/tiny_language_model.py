"""A language model made on the spot: a real tokenizer and a real architecture, with random weights."""

from __future__ import annotations

from pathlib import Path

TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
CONTEXT = 512


def make_tiny_language_model(folder: Path, seed: int = 1, context: int = CONTEXT) -> Path:
    """Writes a transformers folder: byte-level BPE, a Llama of two layers and 32 units, a chat template."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    marks = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=marks, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    inner.train_from_iterator(["the review says that the paper is clear and sound"], trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|end|>", pad_token="<|end|>")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer) + 8,  # models often have more rows than their tokenizer has pieces
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=context,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder
