"""Typed keys and values with partial reads and other outputs: --follow, --state, arrow, load, --schemas."""

import json
import select
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import kafkafmt as library
from tests.cli.conftest import Call, start
from tests.values.change_events import TOPIC
from tests.values.change_events import written as change_events

TYPED = Path(__file__).parents[2] / "docs" / "examples" / "typed" / "log-dir"
ORDERS = ("--topic", "orders", "--value-format", "auto")
PAYMENTS = ("--topic", "payments", "--value-format", "auto")
SECONDS = 60


@pytest.fixture
def without_schemas(tmp_path: Path) -> Path:
    """The example's log directory without `_schemas`, with its schemas as files in `schemas`."""
    for each in TYPED.glob("orders-*"):
        shutil.copytree(each, tmp_path / "disk" / each.name)
    for each in TYPED.glob("payments-*"):
        shutil.copytree(each, tmp_path / "disk" / each.name)
    library.values.write_schemas(library.values.schemas(str(TYPED)), str(tmp_path / "schemas"))
    return tmp_path / "disk"


def test_a_stream_of_arrow_has_the_types(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", TYPED, *ORDERS, "-o", "arrow")
    table = pa.ipc.open_stream(answer.stdout).read_all()
    expected = library.scan(TYPED, topics="orders").decode(key="bytes").to_table()
    assert table.schema == expected.schema
    assert table.equals(expected)


def test_a_state_gives_typed_rows_once(kafkafmt: Call, tmp_path: Path) -> None:
    disk, state = tmp_path / "disk", tmp_path / "orders.state"
    shutil.copytree(TYPED, disk)
    columns = ("--columns", "partition,offset,value", "-o", "jsonl")
    first = kafkafmt("cat", disk, *ORDERS, "--state", state, *columns)
    whole = kafkafmt("cat", disk, *ORDERS, *columns)
    assert (first.status, sorted(first.lines)) == (0, sorted(whole.lines))
    again = kafkafmt("cat", disk, *ORDERS, "--state", state, *columns)
    assert (again.status, again.lines) == (0, [])
    kept = json.loads(state.read_text())
    kept["offsets"]["orders"]["0"] -= 1
    state.write_text(json.dumps(kept))
    (last,) = kafkafmt("cat", disk, *ORDERS, "--state", state, *columns).lines
    assert last in whole.lines


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--written",), ("--schema", "orders-value:1")])
def test_a_followed_topic_is_typed(options: tuple[str, ...], kafkafmt: Call) -> None:
    shown = (*ORDERS, *options, "-o", "jsonl", "--columns", "partition,offset,value")
    whole = kafkafmt("cat", TYPED, *shown)
    assert whole.status == 0
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "bufsize": 0}
    with start("cat", TYPED, *shown, "--follow", **pipes) as process:
        lines = []
        assert process.stdout is not None
        for _ in whole.lines:
            assert select.select([process.stdout], [], [], SECONDS)[0]
            lines.append(process.stdout.readline().decode().rstrip())
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0
    assert sorted(lines) == sorted(whole.lines)


def test_a_load_takes_a_schema_and_a_record_type(kafkafmt: Call, tmp_path: Path) -> None:
    options = ("--value-format", "auto", "--schema", "orders-value:1")
    answer = kafkafmt("load", TYPED, "--topic", "orders", "--to", tmp_path / "orders", *options)
    assert answer.status == 0
    loaded = ds.dataset(tmp_path / "orders", format="parquet", partitioning="hive").to_table()
    assert {each.name for each in loaded.schema.field("value").type} == {"id", "customer", "total", "placed"}
    assert loaded.num_rows == 12
    of_type = ("--value-format", "protobuf", "--record", "com.example.shop.Payment")
    assert kafkafmt("load", TYPED, "--topic", "payments", "--to", tmp_path / "payments", *of_type).status == 0
    paid = ds.dataset(tmp_path / "payments", format="parquet", partitioning="hive").to_table()
    expected = library.scan(TYPED, topics="payments").decode().to_table()
    assert sorted(map(str, paid["value"].to_pylist())) == sorted(map(str, expected["value"].to_pylist()))


def test_a_load_takes_the_rows_of_change_events(kafkafmt: Call, tmp_path: Path) -> None:
    disk = change_events(tmp_path, "avro")
    options = ("--topic", TOPIC, "--unwrap", "debezium", "--to", tmp_path / "rows")
    assert kafkafmt("load", disk, *options).status == 0
    loaded = ds.dataset(tmp_path / "rows", format="parquet", partitioning="hive").to_table()
    shown = kafkafmt("cat", disk, "--topic", TOPIC, "--unwrap", "debezium", "-o", "jsonl")
    assert sorted(map(str, loaded["value"].to_pylist())) == sorted(
        str(json.loads(line)["value"]) for line in shown.lines
    )
    assert {*loaded["op"].to_pylist()} >= {"c", "u", "d"}


@pytest.mark.parametrize("command", ["space", "grep", "sql"])
def test_schemas_of_a_folder(command: str, without_schemas: Path, kafkafmt: Call) -> None:
    """`--schemas` provides schemas for a disk that has none, as for `cat`."""
    arguments = {
        "space": ("--topic", "orders", "--by", "value:customer", "--columns", "value:customer,records"),
        "grep": ("--json-path", "$.amount.cents>=5000", *PAYMENTS, "--columns", "partition,offset,value"),
        "sql": ("select value.customer, count(*) as n from topic.orders group by 1 order by 1",),
    }[command]
    schemas = ("--schemas", without_schemas.parent / "schemas")
    (*query,) = arguments if command == "sql" else ()
    options = () if command == "sql" else arguments
    expected = kafkafmt(command, *query, TYPED, *options, "-o", "jsonl")
    assert (expected.status, len(expected.lines) > 1) == (0, True)
    answer = kafkafmt(command, *query, without_schemas, *options, *schemas, "-o", "jsonl")
    assert (answer.status, answer.lines) == (0, expected.lines)
