"""The error contract: any bytes in a metadata log or snapshot give a state or a KafkafmtError."""

import random
import shutil
from pathlib import Path

import pytest

from kafkafmt.errors import KafkafmtError
from kafkafmt.topics.cluster_metadata import metadata
from kafkafmt.topics.cluster_metadata.difference import differences, to_table
from kafkafmt.topics.cluster_metadata.sections import SECTIONS
from tests.golden_cases import cases
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID, record

LOG = (
    next(case for case in cases("modern") if case.name == "10-cluster-metadata-4.3.1").log_dir / "__cluster_metadata-0"
)

SOUND = [
    written.topic(),
    written.topic("b", OTHER_ID),
    written.partition(directories=[TOPIC_ID] * 3),
    written.change(isr=[1], leader=2, replicas=[1, 2, 3]),
    written.broker(logDirs=[TOPIC_ID], cordonedLogDirs=[]),
    record("BrokerRegistrationChangeRecord", 3, brokerId=1, brokerEpoch=10, fenced=-1, logDirs=[OTHER_ID]),
    record("BeginTransactionRecord", name="x"),
    record("EndTransactionRecord"),
    written.config("a", "1"),
    written.credential(),
    written.token(),
    record("FeatureLevelRecord", name="metadata.version", featureLevel=30),
    record("ProducerIdsRecord", brokerId=1, brokerEpoch=1, nextProducerId=1000),
    record("ClearElrRecord", topicName=""),
    record("RemoveTopicRecord", topicId=OTHER_ID),
]


@pytest.mark.parametrize("seed", range(8))
def test_mutated_records_of_every_kind(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    values = []
    for _ in range(300):
        value = bytearray(random_.choice(SOUND))
        if random_.random() < 0.7:
            for _ in range(random_.randint(1, 3)):
                value[random_.randrange(len(value))] = random_.choice(
                    [0, 1, 2, 0x7F, 0x80, 0xFF, random_.randrange(256)]
                )
        if random_.random() < 0.1:
            del value[random_.randrange(len(value)) :]
        values.append(bytes(value))
    written.node(tmp_path, 1, written.batch(0, *values))
    cluster = metadata(tmp_path)
    assert cluster.offset == 300
    for name in SECTIONS:
        assert cluster.to_table(name).num_rows >= 0
    assert to_table(differences(metadata(tmp_path, at_offset=150), cluster)).num_columns == 6
    assert cluster.ignored_count > 10
    assert all(each.error.file and each.error.position is not None for each in cluster.ignored_records)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_mutated_files(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    for number in range(10):
        directory = tmp_path / str(number) / "__cluster_metadata-0"
        shutil.copytree(LOG, directory)
        for _ in range(random_.randint(1, 4)):
            path = random_.choice(sorted(path for path in directory.iterdir() if path.stat().st_size))
            content = bytearray(path.read_bytes())
            place = random_.randrange(len(content))
            if random_.random() < 0.3:
                del content[place:]
            else:
                content[place] ^= 1 << random_.randrange(8)
            path.write_bytes(content)
        if random_.random() < 0.3:
            random_.choice(sorted(directory.iterdir())).unlink()
        for arguments in ({}, {"at_offset": random_.randrange(400)}, {"on_damage": "skip"}):
            try:
                cluster = metadata(directory, **arguments)
            except KafkafmtError as error:
                assert str(error)  # noqa: PT017
            else:
                assert cluster.to_table("cluster").num_rows == 1


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_as_a_snapshot(tmp_path: Path, seed: int) -> None:
    directory = written.node(tmp_path, 1, written.batch(0, written.topic()))
    path = directory / "00000000000000000001-0000000001.checkpoint"
    path.write_bytes(random.Random(seed).randbytes(500))
    cluster = metadata(tmp_path)
    assert list(cluster.topics) == ["orders"]
    assert len(cluster.damage) == 1
    with pytest.raises(KafkafmtError):
        metadata(path)


def test_the_greatest_offset(tmp_path: Path) -> None:
    written.node(tmp_path, 1, written.leader_change(0, 1, [1]), written.batch(2**63 - 1, written.topic()))
    cluster = metadata(tmp_path)
    assert cluster.offset == cluster.provenance.committed_offset == 2**63 - 1
    assert cluster.to_table("cluster").to_pylist()[0]["endOffset"] == 2**63 - 1
    assert list(cluster.topics) == ["orders"]
