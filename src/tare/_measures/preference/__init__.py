"""Measures based on preferences between documents."""
