"""Entry: the links by which people come to a study, and the start page."""

from __future__ import annotations

import re

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from tare._app.pages import app_stylesheet, page
from tare._app.security import ASSESSOR, OWNER, cookie_name, is_same_origin, log_in
from tare._app.served_study import ActionResult, ServedStudy, assessor_of, served_study_of
from tare._app.tokens import digest, is_token, new_token, tokens_match
from tare._judging import Refusal, State
from tare._judging.decisions import check_door, invite, join, new_name

__all__ = ["router"]

router = APIRouter()
EXTERNAL = ("PROLIFIC_PID", "participant", "workerId", "external")
ID_SHAPE = re.compile(r"[A-Za-z0-9_.@-]{1,64}")


@router.api_route("/", methods=["GET", "HEAD"])
async def home(request: Request) -> Response:
    """Show the start page to people without a link."""
    return page("home.html", title=served_study_of(request).store.study.design.title)


@router.api_route("/static/style.css", methods=["GET", "HEAD"])
async def style(request: Request) -> Response:
    """Return the stylesheet that all pages of tare share, with the rules of this app."""
    return Response(app_stylesheet(), media_type="text/css")


@router.api_route("/health", methods=["GET", "HEAD"])
async def health(request: Request) -> Response:
    """Report whether answers can be written, after writing something to disk."""
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
    """Show the open link's page; it asks for a click, so that no robot enrols."""
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
    """Return the study if this is its open link; refuse other links."""
    served = served_study_of(request)
    store = served.store
    known = is_token(token) and tokens_match(digest(token), store.door)
    if not known or not store.study.design.door:
        raise served.unknown_link(request)
    return served


def _external_id(request: Request) -> str:
    """Return the participant id that a platform added to the link."""
    for name in EXTERNAL:
        given = request.query_params.get(name)
        if given:
            if not ID_SHAPE.fullmatch(given):
                raise Refusal(
                    422, f"{name} must have at most 64 letters, digits or the characters _ . @ -"
                )
            return given
    return ""
