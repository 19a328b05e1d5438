"""Eight rankers on LETOR data, with and without chance correction."""
