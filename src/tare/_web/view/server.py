"""The server of a view: the table of queries, one query, one document, notes and static files on 127.0.0.1."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from tare._data.formats.jsonl import json_object
from tare._files.addresses import exists, is_file
from tare._files.opening import name_of
from tare._files.writing import locked_file
from tare._judging import Refusal
from tare._plain_text import plain
from tare._tables.delimited import marked
from tare._web.base import FailureHandler
from tare._web.guard import Access
from tare._web.judge.cookies_and_headers import Headers
from tare._web.requests import read_fields
from tare._web.view.answers import AnswerComparison
from tare._web.view.index import ViewIndex
from tare._web.view.listing import FIELD, PER_PAGE, Listing, Wish
from tare._web.view.rankings import FULL, MAX_PAIRS, QueryComparison
from tare._web.view.texts import NearestComparison, TextComparison
from tare.errors import FormatError, TareError, UnreadableError
from tare.report._rankings import marked as marked_text
from tare.report._rankings import number, signed
from tare.report._theme import stylesheet as report_stylesheet
from tare.report._theme import template_text

__all__ = [
    "MAX_NOTE",
    "Note",
    "Notes",
    "ServedView",
    "application",
    "mark",
    "page",
    "router",
    "stylesheet",
]


# The reader's notes: lines of JSON in a file next to the data, to which several explorers may
# write.
#
# A change of a note is one line at the end, and the last line of a query counts; so no window replaces
# what another one wrote. A line is acknowledged when it is on disk. If a note was changed since a page was
# shown, what is written on that page is added to it.


MAX_NOTE = 10_000  # characters
KEYS = {"query", "note", "time"}
BEGINNING = b'{"query": "'


@dataclass(frozen=True)
class Note:
    """A note of the explorer on a query and the time at which it was written; the text of a removed note is empty."""

    text: str
    time: str


class Notes:
    """Notes of the explorer by query id. The file is read whenever they are shown, because other windows write to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read()  # raises if the file holds something else

    def read(self) -> dict[str, str]:
        """Return the notes by query id."""
        return {query: note.text for query, note in self._notes().items()}

    def keep(self, query: str, note: str, shown: str | None = None) -> None:
        """Store the note of the reader on a query; an empty one removes it.

        shown: the mark of the note on the page that was sent; if the note is another one by now, both are kept.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked_file(self.path, "a file of notes", mode=0o600) as file:
            with os.fdopen(os.dup(file), "rb+") as opened:
                data = opened.read()
                whole = self._whole(data)
                now = self._rows(whole)[0].get(query, Note("", "")).text
                text = note.strip()
                if shown is not None and shown != mark(now):
                    text = _joined(now, text)
                if text == now:
                    return
                end = min(len(whole), len(data))
                opened.seek(end)
                opened.truncate()  # of a line that a killed process did not finish
                opened.write(whole[end:] + _line(query, text))
            os.fsync(file)

    def csv(self) -> str:
        """Return all notes on queries as CSV with the columns query, note and time."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["query", "note", "time"])
        writer.writerows(
            (marked(q), marked(n.text), n.time) for q, n in sorted(self._notes().items())
        )
        return out.getvalue()

    def _notes(self) -> dict[str, Note]:
        if not is_file(self.path):
            if exists(self.path):  # such as a pipe that never ends
                raise UnreadableError(
                    f"{name_of(self.path)}: a file of notes must be a regular file."
                )
            return {}
        found, _ = self._rows(self._whole(self.path.read_bytes()))
        return {query: note for query, note in found.items() if note.text}

    def _whole(self, data: bytes) -> bytes:
        """Return the complete lines of the explorer's file of notes; raise if the file holds anything else than notes."""
        end = data.rfind(b"\n") + 1
        whole, rest = data[:end], data[end:]
        number = self._rows(whole)[1]
        if not (rest.startswith(BEGINNING) or BEGINNING.startswith(rest)):
            raise self._refused(number + 1, "it does not begin like a note")
        with suppress(FormatError):  # an editor may leave out the last line feed
            self._rows(rest)
            return data + b"\n" * bool(rest)
        return whole

    def _rows(self, data: bytes) -> tuple[dict[str, Note], int]:
        """Return the last note of each query from the explorer's file of notes, and the number of lines."""
        found, number = {}, 0
        for number, line in enumerate(data.removesuffix(b"\n").split(b"\n") if data else (), 1):
            try:
                row = json_object(line, "")
            except FormatError:
                raise self._refused(number, "it is not a JSON object") from None
            if set(row) != KEYS or not all(isinstance(value, str) for value in row.values()):
                raise self._refused(number, "it does not have the texts query, note and time")
            found[row["query"]] = Note(row["note"], row["time"])
        return found, number

    def _refused(self, number: int, why: str) -> FormatError:
        return FormatError(
            f"{name_of(self.path)}, line {number}: the line is not a note, because {why}. The file was left "
            "unchanged. Name a new file, or a file of notes, with --notes."
        )


def mark(note: str) -> str:
    """Return a mark of a note on a query, by which its form tells which note it showed."""
    return hashlib.sha256(note.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _joined(now: str, text: str) -> str:
    """Return a note on a query and what was written without having seen it; a form that is sent twice adds it once."""
    known = not text or f"\n\n{now}".endswith(f"\n\n{text}")
    return now if known else f"{now}\n\n{text}".strip()


def _line(query: str, note: str) -> bytes:
    time = datetime.now(UTC).isoformat(timespec="seconds")
    row = {"query": query, "note": note, "time": time}
    # An id can contain a lone surrogate, which JSON writes as UTF-8 cannot: with a backslash.
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


# The server of a view: pages, notes and static files on 127.0.0.1.


HERE = Path(__file__).parent


@dataclass(frozen=True)
class ServedView:
    """What the pages of the explorer need: the index, the notes and the access."""

    index: ViewIndex
    notes: Notes
    access: Access
    title: str


@lru_cache(maxsize=1)
def _templates() -> Environment:
    made = Environment(
        loader=ChoiceLoader(
            [
                FileSystemLoader(HERE / "templates"),
                DictLoader({"rankings.html.j2": template_text("rankings.html.j2")}),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["plain"] = plain
    made.filters |= {"number": number, "signed": signed, "breakable": breakable}
    made.globals["mark"] = mark
    return made


def breakable(name: str) -> Markup:
    """Return a name on a page of the explorer that lines can be broken in, after the marks between its parts.

    >>> breakable("bm25+rm3")
    Markup('bm25+<wbr>rm3')
    """
    parts = re.split(r"(?<=[-+_./:,)])", plain(name))
    return Markup("<wbr>").join(part for part in parts if part)


def page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template as a response."""
    text = _templates().get_template(name).render(values)
    return HTMLResponse(text.encode("utf-8", "replace"), status_code=status)


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """Return the stylesheet of the report, which the explorer shares, and its own rules."""
    return report_stylesheet("page", "rankings") + (HERE / "static" / "view.css").read_text(
        encoding="utf-8"
    )


def application(served: ServedView) -> Any:
    """Return the ASGI application of one view."""

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.served = served
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(TareError, _unreadable)
    app.add_exception_handler(HTTPException, _other)
    app.add_middleware(FailureHandler, answer=_answer)
    return Headers(app)


def _answer(request: Request, status: int, reason: str) -> Response:
    return page("problem.html", status, title="tare view", reason=reason[:1].upper() + reason[1:])


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return _answer(request, error.status, error.reason)


async def _unreadable(request: Request, error: Exception) -> Response:
    """Show the message about a file of the view that another program changed while it is shown."""
    return _answer(request, 503, str(error))


async def _other(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 400)
    reasons = {404: "page not found.", 405: "this request method is not allowed."}
    return _answer(request, status, reasons.get(status, "the request failed."))


# The pages of a view: the table of queries, one query, one document, and notes.


router = APIRouter()
KINDS = ("ideal", "informative", "other", "uninformative", "hard", "easy")
FIRST = 20  # documents that are shown at first
MAX_FORM = 256 * 1024  # bytes


def _served(request: Request) -> ServedView:
    found: ServedView = request.app.state.served
    return found


def _checked(request: Request) -> ServedView:
    served = _served(request)
    served.access.check(request)
    return served


def _number(given: str | None, default: int) -> int:
    if given and given.isascii() and given.isdigit() and len(given) < 9:
        return int(given)
    return default


@router.get("/open/{token}")
async def enter(request: Request, token: str) -> Response:
    """Sign in to the explorer by the link that the command printed."""
    served = _served(request)
    return served.access.open(token, RedirectResponse("/", status_code=303))


@router.get("/static/style.css")
async def style(request: Request) -> Response:
    """Return the stylesheet that report and explorer share."""
    return Response(stylesheet(), media_type="text/css")


@router.get("/static/rankings.js")
async def script(request: Request) -> Response:
    """Return the script that draws rankings in the explorer, which reports share."""
    return Response(template_text("rankings.js"), media_type="text/javascript")


@router.get("/")
async def queries(request: Request) -> Response:
    """Show the table of queries."""
    served = _checked(request)
    wish = Wish.of(request.query_params, served.index)
    listing = Listing(served.index, wish)
    return page(
        "queries.html",
        title=served.title,
        served=served,
        wish=wish,
        listing=listing,
        rows=listing.rows(),
        means=listing.means(),
        part=listing.part_means(),
        kinds=KINDS,
        field=FIELD,
        notes=served.notes.read(),
        first=(min(wish.page, listing.pages) - 1) * PER_PAGE + 1,
    )


@router.get("/query/{place}")
async def query(request: Request, place: str) -> Response:
    """Show one query: both rankings side by side."""
    served = _checked(request)
    index = served.index
    number = _number(place, -1)
    if not 0 <= number < index.count:
        raise Refusal(404, "there is no such query.")
    given = request.query_params
    wish = Wish.of(given, index)
    listing = Listing(index, wish)
    ((key, text),) = index.queries([number])
    if index.content in ("texts", "answers"):
        return _item(served, wish, listing, number, (key, text), _number(given.get("reference"), 0))
    shown = min(_number(given.get("documents"), FIRST), index.inputs.depth)
    comparison = QueryComparison(index, wish, number, text, shown)
    side = given.get("swap")
    first, second = _number(given.get("first"), 1), _number(given.get("second"), 2)
    return page(
        "query.html",
        title=key,
        served=served,
        wish=wish,
        key=key,
        text=text,
        words=marked_text(text, ""),
        place=number,
        sides=_with_links(comparison.sides(), text),
        missed=comparison.missed(),
        pairs=comparison.pairs,
        pairs_shown=_number(given.get("pairs"), FIRST),
        most_pairs=MAX_PAIRS,
        around=listing.neighbours(number),
        total=len(listing.order),
        kind=listing.kinds[number] if listing.kinds else "",
        attributes=index.attributes_of(number),
        tare=None if listing.tare is None else float(listing.tare[number]),
        difference=float(listing.difference[number]),
        note=served.notes.read().get(key, ""),
        csrf=served.access.csrf,
        shown=shown,
        swap=side if side in (wish.a, wish.b) else "",
        ranks=(first, second),
        swapped=comparison.swap(side, first, second) if side in (wish.a, wish.b) else None,
    )


def _with_links(sides: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Add to each document of the explorer the address of its whole text."""
    for side in sides:
        for row in side["rows"]:
            row["link"] = f"/document?{urlencode({'id': row['document'], 'words': text})}"
    return sides


def _item(
    served: ServedView,
    wish: Wish,
    listing: Listing,
    place: int,
    named: tuple[str, str],
    reference: int,
) -> Response:
    """Show the page of one item of generated texts, or one topic of answers."""
    answers = served.index.content == "answers"
    comparison: AnswerComparison | TextComparison
    if answers:
        comparison = AnswerComparison(served.index, wish, place)
    elif wish.measure in served.index.matched:
        comparison = NearestComparison(served.index, wish, place, reference - 1)
    else:
        comparison = TextComparison(served.index, wish, place)
    return page(
        "answers.html" if answers else "texts.html",
        title=named[0],
        served=served,
        wish=wish,
        key=named[0],
        text=named[1],
        words=marked_text(named[1], ""),
        place=place,
        comparison=comparison,
        nearest=isinstance(comparison, NearestComparison),
        around=listing.neighbours(place),
        total=len(listing.order),
        kind=listing.kinds[place] if listing.kinds else "",
        attributes=served.index.attributes_of(place),
        tare=None if listing.tare is None else float(listing.tare[place]),
        difference=float(listing.difference[place]),
        note=served.notes.read().get(named[0], ""),
        csrf=served.access.csrf,
    )


@router.get("/find")
async def find(request: Request) -> Response:
    """Open the page of a query by its id; such a link works whatever the order of the queries is."""
    served = _checked(request)
    place = served.index.place_of(request.query_params.get("query", ""))
    if place is None:
        raise Refusal(404, "there is no query with this id.")
    wish = Wish.of(request.query_params, served.index)
    return RedirectResponse(f"/query/{place}?{wish.link()}", status_code=303)


@router.get("/document")
async def document(request: Request) -> Response:
    """Show the whole text of a document."""
    served = _checked(request)
    name = request.query_params.get("id", "")
    found = served.index.document(name)
    if found is None:
        raise Refusal(404, "the text of this document is not known.")
    words = request.query_params.get("words", "")[:1000]
    return page(
        "document.html",
        title=name,
        served=served,
        passage=found,
        body=marked_text(found.text, words, FULL),
    )


@router.post("/note")
async def note(request: Request) -> Response:
    """Keep the note of a query."""
    served = _served(request)
    fields = await read_fields(request, MAX_FORM)
    served.access.check_form(request, fields.get("csrf"))
    place = _number(str(fields.get("place", "")), -1)
    if not 0 <= place < served.index.count:
        raise Refusal(404, "there is no such query.")
    ((key, _),) = served.index.queries([place])
    text = str(fields.get("note", "")).replace("\r\n", "\n")
    if len(text) > MAX_NOTE:
        reason = (
            f"this note has {len(text):,} characters, and was not saved; the limit is {MAX_NOTE:,}."
        )
        raise Refusal(422, reason)
    shown = fields.get("shown")
    served.notes.keep(key, text, shown if isinstance(shown, str) else None)
    wish = Wish.of({k: str(v) for k, v in fields.items()}, served.index)
    return RedirectResponse(f"/query/{place}?{wish.link()}#note", status_code=303)


@router.get("/notes.csv")
async def notes(request: Request) -> Response:
    """Export all notes."""
    served = _checked(request)
    headers = {"content-disposition": 'attachment; filename="notes.csv"'}
    return PlainTextResponse(
        served.notes.csv(), media_type="text/csv; charset=utf-8", headers=headers
    )
