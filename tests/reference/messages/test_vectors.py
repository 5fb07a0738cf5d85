"""What Kafka's own classes wrote is read as Kafka's JSON has it, by kafkafmt and by the generated parsers alone."""

import json

import pytest

from kafkafmt.reference.messages import decode_message, message, message_names
from tests.reference.messages import generated
from tests.reference.messages.vectors import NAMES, of

WITHOUT_CLASS = {"CooperativeStickyAssignorUserData", "StickyAssignorUserData"}


def test_there_are_vectors_of_every_message_and_version() -> None:
    assert set(message_names()) - WITHOUT_CLASS == set(NAMES)
    for name in NAMES:
        kind = message(name)
        assert {vector.version for vector in of(name)} == set(range(kind.first_version, kind.last_version + 1))


@pytest.mark.parametrize("name", NAMES)
def test_messages_are_read_as_kafkas_json_has_them(name: str) -> None:
    for vector in of(name):
        found = vector.read(vector.data)
        assert (found.name, found.version) == (name, vector.version)
        assert json.dumps(json.loads(found.to_json())) == json.dumps(vector.kafkas_json)  # the fields' order, too


@pytest.mark.parametrize("name", NAMES)
def test_a_message_is_read_from_its_payload_alone(name: str) -> None:
    for vector in of(name):
        payload = vector.payload[2:] if message(name).begins_with_version else vector.payload
        assert decode_message(name, vector.version, payload) == vector.read(vector.data)


@pytest.mark.parametrize("name", NAMES)
def test_the_generated_parsers_read_the_same(name: str) -> None:
    for vector in of(name):
        assert generated.read(name, vector.version, vector.payload) == vector.read_payload(vector.payload)
