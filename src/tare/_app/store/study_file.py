"""The file of a study in SQLite: whether it is still in its place, and whether it is complete."""

from __future__ import annotations

import logging
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from tare._judging import Refusal

__all__ = ["StudyFile", "merge_write_ahead_log"]

log = logging.getLogger("tare._app")


class StudyFile:
    """The file that was opened; a program that moves or replaces it does not change what is open."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._opened = self._found()

    def check(self) -> None:
        """Refuse answers while another file, or none, is in the place of the file that was opened."""
        if self._found() != self._opened:
            reason = (
                f"the file {self.path.name} was moved, replaced or deleted while it is being served, so answers are "
                "not accepted; move the file back, or stop the server and start it with the right file."
            )
            log.error("%s", reason)
            raise Refusal(503, reason)

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def merge_write_ahead_log(engine: Engine) -> None:
    """Write the answers in the write-ahead log of SQLite to the file itself, so that the file is complete.

    Another program that reads the file can prevent this; the log then stays next to the file.
    """
    if engine.dialect.name != "sqlite":
        return
    try:
        connection = engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute("PRAGMA busy_timeout=2000")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (row,) = cursor.fetchall()
            cursor.execute("PRAGMA busy_timeout=10000")
            reason = "another program uses it" if row[0] else ""
        finally:
            connection.close()
    except (DBAPIError, engine.dialect.loaded_dbapi.Error) as error:
        reason = str(getattr(error, "orig", error))
    if reason:
        file = engine.url.database
        log.error("%s is incomplete without %s-wal: %s; copy both files.", file, file, reason)
