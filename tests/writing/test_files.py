"""Rows of files: output of `kafkafmt cat` in any form becomes the same log, and errors name the line."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kafkafmt as library
from kafkafmt import SourceError
from kafkafmt.writing.files import FORMS, FileRows
from tests.cli.conftest import Call, kafkafmt

__all__ = ["kafkafmt"]

GOLDEN = Path(__file__).parent.parent / "golden" / "modern"
KEPT = ["topic", "partition", "offset", "timestamp", "key", "value", "headers"]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", ["01-codecs-4.3.1", "02-timestamps-4.3.1", "03-idempotent-4.3.1", "13-names-4.3.1"])
def test_what_cat_wrote_becomes_the_same_log(case: str, form: str, tmp_path: Path, kafkafmt: Call) -> None:
    rows = tmp_path / f"rows.{form}"
    names = ",".join(["value", *(name for name in KEPT if name != "value")])
    assert kafkafmt("cat", GOLDEN / case, "--no-control", "--columns", names, "--out", rows).status == 0
    answer = kafkafmt("write", rows, "--out", tmp_path / "out", "--compression", "zstd", "-o", "jsonl")
    assert answer.status == 0
    assert answer.stderr.splitlines()[-1] == f"  kafkafmt cat {tmp_path / 'out'}"
    order = [(name, "ascending") for name in KEPT[:3]]
    wanted = library.scan(GOLDEN / case, columns=KEPT).to_table().sort_by(order)
    found = library.scan(tmp_path / "out", columns=KEPT).to_table().sort_by(order)
    assert wanted.num_rows > 20
    assert found.equals(wanted)
    assert sum(json.loads(line)["records"] for line in answer.lines) == wanted.num_rows


def test_cells_of_json_lines(tmp_path: Path) -> None:
    rows = [
        {"value": "text", "timestamp": 5, "key": {"base64": "AP8="}, "more": [1]},
        {"value": None, "timestamp": "2026-11-21T04:18:00", "headers": [{"key": "h", "value": None}]},
        {
            "value": "",
            "timestamp": "2026-11-21T04:18:00.123+01:00",
            "headers": [{"key": {"base64": "TfxsbGVy"}, "value": ""}],
        },
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    library.write(FileRows([str(path)]), tmp_path / "out", topic="t", partitions=1)
    found = library.scan(tmp_path / "out").to_table()
    assert found["value"].to_pylist() == [b"text", None, b""]
    assert found["key"].to_pylist() == [b"\0\xff", None, None]
    assert found["timestamp"].cast(pa.int64()).to_pylist() == [5, 1_795_234_680_000, 1_795_231_080_123]
    assert found["headers"].to_pylist() == [
        None,
        [{"key": "h", "value": None}],
        [{"key": "M\ufffdller", "value": b""}],
    ]


@pytest.mark.parametrize("form", FORMS)
def test_texts_that_look_like_bytes_stay_texts(form: str, tmp_path: Path, kafkafmt: Call) -> None:
    texts = [b'{"base64":"AP8=","more":1}', b'{"base64": "AP8="}', b'{"base64":7}', b'{"base64":"A="}', b"\0\xff", None]
    texts += [b'{"base64":"AP8="}'] if form != "csv" else []
    headers = [[{"key": "h", "value": each}] for each in [b'{"base64":"AP8="}', *texts[1:]]]
    rows = pa.table({"value": texts, "key": texts, "headers": headers, "timestamp": range(len(texts))})
    library.write(rows, tmp_path / "first", topic="t", partitions=1)
    path = tmp_path / f"rows.{form}"
    assert kafkafmt("cat", tmp_path / "first", "--out", path).status == 0
    assert kafkafmt("write", path, "--out", tmp_path / "second").status == 0
    first, second = (library.scan(tmp_path / name, columns=KEPT).to_table() for name in ("first", "second"))
    assert first["value"].to_pylist() == texts
    assert second.equals(first)


def test_several_files_follow_each_other(tmp_path: Path) -> None:
    pq.write_table(pa.table({"value": ["a", "b"], "timestamp": [1, 2]}), tmp_path / "one.parquet")
    (tmp_path / "two.csv").write_text('other,value,timestamp\nx,c,3\ny,,4\nz,"",5\n')
    third = pa.table({"value": ["f"], "timestamp": [6]})
    with pa.ipc.new_stream(str(tmp_path / "three.arrow"), third.schema) as out:
        out.write_table(third)
    paths = [str(tmp_path / name) for name in ("one.parquet", "two.csv", "three.arrow")]
    library.write(FileRows(paths), tmp_path / "out", topic="t", partitions=1)
    found = library.scan(tmp_path / "out").to_table()
    assert found["value"].to_pylist() == [b"a", b"b", b"c", None, b"", b"f"]
    assert found["offset"].to_pylist() == list(range(6))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rows.jsonl", '{"value": "a", "timestamp": 1}\n{"value": 3}\n', "line 2: column 'value': must be text"),
        ("rows.jsonl", '{"value": "a"\n', "line 1 is not JSON"),
        ("rows.jsonl", "[1]\n", "line 1 is not a JSON object"),
        ("rows.jsonl", '{"value": "a", "timestamp": true}\n', "line 1: column 'timestamp': must be an integer"),
        ("rows.jsonl", '{"value": "a", "headers": {"a": 1}}\n', "line 1: column 'headers': must be a list"),
        (
            "rows.jsonl",
            '{"value": "a", "headers": [{"key": null, "value": "b"}]}\n',
            "line 1: column 'headers': must be",
        ),
        (
            "rows.jsonl",
            '{"value": "a", "headers": [{"key": 5, "value": "b"}]}\n',
            """line 1: column 'headers': must be text, or {"base64": ".."}, not 5""",
        ),
        ("rows.jsonl", '{"value": "a", "partition": 99999999999}\n', "line 1 and after: column 'partition'"),
        ("rows.jsonl", '{"value": {"base64": "?"}}\n', "line 1: column 'value'"),
        ("rows.csv", "value,timestamp\na,1\nb,yesterday\n", "row 3: column 'timestamp'"),
        ("rows.jsonl", '\n\n{"value": "a"}\n\n{"value": 3}\n', "line 5: column 'value': must be text"),
        ("rows.jsonl", '{"value": "a", "timestamp": 1}\n{"Value": "b"}\n', "line 2 has none of the columns value, key"),
        ("rows.csv", "", "line 1 has none of the columns value, key"),
        ("rows.csv", "value;timestamp\na;1\n", "line 1 has none of the columns value, key"),
        ("rows.csv", "value,value,timestamp\na,b,1\n", "line 1 has the column 'value' 2 times"),
        ("rows.csv", "value,timestamp,\udcff\na,1,\n", "is not UTF-8: invalid start byte 0xff"),
        ("rows.parquet", "PAR1", "cannot be read"),
        ("rows.arrow", "nothing", "cannot be read"),
    ],
)
def test_what_is_wrong_has_its_line(name: str, text: str, message: str, tmp_path: Path, kafkafmt: Call) -> None:
    path = tmp_path / name
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(SourceError, match=message):
        library.write(FileRows([str(path)]), tmp_path / "out", topic="t", partitions=1)
    answer = kafkafmt("write", path, "--out", tmp_path / "out", "--topic", "t", "--partitions", 1)
    assert answer.status == 3
    assert str(path) in answer.stderr
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_wrong_use(tmp_path: Path, kafkafmt: Call) -> None:
    (tmp_path / "rows.jsonl").write_text('{"value": "a", "timestamp": 1}\n')
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out"
    whole = (rows, "--out", out, "--topic", "t", "--partitions", 1)
    for arguments, message in (
        ((rows, "--out", out), "no column 'topic'"),
        ((rows, "--out", out, "--topic", "t"), "partition"),
        ((tmp_path / "rows.txt", "--out", out), "does not end in .parquet, .arrow, .csv, .jsonl"),
        ((rows,), "Missing option '--out'"),
        ((*whole, "--topic-id", "t"), "must be TOPIC=ID"),
        (
            (*whole, "--batch-bytes", "much"),
            "neither a number nor a size",
        ),
        ((*whole, "--compression-level", 3), "no compression level"),
    ):
        answer = kafkafmt("write", *arguments)
        assert answer.status == 2, arguments
        assert message in answer.stderr
    missing = kafkafmt("write", tmp_path / "no.csv", "--out", out, "--topic", "t", "--partitions", 1)
    assert (missing.status, "no.csv: No such file" in missing.stderr) == (3, True)
    assert not out.exists()
    topic_id = "K9eYC8AgfJE1SN1_dg1-Lw"
    given = ("--topic", "t", "--partitions", 2, "--topic-id", f"t={topic_id}")
    assert kafkafmt("write", rows, "--out", out, *given).status == 0
    assert topic_id in (out / "t-1" / "partition.metadata").read_text()
