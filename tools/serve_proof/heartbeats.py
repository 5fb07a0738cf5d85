"""Sends heartbeats for the members of classic groups on a disk; otherwise the broker removes them and logs that."""

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import kafkafmt
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from serve_proof.asking import Asker, Json

_VERSION = 4
_SECONDS = 1


class Heartbeats:
    """Sends heartbeats during a `with` block; a member's session may time out after 6 s.

    Args:
        asker: an asker that no other code uses meanwhile.
        address: address of the broker, as `host:port`.
        members: requests from `of_members`.
    """

    def __init__(self, asker: Asker, address: str, members: Sequence[Json]) -> None:
        self._asker, self._address, self._members = asker, address, members
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self) -> Self:
        if self._members:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._members:
            self._thread.join()

    def _send(self) -> None:
        while True:
            for each in self._members:
                self._asker.ask(self._address, "HEARTBEAT", _VERSION, each)
            if self._ended.wait(_SECONDS):
                return


def of_members(paths: Sequence[Path]) -> list[Json]:
    """A Heartbeat request for each member of a classic group on disks."""
    opened = kafkafmt.open(paths)
    if not any(each.topic == CONSUMER_OFFSETS for each in opened.partitions):
        return []
    return [
        {
            "groupId": group.group_id,
            "generationId": group.epoch,
            "memberId": member.member_id,
            "groupInstanceId": member.group_instance_id,
        }
        for group in opened.groups()
        if group.type == "Classic"
        for member in group.members
    ]
