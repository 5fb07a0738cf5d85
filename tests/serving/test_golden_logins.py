"""Authentication dialogues recorded from a Kafka 4.4.0 broker: a served disk answers the same bytes."""

import json
import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.schemas import api_key
from kafkafmt.serving.security.sasl import Credentials, Login, LoginError
from kafkafmt.serving.serve import Server
from tests.golden_cases import GOLDEN
from tests.serving.logins import password_file
from tests.serving.wire import Wire

SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"
DIALOGUES: dict[str, list[dict[str, Any]]] = json.loads((GOLDEN / "sasl" / "dialogues.json").read_text())

DIFFERENT = {
    "SCRAM, unknown user": "a broker says at once that there is none; here it is as with a wrong password",
    "SCRAM, channel bindings are known": "RFC 5802 lets such clients in, since no mechanism with a binding is offered",
}
"""Dialogues with a different answer, and the reason."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = password_file(tmp_path_factory.mktemp("sasl"), b"secret, pass=word")
    with kafkafmt.serve(SHOP, sasl_user="audit", sasl_password_file=path, say=lambda _: None) as made:
        yield made


def answered(server: Server, sent: list[bytes]) -> Iterator[bytes]:
    with Wire(server.address) as wire:
        for frame in sent:
            wire.send(frame)
            answer = wire.receive()
            yield answer[:6] if frame[4:6] == struct.pack(">h", api_key("ApiVersions")) else answer


@pytest.mark.parametrize("name", DIALOGUES)
def test_the_dialogue_is_that_of_a_broker(server: Server, name: str) -> None:
    sent = [bytes.fromhex(each["sent"]) for each in DIALOGUES[name]]
    expected = [bytes.fromhex(each["answer"]) for each in DIALOGUES[name]]
    assert (list(answered(server, sent)) == expected) is (name not in DIFFERENT)


def test_any_bytes_are_answered_or_refused_and_nobody_gets_in() -> None:
    chance = random.Random(1)
    frames = [bytes.fromhex(each["sent"])[4:] for dialogue in DIALOGUES.values() for each in dialogue]
    credentials, ends = Credentials("audit", "a password that nobody sends"), 0
    for _ in range(1_500):
        login = Login(credentials, lambda _: None)
        try:
            for _ in range(4):
                frame = bytearray(chance.choice(frames))
                for _ in range(chance.randrange(3) if frame else 0):
                    frame[chance.randrange(len(frame))] = chance.randrange(256)
                login.answer(memoryview(frame))
        except (LoginError, KafkafmtError):
            ends += 1
        assert login.user is None
    assert ends > 1_000
