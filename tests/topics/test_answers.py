"""The common protocol of the answers of kafkafmt.topics: tables, findings, notes, damage; and argument checks."""

import os
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import pyarrow as pa
import pytest

import kafkafmt.topics
from kafkafmt import DataError
from kafkafmt.answer_columns import Named, TableColumns, columns_of, record_batches
from kafkafmt.findings import FINDING, STATE, Finding, finding_of
from kafkafmt.topics.answers import Answer, TableAnswer
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch, file_name
from tests.topics.cluster_metadata import written

MODERN = GOLDEN / "modern"
NAMES = ("groups", "transactions", "producers", "metadata")
ANSWERS: dict[str, tuple[str, type[TableAnswer], tuple[str, ...]]] = {
    "groups": ("08-consumer-groups-4.3.1", kafkafmt.topics.Groups, ("groups", "offsets", "pending_offsets", "members")),
    "transactions": ("09-transaction-state-4.3.1", kafkafmt.topics.Transactions, ("ids", "data")),
    "producers": ("04-transactions-4.3.1", kafkafmt.topics.Producers, ("producers",)),
    "metadata": ("10-cluster-metadata-4.3.1", kafkafmt.topics.ClusterMetadata, ("topics", "cluster", "partitions")),
}
TOPICS = {
    "groups": "__consumer_offsets-0",
    "transactions": "__transaction_state-0",
    "producers": "orders-0",
    "metadata": "__cluster_metadata-0",
}


def answer_of(name: str, source: Path, **arguments: Any) -> Answer:
    answer: Answer = getattr(kafkafmt.topics, name)(source, **arguments)
    return answer


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_has_tables_and_what_belongs_beside_them(name: str) -> None:
    case, kind, tables = ANSWERS[name]
    answer = answer_of(name, MODERN / case / "log-dir")
    assert isinstance(answer, kind)
    assert answer.tables[: len(tables)] == tables
    assert answer.tables == tuple(kind.schemas())
    assert answer.to_table() == answer.to_table(answer.tables[0])
    assert answer.to_table().num_rows
    for table in answer.tables:
        assert answer.to_table(table).schema == kind.schemas()[table]
    for beside in (answer.damage, answer.notes, answer.findings, answer.skipped_replicas):
        assert isinstance(beside, tuple)
    with pytest.raises(ValueError, match=f"^there is no table 'x'; there are: {tables[0]}"):
        answer.to_table("x")


@pytest.mark.parametrize("name", NAMES)
def test_damage_ends_an_answer_or_is_listed_in_it(name: str, tmp_path: Path) -> None:
    place = tmp_path / TOPICS[name]
    place.mkdir()
    broken = bytearray(batch(0))
    broken[16] ^= 1  # its magic
    (place / file_name(0)).write_bytes(bytes(broken) + batch(1))
    with pytest.raises(DataError):
        answer_of(name, tmp_path, on_damage="raise")
    assert [each.position for each in answer_of(name, tmp_path).damage] == [0]
    with pytest.raises(ValueError, match=r"^on_damage must be one of \('raise', 'skip'\), not 'ignore'"):
        answer_of(name, tmp_path, on_damage="ignore")


@pytest.mark.parametrize("name", NAMES)
def test_one_moment_at_most(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^at_offset and at_time exclude each other"):
        answer_of(name, tmp_path, at_offset=1, at_time=1)
    for wrong in (True, "5", {0: None}, {"t": 1}):
        with pytest.raises(TypeError, match=r"^at_offset must be an int or a mapping of partition to int"):
            answer_of(name, tmp_path, at_offset=wrong)


def test_ignored_records_of_the_metadata_are_findings(tmp_path: Path) -> None:
    written.node(tmp_path, 1, written.control(0, 77, b""), written.batch(1, written.topic()))
    (finding,) = kafkafmt.topics.metadata(tmp_path).findings
    assert (finding.topic, finding.partition, finding.producer_id) == ("__cluster_metadata", 0, None)
    assert (finding.position, finding.first_offset, finding.last_offset) == (0, 0, 0)
    assert finding.message.endswith("at offset 0 is ignored: a control record of an unknown type")


def test_a_finding_names_its_file_once() -> None:
    error = DataError("it is wrong", file="some/file", position=7)
    finding = finding_of(error, topic="t", partition=0)
    assert (finding.path, finding.position, finding.message) == ("some/file", 7, "it is wrong")
    assert (finding.topic, finding.partition, finding.kind) == ("t", 0, "corrupt")
    assert str(finding) == str(error)
    assert str(finding_of(DataError("it is wrong"))) == "it is wrong"
    assert str(Finding(FINDING, STATE, "f", "it is wrong", producer_id=3)) == "f: producer 3: it is wrong"


def test_rows_come_in_batches_and_paths_that_are_no_text_are_shown() -> None:
    columns = TableColumns(("path", pa.string(), "real"), ("twice", pa.int64(), lambda row: 2 * row))
    sizes = [made.num_rows for made in record_batches(((None, 1),) * 40_000, columns.schema)]
    assert sizes == [16_384, 16_384, 7_232]
    (made,) = record_batches([(os.fsdecode(b"a\xff"), 1), ("b", None)], columns.schema)
    assert made.to_pylist() == [{"path": "a\ufffd", "twice": 1}, {"path": "b", "twice": None}]
    assert TableColumns(("real", pa.int64(), "real"), ("twice", pa.int64(), lambda row: 2 * row)).to_table(
        range(3)
    ).to_pylist() == [{"real": number, "twice": 2 * number} for number in range(3)]
    assert columns.to_table([]).num_rows == 0
    names = TableColumns(("paths", pa.list_(pa.string()), lambda path: (path, "b")))
    assert names.to_table([os.fsdecode(b"a\xff")]).to_pylist() == [{"paths": ["a\ufffd", "b"]}]


@dataclass(frozen=True, slots=True)
class _Row:
    first_offset: Annotated[int, "int64"]
    path: str
    is_simple: Annotated[bool, Named("simple", "bool")]
    parts: Annotated[tuple[int, ...] | None, "int32", len]

    @property
    def next_offset(self) -> Annotated[int, "int64"]:
        return self.first_offset + 1


def test_fields_and_properties_declare_columns() -> None:
    columns = TableColumns(*columns_of(_Row), ("far", "int64", lambda row: row.first_offset + 100))
    assert columns.to_table(
        [_Row(1, "a", is_simple=True, parts=(1, 2)), _Row(3, "b", is_simple=False, parts=None)]
    ).to_pylist() == [
        {"firstOffset": 1, "simple": True, "parts": 2, "nextOffset": 2, "far": 101},
        {"firstOffset": 3, "simple": False, "parts": None, "nextOffset": 4, "far": 103},
    ]
    joined = [*columns_of(_Row, "each", to="is_simple"), *columns_of(_Row, "each", after="parts")]
    assert [column.name for column in joined] == ["firstOffset", "simple", "nextOffset"]
    assert [column.value for column in joined] == ["each.first_offset", "each.is_simple", "each.next_offset"]
    assert [column.name for column in columns_of(_Row, only=("next_offset", "first_offset"))] == [
        "nextOffset",
        "firstOffset",
    ]


def test_columns_of_an_object_that_is_not_there_are_null() -> None:
    columns = TableColumns(*columns_of(_Row, "each", optional=True), ("number", "int64", "number"))
    row = _Row(1, "a", is_simple=True, parts=(1, 2))
    assert columns.row(SimpleNamespace(each=row, number=0)) == (1, True, 2, 2, 0)
    assert columns.row(SimpleNamespace(each=None, number=0)) == (None, None, None, None, 0)
    assert [column.is_optional for column in columns.columns] == [True, True, True, True, False]
