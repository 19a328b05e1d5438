"""How often tests find a difference on given scores."""
