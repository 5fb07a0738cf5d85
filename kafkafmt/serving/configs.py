"""DescribeConfigs (versions 1 to 4) and ListConfigResources (0 and 1): the configs in force, and their resources.

A value is that of the topic, else of the node, else the cluster's default in the metadata log, else Kafka's default:
server.properties is not on these disks. A broker (only this one, or "" for the cluster's defaults) has its dynamic
configs; a real one adds those of server.properties and the defaults of all others. Loggers have no levels here. Values
of type PASSWORD, and values of names that Kafka does not know, are null and sensitive, as in Kafka. An answer has up to
1,000,000 entries, 100,000 with documentation; resources beyond that are answered with INVALID_REQUEST.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Broker, Handlers, Request, collected, refused
from kafkafmt.serving.topics import invalid_name

if TYPE_CHECKING:
    from kafkafmt.serving.config_entries import ConfigEntries

_TOPIC, _BROKER, _LOGGER, _CLIENT_METRICS, _GROUP = 2, 4, 8, 16, 32
_MOST_ENTRIES, _MOST_WITH_TEXTS = 1_000_000, 100_000
_MALFORMED = (
    "This most likely occurs because of a request being malformed by the client library or the message was sent to an "
    "incompatible broker. See the broker logs for more details."
)
_TOO_MUCH = "The answer would be too long: ask for fewer resources, or for some configs of each."
_ENTRIES: "Final[Mapping[int, Callable[[ConfigEntries, str], list[Value]]]]" = {
    _TOPIC: lambda entries, name: entries.of_topic(name),
    _BROKER: lambda entries, name: entries.of_broker(name),
    _LOGGER: lambda *_: [],
    _CLIENT_METRICS: lambda entries, name: entries.of_client_metrics(name),
    _GROUP: lambda entries, name: entries.of_group(name),
}


async def describe_configs(broker: Broker, request: Request) -> Value:
    """The configs of each resource."""
    body = request.body
    texts = body.get("IncludeDocumentation", False)

    def answer() -> Iterator[Value]:
        entries = _entries(broker, synonyms=body["IncludeSynonyms"], texts=texts)
        left = _MOST_WITH_TEXTS if texts else _MOST_ENTRIES
        is_malformed = any(each["ResourceType"] not in _ENTRIES for each in body["Resources"])
        for asked in {(each["ResourceType"], each["ResourceName"]): each for each in body["Resources"]}.values():
            kind, name, keys = asked["ResourceType"], asked["ResourceName"], asked["ConfigurationKeys"]
            about = {"ResourceType": kind, "ResourceName": name}
            wrong = _refusal(broker, kind, name) if left > 0 else refused(ErrorCode.INVALID_REQUEST, _TOO_MUCH)
            if is_malformed:
                wrong = refused(ErrorCode.INVALID_REQUEST, _MALFORMED)
            if wrong is not None:
                yield about | wrong
                continue
            found = _ENTRIES[kind](entries, name)
            if keys:
                wanted = frozenset(keys)
                found = [each for each in found if each["Name"] in wanted]
            left -= len(found)
            yield about | {"Configs": found}

    return {"Results": await collected(answer())}


def _entries(broker: Broker, *, synonyms: bool, texts: bool) -> "ConfigEntries":
    from kafkafmt.serving.config_entries import ConfigEntries  # noqa: PLC0415 - definitions are loaded when asked for

    configs = broker.disks.configs
    known: dict[tuple[bool, bool], tuple[object, ConfigEntries]] = broker.state.setdefault("configs", {})
    made_of, found = known.get((synonyms, texts), (None, None))
    if found is None or made_of is not configs:
        found = ConfigEntries(configs, broker.node_id, synonyms=synonyms, texts=texts)
        known[synonyms, texts] = configs, found
    return found


async def list_config_resources(broker: Broker, request: Request) -> Value:
    """Resources with configs, by type; version 0 is ListClientMetricsResources."""
    kinds = set(request.body.get("ResourceTypes") or ())
    if request.version == 0:
        kinds = {_CLIENT_METRICS}
    elif kinds - _ENTRIES.keys():
        return {"ErrorCode": ErrorCode.UNSUPPORTED_VERSION}

    def listed() -> Iterator[Value]:
        node = str(broker.node_id)
        names = {
            _GROUP: sorted(_names(broker, "GROUP")),
            _CLIENT_METRICS: sorted(_names(broker, "CLIENT_METRICS")),
            _LOGGER: [node],
            _BROKER: [node],
            _TOPIC: list(broker.disks.logs),
        }
        for kind, of_kind in names.items():
            if not kinds or kind in kinds:
                yield from ({"ResourceName": name, "ResourceType": kind} for name in of_kind)

    return {"ConfigResources": await collected(listed())}


def _refusal(broker: Broker, kind: int, name: str) -> Value | None:
    """The error for a resource that cannot be described, or None."""
    message: str | None = None
    match kind:
        case 2:
            message = invalid_name(name)
            if message is not None:
                return refused(ErrorCode.INVALID_TOPIC_EXCEPTION, message)
            return None if name in broker.disks.logs else {"ErrorCode": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        case 4 | 8 if name:
            or_empty = " or empty string," if kind == _BROKER else ""
            if not re.fullmatch(r"[+-]?[0-9]{1,10}", name):
                message = f"Broker id must be an integer, but it is: {name}"
            elif int(name) != broker.node_id:
                message = f"Unexpected broker id, expected {broker.node_id}{or_empty} but received {name}"
        case 8:
            message = "Broker id must not be empty"
        case 16 if not name:
            message = "Client metrics subscription name must not be empty"
        case 32 if not name:
            message = "Group name must not be empty"
    return None if message is None else refused(ErrorCode.INVALID_REQUEST, message)


def _names(broker: Broker, kind: str) -> Iterator[str]:
    return (name for each, name in broker.disks.configs if each == kind)


HANDLERS: Handlers = {"DescribeConfigs": describe_configs, "ListConfigResources": list_config_resources}
