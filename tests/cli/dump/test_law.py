"""Any bytes give text and an exit code: bad files and mutated golden files, with all options."""

import random
from pathlib import Path

import pytest

from kafkafmt.cli.dump import DECODER_OPTIONS
from tests.bad_data.make_files import FILES
from tests.cli.dump.running import dump
from tests.golden_cases import GOLDEN

OPTIONS = [
    [],
    ["--print-data-log"],
    ["--print-data-log", "--skip-record-metadata", "--max-bytes", "150"],
    ["--key-decoder-class", "Long", "--value-decoder-class", "Integer"],
]
OF_INDEXES = [["--verify-index-only"], ["--index-sanity-check"]]  # they are checked against the log beside them
DECODERS = [[f"--{name}"] for name in DECODER_OPTIONS.values()]
GOLDEN_FILES = [
    "legacy/mixed-magic-2.8.2/log-dir/one-segment-0",
    "modern/04-transactions-4.3.1/log-dir/tx-0",
    "modern/08-consumer-groups-4.3.1/log-dir/__consumer_offsets-0",
    "modern/08-consumer-groups-4.3.1/log-dir/__share_group_state-0",
    "modern/10-cluster-metadata-4.3.1/log-dir/__cluster_metadata-0",
    "modern/13-names-4.3.1/log-dir/dir-0",
]
MUTATIONS = 40


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS + OF_INDEXES + DECODERS, ids=" ".join)
def test_bad_files(options: list[str]) -> None:
    files = sorted(FILES.iterdir())
    for file in files:
        run = dump(*options, file)
        assert run.status in (0, 1, 3), file
        assert run.out.startswith(b"Dumping "), file
    assert len(files) > 100


@pytest.mark.slow
@pytest.mark.parametrize("directory", GOLDEN_FILES)
def test_mutated_golden_files(directory: str, tmp_path: Path) -> None:
    chosen = random.Random(directory)
    files = [path for path in sorted((GOLDEN / directory).iterdir()) if path.is_file() and path.stat().st_size]
    for file in files:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for number in range(MUTATIONS):
        file = files[number % len(files)]
        data = bytearray(file.read_bytes())
        for _ in range(chosen.choice((1, 2, 5))):
            at = chosen.randrange(len(data))
            data[at : at + chosen.choice((1, 1, 4))] = chosen.randbytes(chosen.choice((0, 1, 1, 4)))
            data = data or bytearray(b"?")
        (tmp_path / file.name).write_bytes(data)
        for options in OF_INDEXES:
            assert dump(*options, tmp_path).status in (0, 1, 3)
        for options in OPTIONS + DECODERS:
            assert dump(*options, tmp_path / file.name).status in (0, 1, 3)
        (tmp_path / file.name).write_bytes(file.read_bytes())
