"""Reports: a result as one self-contained HTML page, and its charts as files for papers."""

from tare.report._build import report, write
from tare.report._report import Report

__all__ = ["Report", "report", "write"]
