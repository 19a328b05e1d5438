"""Attacks: everything that is not the assessor's own answer is refused, and nothing is changed."""

from __future__ import annotations

import json
import re
import socket
from contextlib import contextmanager, suppress
from uuid import uuid4

import httpx
import pytest

from tare._web.guard import csrf_of
from tests.rooms import ANSWERS, House, Visitor, study_of

INJECTIONS = (
    "'; DROP TABLE events; --",
    '" OR 1=1 --',
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}",
    "../../../etc/passwd",
    "%00",
    "\x00",
    "a" * 10_000,
)


@contextmanager
def nothing_changes(house: House):
    """The log is the same afterwards."""
    before = house.store.events()
    yield
    assert house.store.events() == before


@pytest.fixture
def people(house) -> tuple[Visitor, Visitor]:
    """Two assessors with a task before each."""
    ann, bob = house.assessor(0), house.assessor(1)
    ann.judge({"choice": "left"})
    assert (ann.number, bob.number) == (2, 1)
    return ann, bob


def test_without_a_cookie_or_with_a_made_up_one_nothing_is_possible(house):
    stranger = house.visitor()
    with nothing_changes(house):
        for cookie in (None, "x", "A" * 43, "../" * 14 + "A", house.store.owner[:43]):
            headers = (
                {} if cookie is None else {"cookie": f"tare_assessor_{house.store.id}={cookie}"}
            )
            for path in ("/work", "/link", "/mine.jsonl"):
                assert stranger.client.get(path, headers=headers).status_code == 401
            for path in ("/judge", "/undo", "/gate", "/draft"):
                assert stranger.client.post(path, json={}, headers=headers).status_code in (
                    401,
                    403,
                )


def test_the_token_of_another_cannot_be_used_for_his_answer(house, people):
    ann, bob = people
    with nothing_changes(house):
        fields = {"submission": str(uuid4()), "number": 1, "choice": "left"}
        assert bob.client.post("/judge", json={**fields, "csrf": ann.csrf}).status_code == 403
        assert bob.client.post("/judge", json={**fields, "csrf": ""}).status_code == 403
        assert bob.client.post("/judge", json={**fields}).status_code == 403
        assert bob.client.post("/judge", json={**fields, "csrf": None}).status_code == 403
        assert bob.client.post("/judge", json={**fields, "csrf": ["x"]}).status_code == 403


def test_forged_numbers_and_ids_are_refused(house, people):
    _, bob = people
    with nothing_changes(house):
        for number in (2, 3, 99_999, 0):
            assert bob.judge({"choice": "left"}, number=number).status_code == 409
        for number in (-1, 10**12, "one", None, [1], 1.5, True, "1e3", "１"):
            assert bob.judge({"choice": "left"}, number=number).status_code == 422
        for submission in ("", "short", "x" * 65, "a b" * 6, None, 7, *INJECTIONS):
            assert bob.judge({"choice": "left"}, submission=submission).status_code == 422
            assert bob.post("/undo", submission=submission).status_code == 422


def test_a_replayed_request_counts_once_and_a_stolen_one_not_at_all(house, people):
    ann, bob = people
    fields = bob.fields({"choice": "right"})
    assert bob.client.post("/judge", json=fields).status_code == 200
    bob.open("/work")
    with nothing_changes(house):
        assert bob.client.post("/judge", json=fields).status_code == 200
        changed = {**fields, "answer": {"choice": "left"}}
        assert bob.client.post("/judge", json=changed).status_code == 200
        again = {**changed, "submission": str(uuid4())}
        assert bob.client.post("/judge", json=again).status_code == 409
        own = {**fields, "csrf": ann.csrf, "number": ann.number}
        assert ann.client.post("/judge", json=own).status_code == 409
        assert ann.client.post("/undo", json=own).status_code == 409
    answers = [j.answer for j in house.store.outcomes().judged if j.assessor == "a2"]
    assert answers == [{"choice": "right"}]


def test_an_undo_that_is_replayed_takes_back_one_answer(house, people):
    ann, _ = people
    ann.judge({"choice": "right"})
    body = {"csrf": ann.csrf, "submission": "undo-once-and-no-more"}
    for _ in range(3):
        assert ann.client.post("/undo", json=body).status_code == 200
    assert len(house.store.outcomes().judged) == 1


def test_other_sites_cannot_speak_for_an_assessor_or_the_owner(house, people):
    ann, _ = people
    owner = house.owner()
    csrf = re.search(r'name="csrf" value="(\w+)"', owner.open("/owner"))[1]
    foreign = [
        {"origin": "https://evil.test"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ]
    with nothing_changes(house):
        for headers in foreign:
            fields = ann.fields({"choice": "left"})
            assert ann.client.post("/judge", json=fields, headers=headers).status_code == 403
            data = {"csrf": csrf, "paused": "yes"}
            assert owner.client.post("/owner/pause", data=data, headers=headers).status_code == 403
            if "sec-fetch-site" in headers:
                door = f"/open/{house.keys.door}"
                assert house.visitor().client.post(door, headers=headers).status_code == 403
        for path in ("pause", "extend", "invite", "revoke"):
            data = {"csrf": ann.csrf, "paused": "yes", "overlap": "1", "count": "1"}
            assert owner.client.post(f"/owner/{path}", data=data).status_code == 403


def test_an_assessor_is_no_owner(house, people):
    ann, _ = people
    token = house.keys.assessors[0][1]
    paths = ["/owner", "/owner/export/events.jsonl", "/owner/export/preferences.txt"]
    with nothing_changes(house):
        of = house.store.id
        for headers in ({}, {"cookie": f"tare_owner_{of}={token}; tare_assessor_{of}={token}"}):
            for path in paths:
                assert ann.client.get(path, headers=headers).status_code == 401
            for path in ("pause", "extend", "invite", "revoke"):
                data = {"csrf": ann.csrf, "paused": "yes", "assessor": "a2", "count": "1"}
                assert (
                    ann.client.post(f"/owner/{path}", data=data, headers=headers).status_code == 401
                )
        for swapped in (f"/owner/{token}", f"/join/{house.keys.owner}", f"/open/{token}"):
            assert house.visitor().client.get(swapped).status_code == 404


@pytest.mark.parametrize("kind", ["preference", "grades", "ratings", "scus", "markup"])
def test_injections_in_every_field_of_an_answer(kind, tmp_path):
    with House(study_of(kind), str(tmp_path / "s.db")) as house:
        ann = house.assessor()
        good = ANSWERS[kind]
        wrong: list[object] = [{}, [], None, 7, "left", {"choice": None}, {"choice": ["left"]}]
        for bad in INJECTIONS:
            wrong += [
                {"choice": bad},
                {"grade": bad},
                {"ratings": bad},
                {"present": bad},
                {"units": bad},
            ]
            if kind == "ratings":
                wrong += [
                    {"ratings": {**good["ratings"], bad: 1}},
                    {"ratings": {"readability": bad, "coherence": 1}},
                ]
            if kind == "scus":
                wrong += [
                    {"present": {**good["present"], bad: "yes"}},
                    {"present": {"1": bad, "2": "no"}},
                ]
            if kind == "markup":
                part = {"reference": 0, "start": 0, "end": 4}
                wrong += [
                    {"units": [{"label": "x", "contributors": [{**part, "start": bad}]}]},
                    {"units": [{"label": "x", "contributors": [bad]}]},
                    {"units": [bad]},
                    {"units": [{"label": "x", "contributors": [{**part, "end": 10**6}]}]},
                    {"units": [{"label": "x", "contributors": [{**part, "reference": 2}]}]},
                ]
        number, csrf = ann.number, ann.csrf
        with nothing_changes(house):
            for answer in wrong:
                fields = {"csrf": csrf, "submission": str(uuid4()), "number": number}
                reply = ann.client.post("/judge", json={**fields, "answer": answer})
                assert reply.status_code in (413, 422), answer
        assert ann.judge(good).status_code == 200


def test_words_of_assessors_and_owners_are_never_markup(house):
    ann, owner = house.assessor(), house.owner()
    for bad in INJECTIONS[:7]:
        assert ann.judge({"choice": "cannot", "reason": bad}).status_code in (200, 409)
        ann.post("/undo", submission=str(uuid4()))
    csrf = re.search(r'name="csrf" value="(\w+)"', owner.open("/owner"))[1]
    owner.client.post("/owner/invite", data={"csrf": csrf, "count": "1", "label": INJECTIONS[2]})
    page = owner.open("/owner")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    for bad in INJECTIONS:
        assert owner.client.post(
            "/owner/revoke", data={"csrf": csrf, "assessor": bad}
        ).status_code in (404, 422)
    kinds = [e.kind for e in house.store.events()]
    assert "revoked" not in kinds
    assert kinds.count("judged") == 7


def test_paths_lead_nowhere_else(house):
    stranger, owner = house.visitor(), house.owner()
    paths = [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e%2f%2e%2e%2fcli/main.py",
        "/static//etc/passwd",
        "/join/..%2f..%2fowner",
        "/templates/base.html",
        "/docs",
        "/openapi.json",
    ]
    for path in paths:
        with socket.create_connection(("127.0.0.1", int(house.url.split(":")[-1]))) as raw:
            raw.sendall(f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
            reply = b"".join(iter(lambda: raw.recv(65536), b""))
        assert reply.split()[1] in (b"404", b"429"), path
        assert b"import" not in reply
    for name in ("../../x.csv", "events.csv%00.txt", "events.py", *INJECTIONS[:5]):
        found = owner.client.get(f"/owner/export/{httpx.URL('/' + name).raw_path.decode()[1:]}")
        assert found.status_code == 404, name
    assert stranger.client.get("/static/style.css").status_code == 200


def test_bodies_have_a_type_a_size_and_a_form(house):
    ann = house.assessor()
    fields = ann.fields({"choice": "left"})
    whole = json.dumps(fields).encode()
    with nothing_changes(house):
        for kind in ("text/plain", "multipart/form-data; boundary=x", "application/xml", ""):
            reply = ann.client.post("/judge", content=whole, headers={"content-type": kind})
            assert reply.status_code == 415
        as_json = {"content-type": "application/json"}
        deep = b"[" * 50_000 + b"]" * 50_000
        for body in (
            b"",
            b"{",
            b"[1]",
            b"null",
            b'"x"',
            b"\xff\xfe",
            b'{"csrf": NaN}',
            deep[:60_000],
            b'{"answer": "\\ud800"}',
        ):
            assert ann.client.post("/judge", content=body, headers=as_json).status_code == 400, (
                body[:20]
            )
        large = json.dumps({**fields, "more": "x" * 70_000}).encode()
        assert ann.client.post("/judge", content=large, headers=as_json).status_code == 413
        chunks = (b"x" * 10_000 for _ in range(20))
        assert ann.client.post("/judge", content=chunks, headers=as_json).status_code == 413
        many = "&".join(f"f{i}=1" for i in range(5000))
        form = {"content-type": "application/x-www-form-urlencoded"}
        assert ann.client.post("/judge", content=many, headers=form).status_code == 400
        draft = {"csrf": fields["csrf"], "number": 1, "draft": {"x": "y" * 600_000}}
        assert ann.client.post("/draft", json=draft).status_code == 413
        for draft in ("x", [1], None):
            assert ann.post("/draft", number=1, draft=draft).status_code == 422
        for method, path in (("GET", "/judge"), ("DELETE", "/work"), ("PUT", "/judge")):
            assert ann.client.request(method, path).status_code == 405
        with suppress(httpx.TransportError):  # the connection may be closed before all is sent
            long = ann.client.get("/work", headers={"x-long": "y" * 600_000})
            assert long.status_code == 400


def test_guessing_links_is_slow_and_locks_nobody_out(house):
    """Somebody behind the same address as assessors and the owner attempts."""
    ann, thief = house.assessor(), house.visitor()
    wrong = ["/join/", "/open/", "/owner/"]
    codes = [thief.client.get(f"{wrong[i % 3]}{'A' * 41}{i:02d}").status_code for i in range(10)]
    assert set(codes) == {404}
    for path in (*wrong, "/join/short-"):
        assert thief.client.get(f"{path}{'B' * 43}").status_code == 429
    assert house.visitor().client.post(f"/open/{'B' * 43}").status_code == 429
    assert ann.client.get("/work").status_code == 200  # who is in already stays in
    bob, owner, anyone = (house.visitor().client for _ in range(3))
    assert bob.get(f"/join/{house.keys.assessors[1][1]}").status_code == 200
    assert owner.get(f"/owner/{house.keys.owner}").status_code == 200
    assert anyone.get(f"/open/{house.keys.door}").status_code == 200
    assert anyone.post(f"/open/{house.keys.door}").status_code == 200
    assert thief.client.get(f"/join/{'C' * 43}").status_code == 429  # successes forgive nothing


def test_a_forwarded_address_is_believed_of_a_proxy_only(tmp_path):
    def guess(house, number, last=""):
        headers = {"x-forwarded-for": f"198.51.100.{number}{last}"}
        return house.visitor().client.get(f"/join/{'A' * 43}", headers=headers).status_code

    with House(study_of(), str(tmp_path / "a.db")) as house:
        assert [guess(house, i) for i in range(12)] == [404] * 10 + [429] * 2
    with House(study_of(), str(tmp_path / "b.db"), proxies=("127.0.0.1",)) as house:
        assert [guess(house, i) for i in range(12)] == [404] * 12
        assert [guess(house, 50) for _ in range(12)] == [404] * 10 + [429] * 2
        # what the client made up comes before what the proxy has added
        assert [guess(house, i, ", 203.0.113.9") for i in range(12)] == [404] * 10 + [429] * 2
    with House(study_of(), str(tmp_path / "c.db"), proxies=("10.0.0.0/8",)) as house:
        assert [guess(house, i) for i in range(12)] == [404] * 10 + [429] * 2


def test_a_network_of_ipv6_counts_as_one_address():
    from tare._web.requests import network_of

    assert (
        network_of("2001:db8:1:2:3:4:5:6")
        == network_of("2001:db8:1:2::9")
        != network_of("2001:db8:1:3::9")
    )
    assert network_of("192.0.2.1") != network_of("192.0.2.2")
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1")
    assert network_of("?") == "?"


def test_forms_from_the_address_of_the_url_are_ours(tmp_path):
    """A proxy that rewrites Host passes the origin on that the browser sees."""
    with House(study_of(), str(tmp_path / "s.db"), base="https://Study.example.org:443/") as house:
        ann = house.assessor(url=house.url)
        ann.client.cookies.jar._cookies.clear()
        token = house.keys.assessors[0][1]
        cookie = {"cookie": f"tare_assessor_{house.store.id}={token}"}  # Secure: not over http

        def judge(number, **headers):
            body = {
                "csrf": csrf_of(token),
                "submission": str(uuid4()),
                "number": number,
                "choice": "left",
            }
            ann.client.get("/work", headers=cookie)
            return ann.client.post("/judge", json=body, headers={**cookie, **headers}).status_code

        assert (
            judge(1, origin="https://study.example.org", **{"sec-fetch-site": "same-origin"}) == 200
        )
        assert judge(2, origin=house.url) == 200  # from this machine, past the proxy
        for foreign in (
            "http://study.example.org",
            "https://study.example.org:8443",
            "https://example.org",
            "https://study.example.org.evil.test",
            "null",
            "https://[",
            "https://a:b",
        ):
            assert judge(3, origin=foreign) == 403, foreign
            door = f"/open/{house.keys.door}"
            assert ann.client.post(door, headers={"origin": foreign}).status_code == 403
        assert (
            judge(3, origin="https://study.example.org", **{"sec-fetch-site": "cross-site"}) == 403
        )


def test_two_studies_of_one_machine_do_not_share_cookies(tmp_path):
    """Cookies know no ports: both studies are 127.0.0.1 to a browser."""
    with (
        House(study_of(), str(tmp_path / "a.db")) as one,
        House(study_of(), str(tmp_path / "b.db")) as two,
    ):
        ann = one.assessor()
        ann.client.get(f"{two.url}/join/{two.keys.assessors[0][1]}")
        for house in (one, two):
            assert ann.client.get(f"{house.url}/work").status_code == 200
        owner = one.owner()
        owner.client.get(f"{two.url}/owner/{two.keys.owner}")
        for house in (one, two):
            assert owner.client.get(f"{house.url}/owner").status_code == 200
        assert len({c.name for c in ann.client.cookies.jar}) == 2


def test_a_withdrawn_invitation_opens_nothing(house, people):
    _, bob = people
    fields = bob.fields({"choice": "left"})
    owner = house.owner()
    csrf = re.search(r'name="csrf" value="(\w+)"', owner.open("/owner"))[1]
    owner.client.post("/owner/revoke", data={"csrf": csrf, "assessor": "a2"})
    with nothing_changes(house):
        assert bob.client.post("/judge", json=fields).status_code == 403
        assert bob.client.get("/mine.jsonl").status_code == 403
        assert house.visitor().client.get(f"/join/{house.keys.assessors[1][1]}").status_code == 403


def test_ids_from_elsewhere_have_a_shape(house):
    stranger = house.visitor()
    with nothing_changes(house):
        for bad in INJECTIONS:
            for method in ("GET", "POST"):
                reply = stranger.client.request(
                    method, f"/open/{house.keys.door}", params={"PROLIFIC_PID": bad}
                )
                assert reply.status_code == 422


def test_every_answer_carries_the_headers_and_no_page_a_script_of_its_own(house):
    ann, owner = house.assessor(), house.owner()
    pages = [ann.client.get(p) for p in ("/work", "/", "/nowhere", "/link", "/static/work.js")]
    pages += [owner.client.get("/owner"), house.visitor().client.get("/work")]
    for reply in pages:
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "same-origin"
        assert "server" not in reply.headers
        if "html" in reply.headers["content-type"]:
            assert reply.headers["cache-control"] == "no-store"
            assert re.findall(r"<script(?![^>]* src=)", reply.text) == []
            assert re.findall(r"<[^>]+ (?:on\w+|style)=", reply.text) == []
    cookies = house.visitor().client.get(
        f"/join/{house.keys.assessors[0][1]}", follow_redirects=False
    )
    kept = cookies.headers["set-cookie"].lower()
    assert "httponly" in kept
    assert "samesite=lax" in kept


def test_no_token_is_kept_where_it_can_be_read(tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        house.assessor().judge({"choice": "left"})
        house.owner().open("/owner")
    kept = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    for token in (house.keys.owner, house.keys.door, *(t for _, t in house.keys.assessors)):
        assert token.encode() not in kept
