"""Items: whether systems, items or groups of items differ."""
