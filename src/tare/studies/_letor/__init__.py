"""Learning-to-rank methods on LETOR data, measured with and without chance correction."""
