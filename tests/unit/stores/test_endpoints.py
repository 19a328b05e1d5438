"""Settings of stores that are not addresses, and panics of obstore: a message that names the setting."""

from __future__ import annotations

import pytest

import tare
from tare._cli.main import main
from tare._files import cloud
from tare._files.cloud import check_endpoints
from tare.errors import UnreadableError

pytest.importorskip("obstore", reason="the extra cloud is not installed")
WRONG = [
    "localhost:9000",
    "",
    "nonsense",
    "http://my host/",
    "ftp://host",
    "https://",
    "http://[::1",
    "http://host:99999",
    "http://host:x",
    "http://host?x=1",
    "http://host#x",
    "http://:1",
    "http://host\n",
    'http://me:SECRET"@host',
    "me:SECRET@host:9000",
    "http://bücher:9000",
]


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"])
@pytest.mark.parametrize("value", WRONG)
def test_an_endpoint_that_is_no_address_is_named(name, value, monkeypatch, capsys):
    monkeypatch.setenv(name, value)
    assert main(["score", "s3://bkt/q.txt", "s3://bkt/l.run"]) == 3
    told = capsys.readouterr().err
    assert told.startswith(f"tare: {name} ")
    assert "http://127.0.0.1:9000" in told
    assert "SECRET" not in told


@pytest.mark.parametrize("name", ["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"])
def test_endpoints_of_azure_are_checked(name, monkeypatch):
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv(name, "localhost:10000")
    with pytest.raises(UnreadableError, match=rf"^{name} .* has no http:// or https://"):
        tare.read_qrels("az://container/q.txt")


@pytest.mark.parametrize(
    "value",
    [
        "http://127.0.0.1:9000",
        "https://host",
        "HTTPS://Host:8443/",
        "http://[::1]:9000/a/b",
        "http://minio_1.local",
        "http://me:secret@host:9000",
    ],
)
def test_addresses_of_servers_are_accepted(value):
    check_endpoints("s3://bkt", {"AWS_ENDPOINT_URL": value})


def test_endpoints_of_other_stores_are_not_checked():
    check_endpoints("gs://bkt", {"AWS_ENDPOINT_URL": "nonsense"})
    check_endpoints("s3://bkt", {"AWS_ENDPOINT_URL_DYNAMODB": "nonsense"})


def test_a_panic_of_the_library_is_an_error_about_the_object(monkeypatch, capsys):
    monkeypatch.setenv("AWS_REGION", "not a region")  # a part of the name of the server
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "SECRET")
    monkeypatch.setattr(cloud, "RETRIES", 0)
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UnreadableError, match=r"^s3://bkt/q\.txt: .*AWS_"):
        tare.read_qrels("s3://bkt/q.txt")
    with pytest.raises(OSError, match=r"AWS_"):
        cloud.write_object("s3://bkt/q.txt", b"")
    (read,) = [cloud.StoredObject("s3://bkt/q.txt", 1, None, 0.0)]
    with pytest.raises(UnreadableError, match=r"AWS_"):
        read.read(0, 1)
