"""DescribeAcls (versions 1 to 3): the access control entries of the metadata log that match a filter.

A filter by resource name selects literal patterns of that name; with MATCH also the literal "*" and prefixes of the
name. Disks without entries are answered as by a broker without `authorizer.class.name`: SECURITY_DISABLED. This broker
does not enforce the entries: anyone who can connect reads everything.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Broker, Handlers, Request, refused
from kafkafmt.topics.cluster_metadata.settings import (
    ACL_RESOURCE_TYPES,
    OPERATIONS,
    PATTERN_TYPES,
    PERMISSION_TYPES,
)

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.settings import AccessControlEntry

_UNKNOWN, _ANY, _MATCH = 0, 1, 2
_EVERY_NAME = "*"


async def describe_acls(broker: Broker, request: Request) -> Value:
    """The matching entries, grouped by resource pattern."""
    asked = request.body
    cluster = await asyncio.to_thread(lambda: broker.disks.cluster)
    acls = () if cluster is None else cluster.acls
    if not acls:
        return refused(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured on the broker")
    kinds = (asked["ResourceTypeFilter"], asked["PatternTypeFilter"], asked["Operation"], asked["PermissionType"])
    if _UNKNOWN in kinds:
        # A broker closes the connection for such a request.
        return refused(ErrorCode.INVALID_REQUEST, "DescribeAclsRequest contains UNKNOWN elements")
    found: dict[tuple[int, str, int], list[Value]] = defaultdict(list)
    for each in acls:
        if _takes_pattern(asked, each) and _takes_entry(asked, each):
            pattern = _number(ACL_RESOURCE_TYPES, each.resource_type), each.resource_name
            found[*pattern, _number(PATTERN_TYPES, each.pattern_type)].append(
                {
                    "Principal": each.principal,
                    "Host": each.host,
                    "Operation": _number(OPERATIONS, each.operation),
                    "PermissionType": _number(PERMISSION_TYPES, each.permission_type),
                }
            )
    return {
        "Resources": [
            {"ResourceType": kind, "ResourceName": name, "PatternType": pattern, "Acls": entries}
            for (kind, name, pattern), entries in found.items()
        ]
    }


def _takes_pattern(asked: Value, each: "AccessControlEntry") -> bool:
    """Whether a filter matches the resource pattern of an entry (`ResourcePatternFilter.matches`)."""
    kind, name, pattern = asked["ResourceTypeFilter"], asked["ResourceNameFilter"], asked["PatternTypeFilter"]
    own = _number(PATTERN_TYPES, each.pattern_type)
    if kind not in (_ANY, _number(ACL_RESOURCE_TYPES, each.resource_type)) or pattern not in (_ANY, _MATCH, own):
        return False
    if name is None:
        return True
    if pattern != _MATCH:
        return bool(name == each.resource_name)
    if each.pattern_type == "LITERAL":
        return each.resource_name in (name, _EVERY_NAME)
    return each.pattern_type == "PREFIXED" and name.startswith(each.resource_name)


def _takes_entry(asked: Value, each: "AccessControlEntry") -> bool:
    """Whether a filter matches principal, host, operation and permission (`AccessControlEntryFilter.matches`)."""
    return (
        asked["PrincipalFilter"] in (None, each.principal)
        and asked["HostFilter"] in (None, each.host)
        and asked["Operation"] in (_ANY, _number(OPERATIONS, each.operation))
        and asked["PermissionType"] in (_ANY, _number(PERMISSION_TYPES, each.permission_type))
    )


def _number(names: Mapping[int, str], name: str) -> int:
    return next((number for number, known in names.items() if known == name), _UNKNOWN)


HANDLERS: Handlers = {"DescribeAcls": describe_acls}
