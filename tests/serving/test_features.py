"""Features in ApiVersions equal those of a Kafka 4.4 broker on the same disks."""

import pytest

from tests.golden_cases import GOLDEN, cases
from tests.serving.wire import Wire, served

# From a broker started on `described/log-dir` and on 10-cluster-metadata-4.3.1; the latter also has kraft.version.
SUPPORTED = {
    "group.version": (0, 1),
    "kraft.version": (0, 1),
    "metadata.version": (7, 33),
    "share.version": (0, 2),
    "streams.version": (0, 1),
    "transaction.version": (0, 2),
    "eligible.leader.replicas.version": (0, 1),
}
FINALIZED = {
    "group.version": 1,
    "streams.version": 1,
    "transaction.version": 2,
    "eligible.leader.replicas.version": 1,
    "share.version": 1,
    "metadata.version": 30,
}


def answered(wire: Wire, version: int) -> tuple[dict[str, tuple[int, int]], dict[str, int], int]:
    answer = wire.ask("ApiVersions", {"ClientSoftwareName": "tests", "ClientSoftwareVersion": "1"}, version)
    finalized = {each["Name"]: each["MaxVersionLevel"] for each in answer["FinalizedFeatures"]}
    assert finalized == {each["Name"]: each["MinVersionLevel"] for each in answer["FinalizedFeatures"]}
    supported = {each["Name"]: (each["MinVersion"], each["MaxVersion"]) for each in answer["SupportedFeatures"]}
    return supported, finalized, answer["FinalizedFeaturesEpoch"]


@pytest.mark.parametrize(
    ("name", "more", "end"), [("described", {}, 221), ("modern/10-cluster-metadata-4.3.1", {"kraft.version": 1}, 353)]
)
def test_features_are_those_of_a_broker(name: str, more: dict[str, int], end: int) -> None:
    with served(GOLDEN / name / "log-dir") as wire:
        assert answered(wire, 4) == (SUPPORTED, FINALIZED | more, end - 1)
        assert answered(wire, 3) == ({"metadata.version": (7, 33)}, FINALIZED | more, end - 1)
        old = wire.ask("ApiVersions", {}, 2)
    assert "FinalizedFeatures" not in old


def test_without_a_metadata_log_no_feature_has_a_level() -> None:
    (legacy,) = [case for case in cases("legacy") if case.name == "m0-codecs-0.9.0.1"]
    with served(legacy.log_dir) as wire:
        assert answered(wire, 4) == (SUPPORTED, {}, -1)
