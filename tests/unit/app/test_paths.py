"""Paths and methods: a slash at the end of a link, and HEAD."""

from __future__ import annotations

import httpx
import pytest

PROXIED = {"host": "study.example.org"}


@pytest.mark.parametrize("role", ["join", "open", "owner"])
def test_a_slash_at_the_end_of_a_link_changes_nothing(role, house):
    token = {
        "join": house.keys.assessors[0][1],
        "open": house.keys.door,
        "owner": house.keys.owner,
    }[role]
    with httpx.Client(base_url=house.url, headers=PROXIED, timeout=300) as client:
        for end in ("", "/", "//"):
            reply = client.get(f"/{role}/{token}{end}")
            place = {"join": "/work", "open": None, "owner": "/owner"}[role]
            assert (
                reply.headers.get("location") == place
            )  # nothing with a host, a scheme or a token
            assert reply.status_code == (200 if place is None else 303)


def test_no_redirect_names_a_host(house):
    with httpx.Client(base_url=house.url, headers=PROXIED, timeout=300) as client:
        for path in (
            *(f"/{page}/" for page in ("work", "owner")),
            "/static",
            "/static/",
            "/nowhere/",
            "//x.org/",
            "/health/",
        ):
            assert "location" not in client.get(httpx.URL(house.url + path)).headers
        assert client.get("/health/").text == "ok\n"
        assert client.get("/nowhere/").status_code == 404


@pytest.mark.parametrize("path", ["/", "/health", "/static/style.css"])
def test_head_has_the_headers_of_get(path, house):
    client = house.visitor().client
    read, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type"):
        assert head.headers[name] == read.headers[name]
