"""Broken tiers: any objects give true records or a KafkafmtError, and what is skipped is reported."""

import base64
import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

import kafkafmt
from kafkafmt import DataError, KafkafmtError, SourceError
from kafkafmt.files import rsm_manifest
from tests.engines import load_kernels
from tests.golden_cases import TierCase, tier_case
from tests.hostile.changed_directory import Directory, Files, scratch
from tests.hostile.law import obeys
from tests.hostile.mutations import scramble
from tests.tiered_records import COLUMNS, Content, consumed

SEGMENTS = 2

# Small partitions: with transactions and a single chunk size, compressed, encrypted, both, and of plain files.
ORIGINALS = ((1, "payments.v1", 0), (3, "orders", 1), (4, "payments.v1", 0), (9, "orders", 0))
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2**31 - 1,
    2**31,
    2**63 - 1,
    -(2**63),
    10**30,
    0.5,
    "",
    "x",
    "1",
    [],
    {},
    [{}],
)

load_kernels()


@dataclass(frozen=True)
class Original(Directory):
    """Some segments of a partition and what the broker had of it."""

    case: TierCase
    true: dict[int, Content]

    @property
    def objects(self) -> list[str]:
        return [name for name in self.files if name.startswith("tier/")]

    @property
    def has_manifests(self) -> bool:
        """Whether something other than the log shows where a segment ends."""
        return any(name.endswith(".rsm-manifest") for name in self.objects)

    @cached_property
    def by_base(self) -> dict[str, list[int]]:
        """Offsets of the records of each segment of the tier, by its base offset as names have it."""
        told = (json.loads(self.files[name]) for name in self.objects if name.endswith(".rsm-manifest"))
        ranges = [
            (each["startOffset"], each["endOffset"]) for each in (one["remoteLogSegmentMetadata"] for one in told)
        ]
        return {f"{first:020d}": [each for each in self.true if first <= each <= last] for first, last in ranges}

    @property
    def is_sealed(self) -> bool:
        """Whether each byte of logs is authenticated: else a batch's base offset and leader epoch are not."""
        return bool(self.case.keys)


def original(number: int, topic: str, partition: int) -> Original:
    case, root = tier_case(number), scratch("tier")
    directory = next(
        path
        for path in case.tier.rglob("*")
        if path.is_dir() and (path.name.startswith(f"{topic}-{partition}-") or path.match(f"*/{topic}-*/{partition}"))
    )
    bases = sorted({path.name[:20] for path in directory.iterdir()})[:SEGMENTS]
    chosen = [path for path in directory.iterdir() if path.name[:20] in bases]
    chosen += [path for path in (case.log_dir / f"{topic}-{partition}").iterdir() if ".deleted" not in path.name]
    chosen += [path for path in case.log_dir.glob("__remote_log_metadata-*/*") if path.suffix != ".snapshot"]
    chosen += [path for path in case.log_dir.iterdir() if path.name.endswith("-offset-checkpoint")]
    for path in chosen:
        target = root / path.relative_to(case.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    true = {at[2]: content for at, content in consumed(case).items() if at[:2] == (topic, partition)}
    return Original(root, Directory.of(root).files, case, true)


@cache
def originals() -> tuple[Original, ...]:
    found = tuple(original(*each) for each in ORIGINALS)
    for each in found:
        assert len([name for name in each.objects if name.endswith(".log")]) == SEGMENTS
        assert len(rows(each, kafkafmt.scan(each.root / "tier", columns=COLUMNS, decryption_keys=each.case.keys))) > 50
    return found


def rows(of: Original, scan: kafkafmt.Scan, *, offsets_hold: bool = True) -> list[int]:
    """Offsets of the records of a scan, all of which are true; the error that ends it goes on."""
    found: list[int] = []
    known = set(of.true.values())
    for batch in scan.to_reader():
        assert isinstance(batch, pa.RecordBatch)
        batch.validate(full=True)
        times = batch.column("timestamp").cast("int64").to_pylist()
        for timestamp, row in zip(times, batch.drop_columns(["timestamp"]).to_pylist(), strict=True):
            if (row["topic"] or "").startswith("__"):
                continue
            pairs = tuple((each["key"], each["value"]) for each in row["headers"] or ())
            content = Content(timestamp, row["key"], row["value"], pairs)
            if offsets_hold:
                assert of.true.get(row["offset"]) == content
            else:
                assert content in known
            found.append(row["offset"])
    return found


def other(rnd: random.Random, of: Original, name: str) -> str:
    """Another object of the same kind."""
    ending = name.rpartition(".")[2]
    return rnd.choice([each for each in of.objects if each != name and each.endswith(f".{ending}")])


def broken_bytes(rnd: random.Random, of: Original, files: Files) -> None:
    name = rnd.choice(of.objects)
    files[name] = scramble(rnd, files.get(name) or b"\0")


def broken_log(rnd: random.Random, of: Original, files: Files) -> None:
    name = rnd.choice([name for name in of.objects if name.endswith(".log")])
    files[name] = scramble(rnd, files.get(name) or b"\0")


def removed(rnd: random.Random, of: Original, files: Files) -> None:
    files.pop(rnd.choice(of.objects), None)


def swapped(rnd: random.Random, of: Original, files: Files) -> None:
    one = rnd.choice(of.objects)
    two = other(rnd, of, one)
    files[one], files[two] = files.get(two, b""), files.get(one, b"")


def uploaded_again(rnd: random.Random, of: Original, files: Files) -> None:
    """Another upload, of which some objects may be missing or broken, perhaps at another base offset."""
    base = Path(rnd.choice(of.objects)).name[:20]
    offset = rnd.choice((base, base, f"{rnd.randrange(1000):020d}", f"{2**63 - 1:020d}", "9" * 20))
    copied = base64.urlsafe_b64encode(rnd.randbytes(16)).decode()[:22]
    for name in of.objects:
        path = Path(name)
        if path.name.startswith(base) and rnd.random() < 0.95:
            content = files.get(name, b"")
            again = path.with_name(f"{offset}-{copied}{path.name[43:]}")
            files[str(again)] = scramble(rnd, content) if rnd.random() < 0.1 else content


def edited(rnd: random.Random, of: Original, files: Files) -> None:
    """A field of a manifest with another value: an odd one, its neighbour, or that of another segment."""
    names = [name for name in of.objects if name.endswith(".rsm-manifest")]
    if not names:
        return broken_bytes(rnd, of, files)
    name = rnd.choice(names)
    fields = json.loads(of.files[name])
    places = list(values(fields))
    for _ in range(rnd.choice((1, 1, 2, 5))):
        inside, key = rnd.choice(places)
        value = inside.get(key)
        others = [each[key] for each, other_key in values(json.loads(of.files[rnd.choice(names)])) if other_key == key]
        near = (value + rnd.choice((-1, 1, 28, 1000)),) if type(value) is int else ()
        what = rnd.random()
        if what < 0.1:
            inside.pop(key, None)
        else:
            inside[key] = rnd.choice((*near, *near, *others, *ODD_VALUES)) if what < 0.7 else rnd.choice(ODD_VALUES)
    files[name] = json.dumps(fields).encode()
    return None


def values(fields: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    for key, value in fields.items():
        yield fields, key
        if isinstance(value, dict):
            yield from values(value)


def moved_chunks(rnd: random.Random, of: Original, files: Files) -> None:
    """Whole chunks that change places, are there twice, or are gone: each of them still decrypts."""
    manifests = [name for name in of.objects if name.endswith(".rsm-manifest")]
    if not manifests:
        return swapped(rnd, of, files)
    name = rnd.choice(manifests)
    log = str(Path(name).with_suffix(".log"))
    sizes = rsm_manifest.parse(of.files[name]).chunks.stored_sizes
    pieces = [of.files[log][begin:end] for begin, end in pairwise(accumulate(sizes, initial=0))]
    one, two = rnd.randrange(len(pieces)), rnd.randrange(len(pieces))
    how = rnd.randrange(4)
    if how == 0:
        pieces[one], pieces[two] = pieces[two], pieces[one]
    elif how == 1:
        pieces[one] = pieces[two]
    elif how == 2:
        pieces.insert(one, pieces[two])
    else:
        del pieces[one]
    files[log] = b"".join(pieces)
    return None


def broken_log_dir(rnd: random.Random, of: Original, files: Files) -> None:
    """Checkpoints of the broker and its knowledge of remote storage; its own segments stay whole."""
    names = [
        name
        for name in of.files
        if name.startswith("log-dir/") and (not name.endswith(".log") or "__remote_log_metadata" in name)
    ]
    name = rnd.choice(names)
    if rnd.random() < 0.2:
        files.pop(name, None)
    else:
        files[name] = scramble(rnd, of.files[name] or b"\0")


Mutation = Callable[[random.Random, Original, Files], None]

OF_TIERS: tuple[Mutation, ...] = (
    broken_bytes,
    broken_log,
    removed,
    swapped,
    uploaded_again,
    edited,
    edited,
    edited,
    moved_chunks,
)
OF_LOG_DIRS: tuple[Mutation, ...] = (broken_log_dir, broken_log_dir)


def check_tier(rnd: random.Random) -> int:
    """Break a tier, and read it."""
    of = rnd.choice(originals())
    files = dict(of.files)
    with_log_dir = rnd.random() < 0.3
    how_broken = rnd.choices((*OF_TIERS, *OF_LOG_DIRS) if with_log_dir else OF_TIERS, k=rnd.choice((1, 1, 1, 2, 3)))
    for mutation in how_broken:
        mutation(rnd, of, files)
    with of.changed(files):
        source = [of.root / "log-dir", of.root / "tier"] if with_log_dir else of.root / "tier"
        disks = obeys(lambda: kafkafmt.open(source, decryption_keys=of.case.keys))
        if isinstance(disks, KafkafmtError):
            assert isinstance(disks, SourceError)  # nothing is left there
            return 1
        logs_are_true = all(files.get(each, of.files[each]) == of.files[each] for each in of.objects if is_log(each))
        added = any(is_log(each) and files[each] not in of.files.values() for each in files)
        # A chunk may end within a base offset, which no CRC covers.
        is_whole = of.is_sealed and moved_chunks not in how_broken
        offsets_hold = is_whole or (logs_are_true and not added)
        how: dict[str, Any] = {
            "columns": COLUMNS,
            "isolation_level": rnd.choice(("read_uncommitted", "read_committed")),
            "engine": rnd.choice(("columnar", "columnar", "columnar", "reference")),
        }
        lenient = disks.scan(on_damage="skip", **how)
        skipped = obeys(lambda: rows(of, lenient, offsets_hold=offsets_hold))
        assert not isinstance(skipped, DataError), skipped
        assert isinstance(skipped, list)
        for each in lenient.damage:
            assert each.error.file
        changed = {each for each in {*files, *of.files} if files.get(each) != of.files.get(each)}
        if of.has_manifests and all(each in of.files and is_log(each) and each in of.objects for each in changed):
            # Damage of a segment costs no record of another one.
            bases = {Path(each).name[:20] for each in changed}
            whole = [offset for base, offsets in of.by_base.items() if base not in bases for offset in offsets]
            assert how["isolation_level"] == "read_committed" or {*whole} <= {*skipped}
        strict = disks.scan(**how)
        raised = obeys(lambda: rows(of, strict, offsets_hold=offsets_hold))
        if isinstance(raised, list):
            assert raised == skipped
    return 1


def is_log(name: str) -> bool:
    return name.endswith(".log")
