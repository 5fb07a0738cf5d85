"""Shell completion: the scripts, and bash completing with them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from kafkafmt.cli import main
from kafkafmt.cli.main import COMMANDS
from tests.cli.conftest import Call, environment


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str, kafkafmt: Call) -> None:
    answer = kafkafmt("completion", shell)
    assert answer.status == 0
    assert f"_KAFKAFMT_COMPLETE={shell}_complete" in answer.text


def test_an_unknown_shell_is_wrong_usage(kafkafmt: Call) -> None:
    answer = kafkafmt("completion", "cmd")
    assert (answer.status, "'bash', 'zsh', 'fish'" in answer.stderr) == (2, True)


@pytest.mark.parametrize(
    "words",
    [["ls"], ["cat"], ["batches"], ["inspect"], ["dump"], ["dump", "--files"], ["cat", "orders-0", "--out"]],
    ids=" ".join,
)
def test_the_shell_completes_names_of_files(words: list[str]) -> None:
    completion = ShellComplete(main.kafkafmt, {}, "kafkafmt", "_KAFKAFMT_COMPLETE")
    assert [(item.type, item.value) for item in completion.get_completions(words, "ord")] == [("file", "ord")]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A directory with a `kafkafmt` on the path."""
    script = tmp_path / "bin" / "kafkafmt"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m kafkafmt "$@"\n')
    script.chmod(0o755)
    return script.parent


@pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["kafkafmt", ""], set(COMMANDS)),
        (["kafkafmt", "ba"], {"batches"}),
        (["kafkafmt", "cat", "--top"], {"--topic", "--topic-regex"}),
        (["kafkafmt", "cat", "--output", ""], {"table", "jsonl", "csv", "arrow", "parquet"}),
        (["kafkafmt", "cat", "--on-damage", "s"], {"skip"}),
        (["kafkafmt", "completion", "f"], {"fish"}),
    ],
    ids=lambda value: "-".join(value[1:]) if isinstance(value, list) else None,
)
def test_bash_completes(words: list[str], completed: set[str], program: Path) -> None:
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"""
        PATH={program}:$PATH
        complete() {{ builtin complete "$@" 2>/dev/null || true; }}
        eval "$(kafkafmt completion bash)"
        COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}
        _kafkafmt_completion kafkafmt "{words[-1]}" "{words[-2]}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    answer = subprocess.run(["bash", "-c", script], env=environment(), check=True, capture_output=True, text=True)
    assert set(answer.stdout.split()) == completed
