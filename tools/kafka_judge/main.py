"""The implementation of tools/judge: runs the named judges and prints their findings."""

import argparse
import sys
import textwrap
import time
from itertools import takewhile
from typing import Protocol

from class_path import ToolError
from kafka_judge.advice import judge as advice
from kafka_judge.assignment import judge as assignment
from kafka_judge.configs import judge as configs
from kafka_judge.dump import judge as dump
from kafka_judge.groups import judge as groups
from kafka_judge.languages import judge as languages
from kafka_judge.messages import judge as messages
from kafka_judge.metadata import judge as metadata
from kafka_judge.operations import judge as operations
from kafka_judge.protobuf import judge as protobuf
from kafka_judge.protocol import judge as protocol
from kafka_judge.read_write import judge as read_write
from kafka_judge.segments import judge as segments
from kafka_judge.values import judge as values
from kafka_judge.verdict import Verdict
from kafka_judge.writing import judge as writing
from web_ide import judge as web_ide

EXIT_DIFFERENCES = 1
EXIT_FAILED = 2

SEED = 4_3_1
FINDINGS_SHOWN = 20


class Judge(Protocol):
    """A module whose docstring says what is compared; tools/judge shows it as help."""

    __doc__: str | None

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this judge."""

    def judge(self, options: argparse.Namespace) -> Verdict:
        """Compare; `options.seed` seeds all random inputs.

        Raises:
            ToolError: a tool is missing or fails.
        """


JUDGES: dict[str, Judge] = {
    "segments": segments,
    "advice": advice,
    "configs": configs,
    "dump": dump,
    "messages": messages,
    "metadata": metadata,
    "groups": groups,
    "assignment": assignment,
    "writing": writing,
    "operations": operations,
    "protobuf": protobuf,
    "protocol": protocol,
    "read-write": read_write,
    "values": values,
    "web-ide": web_ide,
    "languages": languages,
}

_DESCRIPTION = """
Let other programs read the same files as kafkafmt, and compare: all judges, or those that are named. No answer is
stored. What differs on purpose is listed beside each judge, and a rule that nothing needs is a finding.
"""
_EPILOG = """
Needs a JDK 17 or later, Node.js for web-ide, and for the first run Maven and a network; makes .venv in the checkout
if need be. Exit status: 0 the same, 1 a difference, 2 a tool is missing or fails.
"""


def main(arguments: list[str]) -> int:
    """Run the judges that the command line names; returns the exit status."""
    names = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    rest = arguments[len(names) :]
    if unknown := [name for name in names if name not in JUDGES]:
        _parser(None).error(f"there is no {unknown[0]}: {', '.join(JUDGES)}")
    if len(names) != 1:
        _parser(None).parse_args(rest)
    chosen = {name: _parser(name).parse_args(rest) for name in names or JUDGES}
    return max(_run(name, options) for name, options in chosen.items())


def _parser(name: str | None) -> argparse.ArgumentParser:
    """The command line of one judge, or of several judges."""
    if name is None:
        judges = "\n\n".join(f"{name}: {_summary(judge)}" for name, judge in JUDGES.items())
        parser = argparse.ArgumentParser(
            prog="tools/judge",
            usage="tools/judge [NAME ...] [--seed N]\n       tools/judge NAME --help",
            description=f"{_DESCRIPTION.strip()}\n\n{judges}",
            epilog=_EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
    else:
        parser = argparse.ArgumentParser(
            prog=f"tools/judge {name}",
            description=JUDGES[name].__doc__,
            epilog=_EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        JUDGES[name].add_options(parser)
    parser.add_argument("--seed", type=int, default=SEED, help="seed of all that is random (%(default)s)")
    return parser


def _summary(judge: Judge) -> str:
    return textwrap.fill((judge.__doc__ or "").partition("\n\n")[0], 116, subsequent_indent="    ")


def _run(name: str, options: argparse.Namespace) -> int:
    started = time.monotonic()
    try:
        verdict = JUDGES[name].judge(options)
    except ToolError as error:
        print(f"tools/judge {name}: {error}", file=sys.stderr)
        return EXIT_FAILED
    seconds = f"{time.monotonic() - started:.0f} s"
    if verdict.findings:
        print(*verdict.findings[:FINDINGS_SHOWN], sep="\n", file=sys.stderr)
        print(f"{name}: {len(verdict.findings)} differences in {verdict.compared}; {seconds}", file=sys.stderr)
        return EXIT_DIFFERENCES
    print(f"{name}: {verdict.compared}: the same; {seconds}", flush=True)
    return 0
