"""All supported APIs, and ApiVersions (versions 0 to 5), which lists them."""

from collections import ChainMap
from typing import Final

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.protocol.schemas import api_key, valid_versions
from kafkafmt.serving import (
    acls,
    configs,
    credentials,
    fetch,
    groups,
    leader_epochs,
    list_offsets,
    log_dirs,
    producers,
    quorum,
    quotas,
    reassignments,
    refusals,
    topics,
    transactions,
)
from kafkafmt.serving.api import Broker, Handlers, Request
from kafkafmt.serving.features import features
from kafkafmt.serving.security import sasl

_MODULES = (
    topics,
    list_offsets,
    fetch,
    leader_epochs,
    groups,
    configs,
    log_dirs,
    producers,
    transactions,
    acls,
    credentials,
    quotas,
    quorum,
    reassignments,
    refusals,
    sasl,
)


async def api_versions(broker: Broker, request: Request) -> Value:
    """The APIs and their versions; if the client asks in an unknown version, version 0 with UNSUPPORTED_VERSION.

    A client that expects another cluster or node at this address has to bootstrap again (KIP-1242).
    """
    expected = request.body.get("ClusterId"), request.body.get("NodeId")
    if expected[0] is not None and expected != (broker.cluster_id, broker.node_id):
        return {"ErrorCode": ErrorCode.REBOOTSTRAP_REQUIRED}
    is_known = request.version in valid_versions("ApiVersions")
    return {
        "ErrorCode": ErrorCode.NONE if is_known else ErrorCode.UNSUPPORTED_VERSION,
        "ApiKeys": sorted(
            (
                {
                    "ApiKey": api_key(api),
                    "MinVersion": 0 if api == "Produce" else valid_versions(api)[0],
                    "MaxVersion": valid_versions(api)[-1],
                }
                for api in HANDLERS
            ),
            key=lambda offered: offered["ApiKey"],
        ),
        **features(broker, request.version),
    }


HANDLERS: Final[Handlers] = {"ApiVersions": api_versions, **ChainMap(*(dict(each.HANDLERS) for each in _MODULES))}
"""The handler of each API, by the API's name."""
