"""The entries of DescribeConfigs: each config of a resource with its value, source, synonyms, type and documentation.

Follows `ConfigHelper` of Kafka 4.4. Entries that a resource does not set itself are made once and shared by all
resources.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kafkafmt.cached import cached_property
from kafkafmt.operations.config_definitions import ConfigDefinition, definitions
from kafkafmt.protocol.codec import Value

OF_TOPIC, OF_NODE, OF_CLUSTER, DEFAULT, OF_CLIENT_METRICS, OF_GROUP = 1, 2, 3, 5, 7, 8
"""`ConfigSource` numbers of the protocol."""

_TYPES = ("UNKNOWN", "BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS", "PASSWORD")
"""`ConfigType` names of the protocol, in order of their numbers."""

_LISTENER = re.compile(r"listener\.name\.[^.]*\.(.+)")
_MECHANISM = re.compile(r"[^.]*\.(sasl\.jaas\.config|sasl\.(?:login|server)\.callback\.handler\.class|.*reauth\.ms)")

Own = Mapping[str, str | None]
"""Configs set by one resource, by name; None for secrets."""

_Layers = Sequence[tuple[Own, int]]
"""Configs with the number of their source, the strongest source first."""


@dataclass(frozen=True, slots=True)
class _Base:
    """A config that a resource does not set itself.

    Attributes:
        definition: Kafka's definition of the config.
        below: the broker's values, the strongest first, then the defaults.
        entry: the entry in an answer.
    """

    definition: ConfigDefinition
    below: list[Value]
    entry: Value


class ConfigEntries:
    """The entries of all resources of served disks.

    Args:
        configs: the configs in the metadata log, by type and name of the resource; None for secrets.
        node_id: id of the broker.
        synonyms: whether entries include their synonyms.
        texts: whether entries include Kafka's documentation.
    """

    def __init__(self, configs: Mapping[tuple[str, str], Own], node_id: int, *, synonyms: bool, texts: bool) -> None:
        self._configs, self._synonyms, self._texts = configs, synonyms, texts
        self._layers: _Layers = [
            (configs.get(("BROKER", str(node_id)), {}), OF_NODE),
            (configs.get(("BROKER", ""), {}), OF_CLUSTER),
        ]

    def of_topic(self, name: str) -> list[Value]:
        """All configs of a topic, including those of its own that Kafka does not know."""
        return self._of(self._topic, self._own("TOPIC", name), OF_TOPIC)

    def of_group(self, name: str) -> list[Value]:
        """All configs of a group."""
        return self._of(self._group, self._own("GROUP", name), OF_GROUP)

    def of_client_metrics(self, name: str) -> list[Value]:
        """All configs of a subscription of client metrics."""
        return self._of(self._client_metrics, self._own("CLIENT_METRICS", name), OF_CLIENT_METRICS)

    def of_broker(self, name: str) -> list[Value]:
        """The dynamic configs of the broker, or the cluster's defaults for the name ""."""
        layers = self._layers if name else self._layers[1:]
        names = dict.fromkeys(each for values, _ in layers for each in values)
        return [self._of_broker(each, layers, is_node=bool(name)) for each in names]

    def _own(self, kind: str, name: str) -> Own:
        return self._configs.get((kind, name), {})

    def _of(self, bases: Mapping[str, _Base], own: Own, source: int) -> list[Value]:
        if not own:
            return [base.entry for base in bases.values() if not base.definition.is_internal]
        found = []
        for name, base in bases.items():
            if name in own:
                raw = own[name]
                value = None if raw is None else base.definition.text(raw)
                first = {"Name": name, "Value": value, "Source": source}
                found.append(self._entry(name, value, [first, *base.below], base.definition))
            elif not base.definition.is_internal:
                found.append(base.entry)
        unknown = ((name, {"Name": name, "Value": None, "Source": source}) for name in own.keys() - bases.keys())
        return [*found, *(self._entry(name, None, [first], None) for name, first in unknown)]

    @cached_property
    def _topic(self) -> Mapping[str, _Base]:
        return dict(self._bases_of_topics())

    def _bases_of_topics(self) -> Iterator[tuple[str, _Base]]:
        for name, definition in definitions("TOPIC").items():
            # Names that can be set for a broker in the metadata log take precedence over other synonyms.
            below = _synonyms(definition.synonyms, self._layers)
            value = definition.default
            if definition.synonyms:
                strongest = definition.synonyms[0][0]
                below = _from(below, strongest)
                if below and below[0]["Source"] != DEFAULT:
                    value = below[0]["Value"]
            yield name, self._base(definition, value, below)

    @cached_property
    def _group(self) -> Mapping[str, _Base]:
        return dict(self._bases_of_groups())

    def _bases_of_groups(self) -> Iterator[tuple[str, _Base]]:
        for name, definition in definitions("GROUP").items():
            below = _synonyms(definition.synonyms, self._layers)
            if not definition.synonyms:
                below = [{"Name": name, "Value": definition.default, "Source": DEFAULT}]
            yield name, self._base(definition, below[0]["Value"] if below else definition.default, below)

    @cached_property
    def _client_metrics(self) -> Mapping[str, _Base]:
        known = definitions("CLIENT_METRICS").items()
        return {name: self._base(definition, definition.default, []) for name, definition in known}

    def _base(self, definition: ConfigDefinition, value: str | None, below: list[Value]) -> _Base:
        entry = self._entry(definition.name, definition.text(value or ""), below, definition)
        return _Base(definition, below, entry)

    def _of_broker(self, name: str, layers: _Layers, *, is_node: bool) -> Value:
        listener = _LISTENER.fullmatch(name)
        base_name = name if listener is None else _MECHANISM.sub(r"\1", listener[1])
        definition = definitions("BROKER").get(base_name)
        names: list[tuple[str, str | None]] = [] if listener is None else [(name, None)]
        names += ((base_name, None),) if definition is None or not definition.synonyms else definition.synonyms
        synonyms = _from(_synonyms(names, layers, with_defaults=is_node), name)
        value = next(values[name] for values, _ in layers if name in values)
        if definition is None or definition.type == "PASSWORD":
            value = None
        elif value is not None and listener is None and is_node:
            value = definition.text(value)
        entry = self._entry(name, value, synonyms, definition)
        if listener is not None or definition is None:
            entry |= {"ReadOnly": True, "Documentation": None}
        return entry

    def _entry(self, name: str, value: str | None, synonyms: list[Value], definition: ConfigDefinition | None) -> Value:
        is_secret = value is None
        shown = synonyms if self._synonyms else []
        if is_secret:
            shown = [each | {"Value": None} for each in shown]
        return {
            "Name": name,
            "Value": value,
            "ReadOnly": False,
            "ConfigSource": synonyms[0]["Source"] if synonyms else DEFAULT,
            "IsSensitive": is_secret,
            "Synonyms": shown,
            "ConfigType": _TYPES.index("UNKNOWN" if definition is None else definition.type),
            "Documentation": definition.documentation if self._texts and definition is not None else None,
        }


def _synonyms(names: Sequence[tuple[str, str | None]], layers: _Layers, *, with_defaults: bool = True) -> list[Value]:
    """A broker's values of some names by layer, followed by the defaults of the names."""
    found = [
        {"Name": name, "Value": values[name], "Source": source}
        for values, source in layers
        for name, _ in names
        if name in values
    ]
    if with_defaults:
        found += ({"Name": name, "Value": value, "Source": DEFAULT} for name, value in names if value is not None)
    return found


def _from(synonyms: list[Value], name: str) -> list[Value]:
    """The synonyms starting at the first one with the name; `ConfigHelper` drops those before it."""
    at = next((index for index, each in enumerate(synonyms) if each["Name"] == name), len(synonyms))
    return synonyms[at:]
