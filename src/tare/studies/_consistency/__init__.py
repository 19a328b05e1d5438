"""Whether measures rank systems alike on other items."""
