"""Reports: a result as one self-contained HTML page, and its charts as files for papers."""

from tare.report._report import Report, report, write

__all__ = ["Report", "report", "write"]
