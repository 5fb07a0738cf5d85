"""Consumer groups: the group coordinator of `kafkafmt serve`.

FindCoordinator, the classic protocol (JoinGroup, SyncGroup, Heartbeat, LeaveGroup), the protocol of KIP-848
(ConsumerGroupHeartbeat), committed offsets, and the APIs that list and describe groups. Share groups and streams groups
are listed, but their APIs are not offered.
"""

from typing import TYPE_CHECKING, Final

from kafkafmt.serving.groups import classic_apis, consumer_apis, describe_apis, offset_apis

if TYPE_CHECKING:
    from kafkafmt.serving.api import Handlers

HANDLERS: "Final[Handlers]" = {
    **describe_apis.HANDLERS,
    **classic_apis.HANDLERS,
    **consumer_apis.HANDLERS,
    **offset_apis.HANDLERS,
}
"""The handler of each API, by the API's name."""
