"""Doors: links that let people in, and what stands outside."""

from __future__ import annotations

import re

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from tare.app.pages import page
from tare.app.room import Caused, Room, assessor_of, room_of
from tare.app.security import ASSESSOR, OWNER, log_in
from tare.app.tokens import digest, is_token, new_token, same
from tare.studies.judging import Refusal, State
from tare.studies.judging.decisions import invite, join, new_name

__all__ = ["router"]

router = APIRouter()
EXTERNAL = ("PROLIFIC_PID", "participant", "workerId", "external")
SHAPE = re.compile(r"[A-Za-z0-9_.@-]{1,64}")


@router.get("/")
async def outside(request: Request) -> Response:
    """Says what this is, to those without a link."""
    return page("outside.html", title=room_of(request).store.study.design.title)


@router.get("/health")
async def health(request: Request) -> Response:
    """Whether answers can be written."""
    await room_of(request).writer.do(lambda state, now: ([], None))
    return PlainTextResponse("ok\n")


@router.get("/join/{token}")
async def come_in(request: Request, token: str) -> Response:
    """An invitation: from here on a cookie tells who it is."""
    room, external = room_of(request), _external(request)
    address = room.guard(request)

    def act(state: State, now: float) -> Caused:
        return join(state, now, assessor_of(state, digest(token)), external), None

    await _tried(room, address, token, act)
    response = RedirectResponse("/work", status_code=303)
    log_in(response, ASSESSOR, token, secure=room.secure)
    return response


@router.get("/open/{token}")
async def stand_at_the_door(request: Request, token: str) -> Response:
    """A link for many: asks for one click, so that no robot enrols."""
    room, external = room_of(request), _external(request)
    address = room.guard(request)
    if not is_token(token) or not same(digest(token), room.store.door):
        room.guesses.failed(address)
        raise Refusal(404, "there is no such link.")
    kept = request.cookies.get(ASSESSOR, "")

    def known(state: State, now: float) -> Caused:
        return [], is_token(kept) and digest(kept) in state.tokens

    if await room.writer.do(known):
        return RedirectResponse("/work", status_code=303)
    title = room.store.study.design.title
    return page("door.html", title=title, token=token, external=external)


@router.post("/open/{token}")
async def enrol(request: Request, token: str) -> Response:
    """A new assessor; an id from elsewhere can be used once."""
    room, external = room_of(request), _external(request)
    address = room.guard(request)
    if not is_token(token) or not same(digest(token), room.store.door):
        room.guesses.failed(address)
        raise Refusal(404, "there is no such link.")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refusal(403, "this form is not from here; open the link again.")
    made = new_token()

    def act(state: State, now: float) -> Caused:
        if external and external in state.external:
            raise Refusal(409, "this id has begun already; open your personal link to go on.")
        name = new_name(state)
        events = invite(state, now, name, digest(made))
        return [*events, *join(state, now, name, external)], None

    await room.writer.do(act)
    response = RedirectResponse("/work", status_code=303)
    log_in(response, ASSESSOR, made, secure=room.secure)
    return response


@router.get("/owner/{token}")
async def owner_comes_in(request: Request, token: str) -> Response:
    """The owner's link."""
    room = room_of(request)
    address = room.guard(request)
    if not is_token(token) or not same(digest(token), room.store.owner):
        room.guesses.failed(address)
        raise Refusal(404, "there is no such link.")
    response = RedirectResponse("/owner", status_code=303)
    log_in(response, OWNER, token, secure=room.secure)
    return response


async def _tried(room: Room, address: str, token: str, act: object) -> None:
    try:
        if not is_token(token):
            raise Refusal(404, "there is no such link.")
        await room.writer.do(act)  # type: ignore[arg-type]
    except Refusal as refusal:
        if refusal.status in (401, 404):
            room.guesses.failed(address)
            raise Refusal(404, "there is no such link.") from None
        raise


def _external(request: Request) -> str:
    """The id that a platform put into the link."""
    for name in EXTERNAL:
        given = request.query_params.get(name)
        if given:
            if not SHAPE.fullmatch(given):
                raise Refusal(422, f"{name} has up to 64 letters, digits and _ . @ -")
            return given
    return ""
