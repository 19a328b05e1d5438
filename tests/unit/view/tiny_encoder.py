"""A tiny encoder with random weights and a tokenizer of word pieces, for tests of nearest tokens."""

from __future__ import annotations

from pathlib import Path

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat", "##s", "##ning", "<", ">", "b", "."]
SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]


def save_encoder(folder: Path) -> Path:
    """Write a model of a few thousand weights; [CLS] and [SEP] are around each text."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: k for k, word in enumerate([*SPECIAL, *WORDS])}
    pieces = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer(lowercase=True)
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces, model_max_length=32, pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder
