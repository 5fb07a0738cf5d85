"""The ways to read the same records by Spark that are compared."""

from dataclasses import dataclass

COLUMNS = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")
"""Those that Spark's kafka source gives unless told otherwise, and so does our data source."""

KEY_AND_VALUE = ("key", "value")


@dataclass(frozen=True)
class Program:
    """A way to read, and the columns that it reads.

    Attributes:
        key: its name in spark.json.
        label: what tables and charts call it.
        session: programs with the same one share a Spark session, in which they are measured by turns.
        columns: what comes out.
        is_slow: slow, and it fails on files of some size: it reads less than the others do.
        needs_broker: whether it reads from the broker, not from its disk.
    """

    key: str
    label: str
    session: str
    columns: tuple[str, ...] = COLUMNS
    is_slow: bool = False
    needs_broker: bool = False


KAFKA, SOURCE, LOG_DIRS, BINARY_FILE = "kafka", "source", "log-dirs", "binary-file"
KAFKA_KEY_VALUE, SOURCE_KEY_VALUE, LOG_DIRS_KEY_VALUE = (f"{key}-key-value" for key in (KAFKA, SOURCE, LOG_DIRS))
SOURCE_SELECT = "source-select"

PROGRAMS = (
    Program(KAFKA, "Spark's kafka source", KAFKA, needs_broker=True),
    Program(SOURCE, "kafkafmt data source", SOURCE),
    Program(LOG_DIRS, "read_log_dirs", LOG_DIRS),
    Program(BINARY_FILE, "binaryFile and parse_segment", BINARY_FILE, is_slow=True),
    Program(KAFKA_KEY_VALUE, "Spark's kafka source, key and value", KAFKA, KEY_AND_VALUE, needs_broker=True),
    Program(SOURCE_KEY_VALUE, "kafkafmt data source, key and value", SOURCE, KEY_AND_VALUE),
    Program(SOURCE_SELECT, "kafkafmt data source, key and value by select", SOURCE, KEY_AND_VALUE),
    Program(LOG_DIRS_KEY_VALUE, "read_log_dirs, key and value", LOG_DIRS, KEY_AND_VALUE),
)


def program(key: str) -> Program:
    """Find a program by its key."""
    return next(program for program in PROGRAMS if program.key == key)
