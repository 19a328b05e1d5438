"""Mutators: functions of valid bytes and a seeded generator that return damaged bytes."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import zstandard

NUMBERS = (
    b"0",
    b"-0",
    b"1",
    b"-1",
    b"2147483647",
    b"-2147483648",
    b"2147483648",
    b"4294967296",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"18446744073709551616",
    b"1e308",
    b"1e309",
    b"-1e400",
    b"1e-400",
    b"4.9e-324",
    b"nan",
    b"NaN",
    b"-nan",
    b"inf",
    b"-Infinity",
    b"0x1p3",
    b"1_000",
    b"1,5",
    b"\xd9\xa3",
    b"1" * 400,
    b"0." + b"3" * 400,
    b"1e",
    b"+-1",
    b".",
    b"",
    b"1.5.2",
    b"00012",
    b"1e5",
)
NASTY = (
    b"\x00",
    b"\x01",
    b"\x1a",
    b"\x7f",
    b"\r",
    b"\r\n",
    b"\n",
    b"\t",
    b" ",
    b"\x0b",
    b"\x0c",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"\xc2\xa0",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf5\x80\x80\x80",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xae",
    b'"',
    b"'",
    b'""',
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"#",
    b"%s",
    b"{}",
    b"$(id)",
    b"../../etc",
    b",",
    b";",
    b"|",
    b":",
    b"<",
    b">",
    b"&amp;",
    b"&a;",
    b"]]>",
    b"<!--",
    b"null",
    b"true",
    b"None",
    b"[]",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"@",
    b"=",
    b"qid:",
    b"\x1b[31m",
    b"e\xcc\x81",
    b"\xef\xbf\xbd",
)
OPENINGS = (b"[", b"{", b"(", b"<a>", b'{"a":', b"[[", b"V2(", b"<scu>")
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**30,
    -(10**400),
    2**63,
    1e308,
    "",
    " ",
    "a",
    "nan",
    "\x00",
    "\ud800",
    "é" * 50,
    [],
    [[]],
    [None],
    ["a", 1],
    {},
    {"a": {"b": []}},
    [1, "x", None, {}],
    "[1, 2]",
    "[" * 200,
    "1e999",
    [["a"], ["b"]],
)
BLANK_RUN = re.compile(rb"[ \t,|:]+")
NUMBER_RUN = re.compile(rb"[-+]?\d+(?:\.\d+)?")

Mutator = Callable[[bytes, Random], bytes]


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _span(data: bytes, random: Random) -> tuple[int, int]:
    start = _place(data, random)
    return start, min(len(data), start + 1 + int(random.expovariate(1 / 12)))


def flip(data: bytes, random: Random) -> bytes:
    """Flip bits."""
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        if out:
            out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def overwrite(data: bytes, random: Random) -> bytes:
    """Replace a byte by a random one."""
    at = _place(data, random)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def noise(data: bytes, random: Random) -> bytes:
    """Insert random bytes."""
    at = _place(data, random)
    return data[:at] + random.randbytes(random.choice((1, 2, 4, 30))) + data[at:]


def nasty(data: bytes, random: Random) -> bytes:
    """Insert characters that are difficult for parsers."""
    at = _place(data, random)
    return data[:at] + random.choice(NASTY) + data[at + random.choice((0, 0, 1)) :]


def delete(data: bytes, random: Random) -> bytes:
    """Remove a range."""
    start, end = _span(data, random)
    return data[:start] + data[end:]


def repeat(data: bytes, random: Random) -> bytes:
    """Repeat a range."""
    start, end = _span(data, random)
    return data[:end] + data[start:end] * random.choice((1, 2, 50)) + data[end:]


def cut(data: bytes, random: Random) -> bytes:
    """Remove the end or the beginning."""
    at = _place(data, random)
    return data[at:] if random.random() < 0.2 else data[:at]


def number(data: bytes, random: Random) -> bytes:
    """Replace a number by one that is huge, tiny or not a number."""
    found = list(NUMBER_RUN.finditer(data))
    if not found:
        return nasty(data, random)
    one = random.choice(found)
    return data[: one.start()] + random.choice(NUMBERS) + data[one.end() :]


def fields(data: bytes, random: Random) -> bytes:
    """Swap, repeat or remove fields of a line."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    gaps = BLANK_RUN.findall(lines[at])
    parts = BLANK_RUN.split(lines[at])
    if not gaps:
        return delete(data, random)
    i, j = random.randrange(len(parts)), random.randrange(len(parts))
    how = random.randrange(3)
    if how == 0:
        parts[i], parts[j] = parts[j], parts[i]
    elif how == 1:
        parts.insert(i, parts[j])
    else:
        del parts[i]
    lines[at] = gaps[0].join(parts)
    return b"\n".join(lines)


def lines(data: bytes, random: Random) -> bytes:
    """Swap, repeat or remove lines, or turn all lines into comments."""
    rows = data.split(b"\n")
    i, j = random.randrange(len(rows)), random.randrange(len(rows))
    how = random.randrange(5)
    if how == 0:
        rows[i], rows[j] = rows[j], rows[i]
    elif how == 1:
        rows.insert(i, rows[j])
    elif how == 2:
        del rows[i]
    elif how == 3:
        rows[i] = b""
    else:
        rows = [b"#" + row for row in rows]
    return b"\n".join(rows)


def ends(data: bytes, random: Random) -> bytes:
    """Change the line endings."""
    return data.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b"\x0b", b"\xe2\x80\xa8")))


def blanks(data: bytes, random: Random) -> bytes:
    """Change the white space."""
    return data.replace(b" ", random.choice((b"\t", b"  ", b"\xc2\xa0", b"", b"\x0c", b",")))


def encode(data: bytes, random: Random) -> bytes:
    """Change the encoding."""
    text = data.decode("utf-8", "replace")
    codec = random.choice(
        ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-7", "utf-8-sig", "cp1252")
    )
    return text.encode(codec, "replace")


def nest(data: bytes, random: Random) -> bytes:
    """Insert nested brackets."""
    at = _place(data, random)
    deep = random.choice((3, 30, 300, 3000) if random.random() < 0.95 else (60_000,))
    return data[:at] + random.choice(OPENINGS) * deep + data[at:]


def lengthen(data: bytes, random: Random) -> bytes:
    """Insert a very long field."""
    at = _place(data, random)
    size = random.choice((200, 4_000) if random.random() < 0.97 else (100_000, 1_200_000))
    return (
        data[:at] + random.choice((b"a", b"0", b"9", b" ", b"\xc3\xa9", b"\\")) * size + data[at:]
    )


def case(data: bytes, random: Random) -> bytes:
    """Change the case of letters."""
    start, end = _span(data, random)
    return data[:start] + data[start:end].swapcase() + data[end:]


def objects(data: bytes, random: Random) -> bytes:
    """Replace a value or a key of a JSON line, or remove a key."""
    rows = data.split(b"\n")
    at = random.randrange(len(rows))
    try:
        value = json.loads(rows[at])
    except (ValueError, RecursionError):
        return nasty(data, random)
    if not isinstance(value, dict) or not value:
        return nasty(data, random)
    key = random.choice(list(value))
    how = random.randrange(4)
    if how == 0:
        del value[key]
    elif how == 1:
        value[random.choice(("", "x", "query", "text", "value", "é"))] = value.pop(key)
    else:
        value[key] = random.choice(VALUES)
    rows[at] = json.dumps(value, ensure_ascii=random.random() < 0.5).encode(
        "utf-8", "surrogatepass"
    )
    return b"\n".join(rows)


PLAIN: tuple[Mutator, ...] = (
    flip,
    flip,
    overwrite,
    noise,
    nasty,
    nasty,
    delete,
    repeat,
    cut,
    number,
    number,
    number,
    fields,
    fields,
    lines,
    lines,
    ends,
    blanks,
    encode,
    nest,
    lengthen,
    case,
)
BINARY: tuple[Mutator, ...] = (flip, flip, overwrite, noise, delete, repeat, cut, nasty)


def broken(
    data: bytes, random: Random, more: tuple[Mutator, ...] = (), other: bytes = b""
) -> bytes:
    """Apply one to four mutators; sometimes join the result with other valid data."""
    ways = PLAIN + more * 4
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        data = random.choice(ways)(data, random)
    if other and random.random() < 0.05:
        data += other
    return data


def damaged(data: bytes, random: Random) -> bytes:
    """Apply one or two mutators to binary data."""
    for _ in range(random.choice((1, 1, 2))):
        data = random.choice(BINARY)(data, random)
    return data


@cache
def bombs() -> tuple[tuple[str, bytes], ...]:
    """Return small compressed files that expand to 90 MB or more: one byte, lines, many frames."""
    line = b"q1 Q0 d1 1 1.0 t\n"
    many = line * (1 << 14)
    press = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = b"".join(press.compress(b"0" * (1 << 20)) for _ in range(90)) + press.flush()
    frames = zstandard.ZstdCompressor(level=3).compress(b"\n" * (8 << 20)) * 12
    return (
        (".gz", zeros),
        (".zst", zstandard.ZstdCompressor(level=3).compress(b"1 " * (45 << 20))),
        (".gz", gzip.compress(many, 9) * 400),
        (".zst", frames),
    )


def packed(data: bytes, random: Random) -> tuple[str, bytes]:
    """Compress the data, and sometimes damage the result."""
    if random.random() < 0.5:
        suffix, out = ".gz", gzip.compress(data, 1, mtime=0)
    else:
        suffix, out = ".zst", zstandard.ZstdCompressor(level=1).compress(data)
    if random.random() < 0.2:
        out += out
    return suffix, damaged(out, random) if random.random() < 0.7 else out
