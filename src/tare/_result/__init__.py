"""Results: one base class for tables, data frames, files, notebooks and reports."""

from tare._result.paper import PaperResult
from tare._result.result import MultiTableResult, Result, Row, Rows, SingleRowResult

__all__ = ["MultiTableResult", "PaperResult", "Result", "Row", "Rows", "SingleRowResult"]
