"""Measures of short answers: exact match and token F1, as SQuAD defines them."""
