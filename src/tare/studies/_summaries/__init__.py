"""Whether text measures agree with people, and what chance correction changes."""
