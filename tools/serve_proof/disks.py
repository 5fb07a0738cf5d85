"""The disks of the proof, golden and new ones, and the settings of the brokers that start on them."""

import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import environment
from class_path import kafka_class_path, tool
from cluster_proof import filled_cluster
from kafka_broker.broker import Broker, new_cluster_id
from proof_frame import ProofError

GOLDEN = environment.ROOT / "tests" / "golden"
SHOP = environment.ROOT / "docs" / "examples" / "shop" / "log-dir"

SETTINGS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
    "group.coordinator.rebalance.protocols": "classic,consumer,share,streams",
    **{
        f"group.{kind}.{name}session.timeout.ms": "600000"
        for kind in ("consumer", "share", "streams")
        for name in ("", "max.")
    },
    # Nothing on these disks expires, is deleted or cleaned, and no transaction times out.
    "log.initial.task.delay.ms": "36000000",
    "log.cleaner.enable": "false",
    "offsets.retention.check.interval.ms": "36000000",
    "offsets.retention.minutes": "2147483647",
    "producer.id.expiration.ms": "2147483647",
    "transactional.id.expiration.ms": "2147483647",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "36000000",
}

_BY_BOTH = (
    "01-codecs",
    "02-timestamps",
    "03-idempotent",
    "04-transactions",
    "05-compacted",
    "06-retention",
    "11-index-full",
)
_PARTITION = re.compile(r"(.+)-(\d+)")


@dataclass(frozen=True)
class Disk:
    """A disk that both servers get a copy of.

    Attributes:
        name: name for --disk.
        log_dirs: makes the log directories below a directory, and returns their names.
        settings: broker properties for this disk, in addition to the common ones.
    """

    name: str
    log_dirs: Callable[[Path], Sequence[str]]
    settings: Mapping[str, str] = field(default_factory=dict)


def _copied(*log_dirs: Path) -> Callable[[Path], Sequence[str]]:
    """The copied disks of a node."""

    def make(home: Path) -> Sequence[str]:
        for number, path in enumerate(log_dirs):
            shutil.copytree(path, home / f"log-dir-{number}")
        return [f"log-dir-{number}" for number in range(len(log_dirs))]

    return make


def _packed(archive: Path) -> Callable[[Path], Sequence[str]]:
    """The disks of a node from an archive."""

    def make(home: Path) -> Sequence[str]:
        _unpack(archive, home)
        found = [each.parent for each in home.rglob("meta.properties")]
        found.sort(key=lambda each: (not (each / "__cluster_metadata-0").is_dir(), each))
        return [str(each.relative_to(home)) for each in found]

    return make


def _unpack(archive: Path, home: Path) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(home, filter="fully_trusted")


def _filled(*, changed: bool) -> Callable[[Path], Sequence[str]]:
    """The disks of the proof "cluster": after its crash, or after all later changes."""

    def make(home: Path) -> Sequence[str]:
        with Broker(home, filled_cluster.SETTINGS, log_dirs=2) as broker:
            with filled_cluster.filled(broker):
                broker.kill()
            if changed:
                broker.start()
                filled_cluster.change(broker)
                broker.stop()
            return [each.name for each in broker.log_dirs]

    return make


def _logs(*sources: str, clean: bool = True) -> Callable[[Path], Sequence[str]]:
    """Logs of golden cases without a metadata log, in one log directory for node 1 that knows their topics.

    Args:
        sources: directories and archives in tests/golden; with several cases, topics begin with the case's name.
        clean: whether the directory has the marker file of a clean shutdown.
    """

    def make(home: Path) -> Sequence[str]:
        target = home / "log-dir"
        target.mkdir(parents=True)
        cases = {name.split("/")[1] for name in sources}
        offsets: dict[str, list[str]] = {}
        topics: dict[str, dict[int, Path]] = {}
        for name in sources:
            prefix = f"{name.split('/')[1]}." if len(cases) > 1 else ""
            source = GOLDEN / name
            if source.is_file():
                _unpack(source, home / "unpacked" / name.split("/")[1])
                source = home / "unpacked" / name.split("/")[1] / "log-dir"
            for path in sorted(source.iterdir()):
                if (named := _PARTITION.fullmatch(path.name)) and path.is_dir():
                    shutil.copytree(path, target / f"{prefix}{path.name}")
                    topics.setdefault(f"{prefix}{named[1]}", {})[int(named[2])] = target / f"{prefix}{path.name}"
            for file in source.glob("*-offset-checkpoint"):
                known = (f"{prefix}{line}" for line in file.read_text().splitlines()[2:])
                offsets.setdefault(file.name, []).extend(line for line in known if _is_there(target, line))
        for file_name, lines in offsets.items():
            (target / file_name).write_text("\n".join(["0", str(len(lines)), *lines, ""]))
        _format(target, topics)
        if clean:
            (target / ".kafka_cleanshutdown").write_text('{"version":0,"brokerEpoch":1}')
        return ["log-dir"]

    return make


def _is_there(target: Path, line: str) -> bool:
    """Whether the partition in a line of a checkpoint exists."""
    topic, number, _ = line.rsplit(" ", 2)
    return (target / f"{topic}-{number}").is_dir()


def _format(target: Path, topics: Mapping[str, Mapping[int, Path]]) -> None:
    """Format a log directory for node 1, with the ids and leader epochs of its topics."""
    lines = []
    for topic, paths in topics.items():
        if sorted(paths) != list(range(len(paths))):
            raise ProofError(f"{target} lacks partitions of {topic}")
        known = [each / "partition.metadata" for each in paths.values() if (each / "partition.metadata").exists()]
        found = re.search("topic_id: (.*)", known[0].read_text()) if known else None
        topic_id = found[1] if found else new_cluster_id()
        epochs = [0]
        for path in paths.values():
            (path / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")
            if (path / "leader-epoch-checkpoint").exists():
                known_epochs = (path / "leader-epoch-checkpoint").read_text().splitlines()[2:]
                epochs += [int(line.split(" ")[0]) for line in known_epochs]
        lines.append(f"{topic}\t{topic_id}\t{len(paths)}\t{max(epochs)}\n")
    plan = target.parent / "topics.tsv"
    plan.write_text("".join(lines), encoding="utf-8")
    command = [tool("java"), "-cp", kafka_class_path(), "FormatDisk", str(target), new_cluster_id(), str(plan)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProofError(f"FormatDisk fails:\n{done.stderr}")


_MODERN = (
    *(f"modern/{name}-{version}/log-dir" for version in ("3.9.1", "4.3.1") for name in _BY_BOTH),
    "modern/05b-cleaning-in-flight-4.3.1/log-dir/recovered",
    "modern/05c-swap-4.3.1/log-dir/recovered",
    "modern/07b-three-nodes-reconciled-4.3.1/log-dir/node-2",
    "modern/15-large-4.3.1/log-dir",
    "modern/16-storage-library-4.3.1/log-dir",
)
_CRASHED = (
    "modern/07-three-nodes-diverged-3.9.1/log-dir/node-1",
    "modern/12-crash-4.3.1/log-dir/original",
    "modern/14-running-4.3.1/log-dir",
)
_LEGACY = tuple(
    f"legacy/{name}/log-dir"
    for name in (
        "m0-big-offsets-0.9.0.1",
        "m0-codecs-0.8.1.1",
        "m0-codecs-0.9.0.1",
        "m0-compacted-0.9.0.1",
        "m0-snappy-xerial-0.9.0.1",
        "m1-big-offsets-0.10.2.2",
        "m1-codecs-0.10.0.1",
        "m1-codecs-0.10.2.2",
        "m1-compacted-0.10.2.2",
        "m1-foreign-clients-0.10.2.2",
        "m1-snappy-xerial-0.10.2.2",
        "converted-0.11.0.3",
        "mixed-magic-1.1.1",
        "mixed-magic-2.8.2",
        "transactions-0.11.0.3",
        "transactions-1.1.1",
        "upgrade-0.8.2.2-to-2.8.2",
    )
)
_OPERATIONS = tuple(
    f"operations/{name}-4.3.1/log-dir.tar.gz"
    for name in (
        "compaction-formats",
        "compaction-horizons-round-5",
        "compaction-plain",
        "compaction-producers",
        "compaction-random-round-2",
        "producers-crafted",
        "producers-gaps",
        "retention-crafted",
    )
)

DISKS = (
    Disk("shop", _copied(SHOP)),
    Disk("clean", _packed(GOLDEN / "startup/base/clean.tar.xz")),
    Disk("killed", _packed(GOLDEN / "startup/base/killed.tar.xz")),
    Disk("kraft-3.5", _packed(GOLDEN / "cluster/41-kraft-3x/before.tar.xz")),
    Disk("metadata-3.9", _copied(GOLDEN / "modern/10-cluster-metadata-3.9.1/log-dir")),
    Disk("metadata-4.3", _copied(GOLDEN / "modern/10-cluster-metadata-4.3.1/log-dir")),
    Disk("configs", _packed(GOLDEN / "operations/configs-from-metadata-4.3.1/log-dir.tar.gz")),
    Disk("modern", _logs(*_MODERN)),
    Disk("legacy", _logs(*_LEGACY)),
    Disk("operations", _logs(*_OPERATIONS)),
    Disk("names", _logs(*(f"modern/13-names-4.3.1/log-dir/dir-{each}" for each in (0, 1)), clean=False)),
    Disk("crash", _logs(*_CRASHED, clean=False)),
    Disk("groups-3.9", _logs("modern/08-consumer-groups-3.9.1/log-dir")),
    Disk("groups-4.3", _logs("modern/08-consumer-groups-4.3.1/log-dir")),
    Disk("groups-0.9", _logs("legacy/consumer-offsets-0.9.0.1/log-dir")),
    Disk("groups-1.1", _logs("legacy/consumer-offsets-1.1.1/log-dir")),
    Disk("groups-2.4", _logs("legacy/consumer-offsets-2.4.1/log-dir")),
    Disk("transactions-3.9", _logs("modern/04-transactions-3.9.1/log-dir")),
    Disk("transactions-4.3", _logs("modern/04-transactions-4.3.1/log-dir")),
    Disk("states-3.9", _logs("modern/09-transaction-state-3.9.1/log-dir")),
    Disk("states-4.3", _logs("modern/09-transaction-state-4.3.1/log-dir")),
    Disk("filled", _filled(changed=False)),
    Disk("changed", _filled(changed=True)),
)
