"""Thrift's compact protocol, in which Parquet describes its columns and pages."""

from __future__ import annotations

from typing import Any

__all__ = ["BINARY", "I32", "I64", "LIST", "STRUCT", "Reader", "Struct", "written"]

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
BITS = {I16: 16, I32: 32, I64: 64}
DEEPEST = 12

Struct = dict[int, tuple[int, Any]]
"""Fields by number: the kind of each, and its value. The value of a list is the kind of its items, and they."""


class Reader:
    """A place in bytes, from which structures are read."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data, self.place = data, place

    def struct(self, depth: int = 0) -> Struct:
        """Return the structure that begins here; the place is after it then."""
        fields: Struct = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            if number in fields:
                raise ValueError(f"field {number} appears twice in its description")
            kind = head & 15
            value = kind == TRUE if kind in (TRUE, FALSE) else self._value(kind, depth)
            fields[number] = kind, value
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError("its description is nested too deep")
        if kind in (I16, I32, I64):
            found = self._whole()
            if not -1 << BITS[kind] - 1 <= found < 1 << BITS[kind] - 1:
                raise ValueError(f"its description has the number {found}")
            return found
        if kind == BINARY:
            return self._bytes(self._varint())
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            return self._list(depth)
        if kind == DOUBLE:
            return self._bytes(8)
        if kind in (TRUE, FALSE, BYTE):  # a truth in a list is a byte
            return self._byte()
        raise ValueError(f"its description has a field of kind {kind}")

    def _list(self, depth: int) -> tuple[int, list[Any]]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self.data) - self.place:  # each item takes a byte
            raise ValueError("a list ends too early")
        return head & 15, [self._value(head & 15, depth + 1) for _ in range(count)]

    def _byte(self) -> int:
        try:
            byte = self.data[self.place]
        except IndexError:
            raise ValueError("its description ends too early") from None
        self.place += 1
        return byte

    def _bytes(self, count: int) -> bytes:
        start, self.place = self.place, self.place + count
        if self.place > len(self.data):
            raise ValueError("its description ends too early")
        return self.data[start : self.place]

    def _varint(self) -> int:
        if (byte := self._byte()) < 128:  # as most numbers are
            return byte
        found, bits = byte & 127, 7
        while (byte := self._byte()) & 128:
            found |= (byte & 127) << bits
            bits += 7
            if bits > BITS[I64]:
                raise ValueError("its description has a number of too many digits")
        return found | byte << bits

    def _whole(self) -> int:
        found = self._varint()
        return found >> 1 ^ -(found & 1)


def written(fields: Struct) -> bytes:
    """Return a structure as bytes."""
    parts = []
    before = 0
    for number, (kind, value) in sorted(fields.items()):
        shown = (TRUE if value else FALSE) if kind in (TRUE, FALSE) else kind
        step = number - before
        parts.append(bytes([step << 4 | shown]) if step < 16 else bytes([shown]) + _whole(number))
        if shown is kind and kind not in (TRUE, FALSE):
            parts.append(_value(kind, value))
        before = number
    return b"".join(parts) + b"\0"


def _value(kind: int, value: Any) -> bytes:
    if kind in (I16, I32, I64):
        return _whole(value)
    if kind == BINARY:
        return _varint(len(value)) + bytes(value)
    if kind == STRUCT:
        return written(value)
    if kind in (LIST, SET):
        of, items = value
        head = bytes([len(items) << 4 | of]) if len(items) < 15 else bytes([240 | of])
        count = b"" if len(items) < 15 else _varint(len(items))
        return head + count + b"".join(_value(of, item) for item in items)
    return bytes(value) if kind == DOUBLE else bytes([value])


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _whole(number: int) -> bytes:
    return _varint(number << 1 if number >= 0 else (-number << 1) - 1)
