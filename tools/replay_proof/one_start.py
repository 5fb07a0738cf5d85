"""One start of a replay in a process of its own, which is killed: `one_start SOURCE HOST:PORT RUN TOPICS`.

Its transactions are small, so that a kill meets it in all states.
"""

import json
import sys

import kafkafmt
from kafkafmt.replaying import lanes, replay_run


def main(source: str, to: str, run: str, topics: str) -> None:
    """Replay topics, with names of the target by those of the source, and groups."""
    setattr(replay_run, "TRANSACTION_BYTES", 5_000)  # noqa: B010 - it is final
    setattr(lanes, "BATCH_BYTES", 60_000)  # noqa: B010 - as above
    done = kafkafmt.replay(source, to, topics=json.loads(topics), run=run, groups=True, create=True)
    print(done.records, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
