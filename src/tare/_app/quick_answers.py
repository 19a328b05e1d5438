"""Answers on the shortest way: checked, decided and shown without a task, a request and a response object.

Nearly all requests are answers that are accepted. They pass the same checks as in the route, by the same
functions; the route gets every request that does not pass, and writes the refusal.
"""

from __future__ import annotations

import asyncio
from functools import partial

from starlette.requests import Request

from tare._app.actions import answer_action
from tare._app.limits import JSON, MAX_BODY, fields_of, kind_of
from tare._app.pages import DRAFTED, code_of, step_json, task_values
from tare._app.quick_cycles import QuickCycle
from tare._app.quick_requests import QuickHead
from tare._app.security import (
    ASSESSOR,
    Session,
    is_own_form,
    is_same_origin,
    security_headers,
    session_in,
)
from tare._app.served_study import ServedStudy
from tare.studies._judging import Refusal, Turn

__all__ = ["FAILURE", "QuickAnswers"]

FAILURE = "tare.failure"  # key in the scope of a request whose action has failed
CONTENT_TYPE = ((b"content-type", b"application/json"),)


class QuickAnswers:
    """Responds to answers as long as a study is being served."""

    def __init__(self) -> None:
        self.served: ServedStudy | None = None

    def start(self, cycle: QuickCycle) -> bool:
        """Submit an answer; return False if the application has to respond."""
        served, head = self.served, cycle.request.head
        if served is None:
            return False
        try:
            if head.known is None:
                head.known = _session(served, head) or False
            session: Session = head.known
            if not session:
                return False
            fields = fields_of(cycle.request.body, JSON)
            if not is_own_form(session, fields.get("csrf")):
                return False
            action = answer_action(served, session, fields)
        except Exception:
            return False  # the application meets the same problem, and responds
        receiver = partial(_finish, served, cycle, session)
        served.writer.submit(action, receiver, asyncio.get_running_loop())
        return True


def _session(served: ServedStudy, head: QuickHead) -> Session | None:
    """Return the session if an answer with these headers may be accepted; None if the application decides."""
    request = Request({"type": "http", "headers": head.headers})
    is_script = (
        request.headers.get("content-type", "").startswith(JSON) and kind_of(request) == JSON
    )
    if not is_script or head.length > MAX_BODY or served.store.study.design.kind in DRAFTED:
        return None
    if not is_same_origin(request, served):
        return None
    return session_in(request, served, ASSESSOR)


def _finish(
    served: ServedStudy,
    cycle: QuickCycle,
    session: Session,
    turn: Turn | None,
    error: BaseException | None,
) -> None:
    """Respond after the answer is on disk; the application responds to a refusal or a failure."""
    if turn is None or error is not None:
        # A refused action has changed nothing, so it can be tried again.
        cycle.run_application({} if isinstance(error, Refusal) else {FAILURE: error})
        return
    try:
        store, task = served.store, task_values(served.store, turn)
        body = step_json(turn, store.study.design, task, session.csrf, code_of(store, turn))
        cycle.reply(CONTENT_TYPE + security_headers(), body)
        served.look_later()
    except Exception as failure:
        if cycle.response_complete:
            cycle.transport.abort()
        else:
            cycle.run_application({FAILURE: failure})
