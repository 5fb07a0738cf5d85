"""Damage that disks, crashes and operators do to log directories, chosen by a seeded generator."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from startup_proof.nodes import Disks

MARK = ".kafka_cleanshutdown"
RECOVERY_POINTS = "recovery-point-offset-checkpoint"
LOG_STARTS = "log-start-offset-checkpoint"
HIGH_WATERMARKS = "replication-offset-checkpoint"

Damage = Callable[[Random, Path], str | None]
"""Damages a partition directory or a log directory; returns a description, or None if there is nothing to damage."""


def damage(random: Random, log_dirs: Sequence[Path]) -> list[str]:
    """Damage log directories of a stopped broker in some places; returns descriptions of the damage."""
    filled = _filled(log_dirs)
    random.shuffle(filled)
    done = [random.choice(_OF_PARTITIONS)(random, path) for path in filled[: random.randint(3, 6)]]
    if random.random() < 0.5:  # damage in early segments then counts, too: a start reads them, and deletes later ones
        done += [_rewind(log_dir) for log_dir in log_dirs]
    if random.random() < 0.6:
        done.append(random.choice(_HARMLESS_OF_LOG_DIRS)(random, random.choice(log_dirs)))
    if random.random() < 0.25:
        done.append(random.choice(_OF_LOG_DIRS)(random, random.choice(log_dirs)))
    return [each for each in done if each is not None]


def damage_nodes(random: Random, disks: Disks, older: Disks) -> list[str]:
    """Damage the disks of a cluster in some places; returns descriptions of the damage.

    Args:
        random: source of all random choices.
        disks: disks of all nodes.
        older: disks of the same nodes at an earlier time.
    """
    if len(disks.nodes) == 1:
        return damage(random, disks.log_dirs(1))
    done = []
    for fault in random.sample(_OF_NODES, random.randint(1, 3)):
        node = random.choice(sorted(disks.nodes))
        done += [f"n{node}: {text}" for text in fault(random, disks, older, node)]
    return done


def _filled(log_dirs: Sequence[Path]) -> list[Path]:
    """Partitions with records, by name: which log directory holds a partition differs between runs."""
    found = (
        path
        for log_dir in log_dirs
        for path in log_dir.iterdir()
        if path.is_dir() and not path.name.startswith("__cluster_metadata")
    )
    return sorted(
        (each for each in found if any(file.stat().st_size for file in _logs(each))), key=lambda one: one.name
    )


def _logs(path: Path) -> list[Path]:
    return sorted(path.glob("*.log"))


def _one(random: Random, files: Sequence[Path]) -> Path | None:
    return random.choice(files) if files else None


def _flip(random: Random, file: Path | None) -> str | None:
    if file is None or not file.stat().st_size:
        return None
    data = bytearray(file.read_bytes())
    position, bit = random.randrange(len(data)), random.randrange(8)
    data[position] ^= 1 << bit
    file.write_bytes(data)
    return f"bit {bit} of byte {position} flipped in {_name(file)}"


def _flip_last(random: Random, path: Path) -> str | None:
    return _flip(random, _logs(path)[-1])


def _flip_earlier(random: Random, path: Path) -> str | None:
    return _flip(random, _one(random, _logs(path)[:-1]))


def _cut(random: Random, path: Path) -> str | None:
    file = _logs(path)[-1]
    data = file.read_bytes()
    keep = random.randrange(len(data)) if data else 0
    file.write_bytes(data[:keep])
    return f"{_name(file)} cut from {len(data)} to {keep} bytes"


def _tail(random: Random, path: Path) -> str | None:
    file = _logs(path)[-1]
    count = random.randint(1, 200)
    kind = random.choice(["zeros", "garbage", "last bytes zeroed"])
    data = file.read_bytes()
    if kind == "last bytes zeroed":
        count = min(count, len(data))
        data = data[: len(data) - count] + bytes(count)
    else:
        data += bytes(count) if kind == "zeros" else random.randbytes(count)
    file.write_bytes(data)
    return f"{kind}, {count}, at the end of {_name(file)}"


def _length(random: Random, path: Path) -> str | None:
    file = random.choice(_logs(path))
    data = bytearray(file.read_bytes())
    positions = [0] if data else []
    while positions and positions[-1] + 12 <= len(data):
        positions.append(positions[-1] + 12 + int.from_bytes(data[positions[-1] + 8 : positions[-1] + 12], "big"))
    if len(positions) < 2:
        return None
    at = random.choice(positions[:-1])
    length = random.choice([-7, 0, 5, 20, 60, len(data), 2**31 - 1])
    data[at + 8 : at + 12] = length.to_bytes(4, "big", signed=True)
    file.write_bytes(data)
    return f"length {length} in the batch at {at} of {_name(file)}"


def _index(random: Random, path: Path) -> str | None:
    file = _one(random, sorted(file for kind in ("index", "timeindex", "txnindex") for file in path.glob(f"*.{kind}")))
    if file is None:
        return None
    kind = random.choice(["cut", "garbage", "removed"])
    data = file.read_bytes()
    if kind == "removed":
        file.unlink()
    elif kind == "cut":
        file.write_bytes(data[: random.randrange(len(data) + 1)])
    else:
        count = random.randint(1, 60)
        at = random.randrange(max(1, len(data) - count))
        file.write_bytes(data[:at] + random.randbytes(count) + data[at + count :])
    return f"{kind}: {_name(file)}"


def _segment(random: Random, path: Path) -> str | None:
    file = random.choice(_logs(path))
    whole = random.random() < 0.5
    for one in path.glob(f"{file.stem}.*") if whole else [file]:
        one.unlink()
    return f"{'segment' if whole else 'log file'} removed: {_name(file)}"


def _snapshot(random: Random, path: Path) -> str | None:
    file = _one(random, sorted(path.glob("*.snapshot")))
    if file is not None and random.random() < 0.5:
        file.unlink()
        return f"removed: {_name(file)}"
    return _flip(random, file)


def _epochs(random: Random, path: Path) -> str | None:
    file = path / "leader-epoch-checkpoint"
    if not file.exists():
        return None
    text = random.choice([None, "", "0\n0\n", "0\n1\n7 5\n", "0\n1\n0 99999\n", "nonsense\n"])
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    return f"{_name(file)}: {text!r}"


def _metadata(random: Random, path: Path) -> str | None:
    file = path / "partition.metadata"
    text = random.choice(
        [
            None,
            "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAFw",
            "",
            "nonsense",
            "version: 0\n",
            "version: 0\ntopic_id: AAAA",
        ]
    )
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    return f"{_name(file)}: {text!r}"


_OF_LOGS: tuple[Damage, ...] = (_flip_last, _flip_earlier, _cut, _tail, _length, _index, _index, _segment, _snapshot)
_OF_PARTITIONS: tuple[Damage, ...] = (*_OF_LOGS, *_OF_LOGS, _epochs, _metadata, _metadata)


def _unmarked(_: Random, log_dir: Path) -> str | None:
    mark = log_dir / MARK
    if not mark.exists():
        return None
    mark.unlink()
    return f"removed: {_name(mark)}"


def _from_zero(random: Random, log_dir: Path) -> str | None:
    """Change the recovery points, log starts or high watermarks in a checkpoint: 0, past the end, or missing."""
    file = log_dir / random.choice([RECOVERY_POINTS, RECOVERY_POINTS, LOG_STARTS, HIGH_WATERMARKS])
    if not file.exists() or not file.stat().st_size:  # the broker creates empty checkpoints, and fills them later
        return None
    version, _, *lines = file.read_text().splitlines()
    offset = 0 if file.name == RECOVERY_POINTS and random.random() < 0.7 else random.choice([0, 40, 99999])
    kept = [f"{line.rpartition(' ')[0]} {offset}" if random.random() < 0.5 else line for line in lines]
    kept = [line for line in kept if line.startswith("__cluster") or random.random() < 0.9]
    file.write_text("".join(f"{line}\n" for line in [version, str(len(kept)), *kept]))
    return f"{_name(file)}: some at {offset}, {len(lines) - len(kept)} missing"


def _rewind(log_dir: Path) -> str | None:
    (log_dir / RECOVERY_POINTS).unlink(missing_ok=True)
    return f"removed: {log_dir.name}/{RECOVERY_POINTS}"


def _no_checkpoint(random: Random, log_dir: Path) -> str | None:
    file = log_dir / random.choice([RECOVERY_POINTS, LOG_STARTS, HIGH_WATERMARKS])
    file.unlink(missing_ok=True)
    return f"removed: {_name(file)}"


def _garbage_checkpoint(random: Random, log_dir: Path) -> str | None:
    file = log_dir / random.choice([RECOVERY_POINTS, LOG_STARTS, HIGH_WATERMARKS])
    file.write_bytes(random.randbytes(30))
    return f"garbage: {_name(file)}"


def _properties(random: Random, log_dir: Path) -> str | None:
    file = log_dir / "meta.properties"
    name = random.choice([None, "cluster.id", "node.id", "directory.id"])
    if name is None:
        file.unlink()
        return f"removed: {_name(file)}"
    kept = [line for line in file.read_text().splitlines(keepends=True) if not line.startswith(name)]
    other = {"cluster.id": "KC8348jGne7cJeJzl0Pa9Q", "node.id": "77", "directory.id": "3kI2xyeL3XHRmskt5qVpmw"}[name]
    file.write_text("".join([*kept, f"{name}={other}\n"]))
    return f"another {name} in {_name(file)}"


def _small_file(random: Random, log_dir: Path) -> str | None:
    """Damage a file that every start reads, in the log directory or in its metadata log."""
    names = ("bootstrap.checkpoint", "__cluster_metadata-0/quorum-state", "__cluster_metadata-0/partition.metadata")
    file = _one(random, [log_dir / name for name in names if (log_dir / name).is_file()])
    if file is None:
        return None
    how = random.choice(["removed", "emptied", "a flipped bit"])
    if how == "removed":
        file.unlink()
    elif how == "emptied":
        file.write_bytes(b"")
    else:
        return _flip(random, file)
    return f"{how}: {_name(file)}"


def _moved(random: Random, log_dir: Path) -> str | None:
    """Simulate a move into this directory that the controller has recorded, but the broker has not completed."""
    path = _one(random, _filled([log_dir]))
    others = sorted(
        each for each in log_dir.parent.iterdir() if each != log_dir and (each / "meta.properties").is_file()
    )
    if path is None:
        return None
    if others and random.random() < 0.5:
        shutil.copytree(path, random.choice(others) / path.name)
    path.rename(path.with_name(f"{path.name}.{random.randbytes(16).hex()}-future"))
    return f"renamed -future: {_name(path)}"


def _set_aside(random: Random, log_dir: Path) -> str | None:
    """Rename a directory, or copy a file, as an operator might."""
    path = _one(random, _filled([log_dir]))
    if path is None:
        return None
    if random.random() < 0.5:
        path.rename(path.with_name(f"{path.name}-{random.choice(['delete', 'stray', 'future'])}"))
    else:
        (path / f"copy.{random.choice(['snapshot', 'log', 'index', 'txt'])}").write_bytes(b"")
    return f"renamed, or a copy in it: {_name(path)}"


_HARMLESS_OF_LOG_DIRS: tuple[Damage, ...] = (_unmarked, _from_zero, _from_zero, _no_checkpoint, _moved, _moved)
_OF_LOG_DIRS: tuple[Damage, ...] = (_garbage_checkpoint, _properties, _small_file, _small_file, _set_aside)


NodeDamage = Callable[[Random, Disks, Disks, int], list[str]]
"""Damages the disks of a node; takes the disks of all nodes, those of an earlier time, and the node."""


def _some(random: Random, disks: Disks, node: int, count: int) -> list[Path]:
    filled = _filled(disks.log_dirs(node))
    return random.sample(filled, min(count, len(filled)))


def _torn_tails(random: Random, disks: Disks, _: Disks, node: int) -> list[str]:
    done = [random.choice((_cut, _tail))(random, path) for path in _some(random, disks, node, 2)]
    return [each for each in done if each]


def _scattered(random: Random, disks: Disks, _: Disks, node: int) -> list[str]:
    return damage(random, disks.log_dirs(node))


def _last_segments(random: Random, disks: Disks, _: Disks, node: int) -> list[str]:
    done = []
    for path in _some(random, disks, node, 3):
        if len(logs := _logs(path)) > 1:
            for file in path.glob(f"{logs[-1].stem}.*"):
                file.unlink()
            done.append(f"last segment lost: {_name(logs[-1])}")
    return done


def _restored(_: Random, disks: Disks, older: Disks, node: int) -> list[str]:
    for path, before in zip(disks.log_dirs(node), older.log_dirs(node), strict=True):
        shutil.rmtree(path)
        shutil.copytree(before, path, symlinks=True)
    return ["restored from an older snapshot"]


def _topic_ids(random: Random, disks: Disks, _: Disks, node: int) -> list[str]:
    done = []
    for path in _some(random, disks, node, 2):
        (path / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAFw")
        done.append(f"another topic id: {_name(path / 'partition.metadata')}")
    return done


def _metadata_log(_: Random, disks: Disks, __: Disks, node: int) -> list[str]:
    shutil.rmtree(disks.log_dirs(node)[0] / "__cluster_metadata-0", ignore_errors=True)
    return ["metadata log lost"]


def _swapped(random: Random, disks: Disks, _: Disks, node: int) -> list[str]:
    other = random.choice([each for each in sorted(disks.nodes) if each != node])
    one, two = disks.log_dirs(node)[-1], disks.log_dirs(other)[-1]
    if (one / "__cluster_metadata-0").is_dir() or (two / "__cluster_metadata-0").is_dir():
        return []
    aside = one.with_name("aside")
    one.rename(aside)
    two.rename(one)
    aside.rename(two)
    if random.random() < 0.5:
        return [f"{one.name} swapped with that of n{other}"]
    texts = (one / "meta.properties").read_bytes(), (two / "meta.properties").read_bytes()
    (two / "meta.properties").write_bytes(texts[0])
    (one / "meta.properties").write_bytes(texts[1])
    return [f"{one.name} swapped with that of n{other}, but for meta.properties"]


def _checkpoints(random: Random, disks: Disks, _: Disks, node: int) -> list[str]:
    log_dir = random.choice(disks.log_dirs(node))
    for file in log_dir.glob("*-checkpoint"):
        file.unlink()
    return [f"all checkpoints lost: {log_dir.name}"]


_OF_NODES: tuple[NodeDamage, ...] = (
    _torn_tails,
    _scattered,
    _last_segments,
    _restored,
    _topic_ids,
    _metadata_log,
    _swapped,
    _checkpoints,
)


def _name(file: Path) -> str:
    """Path of a file in a log directory or a partition directory, from the log directory on."""
    parent = file.parent
    return f"{parent.name}/{file.name}" if (parent / "meta.properties").exists() else "/".join(file.parts[-3:])
