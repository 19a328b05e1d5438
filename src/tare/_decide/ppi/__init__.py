"""Estimates from few human labels and many labels of a model (prediction-powered inference)."""
