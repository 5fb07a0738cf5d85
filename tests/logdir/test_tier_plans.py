"""Plans of tiers: splits read by another process give the records of a scan."""

import pytest

import kafkafmt
from tests.golden_cases import TierCase, tier_case
from tests.scanning import united
from tests.tiered_records import consumed

CONFLUENT = tier_case(10)


def test_a_plan_of_confluents_layout_gives_all_records() -> None:
    plan = kafkafmt.scan(CONFLUENT.tier).plan(max_split_bytes=4096)
    outcome = united.of_plan(plan)
    assert (outcome.error, outcome.damage) == (None, [])
    assert len(plan.splits) > 3
    of_log = {at[1:]: content.value for at, content in consumed(CONFLUENT).items() if at[0] == "payments.v1"}
    rows = outcome.table.select(["partition", "offset", "value"]).to_pylist()
    found = {(row["partition"], row["offset"]): row["value"] for row in rows}
    assert len(rows) == len(found) == 754
    assert found.items() <= of_log.items()


@pytest.mark.slow
@pytest.mark.parametrize("case", [CONFLUENT, tier_case(9), tier_case(11)], ids=str)
def test_a_plan_from_a_relative_path_gives_what_a_scan_gives(case: TierCase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case.path)
    expected = kafkafmt.scan("tier").to_table()
    plan = kafkafmt.scan("tier").plan(max_split_bytes=4096)
    monkeypatch.chdir("/")
    outcome = united.of_plan(plan)
    assert (outcome.error, outcome.damage) == (None, [])
    assert outcome.table.drop_columns(["file"]).equals(expected.drop_columns(["file"]))
    assert expected.num_rows > 100
    assert outcome.table["file"].to_pylist() == [str(case.path / each) for each in expected["file"].to_pylist()]
