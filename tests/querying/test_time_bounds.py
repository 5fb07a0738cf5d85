"""Times of any type that a query compares `timestamp` with: they bound the records read, and change no answer."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import CorruptError
from kafkafmt.querying import relations, session
from kafkafmt.querying.session import QueryError
from tests.logdir.builders import batch, segment

DAY = datetime(2026, 11, 21, tzinfo=UTC)
NINE = datetime(2026, 11, 21, 9)  # noqa: DTZ001 - as users give it
HALF_PAST_TEN = datetime(2026, 11, 21, 12, 30, tzinfo=timezone(timedelta(hours=2)))


def hours(sound_from: int) -> list[bytes]:
    """A batch of ten records each hour of a day; those before an hour are damaged."""
    content = []
    for hour in range(24):
        at = round((DAY + timedelta(hours=hour)).timestamp() * 1000)
        made = bytearray(batch(10 * hour, 10, key=b"k", timestamp=at))
        made[-3] ^= hour < sound_from
        content.append(bytes(made))
    return content


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that is sound from nine o'clock on."""
    place = tmp_path_factory.mktemp("damaged")
    segment(place / "t-0", 0, *hours(9))
    return place


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without damage, and a topic of the day before."""
    place = tmp_path_factory.mktemp("sound")
    segment(place / "t-0", 0, *hours(0))
    segment(place / "u-0", 0, batch(0, 3, timestamp=round((DAY - timedelta(hours=5)).timestamp() * 1000)))
    return place


CONDITIONS: dict[str, tuple[str, Any]] = {
    "timestamps": ("timestamp >= timestamp '2026-11-21 09:00' and timestamp < timestamp '2026-11-21 10:30'", None),
    "turned": ("timestamp '2026-11-21 09:00' <= timestamp and '2026-11-21 10:30'::timestamp > r.timestamp", None),
    "between": ("timestamp between timestamp '2026-11-21 09:00' and timestamp '2026-11-21 10:30'", None),
    "zones": ("timestamp >= timestamptz '2026-11-21 11:00+02' and timestamp < timestamptz '2026-11-21 05:30-05'", None),
    "casts": (
        "\"timestamp\" >= cast('2026-11-21 09:00' as timestamp) and Timestamp < '2026-11-21 10:30Z'::timestamptz",
        None,
    ),
    "functions": (
        "timestamp >= make_timestamp(2026, 11, 21, 9, 0, 0) and timestamp < date '2026-11-21' + interval 630 minutes",
        None,
    ),
    "parameters": ("timestamp >= ? and timestamp < ?", (NINE, HALF_PAST_TEN)),
    "parameters by name": ("timestamp >= $at and timestamp < $at + interval 90 minutes", {"at": NINE}),
    "text": ("timestamp >= '2026-11-21 09:00' and timestamp < ?", ("2026-11-21 10:30",)),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_times_reach_the_scan(name: str, damaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noting(scan: Any, columns: Any, expression: Any, begun: Any) -> Any:
        asked.append(str(expression))
        return read(scan, columns, expression, begun)

    read = relations._read_records
    monkeypatch.setattr(relations, "_read_records", noting)
    condition, parameters = CONDITIONS[name]
    query = f'select count(key), min(r."offset"), max(r."offset") from records r where topic = \'t\' and {condition}'
    # To read a batch of the hours before is to notice.
    found = kafkafmt.open(damaged).sql(query, parameters).read_all()
    assert [column[0].as_py() for column in found.columns] == [20, 90, 109]
    ((both),) = asked
    assert all(bound in both for bound in ("(timestamp >= 2026-11-21 0", "(timestamp <"))


def test_what_is_read_for_the_last_hours(damaged: Path) -> None:
    since = (datetime.now(UTC) - DAY - timedelta(hours=8.5)).total_seconds()
    query = "select count(key) from records where timestamp > now() - to_seconds(?)"
    assert kafkafmt.open(damaged).sql(query, [since]).read_all().column(0).to_pylist() == [150]
    with pytest.raises(CorruptError):
        kafkafmt.open(damaged).sql(query, [since + 3600]).read_all()


QUERIES = {
    "names": "select topic, \"offset\", timestamp >= now() from records where timestamp > timestamp '2026-11-21 22:00'",
    "groups": "select key->>'$.a', timestamp::date, max(value) from records where timestamp < now() group by all",
    "no select": "from records where timestamp = timestamp '2026-11-21 09:00:00.003'",
    "in": "from records where timestamp in (timestamp '2026-11-21 09:00:00.003')",
    "above": "select \"offset\" from records where timestamp > timestamp '2026-11-21 09:00:00.0029'",
    "below": "select \"offset\" from records where timestamp < timestamp '2026-11-20 19:00:00.0011'",
    "from": "select \"offset\" from records where timestamp >= timestamp '2026-11-21 23:00:00.0000001'",
    "not": "select \"offset\" from records where not (timestamp >= timestamp '2026-11-21 01:00')",
    "not between": "select \"offset\" from records where timestamp not between timestamp '2026-11-21' and now()",
    "or": "select \"offset\" from records where timestamp < timestamp '2026-11-21 01:00' or key is null",
    "join": """
        with a as (select * from records where timestamp > timestamp '2026-11-21 20:00'),
        b as (select * from records where timestamp < timestamp '2026-11-21 22:00')
        select a."offset" from a join b using (topic, "offset")""",
    "left join": """
        select a.topic, count(b.topic) from records a left join records b
        on a."offset" = b."offset" and b.timestamp < timestamp '2026-11-21' group by 1""",
    "qualify": """
        select topic, row_number() over (order by timestamp) as n from records
        qualify n < 20 and timestamp > timestamp '2026-11-21 00:00:00.003'""",
    "union": """
        select topic from records where timestamp > timestamp '2026-11-21 22:30'
        union all select topic from records where timestamp < timestamp '2026-11-21'""",
    "another column": "select count(*) from (select key as timestamp from records) where timestamp = encode('k')",
    "subquery": "select topic from records where timestamp > (select max(timestamp) - interval 1 hour from records)",
    "microseconds": """
        select count(*) from (values (timestamp '2026-01-01 00:00:00.0005'), (null)) v(timestamp)
        where timestamp >= timestamp '2026-01-01 00:00:00.0005' and timestamp < timestamp '2026-01-01 00:00:00.0006'""",
    "infinity": "select count(*) from records where timestamp < timestamp 'infinity'",
    "null": "select count(*) from records where timestamp > null::timestamp",
}


@pytest.mark.parametrize("name", QUERIES)
def test_answers_are_those_of_the_query_as_it_was_written(
    name: str, sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer() -> tuple[pa.Schema, list[str]]:
        table = kafkafmt.open(sound).sql(QUERIES[name]).read_all()
        return table.schema, sorted(map(repr, table.to_pylist()))

    found = answer()
    assert found[1]
    monkeypatch.setattr(session, "with_bounds", lambda *_: None)
    assert found == answer()


@pytest.mark.parametrize("condition", [">= timestamptz '2026-10-25 00:50Z'", "<= timestamptz '2026-10-25 01:05Z'"])
def test_where_an_hour_comes_twice_nothing_is_lost(
    condition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Berlin 02:00 to 03:00 came twice on that day: a later local time may be earlier in UTC."""
    moments = [datetime(2026, 10, 25, 2, minute, tzinfo=UTC) for minute in (10, 50)]
    batches = (batch(number, timestamp=round(each.timestamp() * 1000)) for number, each in enumerate(moments))
    segment(tmp_path / "t-0", 0, *batches)
    query = f"set TimeZone = 'Europe/Berlin'; select \"offset\" from records where timestamp {condition}"

    def answer() -> list[int]:
        return sorted(kafkafmt.open(tmp_path).sql(query).read_all().column(0).to_pylist())

    found = answer()
    monkeypatch.setattr(session, "with_bounds", lambda *_: None)
    assert found == answer()


@pytest.mark.parametrize("condition", ["timestamp >= timestamp 'x'", "timestamp >= now() and timestamp > 5"])
def test_errors_are_those_of_the_query_as_it_was_written(
    condition: str, sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def error() -> str:
        with pytest.raises(QueryError) as caught:
            kafkafmt.open(sound).sql(f"select key from records where {condition}").read_all()
        return str(caught.value)

    found = error()
    monkeypatch.setattr(session, "with_bounds", lambda *_: None)
    assert found == error()
