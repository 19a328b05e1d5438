"""What follows ? or # in an address may be a signature: it is never shown, whatever the scheme."""

from __future__ import annotations

import pytest

import tare
from tare._cli.main import main
from tare._files.addresses import shown
from tare._files.cloud import addresses_like
from tare.errors import OptionError, TareError

SECRET = "0f3a/SECRET.SIG"
QUERY = f"?X-Amz-Signature={SECRET}"
BUCKETS = ["s3", "gs", "az"]
SCHEMES = [*BUCKETS, "http", "ftp", "abfs", "hdfs"]


@pytest.mark.parametrize("scheme", [*SCHEMES, "https"])
@pytest.mark.parametrize(
    "given",
    [
        f"bucket/a.run{QUERY}",
        f"bucket/a.run#{SECRET}",
        f"bucket{QUERY}/a.run",
        f"me:{SECRET}@bucket/a.run",
        f"me:0f?{SECRET}@bucket/a.run",
        f"me:SECRET{QUERY}@bucket/a.run",
    ],
)
def test_an_address_is_shown_without_its_secrets(scheme, given):
    assert "SECRET" not in shown(f"{scheme}://{given}")
    assert shown(f"{scheme}://{given}").startswith(f"{scheme}://")


def test_the_port_of_a_server_is_shown():
    assert shown("https://host:8443/a.run") == "https://host:8443/a.run"
    assert shown("https://[::1]:8443/a.run?x") == "https://[::1]:8443/a.run"


def calls(address):
    """The ways to name an input or an output."""
    qrels = {"q": {"a": 1}}
    yield lambda: tare.read_run(address)
    yield lambda: tare.read_run(address.replace(".run", ".parquet"))
    yield lambda: tare.read_runs(address)
    yield lambda: tare.read_runs(address.replace("a.run", "*.run"))
    yield lambda: tare.read_qrels(address)
    yield lambda: tare.evaluate(qrels, address, "AP")
    yield lambda: tare.evaluate(qrels, address, "AP", engine="local")
    yield lambda: tare.evaluate(qrels, address.replace(".run", ".parquet"), "AP", engine="local")
    yield lambda: tare.evaluate(qrels, address, "AP", engine=tare.engines.Parts())
    yield lambda: tare.Scores.load(address.replace(".run", ".parquet"))


def outputs(address):
    scores = tare.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")
    yield lambda: scores.save(address)
    yield lambda: scores.save(address.replace(".run", ".unknown"))
    yield lambda: scores.save(address.replace(".run", ".json"))
    yield lambda: tare.read_run({"q": {"a": 1.0}}).write(address)
    yield lambda: tare.report.report(scores).write(address)


@pytest.mark.parametrize("mark", ["?", "#"])
@pytest.mark.parametrize("scheme", BUCKETS)
def test_a_bucket_has_no_query(scheme, mark):
    address = f"{scheme}://bucket/a.run{mark}sig={SECRET}"
    for call in (*calls(address), *outputs(address)):
        with pytest.raises(OptionError, match="Credentials come from the environment") as raised:
            call()
        assert "SECRET" not in str(raised.value)


@pytest.mark.parametrize("scheme", ["http", "ftp", "abfs", "hdfs"])
def test_addresses_that_are_not_read_are_shown_without_queries(scheme):
    for call in calls(f"{scheme}://nowhere.invalid/a.run{QUERY}"):
        with pytest.raises(TareError) as raised:
            call()
        assert "SECRET" not in str(raised.value)


def test_outputs_at_a_web_server_are_refused_without_the_query():
    for call in outputs(f"https://host/a.run{QUERY}"):
        with pytest.raises(OptionError, match="read only") as raised:
            call()
        assert "SECRET" not in str(raised.value)


@pytest.mark.parametrize("scheme", [*BUCKETS, "http"])
@pytest.mark.parametrize(
    "words",
    [
        "score QRELS ADDRESS",
        "score ADDRESS QRELS",
        "score QRELS QRELS --save ADDRESS",
        "score QRELS QRELS --save=ADDRESS -m AP --pool judged",
        "check ADDRESS",
        "compare ADDRESS",
        "gate QRELS ADDRESS --baseline ADDRESS -m AP:0.1",
        "text ADDRESS",
        "part QRELS ADDRESS --index 0 --of 2 --output ADDRESS",
        "join QRELS ADDRESS",
        "trec_eval QRELS ADDRESS",
        "ndeval ADDRESS QRELS",
        "answers ADDRESS",
        "agree ADDRESS",
        "arena ADDRESS",
        "ADDRESS",
        "score --unknown ADDRESS",
    ],
)
def test_a_command_never_prints_a_query(scheme, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    address = f"{scheme}://bucket.invalid/a.run{QUERY}"
    told = words.replace("QRELS", "qrels.txt").replace("ADDRESS", address)
    assert main(told.split(" ")) in (2, 3)
    printed = capsys.readouterr()
    assert "SECRET" not in printed.out + printed.err
    assert "unexpected" not in printed.err
    assert [path.name for path in tmp_path.iterdir()] == ["qrels.txt"]


@pytest.mark.parametrize("scheme", BUCKETS)
@pytest.mark.parametrize(
    "key", ["a//q.txt", "a/../q.txt", "a/./q.txt", "/q.txt", "..", "a\x01b/q.txt"]
)
def test_keys_that_cannot_be_requested_are_refused_with_what_is_accepted(scheme, key):
    with pytest.raises(OptionError, match=r"the key .* must not contain"):
        tare.read_qrels(f"{scheme}://bucket/{key}")
    with pytest.raises(OptionError, match=r"the key .* must not contain"):
        addresses_like(f"{scheme}://bucket/{key}/*")


@pytest.mark.parametrize(
    "given", ["s3://my bucket/a", "az://<x>/a", "https://[::1/a", "https://h:99999/a"]
)
def test_names_of_buckets_and_servers_are_checked(given):
    with pytest.raises(OptionError, match=r"after (s3|az|https)://"):
        tare.read_qrels(given)


def test_a_bucket_is_not_an_object(store):
    with pytest.raises(TareError, match="Name the objects in it"):
        tare.read_qrels("s3://evaluation/")
