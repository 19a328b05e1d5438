"""Which measure separates systems best."""
