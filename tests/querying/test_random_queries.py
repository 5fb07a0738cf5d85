"""Random queries with conditions on text: reading fewer records for them changes no answer."""

import random
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.logdir.sources import Sources
from kafkafmt.querying import session as sessions
from kafkafmt.querying.relations import Relations
from kafkafmt.querying.rewriting import with_bounds
from kafkafmt.querying.session import QueryError, Session
from tests.logdir.builders import batch, segment

WORDS = [b"abc", b"def", b"zz", b"ABC", b"x abc", b"def abc", b"q", None, b"k1", b"k2"]
QUERIES = 60
OF_RECORDS = ("key", "value")


class Queries:
    """Makes queries of many forms: joins, windows, groups, subqueries around conditions and inside of them."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def leaf(self, columns: tuple[str, ...]) -> str:
        choice = self.chance.choice
        column, pattern = choice(columns), f"'%{choice(['abc', 'def', 'zz', 'BC', 'k'])}%'"
        forms = [
            f"{column} like {pattern}",
            f"as_text({column}) like {pattern}",
            f"{column} ilike {pattern}",
            f"not {column} like {pattern}",
            f"{column}::varchar like {pattern}",
            f"contains({column}, 'abc')",
            f"as_text({column}) = 'zz'",
            f"{column} is null",
        ]
        return choice(forms)

    def condition(self, *columns: str, depth: int = 0) -> str:
        if depth > 2 or self.chance.random() < 0.35:
            return self.leaf(columns)

        def part(*more: str) -> str:
            return self.condition(*columns, *more, depth=depth + 1)

        kind = self.chance.choice(["or", "or", "or", "and", "not", "case", "exists", "in"])
        if kind == "not":
            return f"not ({part()})"
        if kind == "case":
            return f"case when {part()} then {part()} else {part()} end"
        if kind == "exists":
            name = f"inner{depth}"
            return f"exists (select 1 from records {name} where {part(f'{name}.key', f'{name}.value')})"
        if kind == "in":
            inner = self.condition(*OF_RECORDS, depth=depth + 1)
            return f"{self.chance.choice(columns)} in (select value from records where {inner})"
        return f"({part()} {kind} {part()})"

    def query(self) -> str:
        condition, of_records = self.condition, self.condition(*OF_RECORDS)
        join = self.chance.choice(["join", "left join", "full join"])
        column = self.chance.choice(["key", "value", "topic"])
        forms = [
            f'select "offset" from records where {of_records}',
            f"""select a."offset", b."offset" from records a {join} records b
            on a."offset" = b."offset" + 1 and ({condition("a.key", "b.value", "b.key")})
            where {condition("a.key", "a.value", "b.key", "b.value")}""",
            f"""select a."offset" from records a anti join records b
            on a."offset" = b."offset" + 1 and ({condition("a.key", "b.value", "b.key")})""",
            f"""select key, count(*), max(value) as v, min(value) as value from records where {of_records}
            group by key having {condition("key", "v")}""",
            f"""select "offset", lag(value) over (partition by {column} order by "offset") as before from records
            qualify {condition("key", "value", "before")}""",
            f"""with r as (select key as value, value as key, "offset" from records where {of_records})
            select "offset" from r where {condition("key", "value", "r.key")}""",
            f"""select r."offset", (select count(*) from records where {condition("key", "r.key", "records.value")})
            from records r where {condition("r.key", "value")}""",
            f"""select count(*) from (
                select key, value from records where {of_records} union all select value, key from records
            ) where {condition(*OF_RECORDS)}""",
        ]
        return self.chance.choice(forms)


@pytest.mark.slow
def test_answers_are_those_of_queries_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4712)
    rows = [(chance.choice(WORDS), chance.choice(WORDS)) for _ in range(24)]
    segment(tmp_path / "t-0", 0, *(batch(number, key=key, value=value) for number, (key, value) in enumerate(rows)))
    bounded = with_bounds
    changed: list[str] = []

    def noting(database: Any, query: str) -> str | None:
        found = bounded(database, query)
        changed.extend([] if found is None else [query])
        return found

    with Session(Relations(Sources(tmp_path), {})) as session:

        def answer(query: str) -> tuple[list[str], list[str]]:
            try:
                reader = session.run(query)
                assert reader is not None
                table = reader.read_all()
            except QueryError as error:
                return [error.message], []
            return table.schema.names, sorted(map(repr, table.to_pylist()))

        queries = Queries(chance)
        for _ in range(QUERIES):
            query = queries.query()
            monkeypatch.setattr(sessions, "with_bounds", noting)
            found = answer(query)
            monkeypatch.setattr(sessions, "with_bounds", lambda *_: None)
            assert found == answer(query), query
    assert len(changed) > QUERIES / 5
