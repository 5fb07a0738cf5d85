"""Symbolic links in a source: links that are followed, and links that lead out of the source and are not."""

from typing import TYPE_CHECKING

from kafkafmt.files.damage import Note
from kafkafmt.files.names import parse_partition_name
from kafkafmt.logdir.log_dir import leads_to_logs
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.io.base import Location


def link_notes(places: "Iterable[Location]") -> tuple[Note, ...]:
    """Notes on links: links to directories are followed, links to files outside the source are not.

    Args:
        places: locations in the source that have been searched; files have no links.
    """
    directories = [place for place in places if place.is_directory()]
    notes = []
    followed = _once(
        link for place in directories for link in place.links_followed(below=True) if _is_of_note(link, place)
    )
    if followed:
        named = listed([f"{link} ({link.identity})" for link in followed])
        text = f"links to directories are followed, as by Kafka: {named}"
        notes.append(Note(text, is_finding=False))
    links = [str(link) for link in _once(link for place in directories for link in place.links_out(below=True))]
    if links:
        text = f"links that lead out of the source are not followed; name their targets to read them: {listed(links)}"
        notes.append(Note(text, is_finding=False))
    return tuple(notes)


def _is_of_note(link: "Location", place: "Location") -> bool:
    """Whether a link is worth a note: it is a partition, or leads to logs outside the source."""
    is_inside = f"{link.identity}/".startswith(f"{place.identity}/")
    return parse_partition_name(link.name).topic is not None if is_inside else leads_to_logs(link)


def _once(links: "Iterable[Location]") -> "list[Location]":
    """Links without repetition, by their locations."""
    by_place: dict[tuple[str, str], Location] = {}
    for link in links:
        by_place.setdefault((link.parent.identity, link.name), link)
    return list(by_place.values())
