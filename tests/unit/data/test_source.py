"""Sources: files, compressed ones, standard input, and those that cannot be read."""

import gzip
import io
import os
import threading

import pytest
import zstandard

from tare._files.opening import blocks, can_be_read_again, plain_suffix, read_all, write_all
from tare.errors import UnreadableError

TEXT = b"".join(b"q1 0 d%d 1\n" % i for i in range(20_000))
PACKED = {
    "gz": gzip.compress(TEXT),
    "zst": zstandard.ZstdCompressor().compress(TEXT),
    "two gz members": gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:]),
    "two zst frames": zstandard.ZstdCompressor().compress(TEXT[:1000])
    + zstandard.ZstdCompressor().compress(TEXT[1000:]),
    "plain": TEXT,
}


@pytest.mark.parametrize("kind", PACKED)
def test_the_first_bytes_tell_the_compression(kind, tmp_path):
    path = tmp_path / "any.name"
    path.write_bytes(PACKED[kind])
    assert read_all(path) == TEXT


@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize("keep", [5, 40, -9, -1])
def test_truncated_data_are_refused_by_name(kind, keep, tmp_path):
    path = tmp_path / f"run.{kind}"
    path.write_bytes(PACKED[kind][:keep])
    with pytest.raises(UnreadableError, match=rf"run\.{kind}: the \S+ data end too early"):
        read_all(path)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_damaged_data_are_refused_by_name(kind, tmp_path):
    path = tmp_path / f"run.{kind}"
    damaged = bytearray(PACKED[kind])
    damaged[len(damaged) // 2 : len(damaged) // 2 + 40] = b"\xff" * 40
    path.write_bytes(bytes(damaged))
    with pytest.raises(UnreadableError, match=rf"run\.{kind}: .*damaged"):
        read_all(path)


@pytest.mark.parametrize("data", [b"", b"a", b"\x1f", b"\x1f\x8c\n", b"\x28\xb5\x2f"])
def test_short_files_are_what_they_are(data, tmp_path):
    (tmp_path / "short").write_bytes(data)
    assert read_all(tmp_path / "short") == data


def test_a_missing_file_names_its_like(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    with pytest.raises(UnreadableError, match=r"no such file. Did you mean qrels\.txt"):
        read_all(tmp_path / "qrels")
    with pytest.raises(UnreadableError, match=r"no such file\.$"):
        read_all(tmp_path / "nowhere")
    with pytest.raises(UnreadableError, match="The folder .* does not exist"):
        read_all(tmp_path / "no" / "such")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(UnreadableError, match="is a folder"):
        read_all(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path):
    (tmp_path / "locked").write_text("x")
    (tmp_path / "locked").chmod(0)
    with pytest.raises(UnreadableError, match=r"locked: Permission denied\."):
        read_all(tmp_path / "locked")


def test_standard_input(tmp_path, monkeypatch):
    (tmp_path / "in").write_bytes(PACKED["gz"])
    with (tmp_path / "in").open("rb") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert read_all("-") == TEXT


def test_blocks_are_of_the_size_asked_for(tmp_path):
    (tmp_path / "plain").write_bytes(TEXT)
    sizes = [len(block) for block in blocks(tmp_path / "plain", block=1000)]
    assert sizes[:3] == [4, 1000, 1000]
    assert sum(sizes) == len(TEXT)


def test_a_pipe_cannot_be_read_again(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    assert can_be_read_again(tmp_path / "file")
    assert can_be_read_again(tmp_path / "nowhere")
    assert not can_be_read_again(tmp_path / "pipe")
    assert not can_be_read_again("-")


def test_an_interleaved_run_may_come_through_a_pipe(tmp_path):
    import tare

    os.mkfifo(tmp_path / "pipe")
    lines = "q1 Q0 a 1 3 t\nq2 Q0 a 1 3 t\nq1 Q0 b 2 2 t\n"
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=[lines])
    writer.start()
    scores = tare.evaluate({"q1": {"a": 0, "b": 1}, "q2": {"a": 1}}, tmp_path / "pipe", "RR")
    writer.join()
    assert scores.values.ravel().tolist() == [0.5, 1.0]


@pytest.mark.parametrize("suffix", [".txt", ".gz", ".zst", ".zstd"])
def test_what_is_written_is_read(suffix, tmp_path):
    path = tmp_path / f"file{suffix}"
    write_all(path, TEXT)
    assert read_all(path) == TEXT
    if suffix == ".gz":
        assert gzip.GzipFile(fileobj=io.BytesIO(path.read_bytes())).read() == TEXT


def test_suffixes_are_told_without_their_compression():
    assert plain_suffix("a.JSONL.zst") == ".jsonl"
    assert plain_suffix("a.gz") == ""
    assert plain_suffix("-") == ""
