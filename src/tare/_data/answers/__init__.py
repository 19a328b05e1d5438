"""Answers of systems: nuggets with importance, assignments, citations and refusals."""
