"""The tasks of `driver`, done by kcat."""

import subprocess
from collections.abc import Iterator

from clients_proof import driver

# Topic, partition, offset, timestamp, the sizes of key and value, and both; headers have no form that can be parsed.
_FORMAT = r"%t\t%p\t%o\t%T\t%K\t%S\n%k%s\n"
_NULL = -1
_SECONDS = 120


class KcatError(Exception):
    """The error output of kcat."""


def _read(bootstrap: str, level: str, topics: str, _: str) -> Iterator[str]:
    for topic in topics.split(","):
        said = _kcat(bootstrap, "-C", "-t", topic, "-o", "beginning", "-e", "-X", f"isolation.level={level}")
        yield from _lines(said)


def _subscribe(bootstrap: str, _: str, group: str, topics: str, __: str, end: str) -> Iterator[str]:
    settings = ("auto.offset.reset=earliest", f"enable.auto.commit={str(end == 'commit').lower()}")
    options = [part for each in (*settings, "isolation.level=read_uncommitted") for part in ("-X", each)]
    yield from _lines(_kcat(bootstrap, "-G", group, "-e", *options, *topics.split(",")))


def _produce(bootstrap: str, topic: str) -> list[str]:
    _run(["kcat", "-b", bootstrap, "-P", "-t", topic, "-p", "0", "-X", "message.timeout.ms=30000"], b"1\n")
    return []


def _kcat(bootstrap: str, *arguments: str) -> bytes:
    mode, *rest = arguments
    settings = [part for setting in driver.settings().items() for part in ("-X", "=".join(setting))]
    return _run(["kcat", "-b", bootstrap, *settings, "-q", "-f", _FORMAT, mode, *rest], b"")


def _run(command: list[str], given: bytes) -> bytes:
    done = subprocess.run(command, check=False, input=given, capture_output=True, timeout=_SECONDS)
    if done.returncode or b"ERROR" in done.stderr or b"failed" in done.stderr:
        raise KcatError(done.stderr.decode())
    return done.stdout


def _lines(said: bytes) -> Iterator[str]:
    at = 0
    while at < len(said):
        end = said.index(b"\n", at)
        topic, *numbers = said[at:end].decode().split("\t")
        partition, offset, timestamp, key_size, value_size = map(int, numbers)
        key_end = end + 1 + max(key_size, 0)
        at = key_end + max(value_size, 0) + 1
        key = None if key_size == _NULL else said[end + 1 : key_end]
        value = None if value_size == _NULL else said[key_end : at - 1]
        yield driver.record_line(topic, partition, offset, timestamp, key, value, ())


if __name__ == "__main__":
    driver.main({"read": _read, "subscribe": _subscribe, "produce": _produce}, (KcatError, subprocess.TimeoutExpired))
