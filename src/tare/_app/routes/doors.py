"""Doors: links that let people in, and what stands outside."""

from __future__ import annotations

import re

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from tare._app.pages import page
from tare._app.room import Caused, Room, assessor_of, room_of
from tare._app.security import ASSESSOR, OWNER, cookie_of, from_here, log_in
from tare._app.tokens import digest, is_token, new_token, same
from tare.studies._judging import Refusal, State
from tare.studies._judging.decisions import check_door, invite, join, new_name

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
    """Whether answers can be written: something is, and is on disk, before this answers."""
    await room_of(request).writer.do(lambda state, now: ([], None), beat=True)
    return PlainTextResponse("ok\n")


@router.get("/join/{token}")
async def come_in(request: Request, token: str) -> Response:
    """An invitation: from here on a cookie tells who it is."""
    room = room_of(request)

    def known(state: State, now: float) -> Caused:
        return [], digest(token) in state.tokens

    if not is_token(token) or not await room.writer.do(known):
        raise room.wrong_link(request)
    external = _external(request)

    def act(state: State, now: float) -> Caused:
        return join(state, now, assessor_of(state, digest(token)), external), None

    await room.writer.do(act)
    response = RedirectResponse("/work", status_code=303)
    log_in(response, room, ASSESSOR, token)
    return response


@router.get("/open/{token}")
async def stand_at_the_door(request: Request, token: str) -> Response:
    """A link for many: asks for one click, so that no robot enrols."""
    room = _at_the_door(request, token)
    external = _external(request)
    kept = request.cookies.get(cookie_of(room, ASSESSOR), "")

    def known(state: State, now: float) -> Caused:
        found = is_token(kept) and digest(kept) in state.tokens
        if not found:
            check_door(state)
        return [], found

    if await room.writer.do(known):
        return RedirectResponse("/work", status_code=303)
    title = room.store.study.design.title
    return page("door.html", title=title, token=token, external=external)


@router.post("/open/{token}")
async def enrol(request: Request, token: str) -> Response:
    """A new assessor; an id from elsewhere can be used once."""
    room = _at_the_door(request, token)
    external = _external(request)
    if not from_here(request, room):
        raise Refusal(403, "this form is not from here; open the link again.")
    made = new_token()

    def act(state: State, now: float) -> Caused:
        if external and external in state.external:
            raise Refusal(409, "this id has begun already; open your personal link to go on.")
        name = new_name(state)
        events = invite(state, now, name, digest(made), door=True)
        return [*events, *join(state, now, name, external)], None

    await room.writer.do(act)
    response = RedirectResponse("/work", status_code=303)
    log_in(response, room, ASSESSOR, made)
    return response


@router.get("/owner/{token}")
async def owner_comes_in(request: Request, token: str) -> Response:
    """The owner's link."""
    room = room_of(request)
    if not is_token(token) or not same(digest(token), room.store.owner):
        raise room.wrong_link(request)
    response = RedirectResponse("/owner", status_code=303)
    log_in(response, room, OWNER, token)
    return response


def _at_the_door(request: Request, token: str) -> Room:
    """The room, for those with the link for many."""
    room = room_of(request)
    store = room.store
    known = is_token(token) and same(digest(token), store.door)
    if not known or not store.study.design.door:
        raise room.wrong_link(request)
    return room


def _external(request: Request) -> str:
    """The id that a platform put into the link."""
    for name in EXTERNAL:
        given = request.query_params.get(name)
        if given:
            if not SHAPE.fullmatch(given):
                raise Refusal(422, f"{name} has up to 64 letters, digits and _ . @ -")
            return given
    return ""
