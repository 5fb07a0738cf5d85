"""tools/demo_answers: what the demo says of a cluster by its internal topics."""

import pytest

import demo_report as report
import environment
import kafkafmt.topics
from demo_answers import answers
from tests.golden_cases import GOLDEN

SHOP = environment.ROOT / "docs" / "examples" / "shop" / "log-dir"
ALL = {"__cluster_metadata", "__consumer_offsets", "__transaction_state", "orders", None}


def test_topics_groups_transactions_and_producers_of_the_shop() -> None:
    lines = list(answers(SHOP, ALL, 100))
    assert lines[0] == "What this cluster was doing:"
    assert all(len(line) <= 100 or str(SHOP) in line for line in lines)
    words = [line.split() for line in lines]
    assert "1 broker, 6 topics, 13 partitions, metadata version 4.3-IV0" in lines
    assert ["page-views", "2", "1", "compression.type=zstd,", "retention.ms=-1"] in words
    assert ["billing", "Classic", "Stable", "range", "2", "5", "37"] in words
    assert ["search-index", "Consumer", "Stable", "uniform", "1", "3", "0"] in words
    assert "3 transactional ids (2 CompleteCommit, 1 Ongoing); 3 transactions open, 1 hanging" in lines
    assert ["hanging", "orders-0", "8", "1"] in [line[:4] for line in words]
    assert "5 idempotent producers" in lines
    assert f"  more: {report.program('kafkafmt')} groups {SHOP}" in lines


def test_only_what_is_there_is_answered_and_long_lists_are_cut() -> None:
    case = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"
    lines = list(answers(case, {"__transaction_state", "tx"}, 100))
    assert not any("group" in line or "broker" in line for line in lines)
    assert "7 idempotent producers" in lines
    metadata = GOLDEN / "modern" / "10-cluster-metadata-4.3.1" / "log-dir"
    lines = list(answers(metadata, {"__cluster_metadata"}, 100))
    assert sum(line.startswith("  bulk-") for line in lines) <= 8
    assert any(line.startswith("  and ") and "kafkafmt metadata" in line for line in lines)


def test_nothing_is_said_without_an_internal_topic() -> None:
    assert list(answers(GOLDEN / "modern" / "06-retention-4.3.1" / "log-dir", {"by-size", None}, 100)) == []


def test_what_cannot_be_read_is_named_and_the_rest_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise kafkafmt.SourceError("no luck", file="a\udcff\n")

    monkeypatch.setattr(kafkafmt.topics, "metadata", fail)
    lines = list(answers(SHOP, ALL, 100))
    assert lines[1] == r"__cluster_metadata cannot be read: a\udcff\n: no luck"
    assert "4 groups" in lines
