"""Learned measures: predict human scores from features, and test the predictions."""
