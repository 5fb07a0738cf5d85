"""The pages of docs/benchmarks, made from the results of a run."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Protocol

from benchmark import (
    goals,
    scans,
    searches,
    segments,
    servers,
    tiers,
    topics,
    value_topics,
    values,
    writes,
)
from benchmark.readings import Figure, Reading, Results
from benchmark.tables import goals_table, made_on, number, readings_table, shapes_table, table

_PAGES = Path(__file__).with_name("pages")
"""Texts of the pages, except the page on Spark."""

_THREADS = (scans.KAFKAFMT, scans.THREADS)


class _Program(Protocol):
    """A program that was measured."""

    @property
    def key(self) -> str:
        """Its name in readings."""

    @property
    def label(self) -> str:
        """Its name in tables."""


def _page(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _cpu_ms(reading: Reading) -> float:
    return median(reading.cpu) * 1000


def _wall_ms(reading: Reading) -> float:
    return median(reading.wall) * 1000


def _filled(name: str, results: Results, *tables: str, **facts: object) -> str:
    """A page of `pages/` with tables and settings in place of braces, and how it was made."""
    text = (_PAGES / f"{name}.txt").read_text(encoding="utf-8")
    tables_text = "\n".join(part for part in tables if part)
    return _page(text.format(tables=tables_text, **facts, **results.settings), made_on(results))


def _by_cpu(name: str, results: Results, found: Iterable[Figure], programs: Iterable[_Program]) -> str:
    """A page on programs by the CPU time that they take.

    Args:
        name: name of the text in `pages/`.
        results: the measurements.
        found: the goals computed from them.
        programs: the measured programs.
    """
    labels = {program.key: program.label for program in programs}
    times = readings_table("## Milliseconds of CPU", results.readings, labels, _cpu_ms)
    return _filled(name, results, goals_table([*found, *results.figures]), times)


def scans_page(results: Results) -> str:
    """docs/benchmarks/README.md."""
    labels = {program.key: program.label for program in scans.PROGRAMS}
    return _filled(
        "scans",
        results,
        goals_table([*goals.scan_goals(results.readings), *results.figures]),
        shapes_table(results, labels),
        readings_table("## Milliseconds of CPU", results.readings, labels, _cpu_ms),
        readings_table("## Milliseconds that passed", results.readings, labels, _wall_ms, _THREADS),
        megabytes=segments.SIZE,
        round=scans.READ_IN_A_ROUND,
        passes=scans.MOST_PASSES,
    )


def writing_page(results: Results) -> str:
    """docs/benchmarks/writing.md."""
    return _by_cpu("writing", results, writes.write_goals(results.readings), writes.PROGRAMS)


def tiers_page(results: Results) -> str:
    """docs/benchmarks/tiers.md."""
    return _by_cpu("tiers", results, tiers.tier_goals(results.readings), tiers.PROGRAMS)


def searching_page(results: Results) -> str:
    """docs/benchmarks/searching.md."""
    return _by_cpu("searching", results, searches.search_goals(results.readings), searches.PROGRAMS)


def values_page(results: Results) -> str:
    """docs/benchmarks/values.md."""
    by_format = (_values_table(kind, found) for kind, found in results.readings.items())
    return _filled(
        "values", results, goals_table([*values.value_goals(results.readings), *results.figures]), *by_format
    )


def _values_table(kind: str, found: Mapping[str, Reading]) -> str:
    """A table with a row for each program, as few read more than one format."""
    rows = []
    for program in values.PROGRAMS:
        reading = found.get(program.key, Reading())
        if reading.error or reading.cpu:
            failure = f"fails: {reading.error}"
            rows.append([program.label, failure if reading.error else number(values.seconds_of_a_million(reading))])
    return f"## {value_topics.TITLES[kind]}: seconds of CPU for a million values\n\n" + table(("", "seconds"), rows)


def serving_page(results: Results) -> str:
    """docs/benchmarks/serving.md."""
    labels = {program.key: program.label for program in servers.PROGRAMS}
    return _filled(
        "serving",
        results,
        goals_table([*servers.serving_goals(results.readings), *results.figures]),
        readings_table(
            "## MB of log in a second of CPU of the server",
            results.readings,
            labels,
            lambda reading: reading.size / median(reading.cpu) / 1e6,
        ),
        readings_table("## Seconds that passed", results.readings, labels, lambda reading: median(reading.wall)),
        key=topics.KEY_BYTES,
    )
