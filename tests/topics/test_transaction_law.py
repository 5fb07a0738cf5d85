"""Any bytes in logs, markers, snapshots and records of `__transaction_state` give an answer or a KafkafmtError."""

import random
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import KafkafmtError
from kafkafmt.topics.producer_state import producers
from kafkafmt.topics.transaction_state import transactions
from tests.golden_cases import GOLDEN
from tests.hostile.law import obeys
from tests.reference.builder import R
from tests.topics.transaction_state.coordinator_logs import Told, key, value, write_state

DIRECTORIES = (
    "modern/04-transactions-4.3.1/log-dir/tx-0",
    "modern/04-transactions-3.9.1/log-dir/__transaction_state-1",
    "modern/05-compacted-4.3.1/log-dir/comp-txn-0",
    "legacy/transactions-1.1.1/log-dir/tx-0",
)
KINDS = (".log", ".snapshot")
MUTATIONS = 60


def all_answers(source: Path) -> None:
    """Ask every question; require that resulting tables are valid."""
    for on_damage in ("raise", "skip"):
        answers: tuple[Any, ...] = (
            lambda on_damage=on_damage: producers(source, on_damage=on_damage).to_table(),
            lambda on_damage=on_damage: producers(source, state_from="snapshot", on_damage=on_damage).to_table(),
            lambda on_damage=on_damage: transactions(source, data="all", on_damage=on_damage).data_table(),
            lambda on_damage=on_damage: transactions(source, on_damage=on_damage).to_table(),
        )
        for answer in answers:
            table = obeys(answer)
            if not isinstance(table, KafkafmtError):
                table.validate(full=True)


def mend(path: Path, data: bytearray) -> None:
    """Recompute CRCs, so that the damage is not detected by them."""
    if path.suffix == ".snapshot" and len(data) >= 6:
        struct.pack_into(">I", data, 2, crc32c(data[6:]))
    position = 0
    while path.suffix == ".log" and position + 61 <= len(data):
        (size,) = struct.unpack_from(">i", data, position + 8)
        if not 49 <= size <= len(data) - position - 12:
            return
        struct.pack_into(">I", data, position + 17, crc32c(data[position + 21 : position + 12 + size]))
        position += 12 + size


@pytest.mark.slow
@pytest.mark.parametrize("directory", DIRECTORIES)
def test_mutated_files(directory: str, tmp_path: Path) -> None:
    chosen = random.Random(directory)
    copy = tmp_path / Path(directory).name
    shutil.copytree(GOLDEN / directory, copy)
    files = [path for path in sorted(copy.iterdir()) if path.suffix in KINDS and path.stat().st_size]
    assert files
    for number in range(MUTATIONS):
        path = files[number % len(files)]
        sound = path.read_bytes()
        data = bytearray(sound)
        for _ in range(chosen.choice((1, 2, 8))):
            data[chosen.randrange(len(data))] = chosen.choice(
                (0, 1, 0x20, 0x30, 0x7F, 0x80, 0xFF, chosen.randrange(256))
            )
        if chosen.random() < 0.2:
            del data[chosen.randrange(len(data)) :]
        if number % 2:
            mend(path, data)
        path.write_bytes(data)
        all_answers(copy)
        path.write_bytes(sound)


@given(data=st.data(), how=st.sampled_from(["key", "value"]))
def test_mutated_records(data: st.DataObject, how: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    sound = Told("an id", 7, partitions={"t": [0, 1], "s": [2]})
    packed = bytearray((key(sound) if how == "key" else value(sound)) or b"")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(packed) - 1))
        packed[at] = data.draw(st.integers(0, 255))
    kept = bytes(packed[: data.draw(st.just(len(packed)) | st.integers(0, len(packed)))])
    record = R(key=kept, value=value(sound)) if how == "key" else R(key=key(sound), value=kept)
    directory = tmp_path_factory.getbasetemp() / "records"
    write_state(directory, Told("other"), record)
    answer = obeys(lambda: transactions(directory))
    if isinstance(answer, KafkafmtError):
        assert answer.file is not None
        assert answer.position is not None
    else:
        answer.to_table().validate(full=True)
    skipped = transactions(directory, on_damage="skip")
    assert "other" in {each.transactional_id for each in skipped.ids} or len(skipped.ids) == 1
