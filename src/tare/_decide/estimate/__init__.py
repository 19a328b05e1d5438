"""Estimates from people's labels of a sample and a model's labels of everything."""
