"""The golden dumps of internal topics: the decoders of Kafka's tool compared with ours."""

import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from tests.cli.dump.differences import CURRENT, difference
from tests.cli.dump.golden_dumps import GoldenDump, golden_dumps, names, version_of
from tests.cli.dump.older_decoders import in_any_order, rewording
from tests.cli.dump.older_wordings import as_it_is
from tests.cli.dump.running import dump
from tests.golden_cases import Case, cases

pytestmark = pytest.mark.xdist_group("golden_dumps")

OPTIONS = {
    "dump-offsets": "--offsets-decoder",
    "dump-transactions": "--transaction-log-decoder",
    "dump-metadata": "--cluster-metadata-decoder",
    "dump-share": "--share-group-state-decoder",
    "offsets-decoder": "--offsets-decoder",
}
_DECODED = re.compile(rb"(?m)^\|.* payload: (?:\{|<DELETE>$)")

NO_SUCH_OPTION = "offsets-decoder-0.8.2.2.txt.gz"
"""The error of the 0.8.2.2 tool for `--offsets-decoder`, an option it does not have."""

DUMPS = [
    (case, name)
    for case in cases()
    for stem in OPTIONS
    for name in names(case, f"{stem}*.txt*")
    if name != NO_SUCH_OPTION
]


@pytest.mark.parametrize(("case", "name"), DUMPS, ids=str)
def test_decoded_dumps_are_those_of_kafka(case: Case, name: str) -> None:
    assert not [text for text, _, _ in _verdicts(case, name) if text]


@pytest.mark.slow
def test_figures() -> None:
    files: Counter[tuple[str, str, str]] = Counter()
    records: Counter[tuple[str, str, str]] = Counter()
    for case, name in DUMPS:
        version = "legacy" if case.family == "legacy" else version_of(case, name)
        for _, how, decoded in _verdicts(case, name):
            group = (version, name.partition(".")[0], how)
            files[group] += 1
            records[group] += decoded
    assert files == {
        ("4.3.1", "dump-offsets", "equal"): 7,
        ("4.3.1", "dump-transactions", "equal"): 13,
        ("4.3.1", "dump-metadata", "equal"): 43,
        ("4.3.1", "dump-share", "equal"): 2,
        ("3.9.1", "dump-offsets", "equal"): 7,
        ("3.9.1", "dump-transactions", "by meaning"): 13,
        ("3.9.1", "dump-metadata", "equal"): 18,
        ("legacy", "offsets-decoder", "by meaning"): 24,
    }
    assert records == {
        ("4.3.1", "dump-offsets", "equal"): 162,
        ("4.3.1", "dump-transactions", "equal"): 299,
        ("4.3.1", "dump-metadata", "equal"): 2168,
        ("4.3.1", "dump-share", "equal"): 25,
        ("3.9.1", "dump-offsets", "equal"): 115,
        ("3.9.1", "dump-transactions", "by meaning"): 299,
        ("3.9.1", "dump-metadata", "equal"): 1226,
        ("legacy", "offsets-decoder", "by meaning"): 183,
    }


@cache
def _verdicts(case: Case, name: str) -> list[tuple[str, str, int]]:
    """For each file the difference or "", how it was compared, and the number of decoded records."""
    version = version_of(case, name)
    return [_verdict(case, name, version, golden) for golden in golden_dumps(case, name)]


def _verdict(case: Case, name: str, version: str, golden: GoldenDump) -> tuple[str, str, int]:
    ours = dump(OPTIONS[name.partition(".")[0]], "--files", golden.file, inside=case.log_dir)
    reword = rewording(version, name)
    if version == CURRENT or reword is as_it_is:
        how = "equal"
    else:
        how = "by meaning"
        golden = replace(golden, out=in_any_order(golden.out))
    different = difference(version, golden, ours, reword)
    if not different and (ours.status or (ours.err and not golden.complaint)):
        different = f"{golden.file}: {ours.err!r}"
    return different, how, len(_DECODED.findall(ours.out))
