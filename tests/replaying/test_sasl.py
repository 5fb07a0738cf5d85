"""The client side of SASL: the example of RFC 7677, and against our server side, which Kafka's clients have tested."""

import pytest

from kafkafmt.replaying import sasl
from kafkafmt.replaying.errors import TargetError
from kafkafmt.serving.security.exchanges import ScramExchange, Verifiers

USER, PASSWORD = "a,user=1", "pass, word=ü"


def test_the_example_of_the_rfc() -> None:
    answers = [
        b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
    ]
    said = iter(answers)
    tokens = list(sasl.scram("sha256", "user", "pencil", lambda: next(said), nonce="rOprNGfwEbeRWgbNEkqO"))
    assert tokens == [
        b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO",
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
    ]


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_the_server_lets_it_in(mechanism: str) -> None:
    algorithm = mechanism.removeprefix("SCRAM-").replace("-", "").lower()
    server = ScramExchange(Verifiers(algorithm, USER, PASSWORD).of)
    answers: list[bytes] = []
    answers.extend(map(server.answer, sasl.exchange(mechanism, USER, PASSWORD, lambda: answers[-1])))
    assert server.user == USER
    assert len(answers) == 2


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ([b"r=another,s=QQ==,i=4096"], "is not one of SCRAM"),
        ([b"r=mine,s=QQ==,i=4096"], "is not one of SCRAM"),
        ([b"r=mine2,s=%%%,i=4096"], "is not one of SCRAM"),
        ([b"r=mine2,s=QQ==,i=x"], "is not one of SCRAM"),
        ([b"r=mine2,s=QQ==,i=1"], "asks for 1 iterations"),
        ([b"r=mine2,s=QQ==,i=999999999999"], "iterations"),
        ([b"r=mine2,s=QQ==,i=4096", b"v=QUJD"], "does not know the user's password"),
        ([b"r=mine2,s=QQ==,i=4096", b"e=other-error"], "does not know the user's password"),
    ],
)
def test_answers_of_no_or_another_broker_are_refused(answers: list[bytes], text: str) -> None:
    said = iter(answers)
    with pytest.raises(TargetError, match=text):
        list(sasl.scram("sha256", "user", "pencil", lambda: next(said), nonce="mine"))


def test_plain_is_one_token() -> None:
    assert list(sasl.exchange("PLAIN", "user", "secret", bytes)) == [b"\0user\0secret"]
