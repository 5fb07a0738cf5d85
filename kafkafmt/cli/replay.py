"""`kafkafmt replay PATH... --to HOST:PORT`: sends the records of disks to a live cluster."""

import functools
from typing import Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import (
    CLEAN,
    FINDINGS,
    UNREADABLE,
    Command,
    RowOptions,
    columns_option,
    give,
    option,
    output_options,
)
from kafkafmt.cli.frame import RowFrame
from kafkafmt.cli.options import (
    TIME_RANGE,
    damage_option,
    limits_option,
    partition_option,
    paths_argument,
    which_option,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.progress import progress_of_rows
from kafkafmt.phrases import counted

_where_option = functools.partial(option, group="Where to")
_how_option = functools.partial(option, group="How to send")
_SHAPE = TableShape(
    ("topic", "partition", "targetTopic", "targetPartition", "records", "recordsBefore", "nextOffset", "targetEnd")
)


def _topics_of(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str] | None:
    """Parse NAME or OLD=NEW.

    Raises:
        click.BadParameter: it is neither, or a topic is given two targets.
    """
    pairs = [(old, new if equals else old) for old, equals, new in (text.partition("=") for text in texts)]
    if not all(old and new for old, new in pairs):
        raise click.BadParameter("must be NAME or OLD=NEW.")
    found = dict(pairs)
    twice = next((old for old, new in pairs if found[old] != new), None)
    if twice is not None:
        raise click.BadParameter(f"{twice} is sent to one topic: two are given.")
    return found or None


def _rate_of(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    """Check a rate.

    Raises:
        click.BadParameter: it is not a rate.
    """
    from kafkafmt.replaying.pace import Pace

    try:
        Pace.of(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error
    return text


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt replay /copies/broker-1 --to live-1:9092 --create --dry-run
  kafkafmt replay /copies/broker-1 /copies/broker-2 --to live-1:9092 --create --groups
  kafkafmt replay /copies/broker-1 --to live-1:9092 --topic orders=orders-restored --start-time 2026-11-21T09:30
  kafkafmt replay s3://bucket/tier --to live-1:9093 --client-config client.properties --offset-map map.parquet
  kafkafmt replay /copies/broker-1 --to test-1:9092 --topic orders --create --rate 1x
""",
)
@give(
    _where_option("--to", required=True, metavar="HOST:PORT", help="A broker of the cluster; or several: A:1,B:2."),
    _where_option(
        "--client-config",
        type=click.Path(dir_okay=False, readable=False),
        metavar="FILE",
        help="Properties of Kafka's clients: TLS, SASL (PLAIN, SCRAM), timeouts.",
    ),
    _where_option(
        "--create", is_flag=True, help="Create missing topics, with the partitions and configs of the source."
    ),
    _where_option("--append", is_flag=True, help="Add to topics that already hold records."),
    _where_option(
        "--hold-retention",
        is_flag=True,
        help="First set retention.ms and retention.bytes of the topics to -1, and print how to set them back.",
    ),
    _where_option("--dry-run", is_flag=True, help="Print every refusal and warning, and send nothing."),
)
@paths_argument
@give(
    which_option(
        "--topic",
        "topics",
        multiple=True,
        callback=_topics_of,
        metavar="NAME[=NEW]",
        help="Only this topic, with another name in the target if one is given. Repeatable.",
    ),
    partition_option(),
    TIME_RANGE,
    _how_option("--groups", is_flag=True, help="Also commit the offsets of the source's groups, translated."),
    which_option(
        "--open-transactions",
        type=click.Choice(["keep", "abort"]),
        default="keep",
        help="keep: send a partition up to its first open transaction. abort: treat open transactions as aborted, and "
        "send the records after them.",
    ),
    _how_option(
        "--rate",
        callback=_rate_of,
        metavar="N|1x",
        help="At most N records a second; or 1x for the pace of their timestamps, 2x for twice as fast.",
    ),
    _how_option(
        "--run",
        metavar="NAME",
        help="Name of the run: a start with the same name resumes it. Default: from the ids of source and target.",
    ),
    _how_option(
        "--offset-map",
        type=click.Path(dir_okay=False, readable=False),
        metavar="FILE.parquet",
        help="Write the offsets in source and target of all records that the run has sent.",
    ),
)
@damage_option("raise")
@limits_option
@columns_option
@output_options
def command(paths: tuple[str, ...], rows: RowOptions, to: str, **arguments: Any) -> int:  # noqa: ANN401 - of kafkafmt.replay
    """Send the records of disks to a live cluster, exactly once, into the same partitions.

    Keys, values, headers and timestamps stay as they are. A replay that was killed resumes when it is started again.
    Refusals and warnings come before a record is sent.
    """
    from kafkafmt.replaying.answer import REPLAYED
    from kafkafmt.replaying.errors import RefusedError, TargetError
    from kafkafmt.replaying.replay import replay

    topics = list(arguments["topics"] or ()) or None
    frame = RowFrame(paths, rows, REPLAYED, topics=topics, partitions=arguments["partitions"])
    frame.say_missing()
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        messages.say(f"note: {line}")

    try:
        with frame.asking() as disks, progress_of_rows("records", shown=True) as meter:
            done = replay(disks, to, tell=meter.rows, say=say, **arguments)
    except RefusedError as error:
        messages.say_some([f"refused: {each}" for each in error.refusals])
        messages.say("note: nothing was sent")
        return FINDINGS
    except TargetError as error:
        messages.say(error)
        return UNREADABLE
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
    frame.write(done.partitions.to_batches(), _SHAPE)
    messages.say_some([f"note: {line}" for line in done.warnings if line not in said])
    messages.say_some([f"refused: {each}" for each in done.refusals])
    scan = frame.disks.scan()
    messages.say_some([messages.damage_line(each, messages.with_path(each.error, scan)) for each in done.damage])
    messages.say_some(done.notes)
    is_damaged = bool(done.notes) or any(not each.is_open_end for each in done.damage)
    sent = "nothing" if done.refusals else counted(done.records, "record")
    would = "would be" if done.is_dry else "was" if done.records == 1 else "were"
    messages.say(f"note: {sent} {would} sent; run {done.run}")
    return frame.end(FINDINGS if done.refusals or is_damaged else CLEAN)
