"""`kafkafmt serve` against broken requests: each gets an answer or a closed connection, others get records.

These are connections of TCP to a process, few a second; many more are in `hostile_sessions.py`.
"""

import logging
import random
import socket
import time
from collections.abc import Iterator

import pytest

from tests.hostile.doses import MUTATIONS, SEED
from tests.hostile.hostile_clients import Serving, WellBehaved, converse, cut
from tests.hostile.hostile_requests import broken_bytes, broken_values, golden_requests

MOST_KIB = 300 * 1024
LIMIT = 60.0  # seconds, on a machine with other work; some answers wait for 30 s
pytestmark = [pytest.mark.dosed, pytest.mark.slow]


def conversations() -> Iterator[list[bytes]]:
    for number in range(SEED, SEED + MUTATIONS):
        rnd = random.Random(number)
        yield [rnd.choice((broken_bytes, broken_values))(rnd) for _ in range(rnd.choice((1, 1, 1, 2, 3)))]


def test_broken_requests_are_answered_or_end_the_connection() -> None:
    with Serving() as serving:
        with WellBehaved(serving) as client:
            judged = converse(serving.place, conversations(), limit=LIMIT)
        assert judged.wrong == []
        assert judged.answered > MUTATIONS // 4
        assert judged.closed > MUTATIONS // 4
        assert client.error == ""
        assert client.answers
        peak = serving.peak()
        assert peak < MOST_KIB
        seconds = serving.end()
    figures = f"{judged.answered:,} answered, {judged.closed:,} closed, peak {peak // 1024} MiB, end {seconds:.2f} s"
    logging.getLogger(__name__).info("%s, slowest answer to others %.3f s", figures, client.slowest)


def test_cut_requests_leave_the_server_as_it_was() -> None:
    rnd = random.Random(SEED)
    silent: list[socket.socket] = []
    with Serving() as serving:
        with WellBehaved(serving) as client:
            for _ in range(max(40, MUTATIONS // 10)):
                opened = cut(serving.place, rnd.choice(golden_requests()), rnd)
                silent += [opened] if opened is not None else []
                if len(silent) > 100:
                    silent.pop(0).close()
            time.sleep(0.1)
        assert client.error == ""
        assert client.answers
        assert serving.peak() < MOST_KIB
        serving.end()
    for opened in silent:
        opened.close()
