"""Figures and findings of results, one module per result, named by `figure_module` of its class."""
