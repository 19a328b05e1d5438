"""The assessor's work: what is before him, his answers, and taking them back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from tare._app.forms import answer_of, chosen_of, number_of
from tare._app.limits import BODY, MARKUP, check_submission, read_fields
from tare._app.pages import guidelines_of, page, rendered_page, task_of
from tare._app.room import Caused, Room, assessor_of, room_of
from tare._app.security import ASSESSOR, Session, check_form, session_of
from tare._app.tokens import completion_code
from tare.studies._judging import Event, Refusal, State, Turn
from tare.studies._judging.decisions import answer_gate, judge, turn, undo

__all__ = ["router"]

router = APIRouter()
DRAFTED = ("ratings", "scus", "markup")
Act = Callable[[State, float, str], list[Event]]


@router.get("/work")
async def work(request: Request) -> Response:
    """What is to be done now."""
    room, session = room_of(request), session_of(request, ASSESSOR)
    return await _shown(room, session, await _turn(room, session))


@router.post("/judge")
async def take_answer(request: Request) -> Response:
    """An answer; the same submission twice counts once."""
    room, session = room_of(request), session_of(request, ASSESSOR)
    kind = room.store.study.design.kind
    fields = await read_fields(request, MARKUP if kind == "markup" else BODY)
    check_form(request, session, fields.get("csrf"))
    submission, number = check_submission(fields.get("submission")), number_of(fields)
    answer = answer_of(room.store.study.design, fields)

    def act(state: State, now: float, who: str) -> list[Event]:
        lengths = _lengths(room, state, who) if kind == "markup" else ()
        return judge(state, now, who, submission, number, answer, lengths=lengths)

    return await _done(request, room, session, act)


@router.post("/undo")
async def take_back(request: Request) -> Response:
    """The last answer goes, and its task comes again."""
    room, session = room_of(request), session_of(request, ASSESSOR)
    fields = await read_fields(request)
    check_form(request, session, fields.get("csrf"))
    submission = check_submission(fields.get("submission"))
    return await _done(
        request, room, session, lambda state, now, who: undo(state, now, who, submission)
    )


@router.post("/gate")
async def take_gate(request: Request) -> Response:
    """Answers to the questions of comprehension."""
    room, session = room_of(request), session_of(request, ASSESSOR)
    fields = await read_fields(request)
    check_form(request, session, fields.get("csrf"))
    submission = check_submission(fields.get("submission"))
    chosen = chosen_of(room.store.study.design, fields)
    return await _done(
        request, room, session, lambda state, now, who: answer_gate(state, now, who, submission, chosen)
    )  # fmt: skip


@router.post("/draft")
async def keep_draft(request: Request) -> Response:
    """An unfinished answer, so that it is there on another machine too."""
    room, session = room_of(request), session_of(request, ASSESSOR)
    fields = await read_fields(request, MARKUP)
    check_form(request, session, fields.get("csrf"))
    number, draft = number_of(fields), fields.get("draft")
    if not isinstance(draft, dict):
        raise Refusal(422, "a draft is an object.")

    def act(state: State, now: float) -> Caused:
        who = assessor_of(state, session.digest)
        lease = state.assessors[who].lease
        return [], (who if lease is not None and lease.number == number else None)

    who = await room.writer.do(act)
    if who is None:  # it came after the answer, and is of no use
        return JSONResponse({"kept": False})
    await asyncio.to_thread(room.store.keep_draft, who, number, draft)
    return JSONResponse({"kept": True})


@router.get("/link")
async def own_link(request: Request) -> Response:
    """The personal link, to go on somewhere else."""
    room, session = room_of(request), session_of(request, ASSESSOR)
    await room.writer.do(lambda state, now: ([], assessor_of(state, session.digest)))
    base = room.base or str(request.base_url).rstrip("/")
    title = room.store.study.design.title
    return page("link.html", title=title, link=f"{base}/join/{session.token}")


@router.get("/mine.jsonl")
async def own_answers(request: Request) -> Response:
    """An assessor's own answers, and nobody else's."""
    room, session = room_of(request), session_of(request, ASSESSOR)

    def act(state: State, now: float) -> Caused:
        who = state.assessors[assessor_of(state, session.digest)]
        return [], [{"number": j.lease.number, "at": j.at, "answer": j.answer} for j in who.history]

    lines = [json.dumps(row) + "\n" for row in await room.writer.do(act)]
    return PlainTextResponse("".join(lines), media_type="application/jsonl")


async def _turn(room: Room, session: Session, act: Act | None = None) -> Turn:
    def whole(state: State, now: float) -> tuple[list[Event], Turn]:
        who = assessor_of(state, session.digest)
        events = [] if act is None else act(state, now, who)
        more, found = turn(state, now, who)
        return [*events, *more], found

    return await room.writer.do(whole)


async def _done(request: Request, room: Room, session: Session, act: Act) -> Response:
    """Performs and shows what comes next: as JSON for the script, by a redirect without one."""
    script = request.headers.get("content-type", "").startswith("application/json")
    try:
        found = await _turn(room, session, act)
    except Refusal as refusal:
        if refusal.status not in (409, 422, 423):
            raise
        now = await _turn(room, session)
        notice = refusal.reason[:1].upper() + refusal.reason[1:]
        return await _shown(room, session, now, notice, refusal.status, script=script)
    if script:
        return await _shown(room, session, found, script=True)
    return RedirectResponse("/work", status_code=303)


async def _shown(
    room: Room, session: Session, found: Turn, notice: str = "", status: int = 200, *, script: bool = False
) -> Response:  # fmt: skip
    store, design = room.store, room.store.study.design
    draft = None
    if found.lease is not None and design.kind in DRAFTED:
        draft = await asyncio.to_thread(store.draft, found.assessor, found.lease.number)
    values: dict[str, Any] = {
        "title": design.title,
        "design": design,
        "guidelines": guidelines_of(design.guidelines),
        "turn": found,
        "task": task_of(store, found, draft),
        "csrf": session.csrf,
        "notice": notice,
        "code": design.code or completion_code(store.salt, found.assessor),
    }
    if script:
        html = rendered_page("step.html", **values)
        return JSONResponse({"step": found.step, "html": html, "notice": notice}, status)
    return page("work.html", status, **values)


def _lengths(room: Room, state: State, who: str) -> tuple[int, ...]:
    lease, study = state.assessors[who].lease, room.store.study
    if lease is None:
        return ()
    task = study.by_id[lease.task]
    found = [room.store.shown("text", study.key(task.query, name)) for name in task.shown]
    return tuple(len(text.body) if text is not None else 0 for text in found)
