"""The owner's overview of a study, and the changes that the owner can make."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tare._app.exports import FORMATS, WHAT, export, offered
from tare._app.forms import number_of
from tare._app.limits import read_fields
from tare._app.overview import day_of, places
from tare._app.pages import page
from tare._app.security import OWNER, Session, check_form, session_of
from tare._app.served_study import ActionResult, ServedStudy, served_study_of
from tare._app.tokens import completion_code, digest, new_token, tokens_match
from tare._judging import Refusal, State
from tare._judging.decisions import extend, invite, new_name, pause, revoke
from tare.errors import TareError

__all__ = ["router"]

router = APIRouter()
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
    """Ask for more answers per task, in total, or per assessor."""
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
