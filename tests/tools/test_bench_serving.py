"""tools/bench --serving: the comparison, the generated disks, and the page."""

from dataclasses import replace

import pytest

from benchmark import many_partitions, report, servers, start
from benchmark.readings import Reading, Results
from benchmark.topics import Topic
from benchmark.worker import Cost, MeasuringError, ProcessTree

TOPIC = Topic("1000-none-10", "none", 1000, 2, 10)


@pytest.mark.parametrize(
    ("transaction", "visible"),
    # Transactions 1, 5, 9, .. are aborted, but not the last one.
    [(0, 20), (20, 20), (19, 1), (10, 10), (4, 16), (3, 14), (2, 14)],
)
def test_records_that_a_reader_of_committed_ones_sees(transaction: int, visible: int) -> None:
    assert replace(TOPIC, transaction=transaction).visible == visible


def test_a_client_that_reads_too_little_is_no_figure() -> None:
    def read(address: str, topic: Topic) -> int:
        return len(address)

    tree = ProcessTree(1)
    assert isinstance(servers._cost(tree, read, "x" * 20, TOPIC), Cost)
    with pytest.raises(MeasuringError, match="read 19 records of 20"):
        servers._cost(tree, read, "x" * 19, TOPIC)


def test_the_page_compares_servers() -> None:
    costs = {"broker-java": 4.0, "serve-java": 2.0, "broker-kcat": 2.8, "serve-kcat": 2.0}
    readings = {TOPIC.label: {key: Reading(10, 10**9, [cost], [cost]) for key, cost in costs.items()}}
    readings[TOPIC.label + servers.FIRST] = {
        key: Reading(10, 10**9, [cost], [cost]) for key, cost in (("broker-java", 5.0), ("serve-java", 2.5))
    }
    settings = {"rounds": 1, "starts": 1}
    run = many_partitions._Run(1.1, 0.5, [10.0, 30.0, 20.0], 230_000_000, 140_000_000)
    figures = [*many_partitions._of_runs(1000, [run]), *many_partitions._of_runs(20_000, [run])]
    results = Results({}, {}, settings, readings, figures)
    assert [each.is_met for each in servers.serving_goals(readings)] == [True, True, False]
    assert [each.is_met for each in figures] == [False, None, None, False, None, True, None, True, True, None]
    page = report.serving_page(results)
    assert "CPU of Kafka's broker / kafkafmt serve, kcat, 1000 B values, none | at least 1.5 | 1.40 |" in page
    assert "| Metadata of 20,000 partitions, CPU | at most 100 ms | 20.0 ms | 10.0 to 30.0 | yes |" in page
    assert "| 1000 B values, none | 250 | 500 | 357 | 500 |" in page
    assert "| 1000 B values, none, first reading | 200 | 400 | - | - |" in page


def test_it_goes_with_quick_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.parse(["--serving", "--quick"]).output == start.CACHE / "quick"
    with pytest.raises(SystemExit):
        start.parse(["--serving", "--tiers"])
    assert "go with --quick only" in capsys.readouterr().err
