"""Discriminative power: which measure finds most differences between systems."""
