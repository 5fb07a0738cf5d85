"""Writes the specs of whole requests and responses: the table of the APIs, and the header and body of each version."""

from message_specs.schemas import Schema, SchemaError, Source, versions
from message_specs.spec import Lines, head, paragraph, snake_case, spec_id

_TAGS = ("serialization",)
_PROTOCOL = "https://kafka.apache.org/protocol"
_WIKI = "https://cwiki.apache.org/confluence/display/KAFKA"
_FLEXIBLE = f"{_WIKI}/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields KIP-482"
_API_VERSIONS = f"{_WIKI}/KIP-511%3A+Collect+and+Expose+Client%27s+Name+and+Version+in+the+Brokers KIP-511"
_NEVER = 0x7FFF


def texts(sources: list[Source]) -> dict[str, str]:
    """Write the specs that contain the messages of the protocol: their texts by id.

    Raises:
        SchemaError: a request has no response of the same versions.
    """
    of_kind = {
        kind: {int(source.schema["apiKey"]): source.schema for source in sources if source.schema["type"] == kind}
        for kind in ("request", "response")
    }
    requests, responses = of_kind["request"], of_kind["response"]
    for key in requests.keys() | responses.keys():
        if _versions(requests.get(key)) != _versions(responses.get(key)):
            raise SchemaError(f"request and response of API {key} have other versions")
    keys = sorted(requests)
    return {
        "kafka_api": _text(_api([requests[key] for key in keys])),
        "kafka_request": _text(_request([requests[key] for key in keys])),
        "kafka_response": _text(_response([responses[key] for key in keys])),
    }


def _text(lines: Lines) -> str:
    return "\n".join(lines) + "\n"


def _versions(schema: Schema | None) -> tuple[object, ...]:
    return () if schema is None else (schema["validVersions"], schema["flexibleVersions"])


def _api_name(schema: Schema) -> str:
    return snake_case(schema["name"].removesuffix("Request").removesuffix("Response"))


def _api(requests: list[Schema]) -> Lines:
    ranges: Lines = []
    for schema in requests:
        first, last = versions(schema["validVersions"]) or (0, -1)
        flexible, _ = versions(schema["flexibleVersions"]) or (_NEVER, _NEVER)
        ranges.append(f"        {schema['apiKey']}: version_range({first}, {last}, {flexible}) # {_api_name(schema)}")
    names: Lines = []
    for schema in requests:
        names += [f"    {schema['apiKey']}:", f"      id: {_api_name(schema)}"]
        names += [f"      doc: A `{spec_id(schema['name'])}`"]
    return [
        *head("kafka_api", "Apache Kafka API", [], tags=_TAGS),
        *paragraph(
            "doc",
            "An API in one version, and how its headers are laid out. It takes no bytes: both are read from the header "
            "of a request, and a response does not repeat them.",
            0,
        ),
        "doc-ref:",
        f"  - {_PROTOCOL}#protocol_api_keys",
        f"  - {_FLEXIBLE}",
        f"  - {_API_VERSIONS}",
        "-webide-representation: '{known_key} version {version:dec}'",
        "params:",
        "  - id: key",
        "    type: s2",
        "    doc: Number of the API",
        "  - id: version",
        "    type: s2",
        "    doc: Version of its requests and responses",
        "seq:",
        "  - id: versions",
        "    type:",
        "      switch-on: key",
        "      cases:",
        *ranges,
        f"        _: version_range(0, -1, {_NEVER})",
        "    doc: Versions of the API",
        "instances:",
        "  is_flexible:",
        "    value: version.as<s4> >= versions.first_flexible",
        "    doc: Whether lengths are varints, and structures end with tagged fields",
        "  known_key:",
        "    value: 'version.as<s4> >= versions.first and version.as<s4> <= versions.last ? key : -1'",
        "    enum: key",
        "    doc: The API, if the version is known as well",
        "  request_header_version:",
        "    value: '(is_flexible ? 2 : 1).as<s2>'",
        "    doc: Version of the request's header",
        "  response_header_version:",
        "    value: '(is_flexible and known_key != key::api_versions ? 1 : 0).as<s2>'",
        *paragraph(
            "doc",
            "Version of the response's header. Clients read that of `kafka_api_versions_response` before they know "
            "any version",
            4,
        ),
        "types:",
        "  version_range:",
        "    doc: Versions that there are. It takes no bytes",
        "    -webide-representation: '{first:dec} to {last:dec}'",
        "    params:",
        "      - id: first",
        "        type: s4",
        "        doc: The oldest version",
        "      - id: last",
        "        type: s4",
        "        doc: The latest version, -1 if the API is not known",
        "      - id: first_flexible",
        "        type: s4",
        f"        doc: The first version with tagged fields, {_NEVER} if there is none",
        "enums:",
        "  key:",
        "    -1:",
        "      id: unknown",
        "      doc: An API or version that is not known",
        *names,
    ]


def _request(requests: list[Schema]) -> Lines:
    return [
        *_frame("request", requests),
        *paragraph(
            "doc",
            "A request of the Kafka protocol, as a client sends it: its size, a header, and a body that depends on the "
            "API and version in the header.",
            0,
        ),
        f"doc-ref: {_PROTOCOL}#protocol_messages",
        "-webide-representation: '{message.api}'",
        *_size("request"),
        "types:",
        "  request:",
        "    seq:",
        "      - id: api",
        "        type: kafka_api(api_key, api_version)",
        "        doc: The API, which determines the layout of header and body. It takes no bytes",
        "      - id: header",
        "        type: kafka_request_header(api.request_header_version)",
        "        doc: Begins with key and version of the API",
        *_body(requests, "api_version"),
        "    instances:",
        "      api_key:",
        "        pos: 0",
        "        type: s2",
        "        doc: Number of the API",
        "      api_version:",
        "        pos: 2",
        "        type: s2",
        "        doc: Version of the request and its response",
    ]


def _response(responses: list[Schema]) -> Lines:
    (api_versions,) = (schema for schema in responses if _api_name(schema) == "api_versions")
    key, last = api_versions["apiKey"], api_versions["validVersions"].rpartition("-")[2]
    return [
        *_frame("response", responses),
        *paragraph(
            "doc",
            "A response of the Kafka protocol, as a broker sends it: its size, a header, and a body. Only the request "
            "tells which API and version it is of; `kafka_exchanges` has both.",
            0,
        ),
        f"doc-ref: {_PROTOCOL}#protocol_messages",
        "params:",
        "  - id: api_key",
        "    type: s2",
        "    doc: Number of the API, from the header of the request",
        "  - id: api_version",
        "    type: s2",
        "    doc: Version of the API, from the header of the request",
        *_size("response"),
        "types:",
        "  response:",
        "    seq:",
        "      - id: api",
        "        type: kafka_api(_root.api_key, response_version)",
        "        doc: The API, which determines the layout of header and body. It takes no bytes",
        "      - id: header",
        "        type: kafka_response_header(api.response_header_version)",
        "        doc: Repeats a number of the request",
        *_body(responses, "response_version"),
        "    instances:",
        "      response_version:",
        f"        value: '_root.api_key == {key} and _root.api_version > {last} ? (0).as<s2> : _root.api_version'",
        *paragraph("doc", "A broker answers a request for API versions that is too new in version 0", 8),
    ]


def _frame(kind: str, schemas: list[Schema]) -> Lines:
    imports = ["kafka_api", f"kafka_{kind}_header", *(spec_id(schema["name"]) for schema in schemas)]
    return head(f"kafka_{kind}", f"Apache Kafka {kind}", imports, tags=_TAGS)


def _size(kind: str) -> Lines:
    return [
        "seq:",
        "  - id: len_message",
        "    type: s4",
        "    doc: Size of the rest in bytes",
        "  - id: message",
        "    size: len_message",
        f"    type: {kind}",
        "    doc: Header and body",
    ]


def _body(schemas: list[Schema], version: str) -> Lines:
    # By number: the compilers for Java and Rust cannot switch on an enumeration of another spec.
    cases = [f"            {schema['apiKey']}: {spec_id(schema['name'])}({version})" for schema in schemas]
    return [
        "      - id: body",
        "        size-eos: true",
        "        type:",
        "          switch-on: api.known_key.to_i.as<s4>",
        "          cases:",
        *cases,
        "        doc: The message; bytes if the API or version is not known",
    ]
