"""DescribeClientQuotas (versions 0 and 1): the client quotas of the metadata log that match a filter.

Each component of a filter names a type of entity and matches one name, the default entity, or any entity. With `Strict`
an entity must not have other types. Quotas are not applied here: this broker throttles no client.
"""

import asyncio
from collections.abc import Mapping

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Broker, Handlers, Request, refused

_EXACT, _IS_DEFAULT, _ANY = 0, 1, 2
_TYPES = ("user", "client-id", "ip")


async def describe_client_quotas(broker: Broker, request: Request) -> Value:
    """The matching quotas, grouped by entity."""
    components: dict[str, Value] = {}
    for each in request.body["Components"]:
        wrong = _wrong(each, components)
        if wrong is not None:
            return wrong | {"Entries": None}
        components[each["EntityType"]] = each
    if "ip" in components and len(components) > 1:
        message = (
            "Invalid entity filter component combination. IP filter component should not be used with user or "
            "clientId filter component."
        )
        return refused(ErrorCode.INVALID_REQUEST, message) | {"Entries": None}
    cluster = await asyncio.to_thread(lambda: broker.disks.cluster)
    found: dict[tuple[tuple[str, str | None], ...], list[Value]] = {}
    for quota in () if cluster is None else cluster.quotas:
        if _takes(components, dict(quota.entity), is_strict=request.body["Strict"]):
            found.setdefault(quota.entity, []).append({"Key": quota.key, "Value": quota.value})
    return {
        "Entries": [
            {
                "Entity": [{"EntityType": kind, "EntityName": name} for kind, name in entity],
                "Values": values,
            }
            for entity, values in found.items()
        ]
    }


def _wrong(component: Value, others: Mapping[str, Value]) -> Value | None:
    """The error for a component that is refused, or None, as of `ClientQuotasImage.describe`."""
    kind, how, name = component["EntityType"], component["MatchType"], component["Match"]
    error, message = ErrorCode.INVALID_REQUEST, None
    if not kind:
        message = "Invalid empty entity type."
    elif kind in others:
        message = f"Entity type {kind} cannot appear more than once in the filter."
    elif kind not in _TYPES:
        error, message = ErrorCode.UNSUPPORTED_VERSION, f"Unsupported entity type {kind}"
    elif how == _EXACT and name is None:
        message = "Request specified MATCH_TYPE_EXACT, but set match string to null."
    elif how in (_IS_DEFAULT, _ANY) and name is not None:
        word = "DEFAULT" if how == _IS_DEFAULT else "SPECIFIED"
        message = f"Request specified MATCH_TYPE_{word}, but also specified a match string."
    elif how not in (_EXACT, _IS_DEFAULT, _ANY):
        message = f"Unknown match type {how}"
    return None if message is None else refused(error, message)


def _takes(components: Mapping[str, Value], entity: Mapping[str, str | None], *, is_strict: bool) -> bool:
    if is_strict and entity.keys() != components.keys():
        return False
    return all(
        kind in entity and (each["MatchType"] == _ANY or entity[kind] == each["Match"])
        for kind, each in components.items()
    )


HANDLERS: Handlers = {"DescribeClientQuotas": describe_client_quotas}
