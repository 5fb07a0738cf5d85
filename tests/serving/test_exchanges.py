"""PLAIN and SCRAM: the exchanges printed in RFC 5802 and RFC 7677, and invalid exchanges."""

import base64
import hashlib
import hmac
from contextlib import nullcontext

import pytest

from kafkafmt.serving.security.exchanges import Exchange, PlainExchange, SaslError, ScramExchange, Verifier, Verifiers

# RFC 5802, section 5, and RFC 7677, section 3: the user "user" has the password "pencil".
PRINTED = {
    "sha1": (
        "QSXCR+Q6sek8bf92",
        "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL",
        "3rfcNHYJY1ZVvWVs7j",
        "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
        "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
        "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
    ),
    "sha256": (
        "W22ZaJ0SNY7soEsUEjb6gQ==",
        "n,,n=user,r=rOprNGfwEbeRWgbNEkqO",
        "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
    ),
}


def printed(algorithm: str) -> ScramExchange:
    salt, _, nonce, *_ = PRINTED[algorithm]
    verifier = Verifier.of(algorithm, "pencil", base64.b64decode(salt))
    return ScramExchange(lambda _: verifier, nonce=nonce)


@pytest.mark.parametrize("algorithm", PRINTED)
def test_the_exchange_of_the_rfc_is_answered_to_the_letter(algorithm: str) -> None:
    _, first, _, first_answer, final, final_answer = PRINTED[algorithm]
    exchange = printed(algorithm)
    assert exchange.answer(first.encode()).decode() == first_answer
    assert exchange.user is None
    assert exchange.answer(final.encode()).decode() == final_answer
    assert exchange.user == "user"
    with pytest.raises(SaslError):
        exchange.answer(final.encode())


def test_the_nonce_of_the_client_may_be_there_twice() -> None:
    # As librdkafka before 2.6.1 sends it; computed with the password, as in RFC 5802.
    _, first, _, first_answer, _, _ = PRINTED["sha256"]
    for repeated, is_taken in (("rOprNGfwEbeRWgbNEkqO", True), ("rOprNGfwEbeRWgbNEkq", False)):
        exchange = printed("sha256")
        exchange.answer(first.encode())
        final = f"c=biws,r={repeated}rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
        salted = hashlib.pbkdf2_hmac("sha256", b"pencil", base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096)
        key = hmac.digest(salted, b"Client Key", "sha256")
        signed = f"{first.removeprefix('n,,')},{first_answer},{final}".encode()
        signature = hmac.digest(hashlib.sha256(key).digest(), signed, "sha256")
        proof = base64.b64encode(bytes(one ^ other for one, other in zip(key, signature, strict=True))).decode()
        with nullcontext() if is_taken else pytest.raises(SaslError, match="another first one"):
            exchange.answer(f"{final},p={proof}".encode())
        assert (exchange.user == "user") is is_taken


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("p=d", "p=e"),  # another proof
        ("p=dHzb", "p="),  # a shorter proof
        ("AndVQ=", "AndV"),  # not Base64
        ("$k0", "$k1"),  # another nonce
        ("biws", "eSws"),  # "y,,", where the first message says "n,,"
        ("biws", "bixhPXVzZXIs"),  # "n,a=user,"
        (",p=", ",x=1,p="),  # an extension that is not in the proof
        ("c=biws,", ""),
    ],
)
def test_another_final_message_is_refused(old: str, new: str) -> None:
    _, first, _, _, final, _ = PRINTED["sha256"]
    exchange = printed("sha256")
    exchange.answer(first.encode())
    with pytest.raises(SaslError):
        exchange.answer(final.replace(old, new, 1).encode())
    assert exchange.user is None


@pytest.mark.parametrize(
    "first",
    [
        "p=tls-unique,,n=user,r=abc",  # a channel binding
        "n,a=admin,n=user,r=abc",  # another user
        "n,,n=user,r=abc,tokenauth=true",  # a delegation token
        "n,,m=1,n=user,r=abc",  # a mandatory extension
        "n,,n=us=er,r=abc",
        "n,,n=us=2Der,r=abc",
        "n,,n=,r=abc",
        "n,,n=user,r=",
        "n,,n=user,r=a\x7fc",
        "n,,n=us\0er,r=abc",
        "n=user,r=abc",
        "",
    ],
)
def test_another_first_message_is_refused(first: str) -> None:
    with pytest.raises(SaslError):
        printed("sha256").answer(first.encode())
    with pytest.raises(SaslError) as caught:
        printed("sha256").answer(first.encode() + b"\xff")
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("first", "user"),
    [
        ("n,,n=a=3Db=2Cc,r=abc", "a=b,c"),  # as Kafka's ScramFormatter writes it
        ("n,a=a=3Db,n=a=3Db,r=abc", "a=b"),
        ("y,,n=jos\N{LATIN SMALL LETTER E WITH ACUTE},r=abc", "jos\N{LATIN SMALL LETTER E WITH ACUTE}"),
        ("n,,n=user,r=abc,tokenauth=false,x=1", "user"),
    ],
)
def test_names_are_read_as_kafka_writes_them(first: str, user: str) -> None:
    asked = []

    def verifier_of(name: str) -> Verifier:
        asked.append(name)
        return Verifier.of("sha256", "pencil", b"salt")

    ScramExchange(verifier_of).answer(first.encode())
    assert asked == [user]


def test_a_stranger_has_a_salt_of_its_own_and_nonces_are_random() -> None:
    def first_of(verifiers: Verifiers, user: str) -> tuple[str, str, str]:
        answer = ScramExchange(verifiers.of).answer(f"n,,n={user},r=abc".encode()).decode()
        nonce, salt, iterations = answer.split(",")
        return nonce, salt, iterations

    verifiers = Verifiers("sha512", "user", "pencil")
    known, stranger, other = (first_of(verifiers, user) for user in ("user", "nobody", "other"))
    assert known[2] == stranger[2] == "i=4096"
    assert len(known[1]) == len(stranger[1]) == len("s=") + 32
    assert first_of(verifiers, "user")[1] == known[1]
    assert first_of(verifiers, "nobody")[1] == stranger[1] != other[1]
    assert first_of(Verifiers("sha512", "user", "pencil"), "user")[1] != known[1]
    assert len({first_of(verifiers, "user")[0] for _ in range(20)}) == 20


@pytest.mark.parametrize(
    ("token", "said"),
    [
        (b"\0user\0pencil", None),
        (b"user\0user\0pencil", None),
        (b"admin\0user\0pencil", "Authentication failed: Client requested an authorization id that is different from"),
        (b"\0user\0Pencil", "Authentication failed: Invalid username or password"),
        (b"\0User\0pencil", "Authentication failed: Invalid username or password"),
        (b"\0user\0", "Authentication failed: password not specified"),
        (b"\0\0pencil", "Authentication failed: username not specified"),
        (b"user\0pencil", "Invalid SASL/PLAIN response: expected 3 tokens, got 2"),
        (b"\0user\0pencil\0", "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
        (b"\0user\0\xff", ""),
    ],
)
def test_plain_lets_in_the_user_alone(token: bytes, said: str | None) -> None:
    exchange: Exchange = PlainExchange(lambda user, password: (user, password) == ("user", "pencil"))
    if said is None:
        assert exchange.answer(token) == b""
        assert exchange.user == "user"
        return
    with pytest.raises(SaslError) as caught:
        exchange.answer(token)
    assert exchange.user is None
    assert (caught.value.said or "").startswith(said)
    assert "encil" not in str(caught.value)
