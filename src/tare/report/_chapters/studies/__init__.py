"""Charts and findings of results, one module per result.

A result class names its module in `figure_module`; see `tare._result.Result`. Results without a
module of their own are drawn by the shape of their rows.
"""
