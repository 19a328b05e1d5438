"""Marks that charts share: intervals, bars, curves, scatter plots, heat maps, and their encoding."""
