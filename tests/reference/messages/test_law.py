"""Any bytes of a message give an `ApiMessage` or a `KafkafmtError`, and the generated parsers agree on which."""

import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import KaitaiStructError

from kafkafmt.errors import CorruptError, KafkafmtError, TruncatedError
from kafkafmt.reference.messages import ApiMessage
from tests.reference.messages import generated
from tests.reference.messages.vectors import NAMES, Vector, of, typical, vectors


def obeys_the_law(vector: Vector, data: bytes) -> None:
    """Every exception but a `KafkafmtError` goes on; what is read can be printed."""
    with suppress(KafkafmtError):
        decoded = vector.read(data)
        assert isinstance(decoded, ApiMessage)
        decoded.to_json()


def generated_parsers_agree(vector: Vector, payload: bytes) -> None:
    """Both read the same of a message's bytes, or neither reads it."""
    try:
        expected = generated.read(vector.name, vector.version, payload)
    except (KaitaiStructError, ValueError):
        with pytest.raises(CorruptError):
            vector.read_payload(payload)
    else:
        try:
            found = vector.read_payload(payload)
        except CorruptError as error:
            # The specs let it pass, as not all of Kaitai's languages can refuse it.
            assert error.message == "a negative number of tagged fields"  # noqa: PT017 - the exception is one outcome
        else:
            assert repr(found) == repr(expected)  # NaN, as of a quota, is not equal to itself


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_prefix_is_refused_as_truncated(name: str) -> None:
    for vector in of(name):
        for end in range(len(vector.data)):
            with pytest.raises(TruncatedError):
                vector.read(vector.data[:end])


@pytest.mark.parametrize("name", NAMES)
def test_every_flipped_bit_obeys_the_law(name: str) -> None:
    for vector in typical(name):
        for bit in range(8 * len(vector.data)):
            flipped = bytearray(vector.data)
            flipped[bit // 8] ^= 1 << bit % 8
            obeys_the_law(vector, bytes(flipped))


@pytest.mark.parametrize("name", NAMES)
def test_the_generated_parsers_agree_on_mutations(name: str) -> None:
    for vector in typical(name):
        choice = random.Random(f"{name} {vector.version}")
        first = 2 if vector.payload is vector.data else 0
        for _ in range(60):
            changed = bytearray(vector.payload)
            for _ in range(choice.randrange(1, 3)):
                changed[choice.randrange(first, max(len(changed), first + 1)) % len(changed)] = choice.choice(
                    [0, 1, 2, 0x7F, 0x80, 0xFF, choice.randrange(256)]
                )
            if changed[:first] == vector.payload[:first]:  # of the same version
                generated_parsers_agree(vector, bytes(changed))


@given(data=st.data())
def test_messages_with_bytes_replaced_obey_the_law(data: st.DataObject) -> None:
    vector = data.draw(st.sampled_from(vectors()))
    start = data.draw(st.integers(0, len(vector.data)))
    end = data.draw(st.integers(start, len(vector.data)))
    obeys_the_law(vector, vector.data[:start] + data.draw(st.binary(max_size=30)) + vector.data[end:])


@given(name=st.sampled_from(NAMES), data=st.binary(max_size=300))
def test_any_bytes_behind_a_sound_beginning_obey_the_law(name: str, data: bytes) -> None:
    for vector in typical(name):
        obeys_the_law(vector, data)
        obeys_the_law(vector, vector.data[:3] + data)
