"""The owner's desk: how the study goes, and what can be done about it."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tare._app.exporting import FORMATS, WHAT, export, offered
from tare._app.forms import number_of
from tare._app.limits import read_fields
from tare._app.pages import page
from tare._app.room import Caused, Room, room_of
from tare._app.security import OWNER, Session, check_form, session_of
from tare._app.tokens import completion_code, digest, new_token, same
from tare.errors import TareError
from tare.studies._judging import Refusal, State
from tare.studies._judging.decisions import extend, invite, new_name, pause, revoke

__all__ = ["router"]

router = APIRouter()
MOST_INVITED = 500
TYPES = {"csv": "text/csv", "jsonl": "application/jsonl", "parquet": "application/octet-stream"}


@router.get("/owner")
async def desk(request: Request) -> Response:
    """Progress, agreement, assessors."""
    room, session = _owner(request)
    return await _desk(room, session, request)


@router.post("/owner/pause")
async def stop_or_go_on(request: Request) -> Response:
    """Pauses the study, or resumes it."""
    room, _, fields = await _form(request)
    paused = fields.get("paused") == "yes"
    await room.writer.do(lambda state, now: (pause(state, now, paused), None))
    return _back(room)


@router.post("/owner/extend")
async def more_of_it(request: Request) -> Response:
    """More answers a task, more in all, or more an assessor."""
    room, _, fields = await _form(request)
    names = ("overlap", "budget", "per_assessor")
    more = {name: number_of(fields, name) for name in names if fields.get(name)}
    await room.writer.do(lambda state, now: (extend(state, now, **more), None))
    return _back(room)


@router.post("/owner/invite")
async def more_assessors(request: Request) -> Response:
    """New invitations; their links are shown once."""
    room, session, fields = await _form(request)
    count = number_of(fields, "count")
    label = str(fields.get("label", ""))[:80]
    if not 1 <= count <= MOST_INVITED:
        raise Refusal(422, f"invite 1 to {MOST_INVITED} at once.")
    tokens = [new_token() for _ in range(count)]

    def act(state: State, now: float) -> Caused:
        events, names = [], []
        for token in tokens:
            names.append(new_name(state))
            events += invite(state, now, names[-1], digest(token), label)
        return events, names

    names = await room.writer.do(act)
    base = room.base or str(request.base_url).rstrip("/")
    links = [(name, f"{base}/join/{token}") for name, token in zip(names, tokens, strict=True)]
    return await _desk(room, session, request, links)


@router.post("/owner/revoke")
async def withdraw(request: Request) -> Response:
    """Withdraws an invitation, with its answers if so wished."""
    room, _, fields = await _form(request)
    assessor, discard = str(fields.get("assessor", "")), fields.get("discard") == "yes"
    await room.writer.do(lambda state, now: (revoke(state, now, assessor, discard=discard), None))
    return _back(room)


@router.get("/owner/export/{name}")
async def live_export(request: Request, name: str) -> Response:
    """What was found so far, as a file."""
    room, _ = _owner(request)
    what, _, form = name.partition(".")
    if what not in WHAT or form not in FORMATS:
        raise Refusal(404, f"exports are {', '.join(WHAT)} with {', '.join(FORMATS)}.")
    try:
        body = await asyncio.to_thread(export, room.store, what, form)
    except TareError as error:
        raise Refusal(409, str(error)) from None
    headers = {"content-disposition": f'attachment; filename="{what}.{form}"'}
    return Response(body, media_type=TYPES.get(form, "text/plain"), headers=headers)


def _owner(request: Request) -> tuple[Room, Session]:
    room, session = room_of(request), session_of(request, OWNER)
    if not same(session.digest, room.store.owner):
        raise Refusal(401, "open the owner's link first.")
    return room, session


async def _form(request: Request) -> tuple[Room, Session, dict[str, object]]:
    room, session = _owner(request)
    fields = await read_fields(request)
    check_form(request, session, fields.get("csrf"))
    return room, session, fields


def _back(room: Room) -> Response:
    room.forget()
    return RedirectResponse("/owner", status_code=303)


async def _desk(
    room: Room, session: Session, request: Request, links: list[tuple[str, str]] | None = None
) -> Response:
    def look(state: State, now: float) -> Caused:
        people = [
            {
                "id": a.id,
                "label": a.label,
                "external": a.external,
                "joined": a.joined,
                "revoked": a.revoked,
                "gate": a.gate_passed,
                "working": a.lease is not None,
                "code": room.store.study.design.code or completion_code(room.store.salt, a.id),
            }
            for a in state.assessors.values()
        ]
        facts: dict[str, object] = {
            "paused": state.paused,
            "overlap": state.overlap,
            "budget": state.budget,
        }
        facts["judged"] = state.judged
        return [], {**facts, "per_assessor": state.per_assessor, "people": people}

    found = await room.quality()
    now = await room.writer.do(look)
    return page(
        "owner.html",
        title=room.store.study.design.title,
        design=room.store.study.design,
        quality=found,
        by_assessor={a.assessor: a for a in found.assessors},
        now=now,
        csrf=session.csrf,
        links=links or [],
        exports=offered(room.store),
    )
