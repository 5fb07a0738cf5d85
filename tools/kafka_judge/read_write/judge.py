"""Kaitai's read-write classes of the specs: what they read they write back, byte for byte.

They read all golden segments, indexes and producer snapshots up to a size; and random batches of BatchBuilder,
their records too, after decompression. So the specs alone say how every byte that kafkafmt writes is laid out. A
file that these classes refuse must be one that the generated parsers refuse as well.
"""

import argparse
import importlib
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kaitaistruct import BytesIO, KaitaiStream, KaitaiStructError

from class_path import TOOLS, ToolError, fetched_jars, tool
from kafka_judge.verdict import Verdict
from kafka_judge.writing import questions
from kafkafmt import KafkafmtError
from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.limits import Limits
from kafkafmt.logdir.tier_names import parse_object_name
from kafkafmt.reference.layout import RECORD_BATCH_OVERHEAD

BATCHES = 1000
LARGEST = 40_000
GOLDEN = TOOLS.parent / "tests" / "golden"
_PACKAGE = "kafkafmt_specs_read_write"
_SPECS = {
    ".log": "kafka_log_segment",
    ".index": "kafka_offset_index",
    ".timeindex": "kafka_time_index",
    ".txnindex": "kafka_transaction_index",
    ".snapshot": "kafka_producer_snapshot",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--batches", type=int, default=BATCHES, help="number of batches (%(default)s)")
    parser.add_argument("--largest", type=int, default=LARGEST, metavar="BYTES", help="of a file (%(default)s)")


def judge(options: argparse.Namespace) -> Verdict:
    """Compile the read-write classes, then read and write all files and batches with them.

    Raises:
        ToolError: a tool is missing or fails.
    """
    with tempfile.TemporaryDirectory(prefix="kafkafmt-judge-") as scratch:
        _compile(Path(scratch, _PACKAGE))
        sys.path.insert(0, scratch)
        found = list(_golden(options.largest))
        found += _batches(random.Random(options.seed), options.batches)
        findings = [f"{name}: {said}" for name, spec, data in found if (said := _difference(spec, data))]
        refused = sum(_refused("kafkafmt_specs", spec, data) for _, spec, data in found)
    golden = len(found) - sum(name.startswith("batch ") for name, _, _ in found)
    if not golden or refused > golden // 10:
        raise ToolError(f"of {golden} golden files {refused} are refused")
    size = sum(len(data) for _, _, data in found)
    return Verdict(f"{golden} files, {options.batches} batches, {size} bytes, {refused} refused by both", findings)


def _compile(out: Path) -> None:
    out.mkdir()
    (out / "__init__.py").touch()
    jars = fetched_jars(TOOLS / "ksc", "kaitai-struct-compiler_2.13")
    command = [tool("java"), "-XX:TieredStopAtLevel=1", "-cp", str(jars / "*"), "io.kaitai.struct.JavaMain"]
    specs = map(str, sorted((TOOLS.parent / "formats").glob("*.ksy")))
    options = ["-t", "python", "--read-write", "--python-package", ".", "-d", str(out)]
    done = subprocess.run([*command, *options, *specs], capture_output=True, encoding="utf-8", check=False)
    if done.returncode or done.stdout or done.stderr:
        raise ToolError(f"the Kaitai Struct compiler:\n{done.stdout}{done.stderr}")


def _golden(largest: int) -> Iterator[tuple[str, str, bytes]]:
    for path in sorted(GOLDEN.rglob("*")):
        spec = _SPECS.get(path.suffix)
        if parse_object_name(path.name) is not None:
            continue  # in a tier: may be encrypted or compressed
        if spec is not None and path.is_file() and path.stat().st_size <= largest:
            yield str(path.relative_to(GOLDEN)), spec, path.read_bytes()


def _batches(chosen: random.Random, count: int) -> Iterator[tuple[str, str, bytes]]:
    for number in range(count):
        batch = questions.batch(chosen)
        try:
            data = batch.build()
        except (ValueError, KafkafmtError):
            continue
        name = f"batch {number}"
        yield name, "kafka_log_segment", data
        codec = Compression[batch.compression.upper()]
        if data and batch.message_format == 2 and codec != Compression.NONE:
            records = decompress(codec, data[RECORD_BATCH_OVERHEAD:], magic=2, limits=Limits())
            yield f"{name}, decompressed", "kafka_records", records


def _difference(spec: str, data: bytes) -> str | None:
    try:
        parsed = _read(_PACKAGE, spec, data)
    except (KaitaiStructError, EOFError, ValueError) as error:
        return None if _refused("kafkafmt_specs", spec, data) else f"only the read-write class refuses it: {error}"
    parsed._check()  # noqa: SLF001 - Kaitai calls them so
    written = KaitaiStream(BytesIO(bytearray(len(data))))
    parsed._write(written)  # noqa: SLF001
    again = bytes(written.to_byte_array())
    if again == data:
        return None
    at = next((at for at, pair in enumerate(zip(data, again, strict=False)) if pair[0] != pair[1]), len(again))
    return f"wrote {len(again)} of {len(data)} bytes, different from byte {at}"


def _refused(package: str, spec: str, data: bytes) -> bool:
    try:
        _read(package, spec, data)
    except (KaitaiStructError, EOFError, ValueError):
        return True
    return False


def _read(package: str, spec: str, data: bytes) -> Any:  # noqa: ANN401 - generated
    module = importlib.import_module(f"{package}.{spec}")
    parsed = getattr(module, "".join(word.capitalize() for word in spec.split("_")))(KaitaiStream(BytesIO(data)))
    if package == _PACKAGE:
        parsed._read()  # noqa: SLF001
    parsed._fetch_instances()  # noqa: SLF001
    return parsed
