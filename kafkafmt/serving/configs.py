"""DescribeConfigs (versions 1 to 4), ListConfigResources (0 and 1): the configs in force, and who has configs.

A value is that of the topic, else of the node, else the cluster's default in the metadata log, else Kafka's default:
server.properties is not on these disks. A broker (only this one, or "" for the cluster's defaults) has its dynamic
configs; a real one adds those of server.properties and the defaults of all others. Loggers have no levels here. Values
of type PASSWORD, and of names that Kafka does not know, are null and sensitive, as in Kafka.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from kafkafmt.operations.config_definitions import ConfigDefinition, definitions
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Broker, Handlers, Request, refused
from kafkafmt.serving.topics import invalid_name

_TOPIC, _BROKER, _LOGGER, _CLIENT_METRICS, _GROUP = 2, 4, 8, 16, 32
_OF_TOPIC, _OF_NODE, _OF_CLUSTER, _DEFAULT, _OF_CLIENT_METRICS, _OF_GROUP = 1, 2, 3, 5, 7, 8
"""`ConfigSource` of the protocol."""

_TYPES = ("UNKNOWN", "BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS", "PASSWORD")
"""`ConfigType` of the protocol, in order of its numbers."""

_LISTENER = re.compile(r"listener\.name\.[^.]*\.(.+)")
_MECHANISM = re.compile(r"[^.]*\.(sasl\.jaas\.config|sasl\.(?:login|server)\.callback\.handler\.class|.*reauth\.ms)")
_MALFORMED = (
    "This most likely occurs because of a request being malformed by the client library or the message was sent to an "
    "incompatible broker. See the broker logs for more details."
)

_Layers = Sequence[tuple[Mapping[str, str | None], int]]
"""What is set somewhere, null for secrets, with the number of that source; the strongest first."""


async def describe_configs(broker: Broker, request: Request) -> Value:
    """The configs of each resource."""
    body = request.body

    def described(asked: Value) -> Value:
        kind, name, keys = asked["ResourceType"], asked["ResourceName"], asked["ConfigurationKeys"]
        answer = {"ResourceType": kind, "ResourceName": name}
        wrong = _refusal(broker, kind, name)
        if wrong is not None:
            return answer | wrong
        entries = _ENTRIES[kind](broker, name)
        return answer | {
            "Configs": [
                _without(entry, synonyms=body["IncludeSynonyms"], text=body.get("IncludeDocumentation", False))
                for entry in entries
                if not keys or entry["Name"] in keys
            ]
        }

    return {"Results": await asyncio.to_thread(lambda: [described(each) for each in body["Resources"]])}


async def list_config_resources(broker: Broker, request: Request) -> Value:
    """Resources by type; version 0 is ListClientMetricsResources."""
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

    return {"ConfigResources": await asyncio.to_thread(lambda: list(listed()))}


def _refusal(broker: Broker, kind: int, name: str) -> Value | None:
    """Why there is no answer about a resource, or None."""
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
        case 4 | 16 | 32:
            pass
        case _:
            message = _MALFORMED
    return None if message is None else refused(ErrorCode.INVALID_REQUEST, message)


def _topic(broker: Broker, name: str) -> Iterator[Value]:
    own = _own(broker, "TOPIC", name)
    known = definitions("TOPIC")
    brokers = _broker_layers(broker)
    for definition in known.values():
        if not definition.is_internal or definition.name in own:
            # The names of a broker that count are dynamic ones, so the strongest, or Kafka's default.
            in_force = definition.synonyms[0][0] if definition.synonyms else None
            below = list(_synonyms(definition.synonyms, brokers))
            below = below if in_force is None else _from(below, in_force)
            values = [each["Value"] for each in below if each["Source"] != _DEFAULT and each["Name"] == in_force]
            default = values[0] if values else definition.default
            yield _own_entry(definition, own, default, below, _OF_TOPIC)
    yield from (_unknown(each, _OF_TOPIC) for each in own.keys() - known.keys())


def _group(broker: Broker, name: str) -> Iterator[Value]:
    own = _own(broker, "GROUP", name)
    brokers = _broker_layers(broker)
    for definition in definitions("GROUP").values():
        if definition.is_internal and definition.name not in own:
            continue
        below = list(_synonyms(definition.synonyms, brokers))
        default = below[0]["Value"] if below else definition.default
        if not definition.synonyms:
            below = [{"Name": definition.name, "Value": default, "Source": _DEFAULT}]
        yield _own_entry(definition, own, default, below, _OF_GROUP)


def _client_metrics(broker: Broker, name: str) -> Iterator[Value]:
    own = _own(broker, "CLIENT_METRICS", name)
    for definition in definitions("CLIENT_METRICS").values():
        yield _own_entry(definition, own, definition.default, [], _OF_CLIENT_METRICS)


def _own_entry(
    definition: ConfigDefinition, own: Mapping[str, str | None], default: str | None, below: list[Value], source: int
) -> Value:
    """An entry of a resource whose own value wins over those of brokers."""
    set_here = own.get(definition.name)
    value = definition.text(set_here if set_here is not None else default or "")
    synonyms = below
    if definition.name in own:
        synonyms = [{"Name": definition.name, "Value": value, "Source": source}, *below]
    return _entry(definition.name, value, synonyms, definition)


def _broker(broker: Broker, name: str) -> Iterator[Value]:
    layers = _broker_layers(broker)
    if not name:
        layers = layers[1:]
    known = definitions("BROKER")
    for key in dict.fromkeys(each for values, _ in layers for each in values):
        base = _LISTENER.fullmatch(key)
        base_name = key if base is None else _MECHANISM.sub(r"\1", base[1])
        definition = known.get(base_name)
        is_secret = definition is None or definition.type == "PASSWORD"
        names: list[tuple[str, str | None]] = [] if base is None else [(key, None)]
        names += ((base_name, None),) if definition is None or not definition.synonyms else definition.synonyms
        synonyms = _from(list(_synonyms(names, layers, with_defaults=bool(name))), key)
        raw = next(values[key] for values, _ in layers if key in values)
        value = raw
        if raw is not None and definition is not None and base is None and name:
            value = definition.text(raw)
        entry = _entry(key, None if is_secret else value, synonyms, definition)
        if base is not None or definition is None:
            entry |= {"ReadOnly": True, "Documentation": None}
        yield entry


def _entry(name: str, value: str | None, synonyms: list[Value], definition: ConfigDefinition | None) -> Value:
    is_secret = value is None
    return {
        "Name": name,
        "Value": value,
        "ReadOnly": False,
        "ConfigSource": synonyms[0]["Source"] if synonyms else _DEFAULT,
        "IsSensitive": is_secret,
        "Synonyms": [each | {"Value": None} for each in synonyms] if is_secret else synonyms,
        "ConfigType": _TYPES.index("UNKNOWN" if definition is None else definition.type),
        "Documentation": None if definition is None else definition.documentation,
    }


def _unknown(name: str, source: int) -> Value:
    """An entry of a name that Kafka 4.4 does not know: a secret for all that it can say."""
    return _entry(name, None, [{"Name": name, "Value": None, "Source": source}], None)


def _synonyms(
    names: Sequence[tuple[str, str | None]], layers: _Layers, *, with_defaults: bool = True
) -> Iterator[Value]:
    """A broker's values of some names by layer, and their defaults last."""
    for values, source in layers:
        for name, _ in names:
            if name in values:
                yield {"Name": name, "Value": values[name], "Source": source}
    if with_defaults:
        for name, default in names:
            if default is not None:
                yield {"Name": name, "Value": default, "Source": _DEFAULT}


def _from(synonyms: list[Value], name: str) -> list[Value]:
    """Those from the first of a name on, as `ConfigHelper` drops the others."""
    at = next((index for index, each in enumerate(synonyms) if each["Name"] == name), len(synonyms))
    return synonyms[at:]


def _without(entry: Value, *, synonyms: bool, text: bool) -> Value:
    return entry | ({} if synonyms else {"Synonyms": []}) | ({} if text else {"Documentation": None})


def _broker_layers(broker: Broker) -> _Layers:
    return [(_own(broker, "BROKER", str(broker.node_id)), _OF_NODE), (_own(broker, "BROKER", ""), _OF_CLUSTER)]


def _own(broker: Broker, kind: str, name: str) -> Mapping[str, str | None]:
    """What the metadata log sets for a resource; null for secrets."""
    return broker.disks.configs.get((kind, name), {})


def _names(broker: Broker, kind: str) -> Iterator[str]:
    return (name for each, name in broker.disks.configs if each == kind)


_ENTRIES: Final[Mapping[int, Callable[[Broker, str], Iterable[Value]]]] = {
    _TOPIC: _topic,
    _BROKER: _broker,
    _LOGGER: lambda *_: (),
    _CLIENT_METRICS: _client_metrics,
    _GROUP: _group,
}

HANDLERS: Handlers = {"DescribeConfigs": describe_configs, "ListConfigResources": list_config_resources}
