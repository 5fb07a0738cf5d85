"""The programs that are measured, and on which segments."""

from dataclasses import dataclass
from typing import Literal

from benchmark.segments import Segment

Kind = Literal["python", "java", "java-cold", "dump"]

_DEEP_ITERATION_ON = ("typical-none", "typical-zstd", "tiny-none")


@dataclass(frozen=True)
class Program:
    """A program, or one way to use it.

    Attributes:
        key: its name in results.json.
        label: what tables and charts call it.
        kind: how it is run: in a process that lasts ("python", "java"), or in a new process each time.
        every_run: measured in each run; the others, which take long and no goal names, in the first.
        prefix: it is slow, so it reads only the first part of a segment, and its time is scaled.
        arguments: of the process.
    """

    key: str
    label: str
    kind: Kind = "python"
    every_run: bool = True
    prefix: bool = False
    arguments: tuple[str, ...] = ()

    def reads(self, segment: Segment) -> bool:
        """Tell whether it is measured on a segment."""
        if self.key.startswith("floor"):
            return segment.magic == 2
        if self.key in {"kafkafmt-count", "kafkafmt-batches"}:
            return segment.name == "typical-none"
        if self.key == "dump-deep":
            return segment.name in _DEEP_ITERATION_ON
        return True


PROGRAMS = (
    Program("kafkafmt-1", "kafkafmt"),
    Program("kafkafmt-2", "kafkafmt, 2 threads"),
    Program("kafkafmt-key-value-offset", "kafkafmt, key, value, offset"),
    Program("java-warm", "kafka-clients, warm JVM", "java"),
    Program("aiokafka", "aiokafka"),
    Program("floor-mapped", "floor (mmap)"),
    Program("floor-streamed", "floor (one buffer)"),
    Program("kafkafmt-count", "kafkafmt, scan.count()"),
    Program("kafkafmt-batches", "kafkafmt, segment.batches()"),
    Program("kafkafmt-reference", "kafkafmt, reference engine", every_run=False, prefix=True),
    Program("kafka-python", "kafka-python", every_run=False, prefix=True),
    Program("java-cold", "kafka-clients, new JVM", "java-cold", every_run=False),
    Program("dump-headers", "DumpLogSegments", "dump", every_run=False),
    Program("dump-deep", "DumpLogSegments --deep-iteration", "dump", every_run=False, arguments=("--deep-iteration",)),
)


def label(key: str) -> str:
    """Tell what tables and charts call a program."""
    return next(program.label for program in PROGRAMS if program.key == key)
