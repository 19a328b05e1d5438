"""Results of studies that keep their rows under names."""

from __future__ import annotations

from tare._result import MultiTableResult, Rows

__all__ = ["NamedRowsResult"]


class NamedRowsResult(MultiTableResult):
    """A result with several tables, whose rows are found by name and by value."""

    rows_by_name: dict[str, Rows]

    def find(self, name: str, **wanted: object) -> Rows:
        """Return the rows of a name with these values.

        Parameters
        ----------
        name : str
            A key of `rows_by_name`.
        **wanted
            Keys of the rows and the values they must have.

        Returns
        -------
        list of dict
            The matching rows.
        """
        return [r for r in self.rows_by_name[name] if all(r.get(k) == v for k, v in wanted.items())]
