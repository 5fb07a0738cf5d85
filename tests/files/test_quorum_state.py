"""quorum-state."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError, LimitExceededError, UnsupportedError
from kafkafmt.files import quorum_state
from tests.golden_cases import cases

PATHS = [path for case in cases() for path in case.files("quorum-state")]
INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
VERSION_0: dict[str, Any] = {
    "clusterId": "",
    "leaderId": 1,
    "leaderEpoch": 3,
    "votedId": -1,
    "appliedOffset": 0,
    "currentVoters": [{"voterId": 1}, {"voterId": 2}],
    "data_version": 0,
}
VERSION_1: dict[str, Any] = {
    "leaderId": 1,
    "leaderEpoch": 2,
    "votedId": -1,
    "votedDirectoryId": "AAAAAAAAAAAAAAAAAAAAAA",
    "data_version": 1,
}


def test_a_state_without_leader_and_vote_is_written_as_kafka_writes_it() -> None:
    versions = set()
    for path in PATHS:
        state = quorum_state.read(path)
        voters = state.current_voters or ()
        made = quorum_state.encode(state.leader_epoch, data_version=state.data_version, voters=voters)
        wanted = re.sub(rb'"(leaderId|votedId)":-?\d+', rb'"\1":-1', path.read_bytes())
        assert made == re.sub(rb'"votedDirectoryId":"[^"]+"', rb'"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA"', wanted)
        versions.add(state.data_version)
    assert versions == {0, 1}


def parse(value: object) -> quorum_state.QuorumState:
    return quorum_state.parse(json.dumps(value).encode(), file="f")


def test_golden_states_have_what_their_json_says() -> None:
    versions = set()
    for path in PATHS:
        state = quorum_state.read(path)
        raw = json.loads(path.read_text())
        versions.add(state.data_version)
        (row,) = state.to_table().to_pylist()
        voters = [voter["voterId"] for voter in raw["currentVoters"]] if "currentVoters" in raw else None
        assert row == {
            "dataVersion": raw["data_version"],
            "clusterId": raw.get("clusterId"),
            "leaderId": raw["leaderId"],
            "leaderEpoch": raw["leaderEpoch"],
            "votedId": raw["votedId"],
            "votedDirectoryId": raw.get("votedDirectoryId"),
            "appliedOffset": raw.get("appliedOffset"),
            "currentVoters": voters,
        }
        assert state.raw == raw
        assert state.entries == tuple(raw.items())
    assert versions == {0, 1}


def test_what_a_version_does_not_have_is_none() -> None:
    state = parse(VERSION_0 | {"votedDirectoryId": "x"})
    assert (state.cluster_id, state.applied_offset, state.current_voters) == ("", 0, (1, 2))
    assert state.voted_directory_id is None
    state = parse(VERSION_1 | {"clusterId": 7})
    assert (state.cluster_id, state.applied_offset, state.current_voters) == (None, None, None)
    assert state.voted_directory_id == "AAAAAAAAAAAAAAAAAAAAAA"


def test_voters_may_be_null_or_none() -> None:
    assert parse(VERSION_0 | {"currentVoters": None}).current_voters is None
    state = parse(VERSION_0 | {"currentVoters": []})
    assert state.current_voters == ()
    assert state.to_table()["currentVoters"].to_pylist() == [[]]


@given(st.tuples(INT32, INT32, INT32), st.integers(-(1 << 63), (1 << 63) - 1), st.lists(INT32), st.text())
def test_version_0_comes_back(ids: tuple[int, int, int], offset: int, voters: list[int], cluster: str) -> None:
    value = VERSION_0 | dict(zip(("leaderId", "leaderEpoch", "votedId"), ids, strict=True)) | {"appliedOffset": offset}
    state = parse(value | {"clusterId": cluster, "currentVoters": [{"voterId": voter} for voter in voters]})
    assert (state.leader_id, state.leader_epoch, state.voted_id, state.applied_offset) == (*ids, offset)
    assert (state.cluster_id, state.current_voters) == (cluster, tuple(voters))
    assert state.to_table().num_rows == 1


def test_a_lone_surrogate_does_not_reach_the_table() -> None:
    state = quorum_state.parse(json.dumps(VERSION_0 | {"clusterId": "\ud800"}).encode())
    assert state.cluster_id == "�"
    assert state.to_table()["clusterId"].to_pylist() == ["�"]


@pytest.mark.parametrize("version", [2, -1, 32767])
def test_another_version_is_unsupported(version: int) -> None:
    with pytest.raises(UnsupportedError) as caught:
        parse(VERSION_1 | {"data_version": version})
    assert (caught.value.file, caught.value.found) == ("f", version)


@pytest.mark.parametrize("value", [VERSION_0, VERSION_1])
def test_a_missing_field_is_corrupt(value: dict[str, Any]) -> None:
    for name in value:
        with pytest.raises(CorruptError, match=f"the field '{name}' is missing"):
            parse({key: each for key, each in value.items() if key != name})


@pytest.mark.parametrize("value", [VERSION_0, VERSION_1])
@pytest.mark.parametrize("wrong", [1.5, True, {}, [1], [[]], 1 << 63, [{}], [{"voterId": "1"}]])
def test_a_field_of_the_wrong_type_is_corrupt(value: dict[str, Any], wrong: object) -> None:
    for name in value:
        with pytest.raises(CorruptError) as caught:
            parse(value | {name: wrong})
        assert caught.value.file == "f"


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptError):
        quorum_state.parse(data)


def test_read_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "quorum-state"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        quorum_state.read(path)
