"""Measures by a language model: its encoder, what it embeds, and what is made of that.

torch and transformers are imported inside functions: they come with the extra `bert`.
"""

from tare._measures.text.embedding.bertscore import (
    BertBaseline,
    BertResult,
    baseline_of,
    bert_score,
)
from tare._measures.text.embedding.encoder import Encoder, load_encoder

__all__ = ["BertBaseline", "BertResult", "Encoder", "baseline_of", "bert_score", "load_encoder"]
