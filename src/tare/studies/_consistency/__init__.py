"""Consistency: whether measures rank systems alike on different items."""
