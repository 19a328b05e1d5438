"""JSON of pairs, read by the core: against Python's json, for any size of blocks."""

import gzip
import json
import math
from random import Random

import numpy as np
import pytest

import tare
from tare._kernels import read_json_pairs
from tare._kernels.threads_and_blocks import Seams, cut
from tare.errors import FormatError


def write(folder, text, name="run.json"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def blocks(data: bytes, size: int):
    for start in range(0, len(data), size):
        yield np.frombuffer(data[start : start + size], dtype=np.uint8)


def told(data: bytes, size: int):
    found = read_json_pairs(blocks(data, size), ranked=True, about="about")
    rows = [
        (
            names,
            [(q, *rows.documents(i)[0], *rows.documents(i)[1]) for i, q in enumerate(rows.queries)],
        )
        for names, rows in found.parts
    ]
    return (
        rows,
        found.other,
        found.lists,
        found.repeats,
        found.about,
        found.fault,
        found.line,
        found.column,
        found.detail,
    )


ALPHABET = 'aé\u20ac\U0001f600"\\/\b\f\n\r\t\u0001 0'


@pytest.mark.parametrize("seed", range(60))
def test_equals_json_for_any_blocks(seed, tmp_path):
    random = Random(seed)

    def name():
        return "".join(random.choices(ALPHABET, k=random.randint(1, 6)))

    def number():
        kind = random.randint(0, 4)
        if kind == 0:
            return random.randint(-(10**25), 10**25)
        if kind == 1:
            return random.random()
        return random.uniform(-1, 1) * 10.0 ** random.randint(-320, 300)

    given = {name(): {name(): number() for _ in range(random.randint(1, 8))} for _ in range(5)}
    text = json.dumps(given, ensure_ascii=random.random() < 0.5, indent=random.choice([None, 1]))
    data = text.encode()
    whole = told(data, len(data))
    assert whole[5] == ""
    for size in (1, 2, 3, 7, 64):
        assert told(data, size) == whole
    expected = {q: {d: float(v) for d, v in ds.items()} for q, ds in json.loads(text).items()}
    assert tare.read_run(write(tmp_path, data)).to_dict() == expected


@pytest.mark.parametrize("seed", range(200))
def test_damaged_text_is_refused_like_json(seed):
    random = Random(seed)
    data = bytearray(json.dumps({"q1": {"d1": 1.5, "d2": -2}, "é": {'x"y': 1e3}}).encode())
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(data))
        data[place : place + random.randint(0, 2)] = bytes(
            random.choices(b'{}[]":,0.e-1 \\un\xff', k=1)
        )
    whole = told(bytes(data), 1 << 20)
    for size in (1, 5):
        assert told(bytes(data), size) == whole

    def refuse(word):
        raise ValueError(word)

    try:
        json.loads(bytes(data), parse_constant=refuse)
        valid = True
    except ValueError:
        valid = False
    if not valid and not whole[1]:  # `other` ends before the rest is read
        assert whole[5] != ""
    if whole[5] not in ("", "lone_surrogate", "non_finite", "repeated_query"):
        assert not valid


def plain_text(random: Random) -> str:
    """Many pairs per query, mostly as json.dump writes them, with each kind of number and blank."""

    def number():
        digits = random.randint(0, 20)
        return random.choice(
            [
                repr(random.uniform(-40, 40)),
                str(random.randint(-(10**9), 10**9)),
                "-0",
                "0",
                f"{random.random():.{digits}f}",
                f"{random.randint(0, 10**12)}.{random.randint(0, 99)}",
                f"{random.random()}e{random.randint(-30, 30)}",
            ]
        )

    def name(i):
        return random.choice(["", "d", "MARCO_", "é", "a long id of a document-"]) + str(i)

    comma, colon = random.choice([(", ", ": "), (",", ":"), (",\n    ", ": "), (" ,\t", " :\r\n")])
    queries = [
        f'"{q}"{colon}{{'
        + comma.join(f'"{name(i)}"{colon}{number()}' for i in range(random.randint(1, 25)))
        + random.choice(["}", "}", " }", "\n}"])
        for q in range(random.randint(1, 4))
    ]
    return "{" + comma.join(queries) + "}"


@pytest.mark.parametrize("seed", range(150))
def test_plain_pairs_are_read_as_token_by_token(seed):
    """Blocks of one byte never hold a whole pair, so each of its tokens is read alone."""
    random = Random(seed)
    text = plain_text(random)
    data = bytearray(text.encode())
    damages = seed % 3
    for _ in range(damages):
        place = random.randrange(len(data))
        data[place : place + random.randint(0, 2)] = bytes(
            random.choices(b'{}[]":,0.e-1 \\un\xff\n\x01', k=random.randint(0, 2))
        )
    whole = told(bytes(data), 1 << 20)
    for size in (1, 40, 500):
        with cut(Seams(json_rows=random.randint(1, 9))):
            found = told(bytes(data), size)
        assert found[1:] == whole[1:]
        if not whole[1] and not whole[5]:  # else the rows read so far are of no use
            assert found[0] == whole[0]
    if damages == 0:
        assert {
            q: dict(zip(row[: len(row) // 2], row[len(row) // 2 :], strict=True))
            for q, *row in whole[0][0][1]
        } == {q: {d: float(v) for d, v in ds.items()} for q, ds in json.loads(text).items()}


def test_parts_lists_and_metadata(tmp_path):
    lists = tare.read_run(write(tmp_path, '{"q1": ["a", "b", "a"], "q2": [7]}'))
    assert lists.to_dict() == {"q1": {"a": -1.0, "b": -2.0}, "q2": {"7": -1.0}}
    assert [f.kind for f in lists.findings] == ["input", "duplicate documents"]
    assert tare.read_qrels(tmp_path / "run.json").to_dict() == {
        "q1": {"a": 1, "b": 1},
        "q2": {"7": 1},
    }
    path = write(tmp_path, '{"A": {"q": {"d": 1}}, "B": {"q": {"d": 2}, "r": {"e": 0}}}')
    assert {run.system: run.to_dict() for run in tare.read_runs(path)} == json.loads(
        path.read_text()
    )
    with pytest.raises(FormatError, match="2 parts found .'A', 'B'., and one is needed"):
        tare.read_run(path)
    packed = tmp_path / "run.json.gz"
    packed.write_bytes(gzip.compress(b'{"q": {"d": 0.1}}'))
    assert tare.read_run(packed).to_dict() == {"q": {"d": 0.1}}
    rows = write(tmp_path, '[{"query_id": "q", "doc_id": "d", "score": 0.5}]')
    assert tare.read_run(rows).to_dict() == {"q": {"d": 0.5}}
    marked = write(tmp_path, b'\xef\xbb\xbf{"q": {"d": 1}}')
    assert tare.read_run(marked).to_dict() == {"q": {"d": 1.0}}


def test_every_number_is_rounded_correctly(tmp_path):
    random = Random(1)
    texts = [
        f"{random.randint(0, 99)}.{random.randint(0, 10**20)}e{random.randint(-330, 300)}"
        for _ in range(500)
    ]
    texts += ["0", "-0", "0.1", "1e-400", "4.9e-324", "1.7976931348623157e308", "9007199254740993"]
    path = write(tmp_path, '{"q": {' + ", ".join(f'"{i}": {t}' for i, t in enumerate(texts)) + "}}")
    read = tare.read_run(path).to_dict()["q"]
    for i, text in enumerate(texts):
        assert read[str(i)] == float(text)
        assert math.copysign(1, read[str(i)]) == math.copysign(1, float(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: the JSON ends too early"),
        ("{}", "no pairs found"),
        ('{"q": {}}', "no pairs found"),
        ('{"q": {"d": 1}', "line 1, column 15: the JSON ends too early. Was the file cut off"),
        ('{"q": {"d": 1,}}', "line 1, column 15: not valid JSON; expected a name in quotes"),
        ('{"q":\n {"d": 01}}', "line 2, column 8: '01' is not a number in JSON"),
        ('{"q": {"d": +1}}', "not valid JSON; expected a value"),
        ('{"q": {"d": 1.}}', "'1.' is not a number in JSON"),
        ('{"q": {"d": NaN}}', "the score NaN of 'd' of 'q' is not a finite number"),
        ('{"q": {"d": -Infinity}}', "the score -Infinity of 'd' of 'q' is not a finite number"),
        ('{"q": {"d": 1e999}}', "the score 1e999 of 'd' of 'q' is not a finite number"),
        ('{"q": {"d": "1"}}', "query 'q', document 'd': the score '1' is not a finite number"),
        ('{"q": {"d": null}}', "the score None is not a finite number"),
        ('{"q": {"d": 1}} x', "line 1, column 17: not valid JSON; expected the end of the text"),
        ('{"q": {"d\\ud800": 1}}', "lone surrogate"),
        ('{"q": {"\\x": 1}}', "an escape that JSON does not have"),
        ('{"q": {"a\nb": 1}}', "control character"),
        ('{"q": {"d": 1, "d": 2}}', "entry 2: duplicate document 'd' of query 'q'"),
        ('{"q": {"d": 1}, "q": {"e": 2}}', "the query 'q' appears twice"),
        ('{"a":' * 100, "more than 64 objects and lists inside each other"),
        ("5", "the file holds a int"),
        ("[]", "no rows found"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_bad_json(text, message, tmp_path):
    with pytest.raises(FormatError, match="run.json") as error:
        tare.read_run(write(tmp_path, text))
    assert message in str(error.value)


def test_invalid_text_is_refused(tmp_path):
    with pytest.raises(FormatError, match="not valid UTF-8"):
        tare.read_run(write(tmp_path, b'{"q": {"\xff": 1}}'))
