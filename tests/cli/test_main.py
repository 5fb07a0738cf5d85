"""The command itself: reliable exit codes, one-line errors, and quiet exits."""

import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click
import pytest

from kafkafmt.cli import main
from kafkafmt.cli.main import COMMANDS, run
from kafkafmt.errors import CorruptError, LimitExceededError, SourceError
from tests.cli.conftest import COMMAND, Call, environment, start
from tests.golden_cases import cases
from tests.reference.builder import R, batch

LARGE = next(case for case in cases("modern") if case.name == "15-large-4.3.1").log_dir


def answering(monkeypatch: pytest.MonkeyPatch, result: object) -> None:
    """Make `kafkafmt completion bash` return or raise something else."""

    def callback(**_: object) -> object:
        if isinstance(result, BaseException):
            raise result
        return result

    monkeypatch.setattr(command_of("completion"), "callback", callback)


def command_of(name: str) -> click.Command:
    command = main.kafkafmt.get_command(click.Context(main.kafkafmt), name)
    assert command is not None
    return command


@pytest.mark.parametrize(
    ("result", "status", "says"),
    [
        (None, 0, ""),
        (1, 1, ""),
        (CorruptError("broken", file="a\x1b[31m.log", position=5), 1, "kafkafmt: a\\x1b[31m.log: position 5: broken\n"),
        (LimitExceededError("too large"), 1, "kafkafmt: too large\n"),
        (ImportError("numba does not load\x1b"), 2, "kafkafmt: numba does not load\\x1b\n"),
        (SourceError("it is gone", file="a\udcff.log"), 3, "kafkafmt: a\\udcff.log: it is gone\n"),
        (
            click.UsageError("no such thing\x1b."),
            2,
            "kafkafmt: no such thing\\x1b.\nkafkafmt: see kafkafmt completion --help\n",
        ),
        (click.ClickException("no."), 2, "kafkafmt: no.\n"),
        (click.exceptions.Exit(3), 3, ""),
        (KeyboardInterrupt(), 130, "kafkafmt: interrupted\n"),
        (BrokenPipeError(), 0, ""),
        (
            OSError(28, "No space left on device"),
            3,
            "kafkafmt: cannot write the output: No space left on device\n",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_exit_codes(
    result: object, status: int, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(monkeypatch, result)
    assert run(["completion", "bash"]) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == says


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, SystemExit(7))
    with pytest.raises(SystemExit):
        run(["completion", "bash"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["frobnicate"], "No such command 'frobnicate'. There are: ls, verify, batches, cat, "),
        (["group"], "No such command 'group'. Did you mean groups? There are: ls, "),
        (["cat", "x", "--limit", "x"], "Invalid value for '--limit': 'x' is not an integer."),
        (["cat"], "Missing argument 'PATH...'."),
        (["completion"], "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish"),
        (["cat", "--frobnicate"], "No such option"),
        ([str(LARGE)], f"is a path, not a command. To list what is there:\n  kafkafmt ls {LARGE}\n"),
    ],
    ids=["command", "near", "number", "argument", "choice", "option", "path"],
)
def test_wrong_usage(arguments: list[str], says: str, kafkafmt: Call) -> None:
    answer = kafkafmt(*arguments)
    assert (answer.status, answer.stdout) == (2, b"")
    assert says in answer.stderr
    assert all(line.startswith(("kafkafmt: ", "  kafkafmt ls ")) for line in answer.stderr.splitlines())


def test_without_arguments_there_is_help_and_the_status_of_wrong_usage(kafkafmt: Call) -> None:
    answer = kafkafmt()
    assert answer.status == 2
    assert answer.stdout == kafkafmt("--help").stdout
    assert answer.stderr == "kafkafmt: no command given\nkafkafmt: see kafkafmt --help\n"


def test_help_and_version(kafkafmt: Call) -> None:
    answer = kafkafmt("--help")
    assert answer.status == 0
    positions = [answer.text.index(f"\n  {name} ") for name in COMMANDS]
    assert positions == sorted(positions)
    assert "Exit status: 0 clean; 1 findings" in answer.text
    assert kafkafmt("-h").stdout == answer.stdout
    assert kafkafmt("--version").text.startswith("kafkafmt ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples(name: str, kafkafmt: Call) -> None:
    answer = kafkafmt(name, "--help")
    assert answer.status == 0
    assert "Example" in answer.text
    assert f"kafkafmt {name}" in answer.text.partition("Example")[2]


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)], ids=" ".join)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from kafkafmt.cli.main import run; run(sys.argv[1:]);"
        "sys.exit(', '.join({'pyarrow', 'rich', 'numpy', 'kafkafmt_specs'}.intersection(sys.modules)) or 0)"
    )
    command = [sys.executable, "-c", code, *arguments, "--help"]
    answer = subprocess.run(command, env=environment(), check=False, capture_output=True)
    assert (answer.returncode, answer.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "csv", "table", "parquet", "arrow"])
def test_a_closed_pipe_is_a_quiet_end(form: str) -> None:
    process = start("cat", LARGE, "--output", form, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait()) == (b"", 0)
    process.stderr.close()


def test_help_into_a_closed_pipe_is_a_quiet_end() -> None:
    process = start("--help", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait()) == (b"", 0)
    process.stderr.close()


@pytest.mark.slow
def test_a_full_disk_is_said_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        process = start("cat", LARGE, "--output", "jsonl", stdout=full, stderr=subprocess.PIPE)
    _, says = process.communicate()
    assert process.returncode == 3
    assert says == b"kafkafmt: cannot write the output: No space left on device\n"


def test_a_closed_stdout_is_said_in_one_line() -> None:
    command = ["sh", "-c", '"$@" >&-', "sh", *COMMAND, "cat", str(LARGE)]
    answer = subprocess.run(command, env=environment(), check=False, stderr=subprocess.PIPE)
    assert (answer.returncode, answer.stderr.count(b"\n")) == (2, 1)
    assert b"standard output is closed" in answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize("stderr", [">&-", ">/dev/full"], ids=["closed", "full"])
@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["cat", "no-such"], 3), (["cat"], 2), (["dump", "no-such"], 3), (["cat", str(LARGE), "--limit", "1"], 0)],
    ids=["cat", "usage", "dump", "nothing to say"],
)
def test_exit_codes_hold_without_a_stderr(stderr: str, arguments: list[str], status: int) -> None:
    command = ["sh", "-c", f'"$@" 2{stderr}', "sh", *COMMAND, *arguments]
    assert subprocess.run(command, env=environment(), check=False, stdout=subprocess.DEVNULL).returncode == status


def test_a_path_for_a_command_is_quoted_for_the_shell(
    kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my logs\x1b[31m").mkdir()
    answer = kafkafmt("my logs\x1b[31m")
    assert answer.status == 2
    assert "\n  kafkafmt ls $'my logs\\x1b[31m'\n" in answer.stderr
    assert "\x1b" not in answer.stderr


@pytest.mark.parametrize("name", ["cat", "batches", "inspect", "dump"])
def test_a_forbidden_file_is_unreadable_and_no_wrong_usage(
    name: str, kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "00000000000000000000.log"
    log.write_bytes(bytes(100))
    # Tests often run as root, which may read everything, so click and the reader see a simulated refusal.
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    really = os.open

    def forbidding(path: str, *arguments: int, **named: int) -> int:
        if os.fspath(path) == str(log):
            raise PermissionError(13, "Permission denied")
        return really(path, *arguments, **named)

    monkeypatch.setattr(os, "open", forbidding)
    answer = kafkafmt(name, log)
    assert answer.status == 3
    assert "Permission denied" in answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize("out", [False, True], ids=["stdout", "file"])
def test_an_interrupt_is_a_quiet_end_and_leaves_no_half_file(out: bool, tmp_path: Path) -> None:
    where = ["--out", str(tmp_path / "rows.csv")] if out else []
    process = start("cat", LARGE, "--output", "csv", *where, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    if out:
        while not any(tmp_path.glob("rows.csv.*.part")):
            assert process.poll() is None
    else:
        process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    _, says = process.communicate()
    assert process.returncode == 130
    assert says.endswith(b"kafkafmt: interrupted\n")
    assert all(line.startswith(b"kafkafmt: ") for line in says.splitlines())
    assert list(tmp_path.iterdir()) == []


INTERRUPTING = """
import os, runpy, signal, sys
def interrupt(event, arguments):
    if event == "import" and arguments[0] == os.environ["AT_IMPORT_OF"]:
        os.environ["AT_IMPORT_OF"] = ""
        signal.raise_signal(signal.SIGINT)
sys.addaudithook(interrupt)
runpy.run_module("kafkafmt", run_name="__main__", alter_sys=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["click", "kafkafmt.cli.command", "pyarrow.lib", "llvmlite", "kafkafmt.cli.output.table"]
)
def test_an_interrupt_while_modules_load_is_said_in_one_line(module: str, tmp_path: Path) -> None:
    log = tmp_path / "00000000000000000000.log"
    log.write_bytes(batch([R()] * 50_000))  # so many that kernels are loaded
    command = [sys.executable, "-c", INTERRUPTING, "cat", str(log)]
    answer = subprocess.run(
        command, env=environment(AT_IMPORT_OF=module), check=False, capture_output=True, cwd=Path(__file__).parents[2]
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, b"", b"kafkafmt: interrupted\n")


@pytest.mark.slow
def test_an_interrupt_on_a_terminal_is_said_on_its_own_line() -> None:
    ours, theirs = pty.openpty()
    process = start(
        "cat", LARGE, "--output", "jsonl", stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    assert os.read(ours, 10)
    process.send_signal(signal.SIGINT)
    seen = b""
    with suppress(OSError):  # how Linux reports that the last writer closed the terminal
        while chunk := os.read(ours, 65536):
            seen += chunk
    os.close(ours)
    assert process.wait() == 130
    assert seen.endswith(b"\r\nkafkafmt: interrupted\r\n")


WITH_OUT = [name for name in COMMANDS if "out" in {each.name for each in command_of(name).params}]


def test_commands_that_give_rows_have_out() -> None:
    without = {
        "dump",
        "completion",
        "repair",
        "extract",
        "write",
        "compaction",
        "schemas",
        "serve",
        "specs",
        "state",
        "warm-up",
    }
    assert set(COMMANDS) - set(WITH_OUT) == without


@pytest.mark.parametrize(
    "out", ["rows.txt", "rows", "rows.csv.gz", "csv", ".csv", "rows.table", "dir.csv/rows", "rows.json"]
)
@pytest.mark.parametrize("name", WITH_OUT)
def test_a_suffix_that_names_no_form_is_wrong_usage(
    name: str, out: str, kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    needed = {"load": ["--to", "lake"], "replay": ["--to", "127.0.0.1:1"]}.get(name, [])
    answer = kafkafmt(name, LARGE, *needed, "--out", out)
    first, second = answer.stderr.splitlines()
    assert (answer.status, second) == (2, f"kafkafmt: see kafkafmt {name} --help")
    assert first.startswith("kafkafmt: Invalid value for '--out': ")
    assert all(suffix in first for suffix in (".jsonl", ".csv", ".arrow", ".parquet"))
    assert ("| gzip" in first) is out.endswith(".gz")
    assert not any(tmp_path.iterdir())


def test_python_m() -> None:
    answer = subprocess.run([*COMMAND, "--version"], env=environment(), check=True, capture_output=True)
    assert answer.stdout.startswith(b"kafkafmt ")


def test_handlers_of_the_exit_run_before_the_process_ends() -> None:
    code = (
        "import atexit; from kafkafmt.cli import main; run = main.run;"
        "main.run = lambda arguments: atexit.register(print, 'the last line') and run(arguments);"
        "main.main()"
    )
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[1:] == ["the last line"]
    assert (done.returncode, done.stderr) == (0, "")
    wrong = subprocess.run([sys.executable, "-c", code, "no-command"], capture_output=True, text=True, check=False)
    assert (wrong.stdout, wrong.returncode) == ("the last line\n", 2)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_how_to_read_after_what_and_output_last(command: str, kafkafmt: Call) -> None:
    """`--key-file` came first, which nearly nobody needs."""
    headings = [line[:-1] for line in kafkafmt(command, "--help").lines if re.fullmatch("[A-Z].*:", line)]
    last = [heading for heading in ("How to read", "Output", "Options") if heading in headings]
    assert headings[-len(last) :] == last
