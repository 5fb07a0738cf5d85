"""Single requests to servers, sent and decoded by Kafka's own classes (AskServers.java)."""

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from class_path import kafka_class_path, tool
from proof_frame import ProofError

Json = dict[str, Any]
Partition = tuple[str, int]

UNKNOWN_ID = "RVxYm2hpTcGm2UVbWYsF1w"
"""A topic id that no topic has."""

_LEADING_SECONDS = 30
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Answer:
    """A server's answer to a request.

    Attributes:
        content: the message; None if Kafka's classes could not read one.
        error: why there is no message; empty if there is one.
        is_canonical: whether Kafka encodes the message to the same bytes.
    """

    content: Json | None
    error: str
    is_canonical: bool


class Asker:
    """A Java virtual machine that sends requests; it runs during a `with` block."""

    def __init__(self) -> None:
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]
        logging = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
        self._command = [tool("java"), *options, logging, "-cp", kafka_class_path(), "AskServers"]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, server: str, api: str, version: int, request: Json) -> Answer:
        """Send a request, and wait for the answer.

        Args:
            server: address as `host:port`.
            api: name in Kafka's ApiKeys.
            version: version of request and answer.
            request: JSON of Kafka's converters; fields that the version does not have are left out.

        Raises:
            ProofError: the Java program ended.
        """
        line = json.dumps({"server": server, "api": api, "version": version, "request": request})
        writes, reads = self._process.stdin, self._process.stdout
        if writes is None or reads is None:
            raise ProofError("AskServers has no pipes")
        writes.write(line.encode() + b"\n")
        writes.flush()
        answered = reads.readline()
        if not answered:
            raise ProofError(f"AskServers ends at {line[:300]}")
        found = json.loads(answered)
        return Answer(found.get("answer"), found.get("error", ""), found.get("isCanonical", False))


@dataclass(frozen=True)
class Server:
    """One of the two compared servers.

    Attributes:
        name: name for messages.
        address: address as `host:port`.
        home: parent of its log directories.
        versions: first and last version by API id.
        epochs: leader epoch of each partition, from Metadata.
        topic_ids: ids of all topics by name.
    """

    name: str
    address: str
    home: str
    versions: Mapping[int, tuple[int, int]]
    epochs: Mapping[Partition, int]
    topic_ids: Mapping[str, str]

    def epoch(self, topic: str, partition: int) -> int:
        """The leader epoch of a partition; 0 for an unknown partition."""
        return self.epochs.get((topic, partition), 0)


def look(asker: Asker, name: str, address: str, home: str) -> Server:
    """Ask a server for facts that later requests need, once it leads its partitions, which begins a leader epoch.

    Raises:
        ProofError: the server does not answer.
    """
    deadline = time.monotonic() + _LEADING_SECONDS
    while not _leads_all(_content(name, asker.ask(address, "METADATA", 12, metadata_request(None)))):
        if time.monotonic() > deadline:
            break  # partitions of other nodes never get a leader
        time.sleep(_POLL_SECONDS)
    offered = _content(name, asker.ask(address, "API_VERSIONS", 0, {}))
    versions = {each["apiKey"]: (each["minVersion"], each["maxVersion"]) for each in offered["apiKeys"]}
    topics = _content(name, asker.ask(address, "METADATA", 12, metadata_request(None)))["topics"]
    epochs = {
        (topic["name"], each["partitionIndex"]): each["leaderEpoch"] for topic in topics for each in topic["partitions"]
    }
    return Server(name, address, home, versions, epochs, {topic["name"]: topic["topicId"] for topic in topics})


def _leads_all(metadata: Json) -> bool:
    return all(each["leaderId"] >= 0 for topic in metadata["topics"] for each in topic["partitions"])


def metadata_request(topics: list[Json] | None, *, operations: bool = False) -> Json:
    """A Metadata request that creates no topic."""
    return {
        "topics": topics,
        "allowAutoTopicCreation": False,
        "includeClusterAuthorizedOperations": operations,
        "includeTopicAuthorizedOperations": operations,
    }


def _content(name: str, answer: Answer) -> Json:
    if answer.content is None:
        raise ProofError(f"{name} does not answer: {answer.error}")
    return answer.content
