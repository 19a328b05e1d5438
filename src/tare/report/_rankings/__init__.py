"""Rankings of single queries: what reports and the explorer show of them."""
