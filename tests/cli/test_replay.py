"""`kafkafmt replay`: usage, refusals and a dry run; `tools/proof replay` tests what it sends."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import kafkafmt as product
from tests.cli.conftest import Call

SHOP = Path("docs/examples/shop/log-dir")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with product.serve(SHOP, say=lambda _: None) as server:
        yield server.address


def test_a_dry_run_says_what_is_refused(kafkafmt: Call, address: str) -> None:
    answer = kafkafmt("replay", SHOP, "--to", address, "--topic", "orders", "--topic", "customers=new", "--dry-run")
    assert answer.status == 1
    header, *rows = answer.stdout.decode().splitlines()
    assert header.split()[:4] == ["topic", "partition", "targetTopic", "targetPartition"]
    assert [row.split()[:5] for row in rows] == [
        ["customers", "0", "new", "0", "6"],
        ["orders", "0", "orders", "0", "4"],
        ["orders", "1", "orders", "1", "4"],
        ["orders", "2", "orders", "2", "6"],
    ]
    assert "kafkafmt: refused: new does not exist in the target: --create makes it" in answer.stderr
    assert "kafkafmt: refused: orders is not empty: partition 0 has offsets 0 to 9" in answer.stderr
    assert "kafkafmt: note: orders-0 is sent up to offset 8: a transaction is open there" in answer.stderr
    assert "kafkafmt: note: nothing would be sent; run " in answer.stderr


def test_a_refusal_ends_with_a_status_of_its_own(kafkafmt: Call, address: str) -> None:
    answer = kafkafmt("replay", SHOP, "--to", address, "--topic", "orders")
    assert (answer.status, answer.stdout) == (1, b"")
    first, last = answer.stderr.splitlines()
    assert first.startswith("kafkafmt: refused: orders is not empty: ")
    assert last == "kafkafmt: note: nothing was sent"


def test_a_target_that_is_not_there_is_unreadable(kafkafmt: Call) -> None:
    answer = kafkafmt("replay", SHOP, "--to", "127.0.0.1:1")
    assert (answer.status, answer.stdout) == (3, b"")
    assert answer.stderr == "kafkafmt: 127.0.0.1:1: cannot connect: Connection refused\n"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "Missing option '--to'"),
        (("--to", "live"), "to must be HOST:PORT, not 'live'."),
        (("--to", "live:1", "--rate", "soon"), "rate must be records a second"),
        (("--to", "live:1", "--topic", "=new"), "must be NAME or OLD=NEW."),
        (("--to", "live:1", "--topic", "old="), "must be NAME or OLD=NEW."),
    ],
)
def test_wrong_usage(kafkafmt: Call, options: tuple[str, ...], text: str) -> None:
    answer = kafkafmt("replay", SHOP, *options)
    assert answer.status == 2
    assert text in answer.stderr


def test_a_client_config_that_is_not_there_is_unreadable(kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt("replay", SHOP, "--to", "live:1", "--client-config", tmp_path / "none")
    assert answer.status == 3
    assert "none: cannot be read: No such file or directory" in answer.stderr
