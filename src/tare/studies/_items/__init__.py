"""Whether systems, items or groups of items differ."""
