"""Measures of translations, counted by sacrebleu: BLEU, chrF and TER."""
