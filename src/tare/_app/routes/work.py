"""The work of assessors: the current task, answers, and undoing an answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from tare._app.actions import TurnAction, answer_action, turn_action
from tare._app.forms import chosen_of, number_of
from tare._app.limits import JSON, MAX_BODY, MAX_MARKUP, check_submission, read_fields
from tare._app.pages import DRAFTED, code_of, page, render_guidelines, step_html, task_values
from tare._app.security import ASSESSOR, Session, check_form, session_of
from tare._app.served_study import ActionResult, ServedStudy, assessor_of, served_study_of
from tare._judging import Event, Refusal, State, Turn
from tare._judging.decisions import answer_gate, undo

__all__ = ["router"]

router = APIRouter()


@router.get("/work")
async def work(request: Request) -> Response:
    """Show the current step."""
    served, session = served_study_of(request), session_of(request, ASSESSOR)
    return await _work_page(served, session, await served.writer.do(turn_action(session)))


@router.post("/judge")
async def submit_answer(request: Request) -> Response:
    """Record an answer; the same submission counts once."""
    served, session = served_study_of(request), session_of(request, ASSESSOR)
    markup = served.store.study.design.kind == "markup"
    fields = await read_fields(request, MAX_MARKUP if markup else MAX_BODY)
    check_form(request, session, fields.get("csrf"))
    response = await _perform(request, served, session, answer_action(served, session, fields))
    served.look_later()
    return response


@router.post("/undo")
async def undo_answer(request: Request) -> Response:
    """Undo the last answer and show its task again."""
    served, session = served_study_of(request), session_of(request, ASSESSOR)
    fields = await read_fields(request)
    check_form(request, session, fields.get("csrf"))
    submission = check_submission(fields.get("submission"))
    # Scripts may leave out what the page shows; they undo the last answer, whichever it is.
    shown = {name: number_of(fields, name) for name in ("display", "done") if name in fields}

    def act(state: State, now: float, who: str) -> list[Event]:
        return undo(state, now, who, submission, **shown)

    return await _perform(request, served, session, turn_action(session, act))


@router.post("/gate")
async def submit_gate(request: Request) -> Response:
    """Check the answers to the comprehension questions."""
    served, session = served_study_of(request), session_of(request, ASSESSOR)
    fields = await read_fields(request)
    check_form(request, session, fields.get("csrf"))
    submission = check_submission(fields.get("submission"))
    chosen = chosen_of(served.store.study.design, fields)

    def act(state: State, now: float, who: str) -> list[Event]:
        return answer_gate(state, now, who, submission, chosen)

    return await _perform(request, served, session, turn_action(session, act))


@router.post("/draft")
async def save_draft(request: Request) -> Response:
    """Save an unfinished answer, so that the assessor can continue on another device."""
    served, session = served_study_of(request), session_of(request, ASSESSOR)
    fields = await read_fields(request, MAX_MARKUP)
    check_form(request, session, fields.get("csrf"))
    number, draft = number_of(fields), fields.get("draft")
    if not isinstance(draft, dict):
        raise Refusal(422, "a draft must be a JSON object.")

    def act(state: State, now: float) -> ActionResult:
        who = assessor_of(state, session.digest)
        lease = state.assessors[who].lease
        return [], (who if lease is not None and lease.number == number else None)

    who = await served.writer.do(act)
    if who is None:  # the answer was already submitted
        return JSONResponse({"kept": False})
    await asyncio.to_thread(served.store.save_draft, who, number, draft)
    return JSONResponse({"kept": True})


@router.get("/link")
async def personal_link(request: Request) -> Response:
    """Show the personal link, to continue on another device."""
    served, session = served_study_of(request), session_of(request, ASSESSOR)
    await served.writer.do(lambda state, now: ([], assessor_of(state, session.digest)))
    base = served.base or str(request.base_url).rstrip("/")
    title = served.store.study.design.title
    return page("link.html", title=title, link=f"{base}/join/{session.token}")


@router.get("/mine.jsonl")
async def download_answers(request: Request) -> Response:
    """Download the assessor's own answers."""
    served, session = served_study_of(request), session_of(request, ASSESSOR)

    def act(state: State, now: float) -> ActionResult:
        who = state.assessors[assessor_of(state, session.digest)]
        return [], [{"number": j.lease.number, "at": j.at, "answer": j.answer} for j in who.history]

    lines = [json.dumps(row) + "\n" for row in await served.writer.do(act)]
    return PlainTextResponse("".join(lines), media_type="application/jsonl")


async def _perform(
    request: Request, served: ServedStudy, session: Session, action: TurnAction
) -> Response:
    """Perform an action and show the next step: as JSON for scripts, otherwise by a redirect."""
    script = request.headers.get("content-type", "").startswith(JSON)
    try:
        found = await served.writer.do(action)
    except Refusal as refusal:
        if script and refusal.status == 403 and await served.writer.do(_withdrawn(session)):
            # The other refusals with this status are temporary.
            error = refusal.reason[:1].upper() + refusal.reason[1:]
            return JSONResponse({"error": error, "withdrawn": True}, refusal.status)
        if refusal.status not in (409, 422, 423):
            raise
        now = await served.writer.do(turn_action(session))
        notice = refusal.reason[:1].upper() + refusal.reason[1:]
        return await _work_page(served, session, now, notice, refusal.status, script=script)
    if script:
        return await _work_page(served, session, found, script=True)
    return RedirectResponse("/work", status_code=303)


def _withdrawn(session: Session) -> Callable[[State, float], ActionResult]:
    """Return the action that finds out whether the invitation of a session was withdrawn."""

    def act(state: State, now: float) -> ActionResult:
        who = state.assessors.get(state.tokens.get(session.digest, ""))
        return [], who is not None and who.revoked

    return act


async def _work_page(
    served: ServedStudy,
    session: Session,
    found: Turn,
    notice: str = "",
    status: int = 200,
    *,
    script: bool = False,
) -> Response:
    store, design = served.store, served.store.study.design
    draft = None
    if found.lease is not None and design.kind in DRAFTED:
        draft = await asyncio.to_thread(store.draft, found.assessor, found.lease.number)
    csrf, task = session.csrf, task_values(store, found, draft)
    html = step_html(found, design, task, csrf, notice=notice, code=code_of(store, found))
    if script:
        return JSONResponse({"step": found.step, "html": html, "notice": notice}, status)
    guidelines = render_guidelines(design.guidelines)
    return page(
        "work.html",
        status,
        title=design.title,
        design=design,
        guidelines=guidelines,
        turn=found,
        csrf=csrf,
        step=html,
    )
