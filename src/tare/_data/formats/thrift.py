"""Thrift's compact protocol, in which Parquet writes its headers: read into dictionaries by field number."""

from __future__ import annotations

from typing import Any

__all__ = ["Compact"]

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
DEEPEST = 20


class Compact:
    """Values of some bytes, one after the other; IndexError where the bytes end too early.

    >>> Compact(bytes([0x15, 0x05, 0x18, 0x02, 0x68, 0x69, 0x00])).struct()
    {1: -3, 2: b'hi'}
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0
        self._depth = 0

    def struct(self) -> dict[int, Any]:
        """A structure: its fields by their numbers."""
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            found[number] = self._value(head & 15)
        return found

    def _value(self, kind: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self._byte()
        if kind in (I16, I32, I64):
            return self._integer()
        if kind == DOUBLE:
            return self._bytes(8)
        if kind == BINARY:
            return self._bytes(self._natural())
        if kind not in (LIST, SET, STRUCT):  # Parquet has no maps
            raise ValueError(f"a value of kind {kind}")
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError("values within values, too deep")
        found = self.struct() if kind == STRUCT else self._list()
        self._depth -= 1
        return found

    def _list(self) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 != 15 else self._natural()
        kind = head & 15
        if kind in (TRUE, FALSE):  # within a list each takes a byte
            kind = BYTE
        return [self._value(kind) for _ in range(count)]

    def _byte(self) -> int:
        byte = self.data[self.place]
        self.place += 1
        return byte

    def _bytes(self, length: int) -> bytes:
        end = self.place + length
        if end > len(self.data):
            raise IndexError("the bytes end too early")
        found = self.data[self.place : end]
        self.place = end
        return found

    def _natural(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _integer(self) -> int:
        number = self._natural()
        return (number >> 1) ^ -(number & 1)
