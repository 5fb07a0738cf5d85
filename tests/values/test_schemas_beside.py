"""`_schemas` beside the scanned logs: unreadable, or used to decide whether bytes name schemas."""

import json
import shutil
import struct
from pathlib import Path

import pyarrow as pa
import pytest

import kafkafmt as library
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.unprivileged import readable_directory, run_as_nobody
from tests.values.golden_values import unpack

ONE = "crm.people-0"
EMPTY = "the schemas cannot be read: {}: the directory has no log file. Name another source of them by --schemas"
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "typed" / "log-dir"


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("registry", tmp_path_factory.mktemp("registry"))


@pytest.fixture
def without_files(registry: Path, tmp_path: Path) -> Path:
    """A log directory whose `_schemas-0` is empty."""
    shutil.copytree(registry / ONE, tmp_path / "data" / ONE)
    (tmp_path / "data" / "_schemas-0").mkdir()
    return tmp_path / "data"


@pytest.mark.parametrize("of", ["", ONE])
def test_an_unreadable_topic_is_named(without_files: Path, of: str, kafkafmt: Call) -> None:  # noqa: F811
    options = ("--topic", "crm.people", "--limit", 1, "--columns", "offset,value")
    expected = EMPTY.format(without_files / "_schemas-0")
    answer = kafkafmt("cat", without_files / of, *options, "--value-format", "auto")
    assert (answer.status, len(answer.lines)) == (1, 2)
    assert "the values are bytes, because they name schemas that cannot be read" in answer.stderr
    assert answer.stderr.count(expected) == 1
    for form in ("avro", "protobuf", "json"):
        named = kafkafmt("cat", without_files / of, *options, "--value-format", form)
        assert named.status == 1
        assert named.stderr.count(expected) == 1
    assert "the values are not JSON, because they name schemas that cannot be read" in named.stderr
    # Text keys and stored bytes need no schemas.
    for option in (("--key-format", "auto"), ("--value-format", "bytes")):
        alone = kafkafmt("cat", without_files / of, *options, *option)
        assert (alone.status, alone.stderr) == (0, "")


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--schema", "crm.people-value"),
        ("--schema", "crm.people-value:1"),
        ("--record", "Person"),
    ],
)
def test_it_is_named_where_a_schema_is_chosen(without_files: Path, option: str, name: str, kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("cat", without_files, "--topic", "crm.people", "--value-format", "auto", option, name)
    assert answer.status == 3
    assert f"there are: none; {EMPTY.format(without_files / '_schemas-0')}" in answer.stderr


def test_it_is_named_for_sizes_by_a_field(without_files: Path, kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("space", without_files, "--topic", "crm.people", "--by", "value:price")
    assert "crm.people: the values are bytes, because they name schemas that cannot be read" in answer.stderr


def test_a_copy_that_cannot_be_read_hides_none_in_another_log_directory(
    registry: Path,
    without_files: Path,
    tmp_path: Path,
    kafkafmt: Call,  # noqa: F811
) -> None:
    shutil.copytree(registry / "_schemas-0", tmp_path / "other" / "_schemas-0")
    shutil.copytree(registry / ONE, tmp_path / "other" / "crm.people-1")
    sources = without_files / ONE, tmp_path / "other" / "crm.people-1"
    reason = f"{without_files / '_schemas-0'}: the directory has no log file"
    options = ("--columns", "offset,value", "--value-format", "auto")
    answer = kafkafmt("cat", *sources, "--limit", 1, *options)
    assert answer.status == 1
    assert [line.split()[0] for line in answer.lines] == ["offset", "0"]
    assert f"left out, and some schemas may be missing: {reason}" in answer.stderr
    out = tmp_path / "extract"
    redacted = kafkafmt("extract", *sources, "--out", out, "--redact", "value:price")
    assert (redacted.status, (out / ONE).is_dir()) == (1, True)
    assert f"a copy of the schemas was left out: {reason}" in redacted.stderr
    # In complete log directories a directory without files is not a partition.
    whole = kafkafmt("cat", without_files, tmp_path / "other", "--topic", "crm.people", "--limit", 1, *options)
    assert (whole.status, whole.lines, whole.stderr) == (0, answer.lines, "")


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_topic_without_permission_is_named(registry: Path, is_alone: bool) -> None:
    with readable_directory() as root:
        one = root / "a" / ONE
        for log_dir, record in (("a", ONE), ("b", "crm.people-1")):
            shutil.copytree(registry / ONE, root / log_dir / record)
            shutil.copytree(registry / "_schemas-0", root / log_dir / "_schemas-0")
        for path in root.rglob("*"):
            path.chmod(0o755)
        (root / "a" / "_schemas-0").chmod(0)
        sources = [str(one)] if is_alone else [str(one), str(root / "b" / "crm.people-1")]
        read = f"import kafkafmt; scan = kafkafmt.scan({sources!r}).without_warnings().decode(); scan.to_table()"
        before = f"import kafkafmt; kafkafmt.scan({str(registry / ONE)!r}).without_warnings().decode().to_table()"
        found = run_as_nobody(f"{read}; print(*scan.notes, scan.schema.field('value').type, sep='\\n')", before=before)
    assert found.returncode == 0, found.stderr
    assert ("the schemas cannot be read: " if is_alone else "copies of the schemas are left out") in found.stdout
    assert "ermission" in found.stdout
    assert ("struct<" in found.stdout) != is_alone


def keyed(directory: Path, keys: list[bytes]) -> Path:
    columns = {"topic": ["pairs"] * len(keys), "partition": [0] * len(keys), "timestamp": [0] * len(keys)}
    library.write(pa.table({**columns, "key": pa.array(keys), "value": pa.array(keys)}), directory)
    return directory


@pytest.mark.parametrize(
    ("keys", "hinted"),
    [
        ([struct.pack(">ii", number, 7) for number in range(1, 9)], False),
        ([struct.pack(">iii", number, 7, 7) for number in range(1, 9)], False),
        ([struct.pack(">iii", 1, number, 7) for number in range(8)], False),
        ([struct.pack(">ih", number, 7) for number in range(1, 9)], False),
        ([struct.pack(">i", number) for number in range(1, 9)], False),
        ([struct.pack(">xi", 3) + b"x" * number for number in range(1, 9)], True),
        ([struct.pack(">xi", 3) + b"x" * number for number in (5, 9)], True),
    ],
)
def test_numbers_are_no_schema_ids(keys: list[bytes], hinted: bool, tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    log_dir = keyed(tmp_path / "data", keys)
    answer = kafkafmt("cat", log_dir)
    assert answer.status == 0
    assert ("name schemas" in answer.stderr) == hinted
    # The registry of this cluster has the ids 1 to 4, none of 1,000 and more.
    shutil.copytree(EXAMPLE / "_schemas-0", log_dir / "_schemas-0")
    assert ("name schemas" in kafkafmt("cat", log_dir).stderr) == hinted
    others = keyed(tmp_path / "others", [bytes([0, 0, 9]) + key[3:] + b"more" for key in keys])
    shutil.copytree(EXAMPLE / "_schemas-0", others / "_schemas-0")
    assert ("name schemas" in kafkafmt("cat", others).stderr) == hinted


@pytest.mark.parametrize(("ids", "hinted"), [((30,), False), ((30, 30), True), ((30, 30, 31), False), ((1,), True)])
def test_few_values_name_schemas_that_are_known_or_repeat(
    ids: tuple[int, ...],
    hinted: bool,
    tmp_path: Path,
    kafkafmt: Call,  # noqa: F811
) -> None:
    log_dir = keyed(tmp_path / "data", [struct.pack(">xi", id_) + b"x" * size for size, id_ in enumerate(ids, 4)])
    shutil.copytree(EXAMPLE / "_schemas-0", log_dir / "_schemas-0")
    assert ("name schemas" in kafkafmt("cat", log_dir).stderr) == hinted


def test_values_whose_schemas_are_gone_name_schemas(registry: Path, kafkafmt: Call) -> None:  # noqa: F811
    assert "the values name schemas" in kafkafmt("cat", registry, "--topic", "crm.gone").stderr
    assert "name schemas" not in kafkafmt("cat", registry, "--topic", "crm.unknown").stderr


def test_topics_are_shown_by_the_schemas_around_a_partition(registry: Path, kafkafmt: Call) -> None:  # noqa: F811
    whole = kafkafmt("schemas", registry, "--show", "topics", "-o", "jsonl")
    of_partition = [line for line in whole.lines if json.loads(line)["topic"] == "crm.people"]
    assert json.loads(of_partition[-1])["subjects"]
    for named in (ONE, f"{ONE}/00000000000000000000.log"):
        assert kafkafmt("schemas", registry / named, "--show", "topics", "-o", "jsonl").lines == of_partition, named
    early = kafkafmt("schemas", registry / ONE, "--show", "topics", "-o", "jsonl", "--at-offset", 1)
    assert [json.loads(line)["subjects"] for line in early.lines] == [[]] * len(of_partition)


def test_topics_are_shown_where_the_schemas_around_a_partition_cannot_be_read(
    without_files: Path,
    kafkafmt: Call,  # noqa: F811
) -> None:
    answer = kafkafmt("schemas", without_files / ONE, "--show", "topics", "-o", "jsonl")
    assert (answer.status, {json.loads(line)["framing"] for line in answer.lines}) == (1, {"none", "confluent"})
    expected = f"some schemas cannot be read: {without_files / '_schemas-0'}: the directory has no log file"
    assert answer.stderr.count(expected) == 1
