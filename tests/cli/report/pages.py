"""Parses the HTML pages of reports."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from kafkafmt.cli.ls.request import ListingRequest
from kafkafmt.cli.report.gathering import Gathering
from kafkafmt.cli.report.page import render
from kafkafmt.survey import Options, survey
from tests.golden_cases import Case, cases

EVIL = '<img src=x onerror=alert(1)><a href="https:evil.example">${title}</script>'
NOW = 1_790_300_000


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


class Page(HTMLParser):
    """The text of a page, its references, and its elements with their attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.elements: list[str] = []
        self.texts: list[str] = []
        self.headings: list[str] = []
        self.shapes: list[dict[str, str]] = []
        self._inside: list[str] = []
        self._attributes: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._attributes = {name: value or "" for name, value in attrs}
        self.elements.append(tag)
        self._inside.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]
        if tag == "svg":
            self._chart = self._attributes.get("class", "")
        if tag == "rect":
            self.shapes.append({"chart": self._chart, **self._attributes})

    def handle_endtag(self, _: str) -> None:
        self._inside.append("")

    def handle_data(self, data: str) -> None:
        inside = self._inside[-1] if self._inside else ""
        if inside == "style":
            return
        if inside == "title" and self.shapes:
            self.shapes[-1]["tip"] = data
        elif inside == "text" and self.shapes:
            self.shapes[-1].setdefault("label", data)
        if inside in ("h1", "h2", "title"):
            self.headings.append(data)
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def tiles(self, width: str = "wide") -> list[dict[str, str]]:
        """The rectangles of the map of sizes."""
        return [shape for shape in self.shapes if shape["chart"] == f"map {width}"]

    @property
    def segments(self) -> list[dict[str, str]]:
        """The bars of the timeline."""
        return [shape for shape in self.shapes if shape["chart"] == "" and "tip" in shape]


def gathered(*paths: Path, **options: Any) -> Gathering:
    gathering = Gathering()
    for path in paths:
        for found in survey(path, Options(**options)):
            gathering.log_dir(found)
            for partition in found.partitions():
                gathering.partition(partition)
            gathering.end_log_dir()
    return gathering


def page_of(*paths: Path, **options: Any) -> str:
    return render(gathered(*paths), ListingRequest(tuple(map(str, paths)), **options), clock=lambda: NOW)
