"""Regression of human scores on features: robust, non-negative, canonical, ridge; and all subsets."""

from tare.stats._regression.fits import FITS, Fits, fit_subsets
from tare.stats._regression.subsets import all_subsets, subset_of

__all__ = ["FITS", "Fits", "all_subsets", "fit_subsets", "subset_of"]
