"""The proof "spark": fills a broker, reads it with Spark's kafka source, then reads its disk with kafkafmt; compares.

The broker ends twice: by a crash, and after another start by an orderly stop; its disk is read after each. Then the
recipes that put records back into a cluster run against a second broker.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyspark
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import proof_frame
from kafka_broker.broker import Broker, BrokerError
from proof_frame import DIFFERS
from spark_proof import cases, readers, restoring
from spark_proof.case import TOPICS, Case
from spark_proof.compare import differences
from spark_proof.filled_broker import COMPACTED, SETTINGS, TransactionRaceError, fill
from spark_proof.restoring import Restored

_REPORTED = 8
_MESSAGE_LENGTH = 300
_ATTEMPTS = 3

NOTES = """\
Both alike: read_uncommitted returns records of aborted and of open transactions, too; control records, the markers of
commits and aborts, never appear, though each takes an offset and counts where a start is looked up by time.
By nature different: Spark's source ends at the high watermark, which the broker knows, ours at the end of the log on
disk. If the broker has no followers, as here, they are the same."""


@dataclass
class Result:
    """The result of a case.

    Attributes:
        case: the case.
        answer: rows of Spark's own source, or its error.
        found: differences of kafkafmt's rows, by reader and end of the broker.
    """

    case: Case
    answer: pa.Table | str
    found: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_same(self) -> bool:
        """Whether Spark's source behaved as expected, and kafkafmt's rows are the same, or differ as intended."""
        if self.case.meant:
            return all(self.found.values())
        return isinstance(self.answer, str) == self.case.refused and not any(self.found.values())


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    started = time.monotonic()

    def prove(_: argparse.Namespace, home: Path) -> int:
        results, restored = _prove(home / "broker", home / "spark", Progress(started))
        return report(results, restored, time.monotonic() - started)

    return proof_frame.run(arguments, prove)


class Progress:
    """Reports progress on stderr, with the elapsed time."""

    def __init__(self, started: float) -> None:
        self._started = started

    def __call__(self, text: str) -> None:
        """Print a line."""
        print(f"{time.monotonic() - self._started:5.0f} s  {text}", file=sys.stderr, flush=True)


def _prove(home: Path, scratch: Path, say: Progress) -> tuple[list[Result], list[Restored]]:
    with _filled_broker(home, say) as (broker, sent):
        say(f"Kafka's producers have sent {sum(sent.values())} records to {len(sent)} topics")
        with readers.session(scratch) as spark:
            say(f"Spark {pyspark.__version__} runs")
            results = _read_broker(spark, broker)
            say(f"Spark's kafka source has read the broker {len(results)} times")
            check_compaction(sent, results[0].answer)
            broker.kill()
            again = [result for result in results if result.case.again]
            _read_disk(spark, broker, again, "after a crash")
            say(f"kafkafmt has read its disk {len(again)} times after a crash")
            broker.start()
            broker.stop()
            say("the broker has recovered, and is stopped")
            _read_disk(spark, broker, results, "after a stop")
            say(f"kafkafmt has read its disk {len(results)} times")
            restored = list(restoring.restore(spark, broker.log_dirs, scratch / "restored"))
            say("the recipes have put records back into a second broker")
    return results, restored


@contextmanager
def _filled_broker(home: Path, say: Progress) -> Iterator[tuple[Broker, dict[str, int]]]:
    for attempt in range(1, _ATTEMPTS + 1):
        with Broker(home / str(attempt), SETTINGS, log_dirs=2) as broker:
            say(f"a broker runs at {broker.bootstrap_servers}")
            try:
                sent = fill(broker)
            except TransactionRaceError as error:
                if attempt == _ATTEMPTS:
                    raise
                say(f"the broker refused a transaction, another one starts: {str(error).strip().splitlines()[-1]}")
                continue
            yield broker, sent
            return


def _read_broker(spark: SparkSession, broker: Broker) -> list[Result]:
    def read(case: Case) -> Result:
        return Result(case, _rows(partial(readers.official, spark, broker.bootstrap_servers, case.options)))

    whole = [read(case) for case in cases.whole()]
    if isinstance(whole[0].answer, str):
        raise BrokerError(f"Spark's kafka source cannot read the broker: {whole[0].answer}\n{broker.log_tail()}")
    return [*whole, *map(read, cases.narrow(whole[0].answer))]


def _read_disk(spark: SparkSession, broker: Broker, results: list[Result], when: str) -> None:
    for result in results:
        rows = _rows(partial(readers.ours, spark, broker.log_dirs, result.case.options))
        result.found[f"format, {when}"] = _compare(result.answer, rows)
    for result in results[: len(cases.whole())]:
        options = result.case.options
        committed = options.get("kafka.isolation.level") == "read_committed"
        if isinstance(result.answer, pa.Table):
            rows = readers.scan(broker.log_dirs, TOPICS, result.answer.schema, committed=committed)
            result.found[f"scan, {when}"] = _compare(result.answer, rows)


def _rows(load: Callable[[], DataFrame]) -> pa.Table | str:
    """Return the rows, or Spark's error."""
    try:
        return load().toArrow()
    except (PySparkException, Py4JJavaError) as error:
        return str(error)


def _compare(official: pa.Table | str, ours: pa.Table | str) -> list[str]:
    if isinstance(official, str):
        return [] if isinstance(ours, str) else [f"kafkafmt gives {ours.num_rows} rows, Spark refuses"]
    if isinstance(ours, str):
        return [f"kafkafmt refuses: {_short(ours)}"]
    return differences(official, ours)


def check_compaction(sent: dict[str, int], rows: pa.Table | str) -> None:
    """Require that compacted topics were really compacted: most records are removed, and tombstones remain.

    Raises:
        BrokerError: a topic was not compacted, so that the proof would mean nothing for it.
    """
    found = Counter(rows["topic"].to_pylist() if isinstance(rows, pa.Table) else [])
    for topic in {name.rpartition("-")[0] for name in COMPACTED}:
        if not 0 < found[topic] < sent[topic] / 2:
            raise BrokerError(f"{topic} is not compacted: {sent[topic]} records sent, {found[topic]} found")


def report(results: Sequence[Result], restored: Sequence[Restored], seconds: float) -> int:
    """Print the table of cases with notes; returns the exit status."""
    names = dict.fromkeys(name for result in results for name in result.found)
    width = max((len(result.case.name) for result in results), default=0)
    print(f"{'':{width}}  rows of  differences of")
    print(f"{'case':{width}}    Spark  {'; '.join(names)}")
    for result in results:
        rows = "refused" if isinstance(result.answer, str) else str(result.answer.num_rows)
        counts = [_count(result, name) for name in names]
        print(f"{result.case.name:{width}}  {rows:>7}  {' '.join(f'{count:>5}' for count in counts)}")
    print(f"\n{NOTES}")
    for result in results:
        if result.case.meant:
            print(f"Meant, {result.case.name}: {result.case.meant}.")
    different = [result for result in results if not result.is_same]
    for result in different[:_REPORTED]:
        print(f"\n{result.case.name}: {result.case.options}")
        for text in _findings(result):
            print(f"  {text}")
    if len(different) > _REPORTED:
        print(f"\n... and {len(different) - _REPORTED} more")
    for recipe, count, texts in restored:
        print(f"\nRecipe `{recipe}`: {count} records restored; {'; '.join(texts) or 'the same, in the same order'}")
    compared = sum(
        result.answer.num_rows * len(result.found)
        for result in results
        if isinstance(result.answer, pa.Table) and not result.case.meant
    )
    print(
        f"\n{len(results)} cases, {compared} rows compared, {len(different)} cases differ; {seconds:.0f} s"
        f" with Spark {pyspark.__version__}"
    )
    return DIFFERS if different or any(texts for _, _, texts in restored) else 0


def _count(result: Result, name: str) -> str:
    if name not in result.found:
        return "-"
    if result.case.meant:
        return "meant" if result.found[name] else "same"
    return str(len(result.found[name]))


def _findings(result: Result) -> Iterator[str]:
    if result.case.meant:
        yield f"they do not differ any more, though it is said: {result.case.meant}"
        return
    if isinstance(result.answer, str) and not result.case.refused:
        yield f"Spark's source refuses: {_short(result.answer)}"
    if result.case.refused and not isinstance(result.answer, str):
        yield f"Spark's source does not refuse: it gives {result.answer.num_rows} rows"
    for name, texts in result.found.items():
        yield from (f"{name}: {text}" for text in texts)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MESSAGE_LENGTH else f"{line[:_MESSAGE_LENGTH]} ..."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
