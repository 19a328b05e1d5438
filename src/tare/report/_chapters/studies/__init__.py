"""Figures and findings of results, one module per result.

A result class names its module in `figure_module`; see `tare._result.Result`. Results without a module use
`shapes`, which selects charts by the columns of the rows.
"""
