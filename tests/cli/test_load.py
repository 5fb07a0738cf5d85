"""`kafkafmt load`: its options, output, and exit status."""

import json
from pathlib import Path

import pytest

from kafkafmt import scan
from kafkafmt.loading.load import offsets_of
from tests.cli.conftest import Call
from tests.loading.conftest import Lake, make_lake
from tests.logdir.builders import batch, segment

SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    segment(disk / "t-0", 0)
    segment(disk / "t-1", 0, batch(0, 3))
    return disk


@pytest.fixture(params=["directory", "delta"])
def lake(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    return make_lake(request.param, tmp_path / "lake", monkeypatch)


def test_it_prints_what_was_loaded(kafkafmt: Call, disk: Path, lake: Lake) -> None:
    answer = kafkafmt("load", disk, "--to", lake.to())
    assert answer.status == 0
    assert answer.lines == [
        "topic  partition  startOffset  endOffset  records",
        "t              0            0         10       10",
        "t              1            0          3        3",
    ]
    commit = {"directory": "run 1", "delta": "version 1"}[lake.kind]
    assert answer.stderr == f"kafkafmt: note: 13 rows loaded into {lake.to()} ({commit})\n"
    answer = kafkafmt("load", disk, "--to", lake.to())
    assert (answer.status, answer.lines) == (0, [])
    assert answer.stderr == f"kafkafmt: note: nothing new for {lake.to()}\n"


def test_commits(kafkafmt: Call, tmp_path: Path, lake: Lake) -> None:
    for number in range(3):
        segment(tmp_path / f"disk/t-{number}", 0, *(batch(each, 1, value=b"x" * 200_000) for each in range(50)))
    answer = kafkafmt(
        "load", tmp_path / "disk", "--to", lake.to(), "--commit-bytes", "5MiB", "--show", "commits", "-o", "jsonl"
    )
    commits = [json.loads(line) for line in answer.lines]
    assert len(commits) > 2
    assert sum(each["rows"] for each in commits) == 150
    assert json.loads(commits[-1]["offsets"])["offsets"] == {"t": {"0": 50, "1": 50, "2": 50}}
    assert "150 rows loaded" in answer.stderr
    assert f"({len(commits)} commits, the last is " in answer.stderr


def test_a_directory_that_cannot_be_read_ends_it_if_it_may_hold_wanted_records(
    kafkafmt: Call, disk: Path, lake: Lake
) -> None:
    (disk / "u-0").symlink_to("/nowhere/at/all")
    answer = kafkafmt("load", disk, "--to", lake.to())
    assert (answer.status, "nothing more is loaded" in answer.stderr) == (3, True)
    answer = kafkafmt("load", disk, "--topic", "t", "--to", lake.to())
    assert (answer.status, "13 rows loaded" in answer.stderr) == (1, True)
    assert answer.stderr.endswith(
        f"kafkafmt: {disk / 'u-0'}: the directory cannot be read: No such file or directory\n"
    )


def test_a_loss_is_a_finding(kafkafmt: Call, disk: Path, lake: Lake) -> None:
    kafkafmt("load", disk, "--to", lake.to())
    (disk / "t-0" / f"{0:020d}.log").unlink()
    segment(disk / "t-0", 25, batch(25, 2))
    answer = kafkafmt("load", disk, "--to", lake.to())
    assert answer.status == 1
    assert answer.lines[1].split() == ["t", "0", "10", "27", "2", "15"]
    assert "kafkafmt: t-0: offsets 10 to 24 were deleted since the last run, and never read\n" in answer.stderr
    assert kafkafmt("load", disk, "--to", lake.to()).status == 0


def test_damage(kafkafmt: Call, disk: Path, lake: Lake) -> None:
    content = batch(3, 2)
    segment(disk / "t-1", 0, batch(0, 3), content[:-1] + bytes([content[-1] ^ 1]), batch(5, 2))
    answer = kafkafmt("load", disk, "--to", lake.to())
    assert answer.status == 1
    assert "continue past it with --on-damage skip" in answer.stderr
    assert "13 rows loaded" in answer.stderr
    answer = kafkafmt("load", disk, "--to", lake.to(), "--on-damage", "skip")
    assert answer.status == 1
    assert "skipped (offsets 3 to 4" in answer.stderr
    assert lake.offsets()["t", 1] == [0, 1, 2, 5, 6]
    assert kafkafmt("load", disk, "--to", lake.to()).status == 0


def test_offsets_for_other_programs(kafkafmt: Call, lake: Lake) -> None:
    kafkafmt("load", SHOP, "--to", lake.to(), "--topic", "orders", "--topic", "payments")
    ends = {"orders": {"0": 10, "1": 13, "2": 10}, "payments": {"0": 12, "1": 12}}
    answer = kafkafmt("load", SHOP, "--to", lake.to(), "--show", "spark")
    assert (answer.status, json.loads(answer.text), answer.stderr) == (0, ends, "")
    answer = kafkafmt("load", SHOP, "--to", lake.to(), "--show", "reset", "--topic", "payments")
    assert answer.lines == ["payments,0,12", "payments,1,12"]
    answer = kafkafmt("load", SHOP, "--to", lake.to(), "--show", "connect", "--topic", "payments")
    assert json.loads(answer.text) == {
        "offsets": [
            {"partition": {"kafka_topic": "payments", "kafka_partition": number}, "offset": {"kafka_offset": 12}}
            for number in (0, 1)
        ]
    }
    answer = kafkafmt("load", SHOP, "--to", lake.to(), "--show", "offsets", "-o", "csv", "--topic", "payments")
    assert answer.lines == [
        "topic,partition,offset,topicId",
        "payments,0,12,GyiyMWw7ROiLjfWbfdw9xQ",
        "payments,1,12,GyiyMWw7ROiLjfWbfdw9xQ",
    ]
    assert kafkafmt("load", SHOP, "--to", lake.to(), "--topic", "customers", "--show", "commits").status == 0


@pytest.mark.parametrize("form", ["state", "spark"])
def test_a_start_from_a_file(kafkafmt: Call, disk: Path, lake: Lake, tmp_path: Path, form: str) -> None:
    ends = scan(disk, end_offset={("t", 0): 7, ("t", 1): 2}).end_offsets()
    text = ends.to_json() if form == "state" else json.dumps({"t": {"0": 7, "1": 2}})
    (tmp_path / "start").write_text(text)
    answer = kafkafmt("load", disk, "--to", lake.to(), "--start-offset", tmp_path / "start")
    assert answer.status == 0
    assert lake.offsets() == {("t", 0): [7, 8, 9], ("t", 1): [2]}
    answer = kafkafmt("load", disk, "--to", lake.to(), "--start-offset", 0)
    assert (answer.status, "says where to begin: give no --start-offset" in answer.stderr) == (2, True)


def test_a_start_that_is_none(kafkafmt: Call, disk: Path, lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("nothing")
    (tmp_path / "unknown").write_text('{"s": {"0": 1}}')
    (tmp_path / "twice").write_text('{"t": {"0": 1, "1": 1}, "t": {"0": 2}}')
    for text, status, said in (
        (tmp_path / "x", 2, "is not a file of offsets"),
        (tmp_path / "twice", 2, "'t' is there twice"),
        (tmp_path / "unknown", 3, "start_offset is given for s-0, which does not exist"),
        ("nowhere", 2, "is neither an offset nor a file"),
        ("9" * 5000, 2, "is neither an offset nor a file"),
    ):
        answer = kafkafmt("load", disk, "--to", lake.to(), "--start-offset", text)
        assert (answer.status, said in answer.stderr) == (status, True)


def test_usage(kafkafmt: Call, disk: Path, lake: Lake) -> None:
    answer = kafkafmt("load", disk, "--to", lake.to(), "--partition-by", "nope")
    assert (answer.status, "'nope' is not one of topic" in answer.stderr) == (2, True)
    answer = kafkafmt("load", disk)
    assert (answer.status, "--to" in answer.stderr) == (2, True)
    answer = kafkafmt("load", disk, "--to", lake.to(), "--topic", "nope")
    assert (answer.status, "no topic nope. There are: t." in answer.stderr) == (3, True)
    answer = kafkafmt("load", disk, "--to", lake.to(), "--topic", "nope", "--topic", "t")
    assert (answer.status, len(lake.places())) == (3, 13)
    answer = kafkafmt("load", disk, "--to", "iceberg:orders")
    assert (answer.status, "iceberg:prod.db.orders" in answer.stderr) == (2, True)
    answer = kafkafmt("load", disk, "--to", lake.to("u"), "--show", "offsets")
    assert (answer.status, "no load has written this table" in answer.stderr) == (3, True)


def test_cat_and_load_write_the_same_directories(kafkafmt: Call, disk: Path, tmp_path: Path) -> None:
    lake, state = tmp_path / "lake", tmp_path / "state"
    columns = ["--columns", "topic,partition,offset,timestamp,value", "--partition-by", "topic,day"]
    assert kafkafmt("load", disk, "--to", lake, *columns).status == 0
    segment(disk / "t-0", 10, batch(10))
    assert kafkafmt("cat", disk, *columns, "--out", lake, "--state", state).status == 0
    segment(disk / "t-0", 11, batch(11))
    assert kafkafmt("load", disk, "--to", lake, *columns).status == 0
    assert Lake(tmp_path, "directory").offsets("lake") == {("t", 0): [*range(12)], ("t", 1): [0, 1, 2]}
    assert offsets_of(lake)["t", 0] == 12


def test_an_extra_that_is_missing(kafkafmt: Call, disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for to, extra, module in (
        (f"delta:{tmp_path / 'x'}", "delta", "deltalake"),
        ("iceberg:a.b.c", "iceberg", "pyiceberg.catalog"),
    ):
        monkeypatch.setitem(__import__("sys").modules, module, None)
        answer = kafkafmt("load", disk, "--to", to)
        assert (answer.status, f"pip install 'kafkafmt[{extra}]'" in answer.stderr) == (2, True)


def test_a_misspelt_kind_of_table_is_a_usage_error(kafkafmt: Call, disk: Path) -> None:
    answer = kafkafmt("load", disk, "--to", "dleta:/lake/orders")
    assert answer.status == 2
    assert "'dleta:/lake/orders' is not a table: write delta:PATH, iceberg:CATALOG.TABLE, or a dir" in answer.stderr
