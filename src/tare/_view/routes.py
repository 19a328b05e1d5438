"""The pages of a view: the table of queries, one query, one document, and notes."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from tare._app.limits import read_fields
from tare._judging import Refusal
from tare._view.answer_comparison import AnswerComparison
from tare._view.comparison import FULL, QueryComparison
from tare._view.listing import FIELD, PER_PAGE, Listing, Wish
from tare._view.nearest_comparison import NearestComparison
from tare._view.notes import MAX_NOTE
from tare._view.preference_pairs import MAX_PAIRS
from tare._view.server import ServedView, page, stylesheet
from tare._view.text_comparison import TextComparison
from tare.report._rankings import marked, template_text

__all__ = ["router"]

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
    """Sign in by the link that the command printed."""
    served = _served(request)
    return served.access.open(token, RedirectResponse("/", status_code=303))


@router.get("/static/style.css")
async def style(request: Request) -> Response:
    """Return the stylesheet that report and explorer share."""
    return Response(stylesheet(), media_type="text/css")


@router.get("/static/rankings.js")
async def script(request: Request) -> Response:
    """Return the script that draws rankings, which reports share."""
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
        words=marked(text, ""),
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
    """Add the address of the whole text to each document."""
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
    """Show one item of generated texts, or one topic of answers."""
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
        words=marked(named[1], ""),
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
    """Open a query by its id; such a link works whatever the order of the queries is."""
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
        body=marked(found.text, words, FULL),
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
