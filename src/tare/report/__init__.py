"""Reports: a result told to a reader, as one page that opens anywhere and as figures for papers."""

from tare.report._door import report, write
from tare.report._report import Report

__all__ = ["Report", "report", "write"]
