"""One start of a replay in a process of its own, which is killed: `one_start SOURCE HOST:PORT ARGUMENTS`.

Its transactions are small, so that a kill meets it in all states.
"""

import json
import sys

import kafkafmt
from kafkafmt.replaying import lanes, replay_run


def main(source: str, to: str, arguments: str) -> None:
    """Replay with groups, and with arguments of `kafkafmt.replay` as JSON."""
    setattr(replay_run, "TRANSACTION_BYTES", 5_000)  # noqa: B010 - it is final
    setattr(lanes, "BATCH_BYTES", 60_000)  # noqa: B010 - as above
    done = kafkafmt.replay(source, to, groups=True, create=True, **json.loads(arguments))
    print(done.records, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
