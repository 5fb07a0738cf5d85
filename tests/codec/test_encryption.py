"""Chunks encrypted with AES-GCM, and their key with RSA (OAEP, SHA3-512)."""

import base64
import json
import pickle
import random
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import CorruptError, KafkafmtError, UnsupportedError
from kafkafmt.codec.encryption import IV_SIZE, OVERHEAD, ChunkCipher, load_private_key, unwrap_key
from kafkafmt.io.keys import VARIABLE, DecryptionKeys
from tests import oaep
from tests.golden_cases import tier_case
from tests.oaep import HASH, encrypt, padded

DATA_KEY = bytes(range(100, 132))
AAD = bytes(range(32))


@cache
def private(bits: int = 2048, number: int = 0) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, bits)


def pem(key: object, password: bytes | None = None, form: PrivateFormat = PrivateFormat.PKCS8) -> bytes:
    how = NoEncryption() if password is None else BestAvailableEncryption(password)
    content: bytes = key.private_bytes(Encoding.PEM, form, how)  # type: ignore[attr-defined]
    return content


def wrap(key: rsa.RSAPrivateKey, message: bytes = DATA_KEY, seed: bytes = bytes(HASH)) -> bytes:
    return oaep.wrap(key, message, seed)


@pytest.mark.slow
@pytest.mark.parametrize("bits", [2048, 3072, 4096])
@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_a_data_key_is_unwrapped(bits: int, form: PrivateFormat) -> None:
    numbers = load_private_key(pem(private(bits), form=form))
    for number in range(20):
        chosen = random.Random(number)
        key = chosen.randbytes(32)
        assert unwrap_key(numbers, wrap(private(bits), key, chosen.randbytes(HASH))) == key


@given(message=st.binary(min_size=32, max_size=32), seed=st.binary(min_size=HASH, max_size=HASH))
def test_any_data_key_is_unwrapped(message: bytes, seed: bytes) -> None:
    assert unwrap_key(private().private_numbers(), wrap(private(), message, seed)) == message


def test_the_plugins_data_keys_are_what_opens_golden_chunks() -> None:
    case = tier_case(3)
    numbers = load_private_key(case.keys["key1"].read_bytes())
    opened = 0
    for path in case.tier.rglob("*.rsm-manifest"):
        told = json.loads(path.read_text())
        key = unwrap_key(numbers, base64.b64decode(told["encryption"]["dataKey"].partition(":")[2]))
        cipher = AESGCM(key)
        size = told["chunkIndex"]["transformedChunkSize"]
        chunk = path.with_suffix(".log").read_bytes()[:size]
        plain = cipher.decrypt(chunk[:12], chunk[12:], base64.b64decode(told["encryption"]["aad"]))
        assert ChunkCipher(key, base64.b64decode(told["encryption"]["aad"])).decrypt(memoryview(chunk)) == plain
        opened += 1
    assert opened > 5


@pytest.mark.parametrize("size", [0, 1, 16, 31, 33, 126])
def test_a_data_key_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(CorruptError, match="another key"):
        unwrap_key(private().private_numbers(), wrap(private(), bytes(size)))


@pytest.mark.parametrize(
    "block",
    [
        padded(256, DATA_KEY, bytes(HASH), label=b"label"),
        padded(256, DATA_KEY, bytes(HASH), first=1),
        padded(256, DATA_KEY, bytes(HASH), mark=2),
        padded(256, DATA_KEY, bytes(HASH), mark=0),
        bytes(256),
        b"\0" + b"\x11" * 255,
    ],
    ids=["label", "first byte", "mark", "no mark", "zeros", "noise"],
)
def test_wrong_padding_is_refused(block: bytes) -> None:
    with pytest.raises(CorruptError, match="another key"):
        unwrap_key(private().private_numbers(), encrypt(private(), block))


def test_another_key_is_refused() -> None:
    wrapped = wrap(private())
    other = private(2048, 1)
    number = int.from_bytes(wrapped, "big") % other.public_key().public_numbers().n
    with pytest.raises(CorruptError, match="another key"):
        unwrap_key(other.private_numbers(), number.to_bytes(256, "big"))


@pytest.mark.slow
def test_every_tampered_byte_is_noticed() -> None:
    numbers = private().private_numbers()
    wrapped = wrap(private())
    for at in range(len(wrapped)):
        changed = bytearray(wrapped)
        changed[at] ^= 1
        with pytest.raises(CorruptError):
            unwrap_key(numbers, bytes(changed))


@pytest.mark.parametrize("wrapped", [b"", b"x", bytes(255), bytes(257), b"\xff" * 256, bytes(256)])
def test_a_ciphertext_of_another_size_is_refused(wrapped: bytes) -> None:
    with pytest.raises(CorruptError):
        unwrap_key(private().private_numbers(), wrapped)


def test_a_key_too_small_for_the_padding_is_refused() -> None:
    with pytest.raises(CorruptError):
        unwrap_key(private(1024).private_numbers(), bytes(128))


def chunk_of(plain: bytes, key: bytes = DATA_KEY, aad: bytes = AAD) -> bytes:
    return bytes(IV_SIZE) + AESGCM(key).encrypt(bytes(IV_SIZE), plain, aad)


@given(plain=st.binary(max_size=300))
def test_a_chunk_is_decrypted(plain: bytes) -> None:
    stored = chunk_of(plain)
    assert len(stored) == len(plain) + OVERHEAD
    assert ChunkCipher(DATA_KEY, AAD).decrypt(memoryview(stored)) == plain


def test_a_chunk_of_which_anything_is_changed_is_refused() -> None:
    stored = chunk_of(b"plain text")
    cipher = ChunkCipher(DATA_KEY, AAD)
    changed = [bytes([*stored[:at], stored[at] ^ 1, *stored[at + 1 :]]) for at in range(len(stored))]
    for data in [*changed, stored + b"\0", stored[1:], *(stored[:end] for end in range(len(stored)))]:
        with pytest.raises(CorruptError):
            cipher.decrypt(memoryview(data))
    for other in (ChunkCipher(DATA_KEY, AAD[1:]), ChunkCipher(DATA_KEY[::-1], AAD)):
        with pytest.raises(CorruptError, match="tag"):
            other.decrypt(memoryview(stored))


@pytest.mark.parametrize("what", ["text", "nothing", "half", "public", "certificate", "binary"])
def test_what_is_no_private_key_is_refused_and_not_quoted(what: str) -> None:
    whole = pem(private())
    data = {
        "text": b"secret words",
        "nothing": b"",
        "half": whole[: len(whole) // 2],
        "public": private().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        "certificate": whole.replace(b"PRIVATE KEY", b"CERTIFICATE"),
        "binary": bytes(range(256)),
    }[what]
    with pytest.raises(CorruptError, match=r"^not a private key in PEM$") as caught:
        load_private_key(data)
    assert caught.value.__cause__ is None
    assert (caught.value.expected, caught.value.found) == (None, None)


@pytest.mark.parametrize("key", [ec.generate_private_key(ec.SECP256R1()), ed25519.Ed25519PrivateKey.generate()])
def test_a_private_key_of_another_kind_is_refused(key: object) -> None:
    with pytest.raises(CorruptError, match="not an RSA private key"):
        load_private_key(pem(key))


def test_a_private_key_with_a_password_is_not_supported() -> None:
    with pytest.raises(UnsupportedError, match="encrypted with a password"):
        load_private_key(pem(private(), b"password"))


def test_a_key_that_is_not_there_is_told_by_name_and_path(tmp_path: Path) -> None:
    keys = DecryptionKeys.of({"a": tmp_path / "none.pem", "b": str(tmp_path)})
    with pytest.raises(UnsupportedError, match=r"'c'.*--key-file c=PATH") as unknown:
        keys.unwrap("c", b"")
    assert unknown.value.expected == "one of 'a', 'b'"
    for name, path in keys.paths.items():
        with pytest.raises(UnsupportedError, match=f"key '{name}', {path}"):
            keys.unwrap(name, b"")
    large = tmp_path / "large.pem"
    large.write_bytes(pem(private()) + bytes(64 * 1024))
    with pytest.raises(KafkafmtError, match="key 'd'"):
        DecryptionKeys.of({"d": large}).unwrap("d", b"")


def test_keys_come_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " a=/one , b=/two=2,")
    assert DecryptionKeys.of(None).paths == {"a": "/one", "b": "/two=2"}
    assert DecryptionKeys.of({"b": Path("/three")}).paths == {"a": "/one", "b": "/three"}
    for text in ("a", "a=", "=/one", "a=/one,b"):
        monkeypatch.setenv(VARIABLE, text)
        with pytest.raises(ValueError, match=f"{VARIABLE} must be NAME=PATH"):
            DecryptionKeys.of(None)
    monkeypatch.delenv(VARIABLE)
    assert DecryptionKeys.of(None).paths == {}
    for wrong in ("a=/one", {"a": b"/one"}, {1: "/one"}):
        with pytest.raises(TypeError):
            DecryptionKeys.of(wrong)  # type: ignore[arg-type]


def secrets(number: int) -> list[bytes]:
    """Secrets that must not leave the machine: text and numbers of private keys, and the data keys they decrypt."""
    case = tier_case(number)
    found = []
    for path in case.keys.values():
        numbers = load_private_key(path.read_bytes())
        found += path.read_bytes().split(b"\n")[1:-2]
        for one in (numbers.d, numbers.p, numbers.q, numbers.dmp1, numbers.dmq1, numbers.iqmp):
            found += [one.to_bytes(256, order).strip(b"\0") for order in ("big", "little")]
            found += [str(one).encode(), f"{one:x}".encode()]
    keys = DecryptionKeys.of(case.keys)
    for manifest in case.tier.rglob("*.rsm-manifest"):
        name, _, wrapped = json.loads(manifest.read_text())["encryption"]["dataKey"].partition(":")
        key = keys.unwrap(name, base64.b64decode(wrapped))
        found += [key, repr(key).encode()[2:-1], base64.b64encode(key), key.hex().encode()]
    return found


@pytest.mark.parametrize("number", [3, 4])
def test_keys_are_in_nothing_that_is_sent_or_shown(number: int) -> None:
    case = tier_case(number)
    disks = kafkafmt.open(case.tier, decryption_keys=case.keys)
    scan = disks.scan()
    assert scan.count()
    said = []
    for partition in disks.partitions:
        for segment in partition.segments:
            assert list(segment.records())
            said += [pickle.dumps(segment), pickle.dumps(segment.location)]
            said += [text.encode() for text in (repr(segment), str(segment), repr(vars(segment.location.upload)))]  # type: ignore[attr-defined]
    said.append(pickle.dumps(scan.plan()))
    everything = b"".join(said)
    assert [secret for secret in secrets(number) if secret in everything] == []
    assert all(str(path).encode() in everything for path in case.keys.values())
    again = pickle.loads(pickle.dumps(disks.partitions[0].segments[0]))
    assert [record.offset for record in again.records()] == [
        record.offset for record in disks.partitions[0].segments[0].records()
    ]


@pytest.mark.parametrize("has_decrypt_into", [True, False])
def test_a_chunk_is_decrypted_where_it_is_wanted(*, has_decrypt_into: bool) -> None:
    cipher = ChunkCipher(DATA_KEY, AAD)
    if not has_decrypt_into:  # cryptography before 47
        cipher._cipher = SimpleNamespace(decrypt=AESGCM(DATA_KEY).decrypt)
    chunk = chunk_of(b"some records")
    for room in (12, 5, 20):
        target = bytearray(room)
        size = cipher.decrypt_into(memoryview(chunk), memoryview(target))
        assert bytes(target[:size]) == b"some records"[:room]
    with pytest.raises(CorruptError, match="tag"):
        cipher.decrypt_into(memoryview(chunk[:-1] + b"?"), memoryview(bytearray(12)))


def test_without_cryptography_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"No module named {name}")

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(UnsupportedError, match=r"pip install 'kafkafmt\[tiered\]'"):
        ChunkCipher(DATA_KEY, AAD)
