"""Numbers per item: ranking, diversity, preference and text measures."""
