"""The command line: which files, which options, which exit codes."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from kafkafmt.cli import main
from kafkafmt.cli.dump import DECODER_OPTIONS, command
from kafkafmt.cli.dump.kafkas_view import as_java_prints
from kafkafmt.cli.dump.options import decode_bytes, decode_integer, decode_long, decode_string, decoder_named
from kafkafmt.errors import SourceError
from kafkafmt.io.local import LocalLocation
from kafkafmt.io.local_file import LocalFile
from tests.cli.dump.running import dump
from tests.reference.builder import R, batch

ROOT = Path(__file__).parents[3]
LOG = "00000000000000000000.log"
ENVIRONMENT = {"PYTHONPATH": f"{ROOT}:{ROOT / 'generated'}", "PATH": os.environ["PATH"], "LC_ALL": "C"}


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    (tmp_path / LOG).write_bytes(batch([R(value="é".encode())]))
    (tmp_path / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    (tmp_path / "notes.txt").write_text("none of Kafka's")
    (tmp_path / "below-0").mkdir()
    return tmp_path


def _dumped(lines: list[str]) -> list[str]:
    return [line.removeprefix("Dumping ") for line in lines if line.startswith("Dumping ")]


def test_files_are_separated_by_commas_and_paths_come_behind(partition: Path) -> None:
    run = dump("--files", f"{LOG},,leader-epoch-checkpoint", "--files", LOG, f"./{LOG}", inside=partition)
    assert _dumped(run.lines) == [LOG, "leader-epoch-checkpoint", LOG, f"./{LOG}"]
    assert run.status == 0


def test_of_a_directory_the_files_of_known_kinds_are_dumped(partition: Path) -> None:
    run = dump(partition)
    assert _dumped(run.lines) == [str(partition / LOG), str(partition / "leader-epoch-checkpoint")]
    assert run.status == 0


def test_a_directory_without_such_files_is_said_to_be(partition: Path) -> None:
    run = dump(partition / "below-0")
    assert run.out == b""
    assert "this directory has no Kafka files itself: name those in its subdirectories" in run.complaints[0]
    assert run.status == 3


def test_paths_are_printed_as_java_does_and_uris_too(partition: Path) -> None:
    assert _dumped(dump(f"{partition}//{LOG}").lines) == [str(partition / LOG)]
    run = dump((partition / LOG).as_uri())
    assert run.status == 0
    assert run.lines[0] == f"Dumping {partition / LOG}"


def test_a_missing_file_does_not_keep_from_the_others(partition: Path) -> None:
    run = dump("--files", f"none.log,none,{LOG}", inside=partition)
    assert _dumped(run.lines) == ["none.log", "none", LOG]
    assert [line.split(": ")[1] for line in run.complaints] == ["none.log", "none"]
    assert run.status == 3


def test_an_unreadable_scheme_does_not_keep_from_the_others(partition: Path) -> None:
    run = dump("nothing://bucket/0.log", LOG, inside=partition)
    assert _dumped(run.lines) == [LOG]
    assert run.status == 3


def test_unknown_files_are_passed_over_aloud(partition: Path) -> None:
    run = dump("notes.txt", inside=partition)
    assert run.complaints == ["Ignoring unknown file notes.txt", "kafkafmt: notes.txt: this is plain text"]
    assert run.status == 3


def test_undecodable_names_are_written_back_as_they_are(partition: Path) -> None:
    name = b"\xff\x1b.log"
    Path(os.fsdecode(os.fsencode(partition) + b"/" + name)).write_bytes(batch())
    run = dump(os.fsdecode(name), os.fsdecode(b"\xfe.log"), inside=partition)
    assert run.out.startswith(b"Dumping \xff\x1b.log\nbaseOffset: 0 ")
    assert b"\\udcfe.log" in run.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--files", ","],
        ["--max-bytes", "-1", LOG],
        ["--max-message-size", "x", LOG],
        ["--key-decoder-class", "org.example.Mine", LOG],
        ["--value-decoder-class", "Decoder", LOG],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["dump", *arguments]) == 2
    assert capsys.readouterr().err.endswith("\nkafkafmt: see kafkafmt dump --help\n")


def test_options_of_the_tool_that_change_nothing_are_taken(partition: Path) -> None:
    plain = dump("--print-data-log", LOG, inside=partition)
    assert dump("--max-message-size", "1", "--print-data-log", "--deep-iteration", LOG, inside=partition) == plain
    assert dump("--files", LOG, "--key-decoder-class", inside=partition) == plain
    assert dump("--value-decoder-class", "--files", LOG, inside=partition) == plain


def test_decoders_have_short_names_and_those_of_kafkas_classes() -> None:
    for short, decoder in (
        ("String", decode_string),
        ("Integer", decode_integer),
        ("Long", decode_long),
        ("Default", decode_bytes),
    ):
        for name in (
            short,
            f"{short}Decoder",
            f"kafka.serializer.{short}Decoder",
            f"org.apache.kafka.tools.api.{short}Decoder",
        ):
            assert decoder_named(name, "--key-decoder-class") is decoder
    assert decoder_named("Bytes", "--key-decoder-class") is decode_bytes
    with pytest.raises(click.BadParameter, match="Choose String, Integer, Long or Bytes"):
        decoder_named("string", "--key-decoder-class")


def test_text_is_utf_8_whatever_the_locale(partition: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-m", "kafkafmt", "dump", "--print-data-log", LOG],
        cwd=partition,
        env=ENVIRONMENT,
        capture_output=True,
        check=True,
    )
    assert done.stdout.endswith("payload: é\n".encode())


def test_a_closed_pipe_ends_it_quietly(partition: Path) -> None:
    (partition / LOG).write_bytes(b"".join(batch(base_offset=number) for number in range(20_000)))
    with subprocess.Popen(
        [sys.executable, "-m", "kafkafmt", "dump", LOG],
        cwd=partition,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == f"Dumping {LOG}\n".encode()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_help_needs_nothing_heavy() -> None:
    program = (
        "import sys, kafkafmt.cli.dump; print([name for name in ('pyarrow', 'kafkafmt_specs') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, check=True)
    assert done.stdout == b"[]\n"
    assert isinstance(command, click.Command)


@pytest.mark.parametrize("name", [LOG, "00000000000000000000.index", "00000000000000000000.timeindex"])
def test_a_log_that_shrinks_while_it_is_read_ends_its_dump_only(
    partition: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (partition / LOG).write_bytes(batch() * 3 + batch([R(value=b"v" * 3_000_000)]) + batch())
    (partition / "00000000000000000000.index").write_bytes(b"\0\0\0\1" * 2)
    (partition / "00000000000000000000.timeindex").write_bytes(b"\0\0\0\1" * 3)
    readinto_at = LocalFile.readinto_at

    def shrunk(file: LocalFile, position: int, buffer: memoryview) -> int:
        if file.name.endswith(".log") and (position + len(buffer) > 1_500_000 or name != LOG):
            raise SourceError("the file shrank while it was read", file=file.name)
        return readinto_at(file, position, buffer)

    monkeypatch.setattr(LocalFile, "readinto_at", shrunk)
    run = dump("--deep-iteration", "--files", f"{name},leader-epoch-checkpoint", inside=partition)
    assert _dumped(run.lines) == [name, "leader-epoch-checkpoint"]
    assert "shrank" in run.complaints[-1]
    assert run.status == 3


def test_uris_are_printed_as_they_are() -> None:
    class Remote(LocalLocation):
        def __str__(self) -> str:
            return "s3://bucket//a"

    assert as_java_prints(Remote("/")) == "s3://bucket//a"
    assert as_java_prints(LocalLocation("//")) == "/"


@pytest.mark.parametrize(
    ("path", "topic"),
    [
        (f"__consumer_offsets-7/{LOG}", "__consumer_offsets"),
        (f"__transaction_state-0/{LOG}.deleted", "__transaction_state"),
        (f"__share_group_state-0.{'0' * 32}-delete/{LOG}", "__share_group_state"),
        (f"__remote_log_metadata-1/{LOG}", "__remote_log_metadata"),
        (f"__cluster_metadata-0/{LOG}", "__cluster_metadata"),
        ("00000000000000000009-0000000001.checkpoint", "__cluster_metadata"),
        ("bootstrap.checkpoint", "__cluster_metadata"),
        (f"orders-0/{LOG}", None),
        (LOG, None),
    ],
)
def test_the_decoder_of_an_internal_topic_is_told_on_a_terminal(tmp_path: Path, path: str, topic: str | None) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(batch())
    assert dump(file, file).complaints == []
    hint = topic and f"kafkafmt: --{DECODER_OPTIONS[topic]} decodes records of {topic} say"
    assert dump(file, file, on_terminal=True).complaints == ([hint] if hint else [])
    assert dump(file, "--offsets-decoder", "--max-bytes", "0", on_terminal=True).complaints == []
