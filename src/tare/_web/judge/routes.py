"""Routes of the judging app: entry by links, the work of assessors, and the owner's overview."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from tare._judging import Event, Refusal, State, Turn
from tare._judging.decisions import (
    answer_gate,
    check_door,
    extend,
    invite,
    join,
    judge,
    new_name,
    pause,
    revoke,
    turn,
    undo,
)
from tare._web.guard import completion_code, digest, is_token, new_token, tokens_match
from tare._web.judge.cookies_and_headers import (
    ASSESSOR,
    OWNER,
    Session,
    check_form,
    cookie_name,
    is_same_origin,
    log_in,
    session_of,
)
from tare._web.judge.exports import FORMATS, WHAT, export, offered
from tare._web.judge.pages import (
    DRAFTED,
    app_stylesheet,
    code_of,
    page,
    render_guidelines,
    step_html,
    task_values,
)
from tare._web.judge.study import (
    ActionResult,
    ServedStudy,
    assessor_of,
    day_of,
    places,
    served_study_of,
)
from tare._web.requests import (
    JSON,
    MAX_BODY,
    MAX_MARKUP,
    answer_of,
    check_submission,
    chosen_of,
    number_of,
    read_fields,
)
from tare.errors import TareError

__all__ = ["Act", "TurnAction", "answer_action", "router", "turn_action"]


# Actions of assessors on the state of a study; each returns the next step as well.


Act = Callable[[State, float, str], list[Event]]
TurnAction = Callable[[State, float], tuple[list[Event], Turn]]


def turn_action(session: Session, act: Act | None = None) -> TurnAction:
    """Return the action that performs `act` for the assessor of a session, and finds their next step."""

    def act_and_turn(state: State, now: float) -> tuple[list[Event], Turn]:
        who = assessor_of(state, session.digest)
        events = [] if act is None else act(state, now, who)
        more, found = turn(state, now, who)
        return [*events, *more], found

    return act_and_turn


def answer_action(served: ServedStudy, session: Session, fields: Mapping[str, Any]) -> TurnAction:
    """Return the action that records an assessor's answer; the same submission counts once."""
    design = served.store.study.design
    submission, number = check_submission(fields.get("submission")), number_of(fields)
    answer = answer_of(design, fields)

    def act(state: State, now: float, who: str) -> list[Event]:
        lengths = _text_lengths(served, state, who) if design.kind == "markup" else ()
        return judge(state, now, who, submission, number, answer, lengths=lengths)

    return turn_action(session, act)


def _text_lengths(served: ServedStudy, state: State, who: str) -> tuple[int, ...]:
    lease, study = state.assessors[who].lease, served.store.study
    if lease is None:
        return ()
    task = study.by_id[lease.task]
    found = [served.store.shown("text", study.key(task.query, name)) for name in task.shown]
    return tuple(len(text.body) if text is not None else 0 for text in found)


# Entry: the links by which people come to a study, and the start page.


router = APIRouter()
EXTERNAL = ("PROLIFIC_PID", "participant", "workerId", "external")
ID_SHAPE = re.compile(r"[A-Za-z0-9_.@-]{1,64}")


@router.api_route("/", methods=["GET", "HEAD"])
async def home(request: Request) -> Response:
    """Show the start page of the judging app to people without a link."""
    return page("home.html", title=served_study_of(request).store.study.design.title)


@router.api_route("/static/style.css", methods=["GET", "HEAD"])
async def style(request: Request) -> Response:
    """Return the stylesheet that all pages of tare share, with the rules of the judging app."""
    return Response(app_stylesheet(), media_type="text/css")


@router.api_route("/health", methods=["GET", "HEAD"])
async def health(request: Request) -> Response:
    """Report whether answers of assessors can be written, after writing something to disk."""
    await served_study_of(request).writer.do(lambda state, now: ([], None), heartbeat=True)
    return PlainTextResponse("ok\n")


@router.get("/join/{token}")
async def accept_invitation(request: Request, token: str) -> Response:
    """Sign an assessor in by their invitation link, and store it in a cookie."""
    served = served_study_of(request)

    def known(state: State, now: float) -> ActionResult:
        return [], digest(token) in state.tokens

    if not is_token(token) or not await served.writer.do(known):
        raise served.unknown_link(request)
    external = _external_id(request)

    def act(state: State, now: float) -> ActionResult:
        return join(state, now, assessor_of(state, digest(token)), external), None

    await served.writer.do(act)
    response = RedirectResponse("/work", status_code=303)
    log_in(response, served, ASSESSOR, token)
    return response


@router.get("/open/{token}")
async def show_open_link(request: Request, token: str) -> Response:
    """Show the page of a study's open link; it asks for a click, so that no robot enrols."""
    served = _check_open_link(request, token)
    external = _external_id(request)
    kept = request.cookies.get(cookie_name(served, ASSESSOR), "")

    def known(state: State, now: float) -> ActionResult:
        found = is_token(kept) and digest(kept) in state.tokens
        if not found:
            check_door(state)
        return [], found

    if await served.writer.do(known):
        return RedirectResponse("/work", status_code=303)
    title = served.store.study.design.title
    return page("open_link.html", title=title, token=token, external=external)


@router.post("/open/{token}")
async def enrol(request: Request, token: str) -> Response:
    """Enrol a new assessor by the open link; an external id can be used once."""
    served = _check_open_link(request, token)
    external = _external_id(request)
    if not is_same_origin(request, served):
        raise Refusal(403, "this form was sent from another site. Please open the link again.")
    made = new_token()

    def act(state: State, now: float) -> ActionResult:
        if external and external in state.external:
            raise Refusal(
                409,
                "this participant id has already started. Please use your personal link to continue.",
            )
        name = new_name(state)
        events = invite(state, now, name, digest(made), door=True)
        return [*events, *join(state, now, name, external)], None

    await served.writer.do(act)
    response = RedirectResponse("/work", status_code=303)
    log_in(response, served, ASSESSOR, made)
    return response


@router.get("/owner/{token}")
async def owner_login(request: Request, token: str) -> Response:
    """Sign the owner in by their link."""
    served = served_study_of(request)
    if not is_token(token) or not tokens_match(digest(token), served.store.owner):
        raise served.unknown_link(request)
    response = RedirectResponse("/owner", status_code=303)
    log_in(response, served, OWNER, token)
    return response


def _check_open_link(request: Request, token: str) -> ServedStudy:
    """Return the judging study if this is its open link; refuse other links."""
    served = served_study_of(request)
    store = served.store
    known = is_token(token) and tokens_match(digest(token), store.door)
    if not known or not store.study.design.door:
        raise served.unknown_link(request)
    return served


def _external_id(request: Request) -> str:
    """Return the participant id that a platform added to the link of an assessor."""
    for name in EXTERNAL:
        given = request.query_params.get(name)
        if given:
            if not ID_SHAPE.fullmatch(given):
                raise Refusal(
                    422, f"{name} must have at most 64 letters, digits or the characters _ . @ -"
                )
            return given
    return ""


# The work of assessors: the current task, answers, and undoing an answer.


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
    """Undo the last answer of an assessor and show its task again."""
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
    """Show an assessor's personal link, to continue on another device."""
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
    """Perform an assessor's action and show the next step: as JSON for scripts, otherwise by a redirect."""
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
    """Return the action that finds out whether the invitation of an assessor's session was withdrawn."""

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


# The owner's overview of a study, and the changes that the owner can make.


MAX_INVITED = 500
MEDIA_TYPES = {
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "parquet": "application/octet-stream",
}


@router.get("/owner")
async def overview(request: Request) -> Response:
    """Show progress, agreement and assessors."""
    served, session = _owner(request)
    return await _overview_page(served, session, request)


@router.post("/owner/pause")
async def set_paused(request: Request) -> Response:
    """Pause or resume the study."""
    served, _, fields = await _form(request)
    paused = fields.get("paused")
    if paused not in ("yes", "no"):
        raise Refusal(422, "the field 'paused' must be yes or no.")
    await served.writer.do(lambda state, now: (pause(state, now, paused == "yes"), None))
    return _redirect(served)


@router.post("/owner/extend")
async def extend_study(request: Request) -> Response:
    """Let the owner of a study ask for more answers per task, in total, or per assessor."""
    served, _, fields = await _form(request)
    names = ("overlap", "budget", "per_assessor")
    more = {name: number_of(fields, name) for name in names if fields.get(name)}
    await served.writer.do(lambda state, now: (extend(state, now, **more), None))
    return _redirect(served)


@router.post("/owner/invite")
async def invite_assessors(request: Request) -> Response:
    """Create invitations; their links are shown once."""
    served, session, fields = await _form(request)
    count = number_of(fields, "count")
    label = str(fields.get("label", ""))[:80]
    if not 1 <= count <= MAX_INVITED:
        raise Refusal(422, f"you can invite 1 to {MAX_INVITED} assessors at once.")
    tokens = [new_token() for _ in range(count)]

    def act(state: State, now: float) -> ActionResult:
        events, names = [], []
        for token in tokens:
            names.append(new_name(state))
            events += invite(state, now, names[-1], digest(token), label)
        return events, names

    names = await served.writer.do(act)
    base = served.base or str(request.base_url).rstrip("/")
    links = [(name, f"{base}/join/{token}") for name, token in zip(names, tokens, strict=True)]
    return await _overview_page(served, session, request, links)


@router.post("/owner/revoke")
async def revoke_invitation(request: Request) -> Response:
    """Withdraw an invitation, and optionally discard its answers."""
    served, _, fields = await _form(request)
    assessor, discard = str(fields.get("assessor", "")), fields.get("discard") == "yes"
    await served.writer.do(lambda state, now: (revoke(state, now, assessor, discard=discard), None))
    return _redirect(served)


@router.get("/owner/export/{name}")
async def download_export(request: Request, name: str) -> Response:
    """Download the results so far as a file."""
    served, _ = _owner(request)
    what, _, form = name.partition(".")
    if what not in WHAT or form not in FORMATS:
        raise Refusal(404, f"unknown export. Accepted: {', '.join(WHAT)}, as {', '.join(FORMATS)}.")
    try:
        body = await asyncio.to_thread(export, served.store, what, form)
    except TareError as error:
        raise Refusal(409, str(error)) from None
    headers = {"content-disposition": f'attachment; filename="{what}.{form}"'}
    return Response(body, media_type=MEDIA_TYPES.get(form, "text/plain"), headers=headers)


def _owner(request: Request) -> tuple[ServedStudy, Session]:
    served, session = served_study_of(request), session_of(request, OWNER)
    if not tokens_match(session.digest, served.store.owner):
        raise Refusal(401, "please open the owner's link first.")
    return served, session


async def _form(request: Request) -> tuple[ServedStudy, Session, dict[str, object]]:
    served, session = _owner(request)
    fields = await read_fields(request)
    check_form(request, session, fields.get("csrf"))
    return served, session, fields


def _redirect(served: ServedStudy) -> Response:
    served.invalidate()
    return RedirectResponse("/owner", status_code=303)


async def _overview_page(
    served: ServedStudy,
    session: Session,
    request: Request,
    links: list[tuple[str, str]] | None = None,
) -> Response:
    def snapshot(state: State, now: float) -> ActionResult:
        people = [
            {
                "id": a.id,
                "label": a.label,
                "external": a.external,
                "joined": a.joined,
                "revoked": a.revoked,
                "gate": a.gate_passed,
                "working": a.lease is not None,
                "code": served.store.study.design.code or completion_code(served.store.salt, a.id),
            }
            for a in state.assessors.values()
        ]
        facts: dict[str, object] = {
            "paused": state.paused,
            "overlap": state.overlap,
            "budget": state.budget,
            "stopped": state.stopped,
        }
        facts["judged"] = state.judged
        return [], {**facts, "per_assessor": state.per_assessor, "people": people}

    found = await served.quality()
    figures = await served.slice_figures()
    now = await served.writer.do(snapshot)
    glance = await served.overview(now["judged"])
    return page(
        "owner.html",
        title=served.store.study.design.title,
        design=served.store.study.design,
        quality=found,
        overview=glance,
        progress=glance.progress(),
        agreements=glance.agreements(),
        orders=glance.orders(),
        places=places(found.assessors),
        day_of=day_of,
        by_assessor={a.assessor: a for a in found.assessors},
        now=now,
        csrf=session.csrf,
        links=links or [],
        slice=figures,
        exports=offered(served.store),
    )
