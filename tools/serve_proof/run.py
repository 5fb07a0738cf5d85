"""The proof "serve": compares the answers of a broker and of `kafkafmt serve` on the same disk."""

import argparse
import contextlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import kafkafmt
import proof_frame
from kafka_broker.broker import Broker
from kafkafmt.internal_topics import CLUSTER_METADATA, CONSUMER_OFFSETS
from proof_frame import DIFFERS, ProofError
from serve_proof.asking import Asker, Json, Partition, Server, look
from serve_proof.cluster_questions import about_groups, about_the_cluster, about_transactions
from serve_proof.compare import Difference, Tally
from serve_proof.disks import DISKS, SETTINGS, Disk
from serve_proof.heartbeats import Heartbeats, of_members
from serve_proof.log_questions import about_log_dirs, about_logs, about_topics
from serve_proof.questions import Content, Question

_EXAMPLES = 4
_SHOWN = 300
_SAMPLE = 12
_LOADING = (14, 15, 16)  # COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR
_LOAD_SECONDS = 60
_NAMES = [f"group-{number}" for number in range(40)]
"""Group ids, so many that each partition of __consumer_offsets has one."""
_SERVING = re.compile(rb"serving .* at (\S+)")


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    began = time.monotonic()

    def prove(options: argparse.Namespace, home: Path) -> int:
        names = options.disk or [each.name for each in DISKS]
        unknown = set(names) - {each.name for each in DISKS}
        if unknown:
            raise ProofError(f"there is no disk {', '.join(sorted(unknown))}: {', '.join(each.name for each in DISKS)}")
        chosen = [each for each in DISKS if each.name in names]
        tally = Tally()
        with Asker() as asker, Asker() as keeper:
            for disk in chosen:
                before, wrong = tally.requests.total(), len(tally.unexpected)
                _prove(disk, home / disk.name, asker, keeper, tally, quick=options.quick)
                print(
                    f"{time.monotonic() - began:5.0f} s  {disk.name}: {tally.requests.total() - before:,} requests, "
                    f"{len(tally.unexpected) - wrong:,} fields differ unexpectedly",
                    flush=True,
                )
        return report(tally, time.monotonic() - began)

    return proof_frame.run(arguments, prove)


def _prove(disk: Disk, home: Path, asker: Asker, keeper: Asker, tally: Tally, *, quick: bool) -> None:
    served, started = home / "served", home / "broker"
    served.mkdir(parents=True)
    names = disk.log_dirs(served)
    for name in names:
        shutil.copytree(served / name, started / name, symlinks=True)
    paths = [served / name for name in names]
    members = of_members(paths)
    with (
        serving(paths, home / "serve.log") as address,
        Broker(started, SETTINGS | dict(disk.settings), log_dirs=names) as broker,
        Heartbeats(keeper, broker.bootstrap_servers, members),
    ):
        theirs = look(asker, "the broker", broker.bootstrap_servers, str(started))
        ours = look(asker, "kafkafmt", address, str(served))
        for question in questions(_content(asker, theirs, ours, paths)):
            first, last = theirs.versions[question.id]
            own = ours.versions.get(question.id, (1, 0))
            for version in question.versions(max(first, own[0]), min(last, own[1]), quick=quick):
                official = asker.ask(theirs.address, question.api, version, question.make(theirs))
                found = asker.ask(ours.address, question.api, version, question.make(ours))
                tally.add(question, version, official, found, theirs, ours)


@contextlib.contextmanager
def serving(paths: Sequence[Path], log: Path) -> Iterator[str]:
    """Serve log directories during a `with` block; yields the address.

    Raises:
        ProofError: the server does not start.
    """
    command = [sys.executable, "-m", "kafkafmt", "serve", *map(str, paths), "--listen", "127.0.0.1:0"]
    with log.open("wb") as kept, subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        try:
            yield _address(process)
        finally:
            process.terminate()
            _, rest = process.communicate()
            kept.write(rest)


def _address(process: "subprocess.Popen[bytes]") -> str:
    said = b""
    for line in process.stderr or ():
        said += line
        if found := _SERVING.search(line):
            return found[1].decode()
    raise ProofError(f"kafkafmt serve does not start:\n{said.decode(errors='replace')}")


def questions(content: Content) -> Iterator[Question]:
    """All requests for a content."""
    yield from about_groups(content)
    yield from about_log_dirs(content)
    yield from about_logs(content.only(lambda topic: topic == CONSUMER_OFFSETS))
    yield from about_logs(content.only(lambda topic: topic != CONSUMER_OFFSETS))
    yield from about_transactions(content)
    yield from about_topics(content)
    yield from about_the_cluster(content)


def _content(asker: Asker, broker: Server, ours: Server, paths: Sequence[Path]) -> Content:
    """The content for the requests: ids from the broker, records from the disk."""

    def ask(api: str, version: int, request: Json) -> Json:
        answer = asker.ask(broker.address, api, version, request)
        if answer.content is None:
            raise ProofError(f"the broker does not answer {api}: {answer.error}")
        return answer.content

    _await_groups(lambda: ask("DESCRIBE_GROUPS", 6, {"groups": _NAMES, "includeAuthorizedOperations": False}), broker)
    groups = [each["groupId"] for each in ask("LIST_GROUPS", 5, {"statesFilter": [], "typesFilter": []})["groups"]]
    filters = {"stateFilters": [], "producerIdFilters": [], "durationFilter": -1, "transactionalIdPattern": None}
    transactions = ask("LIST_TRANSACTIONS", 2, filters)["transactionStates"]
    partitions: dict[Partition, tuple[int, int]] = {}
    epochs: dict[Partition, int] = {}
    for each in kafkafmt.open(paths).partitions:
        if each.topic is not None and each.topic != CLUSTER_METADATA:
            partitions[each.topic, each.partition or 0] = (each.log_start_offset or 0, each.log_end_offset or 0)
            begun = (known.epoch for known in each.leader_epochs if known.start_offset < (each.log_end_offset or 0))
            epochs[each.topic, each.partition or 0] = max(begun, default=0)
    offsets: dict[Partition, list[int]] = {key: [] for key in partitions}
    times: dict[Partition, list[int]] = {key: [] for key in partitions}
    scan = kafkafmt.scan(paths, columns=["topic", "partition", "offset", "timestamp"], on_damage="skip")
    for batch in scan.to_reader():
        for topic, number, offset, stamp in zip(
            *(batch[name].to_pylist() for name in ("topic", "partition", "offset")),
            batch["timestamp"].cast("int64").to_pylist(),
            strict=True,
        ):
            if (topic, number) in partitions:
                offsets[topic, number].append(offset)
                times[topic, number].append(stamp)
    return Content(
        {key: start for key, (start, _) in partitions.items()},
        {key: end for key, (_, end) in partitions.items()},
        epochs,
        frozenset(key for key in partitions if not ours.epoch(*key)),
        {key: _some(each) for key, each in offsets.items()},
        {key: _around(each) for key, each in times.items()},
        sorted(groups),
        sorted(each["transactionalId"] for each in transactions),
        sorted(each["producerId"] for each in transactions),
        any(log for path in paths for log in path.glob(f"{CLUSTER_METADATA}-0/*.log")),
    )


def _await_groups(describe: Callable[[], Json], broker: Server) -> None:
    """Wait until a broker has read __consumer_offsets: before that, it lists only some groups."""
    deadline = time.monotonic() + _LOAD_SECONDS
    while CONSUMER_OFFSETS in broker.topic_ids:
        if not any(each["errorCode"] in _LOADING for each in describe()["groups"]):
            return
        if time.monotonic() > deadline:
            raise ProofError(f"the broker has not read its groups within {_LOAD_SECONDS} s")
        time.sleep(0.2)


def _some(values: Sequence[int]) -> list[int]:
    """About a dozen of the values, with the first and the last, and the number after each."""
    step = max(1, len(values) // _SAMPLE)
    chosen = sorted({*values[::step], *values[-1:]})
    return sorted({*chosen, *(each + 1 for each in chosen)})


def _around(times: Sequence[int]) -> list[int]:
    """Timestamps of some records, and a millisecond before and after each."""
    step = max(1, len(times) // _SAMPLE)
    chosen = {*times[::step], *times[-1:], max(times, default=0)}
    return sorted({time for each in chosen for time in (each - 1, each, each + 1) if 0 <= time < 2**63} | {0, 2**62})


def report(tally: Tally, seconds: float) -> int:
    """Print the counts and the differences; returns the exit status."""
    print(f"\n{'API':32} {'requests':>9} {'versions':>9} {'fields':>10} {'differ':>7}")
    for api in sorted(tally.requests):
        wrong = sum(each.question.api == api for each in tally.unexpected)
        versions = tally.versions[api]
        print(
            f"{api:32} {tally.requests[api]:>9,} {f'{min(versions)}-{max(versions)}':>9} "
            f"{tally.fields[api]:>10,} {wrong:>7,}"
        )
    kinds: dict[str, list[Difference]] = {}
    for each in tally.unexpected:
        kinds.setdefault(each.kind, []).append(each)
    for kind, found in kinds.items():
        versions = {each.version for each in found}
        print(f"\n{kind}: {len(found):,} fields differ in versions {min(versions)} to {max(versions)}, as")
        for each in _examples(found):
            print(f"  {each.question.name}: {each.field}"[:_SHOWN])
            print(f"    the broker {each.theirs!r}"[:_SHOWN])
            print(f"    kafkafmt   {each.ours!r}"[:_SHOWN])
    for reason, count in tally.meant.items():
        print(f"\nMeant, {count:,} fields: {reason}.")
    versions_of_all = sum(len(each) for each in tally.versions.values())
    print(
        f"\n{tally.requests.total():,} requests of {len(tally.versions)} APIs in {versions_of_all} versions, "
        f"{tally.fields.total():,} fields compared, {len(tally.unexpected):,} differ unexpectedly; {seconds:.0f} s"
    )
    return DIFFERS if tally.unexpected else 0


def _examples(found: Sequence[Difference]) -> list[Difference]:
    """A few differences with different values."""
    return list({(str(each.theirs), str(each.ours)): each for each in found}.values())[:_EXAMPLES]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
