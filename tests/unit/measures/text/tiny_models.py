"""Models of a few thousand random weights."""

from __future__ import annotations

from pathlib import Path

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat"]
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]


def save_model(folder: Path, kind: str) -> Path:
    """A model of a few thousand random weights, with a tokenizer of twelve words."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {word: k for k, word in enumerate([*SPECIAL, *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    if kind == "seq2seq":
        words.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    named = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, model_max_length=32, **named
    ).save_pretrained(folder)
    torch.manual_seed(0)
    numbers = {
        "vocab_size": len(vocabulary),
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    if kind == "seq2seq":
        config = transformers.BartConfig(
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            max_position_embeddings=32,
            decoder_start_token_id=2,
            **numbers,
        )
        transformers.BartForConditionalGeneration(config).save_pretrained(folder)
    elif kind == "causal":
        config = transformers.GPT2Config(n_embd=16, n_layer=1, n_head=2, n_positions=32, **numbers)
        transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    else:
        config = transformers.BertConfig(
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            **numbers,
        )
        transformers.BertModel(config).save_pretrained(folder)
    return folder
