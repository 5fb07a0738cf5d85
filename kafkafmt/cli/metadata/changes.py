"""Differences for people: a line each, under the section that they are of."""

from itertools import groupby
from typing import TYPE_CHECKING

import click

from kafkafmt.cli.ls import human
from kafkafmt.cli.printable import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.difference import Change

_MARKS = {"added": "+", "removed": "-", "changed": "~"}


def write(
    before: "ClusterMetadata", after: "ClusterMetadata", changes: "Sequence[Change]", *, sections: "Sequence[str]"
) -> None:
    """Write to stdout.

    Args:
        before: the earlier state.
        after: the later one.
        changes: the differences.
        sections: those that were asked for; none for all: then partitions of topics that came or went are not told.
    """
    click.echo(f"From {_moment(before)}")
    click.echo(f"to   {_moment(after)}")
    if not sections:
        topics = {*before.topics} ^ {*after.topics}
        recreated = {
            name for name, topic in after.topics.items() if name in before.topics and before.topics[name].id != topic.id
        }
        told = topics | recreated
        changes = [
            change for change in changes if change.section != "partitions" or change.key.rpartition("-")[0] not in told
        ]
    for section, group in groupby(changes, key=lambda change: change.section):
        click.echo(f"\n{section}")
        for (kind, key), of_one in groupby(group, key=lambda change: (change.change, change.key)):
            details = ", ".join(filter(None, map(_detail, of_one)))
            click.echo(f"  {_MARKS[kind]} {escape(f'{key}: {details}' if details else key)}")
    counts = [
        f"{count:,} {kind}"
        for kind in _MARKS
        if (count := len({(change.section, change.key) for change in changes if change.change == kind}))
    ]
    click.echo(f"\n{human.join(counts) or 'no difference'}")


def _moment(cluster: "ClusterMetadata") -> str:
    provenance = cluster.provenance
    when = "" if provenance.timestamp < 0 else f", {human.time(provenance.timestamp)}"
    return f"offset {provenance.end_offset} of {escape(provenance.path)}{when}"


def _detail(change: "Change") -> str | None:
    """What changed, or what was added in short."""
    if change.change != "changed":
        return change.after
    before = "null" if change.before is None else change.before
    after = "null" if change.after is None else change.after
    return f"{change.field} {before} -> {after}"
