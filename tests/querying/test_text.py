"""Text sought in keys and values: the rows are those that DuckDB finds in text, and bytes that they hold are sought."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt.codec.java_text import decode_utf8
from kafkafmt.columnar.row_filter import Needles
from kafkafmt.logdir.sources import Sources
from kafkafmt.querying import relations, text
from kafkafmt.querying import session as sessions
from kafkafmt.querying.pushdown import held
from kafkafmt.querying.relations import Relations
from kafkafmt.querying.session import QueryError, Session
from kafkafmt.querying.text import needle
from tests.logdir.builders import batch, segment

# U+0130 and the Kelvin sign are upper case of i and k, the long s is lower case of S; surrogates and FF are no UTF-8.
PIECES = [
    "a",
    "B",
    "i",
    "K",
    "s",
    "é",
    "É",
    "İ",
    "\u212a",
    "\u017f",
    "%",
    "_",
    "!",
    "*",
    "?",
    "[",
    "]",
    "\\",
    "\ufffd",
    "ab",
]
BROKEN = [b"\xff", b"\xed\xa0\x80", b"\xe2\x82", b"\x00"]


def bytes_of_all_kinds(chance: random.Random) -> bytes | None:
    pieces = [*(piece.encode() for piece in PIECES), *BROKEN]
    return None if chance.random() < 0.05 else b"".join(chance.choices(pieces, k=chance.randrange(9)))


@pytest.fixture(scope="module")
def values() -> list[bytes | None]:
    chance = random.Random(4711)
    return [bytes_of_all_kinds(chance) for _ in range(200)]


@pytest.fixture(scope="module")
def session(values: list[bytes | None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log_dir = tmp_path_factory.mktemp("data")
    keyed = zip(values[::-1], values, strict=True)
    segment(log_dir / "t-0", 0, *(batch(offset, key=key, value=value) for offset, (key, value) in enumerate(keyed)))
    with Session(Relations(Sources(log_dir), {})) as session:
        yield session


@pytest.fixture(scope="module")
def plain(values: list[bytes | None]) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with the same values as text."""
    texts = [None if value is None else decode_utf8(value) for value in values]
    with duckdb.connect() as database:
        rows = {"offset": range(len(texts)), "key": pa.array(texts[::-1]), "value": pa.array(texts)}
        database.from_arrow(pa.table(rows)).create("records")
        yield database


def noted(monkeypatch: pytest.MonkeyPatch) -> list[Needles | None]:
    """The needles that later scans search for."""
    sought: list[Needles | None] = []

    def noting(expression: pc.Expression) -> Needles | None:
        sought.append(held(expression))
        return sought[-1]

    monkeypatch.setattr(relations, "held", noting)
    return sought


def offsets(session: Session, condition: str, *parameters: object) -> list[int]:
    rows = session.run(f'select "offset" from records where {condition} order by 1', parameters or None)
    assert rows is not None
    found: list[int] = rows.read_all().column(0).to_pylist()
    return found


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def conditions(chance: random.Random) -> Iterator[tuple[str, str]]:
    """Conditions on text; how each is written of bytes."""
    for _ in range(3):
        pattern = quoted("".join(chance.choices(PIECES, k=chance.randrange(1, 4))))
        for operator in ("like", "ilike", "glob", "not like"):
            around = quoted(f"%{pattern[1:-1]}%" if operator != "glob" else f"*{pattern[1:-1]}*")
            yield f"value {operator} {around}", f"value {operator} {around}"
        for operator in ("like", "ilike"):
            escaped = quoted(f"%{pattern[1:-1].rstrip('!')}%")
            yield f"value {operator} {escaped} escape '!'", f"value {operator} {escaped} escape '!'"
        for function in ("contains", "starts_with", "ends_with"):
            yield f"{function}(value, {pattern})", f"{function}(value, {pattern})"
        for column in ("as_text(value)", "value::text", "cast(value as varchar)"):
            yield f"value = {pattern}", f"{column} = {pattern}"
        yield f"value like {quoted('%' + pattern[1:])}", f"as_text(value) like {quoted('%' + pattern[1:])}"


def test_rows_are_those_that_duckdb_finds_in_text(
    session: Session, plain: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    sought = noted(monkeypatch)
    asked = [*conditions(random.Random(1))]
    found = 0
    for of_text, of_bytes in asked:
        expected = plain.execute(f'select "offset" from records where {of_text} order by 1').fetchall()
        assert offsets(session, of_bytes) == [offset for (offset,) in expected], of_bytes
        found += bool(expected)
    assert found > len(asked) / 4
    assert len([*filter(None, sought)]) > len(asked) / 4


@pytest.mark.parametrize(
    ("condition", "strings"),
    [
        ("value like '%a%B_é%' and value like '%s%'", "=é"),
        ("value like ?", "=ab"),
        ("contains(as_text(value), 'ab') and \"offset\" > 5", "=ab"),
        ("decode(value) = 'no value'", "=no value"),
        ("value ilike '%Bé%'", "iB"),
        ("topic like '%t%' and not value like '%ab%'", None),
        ("value like '%ab%' or \"offset\" = 5", None),
        ("value like '%ab%' or value like '_'", None),
        ("value like '%ab%' or topic like '%t%'", None),
        ("case when value like '%ab%' then true else true end", None),
    ],
)
def test_bytes_that_a_record_must_hold_reach_the_scan(
    condition: str, strings: str | None, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    sought = noted(monkeypatch)
    offsets(session, condition, *(["%ab%"] if "?" in condition else []))
    expected = strings and Needles((strings[1:].encode(),), ignore_case=strings[0] == "i")
    assert [*filter(None, sought)] == [*filter(None, [expected])]


@pytest.mark.parametrize(
    ("condition", "strings"),
    [
        ("value like '%ab%' or value like '%é%'", ["ab", "é"]),
        ("value like '%ab%' or key ilike '%Bé%'", ["ab", "B"]),
        ("contains(value, 'ab') or (\"offset\" > 5 and as_text(key) = 'x') or value like ?", ["ab", "x", "é"]),
        ("(value like '%ab%' or key like '%a%') and value like '%BB%'", ["BB"]),
        ("(value like '%ab%' or key like '%aaa%') and value like '%B%'", ["ab", "aaa"]),
    ],
)
def test_bytes_of_which_a_record_must_hold_one_reach_the_scan(
    condition: str, strings: list[str], session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    sought = noted(monkeypatch)
    offsets(session, condition, *(["%é%"] if "?" in condition else []))
    (found,) = filter(None, sought)
    assert sorted(found.strings) == sorted(each.encode() for each in strings)
    assert found.ignore_case == ("ilike" in condition)


def test_rows_are_those_of_all_conditions_that_or_joins(
    session: Session, plain: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    sought = noted(monkeypatch)
    chance = random.Random(2)
    asked = [*conditions(chance), *conditions(chance)]
    of_keys = [tuple(each.replace("value", "key") for each in condition) for condition in conditions(chance)]
    found = 0
    for (of_text, of_bytes), (more, more_bytes) in zip(asked, [*of_keys, *asked[::-1]], strict=False):
        for middle in (" or ", " or value is null or ", ' and "offset" < 50 or '):
            expected = plain.execute(
                f'select "offset" from records where {of_text}{middle}{more} order by 1'
            ).fetchall()
            query = f"{of_bytes}{middle}{more_bytes}"
            assert offsets(session, query) == [offset for (offset,) in expected], query
            found += bool(expected)
    assert found > len(asked)
    assert len([*filter(None, sought)]) > len(asked) / 4


def test_records_that_other_tables_join_are_not_sought(
    session: Session, plain: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of them has columns of several records, of which one alone need hold the bytes."""
    joined = 'join main.records b on a."offset" = b."offset" + 1'
    queries = [
        f"""select a."offset", b."offset" from records a {joined} where a.value like '%ab%' or b.value like '%é%'""",
        f"""with j as (select a.value as v, b.value as w from records a {joined})
        select v is null, count(*) from j where v like '%ab%' or w like '%é%' group by all""",
        f"""with records as (select a.value as value, b.value as key from main.records a {joined})
        select value is null, count(*) from records where value like '%ab%' or key like '%é%' group by all""",
    ]
    for query in queries:
        sought = noted(monkeypatch)
        rows = session.run(f"{query} order by all")
        assert rows is not None
        found: list[dict[str, Any]] = rows.read_all().to_pylist()
        assert [tuple(row.values()) for row in found] == plain.execute(f"{query} order by all").fetchall(), query
        assert found
        assert not [*filter(None, sought)]


QUERIES_OF_SEVERAL_RECORDS = {
    "subquery": """
        select r."offset", (select count(*) from records where records.value like '%abc%' or r.value like '%def%') n
        from records r""",
    "subquery with an alias": """
        select records."offset" from records where 3 < (
            select count(*) from records r where r.value like '%abc%' or records.value like '%def%')""",
    "subquery of names alone": """
        select "offset", (select count(*) from records where value like '%abc%' or other like '%def%') n
        from (select "offset", value as other from records)""",
    "star": """
        select * replace ((select count(*) from records where value like '%abc%') as "offset") from records""",
    "no name": """
        select (select count(*) from records r(topic) where r.value like '%abc%' or o.value like '%def%')
        from records o""",
    "window": """
        select "offset", lag(value) over (partition by key order by "offset") as before from records
        qualify key like '%def%' or before like '%abc%'""",
    "groups": """
        select key, count(*), min(value) as value from records group by key
        having key like '%def%' or value like '%abc%'""",
    "view": """
        create schema s;
        create view s.records as select a."offset", a.value as value, b.value as key
        from main.records a join main.records b on b."offset" = a."offset" + 1;
        set search_path = 's'; select "offset" from records where value like '%abc%' or key like '%zz%'""",
    "temporary view": """
        create temp view records as select a."offset", a.value as value, b.value as key
        from memory.main.records a join memory.main.records b on b."offset" = a."offset" + 1;
        select "offset" from records where value like '%abc%' or key like '%zz%'""",
    "collation": """
        set default_collation = 'nocase'; select "offset" from records where as_text(value) = 'abc 1'""",
    "semi join": """
        select a."offset" from records a semi join records b
        on a.key = b.key and (b.value like '%abc%' or b.value like '%zz%')""",
    "not in": """
        select "offset" from records where key not in (
            select key from records where value like '%abc%' or key like '%def%')""",
}
"""Conditions joined by `or` that a row of several records may fulfil, or a record without the bytes."""


@pytest.mark.parametrize("name", QUERIES_OF_SEVERAL_RECORDS)
def test_no_record_is_lost_that_another_one_makes_part_of_an_answer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(b"1", b"abc 1"), (b"1", b"no"), (b"2", b"zz"), (b"def", b"q"), (b"2", b"x def"), (b"3", b"ABC 1")]
    segment(tmp_path / "t-0", 0, *(batch(number, key=key, value=value) for number, (key, value) in enumerate(rows)))

    def answer() -> tuple[list[str], list[str]]:
        table = kafkafmt.open(tmp_path).sql(QUERIES_OF_SEVERAL_RECORDS[name]).read_all()
        return table.schema.names, sorted(map(repr, table.to_pylist()))

    found = answer()
    assert found[1]
    monkeypatch.setattr(sessions, "with_bounds", lambda *_: None)
    assert found == answer()


def test_what_a_needle_is() -> None:
    cases: list[tuple[str, str, str, str]] = [
        ("~~", "%47_11%x", "", "=47"),
        ("~~", "", "", "="),
        ("like_escape", "%5!%!_!!%a", "!", "=5%_!"),
        ("~~*", "%Straße Kiste%", "", "itra"),
        ("~~~", "ab*cde[fghi]jklm", "", "=cde"),
        ("~~~", r"ab\*cdefg", "", "=ab"),
        ("contains", "a%_\ufffdbcdefg", "", "=bcdefg"),
        ("=", "50%", "", "=50%"),
    ]
    for function, pattern, escape, expected in cases:
        assert needle(function, pattern, escape) == expected.encode(), (function, pattern)


def test_duckdb_takes_no_other_letters_for_those_of_ascii() -> None:
    """The property of case folding on which `needle` relies."""
    letters = "select chr(code::int) c from range(128, 1114112) t(code) where code not between 55296 and 57343"
    with duckdb.connect() as database:
        query = f"select ascii(c) from ({letters}) where ascii(lower(c)) < 128 order by 1"
        assert database.execute(query).fetchall() == [(0x130,), (0x212A,)]


def test_rows_are_not_lost_where_joins_and_windows_come_before_a_condition(
    session: Session, plain: duckdb.DuckDBPyConnection
) -> None:
    queries = [
        "select \"offset\", n from (select *, count(*) over () n from records) where value like '%ab%'",
        """select a."offset", b."offset" from records a
        left join records b on a."offset" = b."offset" and b.value like '%ab%'""",
        """with r as materialized (select * from records) select count(*), 0 from r where value like '%ab%'
        or exists (select 1 from r q where q."offset" = r."offset" + 1 and q.value like '%B%')""",
        "select count(*), 0 from records where value like '%ab%' or value like '%é%' and \"offset\" > 100",
    ]
    for query in queries:
        rows = session.run(f"{query} order by all")
        assert rows is not None
        found: list[dict[str, Any]] = rows.read_all().to_pylist()
        assert [tuple(row.values()) for row in found] == plain.execute(f"{query} order by all").fetchall(), query


def test_casts_read_bytes_as_text(tmp_path: Path) -> None:
    words = ['{"a": "ü"}'.encode(), b"\xff", None]
    segment(tmp_path / "t-0", 0, *(batch(number, value=value) for number, value in enumerate(words)))
    with Session(Relations(Sources(tmp_path), {})) as session:

        def column(query: str) -> tuple[str, list[Any]]:
            rows = session.run(query)
            assert rows is not None
            table = rows.read_all()
            return table.schema.names[0], table.column(0).to_pylist()

        name, found = column('select value::varchar from records order by "offset"')
        assert (name, found) == ('CAST("value" AS VARCHAR)', ['{"a": "ü"}', "\ufffd", None])
        found = column('select upper(r.value::text) t from records r where "offset" < 1')[1]
        assert found == ['{"A": "Ü"}']
        assert column("select try_cast(value as json)->>'a' from records order by \"offset\"")[1] == ["ü", None, None]
        assert column("select value->'a' from records order by \"offset\"")[1] == ['"ü"', None, None]
        assert column("select topic::varchar from records limit 1")[1] == ["t"]
        with pytest.raises(QueryError, match="Malformed JSON"):
            column("select value::json from records")
        with pytest.raises(QueryError, match='column "valu" not found'):
            column("select valu::json from records")


def test_values_that_are_not_json_are_not_read_one_by_one(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bytes] = []

    def noting(data: bytes) -> str:
        calls.append(data)
        return decode_utf8(data)

    monkeypatch.setattr(text, "decode_utf8", noting)
    rows = session.run("select count(value->>'$.a') from records")
    assert rows is not None
    assert rows.read_all().column(0).to_pylist() == [0]
    assert len(calls) <= 200
