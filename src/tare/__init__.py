"""tare."""
