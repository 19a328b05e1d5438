"""Simulated assessors: a small HTTP client on prepared bytes, so that the server takes most of the time.

They share the processors with the server. Everything that does not change from one answer to the next is
prepared, and of a response only what an assessor needs is read: status, length, and number of the next task.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tare._web.guard import csrf_of

NUMBER = re.compile(rb'name=\\?"number\\?" value=\\?"(\d+)\\?"')
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)


@dataclass
class Tally:
    """What the assessors saw."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: dict[str, str] = field(default_factory=dict)  # submission: choice
    resent: int = 0
    refused: list[str] = field(default_factory=list)
    wanted: int = 0
    started: int = 0


class Connection(asyncio.Protocol):
    """HTTP/1.1 over one connection that is opened again when it breaks."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None
        self.response: asyncio.Future[tuple[int, bytes]] | None = None
        self.received = b""

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Status and body of the response."""
        if self.transport is None:
            made, _ = await self.loop.create_connection(lambda: self, "127.0.0.1", self.port)
            self.transport, self.received = made, b""
        self.response = self.loop.create_future()
        self.transport.write(request)
        return await self.response

    def data_received(self, data: bytes) -> None:
        if self.received:
            data = self.received + data
        end = data.find(b"\r\n\r\n") + 4
        length = LENGTH.search(data, 0, end) if end > 3 else None
        if length is None or len(data) < end + int(length[1]):
            self.received = data
            return
        self.received = b""
        if self.response is not None and not self.response.done():
            self.response.set_result((int(data[9:12]), data[end:]))

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        if self.response is not None and not self.response.done():
            self.response.set_exception(ConnectionError())

    def close(self) -> None:
        if self.transport is not None:
            self.transport.abort()
        self.transport = self.response = None


async def patient(connection: Connection, tally: Tally, request: bytes) -> tuple[int, bytes]:
    """Asks until somebody answers."""
    while True:
        try:
            status, body = await connection.ask(request)
            if status < 500:
                return status, body
        except OSError:
            pass
        connection.close()
        tally.resent += 1
        await asyncio.sleep(0.1)


class Assessor:
    """Somebody who has a link, and one connection."""

    def __init__(self, port: int, study: str, token: str, tally: Tally, seed: int) -> None:
        self.dice, self.connection, self.tally = random.Random(seed), Connection(port), tally
        self.token, self.csrf = token, csrf_of(token)
        self.host = f"host: 127.0.0.1:{port}\r\n"
        self.cookie = f"cookie: tare_assessor_{study}={token}\r\n"
        head = f"POST /judge HTTP/1.1\r\n{self.host}{self.cookie}content-type: application/json\r\n"
        self.head = f"{head}content-length: "
        self.page = b""

    async def sign_in(self, within: float) -> None:
        """Opens the link at some moment, and the first task."""
        await asyncio.sleep(self.dice.random() * within)
        await self._get(f"/join/{self.token}", "")
        _, self.page = await self._get("/work", self.cookie)

    async def _get(self, path: str, cookie: str) -> tuple[int, bytes]:
        request = f"GET {path} HTTP/1.1\r\n{self.host}{cookie}\r\n"
        return await patient(self.connection, self.tally, request.encode())

    async def work(self, pace: float) -> None:
        """Judges until the study or the wanted number is done, with a pause before each answer."""
        dice, tally = self.dice, self.tally
        while tally.started < tally.wanted:
            number = NUMBER.search(self.page)
            if number is None:
                break
            tally.started += 1
            if pace:
                await asyncio.sleep(dice.expovariate(1 / pace))
            submission = f"{dice.getrandbits(128):032x}"
            choice = "left" if dice.random() < 0.5 else "right"
            body = (
                f'{{"csrf": "{self.csrf}", "submission": "{submission}", '
                f'"number": {number[1].decode()}, "choice": "{choice}"}}'
            )
            request = f"{self.head}{len(body)}\r\n\r\n{body}".encode()
            start = time.perf_counter()
            status, self.page = await patient(self.connection, tally, request)
            tally.seconds.append(time.perf_counter() - start)
            if status == 200:
                tally.acknowledged[submission] = choice
            else:
                tally.refused.append(f"{status} {self.page[:200].decode()}")
        self.connection.close()


async def answering(
    port: int,
    study: str,
    tokens: list[str],
    tally: Tally,
    mark: Callable[[], None],
    pace: float = 0.0,
) -> None:
    """All sign in, then all answer; `mark` is called when answers start and when they end."""
    people = [Assessor(port, study, token, tally, seed) for seed, token in enumerate(tokens)]
    await asyncio.gather(*(person.sign_in(max(pace, 0.2)) for person in people))
    mark()
    await asyncio.gather(*(person.work(pace) for person in people))
    mark()
