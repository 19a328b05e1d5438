"""Simulated assessors: a small HTTP client, so that the load comes from the server and not from us."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
import uuid
from dataclasses import dataclass, field

from tare._app.tokens import csrf_of

NUMBER = re.compile(r'name=\\?"number\\?" value=\\?"(\d+)\\?"')


@dataclass
class Tally:
    """What the assessors saw."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: dict[str, str] = field(default_factory=dict)  # submission: choice
    resent: int = 0
    refused: list[str] = field(default_factory=list)
    wanted: int = 0
    started: int = 0


class Connection:
    """HTTP/1.1 over one connection that is opened again when it breaks."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(
        self, method: str, path: str, cookie: str, body: bytes = b""
    ) -> tuple[int, bytes]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        assert self.reader is not None
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\ncookie: {cookie}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        await self.writer.drain()
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        length = next(int(x[15:]) for x in lines if x.lower().startswith("content-length:"))
        return int(lines[0].split()[1]), await self.reader.readexactly(length)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


async def patient(connection: Connection, tally: Tally, *asked: object) -> tuple[int, bytes]:
    """Asks until somebody answers."""
    while True:
        try:
            status, body = await connection.ask(*asked)  # type: ignore[arg-type]
            if status < 500:
                return status, body
        except (OSError, EOFError, asyncio.IncompleteReadError):
            pass
        connection.close()
        tally.resent += 1
        await asyncio.sleep(0.1)


async def assessor(port: int, study: str, token: str, pace: float, tally: Tally, seed: int) -> None:
    """Judges until the study or the wanted number is done, with a pause before each answer."""
    dice, connection = random.Random(seed), Connection(port)
    cookie, csrf = f"tare_assessor_{study}={token}", csrf_of(token)
    await asyncio.sleep(dice.random() * max(pace, 0.2))
    await patient(connection, tally, "GET", f"/join/{token}", "")
    _, page = await patient(connection, tally, "GET", "/work", cookie)
    while tally.started < tally.wanted:
        found = NUMBER.search(page.decode())
        if found is None:
            break
        tally.started += 1
        if pace:
            await asyncio.sleep(dice.expovariate(1 / pace))
        submission, choice = (
            str(uuid.UUID(int=dice.getrandbits(128))),
            dice.choice(["left", "right"]),
        )
        body = json.dumps(
            {"csrf": csrf, "submission": submission, "number": int(found[1]), "choice": choice}
        ).encode()
        start = time.perf_counter()
        status, page = await patient(connection, tally, "POST", "/judge", cookie, body)
        tally.seconds.append(time.perf_counter() - start)
        if status == 200:
            tally.acknowledged[submission] = choice
        else:
            tally.refused.append(f"{status} {page[:200].decode()}")
    connection.close()
