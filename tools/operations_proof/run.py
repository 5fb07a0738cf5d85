"""The proof "operations": a broker treats its logs as kafkafmt predicts from its disk."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import proof_frame
from kafka_broker.broker import Broker, BrokerError
from operations_proof import compaction, retention
from operations_proof.filling import fill
from proof_frame import DIFFERS

_SERVER_PROPERTIES = {
    "log.retention.bytes": "15000",
    "log.retention.hours": "720",
    "log.cleaner.min.cleanable.ratio": "0.3",
}
"""Configs that are not on the disk: the proof passes them to the prediction, as a user would.

The broker's first retention pass may run before it has the configs of the metadata log, so these configs must not
delete more than those.
"""

# While the logs are filled, nothing is deleted, and only topics with their own ratio are cleaned; then passes are
# frequent.
_QUIET = {
    "log.initial.task.delay.ms": "3600000",
    "log.cleaner.backoff.ms": "500",
    "log.cleaner.min.cleanable.ratio": "1.0",
}
_BUSY = {
    "log.initial.task.delay.ms": "500",
    "log.retention.check.interval.ms": "500",
    "log.cleaner.backoff.ms": "500",
}
_PATIENCE_SECONDS = 30
_SETTLE_SECONDS = 3


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    return proof_frame.run(arguments, lambda _, home: _prove(home))


def _prove(home: Path) -> int:
    directory = home / "broker"
    with Broker(directory, {**_SERVER_PROPERTIES, **_QUIET}) as broker:
        fill(broker, retention.plan())
        fill(broker, compaction.first_plan())
        if not _comes_true(lambda: compaction.is_first_round_cleaned(broker.log_dir)):
            raise BrokerError(f"the cleaner has not ended its first round:\n{broker.log_tail()}")
        fill(broker, compaction.plan())
        broker.stop()
    predictions = (
        retention.Prediction(broker.log_dir, _SERVER_PROPERTIES),
        compaction.Prediction(broker.log_dir, _SERVER_PROPERTIES, home / "predicted"),
    )
    with Broker(directory, {**_SERVER_PROPERTIES, **_BUSY}) as broker:
        _comes_true(lambda: all(prediction.is_met() for prediction in predictions))
        time.sleep(_SETTLE_SECONDS)  # time in which no more segments may be deleted
        broker.stop()
    wrong = [difference for prediction in predictions for difference in prediction.differences()]
    print("\n".join(wrong) or "the same")
    return DIFFERS if wrong else 0


def _comes_true(is_true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not is_true():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.25)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
