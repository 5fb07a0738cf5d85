"""One start of a replay in its own process, for the proof to kill: `one_start SOURCE HOST:PORT BYTES ARGUMENTS`.

BYTES limits a transaction; if it is small, kills hit transactions in all states.
"""

import json
import sys

import kafkafmt
from kafkafmt.replaying import lanes, replay_run


def main(source: str, to: str, size: str, arguments: str) -> None:
    """Replay with groups, and with arguments for `kafkafmt.replay` as JSON."""
    setattr(replay_run, "TRANSACTION_BYTES", int(size))  # noqa: B010 - a Final constant
    setattr(lanes, "BATCH_BYTES", 60_000)  # noqa: B010 - as above
    done = kafkafmt.replay(source, to, groups=True, create=True, **json.loads(arguments))
    print(done.records, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
