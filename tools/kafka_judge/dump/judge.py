"""Files of all kinds: what Kafka's DumpLogSegments prints, and what `kafkafmt dump` prints.

The files are those of tests/golden and tests/bad_data, and mutations of them; each is dumped with one set of options
after another, those of internal topics with their decoders too. For these there are more: a log of remote log metadata,
which Kafka's own classes write, and logs whose messages are mutated. The tool is that of the kafka-tools which
dump/pom.xml names; dump/compare.py and dump/decoded_records.py list the intended differences.
"""

import argparse
import io
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import IO

from class_path import ToolError, kafka_tools_class_path
from kafka_judge.dump.compare import Comparison, Run
from kafka_judge.dump.internal_topics import DECODERS, decoder_of, write_mutations, write_remote_log_metadata
from kafka_judge.inputs import mutations, segments
from kafka_judge.java_programs import dialogue
from kafka_judge.verdict import Verdict
from kafkafmt.cli.dump import command

TESTS = Path(__file__).resolve().parents[3] / "tests"

MUTATIONS = 300
_LOGS_WITH_ALL_OPTIONS = 60
_LOGS_WITH_EVERY_DECODER = 30
# Objects in tiers, and copies of their indexes in a cache, have names from which Kafka's tool cannot read an offset.
_IGNORED = ("expected", "*.json", "tiered")
_MUTATED_LOGS_A_TOPIC = 12

_LOG, _INDEX = (".log", ".checkpoint"), (".index", ".timeindex")
_KINDS = (*_LOG, *_INDEX, ".txnindex", ".snapshot")

_ALWAYS: dict[str, list[list[str]]] = {
    **{suffix: [[], ["--print-data-log"]] for suffix in _LOG},
    **{suffix: [[], ["--verify-index-only"], ["--index-sanity-check"]] for suffix in _INDEX},
    ".txnindex": [[]],
    ".snapshot": [[]],
}
_DECODERS = "org.apache.kafka.tools.api."
_OF_SOME_LOGS = [
    ["--deep-iteration"],
    ["--deep-iteration", "--skip-record-metadata"],
    ["--print-data-log", "--skip-record-metadata"],
    ["--print-data-log", "--deep-iteration", "--verify-index-only", "--index-sanity-check"],
    ["--deep-iteration", "--max-bytes", "0"],
    ["--deep-iteration", "--max-bytes", "300"],
    ["--max-bytes", "1000", "--max-message-size", "100"],
    ["--value-decoder-class", "--key-decoder-class"],
    ["--value-decoder-class", f"{_DECODERS}LongDecoder"],
    ["--key-decoder-class", f"{_DECODERS}IntegerDecoder", "--skip-record-metadata"],
    ["--key-decoder-class", f"{_DECODERS}StringDecoder", "--value-decoder-class", f"{_DECODERS}IntegerDecoder"],
]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument(
        "--mutations", type=int, default=MUTATIONS, help="number of mutations of each kind (%(default)s)"
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="only files with this text in their path")


def judge(options: argparse.Namespace) -> Verdict:
    """Dump all files with DumpJudge.java and many options, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as scratch:
        classes = kafka_tools_class_path()
        files = _files(Path(scratch), classes, options.seed, options.mutations)
        _judge(classes, [path for path in files if options.only in str(path)], options.seed, comparison)
    findings = comparison.findings
    if not options.only:
        findings += [f"no dump needs the rule {rule!r}" for rule in comparison.unused_rules()]
    return Verdict(
        f"{comparison.dumps} dumps of {comparison.files} files, of which {comparison.died} kill Kafka's tool", findings
    )


def _files(scratch: Path, classes: str, seed: int, count: int) -> list[Path]:
    """Copy all files to a place where Kafka's tool may write: it creates an index for a time index that lacks one."""
    golden, bad, broken, made = (scratch / name for name in ("golden", "bad_data", "broken", "mutations"))
    shutil.copytree(TESTS / "golden", golden, ignore=shutil.ignore_patterns(*_IGNORED))
    chosen = random.Random(seed)
    for path in sorted((TESTS / "bad_data" / "files").iterdir()):
        _under_a_number(path.read_bytes(), path.suffix, bad / path.name)
    made.mkdir()
    sources = segments(golden)
    for path in mutations(sources, made, count, seed):
        _under_a_number(path.read_bytes(), ".log", broken / path.stem)
    shutil.rmtree(made)
    for suffix in (*_INDEX, ".txnindex", ".snapshot"):
        originals = [path for path in sorted(golden.rglob(f"*{suffix}")) if 0 < path.stat().st_size < 4096]
        for number in range(count // 4):
            _mutated(chosen.choice(originals), broken / f"{suffix[1:]}-{number}", chosen)
    remote = write_remote_log_metadata(scratch / "remote", classes, seed)
    write_mutations([*sources, remote], scratch / "messages", _MUTATED_LOGS_A_TOPIC, seed)
    files = [path for path in sorted(scratch.rglob("*")) if path.suffix in _KINDS and path.is_file()]
    if not files:
        raise ToolError("there are no files in tests/golden")
    return files


def _under_a_number(data: bytes, suffix: str, directory: Path) -> None:
    # Kafka's tool reads a base offset from the name of almost every file.
    directory.mkdir(parents=True)
    (directory / f"{0:020d}{suffix}").write_bytes(data)


def _mutated(original: Path, directory: Path, chosen: random.Random) -> None:
    directory.mkdir(parents=True)
    data = bytearray(original.read_bytes())
    for _ in range(chosen.choice((1, 1, 2))):
        at = chosen.randrange(len(data))
        if chosen.random() < 0.2:
            del data[at:]
        elif chosen.random() < 0.3:
            data[at:] = bytes(len(data) - at)
        else:
            data[at] ^= 1 << chosen.randrange(8)
        if not data:
            break
    (directory / original.name).write_bytes(data)
    for suffix in (".log", ".index"):
        beside = original.with_suffix(suffix)
        if beside.exists() and beside != original:
            shutil.copy(beside, directory)


def _judge(classes: str, files: list[Path], seed: int, comparison: Comparison) -> None:
    chosen = random.Random(seed)
    logs = [path for path in files if path.suffix in _LOG]
    with_all = set(chosen.sample(logs, min(_LOGS_WITH_ALL_OPTIONS, len(logs))))
    decoders = {path: [decoder] for path in logs if (decoder := decoder_of(path))}
    for path in chosen.sample(logs, min(_LOGS_WITH_EVERY_DECODER, len(logs))):
        decoders[path] = DECODERS
    with dialogue(classes, "DumpJudge") as (questions, answers):
        for path in files:
            comparison.files += 1
            some = _OF_SOME_LOGS if path in with_all else []
            for options in [*_ALWAYS[path.suffix], *some, *_with(decoders.get(path, []))]:
                arguments = ["--files", str(path), *options]
                questions.write("\t".join(arguments).encode() + b"\n")
                questions.flush()
                out, err, death = _fields(answers)
                comparison.compare(arguments, Run(out, err, death), _dump(arguments))


def _with(decoders: list[str]) -> list[list[str]]:
    """Options with a decoder of an internal topic; Kafka's tool uses only one of several decoders."""
    sets = [[decoder, *more] for decoder in decoders for more in ([], ["--skip-record-metadata"])]
    return sets if len(decoders) < len(DECODERS) else [*sets, DECODERS, DECODERS[1::2]]


def _fields(stream: IO[bytes]) -> Iterator[str]:
    for _ in range(3):
        size = stream.read(4)
        if len(size) < 4:
            raise EOFError
        yield stream.read(int.from_bytes(size, "big")).decode()


def _dump(arguments: list[str]) -> Run:
    out, err = io.BytesIO(), io.BytesIO()
    wrappers = io.TextIOWrapper(out), io.TextIOWrapper(err)
    with redirect_stdout(wrappers[0]), redirect_stderr(wrappers[1]):
        status = command.main(arguments, standalone_mode=False)
    return Run(out.getvalue().decode(), err.getvalue().decode(), status=status)
