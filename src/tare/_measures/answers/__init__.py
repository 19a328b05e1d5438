"""Measures of answers: nuggets, citations and refusals."""
